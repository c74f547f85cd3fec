"""How probable it is that a version is the best, given estimates with errors."""

import numpy as np
from scipy import stats

from ..arrays import Floats

PRIOR_SPREADS = (0.01, 0.03, 0.1, 0.3)
"""Standard deviations of versions' means about their middle, as shares of the scale; each is as probable.

A change that hardly matters and one that matters much are both usual; one normal prior expects only one of them, and
its P(best) is too sure of the small differences (simulated: benchmarks/referee_checks/decide_best.py).
"""
_DRAWS = 20_000


def probabilities_of_best(
    differences: Floats, errors: Floats, degrees: float, *, width: float, seed: int = 0
) -> list[float]:
    """The probability that each version has the highest mean, (versions,).

    The posterior, drawn at random: the versions' means are normal about an unknown middle with one of several standard
    deviations, each weighted by how probable it makes the estimates. The errors are multivariate t.

    Args:
        differences: Each further version less the first, (versions - 1,).
        errors: Their covariance.
        degrees: Their degrees of freedom.
        width: That of the scale.
        seed: Seed of the draws.

    Example:
        Two versions, 0.5 apart with a standard error of 0.167 and 9 degrees of freedom, on a scale of 4 points:

        >>> [round(number, 2) for number in probabilities_of_best(np.array([0.5]), np.array([[1 / 36]]), 9, width=4)]
        [0.03, 0.97]
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
    values, vectors = np.linalg.eigh(errors)
    root, counts = vectors * np.sqrt(np.maximum(values, 0.0)), np.zeros(count + 1)
    random = np.random.default_rng(seed)
    for spread, weight in zip(spreads, weights / weights.sum(), strict=True):
        draws = round(float(weight) * _DRAWS)
        inflated = degrees / random.chisquare(degrees, draws)[:, None, None]
        prior, error = spread**2 * shape, errors * inflated
        believed = prior @ np.linalg.inv(prior + error)  # how far the estimate is believed
        # a draw of the prior, moved by what the estimate says beyond it (Matheron's rule): nothing singular is inverted
        means = spread * random.standard_normal((draws, count + 1))
        from_prior = means[:, 1:] - means[:, :1]
        noise = np.sqrt(inflated[:, :, 0]) * (random.standard_normal((draws, count)) @ root.T)
        posterior = from_prior + (believed @ (differences - from_prior - noise)[:, :, None])[:, :, 0]
        best = np.column_stack([np.zeros(draws), posterior]).argmax(axis=1)
        counts += np.bincount(best, minlength=count + 1)
    return [float(share) for share in counts / counts.sum()]
