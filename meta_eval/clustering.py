"""Groups of texts by their vectors: Ward's clustering, how many groups, and how good they are."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .arrays import Floats

    Vectors = NDArray[np.float64]
    Labels = NDArray[np.int64]

OUTLIER = -1
"""The group of an item that is in none."""
NOISE = 0.1
"""The standard deviation of the noise for robustness, as a share of the vectors' own in each dimension."""
DIMENSIONS = 15
"""The number of principal components: as many dimensions as the paper's topics have."""
_FEWEST_GROUPS, _MOST_GROUPS = 2, 40
_SILHOUETTE_SAMPLE = 5000  # silhouette compares all pairs; of more sections a seeded sample is used


class Measures(NamedTuple):
    """How good one clustering is (Twente paper, 4.2). What is not defined, as with fewer than two topics, is None."""

    topics: int
    outliers: float  # the share of sections in no topic
    silhouette: float | None  # in [-1, 1], without outliers; higher is better
    document_match: float | None  # how far a document's sections share a topic, in percent
    robustness: float | None = None  # the percentage of sections that stay in their topic when noise is added


def principal_components(vectors: "Vectors") -> "Vectors":
    """Projects vectors (items, dimensions) on the directions of most variance, (items, components).

    The signs are fixed, so that the same vectors give the same components.
    """
    import numpy as np

    centred = vectors - vectors.mean(axis=0)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    count = min(DIMENSIONS, len(sizes))
    signs = np.sign(right[np.arange(count), np.abs(right[:count]).argmax(axis=1)])
    components: Vectors = left[:, :count] * sizes[:count] * np.where(signs == 0, 1, signs)
    return components


def cluster_by_ward(vectors: "Vectors", groups: int) -> "Labels":
    """Clusters vectors (items, dimensions) into groups by Ward's criterion, without any randomness.

    Returns the group of each item, (items,), numbered by size; an item alone in its group is an outlier, -1.
    """
    import numpy as np
    from sklearn.cluster import AgglomerativeClustering

    if len(vectors) <= groups:
        return np.arange(len(vectors), dtype=np.int64)
    raw = AgglomerativeClustering(n_clusters=groups, linkage="ward").fit_predict(vectors)
    return number_by_size(np.where(np.bincount(raw)[raw] > 1, raw, OUTLIER))


def number_by_size(labels: "Labels") -> "Labels":
    """Numbers groups from 0 by size, the largest first; of equal sizes the group of the first item.

    Example:
        >>> import numpy as np
        >>> number_by_size(np.array([7, 3, 3, -1])).tolist()
        [1, 0, 0, -1]
    """
    import numpy as np

    names, first, counts = np.unique(labels[labels != OUTLIER], return_index=True, return_counts=True)
    order = names[np.lexsort((first, -counts))]
    numbers = {int(name): number for number, name in enumerate(order)}
    return np.array([numbers.get(int(label), OUTLIER) for label in labels], dtype=np.int64)


def candidate_counts(sections: int, documents: int) -> list[int]:
    """Returns the numbers of topics to try: from 2 to three per document, at most 40 and one per three sections.

    Example:
        >>> candidate_counts(sections=12, documents=2)
        [2, 3, 4]
    """
    most = min(_MOST_GROUPS, 3 * documents, sections // 3)
    return list(range(_FEWEST_GROUPS, max(_FEWEST_GROUPS, most) + 1))


def choose_group_count(
    vectors: "Vectors",
    counts: Sequence[int],
    quality: Callable[[Measures], float],
    *,
    documents: Sequence[str],
    seed: int = 0,
) -> "tuple[int, Labels, dict[int, Measures]]":
    """Clusters with each number of groups, and chooses the number with the highest quality; of equal ones the first.

    Returns the number, the group of each item with it, -1 for outliers, and the measures by number that was tried.
    """
    labels = {count: cluster_by_ward(vectors, count) for count in counts}
    measures = {count: measure_clustering(vectors, labels[count], documents, seed) for count in counts}
    best = max(counts, key=lambda count: quality(measures[count]))
    return best, labels[best], measures


def measure_clustering(vectors: "Vectors", labels: "Labels", documents: Sequence[str], seed: int) -> Measures:
    """Computes the measures of one clustering of vectors (sections, dimensions), but for its robustness."""
    from sklearn import metrics

    inside = labels != OUTLIER
    inside_vectors, inside_labels = vectors[inside], labels[inside]
    topics = len(set(inside_labels.tolist()))
    is_defined = 2 <= topics < len(inside_labels)
    size = _SILHOUETTE_SAMPLE if len(inside_labels) > _SILHOUETTE_SAMPLE else None
    return Measures(
        topics,
        float(1 - inside.mean()),
        float(metrics.silhouette_score(inside_vectors, inside_labels, sample_size=size, random_state=seed))
        if is_defined
        else None,
        measure_document_match(labels.tolist(), documents),
    )


def measure_robustness(vectors: "Vectors", labels: "Labels", groups: int, seed: int) -> float:
    """Computes the percentage of sections that stay in their topic when noise is added (Davidson et al., 2001).

    `labels` are those of `cluster_by_ward` with this number of groups.
    """
    import numpy as np

    generator = np.random.default_rng(seed)
    noisy = vectors + generator.normal(0, 1, vectors.shape) * NOISE * vectors.std(axis=0)
    return 100 * share_in_same_group(labels, cluster_by_ward(noisy, groups))


def share_in_same_group(one: "Labels", other: "Labels") -> float:
    """Computes the largest share of items in the same group of two clusterings, groups matched one to one."""
    from scipy.optimize import linear_sum_assignment

    overlaps = _count_overlaps(one, other)
    matched = overlaps[linear_sum_assignment(overlaps, maximize=True)].sum()
    return float((matched + ((one == OUTLIER) & (other == OUTLIER)).sum()) / len(one))


def _count_overlaps(one: "Labels", other: "Labels") -> "Floats":
    """How many items each group of one clustering shares with each of the other, outliers aside, (groups, groups)."""
    import numpy as np

    overlaps = np.zeros((int(one.max(initial=OUTLIER)) + 1, int(other.max(initial=OUTLIER)) + 1))
    inside = (one != OUTLIER) & (other != OUTLIER)
    np.add.at(overlaps, (one[inside], other[inside]), 1)
    return overlaps


def measure_document_match(labels: Sequence[int], documents: Sequence[str]) -> float | None:
    """Computes how far the sections of a document share a topic, in percent (Twente paper, formulas 1 and 2).

    For each document d = 100 max_j(s_j / N), with s_j its sections in topic j and N its sections in any topic; the
    result is the mean of d over documents, None where none has a topic. It says something only where a document is
    about one subject.
    """
    topics: dict[str, Counter[int]] = defaultdict(Counter)
    for label, document in zip(labels, documents, strict=True):
        if label != OUTLIER:
            topics[document][label] += 1
    shares = [100 * max(counts.values()) / counts.total() for counts in topics.values()]
    return sum(shares) / len(shares) if shares else None
