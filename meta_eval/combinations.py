"""Combinations of metrics: the mean ranks of all subsets at once, by one small covariance matrix, and a ridge."""

from itertools import combinations, pairwise
from math import comb

import numpy as np

from .arrays import Floats, Places
from .ranks import mean_ranks

MOST_SUBSETS = 4095  # all subsets of 12 metrics
DIGITS = 9
"""To how many digits sums of scores are compared: those that differ by less are equal but for rounding."""


def largest_size(metrics: int) -> int:
    """Computes how many metrics a subset may hold, where all subsets up to that size are tried."""
    size, number = 1, metrics
    while size < metrics and (number := number + comb(metrics, size + 1)) <= MOST_SUBSETS:
        size += 1
    return size


def all_subsets(metrics: int, largest: int) -> Floats:
    """Lists the subsets of up to `largest` metrics, the small ones first, and all: (subsets, metrics) of 0 and 1."""
    sizes = [*range(1, min(largest, metrics - 1) + 1), metrics]
    members = [subset for size in sizes for subset in combinations(range(metrics), size)]
    rows = np.zeros((len(members), metrics))
    for row, subset in enumerate(members):
        rows[row, list(subset)] = 1.0
    return rows


class RankedScores:
    """Scores as their places among those of the same metric, which may be summed: no rating takes part."""

    def __init__(self, scores: Floats) -> None:
        self._known = [np.sort(column[~np.isnan(column)]) for column in scores.T]
        self.values = self.rank(scores)  # (items, metrics)

    def rank(self, others: Floats) -> Floats:
        """The share of the known scores below each of others, ties half, less 0.5; a missing score becomes 0."""
        ranked = np.zeros_like(others)
        for number, known in enumerate(self._known):
            if len(known):
                ranked[:, number] = _place(known, others[:, number])
        ranked[np.isnan(others)] = 0.0
        return ranked


def place_all(sums: Floats) -> Floats:
    """The place of each of some sums among all, as `place_among` finds it, (items, columns)."""
    places: Floats = (mean_ranks(sums.round(DIGITS)) - 0.5) / len(sums) - 0.5
    return places


def place_among(sums: Floats, others: Floats) -> Floats:
    """Finds the share of the items whose sum is below each of other sums, ties half, less 0.5, (others, columns).

    Examples:
        Of 1, 2, 2 and 4, one is below 2 and two are equal:

        >>> place_among(np.array([[1.0], [2.0], [2.0], [4.0]]), np.array([[2.0], [3.0], [9.0]])).ravel().tolist()
        [0.0, 0.25, 0.5]
    """
    places = np.empty_like(others)
    rounded = others.round(DIGITS)
    for number, known in enumerate(np.sort(sums.round(DIGITS), axis=0).T):
        places[:, number] = _place(known, rounded[:, number])
    return places


def _place(known: Floats, values: Floats) -> Floats:
    """The share of known values, in order, below each of others, ties half, less 0.5."""
    below, up_to = (np.searchsorted(known, values, side=side) for side in ("left", "right"))
    places: Floats = (below + up_to) / (2 * len(known)) - 0.5
    return places


def subset_correlations(x: Floats, targets: Floats, subsets: Floats) -> Floats:
    """Computes Pearson's correlation of each subset's sum of columns with each target.

    With S the covariance of the columns and c their covariance with a target, a subset s of 0 and 1 has the correlation
    s'c / sqrt(s'S s var(target)). The cost is items x metrics^2 once and metrics^2 per subset, however many items.
    Returns the correlations, (subsets, targets); 0 where a sum does not vary.
    """
    x = x - x.mean(axis=0)
    targets = targets - targets.mean(axis=0)
    subset_spread = np.sqrt(np.maximum(((subsets @ (x.T @ x)) * subsets).sum(axis=1), 0.0))
    size = subset_spread[:, None] * np.sqrt((targets**2).sum(axis=0))
    correlations: Floats = np.divide(subsets @ (x.T @ targets), size, out=np.zeros_like(size), where=size > 1e-12)
    return correlations


def best_of_each_size(scores: Floats, sizes: Places) -> Places:
    """Finds the row of the best subset of each size, the first of equals, (sizes,)."""
    edges = [*np.unique(sizes, return_index=True)[1].tolist(), len(sizes)]
    return np.array([first + int(np.argmax(scores[first:last])) for first, last in pairwise(edges)])


def subset_names(subset: Floats, names: tuple[str, ...]) -> tuple[str, ...]:
    """Lists the names of the metrics in a subset, a row (metrics,) of 0 and 1."""
    return tuple(name for name, is_member in zip(names, subset > 0, strict=True) if is_member)


_PENALTIES = np.logspace(-2, 3, 11)
_SMALLEST_SPREAD = 1e-9


def fit_ridge(x: Floats, ratings: Floats) -> Floats:
    """The weights of ridge regression with an intercept, by the penalty with the least error without each item.

    That error is residual / (1 - leverage) (Golub, Heath and Wahba, 1979), and every penalty shares one
    eigendecomposition: scikit-learn's `RidgeCV`, without its checks and for all sets of ratings at once (tests hold the
    two together). Returns the weights, (metrics, sets).
    """
    eigenvalues, directions = np.linalg.eigh((centred := x - x.mean(axis=0)).T @ centred)
    rotated, outcomes = centred @ directions, ratings - ratings.mean(axis=0)
    projected = rotated.T @ outcomes
    least, weights = np.full(ratings.shape[1], np.inf), np.empty((x.shape[1], ratings.shape[1]))
    for penalty in _PENALTIES:
        shrunk = projected / (eigenvalues + penalty)[:, None]
        leverages = 1 / len(x) + rotated**2 @ (1 / (eigenvalues + penalty))
        errors = (((outcomes - rotated @ shrunk) / (1 - leverages)[:, None]) ** 2).sum(axis=0)
        is_better = errors < least
        least[is_better], weights[:, is_better] = errors[is_better], shrunk[:, is_better]
    return directions @ weights


def weigh(x: Floats, ratings: Floats, training: Places) -> Floats:
    """Ridge weights of all metrics from the items at `training`, in spreads of the sums of all items, (metrics, sets).

    Sums of different folds are thus on one scale.
    """
    weights = fit_ridge(x[training], ratings[training])
    spread = (x @ weights).std(axis=0)
    return weights / np.where(spread > _SMALLEST_SPREAD, spread, 1.0)
