"""Combiners that take all metrics: their mean rank, the paper's normalised sum, and two fitted to ratings."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.stats import rankdata

from .arrays import Bools, Floats, Places
from .subsets import DIGITS, Scale, Scaling, fit_scale, place_among

Combiner = Literal["mean-rank", "normalised-sum", "ridge", "logistic"]
COMBINERS: tuple[Combiner, ...] = get_args(Combiner)
UNFITTED: tuple[Combiner, ...] = ("mean-rank", "normalised-sum")
"""The combiners that learn nothing from ratings."""
SUBSET = "subset"  # the kind of a combination that sums the best subset instead
_PENALTIES = np.logspace(-2, 3, 11)
_MOST_STEPS = 30
_SMALLEST_STEP = 1e-6
_SMALLEST_SPREAD = 1e-9


@dataclass(frozen=True, eq=False)
class FittedCombiner:
    """A combiner as it was fitted to several sets of ratings."""

    scale: Scale  # brings scores to the scale that the weights are for
    weights: Floats  # the weights, (metrics, sets)
    sums: Floats  # the weighted sums of the items whose scores are known, over their spread, (items, sets)

    def predict(self, others: Floats) -> Floats:
        """Maps scores (items, metrics) to predictions, one column per set of ratings (items, sets).

        A prediction is the place of an item's sum among the sums of all items (`place_among`). Items that all
        metrics score alike thus have the same prediction whatever fold they are in, where the fits of the folds order
        the items alike; a fold's own mean would also tell on the ratings that were left out.
        """
        return place_among(self.sums, self.scale(others) @ self.weights)

    def predict_known(self, places: Places) -> Floats:
        """Predicts the items at some places, as `predict` does of their scores, of many sets at once."""
        items = len(self.sums)
        ranks: Floats = rankdata(self.sums.round(DIGITS), axis=0)[places]
        return (ranks - 0.5) / items - 0.5


def fit_combiner(
    kind: Combiner, scores: Floats, ratings: Floats, *, middle: float, training: Places | None = None
) -> FittedCombiner:
    """Fits a combiner to training items and to each of several sets of ratings at once.

    The fitted kinds take the metrics' ranks. Ridge's penalty is chosen by leaving out one training item at a time;
    logistic regression tells good answers (above the middle) from others with a penalty of 1. There is no tree among
    them: what is chosen can be written to a file that people read, one weight per metric. Many sets of ratings are
    fitted in one pass, because a test repeats the fit for each shuffling of the ratings.

    Examples:
        Both metrics are ranked, so that the three items have the same sum; one with two high scores is above all:

        >>> scores = np.array([[0.1, 3.0], [0.5, 2.0], [0.9, 1.0]])
        >>> fitted = fit_combiner("mean-rank", scores, np.array([[1.0], [2.0], [3.0]]), middle=2)
        >>> fitted.predict(np.array([[0.5, 2.0], [0.9, 3.0], [0.1, 1.0]])).ravel().tolist()
        [0.0, 0.5, -0.5]
    """
    how: Scaling = "sum" if kind == "normalised-sum" else "ranks"
    scale = fit_scale(scores, how)
    x = scale(scores)
    places = slice(None) if training is None else training
    if kind == "ridge":
        weights = ridge_weights(x[places], ratings[places])
    elif kind == "logistic":
        weights = logistic_weights(x[places], ratings[places] > middle)
    else:
        weights = np.ones((x.shape[1], ratings.shape[1]))
    spread = (x @ weights).std(axis=0)
    weights = weights / np.where(spread > _SMALLEST_SPREAD, spread, 1.0)
    return FittedCombiner(scale, weights, x @ weights)


def ridge_weights(x: Floats, targets: Floats) -> Floats:
    """Fits ridge regression with an intercept to each column of targets.

    The penalty of each column is that of eleven from 0.01 to 1,000 with the least squared error when one item is left
    out at a time. With the singular values s of the centred x, the hat matrix is 1/n + U s^2 / (s^2 + penalty) U', and
    the error of an item left out is its residual / (1 - its entry on the diagonal) (Golub, Heath and Wahba, 1979); one
    decomposition serves all targets and penalties.

    Returns:
        The weights, (metrics, sets).

    Examples:
        A target that is twice the variable keeps nearly that weight with the smallest penalty:

        >>> x = np.arange(10.0)[:, None]
        >>> ridge_weights(x, 2 * x).round(3).tolist()
        [[2.0]]
    """
    y = targets - targets.mean(axis=0)
    left, singular, right = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    along = left.T @ y
    least, shrunk = np.full(y.shape[1], np.inf), np.zeros_like(along)
    for penalty in _PENALTIES:
        kept = singular**2 / (singular**2 + penalty)
        own_weight = left**2 @ kept + 1 / len(x)
        residuals = y - left @ (kept[:, None] * along)
        error = np.einsum("ij,ij,i->j", residuals, residuals, 1 / (1 - own_weight) ** 2)
        better = error < least
        least[better] = error[better]
        shrunk[:, better] = ((singular / (singular**2 + penalty))[:, None] * along)[:, better]
    weights: Floats = right.T @ shrunk
    return weights


def logistic_weights(x: Floats, is_good: Bools) -> Floats:
    """Fits logistic regression with an intercept to each column of outcomes, by Newton's method on all at once.

    Minimises the log loss + |w|^2 / 2 with w the weights of the variables over their spread; a step that does not
    lessen that is halved. A column of one outcome only gets equal weights.

    Returns:
        The weights, (metrics, sets).

    Examples:
        Good answers have the higher values of the first variable:

        >>> x = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
        >>> weights = logistic_weights(x, np.array([[False], [False], [True], [True]]))
        >>> bool(weights[0, 0] > 0.5), bool(abs(weights[1, 0]) < weights[0, 0])
        (True, True)
    """
    good = is_good.astype(float)
    items, metrics = x.shape
    spread = x.std(axis=0)
    # a variable that does not vary here gets no weight
    over_spread = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > _SMALLEST_SPREAD)
    design = np.column_stack([(x - x.mean(axis=0)) * over_spread, np.ones(items)])
    first, second = np.triu_indices(metrics + 1)
    products = design[:, first] * design[:, second]
    penalty = np.r_[np.ones(metrics), 0.0]
    share = good.mean(axis=0)
    varies = (share > 0) & (share < 1)
    weights = np.zeros((metrics + 1, good.shape[1]))
    weights[-1, varies] = np.log(share[varies] / (1 - share[varies]))

    def loss(candidate: Floats, columns: Floats) -> Floats:
        linear = design @ candidate
        total: Floats = (np.logaddexp(0.0, linear) - columns * linear).sum(axis=0) + penalty @ candidate**2 / 2
        return total

    active = np.flatnonzero(varies)
    reached = loss(weights[:, active], good[:, active])
    for _ in range(_MOST_STEPS):
        if not len(active):
            break
        own, outcomes = weights[:, active], good[:, active]
        likely = 1 / (1 + np.exp(-(design @ own)))
        gradient = design.T @ (likely - outcomes) + penalty[:, None] * own
        curvature = np.empty((len(active), metrics + 1, metrics + 1))
        curvature[:, first, second] = curvature[:, second, first] = (products.T @ (likely * (1 - likely))).T
        curvature += np.diag(penalty)
        step = np.linalg.solve(curvature, gradient.T[:, :, None])[:, :, 0].T
        length = np.ones(len(active))
        after = loss(own - step, outcomes)
        while (worse := after > reached + 1e-9).any() and length.min() > 1e-3:
            length[worse] /= 2
            after = np.where(worse, loss(own - length * step, outcomes), after)
        weights[:, active] = own - length * step
        unfinished = np.abs(length * step).max(axis=0) > _SMALLEST_STEP
        active, reached = active[unfinished], after[unfinished]
    fitted: Floats = weights[:-1] * over_spread[:, None]
    fitted[:, ~varies] = 1.0
    return fitted
