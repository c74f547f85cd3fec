"""A section of a document and the fold that it belongs to: the values that the stages of generation exchange."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from .json_lines import LinesFile

Split = Literal["validation", "test"]


class Section(BaseModel):
    """A heading with the text below it: the unit that topics and folds group and that questions are made from.

    Frozen.

    Attributes:
        id: The document's name and the section's number in it, such as `maagonderzoek.pdf#004`.
        document: The document's path below the folder that was read.
        heading: The section's own heading, "" where the document has none.
        text: The body as Markdown, lists and tables included.
        page: The page on which the section starts, from 1; None where the format has no pages.
        last_page: The page on which it ends.
        position: The section's place in the document, from 0.
        language: An ISO 639-1 code.
        above: The headings above the section's own, outermost first.
        tokens: The estimated number of tokens.
        emulated_page: The number, from 1, of the group of whole sections of about 842 tokens that the section is in
            (Twente paper, 4.1).

    Example:
        >>> section = Section(
        ...     id="mri.md#001", document="mri.md", heading="Preparation", text="Take off your jewellery.",
        ...     above=("MRI scan",), position=0, language="en", tokens=8, emulated_page=1,
        ... )
        >>> section.title
        'MRI scan › Preparation'
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
        """The heading with those above it, outermost first."""
        return " › ".join(heading for heading in (*self.above, self.heading) if heading)

    @property
    def full_text(self) -> str:
        """Title and text: what is embedded, asked about and retrieved."""
        return f"{self.title}\n\n{self.text}".strip()


class Fold(BaseModel):
    """The fold of one section. Frozen.

    A section in no fold (an outlier, or one whose document or page would be in two folds) has no `Fold`.

    Attributes:
        section: The section's id.
        fold: The fold's number, from 1.
        split: Whether the section is for validation or for the test.
        topic: The section's topic, from 0.
        sampled: Whether questions are made from the section.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    section: str = Field(min_length=1)
    fold: int = Field(ge=1)
    split: Split
    topic: int = Field(ge=0)
    sampled: bool = False


_SECTIONS = LinesFile(Section, lambda section: section.id)
_FOLDS = LinesFile(Fold, lambda fold: fold.section)


def read_sections(path: str | Path) -> list[Section]:
    """Reads the file of sections that `assay sets generate` wrote beside a set.

    Args:
        path: A JSON Lines file with one section per line.

    Returns:
        The sections, in the file's order.

    Raises:
        InputError: The file cannot be read; the message names the line, the field and what to do.
    """
    return _SECTIONS.read(path)


def write_sections(sections: Iterable[Section], path: str | Path) -> None:
    """Writes sections as JSON Lines, one per line.

    Args:
        sections: The sections to write.
        path: The file, in a folder that exists.

    Raises:
        InputError: The file cannot be written.
    """
    _SECTIONS.write(sections, path)


def read_folds(path: str | Path) -> list[Fold]:
    """Reads the file of folds that `assay sets generate` wrote beside a set.

    Args:
        path: A JSON Lines file with the fold of one section per line.

    Returns:
        The folds, in the file's order.

    Raises:
        InputError: The file cannot be read; the message names the line, the field and what to do.
    """
    return _FOLDS.read(path)


def write_folds(folds: Iterable[Fold], path: str | Path) -> None:
    """Writes folds as JSON Lines, the fold of one section per line.

    Args:
        folds: The folds to write.
        path: The file, in a folder that exists.

    Raises:
        InputError: The file cannot be written.
    """
    _FOLDS.write(folds, path)
