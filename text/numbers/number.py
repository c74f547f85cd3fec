"""Numbers in running text, in Dutch and in English notation, with their scale words and units."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from ...languages import Language
from .notation import currencies, known_unit, notation_words, unit_aliases
from .number_phrases import Phrase, find_phrases, find_pronouns
from .numerals import DASHES, GROUPING_SPACES, NumberFormat, NumeralValue, format_shown, numeral_readings

_GROUPED = rf"\d{{1,3}}(?:[{GROUPING_SPACES} '’]\d{{3}})+(?!\d)(?:[.,]\d+)?"
_NUMERAL = re.compile(rf"(?<![\w.,])(?:{_GROUPED}|\d(?:[\d.,]*\d)?|[.,]\d+)(?:[eE][+-]?\d{{1,2}}(?!\w))?")
# dates and clock times are no numbers
_TIME = re.compile(
    r"(?<!\d)(?:\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}([-/.])\d{1,2}\1\d{4}|\d{1,2}:\d{2}(?::\d{2})?)(?![\d-])"
)
_DUTCH_ROUND = re.compile(rf",[{DASHES}]{{1,2}}(?!\w)")  # € 5,-
_LONGEST_BEFORE = 12  # characters of a currency or minus word before a number
_WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a text: `text[start:end]`, sign, currency, scale word and unit included.

    `readings` are what it may mean, the likeliest first: two where the notation is ambiguous (1.234), else one.
    `unit` is as computed with (a pint unit, `%`, `pp`, an ISO currency), None where none is written. `ordinal` is a
    place ("3rd"), `spelled` a number in words ("seven"). `margin` is the share of its value that a round phrase ("a
    third") may be off.
    """

    text: str
    start: int
    end: int
    readings: tuple[NumeralValue, ...]
    unit: str | None = None
    ordinal: bool = False
    spelled: bool = False
    margin: float | None = None

    @property
    def value(self) -> float:
        """The likeliest value."""
        return self.readings[0].value

    @property
    def decimals(self) -> int:
        """The place of the last stated digit, in the likeliest reading."""
        return self.readings[0].decimals


def find_numbers(text: str, language: Language) -> list[Number]:
    """Finds the numbers of a text in order; not dates, clock times, or digits inside a name (Q1, 5G, v2.0.1).

    Where a numeral fits both notations (1.234), the notation that the others of the text give away decides; without
    such, that of the language comes first and the other stays as a second reading.

    Example:
        >>> from assay.languages import load_language
        >>> numbers = find_numbers("It rose 1.5 million euros.", load_language("en"))
        >>> [(number.text, number.value, number.unit) for number in numbers]
        [('1.5 million euros', 1500000.0, 'EUR')]
    """
    phrases = [_of_phrase(text, phrase, language) for phrase in find_phrases(text, language, _whole_number)]
    other = [match.span() for match in _TIME.finditer(text)] + [(n.start, n.end) for n in phrases]
    spans = [
        match for match in _NUMERAL.finditer(text) if not any(a < match.end() and match.start() < b for a, b in other)
    ]
    formats = {format_shown(match[0]) for match in spans} - {None}
    preferred_formats = _preferred(formats, language)
    written = [number for match in spans if (number := _number(text, match, preferred_formats, language))]
    written += phrases
    used_spans = [*((number.start, number.end) for number in written), *find_pronouns(text, language)]
    spelled = [n for n in _spelled(text, language) if not any(a < n.end and n.start < b for a, b in used_spans)]
    return sorted([*written, *spelled], key=lambda number: number.start)


def parse_number(text: str, language: Language) -> Number | None:
    """Reads the number that a text is, with its sign, scale and unit; None where it is something else, or more."""
    stripped = text.strip()
    numbers = find_numbers(stripped, language)
    return numbers[0] if len(numbers) == 1 and (numbers[0].start, numbers[0].end) == (0, len(stripped)) else None


@lru_cache(maxsize=10_000)
def _whole_number(word: str, language: Language) -> int | None:
    """Reads a word or digits as a whole number; None for any other word and for an ordinal."""
    if word.lower() in language.notation.ones:
        return 1
    number = parse_number(word, language)
    return int(number.value) if number and not number.ordinal and not number.unit else None


def _preferred(formats: set[NumberFormat | None], language: Language) -> list[NumberFormat]:
    if len(formats) == 1:
        return [form for form in formats if form]
    comma_first = language.profile.decimal_mark == ","
    return sorted(NumberFormat, key=lambda form: (form is NumberFormat.COMMA) != comma_first)


def _number(text: str, match: re.Match[str], formats: list[NumberFormat], language: Language) -> Number | None:
    possible = numeral_readings(match[0])
    readings = [possible[form] for form in [*formats, *NumberFormat] if form in possible][: len(formats)]
    if not readings:
        return None
    start, before, negative = _before(text, match.start())
    end, power, unit, ordinal = _after(text, match.end(), language)
    if end < len(text) and (text[end].isalnum() or text[end] == "_") and not re.match(r"x\b|[×x]\s", text[end:]):
        return None  # digits inside a name
    if ordinal and len(set(match[0]) & set(".,")):
        return None
    readings = [reading.scaled(power) if power else reading for reading in dict.fromkeys(readings)]
    readings = [reading.negative() if negative else reading for reading in readings]
    return Number(text[start:end], start, end, tuple(readings), unit or before, ordinal)


def _of_phrase(text: str, phrase: Phrase, language: Language) -> Number:
    end, power, unit, _ = (phrase.end, 0, phrase.unit, False) if phrase.unit else _after(text, phrase.end, language)
    reading = NumeralValue(phrase.value, phrase.decimals).scaled(power)
    return Number(text[phrase.start : end], phrase.start, end, (reading,), unit, margin=phrase.margin)


def _before(text: str, start: int) -> tuple[int, str | None, bool]:
    """Where the number begins with its currency and sign, the currency, and whether it is negative."""
    unit, negative = None, False
    for _ in range(2):  # -€ 5 and € -5
        if match := _currency_before().search(text, max(0, start - _LONGEST_BEFORE), start):
            unit, start = known_unit(match[1]), match.start(1)
        elif not negative and _has_minus(text, start):
            negative, start = True, start - 1
    if not negative and (word := _minus_word().search(text, max(0, start - _LONGEST_BEFORE), start)):
        negative, start = True, word.start(1)
    if start and text[start - 1] == "+":
        start -= 1
    return start, unit, negative


def _has_minus(text: str, start: int) -> bool:
    if not start or text[start - 1] not in DASHES:
        return False
    rest = text[: start - 1]
    before = rest.rstrip()
    if rest and not rest[-1].isspace() and rest[-1] not in "([~≈=:;,\"'" and unicodedata.category(rest[-1]) != "Sc":
        return False
    return not before or not (before[-1].isdigit() or before[-1] == "%")


def _after(text: str, end: int, language: Language) -> tuple[int, int, str | None, bool]:
    """Where the number ends with scale and unit, the power of ten, the unit, and whether it is an ordinal."""
    if match := _DUTCH_ROUND.match(text, end):
        end = match.end()
    if (match := _ordinal(language).match(text, end)) and not match[0].isspace():
        return match.end(), 0, None, True
    power = 0
    if match := _scale(language).match(text, end):
        scale = match[1] or match[2]
        known = language.notation
        power = known.touching_scales.get(scale) or known.scales.get(scale.lower(), 0)
        end = match.end()
    if match := _unit().match(text, end):
        touching = match.start(1) == end
        after = text[match.end() :]
        alone = len(match[1]) > 1 or not match[1].isalpha() or touching or not re.match(r"\s+\w", after)
        if alone:
            return match.end(), power, known_unit(match[1]), False
    return end, power, None, False


@cache
def _currency_before() -> re.Pattern[str]:
    named = sorted((written for written in currencies() if " " not in written), key=len, reverse=True)
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, named))})[{GROUPING_SPACES} ]?\Z", re.IGNORECASE)


@cache
def _minus_word() -> re.Pattern[str]:
    return re.compile(rf"(?<!\d )(?<!\w)({'|'.join(notation_words('minus'))})\s\Z", re.IGNORECASE)


@cache
def _ordinal(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(language.notation.ordinals)})(?!\w)")


@cache
def _scale(language: Language) -> re.Pattern[str]:
    known = language.notation
    touching = "|".join(map(re.escape, sorted(known.touching_scales, key=len, reverse=True)))
    apart = "|".join(map(re.escape, sorted(known.scales, key=len, reverse=True)))
    return re.compile(rf"({touching})(?!\w)|[{GROUPING_SPACES} -]?((?i:{apart}))(?!\w)")


@cache
def _unit() -> re.Pattern[str]:
    written = "|".join(map(re.escape, sorted(unit_aliases(), key=len, reverse=True)))
    return re.compile(rf"[{GROUPING_SPACES} -]?((?i:{written}))(?!\w)")


class _Token:
    """A word as text2num takes it."""

    def __init__(self, match: re.Match[str], separated: bool) -> None:
        self.start, self.end, self._text, self._separated = match.start(), match.end(), match[0], separated

    def text(self) -> str:
        return self._text

    def text_lowercase(self) -> str:
        return self._text.lower()

    def nt_separated(self, previous: "_Token") -> bool:
        return self._separated

    def not_a_number_part(self) -> bool:
        return len(self._text) == 1 or any(letter.isdigit() for letter in self._text)


@cache
def _has_numerals(language: str) -> bool:
    """Whether text2num knows the numbers of a language in words."""
    from text_to_num import find_numbers as numbers_in_words

    try:
        numbers_in_words([], language)
    except ValueError:
        return False
    return True


def _spelled(text: str, language: Language) -> Iterator[Number]:
    """Numbers in words; "een" and "a" are none, "één" and "one" are."""
    from text_to_num import find_numbers as numbers_in_words

    if not _has_numerals(language.code):
        return
    tokens = [_Token(match, False) for match in _WORD.finditer(text)]
    for words in numbers_in_words(tokens, language.code, threshold=-1):
        start, end = tokens[words.start].start, tokens[words.end - 1].end
        stop, power, unit, _ = (end, 0, None, False) if words.is_ordinal else _after(text, end, language)
        reading = NumeralValue(float(words.value), 0).scaled(power)
        yield Number(text[start:stop], start, stop, (reading,), unit, words.is_ordinal, spelled=True)
