"""How far raters agree beyond chance: Krippendorff's alpha.

Our own code, because the package `krippendorff` is GPL-3.0 and takes no weights, which leaving groups out needs.
"""

import numpy as np

from .arrays import Floats
from .groups import Statistic


def ordinal_alpha(ratings: Floats) -> Statistic:
    """Prepares Krippendorff's alpha for ordinal data: 1 - D_o / D_e.

    The squared difference of two levels c < k is (n_c / 2 + n_between + n_k / 2)^2, n being the number of ratings at a
    level: the squared distance of the levels' mean ranks, from which both sums follow without a matrix of levels.
    Returns the statistic, at most 1; NaN where a column of weights has no two different ratings. Source: Krippendorff
    (2011), "Computing Krippendorff's Alpha-Reliability".
    """
    levels = np.unique(ratings[~np.isnan(ratings)])
    counts = (ratings[:, :, None] == levels).sum(axis=1).astype(float)  # items x levels
    ratings_per_item = counts.sum(axis=1)
    counts = counts * (ratings_per_item >= 2)[:, None]
    pair_weight = 1 / np.maximum(ratings_per_item - 1, 1)

    def alphas(weights: Floats) -> Floats:
        level_counts = counts.T @ weights
        ranks = np.cumsum(level_counts, axis=0) - level_counts / 2
        total = level_counts.sum(axis=0)
        squares = (level_counts * ranks**2).sum(axis=0)
        within = (weights * pair_weight[:, None] * ((counts @ ranks) ** 2 - counts @ ranks**2)).sum(axis=0)
        observed = squares - within
        expected = total * squares - ((level_counts * ranks).sum(axis=0)) ** 2
        with np.errstate(invalid="ignore", divide="ignore"):
            values: Floats = np.where(expected > 1e-9, 1 - (total - 1) * observed / expected, np.nan)
        return values

    return alphas
