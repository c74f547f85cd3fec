"""Confidence intervals by resampling whole groups, because items of one source are not independent."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .arrays import Floats

Statistic = Callable[["Floats"], "Floats"]
"""Maps weights (items, resamples), how often each item stands in each resample, to one value per resample (resamples,).

The value is NaN where the statistic is undefined."""

FEWEST_GROUPS = 5
_CELLS_PER_BLOCK = 500_000  # about what fits the processor's cache
_MOST_JACKKNIFE_BLOCKS = 200  # with more groups, whole blocks of groups are left out for the acceleration


def bca_interval(
    statistic: Statistic,
    value: float,
    groups: Sequence[str],
    *,
    resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float] | None:
    """Computes the interval of `bca_intervals` at one level.

    Examples:
        >>> import numpy as np
        >>> items = np.arange(1.0, 11.0)
        >>> def mean(weights):
        ...     return items @ weights / weights.sum(axis=0)
        >>> low, high = bca_interval(mean, 5.5, list("abcdefghij"))
        >>> 3.5 < low < 4.5 < 6.5 < high < 7.5
        True
    """
    intervals = bca_intervals(statistic, value, groups, resamples=resamples, levels=(level,), seed=seed)
    return intervals[0] if intervals else None


def bca_intervals(
    statistic: Statistic,
    value: float,
    groups: Sequence[str],
    *,
    resamples: int | None = None,
    levels: Sequence[float],
    seed: int = 0,
) -> list[tuple[float, float]] | None:
    """Computes bias-corrected and accelerated (BCa) bootstrap intervals over whole groups.

    The ends are the quantiles Phi(z0 + (z0 + z) / (1 - a (z0 + z))) of the resampled values, with z the normal quantile
    of the level's end, z0 the bias and a the acceleration (Efron, 1987, "Better Bootstrap Confidence Intervals"). The
    acceleration comes from leaving out one group at a time; above 200 groups, one of 200 blocks of groups.
    `scipy.stats.bootstrap` gives the same interval for independent items (a test compares them), but knows no groups
    and gives NaN as soon as one resample is undefined.

    Args:
        statistic: Maps weights (items, resamples) to one value per resample.
        value: The statistic of the items as they are.
        groups: The group label of each item, (items,).
        resamples: Number of resamples; None for 2,000, or 500 above 2,000 items.
        levels: Confidence levels, between 0 and 1.
        seed: Seed of the resampling.

    Returns:
        One (low, high) per level; None with fewer than five groups, or where the statistic is undefined in more than
        half of the resamples.
    """
    from statistics import NormalDist  # SciPy takes longer to import than the resampling takes

    import numpy as np

    group_of = np.unique(np.asarray(groups), return_inverse=True)[1]
    count = int(group_of.max()) + 1
    if count < FEWEST_GROUPS:
        return None
    resamples = resamples or (2000 if len(group_of) <= 2000 else 500)

    def defined_values(times: "NDArray[Any]") -> "Floats":
        """The statistic where groups stand so many times, (groups, resamples), without undefined resamples."""
        width = max(1, _CELLS_PER_BLOCK // len(group_of))
        blocks = [times[:, first : first + width] for first in range(0, times.shape[1], width)]
        values = np.concatenate([statistic(block[group_of].astype(float)) for block in blocks])
        defined: Floats = values[~np.isnan(values)]
        return defined

    resampled = defined_values(_draw_groups(count, resamples, seed))
    left_out = np.array_split(np.arange(count), min(count, _MOST_JACKKNIFE_BLOCKS))
    remaining = np.ones((count, len(left_out)), dtype=np.int8)
    for number, block in enumerate(left_out):
        remaining[block, number] = 0
    jackknife = defined_values(remaining)
    if len(resampled) < resamples / 2 or len(jackknife) < FEWEST_GROUPS:
        return None
    below = (np.sum(resampled < value) + np.sum(resampled == value) / 2) / len(resampled)
    normal, edge = NormalDist(), 1 / (len(resampled) + 1)
    bias = normal.inv_cdf(min(max(float(below), edge), 1 - edge))
    deviations = jackknife.mean() - jackknife
    acceleration = (deviations**3).sum() / (6 * ((deviations**2).sum() ** 1.5) or 1.0)
    intervals = []
    for level in levels:
        quantiles = [normal.inv_cdf(end) + bias for end in ((1 - level) / 2, (1 + level) / 2)]
        shares = [normal.cdf(bias + quantile / (1 - acceleration * quantile)) for quantile in quantiles]
        low, high = np.quantile(resampled, shares)
        intervals.append((float(low), float(high)))
    return intervals


def group_weights(groups: Sequence[str], resamples: int, seed: int = 0) -> "Floats":
    """Draws whole groups with replacement and counts how often each item stands in each resample.

    Args:
        groups: The group label of each item, (items,).
        resamples: Number of resamples.
        seed: Seed of the drawing.

    Returns:
        Weights (items, resamples); items of one group have equal weights, and the weights of the groups in a resample
        sum to the number of groups.

    Examples:
        >>> weights = group_weights(["a", "a", "b"], 4)
        >>> weights.shape, (weights[0] == weights[1]).all(), (weights[1] + weights[2]).tolist()
        ((3, 4), np.True_, [2.0, 2.0, 2.0, 2.0])
    """
    import numpy as np

    group_of = np.unique(np.asarray(groups), return_inverse=True)[1]
    weights: Floats = _draw_groups(int(group_of.max()) + 1, resamples, seed)[group_of].astype(float)
    return weights


@lru_cache(maxsize=2)  # every measure of a table resamples the same groups
def _draw_groups(count: int, resamples: int, seed: int) -> "NDArray[Any]":
    """How often each group stands in each resample, (groups, resamples)."""
    import numpy as np

    generator = np.random.default_rng(seed)
    times = generator.multinomial(count, np.full(count, 1 / count), size=resamples).T.astype(np.uint16)
    times.flags.writeable = False
    return times
