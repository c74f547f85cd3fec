"""Ranks, in which tied values share their mean rank, and statistics of agreement for many weightings of the items.

Leaving a group out is a weight of 0. Each statistic prepares two variables once. With all weights 1 its value is
SciPy's or scikit-learn's (tests compare them), whose functions take no weights for ranks.
"""

import numpy as np

from .arrays import Bools, Floats
from .groups import Statistic


def mean_ranks(values: Floats) -> Floats:
    """Ranks values (items,), or each column of values (items, columns), from 1; the same shape.

    Equal to `scipy.stats.rankdata(values, axis=0)`; SciPy's statistics take half a second to import.

    Examples:
        >>> mean_ranks(np.array([10.0, 20.0, 20.0])).tolist()
        [1.0, 2.5, 2.5]
    """
    rows = np.ascontiguousarray(np.atleast_2d(values.T))
    order = rows.argsort(axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    begins_tie = np.ones(rows.shape, bool)
    begins_tie[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = np.flatnonzero(begins_tie)
    ends = np.append(starts[1:], rows.size)
    # the mean of the ranks starts + 1 to ends, counted through all columns
    rank_of_tie = np.repeat((starts + ends + 1) / 2, ends - starts).reshape(rows.shape)
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, rank_of_tie - rows.shape[1] * np.arange(len(rows))[:, None], axis=1)
    return ranks.T.reshape(values.shape)


def standard_ranks(values: Floats) -> Floats:
    """Ranks with mean 0 and spread 1, of values (items,) or of each column; 0 where the values do not vary.

    The mean product of two is Spearman's rank correlation.
    """
    ranks = mean_ranks(values) - (len(values) + 1) / 2
    spread = ranks.std(axis=0)
    standard: Floats = ranks / np.where(spread > 0, spread, 1.0)
    return standard


def column_spearmans(columns: Floats, ratings: Floats) -> Floats:
    """Computes Spearman's rho of each column with the ratings, (columns,); 0 where one of the two does not vary.

    Examples:
        >>> columns = np.array([[1.0, 5.0, 2.0], [2.0, 4.0, 2.0], [3.0, 3.0, 2.0]])
        >>> column_spearmans(columns, np.array([1.0, 2.0, 4.0])).tolist()
        [1.0, -1.0, 0.0]
    """
    # ranks are halves, whose sums have no rounding error
    x, y = (mean_ranks(values) - (len(ratings) + 1) / 2 for values in (columns, ratings))
    size = np.sqrt((x**2).sum(axis=0) * (y**2).sum())
    correlations: Floats = np.divide(y @ x, size, out=np.zeros_like(size), where=size > 0)
    return correlations


class Ranks:
    """A variable's order, prepared once, so that the mean ranks of any weighting of its items cost one pass.

    Examples:
        Items 10, 20, 20 once each have ranks 1, 2.5, 2.5. With the first item twice they are 10, 10, 20, 20, whose mean
        ranks are 1.5 and 3.5:

        >>> ranks = Ranks(np.array([10.0, 20.0, 20.0]))
        >>> ranks.weighted(np.array([[1.0, 2.0], [1.0, 1.0], [1.0, 1.0]])).tolist()
        [[1.0, 1.5], [2.5, 3.5], [2.5, 3.5]]
    """

    def __init__(self, values: Floats) -> None:
        self._order = np.argsort(values, kind="stable")
        ordered = values[self._order]
        begins_tie = np.r_[True, ordered[1:] != ordered[:-1]]
        self._starts = np.flatnonzero(begins_tie)
        self._tie_of = np.empty(len(values), dtype=np.intp)
        self._tie_of[self._order] = np.cumsum(begins_tie) - 1

    def weighted(self, weights: Floats) -> Floats:
        """Computes mean ranks, from 1, where item i stands weights[i] times; (items, columns) to the same shape."""
        ordered = weights[self._order]
        tied = ordered if len(self._starts) == len(ordered) else np.add.reduceat(ordered, self._starts, axis=0)
        ranks: Floats = (np.cumsum(tied, axis=0) - (tied - 1) / 2)[self._tie_of]
        return ranks


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
