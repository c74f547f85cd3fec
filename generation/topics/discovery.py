"""From sections to topics: with which method, with which settings, and the result."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import median
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...errors import InputError, UsageError
from ...installation import require_extra
from ...judges.embedders import Embedder, embed_texts
from ...meta_eval.clustering import (
    OUTLIER,
    Measures,
    candidate_counts,
    choose_group_count,
    cluster_by_ward,
    measure_clustering,
    principal_components,
)
from ...text.lemmas import find_typical_words
from ...text.wording import count_of
from ...worker_threads import compute_beside
from ..section import Section
from .bertopic_model import fit_bertopic
from .grid_search import Cell, default_grid, search_grid
from .section_topic import SectionTopic

if TYPE_CHECKING:
    from ...meta_eval.clustering import Labels, Vectors

Method = Literal["auto", "bertopic", "plain"]
FEWEST_FOR_BERTOPIC = 300
"""With fewer sections UMAP and HDBSCAN find density by chance; Ward's clustering is more stable."""

_FEWEST_POSSIBLE = 50  # with fewer sections UMAP's 15 neighbours are a third of them all
_DIGITS = 5


class TopicDiscovery(NamedTuple):
    """The topics of a collection."""

    rows: list[SectionTopic]  # the topic of each section, in the sections' order
    method: Literal["bertopic", "plain"]
    why: str
    cells: list[Cell]  # the settings, or the numbers of topics, that were tried
    measures: Measures
    labels: dict[int, str]  # the words of each topic
    sizes: dict[int, int]  # the number of sections of each topic, without outliers (Twente paper, Table 1)

    @property
    def median_size(self) -> float:
        """The median number of sections per topic; 0 without topics."""
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
) -> TopicDiscovery:
    """Finds what sections are about."""
    if len(sections) < 4:
        raise InputError(
            f"{count_of(len(sections), 'section is', 'sections are')} too few for topics; add documents (at least 4 "
            "sections)"
        )
    vectors = await section_vectors(sections, embedder, on_progress)
    is_large = len(sections) >= FEWEST_FOR_BERTOPIC
    if method == "bertopic" and len(sections) < _FEWEST_POSSIBLE:
        raise UsageError(
            f"{count_of(len(sections), 'section is', 'sections are')} too few for BERTopic, which needs "
            f"{_FEWEST_POSSIBLE}; use --method plain"
        )
    if method == "bertopic" or (method == "auto" and is_large):
        return await compute_beside(_find_by_bertopic, sections, vectors, topics, grid, seed, one_subject=one_subject)
    why = (
        "as requested"
        if method == "plain"
        else f"{count_of(len(sections), 'section is', 'sections are')} fewer than {FEWEST_FOR_BERTOPIC}"
    )
    return await compute_beside(_find_by_ward, sections, vectors, topics, seed, why, one_subject=one_subject)


async def section_vectors(
    sections: Sequence[Section], embedder: Embedder, on_progress: Callable[[int], None] = lambda _: None
) -> "Vectors":
    """The sections' titles and beginnings as unit vectors, shape (sections, dimensions of the embedder)."""
    return await embed_texts([section.full_text for section in sections], embedder, on_progress)


def _find_by_bertopic(
    sections: Sequence[Section],
    vectors: "Vectors",
    topics: int | None,
    grid: tuple[Sequence[int], Sequence[int]] | None,
    seed: int,
    *,
    one_subject: bool,
) -> TopicDiscovery:
    documents = [section.document for section in sections]
    with require_extra("generation", "finding topics"):
        choice = search_grid(vectors, documents, grid or default_grid(len(sections)), seed, one_subject=one_subject)
    model = fit_bertopic(
        [section.full_text for section in sections],
        choice.vectors,
        choice.chosen.smallest,
        topics,
        [section.language for section in sections],
    )
    why = (
        f"{count_of(len(sections), 'section')}; {count_of(choice.chosen.dimensions, 'dimension')}, topics of "
        f"{choice.chosen.smallest} or more"
    )
    measures = measure_clustering(choice.vectors, model.labels, documents, None, seed)
    measures = measures._replace(robustness=choice.chosen.measures.robustness if topics is None else None)
    return _topics(
        sections,
        choice.vectors,
        model.labels,
        model.words,
        method="bertopic",
        why=why,
        cells=choice.cells,
        measures=measures,
    )


def _find_by_ward(
    sections: Sequence[Section], vectors: "Vectors", topics: int | None, seed: int, why: str, *, one_subject: bool
) -> TopicDiscovery:
    documents = [section.document for section in sections]
    space = principal_components(vectors)
    counts = [topics] if topics else candidate_counts(len(sections), len(set(documents)))
    if topics and topics > len(sections) // 2:
        raise UsageError(
            f"{count_of(topics, 'topic is', 'topics are')} too many for {count_of(len(sections), 'section')}; ask "
            f"for {len(sections) // 2} or fewer"
        )
    best, labels, measures_by_count = choose_group_count(
        space, counts, lambda measures: _ward_quality(measures, one_subject=one_subject), documents=documents, seed=seed
    )
    measures = measure_clustering(space, labels, documents, lambda noisy: cluster_by_ward(noisy, best), seed)
    cells = [Cell(space.shape[1], count, measures_by_count[count], count == best) for count in counts]
    words = find_typical_words(
        {
            topic: "\n".join(s.full_text for s, label in zip(sections, labels, strict=True) if label == topic)
            for topic in sorted(set(labels.tolist()) - {OUTLIER})
        },
        [section.language for section in sections],
    )
    return _topics(sections, space, labels, words, method="plain", why=why, cells=cells, measures=measures)


def _ward_quality(measures: Measures, *, one_subject: bool) -> float:
    """Returns silhouette times document match; silhouette alone would separate a leaflet's sections by their kind."""
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
) -> TopicDiscovery:
    names = {topic: ", ".join(topic_words) for topic, topic_words in words.items()}
    sizes: dict[int, int] = defaultdict(int)
    rows = []
    for section, label, vector in zip(sections, labels.tolist(), vectors.round(_DIGITS).tolist(), strict=True):
        rows.append(SectionTopic(section=section.id, topic=label, label=names.get(label, ""), vector=tuple(vector)))
        if label != OUTLIER:
            sizes[label] += 1
    return TopicDiscovery(rows, method, why, cells, measures, names, dict(sorted(sizes.items())))
