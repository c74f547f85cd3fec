"""Statistics of one series over one window. Missing values are left out; what is left is counted in the arithmetic."""

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..quantities import converted, unit_and_power
from ..specification import Direction, Specification, Statistic, Unverifiable
from ..tables import Table, all_values, rows_of, values_of
from .computation import Computed, called, listed, one, shown, unit_of, with_unit
from .statistic_entry import Compute, StatisticEntry, UnitRule

if TYPE_CHECKING:
    from numpy.typing import NDArray


def series_name(asked: Specification) -> str:
    """The series of a specification. Raises `Unverifiable` where it names none."""
    if asked.series is None:
        raise Unverifiable(f"no series is named to take the {asked.statistic.replace('_', ' ')} of")
    return asked.series


def value_at(asked: Specification, table: Table) -> Computed:
    """The value of the window's one row; of several rows only if all have the same."""
    import numpy as np

    name = series_name(asked)
    rows = rows_of(table, asked.window)
    values = all_values(table, name, rows)
    known = values[~np.isnan(values)]
    if not len(known):
        raise Unverifiable(f"{name!r} has no value in {table.row_name(int(rows[0]))}")
    if len(rows) > 1 and (len(known) < len(rows) or len(set(known)) > 1):
        raise Unverifiable(f"{len(rows)} rows are meant by {asked.window.text or asked.window}, with different values")
    value = float(known[0])
    return one(value, unit_of(table, asked), f"{name} in {table.row_name(int(rows[0]))} = {shown(value)}")


def _whole(function: Callable[["NDArray[Any]"], float], formula: Callable[[list[float]], str]) -> Compute:
    def compute(asked: Specification, table: Table) -> Computed:
        values = values_of(table, series_name(asked), rows_of(table, asked.window))
        value = float(function(values))
        unit = unit_of(table, asked)
        line = f"{called(asked.statistic, asked.series, asked.window)} = {formula(values.tolist())}"
        return one(value, unit, f"{line} = {with_unit(value, unit)} (n={len(values)})")

    return compute


def extreme(asked: Specification, table: Table) -> Computed:
    """The highest or lowest value, and the rows that have it."""
    import numpy as np

    highest = asked.statistic in (Statistic.MAXIMUM, Statistic.TIME_OF_MAXIMUM)
    name = series_name(asked)
    rows = rows_of(table, asked.window)
    values = all_values(table, name, rows)
    if np.isnan(values).all():
        raise Unverifiable(f"{name!r} has no value there: all {len(rows)} are missing")
    value = float(np.nanmax(values) if highest else np.nanmin(values))
    places = tuple(int(place) for place in rows[values == value])
    unit = unit_of(table, asked)
    where = ", ".join(table.row_name(place) for place in places[:3]) + (" and more" if len(places) > 3 else "")
    line = f"{called('maximum' if highest else 'minimum', name, asked.window)} = {with_unit(value, unit)}, in {where}"
    return one(value, unit, f"{line} (n={int((~np.isnan(values)).sum())})", places=places)


def count(asked: Specification, table: Table) -> Computed:
    """The rows in the window; with a series those that have a value, or its different values."""
    import numpy as np

    # no row that meets a condition is 0; no row in a span of time is nothing to count in
    rows = rows_of(table, asked.window, may_be_none=bool(asked.window.conditions))
    if asked.series is None:
        return one(len(rows), None, f"{called('count', None, asked.window)} = {len(rows)}")
    if asked.series in table.labels.columns:
        cells = [cell.casefold() for cell in table.labels[asked.series].to_numpy()[rows] if cell]
    else:
        values = all_values(table, asked.series, rows)
        cells = values[~np.isnan(values)].tolist()
    number = len(set(cells)) if asked.distinct else len(cells)
    name = "different values" if asked.distinct else "count"
    return one(number, None, f"{called(name, asked.series, asked.window)} = {number}")


_COMPARED: Mapping[tuple[bool, bool], tuple[str, Callable[[Any, Any], Any]]] = {
    (True, False): (">", operator.gt),
    (True, True): (">=", operator.ge),
    (False, False): ("<", operator.lt),
    (False, True): ("<=", operator.le),
}


def beyond(asked: Specification, table: Table, above: bool, values: "NDArray[Any]") -> "tuple[NDArray[Any], str]":
    """Which values are above (below) the specification's threshold, and the test in words."""
    if asked.threshold is None:
        raise Unverifiable("no threshold is named")
    unit, power = unit_and_power(table.units.get(asked.series or ""))
    threshold = converted(asked.threshold, asked.threshold_unit, unit)
    threshold /= 10**power
    sign, test = _COMPARED[above, asked.threshold_included]
    found: NDArray[Any] = test(values, threshold)
    return found, f"{sign} {with_unit(threshold, unit)}"


def count_beyond(asked: Specification, table: Table) -> Computed:
    """The values above or below a threshold, missing ones not counted."""
    name = series_name(asked)
    if asked.compared_with is not None:
        return _rows_beyond(asked, table, asked.compared_with)
    values = values_of(table, name, rows_of(table, asked.window))
    found, test = beyond(asked, table, asked.statistic is Statistic.COUNT_ABOVE, values)
    number = int(found.sum())
    return one(number, None, f"{called('count', name, asked.window)} {test} = {number} of {len(values)}")


def _rows_beyond(asked: Specification, table: Table, other: str) -> Computed:
    import numpy as np

    name, rows = series_name(asked), rows_of(table, asked.window)
    first, second = all_values(table, name, rows), all_values(table, other, rows)
    (unit, power), (other_unit, other_power) = (unit_and_power(table.units.get(each)) for each in (name, other))
    second = second * converted(1.0, other_unit, unit) * 10.0 ** (other_power - power)
    known = ~np.isnan(first) & ~np.isnan(second)
    sign, test = _COMPARED[asked.statistic is Statistic.COUNT_ABOVE, asked.threshold_included]
    number = int(test(first[known], second[known]).sum())
    return one(number, None, f"{called('count', name, asked.window)} {sign} {other} = {number} of {int(known.sum())}")


def missing(asked: Specification, table: Table) -> Computed:
    """The rows in the window that have no value."""
    import numpy as np

    name, rows = series_name(asked), rows_of(table, asked.window)
    places = rows[np.isnan(all_values(table, name, rows))]
    where = f", in {', '.join(table.row_name(int(place)) for place in places[:3])}" if len(places) else ""
    more = " and more" if len(places) > 3 else ""
    line = f"{called('missing values', name, asked.window)} = {len(places)} of {len(rows)}{where}{more}"
    return one(len(places), None, line)


def crossing(asked: Specification, table: Table) -> Computed:
    """Whether a value gets above or below the threshold, and the first row that does."""
    import numpy as np

    name = series_name(asked)
    rows = rows_of(table, asked.window)
    values = all_values(table, name, rows)
    found, test = beyond(asked, table, asked.direction is not Direction.DOWN, values)
    places = tuple(int(place) for place in rows[found])
    first = f", first in {table.row_name(places[0])}" if places else ""
    line = f"{called('values', name, asked.window)} {test}: {len(places)} of {int((~np.isnan(values)).sum())}{first}"
    return Computed({"": float(len(places))}, None, line, places[:1], holds=bool(places))


def deviation(asked: Specification, table: Table) -> Computed:
    """The standard deviation, of a sample (n - 1) and of a population (n)."""
    values = values_of(table, series_name(asked), rows_of(table, asked.window))
    if len(values) < 2:
        raise Unverifiable("a standard deviation takes at least 2 values")
    sample, population = float(values.std(ddof=1)), float(values.std())
    unit = unit_of(table, asked)
    line = called("standard deviation", asked.series, asked.window)
    line += f" = {with_unit(sample, unit)} of a sample, {with_unit(population, unit)} of a population (n={len(values)})"
    return Computed({"sample": sample, "population": population}, unit, line)


def percentile_90(asked: Specification, table: Table) -> Computed:
    """The value that 90% of the values do not exceed: interpolated between two of them, and by nearest rank."""
    import numpy as np

    values = values_of(table, series_name(asked), rows_of(table, asked.window))
    interpolated, nearest = (float(np.percentile(values, 90, method=how)) for how in ("linear", "inverted_cdf"))
    unit = unit_of(table, asked)
    line = called("90th percentile", asked.series, asked.window)
    line += f" = {with_unit(interpolated, unit)} interpolated, {with_unit(nearest, unit)} by nearest rank"
    line += f" (n={len(values)})"
    return Computed({"interpolated": interpolated, "nearest rank": nearest}, unit, line)


def outer(asked: Specification, table: Table) -> Computed:
    """The latest or the first value that is there: by time, else in the order of the file."""
    import numpy as np

    name = series_name(asked)
    rows = rows_of(table, asked.window)
    values = all_values(table, name, rows)
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        raise Unverifiable(f"{name!r} has no value there: all {len(rows)} are missing")
    place = int(known[-1 if asked.statistic is Statistic.LATEST else 0])
    row, value = int(rows[place]), float(values[place])
    if table.times is not None and not table.times.hasnans:
        same = values[known][table.times[rows[known]] == table.times[row]]
        if len(set(same.tolist())) > 1:
            raise Unverifiable(f"{len(same)} rows are of {table.row_name(row)}, with different values of {name!r}")
    unit = unit_of(table, asked)
    line = f"{called(asked.statistic, name, asked.window)} = {with_unit(value, unit)}, in {table.row_name(row)}"
    return one(value, unit, line, places=(row,))


def rank(asked: Specification, table: Table) -> Computed:
    """The place of a row among the window's: 1 is the highest, with direction up the lowest; equals share places."""
    import numpy as np

    if asked.place is None:
        raise Unverifiable("no row is named whose place it is")
    name = series_name(asked)
    rows = rows_of(table, asked.window)
    own = rows_of(table, asked.place)
    if len(own) != 1:
        raise Unverifiable(f"{len(own)} rows are meant by {asked.place.text or asked.place}; a rank is one row's")
    value = float(values_of(table, name, own)[0])
    values = values_of(table, name, np.union1d(rows, own))
    rising = asked.direction is Direction.UP
    best = int((values < value if rising else values > value).sum()) + 1
    worst = best + int((values == value).sum()) - 1
    line = f"{table.row_name(int(own[0]))} has {shown(value)}, number {best} of {len(values)} by {name}"
    line += " from the lowest" if rising else " from the highest"
    line += f", shared by {worst - best + 1}" if worst > best else ""
    return Computed({f"place {place}": float(place) for place in range(best, worst + 1)}, None, line)


def counted_unit(asked: Specification, table: Table) -> None:
    """Raises `Unverifiable` where a count is stated in days (months, ...) and the rows are something else."""
    if asked.unit in ("day", "week", "month", "year", "h") and table.step != asked.unit:
        raise Unverifiable(f"counted are {asked.unit}s, but the rows of {table.name} are not one a {asked.unit}")


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
