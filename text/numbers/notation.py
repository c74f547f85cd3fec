"""How a language writes numbers: its signs, its units and its numerals."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any

from ...languages import FALLBACK, Language, load_language, packs_with

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
