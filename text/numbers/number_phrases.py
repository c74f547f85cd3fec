"""Numbers in words that are no whole numbers: a third, one in five, two and a half, a dozen, half an hour."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from ...languages import Language
from .notation import known_unit, unit_aliases

_LEEWAY = 0.12  # "a third" is 29.3 to 37.3%,
_MOST_POINTS = 4.0  # "three quarters" is 71 to 79%
_ROUND_TIME = 0.04  # "half an hour" is 28.8 to 31.2 minutes
_FIXED = {"half_of": (0.5, 1), "one_and_half": (1.5, 1), "half_dozen": (6.0, 0), "one_of": (1.0, 0)}  # value, decimals
_SHORT_UNITS = ("min", "h", "s", "%", "pp")
WholeNumber = Callable[[str, Language], int | None]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A number in words, `text[start:end]`; `margin` is the share of its value that it may be off."""

    start: int
    end: int
    value: float
    decimals: int
    unit: str | None = None
    margin: float | None = None


def find_phrases(text: str, language: Language, whole_number: WholeNumber) -> list[Phrase]:
    """Finds the numbers in words of a text that are no whole numbers, in order; they do not overlap.

    `whole_number` reads a word or digits as a whole number; it gives None for any other word.
    """
    phrases: list[Phrase] = []
    for kind, pattern in _patterns(language):
        phrases += [
            phrase for match in pattern.finditer(text) if (phrase := _phrase(kind, match, language, whole_number))
        ]
    phrases += [Phrase(*m.span(), minutes, 0, "min", _ROUND_TIME) for minutes, m in _minutes(text, language)]
    if any(phrase.margin and phrase.unit == "%" for phrase in phrases):
        # "North has a third of them and East a quarter"
        more = _whole(language.notation.another_part).finditer(text)
        phrases += [phrase for match in more if (phrase := _phrase("fraction", match, language, whole_number))]
    disjoint: list[Phrase] = []
    for phrase in sorted(phrases, key=lambda phrase: (phrase.start - phrase.end, phrase.start)):
        if not any(phrase.start < other.end and other.start < phrase.end for other in disjoint):
            disjoint.append(phrase)
    return sorted(disjoint, key=lambda phrase: phrase.start)


def find_pronouns(text: str, language: Language) -> list[tuple[int, int]]:
    """Finds where a word for 1 is no number: "the one starting 6 January", "one day stands out"."""
    return [
        _span(match) for kind, pattern in _patterns(language) if kind == "pronoun" for match in pattern.finditer(text)
    ]


def _phrase(kind: str, match: re.Match[str], language: Language, whole_number: WholeNumber) -> Phrase | None:
    parts = match.groupdict()
    start, end = _span(match)
    if kind in _FIXED:
        return Phrase(start, end, *_FIXED[kind])
    count = whole_number(parts["n"], language) if parts.get("n") else 1
    if count is None and kind == "dozen":
        count, start = 1, match.end("n") + 1  # "the dozen"
    if count is None or kind == "pronoun":
        return None
    if kind in ("fraction", "half_share"):
        part = language.notation.parts[parts["part"].lower()] if kind == "fraction" else 2
        return _percent(start, end, count / part)
    if kind == "one_in":
        many = whole_number(parts["m"], language)
        return _percent(start, end, count / many) if many and count < many else None
    return Phrase(start, end, count + 0.5, 1) if kind == "half_more" else Phrase(start, end, 12.0 * count, 0)


def _span(match: re.Match[str]) -> tuple[int, int]:
    """The span of the group `x`, which leaves out the words before it ("by" of "by a third"); else of all."""
    return match.span("x" if "x" in match.re.groupindex else 0)


def _percent(start: int, end: int, share: float) -> Phrase | None:
    if not 0 < share < 1:
        return None
    return Phrase(start, end, 100 * share, 0, "%", min(_LEEWAY, _MOST_POINTS / (100 * share)))


def _minutes(text: str, language: Language) -> Iterator[tuple[float, re.Match[str]]]:
    for form, minutes in language.notation.phrases.minutes.items():
        for match in _whole(form).finditer(text):
            yield float(minutes), match


@cache
def _patterns(language: Language) -> list[tuple[str, re.Pattern[str]]]:
    known = language.notation
    short = [word for word in unit_aliases() if known_unit(word) in _SHORT_UNITS or _is_money(word)]
    filled = {
        "{number}": r"[^\W\d_]+(?:-[^\W\d_]+)?",
        "{parts}": _any([*known.parts]),
        "{units}": rf"(?:{_any([word for word in unit_aliases() if len(word) > 2])})\b",
        "{short_units}": rf"(?:{_any([word for word in short if len(word) > 2])})\b",
    }
    listed = [(kind, form) for kind, forms in known.phrases if kind != "minutes" for form in forms]
    return [(kind, _whole(re.sub(r"\{[a-z_]+\}", lambda name: filled[name[0]], form))) for kind, form in listed]


def _is_money(word: str) -> bool:
    return bool(re.fullmatch(r"[A-Z]{3}", known_unit(word) or ""))


def _any(words: list[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


@cache
def _whole(form: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,-])(?:{form})(?![\w-])", re.IGNORECASE)
