"""The topic of a section, and its place in the space that the topics were found in."""

from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from ..json_lines import read_lines, write_lines

OUTLIER = -1
TOPICS_COMMAND = "assay generate topics sections.jsonl -o topics.jsonl"


class SectionTopic(BaseModel):
    """A section's topic (from 0; -1: outlier, of none), what the topic is about, and the section's vector. Frozen.

    `vector` is the section in the space of low dimension in which the topics were clustered.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    section: str = Field(min_length=1)
    topic: int = Field(ge=OUTLIER)
    label: str = ""
    vector: tuple[float, ...] = Field(min_length=1)


def read_topics(path: str | Path) -> list[SectionTopic]:
    """The topics of a file of `assay generate topics`. Raises `InputError` with line, field and cure."""
    return read_lines(path, SectionTopic, lambda row: row.section, TOPICS_COMMAND)


def write_topics(rows: Iterable[SectionTopic], path: str | Path) -> int:
    """Writes topics as JSON Lines, one section a line; returns how many. Raises `InputError` on a bad path."""
    return write_lines(rows, path)
