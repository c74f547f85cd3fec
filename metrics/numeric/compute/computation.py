"""What a statistic is computed from and what it came to; a series over time: its slope, streaks and anomalies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property, lru_cache
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....text.wording import count_of
from ..specification import ALL_ROWS, Direction, Specification, Statistic, Unverifiable
from ..tables.table import LENGTHS, NumericTable, all_values, rows_of, unit_of_period, values_of

SIGNIFICANT = 0.05  # p-values below are no chance
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


_STABLE = 0.05  # a line that moves less than 5% of the mean over the window is stable, however sure the slope
_THRESHOLD = 3.5
# a robust fit follows what is usual so closely that of normal noise far more residuals pass 3.5 than should
_THRESHOLD_OF_RESIDUALS = 5.0
_JUST_BEYOND = 1.2  # a score up to this times the threshold is beyond it by one method's luck
_LEAST_OF_SPREAD = 0.1  # a residual's spread counts as this share of the series' own, lest trifles become anomalies
_FEWEST = 8  # values; fewer say little about what is usual
_FEWEST_SEASONS = 3
_SEASONS = {3600: 24, 1800: 48, 900: 96, 86400: 7}  # rows in a season, by the seconds from row to row
_MOST_FOR_STL = 20_000  # values; STL takes seconds beyond
_MOST_FOR_SLOPES = 500  # values; slopes are as many as the square
_CONFIDENCE = 0.99  # that the slope of a trend is not 0


@dataclass(frozen=True)
class TrendLine:
    """A least-squares line: its slope per `step` ("day", "month", "row"), the slope's two-sided p-value (1 if n < 3),
    the number of values, and whether the line moves by less than 5% of the series' mean.
    """

    slope: float
    p: float
    n: int
    step: str
    is_stable: bool

    @property
    def direction(self) -> Direction:
        """Up or down where the slope differs from 0 at p < 0.05 and the line moves by 5% or more; else flat."""
        if self.p >= SIGNIFICANT or self.is_stable:
            return Direction.FLAT
        return Direction.UP if self.slope > 0 else Direction.DOWN


def line_of(table: NumericTable, series: str, rows: NDArray[Any]) -> TrendLine:
    """The least-squares line of a series over some rows, by their real times if they have any.

    Raises `Unverifiable` for fewer than 2 values, or values all of one time.
    """
    from scipy.stats import linregress

    values = all_values(table, series, rows)
    known = ~np.isnan(values)
    values = values[known]
    at, step = _time_axis(table, rows[known])
    if len(values) < 2 or np.ptp(at) == 0:
        raise Unverifiable(f"a trend takes at least 2 values; {series!r} has {len(values)}")
    fit = linregress(at, values)
    p = float(fit.pvalue) if len(values) > 2 and np.ptp(values) else 1.0
    is_stable = abs(fit.slope) * np.ptp(at) < _STABLE * abs(values.mean())
    return TrendLine(float(fit.slope), p, len(values), step, bool(is_stable))


def _time_axis(table: NumericTable, rows: NDArray[Any]) -> tuple[NDArray[Any], str]:
    """The times of rows in steps (days, months) from the first, and the step; their order where they have no times."""
    if table.times is None or table.times.hasnans:
        return np.arange(len(rows), dtype=float), "row"
    step = unit_of_period(table.period)
    days = (table.times[rows] - table.times[0]).total_seconds().to_numpy() / 86400
    return days / LENGTHS[step], step


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


class Anomalies(NamedTuple):
    """The anomalies of a series by one method: every row's score (NaN: none), and the rows' places in order of time."""

    method: str
    threshold: float
    scores: NDArray[Any]
    places: tuple[int, ...]


@lru_cache(maxsize=64)
def anomalies_of(table: NumericTable, series: str) -> tuple[Anomalies, ...]:
    """The anomalies of a whole series by each method that it allows, the robust z-score first.

    Raises `Unverifiable` for fewer than 8 values, or cells that are no numbers.
    """
    order = rows_of(table, ALL_ROWS)
    values = all_values(table, series, order)
    count = int((~np.isnan(values)).sum())
    if count < _FEWEST:
        raise Unverifiable(f"what is unusual takes at least {_FEWEST} values to tell; {series!r} has {count}")
    methods = [("robust z-score", _THRESHOLD, _robust_z(values))]
    least = _LEAST_OF_SPREAD * _robust_spread(values)
    season = _season(table)
    if season is not None and _FEWEST_SEASONS * season <= len(values) <= _MOST_FOR_STL:
        scores = _seasonal_scores(values, season, least)
        methods.append(("seasonal decomposition (STL)", _THRESHOLD_OF_RESIDUALS, scores))
    else:
        line, is_trend = _theil_sen(_time_axis(table, order)[0], values)
        if is_trend:
            scores = _robust_z(values - line, least)
            methods.append(("distance from the trend (Theil-Sen)", _THRESHOLD_OF_RESIDUALS, scores))
    anomalies = []
    for method, threshold, scores in methods:
        by_row = np.empty_like(scores)
        by_row[order] = scores
        places = order[np.abs(np.nan_to_num(scores)) > threshold]
        anomalies.append(Anomalies(method, threshold, by_row, tuple(places.tolist())))
    return tuple(anomalies)


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
    results = [(method, [place for place in method.places if place in positions]) for method in methods]
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


def _robust_spread(values: NDArray[Any]) -> float:
    """The median absolute deviation as a standard deviation; the mean absolute deviation where that is 0."""
    distance = np.abs(values - np.nanmedian(values))
    return float(np.nanmedian(distance)) / 0.6745 or float(np.nanmean(distance)) * 1.2533


def _robust_z(values: NDArray[Any], least: float = 0.0) -> NDArray[Any]:
    """Each value's distance from the median by the robust spread (at least `least`); 0 where values never differ."""
    distance = values - np.nanmedian(values)
    scores: NDArray[Any] = distance / (max(_robust_spread(values), least) or np.inf)
    return scores


def _seasonal_scores(values: NDArray[Any], season: int, least: float) -> NDArray[Any]:
    """The scores of what STL leaves of the values, by a spread of at least what plain medians leave."""
    import pandas as pd
    from statsmodels.tsa.seasonal import STL

    filled = pd.Series(values).interpolate(limit_direction="both")
    steps = np.arange(len(values), dtype=float)
    # STL takes a huge outlier for its season where seasons are few: such are first put where plain medians expect them
    left = filled - _theil_sen(steps, filled.to_numpy())[0]
    rough = left - left.groupby(steps % season).transform("median")
    cleaned = filled - rough.where(np.abs(_robust_z(rough)) > _THRESHOLD_OF_RESIDUALS, 0.0)
    # a season that stays the same; in long series the smoother is evaluated at some points and interpolated between
    jumps = {"seasonal_jump": 1 + len(values) // 1000, "trend_jump": 1 + len(values) // 500}
    settings = {"period": season, "seasonal": 10 * len(values) + 1, "seasonal_deg": 0, "robust": True, **jumps}
    decomposed = STL(cleaned.to_numpy(), **settings).fit()
    residuals: NDArray[Any] = values - decomposed.trend - decomposed.seasonal
    # rounding of the decomposition is no deviation
    residuals[np.abs(residuals) < 1e-9 * max(float(np.nanmax(np.abs(values))), 1e-12)] = 0.0
    return _robust_z(residuals, max(least, _robust_spread(rough)))


def _theil_sen(at: NDArray[Any], values: NDArray[Any]) -> tuple[NDArray[Any], bool]:
    """The straight line by the median of slopes (of many values, by every so many), and whether it is a trend."""
    from scipy.stats import theilslopes

    known = np.flatnonzero(~np.isnan(values))
    some = known[:: max(1, len(known) // _MOST_FOR_SLOPES)]
    if np.ptp(at[some]) == 0:
        return np.full_like(values, np.median(values[some])), False
    fit = theilslopes(values[some], at[some], _CONFIDENCE)
    return fit.intercept + fit.slope * at, not fit.low_slope <= 0 <= fit.high_slope


def _season(table: NumericTable) -> int | None:
    """How many rows a season takes: 24 hours, 7 days, 12 months, 4 quarters; None where the steps are not regular."""
    if table.times is None or table.times.hasnans:
        return None
    times = table.times.sort_values()
    months = np.unique(np.diff(times.year * 12 + times.month))
    if len(months) == 1 and months[0] in (1, 3) and (times.day == times.day[0]).all():
        return int(12 // months[0])
    seconds = np.unique(np.diff(times.to_numpy()).astype("timedelta64[s]").astype(int))
    return _SEASONS.get(int(seconds[0])) if len(seconds) == 1 else None
