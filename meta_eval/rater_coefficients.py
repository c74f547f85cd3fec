"""How far raters agree beyond chance: Krippendorff's alpha, and Gwet's AC2. Our own code.

The package `krippendorff` is GPL-3.0 and takes no weights, which leaving groups out needs; `irrCAC` states no licence,
and needs pandas and exactly SciPy 1.12.
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


def nominal_alpha(labels: Floats) -> Statistic:
    """Prepares Krippendorff's alpha for nominal data: 1 - D_o / D_e, where any two different labels disagree alike.

    D_o = sum over items of (m^2 - sum_c n_c^2) / (m - 1), with n_c of the item's m labels being c, and D_e = (N^2 -
    sum_c N_c^2) / (N - 1), with N_c of all N labels being c. Returns the statistic, at most 1; NaN where a column of
    weights has no two different labels. Source: Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability".
    """
    values = np.unique(labels[~np.isnan(labels)])
    counts = (labels[:, :, None] == values).sum(axis=1).astype(float)  # items x labels
    labels_per_item = counts.sum(axis=1)
    counts = counts * (labels_per_item >= 2)[:, None]
    disagreements = (counts.sum(axis=1) ** 2 - (counts**2).sum(axis=1)) / np.maximum(labels_per_item - 1, 1)

    def alphas(weights: Floats) -> Floats:
        label_counts = counts.T @ weights
        total = label_counts.sum(axis=0)
        observed = disagreements @ weights
        expected = total**2 - (label_counts**2).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Floats = np.where(expected > 1e-9, 1 - (total - 1) * observed / expected, np.nan)
        return result

    return alphas


def ordinal_ac2(ratings: Floats, levels: Floats) -> Statistic:
    """Prepares Gwet's AC2 with ordinal weights: (p_a - p_e) / (1 - p_e).

    Two ratings at levels k and l, as places on the scale of q levels, agree to w_kl = 1 - C(|k - l| + 1, 2) / C(q, 2).
    p_a is the mean over items with two ratings or more of the mean w of their pairs; p_e = T / (q (q - 1)) times the
    sum over levels of pi_k (1 - pi_k), with T the sum of all w and pi_k the mean over items of the share of their
    ratings at level k. Where nearly all ratings are at one level p_e goes to 0, and not, as in alpha and kappa, to p_a.
    Returns the statistic, at most 1; NaN where no item has two ratings. Source: Gwet (2008), "Computing inter-rater
    reliability and its variance in the presence of high agreement"; with weights: Gwet (2014), "Handbook of Inter-Rater
    Reliability", 4th edition.
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
