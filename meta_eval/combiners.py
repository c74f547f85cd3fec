"""Combiners that take all metrics: their mean rank, the paper's normalised sum, and two fitted to ratings."""

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from .arrays import Floats
from .subsets import Scaling, fit_scale

Combiner = Literal["mean-rank", "normalised-sum", "ridge", "logistic"]
COMBINERS: tuple[Combiner, ...] = get_args(Combiner)
_PENALTIES = np.logspace(-2, 3, 11)
SUBSET = "subset"  # the kind of a combination that sums the best subset instead

Predictor = Callable[[Floats], Floats]
"""Maps scores (items, metrics) to one prediction per item (items,)."""


def fit_combiner(kind: Combiner, scores: Floats, ratings: Floats, *, middle: float) -> Predictor:
    """Fits a combiner to training scores and ratings.

    The fitted kinds take the metrics' ranks. Ridge's penalty is chosen by leaving out one training item at a time;
    logistic regression tells good answers (above the middle) from others with scikit-learn's penalty of 1. There is no
    tree among them: what is chosen can be written to a file that people read, one weight per metric.

    Args:
        kind: Which combiner.
        scores: Training scores, more being better, (items, metrics); NaN where one is missing.
        ratings: Training ratings, (items,).
        middle: The middle of the rating scale.

    Returns:
        The predictor. Predictions are standardised by the training mean and spread, so that those of several folds may
        stand in one list: a fold's own mean would tell on the ratings that were left out.

    Examples:
        >>> scores = np.array([[0.1, 3.0], [0.5, 2.0], [0.9, 1.0]])
        >>> predict = fit_combiner("mean-rank", scores, np.array([1.0, 2.0, 3.0]), middle=2)
        >>> predict(np.array([[0.9, 3.0], [0.1, 1.0]])).round(6).tolist()
        [0.666667, -0.666667]
    """
    how: Scaling = "sum" if kind == "normalised-sum" else "ranks"
    scale = fit_scale(scores, how)
    x = scale(scores)
    model = _fit_model(kind, x, ratings, middle)
    fitted = model(x)
    centre, spread = float(fitted.mean()), float(fitted.std()) or 1.0

    def predict(others: Floats) -> Floats:
        if not len(others):
            return np.zeros(0)  # scikit-learn refuses to predict nothing
        predictions: Floats = (model(scale(others)) - centre) / spread
        return predictions

    return predict


def _fit_model(kind: Combiner, x: Floats, y: Floats, middle: float) -> Predictor:
    if kind == "ridge":
        from sklearn.linear_model import RidgeCV

        ridge = RidgeCV(alphas=_PENALTIES).fit(x, y)
        return lambda others: np.asarray(ridge.predict(others), float)
    if kind == "logistic" and 0 < int((y > middle).sum()) < len(y):
        from sklearn.linear_model import LogisticRegression

        spread = x.std(axis=0) + 1e-12
        classifier = LogisticRegression(C=1.0, solver="newton-cholesky").fit(x / spread, y > middle)
        weights = classifier.coef_[0] / spread
        return lambda others: np.asarray(others @ weights, float)
    return lambda others: np.asarray(others.sum(axis=1), float)
