"""How stable each group of a clustering is: whether it is there again when other items are drawn."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .labels import OUTLIER

if TYPE_CHECKING:
    from .labels import Cluster, Labels, Vectors

Stability = Literal["stable", "partly stable", "not stable", "not known"]
FEWEST_ITEMS = 10
"""With fewer items nobody can tell how stable a group is."""

_DRAWS = 50
_STABLE, _PATTERN = 0.75, 0.6  # Hennig (2007): from 0.75 on a group is stable, below 0.6 it should not be trusted


def measure_stability(
    vectors: "Vectors",
    labels: "Labels",
    units: Sequence[str],
    cluster: "Cluster",
    *,
    draws: int = _DRAWS,
    seed: int = 0,
) -> list[float] | None:
    """Measures how stable groups are by the bootstrap (Hennig, 2007).

    Units are drawn with replacement, their items clustered again (one that is drawn twice counts once), and each group
    is compared with the most similar new group by Jaccard's coefficient, the share of their items that both have, over
    the items that were drawn. The mean over all draws is the group's stability. Returns one mean in [0, 1] per group;
    None with fewer than 10 items or 5 units, where nobody can tell.

    Args:
        vectors: The items, shape (items, dimensions).
        labels: The group of each item, numbered from 0, -1 for none.
        units: What each item belongs to; items of one unit are drawn together.
        cluster: The function that made the labels.
        draws: The number of draws.
        seed: The same seed gives the same draws.

    Example:
        >>> import numpy as np
        >>> points = np.repeat([0.0, 9.0], 10)[:, None] + np.arange(20.0)[:, None] / 100
        >>> measure_stability(points, np.repeat([0, 1], 10), [str(n) for n in range(20)],
        ...                   lambda some: (some[:, 0] > 5).astype(np.int64))
        [1.0, 1.0]
    """
    import numpy as np

    unit_of = np.unique(np.asarray(units), return_inverse=True)[1]
    count = int(unit_of.max(initial=OUTLIER)) + 1
    groups = int(labels.max(initial=OUTLIER)) + 1
    if len(labels) < FEWEST_ITEMS or count < 5:
        return None
    generator = np.random.default_rng(seed)
    similarities: list[list[float]] = [[] for _ in range(groups)]
    for _ in range(draws):
        drawn = np.flatnonzero(np.isin(unit_of, generator.integers(0, count, count)))
        again, before = cluster(vectors[drawn]), labels[drawn]
        overlaps = np.zeros((groups, int(again.max(initial=OUTLIER)) + 1))
        inside = (before != OUTLIER) & (again != OUTLIER)
        np.add.at(overlaps, (before[inside], again[inside]), 1)
        sizes_again = np.bincount(again[again != OUTLIER], minlength=overlaps.shape[1])
        for group in range(groups):
            size = int((before == group).sum())
            if size:  # a group of which nothing was drawn says nothing
                unions = size + sizes_again - overlaps[group]
                similarities[group].append(float((overlaps[group] / unions).max(initial=0.0)))
    return [sum(values) / len(values) if values else 0.0 for values in similarities]


def describe_stability(similarity: float | None) -> Stability:
    """Says in words how stable a group is (Hennig, 2007: 0.75 and above, 0.6 and above).

    Examples:
        >>> describe_stability(0.8), describe_stability(0.5), describe_stability(None)
        ('stable', 'not stable', 'not known')
    """
    if similarity is None:
        return "not known"
    return "stable" if similarity >= _STABLE else "partly stable" if similarity >= _PATTERN else "not stable"
