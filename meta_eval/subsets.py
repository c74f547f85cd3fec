"""All subsets of the metrics at once: the correlation of each subset's sum follows from one small covariance matrix."""

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from math import comb
from typing import Literal

import numpy as np

from ..errors import UsageError
from .arrays import Bools, Floats, Places
from .bootstrap import group_weights

MOST_SUBSETS = 4095  # all subsets of 12 metrics
_TOO_MANY = 100_000
_CELLS_AT_ONCE = 2_000_000

Scale = Callable[[Floats], Floats]
Scaling = Literal["ranks", "sum"]


def largest_size(metrics: int, most: int | None = None) -> int:
    """How many metrics a subset may hold: `most`, or as many as leave no more than 4,095 subsets."""
    if most is not None:
        return min(most, metrics)
    size, number = 1, metrics
    while size < metrics and (number := number + comb(metrics, size + 1)) <= MOST_SUBSETS:
        size += 1
    return size


def all_subsets(metrics: int, largest: int) -> Floats:
    """The subsets of up to `largest` metrics, (subsets, metrics) of 0 and 1, the small ones first.

    Raises `UsageError` where there are more than 100,000.
    """
    number = sum(comb(metrics, size) for size in range(1, largest + 1))
    if number > _TOO_MANY:
        raise UsageError(
            f"{metrics} metrics have {number:,} subsets of up to {largest}, more than {_TOO_MANY:,}; combine at most "
            f"{largest_size(metrics)} metrics (--max-metrics), or take fewer into the table (--metrics)"
        )
    chosen = [held for size in range(1, largest + 1) for held in combinations(range(metrics), size)]
    found = np.zeros((len(chosen), metrics))
    for row, held in enumerate(chosen):
        found[row, list(held)] = 1.0
    return found


def fit_scale(training: Floats, how: Scaling) -> Scale:
    """Brings columns to a scale on which they may be summed, as learnt from training scores (items x metrics).

    `ranks`: the share of training scores below, ties half, less 0.5. `sum`: between the training minimum and maximum,
    as in 001 V-C, less the training mean. A missing score becomes 0: it says nothing either way.
    """
    columns = [column[~np.isnan(column)] for column in training.T]
    ordered = [np.sort(column) for column in columns]

    def to_ranks(values: Floats) -> Floats:
        found = np.zeros_like(values)
        for number, known in enumerate(ordered):
            if len(known):
                below, upto = (np.searchsorted(known, values[:, number], side=side) for side in ("left", "right"))
                found[:, number] = (below + upto) / (2 * len(known)) - 0.5
        found[np.isnan(values)] = 0.0
        return found

    def to_share_of_range(values: Floats) -> Floats:
        found = np.zeros_like(values)
        for number, known in enumerate(ordered):
            if len(known) and known[-1] > known[0]:
                share = (np.clip(values[:, number], known[0], known[-1]) - known.mean()) / (known[-1] - known[0])
                found[:, number] = share
        found[np.isnan(values)] = 0.0
        return found

    return to_ranks if how == "ranks" else to_share_of_range


def subset_correlations(x: Floats, targets: Floats, subsets: Floats) -> Floats:
    """Pearson's correlation of each subset's sum of columns with each target: (subsets, targets).

    x: items x metrics, scaled; targets: items x targets. A sum that does not vary has 0. Cost: items x metrics squared
    once, then metrics squared a subset, however many items there are.
    """
    x = x - x.mean(axis=0)
    targets = targets - targets.mean(axis=0)
    spread = _spread(x, subsets)
    of_targets = np.sqrt((targets**2).sum(axis=0))
    size = spread[:, None] * of_targets
    found: Floats = np.divide(subsets @ (x.T @ targets), size, out=np.zeros_like(size), where=size > 1e-12)
    return found


def _spread(x: Floats, subsets: Floats) -> Floats:
    found: Floats = np.sqrt(np.maximum(((subsets @ (x.T @ x)) * subsets).sum(axis=1), 0.0))
    return found


def best_of_each_size(scores: Floats, sizes: Places) -> Places:
    """The row of the best subset of each size, from 1; the first of equals."""
    edges = np.searchsorted(sizes, np.arange(1, int(sizes[-1]) + 2))
    return np.array([first + int(np.argmax(scores[first:last])) for first, last in pairwise(edges)])


def resampled_winners(
    x: Floats, target: Floats, groups: tuple[str, ...], subsets: Floats, *, resamples: int, seed: int
) -> Places:
    """The row of the best subset in each of `resamples` tables with whole groups resampled.

    The sums of squares of every resample come from one product of weights with the columns' pairwise products.
    """
    count = subsets.shape[1]
    first, second = np.triu_indices(count)
    products = x[:, first] * x[:, second]
    # each unordered pair of two metrics stands twice in the variance of a sum
    of_pairs = subsets[:, first] * subsets[:, second] * np.where(first == second, 1.0, 2.0)
    found: list[Places] = []
    for weights in _blocks(group_weights(groups, resamples, seed), max(1, _CELLS_AT_ONCE // len(subsets))):
        total = weights.sum(axis=0)
        means, mean_target = x.T @ weights / total, target @ weights / total
        squares = products.T @ weights - means[first] * means[second] * total
        with_target = (x * target[:, None]).T @ weights - means * mean_target * total
        spread = np.sqrt(np.maximum(of_pairs @ squares, 0.0))
        joint = subsets @ with_target
        scores = np.divide(joint, spread, out=np.zeros_like(joint), where=spread > 1e-12)
        found.append(np.argmax(scores, axis=0))
    return np.concatenate(found)


def _blocks(weights: Floats, width: int) -> Iterator[Floats]:
    for first in range(0, weights.shape[1], width):
        yield weights[:, first : first + width]


def members(subset: Floats, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of the metrics in a subset."""
    held: Bools = subset > 0
    return tuple(name for name, is_held in zip(names, held, strict=True) if is_held)
