"""How well a metric's values follow a person's ratings: Spearman's rank correlation with a bootstrap interval."""

from collections.abc import Sequence
from dataclasses import dataclass

from .bootstrap import bca_interval

FEWEST_ITEMS = 5


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rho of `n` pairs in `groups` groups, with a 95% interval and a p-value; all None where undefined.

    `problem` says why there is none.
    """

    n: int
    groups: int
    rho: float | None
    low: float | None
    high: float | None
    p: float | None
    problem: str = ""


def spearman(
    values: Sequence[float],
    ratings: Sequence[float],
    groups: Sequence[str],
    *,
    resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Correlation:
    """Spearman's rho of values and ratings (equal lengths), with a BCa interval over groups (`bca_interval`).

    The p-value is scipy's, two-sided, for independent items. Ties have mean ranks.
    """
    import numpy as np
    from scipy import stats

    from . import weighted

    x, y = np.asarray(values, float), np.asarray(ratings, float)
    n, count = len(x), len(set(groups))
    problem = ""
    if n < FEWEST_ITEMS:
        problem = f"only {n} rated scores"
    elif np.ptp(x) == 0:
        problem = "all values are equal"
    elif np.ptp(y) == 0:
        problem = "all ratings are equal"
    if problem:
        return Correlation(n, count, None, None, None, None, problem)
    found = stats.spearmanr(x, y)
    rho, p = float(found.statistic), float(found.pvalue)
    interval = bca_interval(weighted.spearman(x, y), rho, groups, resamples=resamples, level=level, seed=seed)
    low, high = interval or (None, None)
    return Correlation(n, count, rho, low, high, p, "" if interval else "too few groups for an interval")
