"""Units: what a value in one unit is in another, and what a unit measures."""

import re
from functools import cache
from typing import Any

from ....text.numbers.notation import currency_signs, known_unit, notation_powers, notation_words
from ..specification import Unverifiable

_TIMES = ("x", "×")
_DIGITS = {"1000": 3, "000": 3, "1000000": 6, "m": 6}
_CURRENCY = re.compile(r"[A-Z]{3}")
_PERCENT = ("%", "pp")
_BRACKETED = re.compile(r"[(\[]\s*([^)\]]*?)\s*[)\]]")


def is_currency(unit: str | None) -> bool:
    """Whether a unit is an ISO currency."""
    return unit is not None and _CURRENCY.fullmatch(unit) is not None


def unit_and_power(stated: str | None) -> tuple[str | None, int]:
    """A column's unit as computed with, and the power of ten in it ("k€" is EUR, 3). One not known stays as it is."""
    if not stated or not stated.strip():
        return None, 0
    if unit := known_unit(stated):
        return unit, 0
    scaled = _scaled().fullmatch(stated.strip())
    if scaled and (unit := known_unit(scaled["unit"])) and (is_currency(unit) or len(scaled["before"]) > 1):
        return unit, notation_powers("header_scales")[scaled["before"].rstrip(".")]
    return _scaled_currency(stated) or (_currency_of_rate(stated) or stated.strip(), 0)


def _currency_of_rate(unit: str) -> str | None:
    """EUR of "EUR per month" and "EUR/m²": amounts of such a column are stated in the currency."""
    per = "|".join(sorted(notation_words("header_per")))
    money = known_unit(re.sub(rf"\s*(?:(?:{per})\b|/).*$", "", unit))
    return money if is_currency(money) else None


@cache
def _scaled() -> re.Pattern[str]:
    before = "|".join(re.escape(word) for word in sorted(notation_powers("header_scales"), key=len, reverse=True))
    led = "|".join([*_TIMES, *sorted(notation_words("header_words"))])
    return re.compile(rf"(?:{led})?\s*(?P<before>(?:{before})\.?)\s?(?P<unit>\D.*)")


def _scaled_currency(stated: str) -> tuple[str, int] | None:
    """A currency and a scale in any order: "EUR thousand", "x 1.000 EUR", "€ mln"; None where there is more to it."""
    currencies, powers = set(), []
    scales, plurals = notation_powers("header_scales"), notation_powers("header_plurals")
    for word in re.findall(rf"{currency_signs()}|×|\d[\d.,]*|[^\W\d_]+\.?", stated.replace("'s", "")):
        unit = known_unit(word)
        bare = re.sub(r"[.,]", "", word).lower()
        power = scales.get(word.rstrip("."), (_DIGITS | plurals).get(bare, scales.get(bare)))
        if unit and is_currency(unit):
            currencies.add(unit)
        elif power is not None:
            powers.append(power)
        elif bare not in _TIMES and bare not in notation_words("header_words"):
            return None
    return (currencies.pop(), powers[0]) if len(currencies) == len(powers) == 1 else None


def convert(value: float, unit: str | None, wanted: str | None) -> float:
    """A value in another unit; as it is where either is None. Raises `Unverifiable` where the two measure other things.

    Percent and percentage points are one here: the statistic decides which of the two it is.
    """
    if unit is None or wanted is None or unit == wanted or unit.casefold() == wanted.casefold():
        return value
    if unit in _PERCENT and wanted in _PERCENT:
        return value
    factor = _factor(unit, wanted)
    if factor is None:
        raise Unverifiable(f"what is in {unit} cannot be compared with what is in {wanted}")
    return value * factor


@cache
def _factor(unit: str, wanted: str) -> float | None:
    """What one `unit` is in `wanted`. Units with an offset (degrees) and currencies convert to themselves only."""
    if any(is_currency(name) or name in _PERCENT for name in (unit, wanted)):
        return None
    import pint

    registry = _registry()
    try:
        source, target = registry.Unit(unit), registry.Unit(wanted)
        return float(registry.Quantity(1.0, source).to(target).magnitude)
    except (pint.errors.PintError, AttributeError, TypeError, ValueError, AssertionError):
        return None


@cache
def measured_by(unit: str) -> frozenset[str]:
    """What a unit measures, as pint has it: `temperature`, `mass`, `length`, `time`; nothing of one not known."""
    import pint

    try:
        return frozenset(name.strip("[]") for name in _registry().Unit(unit).dimensionality)
    except (pint.errors.PintError, AttributeError, TypeError, ValueError, AssertionError):
        return frozenset()


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry()


@cache
def counts_things(column: str) -> bool:
    """Whether a column's name says that it counts: "orders (n)", "klachten (aantal)"."""
    return any(bracketed.casefold() in notation_words("counts") for bracketed in _BRACKETED.findall(column))
