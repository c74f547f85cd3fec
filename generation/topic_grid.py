"""Topics by BERTopic: a search over its two parameters, and the choice by the measures of the Twente paper (4.2)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UsageError
from ..installation import pip_command
from ..judges.litellm_lookup import load_litellm
from ..meta_eval.clustering import OUTLIER, Measures, measure_clustering
from ..text.lemmas import stop_words

if TYPE_CHECKING:
    from ..meta_eval.clustering import Labels, Vectors

Grid = tuple[Sequence[int], Sequence[int]]
"""The numbers of dimensions (UMAP's `n_components`) and the smallest topic sizes (HDBSCAN's `min_cluster_size`)."""

# Few topics look good by every measure ("deceitfully", Twente paper, 5.1): settings with fewer than this share of the
# grid's median are not considered
_ENOUGH_TOPICS = 0.5
_MOST_OUTLIERS = 0.6
_SMALLEST_SIZES = ((0.004, 10), (0.008, 20), (0.012, 30), (0.016, 40), (0.02, 50))
_SECTIONS_OF_THE_PAPER = 2500  # from this number of sections on the paper's own sizes are tried
_WORDS = 4


class Cell(NamedTuple):
    """One setting of BERTopic that was tried."""

    dimensions: int
    smallest: int  # the smallest topic size
    measures: Measures
    chosen: bool = False


def default_grid(sections: int) -> Grid:
    """Returns the settings to try, the sizes in ascending order.

    Example:
        >>> default_grid(500)
        ([5, 10, 15], [3, 4, 6, 8, 10])
    """
    sizes = {
        max(3, round(sections * share)) if sections < _SECTIONS_OF_THE_PAPER else size
        for share, size in _SMALLEST_SIZES
    }
    return [5, 10, 15], sorted(sizes)


def search_grid(vectors: "Vectors", documents: Sequence[str], grid: Grid, seed: int) -> "tuple[Vectors, list[Cell]]":
    """Tries every setting of a grid and chooses one.

    Returns:
        The sections in the reduced space of the chosen setting, shape (sections, dimensions), and all settings.
    """
    spaces = {dimensions: _reduce(vectors, dimensions, seed) for dimensions in grid[0]}
    cells = []
    for dimensions, space in spaces.items():
        for smallest in grid[1]:

            def cluster(points: "Vectors", smallest: int = smallest) -> "Labels":
                return _density_model(smallest).fit_predict(points).astype("int64")  # type: ignore[no-any-return]

            measures = measure_clustering(space, cluster(space), documents, cluster, seed)
            cells.append(Cell(dimensions, smallest, measures))
    place = best_setting([cell.measures for cell in cells])
    cells[place] = cells[place]._replace(chosen=True)
    return spaces[cells[place].dimensions], cells


def best_setting(grid: Sequence[Measures]) -> int:
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
    geometric = [
        _ranks([measures.silhouette for measures in considered]),
        _ranks([measures.calinski_harabasz for measures in considered]),
        _ranks([None if m.davies_bouldin is None else -m.davies_bouldin for m in considered]),
    ]
    groups = [
        _mean_ranks(geometric),
        _ranks([measures.robustness for measures in considered]),
        _ranks([measures.document_match for measures in considered]),
    ]
    return min(zip(_mean_ranks(groups), [-measures.topics for measures in considered], places, strict=True))[2]


def fit_bertopic(
    texts: Sequence[str], space: "Vectors", smallest: int, most_topics: int | None, languages: Sequence[str]
) -> "tuple[Labels, dict[int, list[str]]]":
    """Finds topics with BERTopic in a space that is already reduced. Reaches no network.

    Returns:
        The topic of each text, shape (texts,), -1 for outliers; and the words of each topic, the highest weight first.
    """
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer

    load_litellm()  # BERTopic imports litellm where it is installed; loaded by us first, it stays off the network
    try:
        from bertopic import BERTopic
        from bertopic.dimensionality import BaseDimensionalityReduction
    except ImportError as error:
        raise UsageError(
            "install BERTopic without the torch that it would bring "
            f"({pip_command('--no-deps', 'bertopic')}), or use --topic-method ward"
        ) from error
    model = BERTopic(
        embedding_model=None,
        umap_model=BaseDimensionalityReduction(),
        hdbscan_model=_density_model(smallest),
        vectorizer_model=CountVectorizer(
            token_pattern=r"(?u)\b[^\W\d_]{3,}\b", stop_words=stop_words(languages) or None
        ),
        nr_topics=most_topics,
        calculate_probabilities=False,
        verbose=False,
    )
    labels, _ = model.fit_transform(list(texts), embeddings=space)
    words = {
        int(topic): [word for word, _ in weighted_words[:_WORDS] if word]
        for topic, weighted_words in model.get_topics().items()
        if topic != OUTLIER
    }
    return np.array(labels, dtype=np.int64), words


def _reduce(vectors: "Vectors", dimensions: int, seed: int) -> "Vectors":
    """Reduces vectors with UMAP and BERTopic's own settings (15 neighbours, cosine): shape (sections, dimensions)."""
    import warnings

    from umap import UMAP

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="n_jobs value")  # with a seed UMAP uses one core, as intended
        model = UMAP(n_neighbors=15, n_components=dimensions, min_dist=0.0, metric="cosine", random_state=seed)
        return model.fit_transform(vectors).astype("float64")  # type: ignore[no-any-return]


def _density_model(smallest: int) -> Any:
    """Returns an HDBSCAN model with BERTopic's own settings, not fitted."""
    from hdbscan import HDBSCAN

    return HDBSCAN(min_cluster_size=smallest, metric="euclidean", cluster_selection_method="eom", core_dist_n_jobs=1)


def _ranks(values: Sequence[float | None]) -> list[float]:
    """Ranks from 1, the highest value first; equal values share their mean rank; None comes last."""
    from scipy.stats import rankdata

    return [float(rank) for rank in rankdata([float("inf") if value is None else -value for value in values])]


def _mean_ranks(ranks: Sequence[Sequence[float]]) -> list[float]:
    return [sum(column) / len(column) for column in zip(*ranks, strict=True)]
