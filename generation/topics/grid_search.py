"""Which number of dimensions and smallest topic to take: a grid, its measures, and the trade-off among them."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .measures import Measures, measure

if TYPE_CHECKING:
    from .measures import Labels, Vectors

# Few topics look good by every measure ("deceitfully", 5.1): those below this share of the grid's median are left out
_ENOUGH_TOPICS = 0.5
_MOST_OUTLIERS = 0.6


class Cell(NamedTuple):
    """One setting of the grid, and its measures. `chosen` on the one that was taken."""

    dimensions: int
    smallest: int
    measures: Measures
    chosen: bool = False


class GridChoice(NamedTuple):
    """The chosen setting: its vectors (sections, dimensions) and the grid with all measures."""

    vectors: "Vectors"
    chosen: Cell
    cells: list[Cell]


def default_grid(sections: int) -> tuple[list[int], list[int]]:
    """Dimensions and smallest topic sizes to try; the sizes grow with the collection, to the paper's 10 to 50."""
    return [5, 10, 15], sorted({max(3, round(sections * share)) if sections < 2500 else size for share, size in _SIZES})


_SIZES = ((0.004, 10), (0.008, 20), (0.012, 30), (0.016, 40), (0.02, 50))


def reduced(vectors: "Vectors", dimensions: int, seed: int) -> "Vectors":
    """UMAP with BERTopic's own settings (15 neighbours, cosine), seeded: (sections, dimensions)."""
    import warnings

    from umap import UMAP

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="n_jobs value")  # a seed makes it use one core, which is meant
        model = UMAP(n_neighbors=15, n_components=dimensions, min_dist=0.0, metric="cosine", random_state=seed)
        return model.fit_transform(vectors).astype("float64")  # type: ignore[no-any-return]


def density_clusterer(smallest: int) -> "Callable[[Vectors], Labels]":
    """HDBSCAN with BERTopic's own settings and a smallest topic size."""

    def cluster(vectors: "Vectors") -> "Labels":
        return density_model(smallest).fit_predict(vectors).astype("int64")  # type: ignore[no-any-return]

    return cluster


def density_model(smallest: int) -> Any:
    """The HDBSCAN model itself, not fitted: for BERTopic."""
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
    """Tries every pair of the grid and chooses; `one_subject` False leaves out how documents match topics.

    Settings with more than 60% outliers, or fewer topics than half the grid's median, stand back. Of the rest, each
    group of measures (geometric, robustness, documents) ranks the settings, and the best mean rank is taken; among
    equals the one with more topics.
    """
    spaces = {dimensions: reduced(vectors, dimensions, seed) for dimensions in grid[0]}
    cells = list(_cells(spaces, documents, grid[1], seed))
    place = best_setting([cell.measures for cell in cells], one_subject=one_subject)
    cells[place] = cells[place]._replace(chosen=True)
    return GridChoice(spaces[cells[place].dimensions], cells[place], cells)


def best_setting(grid: Sequence[Measures], *, one_subject: bool = True) -> int:
    """The index of the setting that `settle` takes."""
    counts = sorted(found.topics for found in grid)
    enough = max(2.0, _ENOUGH_TOPICS * counts[len(counts) // 2])
    fit = [place for place, found in enumerate(grid) if found.topics >= enough and found.outliers <= _MOST_OUTLIERS]
    fit = fit or [place for place, found in enumerate(grid) if found.topics >= 2] or list(range(len(grid)))
    kept = [grid[place] for place in fit]
    groups = [
        _mean_ranks(
            [
                _ranks([found.silhouette for found in kept]),
                _ranks([found.calinski_harabasz for found in kept]),
                _ranks([None if found.davies_bouldin is None else -found.davies_bouldin for found in kept]),
            ]
        ),
        _ranks([found.robustness for found in kept]),
        *([_ranks([found.document_match for found in kept])] if one_subject else []),
    ]
    ranks = _mean_ranks(groups)
    return min(zip(ranks, [-found.topics for found in kept], fit, strict=True))[2]


def _cells(spaces: "dict[int, Vectors]", documents: Sequence[str], sizes: Sequence[int], seed: int) -> Iterator[Cell]:
    for dimensions, space in spaces.items():
        for smallest in sizes:
            cluster = density_clusterer(smallest)
            yield Cell(dimensions, smallest, measure(space, cluster(space), documents, cluster, seed))


def _ranks(values: Sequence[float | None]) -> list[float]:
    """Ranks from 1, the highest value first; equals share their mean rank; None comes last."""
    from scipy.stats import rankdata

    return [float(rank) for rank in rankdata([float("inf") if value is None else -value for value in values])]


def _mean_ranks(ranks: Sequence[Sequence[float]]) -> list[float]:
    return [sum(each) / len(each) for each in zip(*ranks, strict=True)]
