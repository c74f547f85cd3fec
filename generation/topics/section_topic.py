"""The topic of a section, and the section's place in the space in which the topics were found."""

from pydantic import BaseModel, ConfigDict, Field

from ..json_lines import LinesFile

OUTLIER = -1
"""The topic of a section that is in none."""


class SectionTopic(BaseModel):
    """The topic of one section. Frozen.

    Attributes:
        section: The section's id.
        topic: The topic's number, from 0; -1 for an outlier.
        label: Words that say what the topic is about.
        vector: The section in the low-dimensional space in which the topics were clustered.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    section: str = Field(min_length=1)
    topic: int = Field(ge=OUTLIER)
    label: str = ""
    vector: tuple[float, ...] = Field(min_length=1)


_TOPICS = LinesFile(SectionTopic, lambda row: row.section, "assay generate topics sections.jsonl -o topics.jsonl")
read_topics, write_topics = _TOPICS.read, _TOPICS.write
