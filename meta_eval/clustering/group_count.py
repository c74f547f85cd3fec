"""How many groups: Ward's clustering with each number, and the one whose groups are best."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .measures import Measures, measure_clustering
from .ward_clustering import cluster_by_ward

if TYPE_CHECKING:
    from .labels import Labels, Vectors


class CountChoice(NamedTuple):
    """The number of groups that was chosen."""

    number: int  # the number
    labels: "Labels"  # the group of each item with this number, shape (items,), -1 for outliers
    measures: dict[int, Measures]  # the measures by number that was tried


def choose_group_count(
    vectors: "Vectors",
    counts: Sequence[int],
    quality: Callable[[Measures], float],
    *,
    documents: Sequence[str],
    seed: int = 0,
) -> CountChoice:
    """Clusters with each number of groups, and chooses the number with the highest quality; of equal ones the first.

    Args:
        vectors: The items, shape (items, dimensions).
        counts: The numbers to try, at least one.
        quality: How good a clustering with these measures is.
        documents: The document that each item comes from.
        seed: The seed of silhouette's sample.
    """
    labels = {count: cluster_by_ward(vectors, count) for count in counts}
    measures = {count: measure_clustering(vectors, labels[count], documents, None, seed) for count in counts}
    best = max(counts, key=lambda count: quality(measures[count]))
    return CountChoice(best, labels[best], measures)
