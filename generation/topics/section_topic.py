"""The topic of a section, and the section's place in the space in which the topics were found."""

from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from ...meta_eval.clustering import OUTLIER
from ..json_lines import LinesFile


class SectionTopic(BaseModel):
    """The topic of one section. Frozen."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    section: str = Field(min_length=1)
    topic: int = Field(ge=OUTLIER)  # the topic's number, from 0; -1 for an outlier
    label: str = ""
    # the section in the low-dimensional space in which the topics were clustered
    vector: tuple[float, ...] = Field(min_length=1)


_TOPICS = LinesFile(SectionTopic, lambda row: row.section, "assay sets generate topics sections.jsonl -o topics.jsonl")


def read_topics(path: str | Path) -> list[SectionTopic]:
    """Reads the file that `assay sets generate topics` wrote."""
    return _TOPICS.read(path)


def write_topics(rows: Iterable[SectionTopic], path: str | Path) -> int:
    """Writes topics as JSON Lines, the topic of one section per line."""
    return _TOPICS.write(rows, path)
