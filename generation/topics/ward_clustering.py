"""Topics of a small collection: agglomerative clustering on principal components. Deterministic, nothing random."""

from typing import TYPE_CHECKING

from .section_topic import OUTLIER

if TYPE_CHECKING:
    from .measures import Labels, Vectors

DIMENSIONS = 15  # as many as the paper's topics have
_FEWEST = 2
_MOST = 40


def principal_components(vectors: "Vectors", dimensions: int = DIMENSIONS) -> "Vectors":
    """Vectors (sections, at most `dimensions`) along the directions of most variance; signs fixed."""
    import numpy as np

    centred = vectors - vectors.mean(axis=0)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    kept = min(dimensions, len(sizes))
    signs = np.sign(right[np.arange(kept), np.abs(right[:kept]).argmax(axis=1)])
    components: Vectors = left[:, :kept] * sizes[:kept] * np.where(signs == 0, 1, signs)
    return components


def cluster_by_ward(vectors: "Vectors", topics: int) -> "Labels":
    """Ward's clustering into so many topics, numbered by size; a section alone in its topic is an outlier."""
    import numpy as np
    from sklearn.cluster import AgglomerativeClustering

    if len(vectors) <= topics:
        return np.arange(len(vectors), dtype=np.int64)
    raw = AgglomerativeClustering(n_clusters=topics, linkage="ward").fit_predict(vectors)
    return number_by_size(np.where(np.bincount(raw)[raw] > 1, raw, OUTLIER))


def number_by_size(labels: "Labels") -> "Labels":
    """The same groups, numbered from 0 by size, the largest first; among equals by first section."""
    import numpy as np

    found = labels[labels != OUTLIER]
    names, first, counts = np.unique(found, return_index=True, return_counts=True)
    order = names[np.lexsort((first, -counts))]
    places = {int(name): place for place, name in enumerate(order)}
    return np.array([places.get(int(label), OUTLIER) for label in labels], dtype=np.int64)


def candidates(sections: int, documents: int) -> list[int]:
    """The numbers of topics to try: from 2 to three a document, at most 40 and at most a topic for each 3 sections."""
    return list(range(_FEWEST, max(_FEWEST, min(_MOST, 3 * documents, sections // 3)) + 1))
