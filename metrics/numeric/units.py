"""Units: what a value in one unit is in another, and what a unit measures."""

import re
from functools import cache
from math import isclose
from typing import Any

from ...text.numbers.notation import currency_signs, known_unit, notation_powers, notation_words
from .specification import Unverifiable

_DIGITS = {"1000": 3, "000": 3, "1000000": 6, "m": 6}
_CURRENCY = re.compile(r"[A-Z]{3}")
_PERCENT = ("%", "pp")
_BRACKETED = re.compile(r"[(\[]([^)\]]{0,100})[)\]]")


def is_currency(unit: str | None) -> bool:
    """Whether a unit is an ISO currency."""
    return unit is not None and _CURRENCY.fullmatch(unit) is not None


@cache
def unit_and_power(stated: str | None) -> tuple[str | None, int]:
    """A column's unit as computed with, and the power of ten in it ("k€" is EUR, 3). One not known stays as it is."""
    if not stated or not stated.strip():
        return None, 0
    if unit := known_unit(stated):
        return unit, 0
    return _scaled_unit(stated) or (_currency_of_rate(stated) or stated.strip(), 0)


def _scaled_unit(stated: str) -> tuple[str | None, int] | None:
    """A scale and, in any order, a unit ("EUR thousand", "x 1.000 EUR", "mln kg", "thousands"); None of any other."""
    scales = notation_powers("header_scales")
    powers = scales | notation_powers("header_plurals") | _DIGITS
    others = notation_words("header_words") | {"x", "×"}
    before = "|".join(sorted(scales, key=len, reverse=True))  # "kEUR"
    words = rf"{currency_signs()}|×|\d[\d.,]*|(?:{before})(?=[A-Z]{{3}}\b)|[^\W\d_]+\d?"
    units, scale_words = [], []
    for word in re.findall(words, stated.replace("'s", "")):
        unit, bare = known_unit(word), re.sub(r"[.,]", "", word)
        power = powers.get(bare, powers.get(bare.lower()))
        if unit and (power is None or is_currency(unit)):
            units.append(unit)
        elif power is not None:
            scale_words.append((bare, power))
        elif bare.lower() not in others:
            return None
    if len(units) > 1 or len(scale_words) != 1:
        return None
    ((scale, power),) = scale_words
    if not units:
        return (None, power) if len(scale) > 1 and not stated.strip()[0].isdigit() else None
    (unit,) = units
    return (unit, power) if is_currency(unit) or len(scale) > 1 else None  # "k" alone is short for more than thousand


def _currency_of_rate(unit: str) -> str | None:
    """EUR of "EUR per month" and "EUR/m²": amounts of such a column are stated in the currency."""
    per = "|".join(sorted(notation_words("header_per")))
    money = known_unit(re.sub(rf"\s*(?:(?:{per})\b|/).*$", "", unit))
    return money if is_currency(money) else None


def convert(value: float, unit: str | None, wanted: str | None) -> float:
    """A value in another unit; as it is where either is None. Raises `Unverifiable` where the two measure other things.

    Percent and percentage points are one here: the statistic decides which of the two it is.
    """
    if unit is None or wanted is None or unit.casefold() == wanted.casefold():
        return value
    if unit in _PERCENT and wanted in _PERCENT:
        return value
    factor = _factor(unit, wanted)
    if factor is None:
        raise Unverifiable(f"what is in {unit} cannot be compared with what is in {wanted}")
    return value * factor


@cache
def _factor(unit: str, wanted: str) -> float | None:
    """What one `unit` is in `wanted`. Currencies, and units that are no multiples (degrees, decibels), have none."""
    source, target = _pint_unit(unit), _pint_unit(wanted)
    if source is None or target is None or not source.is_compatible_with(target):
        return None
    once, twice = (float(_registry().Quantity(number, source).to(target).magnitude) for number in (1.0, 2.0))
    return once if isclose(twice, 2 * once) else None


@cache
def measured_by(unit: str) -> frozenset[str]:
    """What a unit measures, as pint has it: `temperature`, `mass`, `length`, `time`; nothing of one not known."""
    known = _pint_unit(unit)
    return frozenset(name.strip("[]") for name in known.dimensionality) if known is not None else frozenset()


@cache
def _pint_unit(name: str) -> Any:
    """A unit as pint knows it; None for percent, a currency, or a unit that it does not know."""
    import pint

    if is_currency(name) or name in _PERCENT:
        return None
    try:
        return _registry().Unit(name)
    except (pint.errors.PintError, AttributeError, TypeError, ValueError, AssertionError):
        return None


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry()


@cache
def counts_things(column: str) -> bool:
    """Whether a column's name says that it counts: "orders (n)", "klachten (aantal)"."""
    return any(bracketed.strip().casefold() in notation_words("counts") for bracketed in _BRACKETED.findall(column))
