"""Intervals by resampling whole groups: items of one source are not independent."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .arrays import Floats

# weights (items, resamples), how often each item stands -> the statistic of each resample, NaN where undefined
Statistic = Callable[["Floats"], "Floats"]

FEWEST_GROUPS = 5
_CELLS_AT_ONCE = 500_000  # what fits the processor's cache
_MOST_LEFT_OUT = 200  # with more groups, whole blocks of them are left out for the acceleration


def bca_interval(
    statistic: "Statistic",
    estimate: float,
    groups: Sequence[str],
    *,
    resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float] | None:
    """The interval of `bca_intervals` at one level."""
    found = bca_intervals(statistic, estimate, groups, resamples=resamples, levels=(level,), seed=seed)
    return found[0] if found else None


def bca_intervals(
    statistic: "Statistic",
    estimate: float,
    groups: Sequence[str],
    *,
    resamples: int | None = None,
    levels: Sequence[float],
    seed: int = 0,
) -> list[tuple[float, float]] | None:
    """Bias-corrected accelerated bootstrap intervals (Efron, 1987) at each level, whole groups resampled.

    `groups` names each item's group; the acceleration comes from leaving out one group at a time. `resamples` left out:
    2,000, or 500 above 2,000 items. None where there are too few groups, or the statistic is undefined in half of the
    resamples.
    """
    import numpy as np
    from scipy.special import ndtr, ndtri

    group_of = np.unique(np.asarray(groups), return_inverse=True)[1]
    count = int(group_of.max()) + 1
    if count < FEWEST_GROUPS:
        return None
    resamples = resamples or (2000 if len(group_of) <= 2000 else 500)

    def of_resamples(times: "NDArray[Any]") -> "Floats":  # times (groups, resamples): how often each group stands
        at_once = max(1, _CELLS_AT_ONCE // len(group_of))
        parts = [times[:, first : first + at_once] for first in range(0, times.shape[1], at_once)]
        found = np.concatenate([statistic(part[group_of].astype(float)) for part in parts])
        defined: Floats = found[~np.isnan(found)]
        return defined

    boot = of_resamples(_draws(count, resamples, seed))
    blocks = np.array_split(np.arange(count), min(count, _MOST_LEFT_OUT))
    kept = np.ones((count, len(blocks)), dtype=np.int8)
    for number, block in enumerate(blocks):
        kept[block, number] = 0
    left_out = of_resamples(kept)
    if len(boot) < resamples / 2 or len(left_out) < FEWEST_GROUPS:
        return None
    below = (np.sum(boot < estimate) + np.sum(boot == estimate) / 2) / len(boot)
    bias = ndtri(np.clip(below, 1 / (len(boot) + 1), len(boot) / (len(boot) + 1)))
    away = left_out.mean() - left_out
    acceleration = (away**3).sum() / (6 * ((away**2).sum() ** 1.5) or 1.0)
    found = []
    for level in levels:
        edges = ndtri(np.array([(1 - level) / 2, (1 + level) / 2])) + bias
        low, high = np.quantile(boot, ndtr(bias + edges / (1 - acceleration * edges)))
        found.append((float(low), float(high)))
    return found


def group_weights(groups: Sequence[str], resamples: int, seed: int = 0) -> "Floats":
    """How often each item stands in each resample (items, resamples) when whole groups are drawn with replacement."""
    import numpy as np

    group_of = np.unique(np.asarray(groups), return_inverse=True)[1]
    weights: Floats = _draws(int(group_of.max()) + 1, resamples, seed)[group_of].astype(float)
    return weights


@lru_cache(maxsize=2)  # every measure of a table resamples the same groups
def _draws(count: int, resamples: int, seed: int) -> "NDArray[Any]":
    import numpy as np

    found = (
        np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=resamples).T.astype(np.uint16)
    )
    found.flags.writeable = False
    return found
