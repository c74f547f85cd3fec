"""Statistics of one series over one window. Missing values are left out; what is left is counted in the arithmetic."""

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ....text.wording import count_of
from ..quantities.units import convert, unit_and_power
from ..specification import Direction, Statistic, Unverifiable
from ..tables.rows import all_values, rows_of, values_of
from .computation import (
    Compute,
    Computed,
    StatisticEntry,
    StatisticInput,
    UnitRule,
    format_number,
    format_terms,
    format_with_unit,
    single,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


def value_at(data: StatisticInput) -> Computed:
    """The value of the window's one row; of several rows only if all have the same."""
    known = data.cells[data.is_known]
    row = data.table.row_name(int(data.rows[0]))
    if not len(known):
        raise Unverifiable(f"{data.name!r} has no value in {row}")
    if len(data.rows) > 1 and (len(known) < len(data.rows) or len(set(known)) > 1):
        window = data.asked.window
        raise Unverifiable(
            f"{count_of(len(data.rows), 'row is', 'rows are')} meant by {window.text or window}, with different values"
        )
    value = float(known[0])
    return single(value, data.unit, f"{data.name} in {row} = {format_number(value)}")


def _whole(function: Callable[["NDArray[Any]"], float], formula: Callable[[list[float]], str]) -> Compute:
    def compute(data: StatisticInput) -> Computed:
        value = float(function(data.values))
        line = f"{data.title(data.asked.statistic)} = {formula(data.values.tolist())}"
        return single(value, data.unit, f"{line} = {format_with_unit(value, data.unit)} (n={len(data.values)})")

    return compute


def extreme(data: StatisticInput) -> Computed:
    """The highest or lowest value, and the rows that have it."""
    highest = data.asked.statistic in (Statistic.MAXIMUM, Statistic.TIME_OF_MAXIMUM)
    value = float(data.values.max() if highest else data.values.min())
    places = tuple(int(place) for place in data.rows[data.cells == value])
    title = data.title("maximum" if highest else "minimum")
    line = f"{title} = {format_with_unit(value, data.unit)}, in {data.row_names(places)}"
    return single(value, data.unit, f"{line} (n={len(data.values)})", places=places)


def count(data: StatisticInput) -> Computed:
    """Counts the rows of the window; with a series, the rows that have a value, or the different values."""
    import numpy as np

    asked, table = data.asked, data.table
    # no row that meets a condition is 0; no row in a span of time is nothing to count in
    rows = rows_of(table, asked.window, may_be_none=bool(asked.window.conditions))
    if asked.series is None:
        return single(len(rows), None, f"{data.title('count')} = {len(rows)}")
    if asked.series in table.labels.columns:
        cells = [cell.casefold() for cell in table.labels[asked.series].to_numpy()[rows] if cell]
    else:
        values = all_values(table, asked.series, rows)
        cells = values[~np.isnan(values)].tolist()
    number = len(set(cells)) if asked.distinct else len(cells)
    return single(number, None, f"{data.title('different values' if asked.distinct else 'count')} = {number}")


_COMPARED: Mapping[tuple[bool, bool], tuple[str, Callable[[Any, Any], Any]]] = {
    (True, False): (">", operator.gt),
    (True, True): (">=", operator.ge),
    (False, False): ("<", operator.lt),
    (False, True): ("<=", operator.le),
}


def _beyond(data: StatisticInput, above: bool, values: "NDArray[Any]") -> "tuple[NDArray[Any], str]":
    """Which values are above (below) the specification's threshold, and the test in words."""
    asked = data.asked
    if asked.threshold is None:
        raise Unverifiable("no threshold is named")
    unit, power = unit_and_power(data.table.units.get(data.name))
    threshold = convert(asked.threshold, asked.threshold_unit, unit) / 10**power
    sign, test = _COMPARED[above, asked.threshold_included]
    is_beyond: NDArray[Any] = test(values, threshold)
    return is_beyond, f"{sign} {format_with_unit(threshold, unit)}"


def count_beyond(data: StatisticInput) -> Computed:
    """The values above or below a threshold, or the other series' in their row; missing ones are not counted."""
    import numpy as np

    above, other = data.asked.statistic is Statistic.COUNT_ABOVE, data.asked.compared_with
    if other is None:
        is_beyond, test = _beyond(data, above, data.values)
    else:
        sign, compare = _COMPARED[above, data.asked.threshold_included]
        second = data.table.in_unit_of(data.name, all_values(data.table, other, data.rows), other)
        is_beyond, test = compare(data.cells, second)[data.is_known & ~np.isnan(second)], f"{sign} {other}"
    number = int(is_beyond.sum())
    return single(number, None, f"{data.title('count')} {test} = {number} of {len(is_beyond)}")


def missing(data: StatisticInput) -> Computed:
    """The rows in the window that have no value."""
    places = data.rows[~data.is_known]
    where = f", in {data.row_names(places)}" if len(places) else ""
    return single(len(places), None, f"{data.title('missing values')} = {len(places)} of {len(data.rows)}{where}")


def crossing(data: StatisticInput) -> Computed:
    """Whether a value gets above or below the threshold, and the first row that does."""
    is_beyond, test = _beyond(data, data.asked.direction is not Direction.DOWN, data.cells)
    places = tuple(int(place) for place in data.rows[is_beyond])
    first = f", first in {data.row_names(places[:1])}" if places else ""
    line = f"{data.title('values')} {test}: {len(places)} of {int(data.is_known.sum())}{first}"
    return single(len(places), None, line, places=places[:1], holds=bool(places))


def deviation(data: StatisticInput) -> Computed:
    """The standard deviation, of a sample (n - 1) and of a population (n)."""
    if len(data.values) < 2:
        raise Unverifiable("a standard deviation takes at least 2 values")
    by = {"sample": float(data.values.std(ddof=1)), "population": float(data.values.std())}
    return _by_definition(data, "standard deviation", by, {name: f"of a {name}" for name in by})


def percentile_90(data: StatisticInput) -> Computed:
    """The value that 90% of the values do not exceed: interpolated between two of them, and by nearest rank."""
    import numpy as np

    methods = {"interpolated": "linear", "nearest rank": "inverted_cdf"}
    by = {name: float(np.percentile(data.values, 90, method=how)) for name, how in methods.items()}  # type: ignore[call-overload]
    return _by_definition(data, "90th percentile", by, {"nearest rank": "by nearest rank"})


def _by_definition(data: StatisticInput, name: str, by: dict[str, float], words: dict[str, str]) -> Computed:
    """A statistic that has several definitions in use; `words` say how one of them is called beside its value."""
    described = ", ".join(f"{format_with_unit(value, data.unit)} {words.get(how, how)}" for how, value in by.items())
    return Computed(by, data.unit, f"{data.title(name)} = {described} (n={len(data.values)})")


def outer(data: StatisticInput) -> Computed:
    """The latest or the first value that is there: by time, else in the order of the file."""
    place = -1 if data.asked.statistic is Statistic.LATEST else 0
    value, rows, times = float(data.values[place]), data.rows[data.is_known], data.table.times
    row = int(rows[place])
    where = data.row_names([row])
    if times is not None and not times.hasnans:
        same = data.values[times[rows] == times[row]]
        if len(set(same.tolist())) > 1:
            raise Unverifiable(
                f"{count_of(len(same), 'row is', 'rows are')} of {where}, with different values of {data.name!r}"
            )
    line = f"{data.title(data.asked.statistic)} = {format_with_unit(value, data.unit)}, in {where}"
    return single(value, data.unit, line, places=(row,))


def rank(data: StatisticInput) -> Computed:
    """The place of a row among those of the window: 1 is the highest, or the lowest if the direction is up."""
    import numpy as np

    place = data.asked.place
    if place is None:
        raise Unverifiable("no row is named whose place it is")
    rows, own = data.rows, rows_of(data.table, place)
    if len(own) != 1:
        raise Unverifiable(
            f"{count_of(len(own), 'row is', 'rows are')} meant by {place.text or place}; a rank is one row's"
        )
    value = float(values_of(data.table, data.name, own)[0])
    values = values_of(data.table, data.name, np.union1d(rows, own))
    rising = data.asked.direction is Direction.UP
    best = int((values < value if rising else values > value).sum()) + 1
    worst = best + int((values == value).sum()) - 1
    line = f"{data.row_names(own.tolist())} has {format_number(value)}, number {best} of {len(values)} by {data.name}"
    line += " from the lowest" if rising else " from the highest"
    line += f", shared by {worst - best + 1}" if worst > best else ""
    return Computed({f"place {number}": float(number) for number in range(best, worst + 1)}, None, line)


def _median(values: "NDArray[Any]") -> float:
    import numpy as np

    return float(np.median(values))


_mean = _whole(lambda values: values.mean(), lambda values: f"({format_terms(values, '+')}) / {len(values)}")
_middle = _whole(_median, lambda values: f"the middle of {format_terms(sorted(values), ',')}")
_total = _whole(lambda values: values.sum(), lambda values: format_terms(values, "+"))
_spread = _whole(
    lambda values: values.max() - values.min(), lambda vs: f"{format_number(max(vs))} - {format_number(min(vs))}"
)
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
