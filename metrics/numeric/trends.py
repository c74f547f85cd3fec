"""A series over time: the slope of its line, and its anomalies by each method that it allows."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .table import ALL_ROWS, LENGTHS, NumericTable, Unverifiable, all_values, rows_of, unit_of_period

SIGNIFICANT = 0.05  # p-values below are no chance
_STABLE = 0.05  # a line that moves less than 5% of the mean over the window is stable, however sure the slope
_THRESHOLD = 3.5
# a robust fit follows what is usual so closely that of normal noise far more residuals pass 3.5 than should
_THRESHOLD_OF_RESIDUALS = 5.0
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
