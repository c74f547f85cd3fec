"""What sections are about: their topics by Ward's clustering, and the words that are typical of each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from ..errors import InputError, UsageError
from ..judges.embedders import Embedder, embed_texts
from ..meta_eval.clustering import (
    OUTLIER,
    Measures,
    candidate_counts,
    choose_group_count,
    measure_robustness,
    principal_components,
)
from ..text.lemmas import find_typical_words
from ..text.wording import count_of
from ..worker_threads import compute_beside
from .json_lines import LinesFile
from .section import Section

if TYPE_CHECKING:
    from ..meta_eval.clustering import Labels, Vectors

_DIGITS = 5
_FEWEST_SECTIONS = 4


class SectionTopic(BaseModel):
    """The topic of one section. Frozen."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    section: str = Field(min_length=1)
    topic: int = Field(ge=OUTLIER)  # the topic's number, from 0, the largest first; -1 for an outlier
    label: str = ""  # the topic's typical words
    # the section in the low-dimensional space in which the topics were clustered
    vector: tuple[float, ...] = Field(min_length=1)


_TOPICS = LinesFile(SectionTopic, lambda row: row.section)


def write_topics(rows: Iterable[SectionTopic], path: str | Path) -> None:
    """Writes topics as JSON Lines, the topic of one section per line."""
    _TOPICS.write(rows, path)


class TopicDiscovery(NamedTuple):
    """The topics of a collection, and how they were found."""

    rows: list[SectionTopic]  # the topic of each section, in the sections' order
    measures: Measures  # those of the topics


async def find_topics(
    sections: Sequence[Section],
    embedder: Embedder,
    *,
    topics: int | None = None,
    seed: int = 0,
    on_progress: Callable[[int], None] = lambda _: None,
) -> TopicDiscovery:
    """Finds what sections are about.

    Ward's clustering has no randomness, where the Twente paper has BERTopic.

    Args:
        topics: The number of topics; left out, the one of the best silhouette, times how far a document's sections
            share a topic.
        seed: The seed of the noise by which robustness is measured.
    """
    if len(sections) < _FEWEST_SECTIONS:
        raise InputError(
            f"{count_of(len(sections), 'section is', 'sections are')} too few for topics; add documents "
            f"(at least {_FEWEST_SECTIONS} sections)"
        )
    if topics and topics > len(sections) // 2:
        raise UsageError(
            f"{count_of(topics, 'topic is', 'topics are')} too many for {count_of(len(sections), 'section')}; ask "
            f"for {len(sections) // 2} or fewer"
        )
    vectors = await embed_texts([section.full_text for section in sections], embedder, on_progress)
    return await compute_beside(_by_ward, sections, vectors, topics, seed)


def _by_ward(sections: Sequence[Section], vectors: "Vectors", topics: int | None, seed: int) -> TopicDiscovery:
    documents = [section.document for section in sections]
    space = principal_components(vectors)
    counts = [topics] if topics else candidate_counts(len(sections), len(set(documents)))
    best, labels, measures_by_count = choose_group_count(space, counts, _quality, documents=documents, seed=seed)
    robustness = measure_robustness(space, labels, best, seed)
    texts = {
        topic: "\n".join(s.full_text for s, label in zip(sections, labels, strict=True) if label == topic)
        for topic in sorted(set(labels.tolist()) - {OUTLIER})
    }
    words = find_typical_words(texts, [section.language for section in sections])
    measures = measures_by_count[best]._replace(robustness=robustness)
    return TopicDiscovery(_rows(sections, space, labels, words), measures)


def _rows(
    sections: Sequence[Section], space: "Vectors", labels: "Labels", words: Mapping[int, Sequence[str]]
) -> list[SectionTopic]:
    return [
        SectionTopic(section=section.id, topic=label, label=", ".join(words.get(label, ())), vector=tuple(vector))
        for section, label, vector in zip(sections, labels.tolist(), space.round(_DIGITS).tolist(), strict=True)
    ]


def _quality(measures: Measures) -> float:
    """Returns silhouette times document match; silhouette alone would separate a leaflet's sections by their kind."""
    share = (measures.document_match or 0) / 100
    return -1.0 if measures.silhouette is None else (1 + measures.silhouette) * share
