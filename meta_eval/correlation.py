"""How well a metric's values follow a person's ratings: Spearman's rank correlation with a bootstrap interval."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .estimate import Estimate, estimate

if TYPE_CHECKING:
    from .arrays import Floats

FEWEST_ITEMS = 5


def spearman(
    values: Sequence[float],
    ratings: Sequence[float],
    groups: Sequence[str],
    *,
    resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
    has_interval: bool = True,
) -> Estimate:
    """Estimates Spearman's rank correlation of values and ratings, with an interval over whole groups.

    rho is Pearson's correlation of the ranks; tied values share their mean rank (Spearman, 1904).

    Args:
        values: One metric value per item.
        ratings: One rating per item, as many as `values`.
        groups: The group label of each item; items that share a label are resampled together.
        resamples: Number of bootstrap resamples; None as in `bca_interval`.
        level: Confidence level, between 0 and 1.
        seed: Seed of the resampling.
        has_interval: Whether items are resampled for an interval; without one the value alone is given, and quickly.

    Returns:
        rho in [-1, 1] with its BCa interval and the two-sided p-value of Student's t, t^2 = rho^2 (n - 2) / (1 - rho^2)
        with n - 2 degrees of freedom, which takes items as independent and is that of `scipy.stats.spearmanr`. No value
        with fewer than five items, or where values or ratings are all equal; `problem` says which.

    Examples:
        Ranks 1..6 against ranks 2,1,3,4,6,5: the squared differences sum to 4, so rho = 1 - 6 * 4 / (6 * 35) = 31/35.

        >>> result = spearman([1, 2, 3, 4, 5, 6], [2, 1, 3, 4, 6, 5], list("abcdef"))
        >>> round(result.value, 4), result.n, result.groups
        (0.8857, 6, 6)
        >>> spearman([1, 1, 1, 1, 1], [1, 2, 3, 4, 5], list("abcde")).problem
        'all values are equal'
    """
    import numpy as np

    from . import bootstrap_statistics

    x, y = np.asarray(values, float), np.asarray(ratings, float)
    if problem := correlation_problem(x, y):
        return Estimate(None, n=len(x), groups=len(set(groups)), problem=problem)
    statistic = bootstrap_statistics.spearman(x, y)
    if not has_interval:
        return Estimate(float(statistic(np.ones((len(x), 1)))[0]), n=len(x))
    result = estimate(statistic, groups, resamples=resamples, level=level, seed=seed)
    return result if result.value is None else replace(result, p=_p_value(result.value, len(x)))


def _p_value(rho: float, n: int) -> float:
    from scipy.special import stdtr  # scipy.stats takes a second to import

    unexplained = 1 - min(1.0, rho * rho)
    t = abs(rho) * math.sqrt((n - 2) / unexplained) if unexplained else math.inf
    return float(2 * stdtr(n - 2, -t))


def correlation_problem(x: "Floats", y: "Floats") -> str:
    """Says why values `x` and ratings `y` of the same items have no correlation; empty where they have one."""
    import numpy as np

    if len(x) < FEWEST_ITEMS:
        return f"only {len(x)} rated scores"
    if np.ptp(x) == 0:
        return "all values are equal"
    return "all ratings are equal" if np.ptp(y) == 0 else ""
