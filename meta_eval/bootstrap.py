"""Whole groups drawn with replacement: how often a choice would be made again on other answers of the same kind."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .arrays import Floats


def group_weights(groups: Sequence[str], resamples: int, seed: int = 0) -> "Floats":
    """Draws whole groups with replacement and counts how often each item stands in each resample.

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
    count = int(group_of.max()) + 1
    times = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=resamples).T
    weights: Floats = times[group_of].astype(float)
    return weights
