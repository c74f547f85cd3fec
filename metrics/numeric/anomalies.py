"""Anomalies of a series: values far from the rest, by a robust z-score, and far from their season's expectation.

Robust z-score: 0.6745 (x - median) / MAD, an anomaly beyond 3.5 (Iglewicz and Hoaglin 1993); where the MAD is 0, the
mean absolute deviation takes its place. Seasonal: the same of the residuals of STL (Cleveland et al. 1990), beyond 5,
on a series in regular steps with at least three whole seasons.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .aggregates import series_name
from .computed import Computed, shown
from .rows import in_order, rows_of
from .specification import Direction, Specification, Statistic
from .table import Period, Table, Unverifiable

if TYPE_CHECKING:
    from numpy.typing import NDArray

THRESHOLD = 3.5
# robust STL fits what is usual so closely that of normal noise far more residuals pass 3.5 than should
SEASONAL_THRESHOLD = 5.0
_FEWEST = 8  # values; fewer say little about what is usual
_MOST_FOR_STL = 20_000  # values; STL takes seconds beyond
_LEAST_OF_SPREAD = 0.1  # a residual's spread counts as this share of the series' own, lest trifles become anomalies
_FEWEST_SEASONS = 3
_MOST_FOR_SLOPES = 1000  # values: their slopes are as many as the square
_MONTHS_A_YEAR = 12


@dataclass(frozen=True, eq=False)
class Anomalies:
    """The anomalies of a series by one method: rows' positions in order of time, and every row's score (NaN: none)."""

    method: str
    places: tuple[int, ...]
    scores: "NDArray[Any]"
    threshold: float


@lru_cache(maxsize=64)
def anomalies_of(table: Table, series: str) -> tuple[Anomalies, ...]:
    """The anomalies of a whole series by each method that it allows, the robust z-score first.

    Raises `Unverifiable` for fewer than 8 values, or cells that are no numbers.
    """
    import numpy as np

    if unreadable := table.unreadable.get(series):
        raise Unverifiable(f"{series!r} cannot be read as a number in {table.row_name(unreadable[0])}")
    values = table.series(series).to_numpy()
    count = int((~np.isnan(values)).sum())
    if count < _FEWEST:
        raise Unverifiable(f"what is unusual takes at least {_FEWEST} values to tell; {series!r} has {count}")
    found = [_beyond(("robust z-score", THRESHOLD), robust_z(values), table)]
    seasonal = _seasonal_residuals(table, values)
    if seasonal is not None:
        residuals, rough = seasonal
        least = max(_LEAST_OF_SPREAD * robust_spread(values), rough)
        found.append(_beyond(("seasonal decomposition (STL)", SEASONAL_THRESHOLD), robust_z(residuals, least), table))
    return tuple(found)


def robust_spread(values: "NDArray[Any]") -> float:
    """The median absolute deviation as a standard deviation; the mean absolute deviation where that is 0."""
    import numpy as np

    distance = np.abs(values - np.nanmedian(values))
    return float(np.nanmedian(distance)) / 0.6745 or float(np.nanmean(distance)) * 1.2533


def robust_z(values: "NDArray[Any]", least: float = 0.0) -> "NDArray[Any]":
    """Each value's distance from the median by the robust spread (at least `least`); 0 where values never differ."""
    import numpy as np

    distance = values - np.nanmedian(values)
    spread = max(robust_spread(values), least)
    scores: NDArray[Any] = distance / spread if spread else distance * 0
    return scores


def _beyond(method: tuple[str, float], scores: "NDArray[Any]", table: Table) -> Anomalies:
    import numpy as np

    name, threshold = method
    places = in_order(table, np.flatnonzero(np.abs(np.nan_to_num(scores)) > threshold))
    return Anomalies(name, tuple(int(place) for place in places), scores, threshold)


def _seasonal_residuals(table: Table, values: "NDArray[Any]") -> "tuple[NDArray[Any], float] | None":
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
    cleaned = np.where(np.abs(robust_z(rough)) > SEASONAL_THRESHOLD, expected, filled)
    # a season that stays the same; in long series the smoother is evaluated at some points and interpolated between
    jumps = {"seasonal_jump": 1 + len(values) // 1000, "trend_jump": 1 + len(values) // 500}
    decomposed = STL(cleaned, period=season, seasonal=10 * len(values) + 1, seasonal_deg=0, robust=True, **jumps).fit()
    residuals = np.where(ordered.isna(), np.nan, filled - decomposed.trend - decomposed.seasonal)
    back = np.empty_like(residuals)
    back[order] = residuals
    scale = max(float(np.nanmax(np.abs(values))), 1e-12)
    back[np.abs(back) < 1e-9 * scale] = 0.0  # rounding of the decomposition is no deviation
    return back, robust_spread(rough)


def _by_medians(values: "NDArray[Any]", season: int) -> "NDArray[Any]":
    """A straight line by the median of slopes (Theil and Sen), and a season by the medians of what it leaves."""
    import numpy as np
    from scipy.stats import theilslopes

    steps = np.arange(len(values))
    some = slice(None, None, max(1, len(values) // _MOST_FOR_SLOPES))
    slope, intercept, *_ = theilslopes(values[some], steps[some])
    line = intercept + slope * steps
    left = values - line
    medians = np.array([np.median(left[place::season]) for place in range(season)])
    expected: NDArray[Any] = line + medians[steps % season]
    return expected


def _season(table: Table) -> int | None:
    """How many rows a season takes: 24 hours, 7 days, 12 months, 4 quarters; None where the steps are not regular."""
    import numpy as np

    if table.times is None or table.times.hasnans or len(table.times) < _FEWEST:
        return None
    times = table.times.sort_values()
    if table.period is Period.MONTH or (times.day == times.day[0]).all():
        months = np.diff(times.year * 12 + times.month)
        if (months == 1).all():
            return _MONTHS_A_YEAR
    if table.period is Period.QUARTER:
        return 4 if (np.diff(times.year * 4 + times.quarter) == 1).all() else None
    steps = np.diff(times.to_numpy()).astype("timedelta64[s]").astype(int)
    if len(set(steps.tolist())) != 1:
        return None
    return {3600: 24, 86400: 7, 1800: 48, 900: 96}.get(int(steps[0]))


def anomaly(asked: Specification, table: Table) -> Computed:
    """Whether there is an anomaly in the window (at the place, if one is named; upwards or downwards, if said).

    Raises `Unverifiable` where the methods that the series allows disagree about it.
    """
    import numpy as np

    name = series_name(asked)
    rows = rows_of(table, asked.window)
    if asked.place is not None:
        rows = np.intersect1d(rows, rows_of(table, asked.place))
    told, meant = [], set(rows.tolist())
    for method in anomalies_of(table, name):
        inside = [place for place in method.places if place in meant and _goes(method, place, asked)]
        told.append((method, inside))
    texts = [f"{method.method} (|z| > {method.threshold}): {_named(method, inside, table)}" for method, inside in told]
    line = f"anomalies of {name}" + (
        f" in {asked.window.text or asked.window}" if str(asked.window) != "all rows" else ""
    )
    line += " by " + "; by ".join(texts)
    numbers = {len(inside) for _, inside in told}
    if len({number > 0 for number in numbers}) > 1 or (asked.value is not None and len(numbers) > 1):
        raise Unverifiable(f"{line}: the methods disagree")
    inside = told[0][1]
    holds = bool(inside) == (asked.statistic is Statistic.ANOMALY)
    return Computed({"": float(len(inside))}, None, line, tuple(inside), holds if asked.value is None else None)


def _goes(method: Anomalies, place: int, asked: Specification) -> bool:
    return asked.direction is None or (method.scores[place] > 0) == (asked.direction is Direction.UP)


def _named(method: Anomalies, places: list[int], table: Table) -> str:
    texts = [f"{table.row_name(place)} (z={shown(round(float(method.scores[place]), 1))})" for place in places[:5]]
    more = f" and {len(places) - 5} more" if len(places) > 5 else ""
    return (", ".join(texts) + more) or "none"
