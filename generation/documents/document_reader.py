"""One document to sections, by the suffix of its file."""

from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ...installation import require_extra
from ...regular_files import check_regular
from ..section import Section
from .block import Block
from .docx import docx_blocks
from .html import html_blocks
from .markdown import markdown_blocks
from .pdf import pdf_blocks
from .section_builder import build_sections


class DocumentSource(BaseModel):
    """A document to read, and how to read it. Frozen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    name: str  # the document's name: its path below the folder that is read
    language: str | None = None  # the document's language; None to detect it
    header: float | None = None  # the depth of a PDF's header in points; None to find it
    footer: float | None = None  # the depth of a PDF's footer in points; None to find it


_READERS: dict[str, Callable[[DocumentSource], list[Block]]] = {
    ".md": lambda source: markdown_blocks(source.path),
    ".markdown": lambda source: markdown_blocks(source.path),
    ".txt": lambda source: markdown_blocks(source.path),
    ".html": lambda source: html_blocks(source.path),
    ".htm": lambda source: html_blocks(source.path),
    ".docx": lambda source: docx_blocks(source.path),
    ".pdf": lambda source: pdf_blocks(source.path, source.header, source.footer),
}
SUFFIXES = tuple(_READERS)


def read_document(source: DocumentSource) -> list[Section]:
    """Reads the sections of one document."""
    check_regular(source.path)
    with require_extra("generation", f"{source.path}: reading this format"):
        blocks = _READERS[source.path.suffix.lower()](source)
    return build_sections(blocks, source.name, source.language)
