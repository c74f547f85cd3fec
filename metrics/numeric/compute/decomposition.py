"""What is left of a series when its season or its trend is taken out, so that the unusual shows."""

from typing import TYPE_CHECKING, Any

from ..tables import Period, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST = 8  # values; fewer say little about what is usual
# a robust fit follows what is usual so closely that of normal noise far more residuals pass 3.5 than should
THRESHOLD = 5.0
_MOST_FOR_STL = 20_000  # values; STL takes seconds beyond
_FEWEST_SEASONS = 3
_MOST_FOR_SLOPES = 1000  # values: their slopes are as many as the square
_MONTHS_A_YEAR = 12
_TREND = 0.01  # p of Kendall's tau with time


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


def seasonal_residuals(table: Table, values: "NDArray[Any]") -> "tuple[NDArray[Any], float] | None":
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
    cleaned = np.where(np.abs(robust_z(rough)) > THRESHOLD, expected, filled)
    # a season that stays the same; in long series the smoother is evaluated at some points and interpolated between
    jumps = {"seasonal_jump": 1 + len(values) // 1000, "trend_jump": 1 + len(values) // 500}
    decomposed = STL(cleaned, period=season, seasonal=10 * len(values) + 1, seasonal_deg=0, robust=True, **jumps).fit()
    residuals = np.where(ordered.isna(), np.nan, filled - decomposed.trend - decomposed.seasonal)
    back = np.empty_like(residuals)
    back[order] = residuals
    scale = max(float(np.nanmax(np.abs(values))), 1e-12)
    back[np.abs(back) < 1e-9 * scale] = 0.0  # rounding of the decomposition is no deviation
    return back, robust_spread(rough)


def trend_residuals(table: Table, values: "NDArray[Any]") -> "NDArray[Any] | None":
    """What the line of Theil and Sen leaves of the values; None where the series has no trend (Kendall, p < 0.01)."""
    import numpy as np
    from scipy.stats import kendalltau, theilslopes

    at = np.arange(len(values), dtype=float)
    if table.times is not None and not table.times.hasnans:
        at = (table.times - table.times.min()).total_seconds().to_numpy() / 86400
    known = np.flatnonzero(~np.isnan(values))
    some = known[:: max(1, len(known) // _MOST_FOR_SLOPES)]
    if np.ptp(at[some]) == 0 or np.ptp(values[some]) == 0 or kendalltau(at[some], values[some]).pvalue >= _TREND:
        return None
    slope, intercept, *_ = theilslopes(values[some], at[some])
    residuals: NDArray[Any] = values - (intercept + slope * at)
    return residuals


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

    if table.times is None or table.times.hasnans or len(table.times) < FEWEST:
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
