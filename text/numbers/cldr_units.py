"""The names of units of measure and of time in every language, as Unicode's CLDR has them (by Babel)."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ...languages import FALLBACK, Language, load_language

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
