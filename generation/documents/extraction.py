"""From a folder of documents to sections."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ...installation import require_extra
from ..leaflets import NAME, leaflets
from ..section import Section
from .block import Block
from .docx import docx_blocks
from .html import html_blocks
from .markdown import markdown_blocks
from .pdf import pdf_blocks
from .section_builder import build_sections

_READERS: dict[str, Callable[[Path], list[Block]]] = {
    ".md": markdown_blocks,
    ".markdown": markdown_blocks,
    ".txt": markdown_blocks,
    ".html": html_blocks,
    ".htm": html_blocks,
    ".docx": docx_blocks,
    ".pdf": pdf_blocks,
}
SUFFIXES = tuple(_READERS)


class Extraction(NamedTuple):
    """The sections of one document, or the error for which it has none. `document` is its path below what was read."""

    document: str
    sections: list[Section]
    error: InputError | None = None


def extract_sections(
    places: Sequence[str | Path],
    *,
    language: str | None = None,
    header: float | None = None,
    footer: float | None = None,
) -> Iterator[Extraction]:
    """The sections of each document in files and folders (with those below), by name, one document at a time.

    Formats are told by suffix: Markdown, text, HTML, DOCX, PDF. `header` and `footer` set the depth in points of a
    PDF's header and footer areas, which are found otherwise. Raises `InputError` where there is no document at all;
    the error of a single document is in its `Extraction`.
    """
    for path, name in list_documents(places):
        try:
            with require_extra("generation", f"{path}: reading this format"):
                blocks = (
                    pdf_blocks(path, header, footer)
                    if path.suffix.lower() == ".pdf"
                    else _READERS[path.suffix.lower()](path)
                )
            sections = build_sections(blocks, name, language)
        except InputError as error:
            yield Extraction(name, [], error)
        except OSError as error:
            yield Extraction(name, [], InputError(f"{path}: cannot be read ({error.strerror or error})"))
        else:
            empty = None if sections else InputError(f"{path}: holds no text")
            yield Extraction(name, sections, empty)


def list_documents(places: Sequence[str | Path]) -> list[tuple[Path, str]]:
    """The documents in files and folders, each with its name: the path below the folder given. Raises `InputError`.

    `leaflets` is the bundled collection, where no file or folder has this name.
    """
    files: dict[str, Path] = {}
    for place in map(Path, places):
        if not place.exists():
            if str(place) != NAME:
                raise InputError(f"{place}: there is no such file or folder")
            files |= {file.name: file for file in sorted(leaflets().glob("*.md"))}
            continue
        if place.is_file() and place.suffix.lower() not in _READERS:
            raise InputError(f"{place}: no format is known by the suffix `{place.suffix}`; read are {_listed()}")
        found = sorted(f for f in place.rglob("*") if _is_document(f, place)) if place.is_dir() else [place]
        for file in found:
            name = file.relative_to(place).as_posix() if place.is_dir() else file.name
            if name in files and files[name] != file:
                raise InputError(f"{file}: {files[name]} has the same name; read the folder above both")
            files[name] = file
    if not files:
        raise InputError(f"no documents are in {', '.join(map(str, places))}; read are {_listed()}")
    return [(path, name) for name, path in files.items()]


def _is_document(file: Path, folder: Path) -> bool:
    hidden = any(part.startswith((".", "~$")) for part in file.relative_to(folder).parts)
    return file.is_file() and not hidden and file.suffix.lower() in _READERS


def _listed() -> str:
    return ", ".join(SUFFIXES)
