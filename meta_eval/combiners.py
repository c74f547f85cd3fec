"""Combiners that take all metrics: their mean rank, the paper's normalised sum, and two fitted to ratings."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.stats import rankdata

from .arrays import Floats, Places
from .subsets import DIGITS, Scale, Scaling, fit_scale, place_among

Combiner = Literal["mean-rank", "normalised-sum", "ridge", "logistic"]
COMBINERS: tuple[Combiner, ...] = get_args(Combiner)
UNFITTED: tuple[Combiner, ...] = ("mean-rank", "normalised-sum")
"""The combiners that learn nothing from ratings."""
SUBSET = "subset"  # the kind of a combination that sums the best subset instead
_PENALTIES = np.logspace(-2, 3, 11)
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


@dataclass(frozen=True, eq=False)
class ScaledScores:
    """Scores on a scale on which they may be summed, learned from themselves: no rating takes part."""

    scale: Scale  # brings other scores to it
    values: Floats  # (items, metrics)

    @classmethod
    def of(cls, scores: Floats, how: Scaling) -> "ScaledScores":
        """Scales scores (items, metrics)."""
        scale = fit_scale(scores, how)
        return cls(scale, scale(scores))


def scaling_of(kind: Combiner) -> Scaling:
    """How the scores are scaled that a combiner takes."""
    return "sum" if kind == "normalised-sum" else "ranks"


def fit_combiner(
    kind: Combiner,
    scores: Floats | ScaledScores,
    ratings: Floats,
    *,
    middle: float,
    training: Places | None = None,
) -> FittedCombiner:
    """Fits a combiner to training items and to each of several sets of ratings at once.

    The fitted kinds take the metrics' ranks (`fit_weights`). There is no tree among them: what is chosen can be
    written to a file that people read, one weight per metric.

    Examples:
        Both metrics are ranked, so that the three items have the same sum; one with two high scores is above all:

        >>> scores = np.array([[0.1, 3.0], [0.5, 2.0], [0.9, 1.0]])
        >>> fitted = fit_combiner("mean-rank", scores, np.array([[1.0], [2.0], [3.0]]), middle=2)
        >>> fitted.predict(np.array([[0.5, 2.0], [0.9, 3.0], [0.1, 1.0]])).ravel().tolist()
        [0.0, 0.5, -0.5]
    """
    scaled = scores if isinstance(scores, ScaledScores) else ScaledScores.of(scores, scaling_of(kind))
    x = scaled.values
    places = slice(None) if training is None else training
    weights = fit_weights(kind, x[places], ratings[places], middle=middle)
    spread = (x @ weights).std(axis=0)
    weights = weights / np.where(spread > _SMALLEST_SPREAD, spread, 1.0)
    return FittedCombiner(scaled.scale, weights, x @ weights)


def fit_weights(kind: str, x: Floats, ratings: Floats, *, middle: float) -> Floats:
    """Fits the weights of variables that are on one scale to each of several sets of ratings: the one fit of Assay.

    Ridge regression chooses its penalty by leaving out one item at a time; logistic regression takes the variables over
    their spread, with a penalty of 1, and equal weights where all outcomes are one. Other kinds learn nothing. Returns
    the weights, (metrics, sets).

    Examples:
        A rating that is twice the variable keeps nearly that weight with the smallest penalty:

        >>> x = np.arange(10.0)[:, None]
        >>> fit_weights("ridge", x, 2 * x, middle=9).round(3).tolist()
        [[2.0]]
    """
    if kind == "ridge":
        from sklearn import config_context
        from sklearn.linear_model import RidgeCV

        with config_context(assume_finite=True, skip_parameter_validation=True):  # checks would take half of the time
            fitted = RidgeCV(alphas=_PENALTIES, alpha_per_target=True).fit(x, ratings)
        return np.asarray(fitted.coef_, float).reshape(ratings.shape[1], x.shape[1]).T
    weights = np.full((x.shape[1], ratings.shape[1]), 1 / x.shape[1])
    if kind == "logistic":
        from sklearn import config_context
        from sklearn.linear_model import LogisticRegression

        spread = x.std(axis=0)
        over_spread = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > _SMALLEST_SPREAD)
        for place, is_good in enumerate((ratings > middle).T):
            if is_good.any() and not is_good.all():
                with config_context(assume_finite=True, skip_parameter_validation=True):
                    regression = LogisticRegression(C=1.0, solver="newton-cholesky").fit(x * over_spread, is_good)
                weights[:, place] = regression.coef_[0] * over_spread
    return weights
