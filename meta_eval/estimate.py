"""The one type for a number with its interval, and the functions that make it: of a statistic, a mean or a share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from ..text.wording import count_of
from .groups import (
    FEWEST_GROUPS,
    LEVEL,
    Scale,
    ScaleName,
    effective_degrees,
    few_that_move,
    interval_from_replicates,
    jackknife_interval,
    t_quantile,
    variance_of_mean,
)

if TYPE_CHECKING:
    from .arrays import Bools, Floats, Places
    from .groups import Statistic

OF_CORRELATIONS = (-2.0, 2.0)
"""What a difference of two correlations cannot leave."""
TOO_FEW_GROUPS = f"an interval needs {count_of(FEWEST_GROUPS, 'group')} that differ"
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated value with its confidence interval."""

    value: float | None  # the point estimate; None where it is undefined
    # lower end of the interval, at the level of the evaluation (95% unless set); None without an interval
    low: float | None = None
    high: float | None = None  # upper end of the interval; None without an interval
    n: int | None = None  # how many items the value was computed from; None where that is not counted
    groups: int | None = None  # how many groups these items form; items of one group are not independent
    p: float | None = None  # two-sided p-value of no effect, below 0.05 where the 95% interval leaves it out
    problem: str = ""  # why the value or the interval is missing; empty where nothing is

    @property
    def half_width(self) -> float | None:
        """How far the ends of a symmetric interval lie from the value, also where one is cut at its bound.

        Example:
            >>> Estimate(1.5, 0.5, 2.0).half_width, Estimate(1.5).half_width
            (1.0, None)
        """
        if self.value is None or self.low is None or self.high is None:
            return None
        return max(self.value - self.low, self.high - self.value)


def estimate(
    statistic: "Statistic",
    groups: Sequence[str],
    *,
    scale: ScaleName = "plain",
    bounds: tuple[float, float] | None = None,
    carriers: int | None = None,
    level: float = LEVEL,
    null: float | None = None,
    keeps_empty: bool = False,
) -> Estimate:
    """Estimates a statistic with an interval from leaving out one group at a time (`jackknife_interval`).

    Returns the estimate with its interval, and with the p-value of `null` where one is given; without a value where the
    statistic is not finite, and without an interval where there are too few groups (`problem` says which).
    """
    import numpy as np

    n, number_of_groups = len(groups), len(set(groups))
    value = float(statistic(np.ones((n, 1)))[0])
    if not math.isfinite(value):
        problem = "undefined: the values or the ratings do not vary"
        return Estimate(None, n=n, groups=number_of_groups, problem=problem)
    found = jackknife_interval(statistic, value, groups, level=level, scale=scale, carriers=carriers, null=null)
    # what is the same without any one group does not say how sure it is; `keeps_empty` is for callers that widen it
    if found is None or (found.high - found.low < _SAME and not keeps_empty):
        return Estimate(value, n=n, groups=number_of_groups, problem=TOO_FEW_GROUPS)
    low, high = (max(found.low, bounds[0]), min(found.high, bounds[1])) if bounds else (found.low, found.high)
    return Estimate(value, low, high, n=n, groups=number_of_groups, p=found.p)


def estimate_mean(
    values: "Sequence[float] | Floats",
    groups: Sequence[str],
    *,
    bounds: tuple[float, float] | None = None,
    level: float = LEVEL,
    p: float | None = None,
) -> Estimate:
    """Estimates the mean of values that come in groups, as `estimate_mean_of_groups` does.

    Without `bounds` the smallest and the largest value stand for them.
    """
    import numpy as np

    _, group_of, sizes = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
    numbers = np.asarray(values, float)
    if not len(numbers):
        return Estimate(None, n=0, groups=0, problem="no values")
    sums = np.asarray(np.bincount(group_of, weights=numbers), float)
    bounds = bounds or (float(numbers.min()), float(numbers.max()))
    return estimate_mean_of_groups(sums, sizes, bounds=bounds, level=level, p=p)


def estimate_mean_of_groups(
    sums: "Sequence[float] | Floats",
    sizes: "Sequence[int] | Places",
    *,
    bounds: tuple[float, float],
    level: float = LEVEL,
    p: float | None = None,
) -> Estimate:
    """Estimates the mean of values in groups from the groups' sums.

    The interval leaves out one group at a time, on the log odds of the mean's place between the bounds, because the
    mean of values that are mostly at one end is skewed (`interval_of_mean`). Returns the mean with its interval;
    without one where there are fewer than five groups, or nothing varies and no scale says what else could have been.

    Example:
        Five groups of one value, 1 to 5: the mean without one is 3.5, 3.25, 3, 2.75, 2.5, whose places between 1 and 5
        have the log odds 0.511, 0.251, 0, -0.251, -0.511: an error of 0.720, and 2.776 times that is 2.0.

        >>> result = estimate_mean_of_groups([1, 2, 3, 4, 5], [1] * 5, bounds=(1, 5))
        >>> round(result.low, 2), round(result.high, 2)
        (1.48, 4.52)
    """
    import numpy as np

    totals, counts = np.asarray(sums, float), np.asarray(sizes, float)
    n, groups = float(counts.sum()), len(counts)
    mean = float(totals.sum()) / n
    result = Estimate(mean, n=int(n), groups=groups, p=p, problem=TOO_FEW_GROUPS)
    if groups < FEWEST_GROUPS or bounds[1] - bounds[0] <= 1e-12 * max(1.0, abs(bounds[0]), abs(bounds[1])):
        return result
    without_each = (totals.sum() - totals) / (n - counts)
    ends = interval_of_mean(mean, without_each, effective_degrees(counts), bounds=bounds, items=int(n), level=level)
    return Estimate(mean, *ends, n=int(n), groups=groups, p=p)


def interval_of_mean(
    mean: float,
    without_each: "Floats",
    degrees: float,
    *,
    bounds: tuple[float, float],
    items: int,
    level: float = LEVEL,
) -> tuple[float, float]:
    """An interval of a mean on a bounded scale from what it is without each group.

    Student's, with the effective number of groups less one as degrees of freedom, on log odds; with 2 k - 1 where only
    k groups are `few_that_move` it: one 4 among 5s says less of how often that comes. It reaches no further
    than a share with so many effective groups would (Clopper and Pearson, 1934): among means on a bounded scale that of
    0 and 1 varies most. Where nothing varies this is the interval: what is not among these groups may be among others.
    """
    import numpy as np

    width, groups = bounds[1] - bounds[0], degrees + 1
    place = min(1.0, max(0.0, (mean - bounds[0]) / width))
    scale, step = Scale("logit", *bounds), 1 / (8 * items)
    varies = bool(np.ptp(np.array([mean, *without_each])) > 1e-9 * width)
    few = few_that_move(without_each - without_each.mean(), degrees) if varies else 0
    degrees = 2.0 * few - 1 if few else degrees
    inner = interval_from_replicates(mean, without_each, degrees, scale=scale, level=level, step=step)
    least, most = _wilson(place, groups, level)
    if varies and least <= (inner.low - bounds[0]) / width and (inner.high - bounds[0]) / width <= most:
        return inner.low, inner.high  # that of a share is wider still
    low, high = (bounds[0] + width * end for end in clopper_pearson(place, groups, level))
    if varies:
        low, high = max(low, inner.low), min(high, inner.high)
    return min(low, mean), max(high, mean)


def p_of_share(wrong: "Bools", groups: "Places", bound: float, correlation: float) -> float:
    """Computes the p-value of the hypothesis that the share of wrong items is above a bound.

    The exact binomial test (Clopper and Pearson, 1934) at the effective size n / (1 + (m - 1) rho), where m is the
    mean size of the group of an item (Kish, 1965).
    """
    import numpy as np
    from scipy.special import betaincc

    n = len(wrong)
    if not n:
        return 1.0
    mean_size = float((np.bincount(groups) ** 2).sum()) / n
    size = n / (1 + (mean_size - 1) * correlation)
    count = float(wrong.mean()) * size
    return float(betaincc(count + 1, size - count, bound)) if count < size else 1.0


def estimate_share(holds: "Bools", groups: "Places", level: float = LEVEL) -> Estimate:
    """Estimates a share of grouped items with its two-sided Clopper-Pearson interval.

    The exact binomial interval at the effective size (n / deff) (t(n - 1) / t(G - 1))^2, where deff, at least 1, is the
    variance of the share over the G groups divided by that of independent items, and t are Student's quantiles (Korn
    and Graubard, 1998). Returns the share in [0, 1] with its interval; no value without items.
    """
    import numpy as np

    n = len(holds)
    if n == 0:
        return Estimate(None, n=0, groups=0, problem="no answers")
    share, number_of_groups = float(holds.mean()), len(np.unique(groups))
    varies = number_of_groups > 1 and 0 < share < 1
    variance = variance_of_mean(np.asarray(holds, float), groups) if varies else 0.0
    degrees = number_of_groups - 1 if number_of_groups > 1 else n
    low, high = interval_of_share(share, n=n, variance=variance, degrees=degrees, level=level)
    return Estimate(share, low, high, n=n, groups=number_of_groups)


def interval_of_share(
    share: float, *, n: int, variance: float, degrees: float, level: float = LEVEL, most: float = 1.0
) -> tuple[float, float]:
    """The interval of a share of n items at its effective size (Korn and Graubard, 1998).

    That is share (1 - share) / variance of the estimate * n / (n - 1), at most `most` times n, times (t of n - 1 / t of
    the degrees of freedom of the variance)^2.
    """
    size = most * n if variance <= 0 else min(most * n, share * (1 - share) / variance * n / (n - 1))
    if degrees < n - 1:
        tail = (1 + level) / 2
        size *= (t_quantile(tail, n - 1) / t_quantile(tail, degrees)) ** 2
    return clopper_pearson(share, size, level)


def clopper_pearson(share: float, size: float, level: float = LEVEL) -> tuple[float, float]:
    """Computes the two-sided interval of a binomial share (Clopper and Pearson, 1934), never of width 0."""
    from scipy.special import betaincinv  # scipy.stats takes a second to import

    count, tail = share * size, (1 - level) / 2
    low = float(betaincinv(count, size - count + 1, tail)) if share > 0 else 0.0
    high = float(betaincinv(count + 1, size - count, 1 - tail)) if share < 1 else 1.0
    return low, high


def _wilson(share: float, size: float, level: float) -> tuple[float, float]:
    """The interval of a share that is within so many standard errors sqrt(p (1 - p) / n) of p (Wilson, 1927)."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    away = z / (1 + z**2 / size) * math.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    return max(0.0, middle - away), min(1.0, middle + away)
