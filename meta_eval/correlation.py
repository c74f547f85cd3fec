"""How well a metric's values follow a person's ratings: rank correlation and area under the ROC curve."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .estimate import MOST_RESAMPLED_GROUPS, Estimate, estimate, normal_mean_of_groups

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
    has_p_value: bool = True,
) -> Estimate:
    """Estimates Spearman's rank correlation of values and ratings, with an interval over whole groups.

    rho is Pearson's correlation of the ranks; tied values share their mean rank (Spearman, 1904). Above 5,000 groups
    nothing is resampled: the 95% interval is the normal one with the linearised variance (`spearman_influence`).

    Args:
        values: One metric value per item.
        ratings: One rating per item, as many as `values`.
        groups: The group label of each item; items that share a label are resampled together.
        resamples: Number of bootstrap resamples; None as in `bca_interval`.
        level: Confidence level, between 0 and 1.
        seed: Seed of the resampling.
        has_interval: Whether items are resampled for an interval; without one the value alone is given, and quickly.
        has_p_value: Whether the p-value is computed, which takes a fifth of a second to import SciPy.

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
    labels, group_of = np.unique(np.asarray(groups), return_inverse=True)
    if len(labels) > MOST_RESAMPLED_GROUPS and level == 0.95:
        rho = float(statistic(np.ones((len(x), 1)))[0])
        sums = np.bincount(group_of, weights=spearman_influence(x, y))
        normal = normal_mean_of_groups(len(labels), len(x), rho * len(x), float(sums @ sums))
        low, high = max(-1.0, normal.low or 0.0), min(1.0, normal.high or 0.0)
        result = replace(normal, value=rho, low=low, high=high)
    else:
        result = estimate(statistic, groups, resamples=resamples, level=level, seed=seed)
    if result.value is None or not has_p_value:
        return result
    return replace(result, p=_p_value(result.value, len(x)))


def spearman_influence(x: "Floats", y: "Floats") -> "Floats":
    """Computes how much each item moves Spearman's rho: n times the change of rho by one more such item, linearised.

    With the mid-distribution ranks a and b of the items, centred, rho = cov / sqrt(va vb), and an item moves each of
    these by its own product and by the ranks of all others (Hampel, 1974, "The Influence Curve"; Croux and Dehon,
    2010, for Spearman's rho). The variance of rho is the mean square of the influences, divided by n.

    Args:
        x: One variable, (items,), not all equal.
        y: The other, (items,), not all equal.

    Returns:
        The influences, (items,), with mean 0.

    Example:
        >>> import numpy as np
        >>> influence = spearman_influence(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 4.0, 3.0]))
        >>> bool(abs(influence.mean()) < 1e-12), bool(influence[0] > influence[3])
        (True, True)
    """
    import numpy as np

    ranked = [_Ranked(x), _Ranked(y)]
    (a, b), n = (one.centred for one in ranked), len(x)
    products = {(0, 0): a @ a / n, (1, 1): b @ b / n, (0, 1): a @ b / n}
    both = a * b + ranked[0].mean_above(b) + ranked[1].mean_above(a) - 3 * products[0, 1]
    of_a = a * a + 2 * ranked[0].mean_above(a) - 3 * products[0, 0]
    of_b = b * b + 2 * ranked[1].mean_above(b) - 3 * products[1, 1]
    scale = math.sqrt(products[0, 0] * products[1, 1])
    rho = products[0, 1] / scale
    influence: Floats = np.asarray(both / scale - rho / 2 * (of_a / products[0, 0] + of_b / products[1, 1]))
    return influence


class _Ranked:
    """The mid-distribution ranks of values: the share below each, and half of the share equal to it."""

    def __init__(self, values: "Floats") -> None:
        import numpy as np

        _, self._level, counts = np.unique(values, return_inverse=True, return_counts=True)
        self.centred = ((np.cumsum(counts) - counts / 2) / len(values) - 0.5)[self._level]

    def mean_above(self, weights: "Floats") -> "Floats":
        """For each item the sum of the weights of the items above it, and half of those equal to it, over all items."""
        import numpy as np

        sums = np.bincount(self._level, weights=weights)
        result: Floats = ((sums.sum() - np.cumsum(sums) + sums / 2) / len(weights))[self._level]
        return result


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


def auroc(
    values: Sequence[float],
    good: Sequence[bool],
    groups: Sequence[str],
    *,
    resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Estimates the area under the ROC curve, with an interval over whole groups.

    The area is P(a good answer's value is above a bad one's), a tie counting half: the Mann-Whitney statistic divided
    by the number of pairs (Hanley and McNeil, 1982).

    Args:
        values: One metric value per item, higher for better answers.
        good: Whether each item is good, as many as `values`.
        groups: The group label of each item; items that share a label are resampled together.
        resamples: Number of bootstrap resamples; None as in `bca_interval`.
        level: Confidence level, between 0 and 1.
        seed: Seed of the resampling.

    Returns:
        The area in [0, 1] with its BCa interval; no value where all items are good, or none is.

    Examples:
        Good 3 and 1 against bad 2 and 0: of the four pairs 3>2, 3>0 and 1>0 are right, 1>2 is wrong.

        >>> auroc([3, 1, 2, 0], [True, True, False, False], list("abcd")).value
        0.75
    """
    import numpy as np

    from . import bootstrap_statistics

    x, is_good = np.asarray(values, float), np.asarray(good, bool)
    if is_good.all() or not is_good.any():
        kind = "bad" if is_good.any() else "good"
        return Estimate(None, n=len(x), groups=len(set(groups)), problem=f"no {kind} answers")
    return estimate(bootstrap_statistics.auroc(x, is_good), groups, resamples=resamples, level=level, seed=seed)
