"""Anomalies of a series: values far from the rest, and values far from what season or trend predict.

Robust z-score: 0.6745 (x - median) / MAD, an anomaly beyond 3.5 (Iglewicz and Hoaglin 1993); where the MAD is 0, the
mean absolute deviation takes its place. Seasonal: the same of the residuals of STL (Cleveland et al. 1990), beyond 5,
on a series in regular steps with at least three whole seasons. Without such a season but with a trend: the same of
the distances from the line of Theil and Sen.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ....text.wording import count_of
from ..specification import Direction, Statistic, Unverifiable
from ..tables.rows import all_values, in_order, rows_of
from ..tables.table import NumericTable, Period
from .computation import Computed, StatisticInput, format_number, single

if TYPE_CHECKING:
    from numpy.typing import NDArray

_THRESHOLD = 3.5
# a robust fit follows what is usual so closely that of normal noise far more residuals pass 3.5 than should
_THRESHOLD_OF_RESIDUALS = 5.0
_JUST_BEYOND = 1.2  # a score up to this times the threshold is beyond it by one method's luck
_LEAST_OF_SPREAD = 0.1  # a residual's spread counts as this share of the series' own, lest trifles become anomalies
_FEWEST = 8  # values; fewer say little about what is usual
_FEWEST_SEASONS = 3
_MOST_FOR_STL = 20_000  # values; STL takes seconds beyond
_MOST_FOR_SLOPES = 1000  # values
_TREND = 0.01  # p of Kendall's tau with time


@dataclass(frozen=True, eq=False)
class Anomalies:
    """The anomalies of a series by one method: rows' positions in order of time, and every row's score (NaN: none)."""

    method: str
    places: tuple[int, ...]
    scores: "NDArray[Any]"
    threshold: float


@lru_cache(maxsize=64)
def anomalies_of(table: NumericTable, series: str) -> tuple[Anomalies, ...]:
    """The anomalies of a whole series by each method that it allows, the robust z-score first.

    Raises `Unverifiable` for fewer than 8 values, or cells that are no numbers.
    """
    import numpy as np

    values = all_values(table, series, np.arange(table.rows))
    count = int((~np.isnan(values)).sum())
    if count < _FEWEST:
        raise Unverifiable(
            f"what is unusual takes at least {count_of(_FEWEST, 'value')} to tell; {series!r} has {count}"
        )
    methods = [("robust z-score", _THRESHOLD, _robust_z(values))]
    least = _LEAST_OF_SPREAD * _robust_spread(values)
    if (seasonal := _seasonal_residuals(table, values)) is not None:
        left, rough = seasonal
        methods.append(("seasonal decomposition (STL)", _THRESHOLD_OF_RESIDUALS, _robust_z(left, max(least, rough))))
    elif (beside := _trend_residuals(table, values)) is not None:
        methods.append(("distance from the trend (Theil-Sen)", _THRESHOLD_OF_RESIDUALS, _robust_z(beside, least)))
    every = []
    for method, threshold, scores in methods:
        places = in_order(table, np.flatnonzero(np.abs(np.nan_to_num(scores)) > threshold))
        every.append(Anomalies(method, tuple(places.tolist()), scores, threshold))
    return tuple(every)


def anomaly(data: StatisticInput) -> Computed:
    """Whether there is an anomaly in the window (at the place, if one is named; upwards or downwards, if said).

    A value that season or trend make unusual is an anomaly, also where the value alone is usual. Raises
    `Unverifiable` where only the plain z-score finds one (season or trend may explain it), or where a count is claimed
    and the methods count differently.
    """
    import numpy as np

    asked, table, rows = data.asked, data.table, data.rows
    if asked.place is not None:
        rows = np.intersect1d(rows, rows_of(table, asked.place))
    positions = set(rows.tolist())
    results = [(method, _in_rows(method, positions, asked.direction)) for method in anomalies_of(table, data.name)]
    texts = [
        f" by {method.method} (|z| > {method.threshold}): {_row_texts(method, at, table)}" for method, at in results
    ]
    window = f" in {asked.window.text or asked.window}" if str(asked.window) != "all rows" else ""
    line = f"anomalies of {data.name}{window}{';'.join(texts)}"
    numbers = [len(at) for _, at in results]
    if (numbers[0] and not numbers[-1]) or (asked.value is not None and len(set(numbers)) > 1):
        raise Unverifiable(f"{line}: the methods disagree")
    method, inside = results[-1]
    just = [place for place in inside if abs(method.scores[place]) <= _JUST_BEYOND * method.threshold]
    if inside and just == inside and asked.statistic is Statistic.NO_ANOMALY:
        raise Unverifiable(f"{line}: only just beyond the threshold")
    holds = bool(inside) == (asked.statistic is Statistic.ANOMALY) if asked.value is None else None
    return single(len(inside), None, line, places=tuple(inside), holds=holds)


def _in_rows(method: Anomalies, positions: set[int], direction: Direction | None) -> list[int]:
    """A method's anomalies in these rows, in the claimed direction."""
    up = direction is Direction.UP
    return [p for p in method.places if p in positions and (direction is None or (method.scores[p] > 0) == up)]


def _row_texts(method: Anomalies, places: list[int], table: NumericTable) -> str:
    texts = [
        f"{table.row_name(place)} (z={format_number(round(float(method.scores[place]), 1))})" for place in places[:5]
    ]
    more = f" and {len(places) - 5} more" if len(places) > 5 else ""
    return (", ".join(texts) + more) or "none"


def _robust_spread(values: "NDArray[Any]") -> float:
    """The median absolute deviation as a standard deviation; the mean absolute deviation where that is 0."""
    import numpy as np

    distance = np.abs(values - np.nanmedian(values))
    return float(np.nanmedian(distance)) / 0.6745 or float(np.nanmean(distance)) * 1.2533


def _robust_z(values: "NDArray[Any]", least: float = 0.0) -> "NDArray[Any]":
    """Each value's distance from the median by the robust spread (at least `least`); 0 where values never differ."""
    import numpy as np

    distance = values - np.nanmedian(values)
    spread = max(_robust_spread(values), least)
    scores: NDArray[Any] = distance / spread if spread else distance * 0
    return scores


def _seasonal_residuals(table: NumericTable, values: "NDArray[Any]") -> "tuple[NDArray[Any], float] | None":
    """What STL leaves of the values, in the table's order, and the spread of what plain medians leave.

    None where times are irregular or seasons too few.
    """
    import numpy as np
    import pandas as pd

    season = _season(table)
    if season is None or len(values) < _FEWEST_SEASONS * season or len(values) > _MOST_FOR_STL:
        return None
    from statsmodels.tsa.seasonal import STL

    assert table.times is not None  # it has a season
    order = table.times.argsort()
    ordered = pd.Series(values[order])
    filled = ordered.interpolate(limit_direction="both").to_numpy()
    # STL takes a huge outlier for its season where seasons are few: such are first put where plain medians expect them
    expected = _by_medians(filled, season)
    rough = filled - expected
    cleaned = np.where(np.abs(_robust_z(rough)) > _THRESHOLD_OF_RESIDUALS, expected, filled)
    # a season that stays the same; in long series the smoother is evaluated at some points and interpolated between
    jumps = {"seasonal_jump": 1 + len(values) // 1000, "trend_jump": 1 + len(values) // 500}
    decomposed = STL(cleaned, period=season, seasonal=10 * len(values) + 1, seasonal_deg=0, robust=True, **jumps).fit()
    residuals = filled - decomposed.trend - decomposed.seasonal
    # rounding of the decomposition is no deviation
    residuals[np.abs(residuals) < 1e-9 * max(float(np.nanmax(np.abs(values))), 1e-12)] = 0.0
    back = np.empty_like(residuals)
    back[order] = np.where(ordered.isna(), np.nan, residuals)
    return back, _robust_spread(rough)


def _trend_residuals(table: NumericTable, values: "NDArray[Any]") -> "NDArray[Any] | None":
    """What the line of Theil and Sen leaves of the values; None where the series has no trend (Kendall, p < 0.01)."""
    import numpy as np
    from scipy.stats import kendalltau

    at = np.arange(len(values), dtype=float)
    if table.times is not None and not table.times.hasnans:
        at = (table.times - table.times.min()).total_seconds().to_numpy() / 86400
    some = _thin_out(values)
    if np.ptp(at[some]) == 0 or np.ptp(values[some]) == 0 or kendalltau(at[some], values[some]).pvalue >= _TREND:
        return None
    residuals: NDArray[Any] = values - _line(at, values)
    return residuals


def _thin_out(values: "NDArray[Any]") -> "NDArray[Any]":
    """The positions of the values that are there, of many every so many: slopes are as many as the square."""
    import numpy as np

    known: NDArray[Any] = np.flatnonzero(~np.isnan(values))
    return known[:: max(1, len(known) // _MOST_FOR_SLOPES)]


def _line(at: "NDArray[Any]", values: "NDArray[Any]") -> "NDArray[Any]":
    """A straight line by the median of slopes (Theil and Sen)."""
    from scipy.stats import theilslopes

    some = _thin_out(values)
    slope, intercept, *_ = theilslopes(values[some], at[some])
    line: NDArray[Any] = intercept + slope * at
    return line


def _by_medians(values: "NDArray[Any]", season: int) -> "NDArray[Any]":
    """A straight line, and a season by the medians of what it leaves."""
    import numpy as np

    steps = np.arange(len(values))
    line = _line(steps, values)
    medians = np.array([np.median((values - line)[place::season]) for place in range(season)])
    expected: NDArray[Any] = line + medians[steps % season]
    return expected


def _season(table: NumericTable) -> int | None:
    """How many rows a season takes: 24 hours, 7 days, 12 months, 4 quarters; None where the steps are not regular."""
    import numpy as np

    if table.times is None or table.times.hasnans or len(table.times) < _FEWEST:
        return None
    times = table.times.sort_values()
    if table.period is Period.MONTH or (times.day == times.day[0]).all():
        months = np.diff(times.year * 12 + times.month)
        if (months == 1).all():
            return 12
    if table.period is Period.QUARTER:
        return 4 if (np.diff(times.year * 4 + times.quarter) == 1).all() else None
    steps = np.diff(times.to_numpy()).astype("timedelta64[s]").astype(int)
    if len(set(steps.tolist())) != 1:
        return None
    return {3600: 24, 86400: 7, 1800: 48, 900: 96}.get(int(steps[0]))
