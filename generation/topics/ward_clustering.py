"""Topics of a small collection: Ward's clustering on principal components, without any randomness."""

from typing import TYPE_CHECKING

from .section_topic import OUTLIER

if TYPE_CHECKING:
    from .measures import Labels, Vectors

DIMENSIONS = 15
"""The number of principal components: as many dimensions as the paper's topics have."""

_FEWEST = 2
_MOST = 40


def principal_components(vectors: "Vectors", dimensions: int = DIMENSIONS) -> "Vectors":
    """Projects vectors on the directions of most variance.

    Args:
        vectors: Shape (sections, dimensions of the embedder).
        dimensions: The most components.

    Returns:
        Shape (sections, components); the signs are fixed, so that the same vectors give the same components.
    """
    import numpy as np

    centred = vectors - vectors.mean(axis=0)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    count = min(dimensions, len(sizes))
    signs = np.sign(right[np.arange(count), np.abs(right[:count]).argmax(axis=1)])
    components: Vectors = left[:, :count] * sizes[:count] * np.where(signs == 0, 1, signs)
    return components


def cluster_by_ward(vectors: "Vectors", topics: int) -> "Labels":
    """Clusters sections into topics by Ward's criterion.

    Args:
        vectors: Shape (sections, dimensions).
        topics: The number of topics.

    Returns:
        The topic of each section, shape (sections,), numbered by size; a section alone in its topic is an outlier, -1.
    """
    import numpy as np
    from sklearn.cluster import AgglomerativeClustering

    if len(vectors) <= topics:
        return np.arange(len(vectors), dtype=np.int64)
    raw = AgglomerativeClustering(n_clusters=topics, linkage="ward").fit_predict(vectors)
    return number_by_size(np.where(np.bincount(raw)[raw] > 1, raw, OUTLIER))


def number_by_size(labels: "Labels") -> "Labels":
    """Numbers topics from 0 by size, the largest first; of equal sizes the topic of the first section.

    Args:
        labels: The topic of each section, -1 for outliers.

    Returns:
        The same topics with other numbers.

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


def candidate_counts(sections: int, documents: int) -> list[int]:
    """Returns the numbers of topics to try: from 2 to three per document, at most 40 and one per three sections.

    Args:
        sections: The number of sections.
        documents: The number of documents.

    Returns:
        The numbers in ascending order; at least one.

    Example:
        >>> candidate_counts(sections=12, documents=2)
        [2, 3, 4]
    """
    return list(range(_FEWEST, max(_FEWEST, min(_MOST, 3 * documents, sections // 3)) + 1))
