"""Texts in groups by their vectors: few or many, each text in one group or in none."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...errors import UsageError
from ...meta_eval.clustering import OUTLIER, candidate_counts, choose_group_count, principal_components
from ...text.wording import count_of

if TYPE_CHECKING:
    from ...meta_eval.clustering import Labels, Measures, Vectors

MOST_GROUPS = 12
"""People read no more groups than these; `--groups` may ask for more."""
_FEWEST_TO_CLUSTER = 3


class TextClusters(NamedTuple):
    """Texts in groups."""

    labels: "Labels"  # the group of each text, shape (texts,), numbered by size, -1 for none
    # the distance of each text to the middle of its group, shape (texts,): the smallest is central
    distances: "Vectors"


def cluster_texts(
    vectors: "Vectors", texts: Sequence[str], units: Sequence[str], count: int | None = None
) -> TextClusters:
    """Clusters texts by Ward's criterion on principal components; without `count` silhouette chooses how many groups.

    A text that is alone is in no group (-1).
    """
    import numpy as np

    different = len({text.casefold() for text in texts})
    if count is not None and count > different:
        raise UsageError(
            f"{count_of(count, 'group is', 'groups are')} too many for {count_of(different, 'different text')}; ask "
            f"for {different} or fewer (--groups)"
        )
    total = len(texts)
    if different == 1 or total < _FEWEST_TO_CLUSTER:
        labels = np.full(total, 0 if different == 1 and total > 1 else OUTLIER, dtype=np.int64)
        return TextClusters(labels, np.zeros(total))
    space = principal_components(vectors)
    counts = [count] if count else _counts(total, different)
    _, labels, _ = choose_group_count(space, counts, _quality, documents=units)
    return TextClusters(labels, _distances(space, labels))


def _counts(texts: int, different: int) -> list[int]:
    most = min(MOST_GROUPS, different)
    return [number for number in candidate_counts(texts, texts) if number <= most]


def _quality(measures: "Measures") -> float:
    """Silhouette, times the share of texts that are in a group: many texts alone are no good grouping."""
    return -1.0 if measures.silhouette is None else (1 + measures.silhouette) * (1 - measures.outliers) - 1


def _distances(space: "Vectors", labels: "Labels") -> "Vectors":
    import numpy as np

    distances: Vectors = np.linalg.norm(space - space.mean(axis=0), axis=1)
    for group in range(int(labels.max(initial=OUTLIER)) + 1):
        members = labels == group
        distances[members] = np.linalg.norm(space[members] - space[members].mean(axis=0), axis=1)
    return distances
