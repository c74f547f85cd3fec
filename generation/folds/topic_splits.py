"""Which topics go to which fold: clustering of topic centroids, searched over distance and linkage (4.4.1)."""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

Distance = Literal["euclidean", "cosine"]
Linkage = Literal["single", "complete", "average", "ward"]
# Ward's criterion is defined for Euclidean distances
SETTINGS: tuple[tuple[Distance, Linkage], ...] = (
    *(("euclidean", linkage) for linkage in ("ward", "complete", "average", "single")),
    *(("cosine", linkage) for linkage in ("complete", "average", "single")),
)
# All ways to join so many clusters to folds can be tried
MOST_CLUSTERS = 8


class Split(NamedTuple):
    """Topics in folds: `folds[i]` (from 1) is the fold of topic i. `clusters` were cut and then joined to the folds.

    `single` and `average` are linkage distances between the folds in Euclidean distance, over the centroids; with more
    than two folds those of the nearest pair. `score` is their mean.
    """

    distance: Distance
    linkage: Linkage
    clusters: int
    folds: tuple[int, ...]
    single: float
    average: float

    @property
    def score(self) -> float:
        """The mean of single and average linkage distance: all points count, the nearest more."""
        return (self.single + self.average) / 2


def splits(centroids: "Points", folds: int, clusters: int) -> Iterator[Split]:
    """Every split of topics (centroids: topics x dimensions) by every setting, where `clusters` are cut.

    With as many clusters as folds that is the paper's own search; with more, every way to join them to folds.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    for distance, way in SETTINGS:
        tree = linkage(pairwise(centroids, distance), way)
        cut = fcluster(tree, clusters, "maxclust") - 1
        if cut.max() + 1 < clusters:  # ties that no height parts
            continue
        for joined in _joinings(clusters, folds):
            fold = tuple(joined[cluster] for cluster in cut)
            single, average = apart(centroids, fold)
            yield Split(distance, way, clusters, _by_first(fold), single, average)


def pairwise(points: "Points", distance: Distance) -> "NDArray[np.float64]":
    """Distances of all pairs (condensed). A point at the origin has cosine distance 1 to all others."""
    import numpy as np
    from scipy.spatial.distance import pdist

    found = pdist(points, distance)
    return np.nan_to_num(found, nan=1.0)  # type: ignore[no-any-return]


def apart(centroids: "Points", folds: Sequence[int]) -> tuple[float, float]:
    """Single and average linkage distance (Euclidean) of the two nearest folds."""
    import numpy as np
    from scipy.spatial.distance import cdist

    of = np.array(folds)
    between = [
        cdist(centroids[of == one], centroids[of == other]) for one, other in combinations(sorted(set(folds)), 2)
    ]
    return min(((float(d.min()), float(d.mean())) for d in between), key=sum)


def _joinings(clusters: int, folds: int) -> Iterator[tuple[int, ...]]:
    for rest in product(range(1, folds + 1), repeat=clusters - 1):
        joined = (1, *rest)
        if len(set(joined)) == folds and joined == _by_first(joined):
            yield joined


def _by_first(folds: Sequence[int]) -> tuple[int, ...]:
    """The same folds, numbered from 1 in the order of their first member."""
    names = {fold: number for number, fold in enumerate(dict.fromkeys(folds), 1)}
    return tuple(names[fold] for fold in folds)
