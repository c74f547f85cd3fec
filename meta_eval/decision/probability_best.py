"""How probable it is that a version is the best, given estimates with errors."""

import numpy as np

from ..arrays import Floats
from .version_means import VersionMeans

_DRAWS = 8_000
_NO_ERROR = 1e-9  # as a share of the prior's spread: versions that answer alike stay equal


def probabilities_of_best(means: VersionMeans, *, spread: float, seed: int = 0) -> list[float]:
    """The probability that each version has the highest mean, (versions,); of equal versions each has its share.

    The posterior under a prior that takes the versions' means as normal with the standard deviation `spread` about an
    unknown middle, drawn at random; the errors are multivariate t with the degrees of freedom of the estimate.

    Args:
        means: The estimates.
        spread: Of the prior, in points of the scale.
        seed: Seed of the draws.

    Example:
        Two versions, 0.5 apart with a standard error of 0.167 and 9 degrees of freedom, and a wide prior:

        >>> import numpy as np
        >>> replicates = 3 + np.column_stack([np.zeros(10), 0.5 + 1 / 18 * (-1.0) ** np.arange(10)])
        >>> means = VersionMeans(np.array([3.0, 3.5]), replicates, np.ones((10, 2)))
        >>> [round(number, 2) for number in probabilities_of_best(means, spread=100.0)]
        [0.01, 0.99]
    """
    versions = len(means.means)
    contrast = np.eye(versions)[1:] - np.eye(versions)[0]
    errors = contrast @ means.covariance @ contrast.T + np.eye(versions - 1) * (_NO_ERROR * spread) ** 2
    prior = np.linalg.inv(spread**2 * (contrast @ contrast.T))
    degrees, random = means.degrees(*range(versions)), np.random.default_rng(seed)
    factor = random.chisquare(degrees, _DRAWS) / degrees
    precision = np.linalg.inv(errors)[None] * factor[:, None, None]
    covariance = np.linalg.inv(prior[None] + precision)
    centre = np.einsum("dij,djk,k->di", covariance, precision, contrast @ means.means)
    noise = np.einsum("dij,dj->di", np.linalg.cholesky(covariance), random.standard_normal((_DRAWS, versions - 1)))
    draws: Floats = np.column_stack([np.zeros(_DRAWS), centre + noise])
    counts = np.bincount(draws.argmax(axis=1), minlength=versions)
    return [float(count) / _DRAWS for count in counts]
