"""Units: what a value in one unit is in another, and which series a stated value may be of."""

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from ....text.numbers.notation import currency_signs, known_unit, notation_powers, notation_words
from ..names import means
from ..specification import Unverifiable

if TYPE_CHECKING:
    from ..parse.clause import Clause
    from ..tables import Table

_TIMES = ("x", "×")
_DIGITS = {"1000": 3, "000": 3, "1000000": 6, "m": 6}
_CURRENCY = re.compile(r"[A-Z]{3}")
_PERCENT = ("%", "pp")
_BRACKETED = re.compile(r"[(\[]\s*([^)\]]*?)\s*[)\]]")
_FACTOR = 2.0
_BETWEEN_FACTOR = 1.25
_NOT_A_VALUE = ("sum", "share", "ratio", "double", "half", "times_as", "range", "deviation")
_BETWEEN_TWO = ("up", "down", "change", "difference", "higher", "lower", "better", "worse", "than")
_OF_ONE = ("mean", "median", "maximum", "minimum", "best", "worst", "per_row")


def is_currency(unit: str | None) -> bool:
    """Whether a unit is an ISO currency."""
    return unit is not None and _CURRENCY.fullmatch(unit) is not None


def unit_and_power(stated: str | None) -> tuple[str | None, int]:
    """A column's unit as computed with, and the power of ten in it ("k€" is EUR, 3). One not known stays as it is."""
    if not stated or not stated.strip():
        return None, 0
    if unit := known_unit(stated):
        return unit, 0
    found = _scaled().fullmatch(stated.strip())
    if found and (unit := known_unit(found["unit"])) and (is_currency(unit) or len(found["before"]) > 1):
        return unit, notation_powers("header_scales")[found["before"].rstrip(".")]
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


def converted(value: float, unit: str | None, wanted: str | None) -> float:
    """A value in another unit; as it is where either is None. Raises `Unverifiable` where the two measure other things.

    Percent and percentage points are one here: which of the two is meant is the statistic's affair.
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
    if any(is_currency(each) or each in _PERCENT for each in (unit, wanted)):
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


def unit_of(table: "Table", series: str | None) -> str | None:
    """The unit of a series as computed with, or as it is written where it is not known."""
    return unit_and_power(table.units.get(series or ""))[0]


def in_unit_of(table: "Table", values: Any, other: str, series: str) -> Any:
    """Values of one series (a number or an array) as the `series` is held. Raises `Unverifiable` as `converted`."""
    (unit, power), (wanted, wanted_power) = (unit_and_power(table.units.get(each)) for each in (other, series))
    return converted(values, unit, wanted) * 10.0 ** (power - wanted_power)


def can_be_in(table: "Table", series: str, unit: str) -> bool:
    """Whether values of a series may be stated in a unit: what counts things has none, else the two measure the same.

    A series that says no unit may have any.
    """
    held = unit_of(table, series)
    if counts_things(series) or (held is not None and held.casefold() in notation_words("counts")):
        return False
    if held is None or not known_unit(held):
        return True
    try:
        converted(1.0, unit, held)
    except Unverifiable:
        return False
    return True


def possible(clause: "Clause", series: list[str]) -> list[str]:
    """Those of the series whose values make the numbers of a clause possible; none where more than one is left.

    A value, a mean or an extreme lies within a factor 2 of the least and the most value, a difference between two
    values is at most a quarter above the most difference. What may be a sum can have any size.
    """
    if clause.of(*_NOT_A_VALUE):
        return []
    fits = _can_differ_by if clause.of(*_BETWEEN_TWO) else _can_be
    numbers = [mark.number for mark in clause.numbers if mark.number and mark.number.unit]
    left = [
        name
        for name in series
        if (fits is _can_differ_by or clause.of(*_OF_ONE) or not means(name, "flows"))
        and all(fits(clause, name, number.value, number.unit) for number in numbers)
    ]
    return left if len(left) == 1 else []


def _can_be(clause: "Clause", series: str, value: float, unit: str | None) -> bool:
    least, most = clause.table.bounds(series)
    slack = (most - least) * (_FACTOR - 1)
    low = least / _FACTOR if least > 0 else least - slack
    high = most * _FACTOR if most > 0 else most + slack
    return low <= as_held(clause, series, value, unit) <= high


def _can_differ_by(clause: "Clause", series: str, value: float, unit: str | None) -> bool:
    least, most = clause.table.bounds(series)
    return abs(as_held(clause, series, value, unit)) <= (most - least) * _BETWEEN_FACTOR


def as_held(clause: "Clause", series: str, value: float, unit: str | None) -> float:
    """A stated value in the unit that a series is held in. Raises `Unverifiable` where the two measure other things."""
    held, power = unit_and_power(clause.table.units.get(series))
    return converted(value, unit, held) / 10.0**power
