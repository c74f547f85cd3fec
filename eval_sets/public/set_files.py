"""The files of public sets on this machine: where each is, and that it is the one that Assay knows or downloaded."""

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path, PurePosixPath

from ...errors import InputError
from ...regular_files import check_regular, kind_of_no_file
from .original_form import OriginalFile, OriginalFormError
from .set_facts import PREFIX, PublicFile, PublicSet, describe_content, name_for_folder
from .set_place import VARIABLE, cache_folder, find_place
from .tabfact import list_tables

MOST_BYTES = 1_000_000_000
"""Of a file whose size Assay does not know."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LONGEST_PIN = 1000  # bytes


class ChangedFileError(InputError):
    """A file on this machine is not the one that Assay knows, or that was downloaded.

    Attributes:
        summary: Which file, in one short line.
    """

    def __init__(self, message: str, summary: str) -> None:
        super().__init__(message)
        self.summary = summary


def cached_path(facts: PublicSet, path: str) -> Path:
    """Where a file of a set is kept once it is downloaded."""
    return cache_folder() / name_for_folder(facts.repository) / facts.commit / PurePosixPath(path)


def pin_path(cached: Path) -> Path:
    """Where the checksum of a cached file stands that Assay did not know before it was downloaded."""
    return cached.with_name(f"{cached.name}.sha256")


def describe_removal(facts: PublicSet, path: str) -> str:
    """How to get a file of a set again that stands in the cache, and whose pin may stand beside it."""
    cached = cached_path(facts, path)
    pin = f" and {pin_path(cached).name} beside it" if read_pin(cached) is not None else ""
    return f"remove {cached}{pin}, and get it again: {facts.download_command}"


def is_downloaded(facts: PublicSet) -> bool:
    """Whether the files that Assay names are on this machine: in the cache, or in the folder of `ASSAY_PUBLIC_SETS`.

    Raises:
        InputError: As `find_place` and `is_file`.
    """
    folder = find_place().folder
    paths = (_path_in_folder(folder, file.path) if folder else cached_path(facts, file.path) for file in facts.files)
    return all(path is not None and is_file(path) for path in paths)


def is_file(path: Path) -> bool:
    """Whether a path leads to a file.

    Raises:
        InputError: A folder on the way cannot be searched.
    """
    try:
        return path.is_file()
    except OSError as error:
        cure = "check the folders on the way and their permissions"
        raise InputError(f"{path}: cannot be looked for ({error.strerror or error}); {cure}") from None


def read_files(facts: PublicSet) -> list[OriginalFile] | None:
    """Reads the files of a set, checked.

    Returns:
        The files in the order of the facts, then the tables; None where they are not all downloaded.

    Raises:
        InputError: A file is not the one that Assay knows, or that was downloaded; or the folder that
            `ASSAY_PUBLIC_SETS` names has none of this name.
    """
    folder = find_place().folder
    files: list[OriginalFile] = []
    for file in _all_files(facts, files):
        path = _find_in_folder(facts, folder, file) if folder else cached_path(facts, file.path)
        if not is_file(path):
            return None
        files.append(read_file(facts, file, path, in_folder=folder is not None))
    return files


def _all_files(facts: PublicSet, files: list[OriginalFile]) -> Iterator[PublicFile]:
    """The files of a set; the tables are known when the first file has been read."""
    yield from facts.files
    yield from table_files(facts, files[0])


def table_files(facts: PublicSet, first: OriginalFile) -> list[PublicFile]:
    """The tables of a set, which its first file names.

    Raises:
        InputError: The first file names what cannot be a table's file.
    """
    names = list_tables(first) if facts.tables else []
    return [PublicFile(path=f"{facts.tables}/{name}", size=None, sha256=None) for name in names]


def read_file(facts: PublicSet, file: PublicFile, path: Path, *, in_folder: bool = False) -> OriginalFile:
    """Reads a file that is on this machine, and checks that it is the one that Assay knows, or that was downloaded.

    Raises:
        InputError: It is another one, too large, no text, or cannot be read.
    """
    name = f"{PREFIX}{facts.name}: {path}"
    check_regular(path, name, MOST_BYTES)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error}); check its permissions") from None
    expected, origin = file.sha256, "that Assay knows"
    if expected is None and not in_folder:
        expected, origin = read_pin(path), "that was downloaded first"
    came = sha256(content).hexdigest()
    if expected is not None and came != expected:
        cure = (
            f"replace it by {facts.address(file.path)}"
            if in_folder
            else f"remove it, and get it again: {facts.download_command}"
        )
        problem = f"{name}: is not the file {origin}"
        wanted, has = describe_content(file.size, expected), describe_content(len(content), came)
        raise ChangedFileError(f"{problem}: expected {wanted}; it has {has}; {cure}", problem)
    return OriginalFile(file.path, _decode(content, file.path), len(content), came)


def read_pin(cached: Path) -> str | None:
    """The checksum that was written when a file was first read whole; None where none was, or none can be read.

    Raises:
        InputError: Where it should stand is no file.
    """
    pin = pin_path(cached)
    check_place(pin)
    try:
        text = pin.read_text(encoding="ascii").strip() if pin.stat().st_size < _LONGEST_PIN else ""
    except (OSError, UnicodeDecodeError):
        return None
    return text if _SHA256.fullmatch(text) else None


def check_place(path: Path) -> None:
    """Checks that where a file of the cache should stand is a file or nothing: a pipe would never end.

    Raises:
        InputError: It is a folder, a pipe, a device or a socket.
    """
    if kind := kind_of_no_file(path):
        raise InputError(f"{path}: is {kind}, not a file that Assay has written; remove it")


def _decode(content: bytes, path: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise OriginalFormError(path, f"{path}, line {line}: byte {error.start:,} is not UTF-8") from None


def _path_in_folder(folder: Path, path: str) -> Path | None:
    """A file of a set in a folder: by its path in the repository, else by its name."""
    candidates = (folder / PurePosixPath(path), folder / PurePosixPath(path).name)
    return next((candidate for candidate in candidates if is_file(candidate)), None)


def _find_in_folder(facts: PublicSet, folder: Path, file: PublicFile) -> Path:
    path = _path_in_folder(folder, file.path)
    if path is None:
        name = PurePosixPath(file.path).name
        raise InputError(
            f"{PREFIX}{facts.name}: {folder} ({VARIABLE}) holds neither {file.path} nor {name}; get it from "
            f"{facts.address(file.path)}, or unset {VARIABLE}"
        )
    return path
