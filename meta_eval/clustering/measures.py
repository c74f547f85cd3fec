"""How good groups of texts are: the three groups of measures of the Twente paper (4.2)."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from .labels import OUTLIER

if TYPE_CHECKING:
    from .labels import Cluster, Labels, Vectors

NOISE = 0.1
"""The standard deviation of the noise for robustness, as a share of the vectors' own in each dimension."""

_SILHOUETTE_SAMPLE = 5000  # silhouette compares all pairs; of more sections a seeded sample is used


class Measures(NamedTuple):
    """How good one clustering is. A measure that is not defined, as with fewer than two topics, is None."""

    topics: int  # the number of topics
    outliers: float  # the share of sections in no topic
    silhouette: float | None  # in [-1, 1], without outliers; higher is better
    calinski_harabasz: float | None  # from 0, without outliers; higher is better
    davies_bouldin: float | None  # from 0, without outliers; lower is better
    robustness: float | None  # the percentage of sections that stay in their topic when noise is added
    document_match: float | None  # how far a document's sections share a topic, in percent


def measure_clustering(
    vectors: "Vectors", labels: "Labels", documents: Sequence[str], cluster: "Cluster | None", seed: int
) -> Measures:
    """Computes all measures of one clustering.

    Returns the measures.

    Args:
        vectors: The sections, shape (sections, dimensions).
        labels: The topic of each section, shape (sections,), -1 for outliers.
        documents: The document of each section.
        cluster: The function that made the labels; robustness clusters noisy vectors with it. None leaves robustness
            out.
        seed: The seed of the noise and of silhouette's sample.

    """
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
        float(metrics.calinski_harabasz_score(inside_vectors, inside_labels)) if is_defined else None,
        float(metrics.davies_bouldin_score(inside_vectors, inside_labels)) if is_defined else None,
        measure_robustness(vectors, labels, cluster, seed) if cluster is not None and topics else None,
        measure_document_match(labels.tolist(), documents),
    )


def measure_robustness(
    vectors: "Vectors", labels: "Labels", cluster: "Cluster", seed: int, noise: float = NOISE
) -> float:
    """Computes the percentage of sections that stay in their topic when noise is added (Davidson et al., 2001).

    Returns a percentage. Topics with and without noise are matched one to one so that most sections stay; outliers are
    matched with outliers.
    """
    import numpy as np

    generator = np.random.default_rng(seed)
    noisy = vectors + generator.normal(0, 1, vectors.shape) * noise * vectors.std(axis=0)
    return 100 * share_in_same_group(labels, cluster(noisy))


def share_in_same_group(one: "Labels", other: "Labels") -> float:
    """Computes the share of items in the same group in two clusterings.

    Returns a share in [0, 1]. The groups are matched one to one so that the share is the largest possible.

    Example:
        >>> import numpy as np
        >>> share_in_same_group(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1]))
        0.75
    """
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    shape = (int(one.max(initial=OUTLIER)) + 1, int(other.max(initial=OUTLIER)) + 1)
    overlaps = np.zeros(shape)
    inside = (one != OUTLIER) & (other != OUTLIER)
    np.add.at(overlaps, (one[inside], other[inside]), 1)
    matched = overlaps[linear_sum_assignment(overlaps, maximize=True)].sum()
    return float((matched + ((one == OUTLIER) & (other == OUTLIER)).sum()) / len(one))


def measure_document_match(labels: Sequence[int], documents: Sequence[str]) -> float | None:
    """Computes how far the sections of a document share a topic (Twente paper, formulas 1 and 2).

    For each document d = 100 max_j(s_j / N), with s_j its sections in topic j and N its sections in any topic; the
    result is the mean of d over documents. It says something only where a document is about one subject. Returns a
    percentage; None where no document has a topic.

    Example:
        >>> measure_document_match([0, 0, 0, 1, 1], ["a", "a", "b", "b", "b"])
        83.33333333333334
    """
    topics: dict[str, Counter[int]] = defaultdict(Counter)
    for label, document in zip(labels, documents, strict=True):
        if label != OUTLIER:
            topics[document][label] += 1
    shares = [100 * max(counts.values()) / counts.total() for counts in topics.values()]
    return sum(shares) / len(shares) if shares else None
