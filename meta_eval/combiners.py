"""Combiners that take all metrics: their mean rank, the paper's normalised sum, and three fitted to ratings."""

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from .arrays import Floats
from .subsets import Scaling, fit_scale

Combiner = Literal["mean-rank", "normalised-sum", "ridge", "logistic", "tree"]
COMBINERS: tuple[Combiner, ...] = get_args(Combiner)
_PENALTIES = np.logspace(-2, 3, 11)
_DEEPEST = 3

Predictor = Callable[[Floats], Floats]


def fit_combiner(kind: Combiner, scores: Floats, ratings: Floats, *, middle: float, seed: int = 0) -> Predictor:
    """Learns a combiner from training scores (items x metrics, NaN missing) and ratings; predicts one score an item.

    The fitted ones take the metrics' ranks. Ridge's penalty is chosen by leaving out one training item at a
    time; logistic regression tells good answers (above the middle) from others with scikit-learn's penalty of 1; the
    tree has at most 3 levels and 5% of the items a leaf. Predictions are less their training mean, over their training
    spread, so that those of several folds may stand in one list: a fold's own mean would tell on the ratings left out.
    """
    how: Scaling = "sum" if kind == "normalised-sum" else "ranks"
    scale = fit_scale(scores, how)
    x = scale(scores)
    predict = _model(kind, x, ratings, middle, seed)
    known = predict(x)
    centre, spread = float(known.mean()), float(known.std()) or 1.0

    def told(others: Floats) -> Floats:
        if not len(others):
            return np.zeros(0)  # scikit-learn refuses to predict nothing
        found: Floats = (predict(scale(others)) - centre) / spread
        return found

    return told


def _model(kind: Combiner, x: Floats, y: Floats, middle: float, seed: int) -> Predictor:
    if kind == "ridge":
        from sklearn.linear_model import RidgeCV

        model = RidgeCV(alphas=_PENALTIES).fit(x, y)
        return lambda others: np.asarray(model.predict(others), float)
    if kind == "logistic" and 0 < int((y > middle).sum()) < len(y):
        from sklearn.linear_model import LogisticRegression

        classifier = LogisticRegression(C=1.0).fit(x / (x.std(axis=0) + 1e-12), y > middle)
        weights = classifier.coef_[0] / (x.std(axis=0) + 1e-12)
        return lambda others: np.asarray(others @ weights, float)
    if kind == "tree":
        from sklearn.tree import DecisionTreeRegressor

        smallest = max(2, round(0.05 * len(y)))
        tree = DecisionTreeRegressor(max_depth=_DEEPEST, min_samples_leaf=smallest, random_state=seed).fit(x, y)
        return lambda others: np.asarray(tree.predict(others), float)
    return lambda others: np.asarray(others.sum(axis=1), float)
