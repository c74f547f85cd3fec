"""How good clusters of sections are: the three groups of measures of the Twente paper (4.2)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .section_topic import OUTLIER

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float64]
    Labels = NDArray[np.int64]
    Cluster = Callable[[Vectors], Labels]

# The noise's standard deviation, as a share of the vectors' own in each dimension
NOISE = 0.1
# Silhouette compares all pairs: beyond so many sections, a seeded sample of them
_SILHOUETTE_SAMPLE = 5000


class Measures(NamedTuple):
    """What one clustering is worth. A measure that is not defined (fewer than two topics) is None.

    `silhouette` in [-1, 1], `calinski_harabasz` from 0, `davies_bouldin` from 0 (lower is better): without outliers.
    `robustness` and `document_match` in percent. `outliers` is a share.
    """

    topics: int
    outliers: float
    silhouette: float | None
    calinski_harabasz: float | None
    davies_bouldin: float | None
    robustness: float | None
    document_match: float | None


def measure(
    vectors: "Vectors", labels: "Labels", documents: Sequence[str], cluster: "Cluster | None", seed: int
) -> Measures:
    """All measures of one clustering (sections x dimensions, a label a section, -1 for outliers).

    `cluster` is the way the labels were made: robustness clusters noisy vectors with it; None leaves robustness out.
    """
    from sklearn import metrics

    inside = labels != OUTLIER
    kept, of = vectors[inside], labels[inside]
    topics = len(set(of.tolist()))
    defined = 2 <= topics < len(of)
    size = _SILHOUETTE_SAMPLE if len(of) > _SILHOUETTE_SAMPLE else None
    return Measures(
        topics,
        float(1 - inside.mean()),
        float(metrics.silhouette_score(kept, of, sample_size=size, random_state=seed)) if defined else None,
        float(metrics.calinski_harabasz_score(kept, of)) if defined else None,
        float(metrics.davies_bouldin_score(kept, of)) if defined else None,
        robustness(vectors, labels, cluster, seed) if cluster is not None and topics else None,
        document_match(labels.tolist(), documents),
    )


def robustness(vectors: "Vectors", labels: "Labels", cluster: "Cluster", seed: int, noise: float = NOISE) -> float:
    """The percentage of sections that stay in their group when noise is added to the vectors (Davidson et al. 2001).

    Groups with and without noise are paired one to one so that most sections stay; outliers are paired with outliers.
    """
    import numpy as np

    generator = np.random.default_rng(seed)
    noisy = vectors + generator.normal(0, 1, vectors.shape) * noise * vectors.std(axis=0)
    return 100 * agreement(labels, cluster(noisy))


def agreement(one: "Labels", other: "Labels") -> float:
    """The share of items in the same group in two clusterings, groups paired one to one to make it the largest."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    shape = (int(one.max(initial=OUTLIER)) + 1, int(other.max(initial=OUTLIER)) + 1)
    together = np.zeros(shape)
    inside = (one != OUTLIER) & (other != OUTLIER)
    np.add.at(together, (one[inside], other[inside]), 1)
    paired = together[linear_sum_assignment(together, maximize=True)].sum()
    return float((paired + ((one == OUTLIER) & (other == OUTLIER)).sum()) / len(one))


def document_match(labels: Sequence[int], documents: Sequence[str]) -> float | None:
    """How far a document's sections are of one topic, in percent: formulas 1 and 2 of the Twente paper.

    d = 100 max_j(s_j / N) a document, s_j its sections in topic j and N its sections in any topic; the mean of d over
    the documents. Outliers are of no topic; None where no document has a topic. Only meaningful where a document is
    expected to be about one subject.
    """
    topics: dict[str, Counter[int]] = defaultdict(Counter)
    for label, document in zip(labels, documents, strict=True):
        if label != OUTLIER:
            topics[document][label] += 1
    shares = [100 * max(found.values()) / found.total() for found in topics.values()]
    return sum(shares) / len(shares) if shares else None
