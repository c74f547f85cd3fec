"""Phrases of words, found in a text's words: each word is looked at once, whatever the text is."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ..languages.sections import expand_phrase

_WORD = re.compile(r"\w+")
_PAUSE = re.compile(r"[,;:!?.()\[\]–—…\n]|\s-+\s")


class Words(NamedTuple):
    """The words of a text in small letters, each with where it stands and whether a pause is before it."""

    text: str
    words: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]

    def is_after_pause(self, place: int) -> bool:
        """Whether a word begins the text, or a clause of it by a sign."""
        return place == 0 or _PAUSE.search(self.text, self.ends[place - 1], self.starts[place]) is not None

    def is_capital(self, place: int) -> bool:
        """Whether a word begins with a capital."""
        return self.text[self.starts[place]].isupper()


@lru_cache(maxsize=32)  # several questions are asked about one sentence
def read_words(text: str) -> Words:
    """Reads the words of a text; an apostrophe parts them: "don't" is "don" and "t"."""
    spans = [match.span() for match in _WORD.finditer(text)]
    words = [text[start:end].lower() for start, end in spans]
    return Words(text, words, [start for start, _ in spans], [end for _, end in spans])


class PhraseList:
    """Phrases, each with its kind, looked for where they may begin.

    Example:
        >>> phrases = PhraseList({"thanks": ["thank you (very much|)"]})
        >>> phrases.longest(["thank", "you", "very", "kindly"], 0)
        ('thanks', 2)
    """

    def __init__(self, phrases: Mapping[str, Iterable[str]]) -> None:
        self.first: dict[str, Any] = {}  # by word: what may follow it, and as "" the kind of the phrase that ends there
        for kind, entries in phrases.items():
            for phrase in (phrase for entry in entries for phrase in expand_phrase(entry)):
                node = self.first
                for word in _WORD.findall(phrase.lower()):
                    node = node.setdefault(word, {})
                node.setdefault("", kind)

    def longest(self, words: Sequence[str], place: int) -> tuple[str, int]:
        """The kind of the longest phrase that begins at a place, and where it ends; ("", place) where there is none."""
        kind, end, node, count = "", place, self.first, len(words)
        here = place
        while here < count and (node := node.get(words[here], {})):
            here += 1
            if "" in node:
                kind, end = node[""], here
        return kind, end

    def stands_in(self, words: Sequence[str]) -> bool:
        """Whether a phrase with a kind stands anywhere in the words; a longer one of no kind hides it."""
        place = 0
        while place < len(words):
            kind, end = self.longest(words, place) if words[place] in self.first else ("", place)
            if kind:
                return True
            place = max(end, place + 1)
        return False
