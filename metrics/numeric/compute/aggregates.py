"""Statistics of one series over one window. Missing values are left out; what is left is counted in the arithmetic."""

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..quantities import converted, unit_and_power
from ..specification import Direction, Statistic, Unverifiable
from ..tables import all_values, rows_of, values_of
from .computation import Compute, Computed, Selection, StatisticEntry, UnitRule, listed, one, shown, with_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray


def value_at(of: Selection) -> Computed:
    """The value of the window's one row; of several rows only if all have the same."""
    known = of.cells[of.is_known]
    row = of.table.row_name(int(of.rows[0]))
    if not len(known):
        raise Unverifiable(f"{of.name!r} has no value in {row}")
    if len(of.rows) > 1 and (len(known) < len(of.rows) or len(set(known)) > 1):
        window = of.asked.window
        raise Unverifiable(f"{len(of.rows)} rows are meant by {window.text or window}, with different values")
    value = float(known[0])
    return one(value, of.unit, f"{of.name} in {row} = {shown(value)}")


def _whole(function: Callable[["NDArray[Any]"], float], formula: Callable[[list[float]], str]) -> Compute:
    def compute(of: Selection) -> Computed:
        value = float(function(of.values))
        line = f"{of.called(of.asked.statistic)} = {formula(of.values.tolist())}"
        return one(value, of.unit, f"{line} = {with_unit(value, of.unit)} (n={len(of.values)})")

    return compute


def extreme(of: Selection) -> Computed:
    """The highest or lowest value, and the rows that have it."""
    highest = of.asked.statistic in (Statistic.MAXIMUM, Statistic.TIME_OF_MAXIMUM)
    value = float(of.values.max() if highest else of.values.min())
    places = tuple(int(place) for place in of.rows[of.cells == value])
    line = f"{of.called('maximum' if highest else 'minimum')} = {with_unit(value, of.unit)}, in {of.named(places)}"
    return one(value, of.unit, f"{line} (n={len(of.values)})", places=places)


def count(of: Selection) -> Computed:
    """The rows in the window; with a series those that have a value, or its different values."""
    import numpy as np

    asked, table = of.asked, of.table
    # no row that meets a condition is 0; no row in a span of time is nothing to count in
    rows = rows_of(table, asked.window, may_be_none=bool(asked.window.conditions))
    if asked.series is None:
        return one(len(rows), None, f"{of.called('count')} = {len(rows)}")
    if asked.series in table.labels.columns:
        cells = [cell.casefold() for cell in table.labels[asked.series].to_numpy()[rows] if cell]
    else:
        values = all_values(table, asked.series, rows)
        cells = values[~np.isnan(values)].tolist()
    number = len(set(cells)) if asked.distinct else len(cells)
    return one(number, None, f"{of.called('different values' if asked.distinct else 'count')} = {number}")


_COMPARED: Mapping[tuple[bool, bool], tuple[str, Callable[[Any, Any], Any]]] = {
    (True, False): (">", operator.gt),
    (True, True): (">=", operator.ge),
    (False, False): ("<", operator.lt),
    (False, True): ("<=", operator.le),
}


def _beyond(of: Selection, above: bool, values: "NDArray[Any]") -> "tuple[NDArray[Any], str]":
    """Which values are above (below) the specification's threshold, and the test in words."""
    asked = of.asked
    if asked.threshold is None:
        raise Unverifiable("no threshold is named")
    unit, power = unit_and_power(of.table.units.get(of.name))
    threshold = converted(asked.threshold, asked.threshold_unit, unit) / 10**power
    sign, test = _COMPARED[above, asked.threshold_included]
    is_beyond: NDArray[Any] = test(values, threshold)
    return is_beyond, f"{sign} {with_unit(threshold, unit)}"


def count_beyond(of: Selection) -> Computed:
    """The values above or below a threshold, or the other series' in their row; missing ones are not counted."""
    import numpy as np

    above, other = of.asked.statistic is Statistic.COUNT_ABOVE, of.asked.compared_with
    if other is None:
        is_beyond, test = _beyond(of, above, of.values)
    else:
        sign, compare = _COMPARED[above, of.asked.threshold_included]
        second = of.table.in_unit_of(of.name, all_values(of.table, other, of.rows), other)
        is_beyond, test = compare(of.cells, second)[of.is_known & ~np.isnan(second)], f"{sign} {other}"
    number = int(is_beyond.sum())
    return one(number, None, f"{of.called('count')} {test} = {number} of {len(is_beyond)}")


def missing(of: Selection) -> Computed:
    """The rows in the window that have no value."""
    places = of.rows[~of.is_known]
    where = f", in {of.named(places)}" if len(places) else ""
    return one(len(places), None, f"{of.called('missing values')} = {len(places)} of {len(of.rows)}{where}")


def crossing(of: Selection) -> Computed:
    """Whether a value gets above or below the threshold, and the first row that does."""
    is_beyond, test = _beyond(of, of.asked.direction is not Direction.DOWN, of.cells)
    places = tuple(int(place) for place in of.rows[is_beyond])
    first = f", first in {of.named(places[:1])}" if places else ""
    line = f"{of.called('values')} {test}: {len(places)} of {int(of.is_known.sum())}{first}"
    return one(len(places), None, line, places=places[:1], holds=bool(places))


def deviation(of: Selection) -> Computed:
    """The standard deviation, of a sample (n - 1) and of a population (n)."""
    if len(of.values) < 2:
        raise Unverifiable("a standard deviation takes at least 2 values")
    by = {"sample": float(of.values.std(ddof=1)), "population": float(of.values.std())}
    return _by_definition(of, "standard deviation", by, {name: f"of a {name}" for name in by})


def percentile_90(of: Selection) -> Computed:
    """The value that 90% of the values do not exceed: interpolated between two of them, and by nearest rank."""
    import numpy as np

    methods = {"interpolated": "linear", "nearest rank": "inverted_cdf"}
    by = {name: float(np.percentile(of.values, 90, method=how)) for name, how in methods.items()}  # type: ignore[call-overload]
    return _by_definition(of, "90th percentile", by, {"nearest rank": "by nearest rank"})


def _by_definition(of: Selection, name: str, by: dict[str, float], words: dict[str, str]) -> Computed:
    """A statistic that has several definitions in use; `words` say how one of them is called beside its value."""
    described = ", ".join(f"{with_unit(value, of.unit)} {words.get(how, how)}" for how, value in by.items())
    return Computed(by, of.unit, f"{of.called(name)} = {described} (n={len(of.values)})")


def outer(of: Selection) -> Computed:
    """The latest or the first value that is there: by time, else in the order of the file."""
    place = -1 if of.asked.statistic is Statistic.LATEST else 0
    value, rows, times = float(of.values[place]), of.rows[of.is_known], of.table.times
    row = int(rows[place])
    where = of.named([row])
    if times is not None and not times.hasnans:
        same = of.values[times[rows] == times[row]]
        if len(set(same.tolist())) > 1:
            raise Unverifiable(f"{len(same)} rows are of {where}, with different values of {of.name!r}")
    line = f"{of.called(of.asked.statistic)} = {with_unit(value, of.unit)}, in {where}"
    return one(value, of.unit, line, places=(row,))


def rank(of: Selection) -> Computed:
    """The place of a row among the window's: 1 is the highest, with direction up the lowest; equals share places."""
    import numpy as np

    place = of.asked.place
    if place is None:
        raise Unverifiable("no row is named whose place it is")
    rows, own = of.rows, rows_of(of.table, place)
    if len(own) != 1:
        raise Unverifiable(f"{len(own)} rows are meant by {place.text or place}; a rank is one row's")
    value = float(values_of(of.table, of.name, own)[0])
    values = values_of(of.table, of.name, np.union1d(rows, own))
    rising = of.asked.direction is Direction.UP
    best = int((values < value if rising else values > value).sum()) + 1
    worst = best + int((values == value).sum()) - 1
    line = f"{of.named(own.tolist())} has {shown(value)}, number {best} of {len(values)} by {of.name}"
    line += " from the lowest" if rising else " from the highest"
    line += f", shared by {worst - best + 1}" if worst > best else ""
    return Computed({f"place {number}": float(number) for number in range(best, worst + 1)}, None, line)


def _median(values: "NDArray[Any]") -> float:
    import numpy as np

    return float(np.median(values))


_mean = _whole(lambda values: values.mean(), lambda values: f"({listed(values, '+')}) / {len(values)}")
_middle = _whole(_median, lambda values: f"the middle of {listed(sorted(values), ',')}")
_total = _whole(lambda values: values.sum(), lambda values: listed(values, "+"))
_spread = _whole(lambda values: values.max() - values.min(), lambda vs: f"{shown(max(vs))} - {shown(min(vs))}")
_S, _LEVEL, _DISTANCE = Statistic, UnitRule.LEVEL, UnitRule.DISTANCE

AGGREGATES = (
    StatisticEntry(_S.VALUE_AT, value_at, _LEVEL, "the value of one row"),
    StatisticEntry(_S.MEAN, _mean, _LEVEL, "the mean", word="mean", is_inner=True),
    StatisticEntry(_S.MEDIAN, _middle, _LEVEL, "the median", word="median", is_inner=True),
    StatisticEntry(_S.SUM, _total, _LEVEL, "the total", word="sum", is_inner=True),
    StatisticEntry(_S.MINIMUM, extreme, _LEVEL, "the lowest value"),
    StatisticEntry(_S.MAXIMUM, extreme, _LEVEL, "the highest value"),
    StatisticEntry(_S.RANGE, _spread, _DISTANCE, "the highest less the lowest value", word="range"),
    StatisticEntry(_S.DEVIATION, deviation, _DISTANCE, "the standard deviation", word="deviation"),
    StatisticEntry(_S.PERCENTILE_90, percentile_90, _LEVEL, "the 90th percentile", word="percentile_90"),
    StatisticEntry(_S.LATEST, outer, _LEVEL, "the last value", word="latest"),
    StatisticEntry(_S.FIRST, outer, _LEVEL, "the first value", word="first"),
)
"""The statistics of one series over one window; a new one is a function and an entry here."""
