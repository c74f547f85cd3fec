"""Maps from a judge's probabilities to what people's ratings say: isotonic and beta calibration."""

from typing import Literal

import numpy as np

from .arrays import Floats
from .scorer import Knots

CalibrationKind = Literal["isotonic", "beta"]
_SMALLEST = 1e-4
_TAIL = np.geomspace(_SMALLEST, 0.5, 16)
_GRID = np.concatenate([_TAIL, 1 - _TAIL[-2::-1]])
_FEWEST = 10


def fit_map(kind: CalibrationKind, probabilities: Floats, targets: Floats, weights: Floats) -> Knots:
    """Fits a map from probabilities to targets that never falls.

    `isotonic` is the monotone step function of least squares, linear between its points. `beta` is logistic regression
    on ln p and -ln(1 - p) with coefficients of at least 0 (Kull, Silva Filho and Flach, 2017, "Beta calibration"); a
    coefficient that comes out below 0 is left out. A target between 0 and 1 counts as a yes of that weight and a no of
    the rest.

    Returns:
        The map as points; the identity with fewer than ten answers, or where the probabilities do not vary.

    Examples:
        Of answers with probability 0.9 half are good, and of those with 0.2 none:

        >>> said, good = np.repeat([0.9, 0.2], 10), np.repeat([0.5, 0.0], 10)
        >>> fit_map("isotonic", said, good, np.ones(20))
        ((0.2, 0.0), (0.9, 0.5))
    """
    if len(probabilities) < _FEWEST or float(np.ptp(probabilities)) == 0 or float(np.ptp(targets)) == 0:
        return ((0.0, 0.0), (1.0, 1.0))
    if kind == "isotonic":
        from sklearn.isotonic import IsotonicRegression

        model = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1)
        model.fit(probabilities, targets, sample_weight=weights)
        return tuple((float(x), float(y)) for x, y in zip(model.X_thresholds_, model.y_thresholds_, strict=True))
    return _fit_beta(probabilities, targets, weights)


def _fit_beta(probabilities: Floats, targets: Floats, weights: Floats) -> Knots:
    from sklearn.linear_model import LogisticRegression

    columns = _beta_features(probabilities)
    labels = np.repeat([1, 0], len(targets))
    both = np.concatenate([weights * targets, weights * (1 - targets)])
    kept, model = [0, 1], LogisticRegression(C=1e6, solver="newton-cholesky")
    while kept:
        model.fit(np.vstack([columns[:, kept]] * 2), labels, sample_weight=both)
        below = [column for column, slope in zip(kept, model.coef_[0], strict=True) if slope < 0]
        if not below:
            break
        kept = [column for column in kept if column not in below]
    if not kept:
        share = float(targets @ weights / weights.sum())
        return ((0.0, share), (1.0, share))
    mapped = model.predict_proba(_beta_features(_GRID)[:, kept])[:, 1]
    return tuple((float(x), float(y)) for x, y in zip(_GRID, np.maximum.accumulate(mapped), strict=True))


def _beta_features(probabilities: Floats) -> Floats:
    clipped = np.clip(probabilities, _SMALLEST, 1 - _SMALLEST)
    return np.column_stack([np.log(clipped), -np.log1p(-clipped)])
