"""All subsets of the metrics at once: the correlation of each subset's sum follows from one small covariance matrix."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from math import comb
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..errors import UsageError
from ..text.wording import count_of
from .arrays import Floats, Places

if TYPE_CHECKING:
    from .arrays import Floats

MOST_SUBSETS = 4095  # all subsets of 12 metrics
_MOST_SUBSETS_ON_REQUEST = 100_000
_CELLS_PER_BLOCK = 2_000_000
DIGITS = 9
"""To how many digits sums of scores are compared: those that differ by less are equal but for rounding."""

Scale = Callable[[Floats], Floats]
"""Maps scores (items, metrics) to values of the same shape that may be summed."""
Scaling = Literal["ranks", "sum"]


def largest_size(metrics: int, most: int | None = None) -> int:
    """Computes how many metrics a subset may hold.

    Examples:
        12 metrics have 2^12 - 1 = 4,095 subsets; 13 metrics have 13 + 78 + 286 + 715 + 1,287 = 2,379 of up to five, and
        with the 1,716 of six 4,095.

        >>> largest_size(12), largest_size(13), largest_size(12, most=3)
        (12, 6, 3)
    """
    if most is not None:
        return min(most, metrics)
    size, number = 1, metrics
    while size < metrics and (number := number + comb(metrics, size + 1)) <= MOST_SUBSETS:
        size += 1
    return size


def all_subsets(metrics: int, largest: int) -> Floats:
    """Lists the subsets of up to `largest` metrics.

    Returns one row per subset, (subsets, metrics) of 0 and 1, the small ones first.

    Examples:
        >>> all_subsets(2, 2).tolist()
        [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    number = sum(comb(metrics, size) for size in range(1, largest + 1))
    if number > _MOST_SUBSETS_ON_REQUEST:
        raise UsageError(
            f"{count_of(metrics, 'metric has', 'metrics have')} {count_of(number, 'subset')} of up to {largest}, "
            f"more than {_MOST_SUBSETS_ON_REQUEST:,}; "
            f"combine at most {count_of(largest_size(metrics), 'metric')} (--max-metrics), or choose fewer (--metrics)"
        )
    members = [subset for size in range(1, largest + 1) for subset in combinations(range(metrics), size)]
    rows = np.zeros((len(members), metrics))
    for row, subset in enumerate(members):
        rows[row, list(subset)] = 1.0
    return rows


def fit_scale(training: Floats, how: Scaling) -> Scale:
    """Learns from training scores how to bring columns to one scale on which they may be summed.

    Returns the scale. A missing score becomes 0, which says nothing either way.

    Examples:
        Of the training scores 1, 2, 3, 4 half are below 2.5; all are below 9; of 2 one is below and one equal.

        >>> scale = fit_scale(np.array([[1.0], [2.0], [3.0], [4.0]]), "ranks")
        >>> scale(np.array([[2.5], [9.0], [2.0], [np.nan]])).ravel().tolist()
        [0.0, 0.5, -0.125, 0.0]
    """
    columns = [column[~np.isnan(column)] for column in training.T]
    ordered = [np.sort(column) for column in columns]

    def to_ranks(values: Floats) -> Floats:
        scaled = np.zeros_like(values)
        for number, known in enumerate(ordered):
            if len(known):
                below, up_to = (np.searchsorted(known, values[:, number], side=side) for side in ("left", "right"))
                scaled[:, number] = (below + up_to) / (2 * len(known)) - 0.5
        scaled[np.isnan(values)] = 0.0
        return scaled

    def to_share_of_range(values: Floats) -> Floats:
        scaled = np.zeros_like(values)
        for number, known in enumerate(ordered):
            if len(known) and known[-1] > known[0]:
                clipped = np.clip(values[:, number], known[0], known[-1])
                scaled[:, number] = (clipped - known.mean()) / (known[-1] - known[0])
        scaled[np.isnan(values)] = 0.0
        return scaled

    return to_ranks if how == "ranks" else to_share_of_range


def place_among(sums: Floats, others: Floats) -> Floats:
    """Finds the place of sums among those of all items, so that sums of different spread may stand in one list.

    Returns the share of the items whose sum is below, ties half, less 0.5, (others, columns).

    Examples:
        Of 1, 2, 2 and 4, one is below 2 and two are equal:

        >>> place_among(np.array([[1.0], [2.0], [2.0], [4.0]]), np.array([[2.0], [3.0], [9.0]])).ravel().tolist()
        [0.0, 0.25, 0.5]
    """
    places = np.empty_like(others)
    rounded = others.round(DIGITS)
    for number, known in enumerate(np.sort(sums.round(DIGITS), axis=0).T):
        below, up_to = (np.searchsorted(known, rounded[:, number], side=side) for side in ("left", "right"))
        places[:, number] = (below + up_to) / (2 * len(known)) - 0.5
    return places


def subset_correlations(x: Floats, targets: Floats, subsets: Floats) -> Floats:
    """Computes Pearson's correlation of each subset's sum of columns with each target.

    With S the covariance of the columns and c their covariance with a target, a subset s of 0 and 1 has the correlation
    s'c / sqrt(s'S s var(target)). The cost is items x metrics^2 once and metrics^2 per subset, however many items.
    Returns the correlations, (subsets, targets); 0 where a sum does not vary.

    Examples:
        Columns (1, 0, 0) and (0, 1, 0) against (1, 1, 0): alone each has 0.5, and their sum is the target.

        >>> x = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
        >>> subset_correlations(x, np.array([[1.0], [1.0], [0.0]]), all_subsets(2, 2)).ravel().round(6).tolist()
        [0.5, 0.5, 1.0]
    """
    x = x - x.mean(axis=0)
    targets = targets - targets.mean(axis=0)
    subset_spread = np.sqrt(np.maximum(((subsets @ (x.T @ x)) * subsets).sum(axis=1), 0.0))
    size = subset_spread[:, None] * np.sqrt((targets**2).sum(axis=0))
    correlations: Floats = np.divide(subsets @ (x.T @ targets), size, out=np.zeros_like(size), where=size > 1e-12)
    return correlations


def best_of_each_size(scores: Floats, sizes: Places) -> Places:
    """Finds the row of the best subset of each size.

    Returns one row number per size, (sizes,); the first of equals.

    Examples:
        >>> best_of_each_size(np.array([0.2, 0.5, 0.4]), np.array([1, 1, 2])).tolist()
        [1, 2]
    """
    edges = np.searchsorted(sizes, np.arange(1, int(sizes[-1]) + 2))
    return np.array([first + int(np.argmax(scores[first:last])) for first, last in pairwise(edges)])


def resampled_winners(
    x: Floats, target: Floats, groups: tuple[str, ...], subsets: Floats, *, resamples: int, seed: int
) -> Places:
    """Finds the best subset in each of many tables with whole groups resampled.

    The sums of squares of every resample come from one product of the weights with the columns' pairwise products.
    Returns the row of the winning subset in each resample, (resamples,).
    """
    first, second = np.triu_indices(subsets.shape[1])
    products = x[:, first] * x[:, second]
    # each unordered pair of two metrics counts twice in the variance of a sum
    pair_weights = subsets[:, first] * subsets[:, second] * np.where(first == second, 1.0, 2.0)
    winners: list[Places] = []
    for weights in _column_blocks(group_weights(groups, resamples, seed), max(1, _CELLS_PER_BLOCK // len(subsets))):
        total = weights.sum(axis=0)
        means, mean_target = x.T @ weights / total, target @ weights / total
        covariances = products.T @ weights - means[first] * means[second] * total
        with_target = (x * target[:, None]).T @ weights - means * mean_target * total
        spread = np.sqrt(np.maximum(pair_weights @ covariances, 0.0))
        joint = subsets @ with_target
        scores = np.divide(joint, spread, out=np.zeros_like(joint), where=spread > 1e-12)
        winners.append(np.argmax(scores, axis=0))
    return np.concatenate(winners)


def _column_blocks(weights: Floats, width: int) -> Iterator[Floats]:
    for first in range(0, weights.shape[1], width):
        yield weights[:, first : first + width]


def subset_names(subset: Floats, names: tuple[str, ...]) -> tuple[str, ...]:
    """Lists the names of the metrics in a subset, a row (metrics,) of 0 and 1."""
    return tuple(name for name, is_member in zip(names, subset > 0, strict=True) if is_member)


def group_weights(groups: Sequence[str], resamples: int, seed: int = 0) -> "Floats":
    """Draws whole groups with replacement and counts how often each item stands in each resample.

    Returns weights (items, resamples); items of one group have equal weights, and the weights of the groups in a
    resample sum to the number of groups.

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
