"""What can be computed of a table: the registry of statistics, and whether what a claim says of one holds."""

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...text.wording import count_of
from ..score import Verdict
from .lexicon import means
from .table import (
    ALL_ROWS,
    BOUNDS,
    PLACE_OF,
    Direction,
    Hedge,
    NumericTable,
    Specification,
    Statistic,
    Unverifiable,
    Window,
    all_values,
    convert,
    rows_of,
    unit_and_power,
    values_of,
)
from .trends import SIGNIFICANT, Anomalies, anomalies_of, line_of

_JUST_BEYOND = 1.2  # a score up to this times the threshold is beyond it by one method's luck
_SHOWN = 6  # values in a line of arithmetic


@dataclass(frozen=True)
class Computed:
    """A statistic of a table.

    `values` holds one value per definition in use ("of a sample", "of a population"), or one value under "". `unit` is
    the series' (or `%`, `pp`). `arithmetic` is the calculation in one line. `places` are positions of rows, for
    statistics that ask where. `holds` is the answer of a statistic without a value (a trend, a comparison). `base` is
    what a change is measured from.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    unit: str | None = None
    arithmetic: str = ""
    places: tuple[int, ...] = ()
    holds: bool | None = None
    base: float | None = None

    @property
    def value(self) -> float | None:
        """The value under the first definition; None for a statistic without one."""
        return next(iter(self.values.values()), None)


def single(value: float, unit: str | None, arithmetic: str, **rest: Any) -> Computed:
    """A statistic of one definition."""
    return Computed({"": float(value)}, unit, arithmetic, **rest)


@dataclass
class StatisticInput:
    """What a specification selects of a table: the rows of its window, and the values of its series there.

    All of it is looked up when it is asked for, and raises `Unverifiable` where it is not there.
    """

    asked: Specification
    table: NumericTable

    @property
    def name(self) -> str:
        """The series."""
        if self.asked.series is None:
            raise Unverifiable(f"no series is named to take the {self.asked.statistic.replace('_', ' ')} of")
        return self.asked.series

    @cached_property
    def rows(self) -> NDArray[Any]:
        """The positions of the rows, in order of time."""
        return rows_of(self.table, self.asked.window)

    @cached_property
    def cells(self) -> NDArray[Any]:
        """The values of all the rows, NaN where one is missing."""
        return all_values(self.table, self.name, self.rows)

    @cached_property
    def is_known(self) -> NDArray[Any]:
        """Which of the rows have a value."""
        known: NDArray[Any] = ~np.isnan(self.cells)
        return known

    @cached_property
    def values(self) -> NDArray[Any]:
        """The values that are there, at least one."""
        return values_of(self.table, self.name, self.rows)

    @property
    def unit(self) -> str | None:
        """The unit of the series."""
        return self.table.unit_of(self.asked.series)

    def title(self, name: str) -> str:
        """A statistic as a person calls it: "mean of throughput_mbps over 2026-03-01..2026-03-07"."""
        asked = self.asked
        window = "" if asked.window == ALL_ROWS else f" over {asked.window.text or asked.window}"
        return f"{name} of {asked.series or 'rows'}{window}"

    def row_names(self, places: Sequence[int]) -> str:
        """The names of rows, the first three of many."""
        names = ", ".join(self.table.row_name(int(place)) for place in places[:3])
        return f"{names} and more" if len(places) > 3 else names


Compute = Callable[[StatisticInput], Computed]


class UnitRule(Enum):
    """What a statistic's value is measured in."""

    LEVEL = auto()  # the series' unit
    DISTANCE = auto()  # the series' unit; of a series in percent also percentage points
    COUNT = auto()  # none: rows or values are counted
    PERCENT = auto()
    PLAIN = auto()  # none: a factor, a place
    NO_VALUE = auto()  # a yes or no, or a place


@dataclass(frozen=True)
class StatisticEntry:
    """A statistic.

    `word` is the kind of words in the packs that names it beside a value ("the mean of X was 5"); empty where only a
    construction of its own says it. `is_inner`: a claim may compare two sides by it ("the mean of A is higher than that
    of B").
    """

    statistic: Statistic
    compute: Compute
    unit: UnitRule
    word: str = ""
    is_inner: bool = False


def format_number(value: float, unit: str | None = None) -> str:
    """A number for a person, with its unit: whole numbers whole, others with six digits that count.

    Raises `Unverifiable` for infinity.
    """
    space = "" if unit in (None, "%") else " "
    if not isfinite(value):
        raise Unverifiable("a number is too large to compute with")
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}{space}{unit or ''}"
    return f"{value:,.{'2f' if abs(value) >= 1e6 else '6g'}}{space}{unit or ''}"


def format_terms(values: Sequence[float] | NDArray[Any], sign: str) -> str:
    """Values joined by a sign, the middle of many left out."""
    texts = [format_number(value) for value in (values if len(values) <= _SHOWN else [*values[:3], *values[-1:]])]
    if len(values) > _SHOWN:
        texts.insert(3, "...")
    return f" {sign} ".join(texts)


def _value_at(data: StatisticInput) -> Computed:
    """The value of the window's one row; of several rows only if all have the same."""
    known = data.cells[data.is_known]
    row = data.table.row_name(int(data.rows[0]))
    if not len(known):
        raise Unverifiable(f"{data.name!r} has no value in {row}")
    if len(data.rows) > 1 and (len(known) < len(data.rows) or len(set(known.tolist())) > 1):
        window = data.asked.window
        raise Unverifiable(
            f"{count_of(len(data.rows), 'row is', 'rows are')} meant by {window.text or window}, with different values"
        )
    return single(known[0], data.unit, f"{data.name} in {row} = {format_number(known[0])}")


def _formula(function: Callable[[NDArray[Any]], Any], formula: Callable[[NDArray[Any]], str]) -> Compute:
    """A statistic of all values by a function, which its arithmetic shows as a formula."""

    def compute(data: StatisticInput) -> Computed:
        value = float(function(data.values))
        line = f"{data.title(data.asked.statistic)} = {formula(data.values)} = {format_number(value, data.unit)}"
        return single(value, data.unit, f"{line} (n={len(data.values)})")

    return compute


def _deviation(data: StatisticInput) -> Computed:
    """The standard deviation by both definitions in use."""
    if len(data.values) < 2:
        raise Unverifiable("a standard deviation takes at least 2 values")
    values = {"of a sample": float(data.values.std(ddof=1)), "of a population": float(data.values.std())}
    line = ", ".join(f"{format_number(value, data.unit)} {how}" for how, value in values.items())
    return Computed(values, data.unit, f"{data.title('standard deviation')} = {line} (n={len(data.values)})")


def _extreme(data: StatisticInput) -> Computed:
    """The highest or lowest value, and the rows that have it; where several are named, the rows of so many extremes."""
    highest = data.asked.statistic in (Statistic.MAXIMUM, Statistic.TIME_OF_MAXIMUM)
    named = min(len(data.asked.place.parts) if data.asked.place else 0, len(data.values)) or 1
    last = float(np.sort(data.values)[-named if highest else named - 1])
    places = tuple(data.rows[data.cells >= last if highest else data.cells <= last].tolist())
    name, to = ("maximum" if highest else "minimum"), ""
    if named > 1:
        name, to = f"{named} {'highest' if highest else 'lowest'}", f" to {format_number(last, data.unit)}"
    value = float(data.values.max() if highest else data.values.min())
    shown = f"{format_number(value, data.unit)}{to}"
    line = f"{data.title(name)} = {shown}, in {data.row_names(places)} (n={len(data.values)})"
    return single(value, data.unit, line, places=places)


def _outer(data: StatisticInput) -> Computed:
    """The latest or the first value that is there: by time, else in the order of the file."""
    place = -1 if data.asked.statistic is Statistic.LATEST else 0
    rows, times = data.rows[data.is_known], data.table.times
    value, where = float(data.values[place]), data.row_names([rows[place]])
    if times is not None and not times.hasnans:
        same = data.values[times[rows] == times[rows[place]]]
        if same.min() < same.max():
            raise Unverifiable(
                f"{count_of(len(same), 'row is', 'rows are')} of {where}, with different values of {data.name!r}"
            )
    line = f"{data.title(data.asked.statistic)} = {format_number(value, data.unit)}, in {where}"
    return single(value, data.unit, line, places=(int(rows[place]),))


def _count(data: StatisticInput) -> Computed:
    """Counts the rows of the window; with a series, the rows that have a value."""
    asked, table = data.asked, data.table
    # no row that meets a condition is 0; no row in a span of time is nothing to count in
    rows = rows_of(table, asked.window, may_be_none=bool(asked.window.conditions))
    if asked.series is None:
        return single(len(rows), None, f"{data.title('count')} = {len(rows)}")
    number = int((~np.isnan(all_values(table, asked.series, rows))).sum())
    return single(number, None, f"{data.title('count')} = {number}")


def _missing(data: StatisticInput) -> Computed:
    """The rows in the window that have no value."""
    places = data.rows[~data.is_known]
    where = f", in {data.row_names(places)}" if len(places) else ""
    return single(len(places), None, f"{data.title('missing values')} = {len(places)} of {len(data.rows)}{where}")


_FLAT = 0.05  # values within 5% of each other are "about as high"
_COMPARED = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}


def _beyond(data: StatisticInput, above: bool) -> tuple[NDArray[Any], int, str]:
    """Which rows are above (below) the threshold or the other series, of how many with a value; and that in words."""
    asked, table, known = data.asked, data.table, len(data.values)
    sign = (">" if above else "<") + ("=" if asked.threshold_included else "")
    compare = _COMPARED[sign]
    if (other := asked.compared_with) is not None:
        limits = table.in_unit_of(data.name, all_values(table, other, data.rows), other)
        return compare(data.cells, limits), int((data.is_known & ~np.isnan(limits)).sum()), f"{sign} {other}"
    if asked.threshold is None:
        raise Unverifiable("no threshold is named")
    threshold = table.as_held(data.name, asked.threshold, asked.threshold_unit)
    return compare(data.cells, threshold), known, f"{sign} {format_number(threshold, data.unit)}"


def _count_beyond(data: StatisticInput) -> Computed:
    """The values above or below a threshold, or the other series' in their row; missing ones are not counted."""
    is_beyond, known, test = _beyond(data, data.asked.statistic is Statistic.COUNT_ABOVE)
    number = int(is_beyond.sum())
    return single(number, None, f"{data.title('count')} {test} = {number} of {known}")


def _crossing(data: StatisticInput) -> Computed:
    """Whether a value gets above or below the threshold, and the first row that does."""
    is_beyond, known, test = _beyond(data, data.asked.direction is not Direction.DOWN)
    places = data.rows[is_beyond].tolist()
    first = f", first in {data.row_names(places[:1])}" if places else ""
    line = f"{data.title('values')} {test}: {len(places)} of {known}{first}"
    return single(len(places), None, line, places=tuple(places[:1]), holds=bool(places))


def _rank(data: StatisticInput) -> Computed:
    """The place of a row among those of the window: 1 is the highest, or the lowest if the direction is up."""
    place = data.asked.place
    assert place is not None  # no rank is asked of no row
    own = rows_of(data.table, place)
    if len(own) != 1:
        rows = count_of(len(own), "row is", "rows are")
        raise Unverifiable(f"{rows} meant by {place.text or place}; a rank is one row's")
    value = float(values_of(data.table, data.name, own)[0])
    values = values_of(data.table, data.name, np.union1d(data.rows, own))
    rising = data.asked.direction is Direction.UP
    best = int((values < value if rising else values > value).sum()) + 1
    shared = int((values == value).sum())
    line = f"{data.row_names(own.tolist())} has {format_number(value)}, number {best} of {len(values)} by {data.name}"
    line += f" from the {'lowest' if rising else 'highest'}" + (f", shared by {shared}" if shared > 1 else "")
    return Computed({f"place {number}": float(number) for number in range(best, best + shared)}, None, line)


def _side(data: StatisticInput, name: str, window: Window, inner: Statistic | None) -> tuple[float, str]:
    """One side of a relation, with what it is in words: one row's value, else the statistic `inner`, else the mean."""
    if inner is None:
        inner = Statistic.VALUE_AT if len(rows_of(data.table, window)) == 1 else Statistic.MEAN
    side = StatisticInput(replace(data.asked, statistic=inner, series=name, window=window), data.table)
    computed = STATISTICS[inner].compute(side)
    assert computed.value is not None  # all of these have one
    if inner is Statistic.VALUE_AT:
        return computed.value, computed.arithmetic
    return computed.value, f"{side.title(inner)} = {format_number(computed.value)}"


def _sides(data: StatisticInput) -> tuple[float, float, str]:
    """The two values, in the unit of the series, and what they are in words."""
    asked, table, name = data.asked, data.table, data.name
    other, window = asked.compared_with or name, asked.compared_window or asked.window
    if other == name and data.rows.tolist() == rows_of(table, window).tolist():
        raise Unverifiable(f"the rows of {asked.window.text or asked.window} are compared with themselves")
    first, first_text = _side(data, name, asked.window, asked.side_statistic)
    second, second_text = _side(data, other, window, asked.side_statistic)
    if asked.statistic is not Statistic.RATIO or is_alike(table, name, other):
        second = table.in_unit_of(name, second, other)
    return first, second, f"{first_text}; {second_text}"


def is_alike(table: NumericTable, series: str, other: str) -> bool:
    """Whether the ratio of two series has no unit, since both measure the same; not euros divided by employees."""
    try:
        table.in_unit_of(series, 1.0, other)
    except Unverifiable:
        return False
    return (table.unit_of(series) is None) == (table.unit_of(other) is None)


def _difference(data: StatisticInput) -> Computed:
    """The first side minus the second."""
    first, second, text = _sides(data)
    line = f"{text}; {format_number(first)} - {format_number(second)} = {format_number(first - second, data.unit)}"
    return single(first - second, "pp" if data.unit == "%" else data.unit, line, base=second)


def _quotient(data: StatisticInput) -> Computed:
    """The first side by the second, or 100 times the difference by the size of the second."""
    first, second, text = _sides(data)
    is_change = data.asked.statistic is Statistic.PERCENT_CHANGE
    if second == 0:
        raise Unverifiable(f"a {'percent change from' if is_change else 'ratio to'} 0 does not exist")
    if is_change:
        value = 100 * (first - second) / abs(second)
        formula = f"100 * ({format_number(first)} - {format_number(second)}) / {format_number(abs(second))}"
    else:
        value, formula = first / second, f"{format_number(first)} / {format_number(second)}"
    is_factor = is_alike(data.table, data.name, data.asked.compared_with or data.name)
    unit = "%" if is_change else None if is_factor else data.unit
    return single(value, unit, f"{text}; {formula} = {format_number(value, unit)}", base=second)


def _comparison(data: StatisticInput) -> Computed:
    """Whether the first side is higher (up), lower (down) or as high (flat; within 5% if about so)."""
    first, second, text = _sides(data)
    direction, distance, size = data.asked.direction, abs(first - second), max(abs(first), abs(second))
    is_same = distance <= 1e-9 * size
    if direction is Direction.FLAT:
        holds = is_same or (data.asked.hedge is Hedge.ABOUT and distance <= _FLAT * size)
    else:
        holds = not is_same and (first > second) == (direction is Direction.UP)
    sign = "=" if is_same else ">" if first > second else "<"
    line = f"{text}; {format_number(first)} {sign} {format_number(second)}"
    return single(first - second, data.unit, line, holds=holds)


def _share(data: StatisticInput) -> Computed:
    """100 times the sum over the window by that over the compared window (none: all rows)."""
    asked, inner = data.asked, data.asked.side_statistic or Statistic.SUM
    first, first_text = _side(data, data.name, asked.window, inner)
    second, second_text = _side(data, asked.compared_with or data.name, asked.compared_window or ALL_ROWS, inner)
    if second == 0:
        raise Unverifiable("a share of 0 does not exist")
    value = 100 * first / second
    line = f"100 * {format_number(first)} / {format_number(second)} = {format_number(value, '%')}"
    return single(value, "%", f"{first_text}; {second_text}; {line}")


def trend(data: StatisticInput) -> Computed:
    """Whether the series goes as the claim says.

    Up and down hold if the slope has that sign at p < 0.05 (with 2 values: if the second is so), flat if the line moves
    by less than 5% of the mean. Raises `Unverifiable` where the slope is as claimed, or not flat, but may be chance.
    """
    direction = data.asked.direction
    line = line_of(data.table, data.name, data.rows)
    text = f"{data.title('slope')} = {format_number(line.slope)} a {line.step} (n={line.n}, p={line.p:.2g})"
    if direction is Direction.FLAT:
        as_claimed = line.is_stable
        chance = not as_claimed and line.p >= SIGNIFICANT
    else:
        as_claimed = line.slope > 0 if direction is Direction.UP else line.slope < 0
        chance = as_claimed and line.p >= SIGNIFICANT
    if chance and line.n > 2:
        raise Unverifiable(f"{text}: that may be chance")
    return single(line.slope, None, text, holds=as_claimed)


def streak(data: StatisticInput) -> Computed:
    """Whether all changes in the window go in one direction."""
    if len(data.cells) < 2 or not data.is_known.all():
        raise Unverifiable(f"a streak takes at least 2 values, none of them missing; of {data.name!r} there are not")
    up = data.asked.direction is Direction.UP
    goes = (np.diff(data.cells) > 0) if up else (np.diff(data.cells) < 0)
    way = "rises" if up else "falls"
    line = f"{data.title(way)}: {int(goes.sum())} of {count_of(len(goes), 'step')}"
    return Computed(arithmetic=line, holds=bool(goes.all()))


def anomaly(data: StatisticInput) -> Computed:
    """Whether there is an anomaly in the window (at the place, if one is named).

    A value that season or trend make unusual is an anomaly, also where the value alone is usual. Raises
    `Unverifiable` where only the plain z-score finds one (season or trend may explain it), or where a count is claimed
    and the methods count differently.
    """
    asked, table = data.asked, data.table
    positions = set(data.rows.tolist())
    if asked.place is not None:
        positions &= set(rows_of(table, asked.place).tolist())
    methods = anomalies_of(table, data.name)
    side = 1 if asked.direction is Direction.UP else -1 if asked.direction is Direction.DOWN else 0
    results = [(by, [row for row in by.places if row in positions and by.scores[row] * side >= 0]) for by in methods]
    texts = [f" by {by.method} (|z| > {by.threshold}): {_row_texts(by, rows, table)}" for by, rows in results]
    window = "" if asked.window == ALL_ROWS else f" in {asked.window.text or asked.window}"
    line = f"anomalies of {data.name}{window}{';'.join(texts)}"
    numbers = [len(rows) for _, rows in results]
    if (numbers[0] and not numbers[-1]) or (asked.value is not None and len(set(numbers)) > 1):
        raise Unverifiable(f"{line}: the methods disagree")
    method, inside = results[-1]
    none_claimed = asked.statistic is Statistic.NO_ANOMALY
    if none_claimed and 0 < max(abs(method.scores[inside]), default=0.0) <= _JUST_BEYOND * method.threshold:
        raise Unverifiable(f"{line}: only just beyond the threshold")
    holds = bool(inside) != none_claimed if asked.value is None or none_claimed else None
    return single(len(inside), None, line, places=tuple(inside), holds=holds)


def _row_texts(method: Anomalies, places: list[int], table: NumericTable) -> str:
    scores = [format_number(round(float(method.scores[place]), 1)) for place in places[:5]]
    texts = [f"{table.row_name(place)} (z={score})" for place, score in zip(places, scores, strict=False)]
    return (", ".join(texts) + (f" and {len(places) - 5} more" if len(places) > 5 else "")) or "none"


_mean = _formula(np.mean, lambda values: f"({format_terms(values, '+')}) / {len(values)}")
_median = _formula(np.median, lambda values: f"the middle of {format_terms(sorted(values), ',')}")
_sum = _formula(np.sum, lambda values: format_terms(values, "+"))
_range = _formula(np.ptp, lambda values: f"{format_number(values.max())} - {format_number(values.min())}")

_S, _U = Statistic, UnitRule

STATISTICS: Mapping[Statistic, StatisticEntry] = {
    entry.statistic: entry
    for entry in (
        StatisticEntry(_S.VALUE_AT, _value_at, _U.LEVEL),
        StatisticEntry(_S.MEAN, _mean, _U.LEVEL, word="mean", is_inner=True),
        StatisticEntry(_S.MEDIAN, _median, _U.LEVEL, word="median", is_inner=True),
        StatisticEntry(_S.SUM, _sum, _U.LEVEL, word="sum", is_inner=True),
        StatisticEntry(_S.MINIMUM, _extreme, _U.LEVEL),
        StatisticEntry(_S.MAXIMUM, _extreme, _U.LEVEL),
        StatisticEntry(_S.TIME_OF_MAXIMUM, _extreme, _U.NO_VALUE),
        StatisticEntry(_S.TIME_OF_MINIMUM, _extreme, _U.NO_VALUE),
        StatisticEntry(_S.COUNT, _count, _U.COUNT),
        StatisticEntry(_S.MISSING, _missing, _U.COUNT),
        StatisticEntry(_S.COUNT_ABOVE, _count_beyond, _U.COUNT),
        StatisticEntry(_S.COUNT_BELOW, _count_beyond, _U.COUNT),
        StatisticEntry(_S.DIFFERENCE, _difference, _U.DISTANCE),
        StatisticEntry(_S.PERCENT_CHANGE, _quotient, _U.PERCENT),
        StatisticEntry(_S.RATIO, _quotient, _U.PLAIN),
        StatisticEntry(_S.TREND, trend, _U.NO_VALUE),
        StatisticEntry(_S.STREAK, streak, _U.NO_VALUE),
        StatisticEntry(_S.RANGE, _range, _U.DISTANCE, word="range"),
        StatisticEntry(_S.DEVIATION, _deviation, _U.DISTANCE, word="deviation"),
        StatisticEntry(_S.LATEST, _outer, _U.LEVEL, word="latest"),
        StatisticEntry(_S.FIRST, _outer, _U.LEVEL, word="first"),
        StatisticEntry(_S.RANK, _rank, _U.PLAIN),
        StatisticEntry(_S.COMPARISON, _comparison, _U.NO_VALUE),
        StatisticEntry(_S.ANOMALY, anomaly, _U.NO_VALUE),
        StatisticEntry(_S.NO_ANOMALY, anomaly, _U.NO_VALUE),
        StatisticEntry(_S.CROSSING, _crossing, _U.NO_VALUE),
        StatisticEntry(_S.SHARE, _share, _U.PERCENT),
    )
}
"""The entry of each statistic, in the order of `Statistic`; a new one is a function and an entry here."""


def statistics_in(*units: UnitRule) -> frozenset[Statistic]:
    """The statistics whose value is measured so."""
    return frozenset(entry.statistic for entry in STATISTICS.values() if entry.unit in units)


_COUNTS = statistics_in(UnitRule.COUNT)
_AMOUNTS = statistics_in(UnitRule.LEVEL, UnitRule.DISTANCE)
_CHANGES = (Statistic.DIFFERENCE, Statistic.PERCENT_CHANGE)
_OF_SEVERAL = (Statistic.SUM, Statistic.MEAN, Statistic.MEDIAN)
_YES_OR_NO = (Statistic.TREND, Statistic.COMPARISON, Statistic.NO_ANOMALY)
_STEPS = ("day", "week", "month", "year", "h")
_MOST_PERCENT = 200.0
_FURTHER = 1.5  # times its margin a round phrase ("a third") may still be meant
_ABOUT, _ABOUT_TELLING = 0.05, 0.02
_TELLING = 3  # digits from which a number is no round one: "about 362", or an agreement that is no chance
_SCALES = (3, 6)  # powers of ten that a table may be in without saying so
_ROUNDING = 1e-12  # of binary fractions: 0.1 + 0.2 is 0.3


@dataclass(frozen=True)
class Finding:
    """The verdict on one specification.

    `computed` is what it is in fact (a number in the claim's unit, a text for a time or a yes or no, None where nothing
    was computed), `unit` its unit, `arithmetic` the line that a person can follow, `reason` a sentence.
    """

    verdict: Verdict
    reason: str
    computed: float | str | None = None
    unit: str | None = None
    arithmetic: str = ""
    table: str | None = None


def compute(asked: Specification, table: NumericTable) -> Computed:
    """The statistic that a specification asks for, in one reading of one table. Raises `Unverifiable`."""
    computed = STATISTICS[asked.statistic].compute(StatisticInput(asked, table))
    groups = f"; a row is the {table.rows_are}" if table.rows_are else ""
    return replace(computed, arithmetic=f"{computed.arithmetic}{groups}")


def verify(asked: Specification, table: NumericTable) -> Finding:
    """The verdict on a specification, in every reading of a table; unverifiable where two of them disagree."""
    first, *others = (_finding(asked, reading) for reading in table.readings)
    other = next((finding for finding in others if finding.verdict != first.verdict), None)
    if other is None:
        return first
    readings = f"{first.verdict} ({first.reason}) or {other.verdict} ({other.reason})"
    why = f"two readings of the table disagree: {readings}"
    return Finding("unverifiable", why, arithmetic=first.arithmetic, table=first.table)


def _finding(asked: Specification, table: NumericTable) -> Finding:
    try:
        if asked.statistic in _COUNTS and asked.value is not None and asked.unit in _STEPS and asked.unit != table.step:
            raise Unverifiable(f"counted are {asked.unit}s, but the rows of {table.name} are not one a {asked.unit}")
        return _check_computed(asked, compute(asked, table), table)
    except Unverifiable as reason:
        return Finding("unverifiable", str(reason), table=table.name)


def _check_computed(asked: Specification, computed: Computed, table: NumericTable) -> Finding:
    if asked.place is not None and asked.statistic in (*PLACE_OF.values(), Statistic.CROSSING):
        listed = asked.place.parts if asked.statistic in PLACE_OF.values() else ()
        spots = [rows_of(table, spot, may_be_none=True).tolist() for spot in listed or (asked.place,)]
        recurs = asked.place.weekdays or asked.place.months
        if (listed or recurs) and any(len(spot) > 1 for spot in spots):
            raise Unverifiable(f"several rows are meant by {asked.place.text or asked.place}, and not taken together")
        where = ", ".join(table.row_name(place) for place in computed.places[:3]) or "nowhere"
        finding = Finding("supported", "", where, None, computed.arithmetic, table.name)
        is_there = all(any(place in computed.places for place in spot) for spot in spots)
        return _decided(asked, finding, is_there, asked.place.text or str(asked.place))
    if computed.holds is not None and (asked.value is None or asked.statistic in _YES_OR_NO):
        answer = "yes" if computed.holds else "no"
        return _decided(asked, Finding("supported", "", answer, None, computed.arithmetic, table.name), computed.holds)
    if asked.value is None or asked.statistic in PLACE_OF.values():
        raise Unverifiable(f"the claim says no value to check; {computed.arithmetic}")
    _require_same_kind(asked, table, computed.unit)
    options = list(_values_in_unit(asked, computed, table))
    match = next((option for option in options if _fits(asked, option[0])), None)
    if match is None and (stated := _stated_total(asked, table)) is not None:
        raise Unverifiable(f"a row of totals says {format_number(stated)}; {computed.arithmetic}")
    if match is None and _may_be_of_more(asked, table):
        raise Unverifiable(f"which rows are meant is not said; {computed.arithmetic}")
    if match is None and (why := _nearly_so(asked, computed, [value for value, _, _ in options])):
        raise Unverifiable(f"{why}; {computed.arithmetic}")
    value, unit, how = match or options[0]
    way = f" {asked.direction}" if asked.direction and asked.statistic in (*_CHANGES, Statistic.RATIO) else ""
    hedge = "" if asked.hedge is Hedge.EXACT else f"{asked.hedge.replace('_', ' ')} "
    claimed = f"{hedge}{format_number(asked.value, asked.unit)}{way}"
    line = f"{computed.arithmetic} ({how})" if how else computed.arithmetic
    return _decided(asked, Finding("supported", "", value, unit, line, table.name), match is not None, claimed)


def _may_be_of_more(asked: Specification, table: NumericTable) -> bool:
    """Whether a total or a mean may be of other rows than the text before names last: "42 and Linden 27, so 69"."""
    if asked.statistic not in _OF_SEVERAL or not asked.window.is_of_before:
        return False
    return asked.window == ALL_ROWS or len(rows_of(table, asked.window)) == 1


def _stated_total(asked: Specification, table: NumericTable) -> float | None:
    """The cell of a row of totals that a value of all rows holds of: a total of more of them, or a weighted mean."""
    if asked.statistic not in _OF_SEVERAL or asked.hedge in BOUNDS or table.with_totals is None:
        return None
    if asked.series not in table.with_totals.columns or len(rows_of(table, asked.window)) < table.rows:
        return None
    cells = table.with_totals.frame[asked.series].iloc[list(table.totals)]
    return next((float(cell) for cell in cells if _fits(asked, cell)), None)


def _decided(asked: Specification, finding: Finding, is_true: bool, claimed: str = "") -> Finding:
    """A finding with its verdict and the reason of it: what is `claimed` is empty for a yes or no."""
    line, value = finding.arithmetic, finding.computed
    text = value if isinstance(value, str) else None
    shown = format_number(float(value or 0), finding.unit) if text is None else text
    if is_true != asked.negated:
        return replace(finding, reason=line if text else f"computed {shown}: {line}")
    reason = f"{line}; the claim says otherwise"
    if claimed:
        negation = "not " if asked.negated else ""
        reason = f"the claim says {negation}{claimed}, {'it' if text else 'computed'} is {shown}: {line}"
    return replace(finding, verdict="contradicted", reason=reason)


def _require_same_kind(asked: Specification, table: NumericTable, unit: str | None) -> None:
    """Raises `Unverifiable` where a percentage is claimed of a series without a unit whose values are beyond 200.

    A part in words ("a third") is never the value of such a series.
    """
    if asked.unit != "%" or unit is not None or asked.statistic in _COUNTS | {Statistic.RATIO}:
        return
    is_beyond = asked.series in table.columns and max(map(abs, table.bounds(str(asked.series)))) > _MOST_PERCENT
    if asked.margin is not None or is_beyond:
        what = "percentage" if asked.margin is None else "part"
        raise Unverifiable(f"a {what} is claimed, and the values of {asked.series!r} are none")


def _values_in_unit(
    asked: Specification, computed: Computed, table: NumericTable
) -> Iterator[tuple[float, str | None, str]]:
    """The computed value in the claim's unit, by each definition, and on each scale that the table may be in."""
    unit = asked.unit if asked.statistic not in _COUNTS else None
    is_percent = computed.unit in ("%", "pp")
    power = unit_and_power(table.units.get(asked.series or ""))[1]
    if is_percent or not (computed.unit or asked.statistic in _AMOUNTS):
        power = 0
    scales = [(power, "")]
    if power and unit is None:
        scales.append((0, "as the table writes it"))  # "846" of a column in thousands
    if not is_percent and asked.statistic not in _COUNTS | {Statistic.RATIO, Statistic.RANK}:
        if table.power and not power:
            scales.append((table.power, f"the table is in 10^{table.power}"))
        least, most = table.bounds(asked.series) if unit == "%" and asked.series else (math.nan, math.nan)
        if computed.unit is None and least >= 0 and most <= 1:
            scales.append((2, "the series is read as shares of 1"))
    for scale, why in scales:
        for definition, value in computed.values.items():
            period = f"times {asked.times:.4g}, in the period that is meant" if asked.times != 1 else ""
            parts = (definition if asked.statistic is Statistic.DEVIATION else "", period, why)
            in_unit = convert(value * asked.times * 10.0**scale, computed.unit, unit)
            yield in_unit, unit or computed.unit, "; ".join(filter(None, parts))


def _nearly_so(asked: Specification, computed: Computed, values: list[float]) -> str | None:
    """Why a claim that does not hold may still be right: a round phrase, or a change between negative values."""
    assert asked.value is not None
    if asked.margin is not None and asked.hedge not in BOUNDS:
        wider = replace(asked, margin=_FURTHER * asked.margin, hedge=Hedge.ABOUT)
        is_near = any(_fits(wider, value) for value in values)
        return "the claim has a round number that may be meant" if is_near else None
    if asked.statistic in _CHANGES and (computed.base or 0.0) < 0 and any(_fits(asked, -value) for value in values):
        return "the values are negative, and the change may be meant in size"
    is_amount_spent = asked.statistic in _AMOUNTS and means(asked.series or "", "spent")
    if is_amount_spent and any(_fits(asked, -value) for value in values):
        return "what is spent may be written with a minus, or without"
    if asked.hedge is not Hedge.EXACT or len(f"{asked.value:g}".strip("0.-")) < _TELLING:
        return None
    is_amount = computed.unit not in ("%", "pp") and (asked.statistic in _AMOUNTS or computed.unit is not None)
    if is_amount and any(_fits(asked, value * 10.0**scale) for value in values for scale in _SCALES):
        return "the table does not say whether it is in thousands or millions, as the claim is"
    return None


def _fits(asked: Specification, value: float) -> bool:
    """Whether a computed value is as claimed, in the claimed direction."""
    assert asked.value is not None
    stated, values = asked.value, [value]
    if asked.statistic in _CHANGES and asked.direction is None:
        values = [value, -value]
    elif asked.statistic in _CHANGES and asked.direction is not Direction.FLAT:
        stated, values = abs(stated), [value if asked.direction is Direction.UP else -value]
    elif asked.statistic is Statistic.RATIO and asked.direction is Direction.DOWN and stated >= 1:
        values = [1 / value if value else 0.0]
    return any(holds(value, stated, asked.decimals, asked.hedge, asked.margin) for value in values)


def holds(computed: float, stated: float, decimals: int, hedge: Hedge, share: float | None = None) -> bool:
    """Whether a stated value holds.

    exact: the computed value rounds to it. about: that, or within 5% of it (2% of a number of three digits or more).
    nearly: up to it, from as much or half a step of its precision below ("nearly 3 minutes" from 2.5). just_over: from
    it up to as much above. more_than, less_than, at_least, at_most: as they say, of the stated value as it stands. Of
    negative values nearly and just_over are meant in size ("nearly -50" is -48). A round phrase ("a third") may be off
    by a `share` of its value in place of 5%. Decimals may be negative.
    """
    slack = _ROUNDING * max(abs(computed), abs(stated))
    above = computed - stated
    if bound := BOUNDS.get(hedge):
        return {"gt": above > slack, "ge": above >= -slack, "lt": above < -slack, "le": above <= slack}[bound]
    if share is None and hedge is not Hedge.EXACT:
        digits = str(round(abs(stated) * 10.0**decimals)).rstrip("0")  # 41,000 has two
        share = _ABOUT if len(digits) < _TELLING else _ABOUT_TELLING
    margin = max(0.5 * 10.0**-decimals, abs(stated) * (share or 0.0))
    beyond = above if stated >= 0 else -above
    least, most = (0.0 if hedge is Hedge.JUST_OVER else -margin), (0.0 if hedge is Hedge.NEARLY else margin)
    return least - slack <= beyond <= most + slack
