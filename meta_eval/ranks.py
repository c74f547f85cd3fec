"""Ranks, in which tied values share their mean rank, for many columns or many weightings of the items at once."""

import numpy as np

from .arrays import Floats


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
