"""The one type for a number with its interval, and the functions that make it from values in groups."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..text.wording import count_of
from .jackknife import FEWEST_GROUPS, Scale, jackknife_intervals
from .student import t_quantile

if TYPE_CHECKING:
    from .arrays import Floats, Places
    from .jackknife import Statistic

OF_CORRELATIONS = (-2.0, 2.0)
"""What a difference of two correlations cannot leave."""
TOO_FEW_GROUPS = f"an interval needs {count_of(FEWEST_GROUPS, 'group')} that differ"


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated value with its confidence interval."""

    value: float | None  # the point estimate; None where it is undefined
    # lower end of the interval, at the level of the evaluation (95% unless set); None without an interval
    low: float | None = None
    high: float | None = None  # upper end of the interval; None without an interval
    n: int | None = None  # how many items the value was computed from; None where that is not counted
    groups: int | None = None  # how many groups these items form; items of one group are not independent
    p: float | None = None  # two-sided p-value of the hypothesis of no effect; None where nothing was tested
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
    scale: Scale = "plain",
    bounds: tuple[float, float] | None = None,
    carriers: int | None = None,
    level: float = 0.95,
    p: float | None = None,
) -> Estimate:
    """Estimates a statistic with an interval from leaving out one group at a time (`jackknife_intervals`).

    Returns:
        The estimate with its interval; without a value where the statistic is not finite, and without an interval
        where there are too few groups (`problem` says which).

    Examples:
        The mean of 1..6, each item its own group:

        >>> import numpy as np
        >>> items = np.arange(1.0, 7.0)
        >>> def mean(weights):
        ...     return items @ weights / weights.sum(axis=0)
        >>> result = estimate(mean, list("abcdef"))
        >>> result.value, result.n, result.groups, result.low < 3.5 < result.high
        (3.5, 6, 6, True)
        >>> estimate(mean, list("aabbcc")).problem
        'an interval needs 5 groups that differ'
    """
    import numpy as np

    n, number_of_groups = len(groups), len(set(groups))
    value = float(statistic(np.ones((n, 1)))[0])
    if not math.isfinite(value):
        problem = "undefined: the values or the ratings do not vary"
        return Estimate(None, n=n, groups=number_of_groups, problem=problem)
    intervals = jackknife_intervals(statistic, value, groups, levels=(level,), scale=scale, carriers=carriers)
    if intervals is None:
        return Estimate(value, n=n, groups=number_of_groups, p=p, problem=TOO_FEW_GROUPS)
    low, high = cut_interval(intervals[0], bounds) if bounds else intervals[0]
    return Estimate(value, low, high, n=n, groups=number_of_groups, p=p)


def cut_interval(interval: tuple[float, float], bounds: tuple[float, float]) -> tuple[float, float]:
    """An interval without what lies beyond the bounds of its figure.

    Example:
        >>> cut_interval((-2.4, 0.5), OF_CORRELATIONS)
        (-2.0, 0.5)
    """
    return max(interval[0], bounds[0]), min(interval[1], bounds[1])


def estimate_mean(
    values: "Sequence[float] | Floats",
    groups: Sequence[str],
    *,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
    p: float | None = None,
) -> Estimate:
    """Estimates the mean of values that come in groups, as `estimate_mean_of_groups` does.

    Examples:
        Groups of 2, 1, 1, 1 and 1 items with the means 1, 3, 3, 3 and 4:

        >>> result = estimate_mean([1, 1, 3, 3, 3, 4], list("aabcde"))
        >>> result.value, result.n, result.groups
        (2.5, 6, 5)
        >>> estimate_mean([], []).value is None
        True
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
    level: float = 0.95,
    p: float | None = None,
) -> Estimate:
    """Estimates the mean of values in groups from the groups' sums, with a small-sample cluster-robust interval.

    The mean +- t sqrt(V) on the scale of log odds of the mean's place between the smallest and the largest value
    (`log_odds_interval`), because the mean of values that are mostly at one end is skewed. V is the sum over groups of
    (the group's deviations from the mean, summed)^2 / (1 - h) / n^2, with h the group's share of the n values: the CR2
    variance of an intercept (Bell and McCaffrey, 2002). t has Satterthwaite's degrees of freedom
    n^2 / (sum of s^2 (1 - 2 h) / (1 - h)^2 + (sum of s^2 / (1 - h))^2 / n^2), with s the sizes of the groups: G - 1 of
    equal groups, fewer of unequal ones (Pustejovsky and Tipton, 2018).

    Returns:
        The mean with its interval; without one where there are fewer than five groups, or all have the same mean: what
        does not vary does not say how sure it is.

    Example:
        Five groups of one value, 1 to 5, with 4 degrees of freedom: the mean stands in the middle, where a step of
        2.776 * sqrt(2.5 / 5) is one of 1.963 in log odds (4 times its share of the width 4).

        >>> result = estimate_mean_of_groups([1, 2, 3, 4, 5], [1] * 5, bounds=(1, 5))
        >>> round(result.low, 3), round(result.high, 3)
        (1.492, 4.508)
    """
    import numpy as np

    totals, counts = np.asarray(sums, float), np.asarray(sizes, float)
    n, groups = float(counts.sum()), len(counts)
    mean = float(totals.sum()) / n
    result = Estimate(mean, n=int(n), groups=groups, p=p, problem=TOO_FEW_GROUPS)
    deviations = totals - mean * counts
    noise = 1e-12 * max(1.0, float(np.abs(totals).max()))
    if groups < FEWEST_GROUPS or bounds[0] >= bounds[1] or np.abs(deviations).max() <= noise:
        return result
    variance, degrees = variance_of_group_mean(totals, counts)
    low, high = log_odds_interval(mean, math.sqrt(variance), degrees, scale=bounds, answers=int(n), level=level)
    return Estimate(mean, low, high, n=int(n), groups=groups, p=p)


def variance_of_group_mean(sums: "Floats", sizes: "Floats | Places") -> tuple[float, float]:
    """Computes the CR2 variance of the mean of values in groups, and Satterthwaite's degrees of freedom.

    The formulas are those of `estimate_mean_of_groups`.

    Example:
        >>> import numpy as np
        >>> variance, degrees = variance_of_group_mean(np.arange(1.0, 6.0), np.ones(5))
        >>> round(variance, 3), round(degrees, 3)
        (0.5, 4.0)
    """
    n = float(sizes.sum())
    shares = sizes / n
    deviations = sums - float(sums.sum()) / n * sizes
    variance = float((deviations**2 / (1 - shares)).sum()) / n**2
    spread = (sizes**2 * (1 - 2 * shares) / (1 - shares) ** 2).sum() + (sizes**2 / (1 - shares)).sum() ** 2 / n**2
    return variance, n**2 / float(spread)


def log_odds_interval(
    mean: float, error: float, degrees: float, *, scale: tuple[float, float], answers: int, level: float
) -> tuple[float, float]:
    """An interval of a mean on a bounded scale, symmetric in the log odds of its place there.

    The mean of ratings near one end of the scale is skewed: few ratings may show none of the bad answers that pull it
    down. With the place p = (mean - lowest) / (highest - lowest), log(p / (1 - p)) +- t error / width / (p (1 - p)), by
    the delta method, is brought back to the scale (the logit interval of survey statistics, Korn and Graubard, 1999).

    Example:
        p = 0.75, log odds 1.0986 +- 2.776 * 0.2 / 4 / 0.1875 = 0.7404: p from 0.5886 to 0.8628.

        >>> low, high = log_odds_interval(4.0, 0.2, 4, scale=(1, 5), answers=5, level=0.95)
        >>> round(low, 3), round(high, 3)
        (3.354, 4.451)
    """
    width, inside = scale[1] - scale[0], 1 / (8 * answers)
    place = min(1 - inside, max(inside, (mean - scale[0]) / width))
    log_odds = math.log(place / (1 - place))
    away = t_quantile((1 + level) / 2, degrees) * error / width / (place * (1 - place))
    low, high = (scale[0] + width * (math.tanh((log_odds + step) / 2) + 1) / 2 for step in (-away, away))
    return min(low, mean), max(high, mean)


def estimate_proportion(count: int, total: int) -> Estimate:
    """Estimates a proportion with its 95% interval (Wilson, 1927).

    The interval holds the proportions p for which the observed one is within 1.96 standard errors sqrt(p (1 - p) / n).

    Returns:
        count / total in [0, 1]; without items there is no value.

    Example:
        >>> proportion = estimate_proportion(1, 4)
        >>> proportion.value, round(proportion.low, 3), round(proportion.high, 3)
        (0.25, 0.046, 0.699)
    """
    from scipy.stats import binomtest

    if not total:
        return Estimate(None, n=0, problem="there is nothing to count")
    interval = binomtest(count, total).proportion_ci(method="wilson")
    return Estimate(count / total, float(interval.low), float(interval.high), n=total)
