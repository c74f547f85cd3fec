"""Groups of texts that are not very many: Ward's clustering on principal components, without any randomness."""

from typing import TYPE_CHECKING

from .labels import OUTLIER, number_by_size

if TYPE_CHECKING:
    from .labels import Labels, Vectors

DIMENSIONS = 15
"""The number of principal components: as many dimensions as the paper's topics have."""

_FEWEST = 2
_MOST = 40


def principal_components(vectors: "Vectors", dimensions: int = DIMENSIONS) -> "Vectors":
    """Projects vectors on the directions of most variance.

    Shape (items, components); the signs are fixed, so that the same vectors give the same components.

    Args:
        vectors: Shape (items, dimensions of the embedder).
        dimensions: The most components.

    """
    import numpy as np

    centred = vectors - vectors.mean(axis=0)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    count = min(dimensions, len(sizes))
    signs = np.sign(right[np.arange(count), np.abs(right[:count]).argmax(axis=1)])
    components: Vectors = left[:, :count] * sizes[:count] * np.where(signs == 0, 1, signs)
    return components


def cluster_by_ward(vectors: "Vectors", groups: int) -> "Labels":
    """Clusters items into groups by Ward's criterion.

    Returns the group of each item, shape (items,), numbered by size; an item alone in its group is an outlier, -1.

    Args:
        vectors: Shape (items, dimensions).
        groups: The number of groups.

    """
    import numpy as np
    from sklearn.cluster import AgglomerativeClustering

    if len(vectors) <= groups:
        return np.arange(len(vectors), dtype=np.int64)
    raw = AgglomerativeClustering(n_clusters=groups, linkage="ward").fit_predict(vectors)
    return number_by_size(np.where(np.bincount(raw)[raw] > 1, raw, OUTLIER))


def candidate_counts(sections: int, documents: int) -> list[int]:
    """Returns the numbers of topics to try: from 2 to three per document, at most 40 and one per three sections.

    Example:
        >>> candidate_counts(sections=12, documents=2)
        [2, 3, 4]
    """
    return list(range(_FEWEST, max(_FEWEST, min(_MOST, 3 * documents, sections // 3)) + 1))
