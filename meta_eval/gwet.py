"""Gwet's AC2: how far raters agree beyond chance where nearly all ratings are alike, which leaves alpha little to see.

Our own code: the package `irrCAC` states no licence, and needs pandas and exactly SciPy 1.12.
"""

import numpy as np

from .arrays import Floats
from .groups import Statistic


def ordinal_ac2(ratings: Floats, levels: Floats) -> Statistic:
    """Prepares Gwet's AC2 with ordinal weights: (p_a - p_e) / (1 - p_e).

    Two ratings at levels k and l, as places on the scale of q levels, agree to w_kl = 1 - C(|k - l| + 1, 2) / C(q, 2).
    p_a is the mean over items with two ratings or more of the mean w of their pairs; p_e = T / (q (q - 1)) times the
    sum over levels of pi_k (1 - pi_k), with T the sum of all w and pi_k the mean over items of the share of their
    ratings at level k. Where nearly all ratings are at one level p_e goes to 0, and not, as in alpha and kappa, to p_a.
    Returns the statistic, at most 1; NaN where no item has two ratings. Source: Gwet (2008), "Computing inter-rater
    reliability and its variance in the presence of high agreement"; with weights: Gwet (2014), "Handbook of Inter-Rater
    Reliability", 4th edition.

    Examples:
        Two raters, items rated (1, 1), (1, 1), (1, 2) on the levels 1 and 2: p_a = 2/3, pi = (5/6, 1/6), T = 2, so
        p_e = 2 / 2 * (5/36 + 5/36) = 5/18 and AC2 = (2/3 - 5/18) / (13/18) = 7/13. Cohen's kappa of them is 0.

        >>> statistic = ordinal_ac2(np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0]))
        >>> round(float(statistic(np.ones((3, 1)))[0]), 4)
        0.5385
    """
    agreement = _ordinal_weights(len(levels))
    counts = (ratings[:, :, None] == levels).sum(axis=1).astype(float)  # items x levels
    ratings_per_item = counts.sum(axis=1)
    has_two = ratings_per_item >= 2
    pairs = np.maximum(ratings_per_item * (ratings_per_item - 1), 1)
    agreeing = (counts * (counts @ agreement - 1)).sum(axis=1) / pairs * has_two
    shares = counts / np.maximum(ratings_per_item, 1)[:, None]
    per_level = float(agreement.sum()) / (len(levels) * (len(levels) - 1))

    def coefficients(weights: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            p_a = agreeing @ weights / (has_two @ weights)
            level_shares = shares.T @ weights / ((ratings_per_item > 0) @ weights)
        p_e = per_level * (level_shares * (1 - level_shares)).sum(axis=0)
        values: Floats = (p_a - p_e) / (1 - p_e)  # p_e is at most T / q^2, below 1
        return values

    return coefficients


def _ordinal_weights(levels: int) -> Floats:
    apart = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels))).astype(float)
    weights: Floats = 1 - apart * (apart + 1) / (levels * (levels - 1))
    return weights
