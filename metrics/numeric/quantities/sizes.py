"""Which of several series in one unit a number may be of, by its size."""

from typing import TYPE_CHECKING

from ..names import means
from .units import converted, unit_and_power

if TYPE_CHECKING:
    from ..parse.clause import Clause

_FACTOR = 2.0
_BETWEEN_FACTOR = 1.25
_NOT_A_VALUE = ("sum", "share", "ratio", "double", "half", "times_as", "range", "deviation")
_BETWEEN_TWO = ("up", "down", "change", "difference", "higher", "lower", "better", "worse", "than")
_OF_ONE = ("mean", "median", "maximum", "minimum", "best", "worst", "per_row")


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
    least, most = _bounds(clause, series)
    slack = (most - least) * (_FACTOR - 1)
    low = least / _FACTOR if least > 0 else least - slack
    high = most * _FACTOR if most > 0 else most + slack
    return low <= as_held(clause, series, value, unit) <= high


def _can_differ_by(clause: "Clause", series: str, value: float, unit: str | None) -> bool:
    least, most = _bounds(clause, series)
    return abs(as_held(clause, series, value, unit)) <= (most - least) * _BETWEEN_FACTOR


def _bounds(clause: "Clause", series: str) -> tuple[float, float]:
    values = clause.table.series(series).dropna()
    return float(values.min()), float(values.max())


def as_held(clause: "Clause", series: str, value: float, unit: str | None) -> float:
    """A stated value in the unit that a series is held in. Raises `Unverifiable` where the two measure other things."""
    held, power = unit_and_power(clause.table.units.get(series))
    return converted(value, unit, held) / 10.0**power
