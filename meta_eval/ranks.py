"""Mean ranks of weighted items: what every rank statistic resamples."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Ranks:
    """A variable's order, prepared once: the mean ranks of any weighting of its items then cost one pass."""

    def __init__(self, values: "Floats") -> None:
        import numpy as np

        self._order = np.argsort(values, kind="stable")
        ordered = values[self._order]
        begins_tie = np.r_[True, ordered[1:] != ordered[:-1]]
        self._starts = np.flatnonzero(begins_tie)
        self._tie_of = np.empty(len(values), dtype=np.intp)
        self._tie_of[self._order] = np.cumsum(begins_tie) - 1

    def weighted(self, weights: "Floats") -> "Floats":
        """Mean ranks (items, resamples), from 1, where item i stands weights[i] times."""
        import numpy as np

        ordered = weights[self._order]
        tied = ordered if len(self._starts) == len(ordered) else np.add.reduceat(ordered, self._starts, axis=0)
        ranks: Floats = (np.cumsum(tied, axis=0) - (tied - 1) / 2)[self._tie_of]
        return ranks
