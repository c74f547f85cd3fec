"""The array types of the meta-evaluator."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Places = NDArray[np.intp]


def shortest_cut(values: Floats, cut: float) -> float:
    """Rounds a cut, down where it must, to the fewest decimals of two to six with the same values at or above it.

    Example:
        >>> shortest_cut(np.array([0.4541, 0.4546]), 0.45436), shortest_cut(np.array([1.0, 2.0]), 1.6)
        (0.4544, 1.6)
    """
    rounded = (round(cut - down / 10**decimals, decimals) + 0.0 for decimals in range(2, 7) for down in (0.0, 0.5))
    return next((one for one in rounded if np.array_equal(values >= one, values >= cut)), cut)
