"""How probable it is that a version is the best, given estimates with errors."""

import numpy as np

from .version_means import VersionMeans
from .version_prior import weigh_spreads

_DRAWS = 20_000


def probabilities_of_best(means: VersionMeans, *, width: float, seed: int = 0) -> list[float]:
    """The probability that each version has the highest mean, (versions,).

    The posterior, drawn at random, under the prior of `version_prior`: the versions' means are normal about an unknown
    middle with one of several standard deviations. The errors are multivariate t with the degrees of freedom of the
    estimate.

    Example:
        Two versions, 0.5 apart with a standard error of 0.167 and 9 degrees of freedom, on a scale of 4 points:

        >>> replicates = 3 + np.column_stack([np.zeros(10), 0.5 + 1 / 18 * (-1.0) ** np.arange(10)])
        >>> means = VersionMeans(np.array([3.0, 3.5]), replicates, np.ones((10, 2)))
        >>> [round(number, 2) for number in probabilities_of_best(means, width=4)]
        [0.03, 0.97]
    """
    versions = len(means.means)
    contrast = np.eye(versions)[1:] - np.eye(versions)[0]
    errors, differences = contrast @ means.covariance @ contrast.T, contrast @ means.means
    degrees, random = means.degrees(*range(versions)), np.random.default_rng(seed)
    values, vectors = np.linalg.eigh(errors)
    root, counts = vectors * np.sqrt(np.maximum(values, 0.0)), np.zeros(versions)
    for spread, weight in zip(*weigh_spreads(differences, errors, degrees, width=width), strict=True):
        draws = round(float(weight) * _DRAWS)
        inflated = degrees / random.chisquare(degrees, draws)[:, None, None]
        prior, error = spread**2 * (contrast @ contrast.T), errors * inflated
        believed = prior @ np.linalg.inv(prior + error)  # how far the estimate is believed
        # a draw of the prior, moved by what the estimate says beyond it (Matheron's rule): nothing singular is inverted
        from_prior = spread * random.standard_normal((draws, versions)) @ contrast.T
        noise = np.sqrt(inflated[:, :, 0]) * (random.standard_normal((draws, versions - 1)) @ root.T)
        surprise = (differences - from_prior - noise)[:, :, None]
        posterior = from_prior + (believed @ surprise)[:, :, 0]
        best = np.column_stack([np.zeros(draws), posterior]).argmax(axis=1)
        counts += np.bincount(best, minlength=versions)
    return [float(count) for count in counts / counts.sum()]
