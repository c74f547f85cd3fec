"""What is expected of versions before any rating: that they may differ much, a little, or hardly at all."""

import numpy as np
from scipy import stats

from ..arrays import Floats

PRIOR_SPREADS = (0.01, 0.03, 0.1, 0.3)
"""Standard deviations of versions' means about their middle, as shares of the scale; each is as probable.

A change that hardly matters and one that matters much are both usual; one normal prior expects only one of them, and
its P(best) is too sure of the small differences (simulated: benchmarks/decision_simulation.py).
"""


def weigh_spreads(differences: Floats, errors: Floats, degrees: float, *, width: float) -> tuple[Floats, Floats]:
    """The spreads that versions may have, with how probable each is given the estimates.

    Returns:
        Spreads in points of the scale, and their probabilities, (spreads,) each.

    Example:
        A difference of 2 of 4 points that is known well can only come from the widest:

        >>> spreads, weights = weigh_spreads(np.array([2.0]), np.array([[0.01]]), 50, width=4)
        >>> spreads.tolist(), weights.round(2).tolist()
        ([0.04, 0.12, 0.4, 1.2], [0.0, 0.0, 0.02, 0.98])
    """
    count = len(differences)
    shape = np.eye(count) + np.ones((count, count))  # of differences from one of several independent means
    spreads = width * np.array(PRIOR_SPREADS)
    likelihood = np.array(
        [
            stats.multivariate_t(np.zeros(count), errors + spread**2 * shape, df=degrees).logpdf(differences)
            for spread in spreads
        ]
    )
    weights = np.exp(likelihood - likelihood.max())
    return spreads, np.asarray(weights / weights.sum())
