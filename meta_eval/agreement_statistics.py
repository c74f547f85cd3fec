"""Statistics of agreement, for many weightings of the items at once: leaving a group out is a weight of 0.

Each factory prepares two variables once and returns a `Statistic`, which maps weights (items, columns) to one value
per column. With all weights 1 the value is scipy's or scikit-learn's (tests compare them), whose functions take no
weights for ranks, so that every weighting would have to be worked out anew.
"""

import numpy as np

from .arrays import Bools, Floats
from .groups import Statistic
from .ranks import Ranks


def spearman_statistic(x: Floats, y: Floats) -> Statistic:
    """Prepares Spearman's rho: Pearson's of the mean ranks in each weighting; NaN where a variable does not vary."""
    return mean_spearman(x[:, None], y)


def mean_spearman(x: Floats, y: Floats) -> Statistic:
    """Prepares the mean over the columns of x of Spearman's rho with y; NaN where y or a column does not vary."""
    column_ranks, y_ranks = [Ranks(column) for column in x.T], Ranks(y)

    def means(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        middle = (total + 1) / 2  # the mean of the mean ranks
        ranks = y_ranks.weighted(weights) - middle
        weighted_ranks = weights * ranks
        yy = np.einsum("ij,ij->j", weighted_ranks, ranks)
        result: Floats = np.zeros_like(total)
        for column in column_ranks:
            other = column.weighted(weights) - middle
            xy = np.einsum("ij,ij->j", weighted_ranks, other)
            xx = np.einsum("ij,ij,ij->j", weights, other, other)
            result += _quotient(xy, xx, yy, (total**3 / 12) ** 2)
        result /= len(column_ranks)
        return result

    return means


def _quotient(both: Floats, square_x: Floats, square_y: Floats, usual: Floats | float) -> Floats:
    """both / sqrt(square_x square_y); NaN where that product is negligible beside the usual one (rounding)."""
    product = square_x * square_y
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.where(product > 1e-15 * usual, both / np.sqrt(np.abs(product)), np.nan)
    return result


def auroc_statistic(x: Floats, positive: Bools) -> Statistic:
    """Prepares the area under the ROC curve: P(a positive item's value is above another's), a tie counting half.

    Computed from the rank sum R of the k positive items: (R - k (k + 1) / 2) / (k (n - k)) (Mann and Whitney, 1947).
    Returns the statistic, in [0, 1]; NaN where a column lacks one kind.
    """
    ranks = Ranks(x)

    def areas(weights: Floats) -> Floats:
        positive_weights = weights[positive]
        total, all_weights = positive_weights.sum(axis=0), weights.sum(axis=0)
        rank_sum = (positive_weights * ranks.weighted(weights)[positive]).sum(axis=0)
        pairs = total * (all_weights - total)
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Floats = np.where(pairs > 0, (rank_sum - total * (total + 1) / 2) / pairs, np.nan)
        return result

    return areas
