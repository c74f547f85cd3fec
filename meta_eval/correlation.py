"""How well a metric's values follow a person's ratings: rank correlation and area under the ROC curve."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..text.wording import count_of
from .estimate import Estimate, estimate
from .groups import FEWEST_GROUPS

if TYPE_CHECKING:
    from .arrays import Bools, Floats

FEWEST_ITEMS = 5


def spearman(
    values: Sequence[float],
    ratings: Sequence[float],
    groups: Sequence[str],
    *,
    level: float = 0.95,
    has_interval: bool = True,
    has_p_value: bool = True,
) -> Estimate:
    """Estimates Spearman's rank correlation of values and ratings, with an interval over whole groups.

    rho is Pearson's correlation of the ranks; tied values share their mean rank (Spearman, 1904). The interval leaves
    out one group at a time, on the scale of Fisher's z (`jackknife_intervals`).

    Returns:
        rho in [-1, 1] with its interval and the two-sided p-value of Student's t, t^2 = rho^2 (n - 2) / (1 - rho^2)
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

    from . import agreement_statistics

    x, y = np.asarray(values, float), np.asarray(ratings, float)
    if problem := correlation_problem(x, y):
        return Estimate(None, n=len(x), groups=len(set(groups)), problem=problem)
    statistic = agreement_statistics.spearman_statistic(x, y)
    if not has_interval:
        return Estimate(float(statistic(np.ones((len(x), 1)))[0]), n=len(x))
    result = estimate(statistic, groups, scale="fisher", level=level)
    if result.value is None or not has_p_value:
        return result
    return replace(result, p=_p_value(result.value, len(x)))


def _p_value(rho: float, n: int) -> float:
    from scipy.special import stdtr  # scipy.stats takes a second to import

    unexplained = 1 - min(1.0, rho * rho)
    t = abs(rho) * math.sqrt((n - 2) / unexplained) if unexplained else math.inf
    return float(2 * stdtr(n - 2, -t))


def correlation_problem(x: "Floats", y: "Floats") -> str:
    """Says why values `x` and ratings `y` of the same items have no correlation; empty where they have one."""
    import numpy as np

    if len(x) < FEWEST_ITEMS:
        return f"only {count_of(len(x), 'rated score')}"
    if np.ptp(x) == 0:
        return "all values are equal"
    return "all ratings are equal" if np.ptp(y) == 0 else ""


def auroc(
    values: "Sequence[float] | Floats",
    good: "Sequence[bool] | Bools",
    groups: Sequence[str],
    *,
    level: float = 0.95,
) -> Estimate:
    """Estimates the area under the ROC curve, with an interval over whole groups.

    The area is P(a good answer's value is above a bad one's), a tie counting half: the Mann-Whitney statistic divided
    by the number of pairs (Hanley and McNeil, 1982).

    Returns:
        The area in [0, 1] with its interval on the scale of log odds; no value where all items are good, or none is,
        and no interval where fewer than five groups have good answers, or bad ones: a few answers of one kind carry
        the area, however many there are of the other.

    Examples:
        Good 3 and 1 against bad 2 and 0: of the four pairs 3>2, 3>0 and 1>0 are right, 1>2 is wrong.

        >>> auroc([3, 1, 2, 0], [True, True, False, False], list("abcd")).value
        0.75
    """
    import numpy as np

    from . import agreement_statistics

    x, is_good = np.asarray(values, float), np.asarray(good, bool)
    if is_good.all() or not is_good.any():
        kind = "bad" if is_good.any() else "good"
        return Estimate(None, n=len(x), groups=len(set(groups)), problem=f"no {kind} answers")
    statistic, labels = agreement_statistics.auroc_statistic(x, is_good), np.asarray(groups)
    fewest = min(len(np.unique(labels[kind])) for kind in (is_good, ~is_good))
    if fewest < FEWEST_GROUPS:
        area = float(statistic(np.ones((len(x), 1)))[0])
        problem = f"an interval needs {count_of(FEWEST_GROUPS, 'group')} with answers of each kind; {fewest} have them"
        return Estimate(area, n=len(x), groups=len(np.unique(labels)), problem=problem)
    return estimate(statistic, groups, scale="logit", carriers=fewest, level=level)
