"""The number of dimensions and the smallest topic size: a grid, its measures, and the choice among them."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...meta_eval.clustering import Measures, measure_clustering

if TYPE_CHECKING:
    from ...meta_eval.clustering import Labels, Vectors

# Few topics look good by every measure ("deceitfully", Twente paper, 5.1): settings with fewer than this share of the
# grid's median are not considered
_ENOUGH_TOPICS = 0.5
_MOST_OUTLIERS = 0.6
_SMALLEST_SIZES = ((0.004, 10), (0.008, 20), (0.012, 30), (0.016, 40), (0.02, 50))
_SECTIONS_OF_THE_PAPER = 2500  # from this number of sections on the paper's own sizes are tried


class Cell(NamedTuple):
    """One setting of the grid."""

    dimensions: int
    smallest: int  # the smallest topic size, or the number of topics where their number is what was tried
    measures: Measures
    chosen: bool = False


class GridChoice(NamedTuple):
    """The chosen setting."""

    vectors: "Vectors"  # the sections in its reduced space, shape (sections, dimensions)
    chosen: Cell
    cells: list[Cell]


def default_grid(sections: int) -> tuple[list[int], list[int]]:
    """Returns the dimensions and the smallest topic sizes to try.

    Returns:
        The dimensions, and the sizes in ascending order.

    Example:
        >>> default_grid(500)
        ([5, 10, 15], [3, 4, 6, 8, 10])
    """
    sizes = {
        max(3, round(sections * share)) if sections < _SECTIONS_OF_THE_PAPER else size
        for share, size in _SMALLEST_SIZES
    }
    return [5, 10, 15], sorted(sizes)


def reduce_dimensions(vectors: "Vectors", dimensions: int, seed: int) -> "Vectors":
    """Reduces vectors with UMAP and BERTopic's own settings (15 neighbours, cosine): shape (sections, dimensions)."""
    import warnings

    from umap import UMAP

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="n_jobs value")  # with a seed UMAP uses one core, as intended
        model = UMAP(n_neighbors=15, n_components=dimensions, min_dist=0.0, metric="cosine", random_state=seed)
        return model.fit_transform(vectors).astype("float64")  # type: ignore[no-any-return]


def density_clusterer(smallest: int) -> "Callable[[Vectors], Labels]":
    """Returns a function that clusters vectors with HDBSCAN, topics of `smallest` sections or more."""

    def cluster(vectors: "Vectors") -> "Labels":
        return density_model(smallest).fit_predict(vectors).astype("int64")  # type: ignore[no-any-return]

    return cluster


def density_model(smallest: int) -> Any:
    """Returns an HDBSCAN model with BERTopic's own settings, not fitted."""
    from hdbscan import HDBSCAN

    return HDBSCAN(min_cluster_size=smallest, metric="euclidean", cluster_selection_method="eom", core_dist_n_jobs=1)


def search_grid(
    vectors: "Vectors",
    documents: Sequence[str],
    grid: tuple[Sequence[int], Sequence[int]],
    seed: int,
    *,
    one_subject: bool = True,
) -> GridChoice:
    """Tries every setting of a grid and chooses one."""
    spaces = {dimensions: reduce_dimensions(vectors, dimensions, seed) for dimensions in grid[0]}
    cells = list(_measure_cells(spaces, documents, grid[1], seed))
    place = best_setting([cell.measures for cell in cells], one_subject=one_subject)
    cells[place] = cells[place]._replace(chosen=True)
    return GridChoice(spaces[cells[place].dimensions], cells[place], cells)


def best_setting(grid: Sequence[Measures], *, one_subject: bool = True) -> int:
    """Chooses a setting by its measures.

    Settings with more than 60% outliers, or with fewer topics than half the grid's median, are considered only where
    there is no other. Each group of measures (geometric, robustness, documents) ranks the settings; the best mean rank
    wins, and of equal ranks the setting with more topics.

    Returns:
        The place of the chosen setting in `grid`.
    """
    counts = sorted(measures.topics for measures in grid)
    enough = max(2.0, _ENOUGH_TOPICS * counts[len(counts) // 2])
    places = [
        place
        for place, measures in enumerate(grid)
        if measures.topics >= enough and measures.outliers <= _MOST_OUTLIERS
    ]
    places = places or [place for place, measures in enumerate(grid) if measures.topics >= 2] or list(range(len(grid)))
    considered = [grid[place] for place in places]
    groups = [
        _mean_ranks(
            [
                _ranks([measures.silhouette for measures in considered]),
                _ranks([measures.calinski_harabasz for measures in considered]),
                _ranks([None if m.davies_bouldin is None else -m.davies_bouldin for m in considered]),
            ]
        ),
        _ranks([measures.robustness for measures in considered]),
        *([_ranks([measures.document_match for measures in considered])] if one_subject else []),
    ]
    ranks = _mean_ranks(groups)
    return min(zip(ranks, [-measures.topics for measures in considered], places, strict=True))[2]


def _measure_cells(
    spaces: "dict[int, Vectors]", documents: Sequence[str], sizes: Sequence[int], seed: int
) -> Iterator[Cell]:
    for dimensions, space in spaces.items():
        for smallest in sizes:
            cluster = density_clusterer(smallest)
            measures = measure_clustering(space, cluster(space), documents, cluster, seed)
            yield Cell(dimensions, smallest, measures)


def _ranks(values: Sequence[float | None]) -> list[float]:
    """Ranks from 1, the highest value first; equal values share their mean rank; None comes last."""
    from scipy.stats import rankdata

    return [float(rank) for rank in rankdata([float("inf") if value is None else -value for value in values])]


def _mean_ranks(ranks: Sequence[Sequence[float]]) -> list[float]:
    return [sum(column) / len(column) for column in zip(*ranks, strict=True)]
