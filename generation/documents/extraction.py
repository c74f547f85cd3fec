"""From files and folders of documents to sections; a document that cannot be read does not stop the others."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ..leaflets import NAME, leaflets
from ..section import Section
from .document_reader import SUFFIXES, read_document


class DocumentFile(NamedTuple):
    """A file to read."""

    path: Path
    name: str  # the document's name: its path below the folder that is read
    problem: str = ""  # why the file is not read; "" for a file that is


class Extraction(NamedTuple):
    """The outcome for one document."""

    document: str
    sections: list[Section]  # its sections; none where there is an error
    error: InputError | None = None  # why it cannot be read, with the file and what to do


def extract_sections(places: Sequence[str | Path], *, language: str | None = None) -> Iterator[Extraction]:
    """Reads the sections of all documents in files and folders, one document at a time.

    The suffix says the format: Markdown, text, HTML, DOCX or PDF. The language is detected where none is given.

    Example:
        >>> extractions = list(extract_sections(["leaflets"]))
        >>> len(extractions), sum(len(extraction.sections) for extraction in extractions)
        (12, 80)
    """
    for file in list_documents(places):
        try:
            if file.problem:
                raise InputError(file.problem)
            sections = read_document(file.path, file.name, language)
            if not sections:
                raise InputError(f"{file.path}: has no text")
        except InputError as error:
            yield Extraction(file.name, [], error)
        else:
            yield Extraction(file.name, sections)


def list_documents(places: Sequence[str | Path]) -> list[DocumentFile]:
    """Lists the documents in files and folders.

    A link in a folder to something outside it is listed with a problem: it is not followed.
    """
    files: dict[str, DocumentFile] = {}
    for place in map(Path, places):
        for file in _documents_in(place):
            if file.name in files and files[file.name].path != file.path:
                other = files[file.name].path
                raise InputError(f"{file.path}: has the same name as {other}; read the folder above both")
            files[file.name] = file
    if not files:
        raise InputError(f"{', '.join(map(str, places))}: no documents there; the formats are {_formats()}")
    return list(files.values())


def _documents_in(place: Path) -> list[DocumentFile]:
    if not place.exists() and str(place) == NAME:
        return [DocumentFile(path, path.name) for path in sorted(leaflets().glob("*.md"))]
    if place.is_dir():
        return [_document_below(path, place) for path in sorted(place.rglob("*")) if _is_document(path, place)]
    if not place.exists():
        raise InputError(f"{place}: there is no such file or folder")
    if place.suffix.lower() not in SUFFIXES:
        raise InputError(f"{place}: the format `{place.suffix}` is unknown; the formats are {_formats()}")
    return [DocumentFile(place, place.name)]


def _document_below(path: Path, folder: Path) -> DocumentFile:
    name = path.relative_to(folder).as_posix()
    target = path.resolve()
    if target.is_relative_to(folder.resolve()):
        return DocumentFile(path, name)
    problem = f"{path}: is a link to {target}, outside {folder}, and is not followed; copy the document, or name it"
    return DocumentFile(path, name, problem)


def _is_document(path: Path, folder: Path) -> bool:
    is_hidden = any(part.startswith((".", "~$")) for part in path.relative_to(folder).parts)
    return path.is_file() and not is_hidden and path.suffix.lower() in SUFFIXES


def _formats() -> str:
    return ", ".join(SUFFIXES)
