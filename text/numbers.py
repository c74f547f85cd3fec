"""How a language writes numbers: its signs, its units and its numerals."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any

from ..languages import FALLBACK, Language, load_language, packs_with

# CLDR's units by their kind; of the others, names stand for other things too ("5 points", "4 in March", "3 a day")
_KNOWN = re.compile(
    r"(?:length|area|volume|mass|energy|power|pressure|frequency|digital|speed|temperature)-(?P<name>"
    r"(?:square-|cubic-)?(?:micro|milli|centi|deci|hecto|kilo|mega|giga|tera|peta)?"
    r"(?:meter|gram|liter|joule|watt|pascal|bar|hertz|bit|byte)"
    r"|hectare|tonne|kilowatt-hour|kilocalorie|mile|mile-per-hour|kilometer-per-hour|meter-per-second|beaufort"
    r"|celsius|fahrenheit)"
    r"|duration-(?P<time>millisecond|second|minute|hour|day|week|month|year)"
)
# what is computed with, where it is not CLDR's English symbol: names that pint knows
_COMPUTED_WITH = {
    "celsius": "degC",
    "fahrenheit": "degF",
    "liter": "liter",
    "milliliter": "ml",
    "gram": "gram",
    "tonne": "tonne",
    "beaufort": "beaufort",
    "millisecond": "ms",
    "second": "s",
    "minute": "min",
    "hour": "h",
    **{step: step for step in ("day", "week", "month", "year")},
}
_SHORTEST = 2  # letters: a single one is a word, or stands in the pack ("5 m")


@cache
def cldr_units(language: Language) -> Mapping[str, str]:
    """The units of a language as written, singular, plural and abbreviated -> as computed with.

    Example:
        >>> from assay.languages import load_language
        >>> units = cldr_units(load_language("de"))
        >>> units["Zentimeter"], units["Kubikmeter"], units["hl"]
        ('cm', 'm**3', 'hL')
    """
    units = {}
    for unit, named in _known(language):
        for written in _forms(named):
            units[written] = _symbol(unit)
    return units


def _known(language: Language) -> Iterator[tuple[str, Mapping[str, Any]]]:
    patterns: Mapping[str, Mapping[str, Any]] = language.locale._data["unit_patterns"]
    for key in patterns:
        if match := _KNOWN.fullmatch(key):
            yield match["name"] or match["time"], patterns[key]


@cache
def _symbol(unit: str) -> str:
    """What a unit is computed with: a name that pint knows."""
    if unit in _COMPUTED_WITH:
        return _COMPUTED_WITH[unit]
    if unit.endswith("bit"):
        return unit  # "Mb" is megabarn to pint
    english = dict(_known(load_language(FALLBACK)))[unit]
    symbol = str(english["short"]["other"]).replace("{0}", "").strip()
    return symbol.replace("²", "**2").replace("³", "**3")


def _forms(named: Any) -> Iterator[str]:
    """The names in the patterns of a unit ("{0} cm"), of every length, number and case."""
    if isinstance(named, str):
        name = named.replace("{0}", "").replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")
        if "{0}" in named and len(name.strip()) >= _SHORTEST:
            yield name.strip()
    elif isinstance(named, Mapping):
        for kind, pattern in named.items():
            if kind != "per":  # "{0} per kilometer"
                yield from _forms(pattern)


@cache
def notation_languages() -> tuple[Language, ...]:
    """Lists the languages whose notation is known."""
    return packs_with("notation")


@cache
def notation_words(kind: str) -> frozenset[str]:
    """The words of one kind (`missing`, `ordinals`, ...) in all languages."""
    return frozenset(word for language in notation_languages() for word in getattr(language.notation, kind))


@cache
def notation_signs(kind: str) -> dict[str, str]:
    """What the words of one kind (`name_units`) stand for, in all languages."""
    return {
        word: meaning for language in notation_languages() for word, meaning in getattr(language.notation, kind).items()
    }


@cache
def notation_powers(kind: str) -> dict[str, int]:
    """The powers of ten that the words of one kind (`header_scales`) stand for, in all languages."""
    return {word: power for pack in notation_languages() for word, power in getattr(pack.notation, kind).items()}


@cache
def currencies() -> dict[str, str]:
    """Signs, codes and names of currencies, in lower case -> ISO codes, in all languages."""
    return {written: code for language in notation_languages() for written, code in language.currencies.items()}


@cache
def currency_signs() -> str:
    """The signs of currencies, as a class of a regular expression: `[€$£]`."""
    return f"[{re.escape(''.join(sorted(written for written in currencies() if len(written) == 1)))}]"


@cache
def unit_aliases() -> dict[str, str]:
    """Units, currencies and percent as written (as given, or in lower case) -> as computed with, in all languages."""
    named = [cldr_units(language) for language in notation_languages()]
    exact = {written: unit for units in named for written, unit in units.items()}
    aliases = {written.lower(): unit for written, unit in reversed(exact.items())} | exact
    aliases |= currencies()
    for language in notation_languages():
        notation = language.notation
        for unit, written in notation.units.items():
            aliases |= dict.fromkeys([unit, *written], unit)  # "sek" is a second, SEK a krona
        aliases |= dict.fromkeys(notation.percent, "%") | dict.fromkeys(notation.percentage_points, "pp")
    return aliases | {code: code for code in currencies().values()}


def known_unit(text: str) -> str | None:
    """Finds the unit that a text is, as computed with (a pint unit, `%`, `pp`, an ISO currency); None for another text.

    Example:
        >>> known_unit("euros"), known_unit("per cent"), known_unit("apples")
        ('EUR', '%', None)
    """
    written = text.strip()
    aliases = unit_aliases()
    return aliases.get(written) or aliases.get(written.lower())


GROUPING_SPACES = "\u00a0\u2007\u2009\u202f"  # no-break, figure, thin, narrow
DASHES = "-−–—‒‐‑"
_SEPARATORS = rf"[{GROUPING_SPACES} '’]"
_DECIMALS = {
    ".": re.compile(
        rf"(?P<whole>[1-9]\d{{0,2}}(?:(?:,\d{{3}})+|(?:{_SEPARATORS}\d{{3}})+)|\d*)(?:\.(?P<decimals>\d+))?"
    ),
    ",": re.compile(
        rf"(?P<whole>[1-9]\d{{0,2}}(?:(?:\.\d{{3}})+|(?:{_SEPARATORS}\d{{3}})+)|\d*)(?:,(?P<decimals>\d+))?"
    ),
}
_NO_DIGIT = re.compile(r"\D")
_POWER = re.compile(r"(?<=\d)[eE]([+-]?\d{1,2})$")


class NumberFormat(StrEnum):
    """Which sign stands before the decimals: 1,234.5 or 1.234,5."""

    POINT = "."
    COMMA = ","


@dataclass(frozen=True, slots=True)
class NumeralValue:
    """One value that a numeral may mean; `decimals` is the place of its last stated digit (1.2 million: -5)."""

    value: float
    decimals: int

    def scaled(self, power: int) -> "NumeralValue":
        """The reading times a power of ten, the stated digits kept: 1.2 with power 6 is 1200000 with decimals -5."""
        return NumeralValue(
            float(f"{self.value!r}e{power}") if abs(self.value) < 1e16 else self.value * 10.0**power,
            self.decimals - power,
        )

    def negative(self) -> "NumeralValue":
        """The reading with a minus sign."""
        return NumeralValue(-self.value, self.decimals)


@lru_cache(maxsize=4096)
def numeral_readings(numeral: str) -> dict[NumberFormat, NumeralValue]:
    """Reads digits, points, commas and grouping spaces in each format that allows them; empty where none does.

    A whole number means the same in both; 1.234 is 1234 or 1.234; 0.123 and 12.5 leave no choice. A power of ten may
    follow (1.5e3).
    """
    power = _POWER.search(numeral)
    body = numeral[: power.start()] if power else numeral
    readings = {}
    for form in NumberFormat:
        match = _DECIMALS[form].fullmatch(body)
        if match is None or not (match["whole"] or match["decimals"]):
            continue
        decimals = match["decimals"] or ""
        reading = NumeralValue(float(f"{_NO_DIGIT.sub('', match['whole']) or '0'}.{decimals}"), len(decimals))
        readings[form] = reading.scaled(int(power[1])) if power else reading
    return readings


def format_shown(numeral: str) -> NumberFormat | None:
    """Finds the format that a numeral shows (12,5 and 1.234.567 are COMMA); None where it fits both or none."""
    readings = numeral_readings(numeral)
    return next(iter(readings)) if len(readings) == 1 else None


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
    units = {word: known_unit(word) or "" for word in unit_aliases()}
    short = [word for word, unit in units.items() if unit in _SHORT_UNITS or re.fullmatch(r"[A-Z]{3}", unit)]
    filled = {
        "{number}": r"[^\W\d_]+(?:-[^\W\d_]+)?",
        "{parts}": _any([*known.parts]),
        "{units}": rf"(?:{_any([word for word in unit_aliases() if len(word) > 2])})\b",
        "{short_units}": rf"(?:{_any([word for word in short if len(word) > 2])})\b",
    }
    listed = [(kind, form) for kind, forms in known.phrases if kind != "minutes" for form in forms]
    return [(kind, _whole(re.sub(r"\{[a-z_]+\}", lambda name: filled[name[0]], form))) for kind, form in listed]


def _any(words: list[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


@cache
def _whole(form: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,-])(?:{form})(?![\w-])", re.IGNORECASE)


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


def parse_numeral(text: str, languages: Sequence[Language]) -> Iterator[tuple[Language, Number]]:
    """Reads the number in digits that a text is, in each language; one that is none far quicker than `parse_number`."""
    match = _NUMERAL.search(text)
    if match is None or _before(text, match.start())[0]:
        return
    formats = {format_shown(match[0])} - {None}
    for language in languages:
        number = _number(text, match, _preferred(formats, language), language)
        if number and number.end == len(text):
            yield language, number


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
