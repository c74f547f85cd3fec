"""The groups of items as numbers: what all clustering shares."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float64]
    Labels = NDArray[np.int64]
    Cluster = Callable[[Vectors], Labels]

OUTLIER = -1
"""The group of an item that is in none."""


def number_by_size(labels: "Labels") -> "Labels":
    """Numbers groups from 0 by size, the largest first; of equal sizes the group of the first item.

    Example:
        >>> import numpy as np
        >>> number_by_size(np.array([7, 3, 3, -1])).tolist()
        [1, 0, 0, -1]
    """
    import numpy as np

    inside = labels[labels != OUTLIER]
    names, first, counts = np.unique(inside, return_index=True, return_counts=True)
    order = names[np.lexsort((first, -counts))]
    numbers = {int(name): number for number, name in enumerate(order)}
    return np.array([numbers.get(int(label), OUTLIER) for label in labels], dtype=np.int64)
