"""The one type for a number with its interval, and the function that makes it from a statistic."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .bootstrap import bca_interval

if TYPE_CHECKING:
    from .arrays import Floats
    from .bootstrap import Statistic

TOO_FEW_GROUPS = "too few groups for an interval"
MOST_RESAMPLED_GROUPS = 5_000
"""Means over more groups get the normal interval."""
_Z_95 = 1.959964  # the normal quantile of 0.975


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated value with its confidence interval.

    Attributes:
        value: The point estimate; None where it is undefined.
        low: Lower end of the interval, at the level of the evaluation (95% unless set); None without an interval.
        high: Upper end of the interval; None without an interval.
        n: How many items the value was computed from; None where that is not counted.
        groups: How many groups these items form; groups are what the bootstrap resamples.
        p: Two-sided p-value of the hypothesis of no effect; None where nothing was tested.
        problem: Why the value or the interval is missing; empty where nothing is.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    groups: int | None = None
    p: float | None = None
    problem: str = ""


def estimate(
    statistic: "Statistic",
    groups: Sequence[str],
    *,
    resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
    p: float | None = None,
) -> Estimate:
    """Estimates a statistic with a bootstrap interval over whole groups.

    Args:
        statistic: Maps weights (items, resamples) to one value per resample. All weights 1 give the point estimate.
        groups: The group label of each item; items that share a label are resampled together.
        resamples: Number of bootstrap resamples; None as in `bca_interval`.
        level: Confidence level, between 0 and 1.
        seed: Seed of the resampling.
        p: A p-value that was computed elsewhere, to be kept beside the value.

    Returns:
        The estimate with its BCa interval; without a value where the statistic is not finite, and without an interval
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
        'too few groups for an interval'
    """
    import numpy as np

    n, number_of_groups = len(groups), len(set(groups))
    value = float(statistic(np.ones((n, 1)))[0])
    if not math.isfinite(value):
        problem = "undefined: the values or the ratings do not vary"
        return Estimate(None, n=n, groups=number_of_groups, problem=problem)
    interval = bca_interval(statistic, value, groups, resamples=resamples, level=level, seed=seed)
    if interval is None:
        return Estimate(value, n=n, groups=number_of_groups, p=p, problem=TOO_FEW_GROUPS)
    return Estimate(value, *interval, n=n, groups=number_of_groups, p=p)


def estimate_mean(
    values: "Sequence[float] | Floats", groups: Sequence[str], *, seed: int = 0, p: float | None = None
) -> Estimate:
    """Estimates the mean of values with a bootstrap interval over whole groups.

    The sums and sizes of the groups are resampled, which gives what resampling the values would, in the time of the
    groups alone. Above 5,000 groups nothing is resampled: the interval is the normal one of a ratio of group sums with
    its linearised standard error (Cochran, 1977, "Sampling Techniques", chapter 6), where the bootstrap's ends too.

    Args:
        values: A number per item, (items,).
        groups: The group label of each item, (items,).
        seed: Seed of the resampling.
        p: A p-value that was computed elsewhere, to be kept beside the value.

    Returns:
        The mean with its 95% BCa interval; without a value where there are no items, and without an interval where
        there are too few groups.

    Examples:
        Groups of 2, 1, 1, 1 and 1 items with the means 1, 3, 3, 3 and 4:

        >>> result = estimate_mean([1, 1, 3, 3, 3, 4], list("aabcde"))
        >>> result.value, result.n, result.groups
        (2.5, 6, 5)
        >>> estimate_mean([], []).value is None
        True
    """
    import numpy as np

    if not len(values):
        return Estimate(None, n=0, groups=0, problem="no values")
    labels, group_of, sizes = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
    sums = np.bincount(group_of, weights=np.asarray(values, float))
    if len(labels) <= MOST_RESAMPLED_GROUPS:
        return estimate_mean_of_groups(sums.tolist(), sizes.tolist(), labels.tolist(), seed=seed, p=p)
    total = float(sums.sum())
    squares = float(((sums - total / len(values) * sizes) ** 2).sum())
    return normal_mean_of_groups(len(labels), len(values), total, squares, p=p)


def estimate_mean_of_groups(
    sums: Sequence[float],
    sizes: Sequence[int],
    groups: Sequence[str],
    *,
    seed: int = 0,
    p: float | None = None,
) -> Estimate:
    """Estimates the mean of values of which only the sums by group are known, as `estimate_mean` does.

    Args:
        sums: The sum of each group's values, (groups,).
        sizes: The number of each group's values, (groups,).
        groups: The labels of the groups, sorted: the same groups in another order are resampled differently.
        seed: Seed of the resampling.
        p: A p-value that was computed elsewhere, to be kept beside the value.

    Example:
        >>> estimate_mean_of_groups([2, 3, 3, 3, 4], [2, 1, 1, 1, 1], list("abcde")) == estimate_mean(
        ...     [1, 1, 3, 3, 3, 4], list("aabcde")
        ... )
        True
    """
    import numpy as np

    totals, counts = np.asarray(sums, float), np.asarray(sizes)
    resampled = estimate(lambda weights: totals @ weights / (counts @ weights), groups, seed=seed, p=p)
    return replace(resampled, n=int(counts.sum()))


def normal_mean_of_groups(groups: int, n: int, total: float, squares: float, *, p: float | None = None) -> Estimate:
    """Estimates the mean of values in very many groups, with the normal interval of a ratio of group sums.

    Args:
        groups: The number of groups G.
        n: The number of values.
        total: The sum of the values.
        squares: The sum over groups of (the sum of the group - its size * the mean)^2.
        p: A p-value that was computed elsewhere, to be kept beside the value.

    Returns:
        The mean with its 95% interval: the standard error is sqrt(squares * G / (G - 1)) / n.

    Example:
        Groups of one value each, -1 and 1 in turn: the standard error is that of the mean, 1 / sqrt(9,999).

        >>> result = normal_mean_of_groups(10_000, 10_000, 0.0, 10_000.0)
        >>> result.value, round(result.high, 4)
        (0.0, 0.0196)
    """
    mean, error = total / n, math.sqrt(squares * groups / (groups - 1)) / n
    return Estimate(mean, mean - _Z_95 * error, mean + _Z_95 * error, n=n, groups=groups, p=p)


def estimate_proportion(count: int, total: int) -> Estimate:
    """Estimates a proportion with its 95% interval (Wilson, 1927).

    The interval holds the proportions p for which the observed one is within 1.96 standard errors sqrt(p (1 - p) / n).

    Args:
        count: How many of the items have the property.
        total: The number of items; each is independent of the others.

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
