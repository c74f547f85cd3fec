"""Which topics go to which fold: clustering of topic centroids, by every distance and linkage (Twente paper, 4.4.1)."""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

Distance = Literal["euclidean", "cosine"]
Linkage = Literal["single", "complete", "average", "ward"]
# Ward's criterion is defined for Euclidean distances only
SETTINGS: tuple[tuple[Distance, Linkage], ...] = (
    *(("euclidean", linkage) for linkage in ("ward", "complete", "average", "single")),
    *(("cosine", linkage) for linkage in ("complete", "average", "single")),
)
"""The distances and linkages to try."""

MOST_CLUSTERS = 8
"""With more clusters there are too many ways to join them to folds."""


class TopicSplit(NamedTuple):
    """Topics divided over folds."""

    distance: Distance
    linkage: Linkage
    clusters: int  # the number of clusters that were cut and then joined to folds
    folds: tuple[int, ...]  # the fold of each topic, from 1
    single: float  # the single linkage distance (Euclidean) between the two nearest folds, over the centroids
    average: float

    @property
    def score(self) -> float:
        """The mean of single and average linkage distance: all topics count, the nearest ones more."""
        return (self.single + self.average) / 2


def split_topics(centroids: "Points", folds: int, clusters: int) -> Iterator[TopicSplit]:
    """Divides topics over folds by every setting.

    With as many clusters as folds this is the paper's own search; with more clusters, every way to join them to folds.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    for distance, linkage_name in SETTINGS:
        tree = linkage(pairwise_distances(centroids, distance), linkage_name)
        cut = fcluster(tree, clusters, "maxclust") - 1
        if cut.max() + 1 < clusters:  # equal distances, which no height separates
            continue
        for joining in _joinings(clusters, folds):
            fold_of_topic = tuple(joining[cluster] for cluster in cut)
            single, average = fold_distances(centroids, fold_of_topic)
            yield TopicSplit(distance, linkage_name, clusters, _number_by_first(fold_of_topic), single, average)


def pairwise_distances(points: "Points", distance: Distance) -> "NDArray[np.float64]":
    """Computes the distances of all pairs of points.

    Returns:
        The distances in condensed form, shape (points * (points - 1) / 2,).
    """
    import numpy as np
    from scipy.spatial.distance import pdist

    return np.nan_to_num(pdist(points, distance), nan=1.0)  # type: ignore[no-any-return]


def fold_distances(centroids: "Points", folds: Sequence[int]) -> tuple[float, float]:
    """Computes how far apart the two nearest folds are.

    Returns:
        Single and average linkage distance (Euclidean).

    Example:
        >>> import numpy as np
        >>> fold_distances(np.array([[0.0], [1.0], [5.0]]), [1, 1, 2])
        (4.0, 4.5)
    """
    import numpy as np
    from scipy.spatial.distance import cdist

    labels = np.array(folds)
    distances = [
        cdist(centroids[labels == one], centroids[labels == other])
        for one, other in combinations(sorted(set(folds)), 2)
    ]
    return min(((float(matrix.min()), float(matrix.mean())) for matrix in distances), key=sum)


def _joinings(clusters: int, folds: int) -> Iterator[tuple[int, ...]]:
    """Yields every way to join clusters to folds, as the fold of each cluster; each way once."""
    for rest in product(range(1, folds + 1), repeat=clusters - 1):
        joining = (1, *rest)
        if len(set(joining)) == folds and joining == _number_by_first(joining):
            yield joining


def _number_by_first(folds: Sequence[int]) -> tuple[int, ...]:
    """Numbers the folds from 1 in the order of their first member."""
    numbers = {fold: number for number, fold in enumerate(dict.fromkeys(folds), 1)}
    return tuple(numbers[fold] for fold in folds)
