"""Mean ranks of weighted items: what every rank statistic resamples."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .arrays import Floats


class Ranks:
    """A variable's order, prepared once, so that the mean ranks of any weighting of its items cost one pass.

    Args:
        values: The variable, (items,), without NaN.

    Examples:
        Items 10, 20, 20 once each have ranks 1, 2.5, 2.5. With the first item twice they are 10, 10, 20, 20, whose mean
        ranks are 1.5 and 3.5:

        >>> import numpy as np
        >>> ranks = Ranks(np.array([10.0, 20.0, 20.0]))
        >>> ranks.weighted(np.array([[1.0, 2.0], [1.0, 1.0], [1.0, 1.0]])).tolist()
        [[1.0, 1.5], [2.5, 3.5], [2.5, 3.5]]
    """

    def __init__(self, values: "Floats") -> None:
        import numpy as np

        self._order = np.argsort(values, kind="stable")
        ordered = values[self._order]
        begins_tie = np.r_[True, ordered[1:] != ordered[:-1]]
        self._starts = np.flatnonzero(begins_tie)
        self._tie_of = np.empty(len(values), dtype=np.intp)
        self._tie_of[self._order] = np.cumsum(begins_tie) - 1

    def weighted(self, weights: "Floats") -> "Floats":
        """Computes mean ranks, from 1, where item i stands weights[i] times; (items, resamples) to the same shape."""
        import numpy as np

        ordered = weights[self._order]
        tied = ordered if len(self._starts) == len(ordered) else np.add.reduceat(ordered, self._starts, axis=0)
        ranks: Floats = (np.cumsum(tied, axis=0) - (tied - 1) / 2)[self._tie_of]
        return ranks
