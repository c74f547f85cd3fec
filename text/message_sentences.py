"""The sentences of a chat message as patterns of a language pack read them: plain, one by one, quickly."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .markdown_lines import blank_comments
from .phrases import straight

_SENTENCE_END = re.compile(r"(?<=[.!?…])[*_]{0,3}\s+|[\n\r]+")
_QUOTED = re.compile(r"[\"“”„«»][^\"“”„«»\n]{1,400}[\"“”„«»]")
_QUOTED_LINE = re.compile(r"(?<![^\n\r])[ \t]{0,3}>[^\n\r]*")
_MARKS = re.compile(r"[*`|]+|__+|^[#>\s]+")  # a heading's or quote's at the start only: "is 5 > 3, order #2?"
_LIST_MARK = re.compile(r"\s*(?:[-•–*]|\d{1,2}[.)])(?:\s+|$)")


class MessageSentence(NamedTuple):
    """A sentence of a message, without Markdown's marks; and whether it begins an item of a list."""

    text: str
    is_item: bool


def message_sentences(text: str, *, without_quotes: bool = False) -> Iterator[MessageSentence]:
    """Splits a message into sentences; each line begins a new one. What no reader sees, a comment, is in none.

    Example:
        >>> [sentence.text for sentence in message_sentences("**Hello!** I need:\\n1. Your name")]
        ['Hello!', 'I need:', 'Your name']
    """
    is_item = False
    seen = blank_comments(straight(text))
    for part in _SENTENCE_END.split(_QUOTED_LINE.sub("", seen) if without_quotes else seen):
        mark = _LIST_MARK.match(part)
        plain = _MARKS.sub("", part[mark.end() :] if mark else part)
        sentence = " ".join((_QUOTED.sub(" ", plain) if without_quotes else plain).split())
        if sentence:
            yield MessageSentence(sentence, is_item or mark is not None)
            is_item = False
        elif mark:
            is_item = True  # "1." before its item
