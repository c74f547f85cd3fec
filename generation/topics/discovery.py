"""From sections to topics: which way, with which settings, and what came out."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import median
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...errors import InputError, UsageError
from ...judges.embedders import Embedder
from ..section import Section
from .bertopic_model import fit_bertopic
from .grid_search import Cell, default_grid, search_grid
from .measures import Measures, measure
from .section_topic import OUTLIER, SectionTopic
from .topic_words import topic_words
from .ward_clustering import candidates, cluster_by_ward, principal_components

if TYPE_CHECKING:
    from .measures import Labels, Vectors

Method = Literal["auto", "bertopic", "plain"]
# Below so many sections UMAP and HDBSCAN find density by chance; plain clustering is steadier
FEWEST_FOR_BERTOPIC = 300
_FEWEST_AT_ALL = 50  # with fewer, UMAP's 15 neighbours are a third of all
# The paper's encoders read 128 tokens; what a section is about stands at its beginning
_CHARACTERS = 800
_BATCH = 256
_DIGITS = 5


class Topics(NamedTuple):
    """Each section's topic, in the sections' order; how they were found; the grid or the numbers tried; the measures.

    `sizes` are the sections a topic, without outliers (Table 1 of the Twente paper).
    """

    rows: list[SectionTopic]
    method: Literal["bertopic", "plain"]
    why: str
    cells: list[Cell]
    measures: Measures
    labels: dict[int, str]
    sizes: dict[int, int]

    @property
    def median_size(self) -> float:
        """The median number of sections a topic; 0 without topics."""
        return float(median(self.sizes.values())) if self.sizes else 0.0


async def find_topics(
    sections: Sequence[Section],
    embedder: Embedder,
    *,
    method: Method = "auto",
    topics: int | None = None,
    grid: tuple[Sequence[int], Sequence[int]] | None = None,
    seed: int = 0,
    one_subject: bool = True,
    on_progress: Callable[[int], None] = lambda _: None,
) -> Topics:
    """The topics of sections. `auto` is BERTopic from 300 sections, plain clustering below.

    `topics` bounds BERTopic's number of topics, and sets the plain method's. `grid` holds the dimensions and the
    smallest topic sizes to try. `one_subject` says whether a document is about one subject, so that its sections should
    share a topic. `on_progress` hears how many sections are embedded. Raises `InputError` with fewer than 4 sections,
    `UsageError` where BERTopic is missing.
    """
    if len(sections) < 4:
        raise InputError(f"{len(sections)} sections are too few for topics; give more documents (4 sections at least)")
    vectors = await section_vectors(sections, embedder, on_progress)
    large = len(sections) >= FEWEST_FOR_BERTOPIC
    if method == "bertopic" and len(sections) < _FEWEST_AT_ALL:
        raise UsageError(f"{len(sections)} sections are too few for BERTopic ({_FEWEST_AT_ALL}); choose --method plain")
    if method == "bertopic" or (method == "auto" and large):
        return _by_density(sections, vectors, topics, grid, seed, one_subject=one_subject)
    why = "as asked" if method == "plain" else f"{len(sections)} sections are fewer than {FEWEST_FOR_BERTOPIC}"
    return _by_plain_clustering(sections, vectors, topics, seed, why, one_subject=one_subject)


def _by_density(
    sections: Sequence[Section],
    vectors: "Vectors",
    topics: int | None,
    grid: tuple[Sequence[int], Sequence[int]] | None,
    seed: int,
    *,
    one_subject: bool,
) -> Topics:
    documents = [section.document for section in sections]
    try:
        settled = search_grid(vectors, documents, grid or default_grid(len(sections)), seed, one_subject=one_subject)
    except ModuleNotFoundError as error:
        raise UsageError(
            f'topics need the extra `generation`: pip install "assay[generation]" ({error.name} is missing)'
        ) from error
    found = fit_bertopic(
        [section.full_text for section in sections],
        settled.vectors,
        settled.chosen.smallest,
        topics,
        [section.language for section in sections],
    )
    why = (
        f"{len(sections)} sections; {settled.chosen.dimensions} dimensions, topics of {settled.chosen.smallest} or more"
    )
    measures = measure(settled.vectors, found.labels, documents, None, seed)
    measures = measures._replace(robustness=settled.chosen.measures.robustness if topics is None else None)
    return _topics(
        sections,
        settled.vectors,
        found.labels,
        found.words,
        method="bertopic",
        why=why,
        cells=settled.cells,
        measures=measures,
    )


def _by_plain_clustering(
    sections: Sequence[Section], vectors: "Vectors", topics: int | None, seed: int, why: str, *, one_subject: bool
) -> Topics:
    documents = [section.document for section in sections]
    space = principal_components(vectors)
    tried = [topics] if topics else candidates(len(sections), len(set(documents)))
    if topics and topics > len(sections) // 2:
        raise UsageError(
            f"{topics} topics are too many for {len(sections)} sections; ask for {len(sections) // 2} or fewer"
        )
    measured = {number: measure(space, cluster_by_ward(space, number), documents, None, seed) for number in tried}
    number = max(tried, key=lambda n: _plain_rank(measured[n], one_subject=one_subject))
    labels = cluster_by_ward(space, number)
    measures = measure(space, labels, documents, lambda noisy: cluster_by_ward(noisy, number), seed)
    cells = [Cell(space.shape[1], n, measured[n], n == number) for n in tried]
    words = topic_words(
        {
            topic: "\n".join(s.full_text for s, label in zip(sections, labels, strict=True) if label == topic)
            for topic in sorted(set(labels.tolist()) - {OUTLIER})
        },
        [section.language for section in sections],
    )
    return _topics(sections, space, labels, words, method="plain", why=why, cells=cells, measures=measures)


def _plain_rank(measures: Measures, *, one_subject: bool) -> float:
    """Silhouette, weighed by how far documents keep to one topic: alone it would part a leaflet's sections by kind."""
    share = (measures.document_match or 0) / 100 if one_subject else 1.0
    return -1.0 if measures.silhouette is None else (1 + measures.silhouette) * share


def _topics(
    sections: Sequence[Section],
    vectors: "Vectors",
    labels: "Labels",
    words: dict[int, list[str]],
    *,
    method: Literal["bertopic", "plain"],
    why: str,
    cells: list[Cell],
    measures: Measures,
) -> Topics:
    named = {topic: ", ".join(found) for topic, found in words.items()}
    sizes: dict[int, int] = defaultdict(int)
    rows = []
    for section, label, vector in zip(sections, labels.tolist(), vectors.round(_DIGITS).tolist(), strict=True):
        rows.append(SectionTopic(section=section.id, topic=label, label=named.get(label, ""), vector=tuple(vector)))
        if label != OUTLIER:
            sizes[label] += 1
    return Topics(rows, method, why, cells, measures, named, dict(sorted(sizes.items())))


async def section_vectors(
    sections: Sequence[Section], embedder: Embedder, on_progress: Callable[[int], None] = lambda _: None
) -> "Vectors":
    """Unit vectors (sections, the embedder's dimensions) of the sections' titles and beginnings."""
    import numpy as np

    texts = [section.full_text[:_CHARACTERS] for section in sections]

    found = []
    for start in range(0, len(texts), _BATCH):
        found.append(await embedder.unit_vectors(texts[start : start + _BATCH]))
        on_progress(min(start + _BATCH, len(texts)))
    return np.vstack(found).astype(np.float64)
