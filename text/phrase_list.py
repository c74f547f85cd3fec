"""Phrases of words, found in a text's words: each word is looked at once, whatever the text is."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ..languages.sections import expand_phrase

_WORD = re.compile(r"\w+")
_WORD_OR_PAUSE = re.compile(r"(\w+)|[,;:!?.()\[\]–—…\n]|\s-+\s")


class Words(NamedTuple):
    """The words of a text in small letters, and which of them begin a clause: the first, and those after a pause."""

    text: str
    words: Sequence[str]
    clauses: Sequence[int]

    def start(self, place: int) -> int:
        """Where a word stands in the text."""
        return [match.start() for match in _WORD.finditer(self.text)][place]

    def end(self, place: int) -> int:
        """Where a word ends in the text, +1."""
        return [match.end() for match in _WORD.finditer(self.text)][place]

    def is_capital(self, place: int) -> bool:
        """Whether a word begins with a capital."""
        return self.text[self.start(place)].isupper()


@lru_cache(maxsize=32)  # several questions are asked about one sentence
def read_words(text: str) -> Words:
    """Reads the words of a text; an apostrophe parts them: "don't" is "don" and "t"."""
    lower = text.lower()
    words, clauses = list[str](), [0]
    for word in _WORD_OR_PAUSE.findall(lower if len(lower) == len(text) else text):
        if word:
            words += [word]
        elif clauses[-1] < len(words):
            clauses += [len(words)]
    return Words(text, words, clauses)


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
