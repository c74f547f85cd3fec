"""Ways to combine metrics: all subsets at once, by one small covariance matrix, and combiners of all of them."""

from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb
from typing import Literal, get_args

import numpy as np
from scipy.special import expit

from .arrays import Floats, Places
from .ranks import mean_ranks

MOST_SUBSETS = 4095  # all subsets of 12 metrics
DIGITS = 9
"""To how many digits sums of scores are compared: those that differ by less are equal but for rounding."""

Scaling = Literal["ranks", "sum"]


def largest_size(metrics: int) -> int:
    """Computes how many metrics a subset may hold."""
    size, number = 1, metrics
    while size < metrics and (number := number + comb(metrics, size + 1)) <= MOST_SUBSETS:
        size += 1
    return size


def all_subsets(metrics: int, largest: int) -> Floats:
    """Lists the subsets of up to `largest` metrics, the small ones first, (subsets, metrics) of 0 and 1."""
    members = [subset for size in range(1, largest + 1) for subset in combinations(range(metrics), size)]
    rows = np.zeros((len(members), metrics))
    for row, subset in enumerate(members):
        rows[row, list(subset)] = 1.0
    return rows


class ScaledScores:
    """Scores on a scale on which they may be summed, learned from themselves: no rating takes part."""

    def __init__(self, scores: Floats, how: Scaling) -> None:
        self._how, self._known = how, [np.sort(column[~np.isnan(column)]) for column in scores.T]
        self.values = self.scale(scores)  # (items, metrics)

    def scale(self, others: Floats) -> Floats:
        """Brings other scores to the same scale; a missing score becomes 0."""
        scaled = np.zeros_like(others)
        for number, known in enumerate(self._known):
            column = others[:, number]
            if self._how == "ranks" and len(known):
                below, up_to = (np.searchsorted(known, column, side=side) for side in ("left", "right"))
                scaled[:, number] = (below + up_to) / (2 * len(known)) - 0.5
            elif len(known) and known[-1] > known[0]:
                scaled[:, number] = (np.clip(column, known[0], known[-1]) - known.mean()) / (known[-1] - known[0])
        scaled[np.isnan(others)] = 0.0
        return scaled


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
        below, up_to = (np.searchsorted(known, rounded[:, number], side=side) for side in ("left", "right"))
        places[:, number] = (below + up_to) / (2 * len(known)) - 0.5
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
    edges = np.searchsorted(sizes, np.arange(1, int(sizes[-1]) + 2))
    return np.array([first + int(np.argmax(scores[first:last])) for first, last in pairwise(edges)])


def subset_names(subset: Floats, names: tuple[str, ...]) -> tuple[str, ...]:
    """Lists the names of the metrics in a subset, a row (metrics,) of 0 and 1."""
    return tuple(name for name, is_member in zip(names, subset > 0, strict=True) if is_member)


Combiner = Literal["mean-rank", "normalised-sum", "ridge", "logistic"]
COMBINERS: tuple[Combiner, ...] = get_args(Combiner)
UNFITTED: tuple[Combiner, ...] = ("mean-rank", "normalised-sum")
"""The combiners that learn nothing from ratings."""
SUBSET = "subset"  # the kind of a combination that sums the best subset instead
_PENALTIES = np.logspace(-2, 3, 11)
_SMALLEST_SPREAD = 1e-9
_MOST_STEPS, _SMALLEST_DESCENT = 100, 1e-14


@dataclass(frozen=True, eq=False)
class FittedCombiner:
    """A combiner as it was fitted to several sets of ratings."""

    scores: ScaledScores  # brings scores to the scale that the weights are for
    weights: Floats  # the weights, (metrics, sets)
    sums: Floats  # the weighted sums of the items whose scores are known, over their spread, (items, sets)

    def predict(self, others: Floats) -> Floats:
        """Maps scores (items, metrics) to predictions, one column per set of ratings (items, sets).

        A prediction is the place of an item's sum among the sums of all items (`place_among`). Items that all
        metrics score alike thus have the same prediction whatever fold they are in, where the fits of the folds order
        the items alike; a fold's own mean would also tell on the ratings that were left out.
        """
        return place_among(self.sums, self.scores.scale(others) @ self.weights)

    def predict_known(self, places: Places) -> Floats:
        """Predicts the items at some places, as `predict` does of their scores, of many sets at once."""
        items = len(self.sums)
        ranks = mean_ranks(self.sums.round(DIGITS))[places]
        return (ranks - 0.5) / items - 0.5


def scaling_of(kind: Combiner) -> Scaling:
    """How the scores are scaled that a combiner takes."""
    return "sum" if kind == "normalised-sum" else "ranks"


def fit_combiner(
    kind: Combiner, scores: ScaledScores, ratings: Floats, *, middle: float, training: Places | None = None
) -> FittedCombiner:
    """Fits a combiner to training items and to each of several sets of ratings at once.

    The fitted kinds take the metrics' ranks (`fit_weights`). There is no tree among them: what is chosen can be
    written to a file that people read, one weight per metric.

    Examples:
        Both metrics are ranked, so that the three items have the same sum; one with two high scores is above all:

        >>> scores = ScaledScores(np.array([[0.1, 3.0], [0.5, 2.0], [0.9, 1.0]]), "ranks")
        >>> fitted = fit_combiner("mean-rank", scores, np.array([[1.0], [2.0], [3.0]]), middle=2)
        >>> fitted.predict(np.array([[0.5, 2.0], [0.9, 3.0], [0.1, 1.0]])).ravel().tolist()
        [0.0, 0.5, -0.5]
    """
    x = scores.values
    places = slice(None) if training is None else training
    weights = fit_weights(kind, x[places], ratings[places], middle=middle)
    spread = (x @ weights).std(axis=0)
    weights = weights / np.where(spread > _SMALLEST_SPREAD, spread, 1.0)
    return FittedCombiner(scores, weights, x @ weights)


def fit_weights(kind: str, x: Floats, ratings: Floats, *, middle: float) -> Floats:
    """Fits the weights of variables that are on one scale to each of several sets of ratings: the one fit of Assay.

    Ridge regression chooses its penalty by leaving out one item at a time; logistic regression takes the variables over
    their spread, with a penalty of 1, and equal weights where all outcomes are one. Other kinds learn nothing. Returns
    the weights, (metrics, sets).
    """
    if kind == "ridge":
        return _fit_ridge(x, ratings)
    weights = np.full((x.shape[1], ratings.shape[1]), 1 / x.shape[1])
    if kind == "logistic":
        spread = x.std(axis=0)
        over_spread = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > _SMALLEST_SPREAD)
        for place, is_good in enumerate((ratings > middle).T):
            if is_good.any() and not is_good.all():
                weights[:, place] = fit_logistic(x * over_spread, is_good)[:-1] * over_spread
    return weights


def _fit_ridge(x: Floats, ratings: Floats) -> Floats:
    """The weights of ridge regression with an intercept, by the penalty with the least error without each item.

    That error is residual / (1 - leverage) (Golub, Heath and Wahba, 1979), and every penalty shares one
    eigendecomposition: scikit-learn's `RidgeCV`, without its checks and for all sets at once (tests hold the two
    together).
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


def fit_logistic(x: Floats, targets: Floats, weights: Floats | None = None, *, penalty: float = 1.0) -> Floats:
    """Fits logistic regression with an intercept by Newton's method: the slopes, and last the intercept.

    A target between 0 and 1 counts as a yes of that weight and a no of the rest. What is least is the sum of the
    weighted losses and penalty / 2 times that of the squared slopes: scikit-learn's `LogisticRegression` with C = 1 /
    penalty. The loss is convex; a step that would raise it (far from its minimum) is halved until it does not.
    """
    variables, penalties = np.column_stack([x, np.ones(len(x))]), np.append(np.full(x.shape[1], penalty), 0.0)
    counts = np.ones(len(x)) if weights is None else weights

    def loss(fitted: Floats) -> float:
        sums = variables @ fitted
        return float(counts @ (np.logaddexp(0, sums) - targets * sums) + penalties @ fitted**2 / 2)

    fitted = np.zeros(len(penalties))
    for _ in range(_MOST_STEPS):
        shares = expit(variables @ fitted)
        slope = variables.T @ (counts * (shares - targets)) + penalties * fitted
        curvature = (variables * (counts * shares * (1 - shares))[:, None]).T @ variables + np.diag(penalties)
        step = np.linalg.solve(curvature, slope)
        if slope @ step < _SMALLEST_DESCENT:
            break
        now = loss(fitted)
        while loss(fitted - step) > now:
            step /= 2
        fitted = fitted - step
    return fitted
