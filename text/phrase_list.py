"""Phrases of words, found in a text's words: each word is looked at once, whatever the text is."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..languages.sections import expand_phrase
from ..untrusted import without_unseen


def any_pattern(patterns: Iterable[re.Pattern[str]]) -> re.Pattern[str]:
    """Joins caseless patterns into one that matches where any of them does; none matches nothing."""
    return re.compile("|".join(f"(?:{pattern.pattern})" for pattern in patterns) or r"(?!)", re.IGNORECASE)


_WORD = re.compile(r"\w+")
_WORD_OR_PAUSE = re.compile(r"(\w+)|[,;:!?.()\[\]–—…\n]|\s-+\s")


@dataclass(slots=True)  # made for every sentence: not frozen, which takes three times as long
class Words:
    """The words of a text in small letters, and which of them begin a clause: the first, and those after a pause."""

    text: str
    words: Sequence[str]
    clauses: Sequence[int]

    def start(self, place: int) -> int:
        """Where a word stands in the text."""
        return _spans(self.text)[place][0]

    def end(self, place: int) -> int:
        """Where a word ends in the text, +1."""
        return _spans(self.text)[place][1]

    def is_capital(self, place: int) -> bool:
        """Whether a word begins with a capital; in a text of nothing but capitals this says nothing."""
        return self.text[self.start(place)].isupper() and not self.text.isupper()


@lru_cache(maxsize=32)
def _spans(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _WORD.finditer(text)]


@lru_cache(maxsize=32)  # several questions are asked about one sentence
def read_words(text: str) -> Words:
    """Reads the words of a text; a mark that nobody sees parts none, an apostrophe does: "don't" is "don" and "t"."""
    if text.isascii() and text.isprintable():
        lower = text.lower()
    else:
        text = without_unseen(text)
        lower = _lower(text)
    words, clauses, count = list[str](), [0], 0
    for word in _WORD_OR_PAUSE.findall(lower):
        if word:
            words += [word]
            count += 1
        elif clauses[-1] < count:
            clauses += [count]
    return Words(text, words, clauses)


def _lower(text: str) -> str:
    """A text in small letters, as long as it was."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text


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
        kind, end, node = "", place, self.first
        for word in words[place:]:
            if word not in node:
                break
            node = node[word]
            place += 1
            if "" in node:
                kind, end = node[""], place
        return kind, end

    def stands_in(self, words: Sequence[str]) -> bool:
        """Whether a phrase with a kind stands anywhere in the words; a longer one of no kind hides it."""
        done = 0
        for place, word in enumerate(words):
            if place >= done and word in self.first:
                kind, done = self.longest(words, place)
                if kind:
                    return True
        return False
