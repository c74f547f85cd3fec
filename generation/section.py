"""A section of a document, and the fold that it belongs to: what the stages of generation hand on."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from .json_lines import read_lines, write_lines

Split = Literal["validation", "test"]
SECTIONS_COMMAND = "assay generate sections DOCS -o sections.jsonl"
FOLDS_COMMAND = "assay generate folds sections.jsonl topics.jsonl -o folds.jsonl"


class Section(BaseModel):
    """A heading with the text below it: the unit that topics and folds group and that questions are made from.

    `id` is the document's name and the section's place in it, as in `maagonderzoek.pdf#004`. `document` is the path
    below the folder that was read. `heading` is "" where the document has none; `above` are the headings that it stands
    under, outermost first. `text` is the body, bullets and tables as Markdown. `page` and `last_page` count from 1,
    None where the format has no pages. `position` counts the document's sections from 0. `emulated_page` counts, from
    1, the groups of whole sections of about 842 tokens (4.1 of the Twente paper). `tokens` is an estimate. Frozen.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    document: str
    heading: str
    text: str
    page: int | None = Field(default=None, ge=1)
    last_page: int | None = Field(default=None, ge=1)
    position: int = Field(ge=0)
    language: str = Field(pattern=r"^[a-z]{2}$")
    above: tuple[str, ...] = ()
    tokens: int = Field(ge=0)
    emulated_page: int = Field(ge=1)

    @property
    def title(self) -> str:
        """The heading with those above it, outermost first: "Maagonderzoek › Voorbereiding"."""
        return " › ".join(heading for heading in (*self.above, self.heading) if heading)

    @property
    def full_text(self) -> str:
        """Title and text: what is embedded, asked about and retrieved."""
        return f"{self.title}\n\n{self.text}".strip()


class Fold(BaseModel):
    """Where one section was put: fold (from 1), validation or test, topic, and whether questions are made of it.

    Sections in no fold (outliers, and those whose document or page stands in both folds) have no Fold.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    section: str = Field(min_length=1)
    fold: int = Field(ge=1)
    split: Split
    topic: int = Field(ge=0)
    sampled: bool = False


def read_sections(path: str | Path) -> list[Section]:
    """The sections of a file of `assay generate sections`. Raises `InputError` with line, field and cure."""
    return read_lines(path, Section, lambda section: section.id, SECTIONS_COMMAND)


def write_sections(sections: Iterable[Section], path: str | Path) -> int:
    """Writes sections as JSON Lines, one a line; returns how many. Raises `InputError` where it cannot be written."""
    return write_lines(sections, path)


def read_folds(path: str | Path) -> list[Fold]:
    """The folds of a file of `assay generate folds`. Raises `InputError` with line, field and cure."""
    return read_lines(path, Fold, lambda fold: fold.section, FOLDS_COMMAND)


def write_folds(folds: Iterable[Fold], path: str | Path) -> int:
    """Writes folds as JSON Lines, one section a line; returns how many. Raises `InputError` as `write_sections`."""
    return write_lines(folds, path)
