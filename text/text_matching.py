"""A text as words, and where these stand in other texts: quotes, and the nearest sentence."""

import re
import unicodedata
from bisect import bisect_right
from functools import cache, lru_cache
from itertools import accumulate
from typing import NamedTuple

from ..untrusted import UNSEEN, original_characters, without_unseen

_WORDS = re.compile(r"\w+")
_FIRST_MARK = "\u0300"  # before it no character is a mark that is part of a word, or stands in a text without spaces
# of scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, kana and Chinese characters
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
_LONG = 20_000  # characters: texts beyond are not remembered, so that a few huge ones take no memory


def tokens(text: str) -> tuple[str, ...]:
    """Splits a text into its words and numbers, case folded, in order; where no spaces part words, into characters.

    Example:
        >>> tokens("Click Run, then wait."), tokens("退款要10天。"), tokens("शुल्क है।")
        (('click', 'run', 'then', 'wait'), ('退', '款', '要', '10', '天'), ('शुल्क', 'है'))
    """
    return _remembered(text) if len(text) < _LONG else split_tokens(text)


def split_tokens(text: str) -> tuple[str, ...]:
    """Splits a text as `tokens` does, and does not remember it."""
    folded = text.casefold()
    is_plain = folded.isascii() or max(folded, default="") < _FIRST_MARK
    return tuple((_WORDS if is_plain else _words_and_marks()).findall(folded))


@cache
def _words_and_marks() -> re.Pattern[str]:
    """Words with the marks that are part of them, such as the vowels of Hindi, and characters of unspaced scripts."""
    marks = "".join(chr(code) for code in range(ord(_FIRST_MARK), 0xFE30) if unicodedata.category(chr(code))[0] == "M")
    return re.compile(rf"[{_UNSPACED}](?<=\w)[{marks}]*|(?:(?![{_UNSPACED}])\w[{marks}]*)+")


# A sample's baselines come one after another, all with the same texts.
_remembered = lru_cache(maxsize=64)(split_tokens)


_LEFT_OUT = re.compile(r"\.\.\.|…|\[…\]|\[\.\.\.\]")
_AROUND = " \t\n\"'“”‘’«»`*"
_SEEN = re.compile(rf"[^\s{UNSEEN}]+")
_SENTENCE = re.compile(r"\S(?:[^.!?\n]|[.!?](?!\s))*[.!?]?")
_FEW_LETTERS = re.compile(r"(?:[\W_]*[^\W_]){0,2}[\W_]*")


class Place(NamedTuple):
    """Where a quote stands: the context's number from 0, and the first and last+1 character in it."""

    context: int
    start: int
    end: int


def find_quote(quote: str, contexts: tuple[str, ...]) -> Place | None:
    """Finds where a quote stands verbatim, white space and case apart.

    A quote that leaves words out ("first ... last") counts when its parts stand in one context in that order.

    Returns:
        The place, or None. A quote of which no part has three letters or digits proves nothing: None.

    Example:
        >>> find_quote("costs 5 euros", ("Open all day.", "It costs  5 euros."))
        Place(context=1, start=3, end=17)
    """
    if _FEW_LETTERS.fullmatch(quote):
        return None
    exact = quote.strip(_AROUND)  # nearly all are: the folding of texts below is for the others
    for number, context in enumerate(contexts):
        if (start := context.find(exact)) >= 0:
            return Place(number, start, start + len(exact))
    parts = [_fold(part.strip(_AROUND)) for part in _LEFT_OUT.split(original_characters(quote))]
    parts = [part for part in parts if part]
    if all(_FEW_LETTERS.fullmatch(part) for part in parts):
        return None
    for number, context in enumerate(contexts):
        if span := _in_order(parts, _fold(context)):
            start, end = span
            return Place(number, _original_place(context, start), _original_place(context, end - 1) + 1)
    return None


def find_nearest_sentence(text: str, contexts: tuple[str, ...]) -> Place | None:
    """Finds the sentence of the contexts that shares most words with a text.

    Returns:
        The place of the first sentence with the most different words of the text, if these are half of them or more.

    Example:
        >>> find_nearest_sentence("A desk is 5 euros.", ("Open all day. A desk costs 5 euros.",))
        Place(context=0, start=14, end=35)
    """
    words = set(split_tokens(text))
    places, sentences_with = _sentence_index(contexts)
    counts: dict[int, int] = {}  # by sentence
    for word in words:
        if word in sentences_with:
            for number in sentences_with[word]:
                counts[number] = counts[number] + 1 if number in counts else 1
    nearest = most = 0
    for number, count in counts.items():
        if count > most or (count == most and number < nearest):
            nearest, most = number, count
    return places[nearest] if 0 < len(words) <= 2 * most else None


@lru_cache(maxsize=64)
def _sentence_index(contexts: tuple[str, ...]) -> tuple[list[Place], dict[str, list[int]]]:
    """The sentences of contexts, and by word the numbers of those that have it."""
    places = [
        Place(number, *match.span()) for number, context in enumerate(contexts) for match in _SENTENCE.finditer(context)
    ]
    sentences_with: dict[str, list[int]] = {}
    for number, (context, start, end) in enumerate(places):
        for word in set(split_tokens(contexts[context][start:end])):
            sentences_with.setdefault(word, []).append(number)
    return places, sentences_with


def _in_order(parts: list[str], text: str) -> tuple[int, int] | None:
    start, end = -1, 0
    for part in parts:
        at = text.find(part, end)
        if at < 0:
            return None
        start, end = (at if start < 0 else start), at + len(part)
    return start, end


@lru_cache(maxsize=256)
def _fold(text: str) -> str:
    """The text in lower case, with single spaces, without what no reader sees."""
    single = " ".join(without_unseen(text).split())
    lower = single.lower()
    if len(lower) != len(single):  # a few letters become two: those stay as they are, so that places can be counted
        lower = "".join(low if len(low := letter.lower()) == 1 else letter for letter in single)
    return lower.replace("ς", "σ")  # one letter; which it is in lower case depends on what follows


def _original_place(context: str, folded_place: int) -> int:
    """The place in the context of a character of the folded context: as many seen characters stand before it."""
    seen_before = folded_place - _fold(context).count(" ", 0, folded_place)
    starts, seen = _runs(context)
    run = bisect_right(seen, seen_before) - 1
    return starts[run] + seen_before - seen[run]


@lru_cache(maxsize=256)
def _runs(context: str) -> tuple[list[int], list[int]]:
    """Where each run of seen characters starts, and how many seen characters stand before it."""
    spans = [match.span() for match in _SEEN.finditer(context)]
    return [start for start, _ in spans], [0, *accumulate(end - start for start, end in spans)]
