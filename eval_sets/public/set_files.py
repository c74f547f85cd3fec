"""The files of public sets on this machine: in the cache, or in a folder that `ASSAY_PUBLIC_SETS` names."""

import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ...errors import InputError
from ...regular_files import check_regular
from ...text.wording import count_of
from ...value_messages import shorten
from .original_form import OriginalFile, OriginalFormError
from .set_facts import PREFIX, PublicFile, PublicSet, describe_content, format_size, name_for_folder
from .tabfact import list_tables

VARIABLE = "ASSAY_PUBLIC_SETS"
MOST_BYTES = 1_000_000_000
"""Of a file whose size Assay does not know."""
_CREDENTIALS = re.compile(r"//[^/@]*@")


class ChangedFileError(InputError):
    """A file on this machine is not the one that Assay knows."""


class SetPlace(NamedTuple):
    """Where the files of public sets come from."""

    mirror: str = ""  # the address that `ASSAY_PUBLIC_SETS` names; "" for GitHub's own
    folder: Path | None = None  # the folder that it names: nothing is downloaded; None where it names none


def find_place() -> SetPlace:
    """Reads where the files come from out of the variable `ASSAY_PUBLIC_SETS`."""
    value = os.environ.get(VARIABLE, "")
    if not value:
        return SetPlace()
    if value.startswith(("http://", "https://")):
        return SetPlace(mirror=value)
    with suppress(OSError, RuntimeError):  # of a name that no folder can have, and of a user without a home
        if (folder := Path(value).expanduser()).is_dir():
            return SetPlace(folder=folder)
    raise InputError(
        f"{VARIABLE}: {shorten(hide_password(value), 200)} is no folder that exists and no address with http; name a "
        "folder with the files or a mirror (https://...), or unset it"
    )


def hide_password(text: str) -> str:
    """The same text without the names and the passwords that addresses in it may hold.

    Example:
        >>> hide_password("https://me:secret@mirror.example.org/sets")
        'https://mirror.example.org/sets'
    """
    return _CREDENTIALS.sub("//", text)


def cache_folder() -> Path:
    """The folder that downloaded sets are kept in."""
    from platformdirs import user_cache_path

    return user_cache_path("assay") / "public_sets"


def cached_path(facts: PublicSet, path: str) -> Path:
    """Where a file of a set is kept once it is downloaded."""
    return cache_folder() / name_for_folder(facts.repository) / facts.commit / PurePosixPath(path)


def is_downloaded(facts: PublicSet) -> bool:
    """Whether the files that Assay names are on this machine."""
    return all(_local_path(facts, file.path).is_file() for file in facts.files)


def read_files(facts: PublicSet) -> list[OriginalFile] | None:
    """Reads the files of a set; those whose checksums Assay knows are compared with them.

    Returns:
        The files in the order of the facts, then the tables; None where they are not all downloaded.
    """
    files: list[OriginalFile] = []
    waiting = list(facts.files)
    for number, file in enumerate(waiting):
        path = _local_path(facts, file.path)
        if not path.is_file():
            _refuse_missing_in_folder(facts, file)
            return None
        files.append(_read_file(facts, file, path))
        if not number:
            waiting += table_files(facts, files[0])  # which the first file names
    return files


def table_files(facts: PublicSet, first: OriginalFile) -> list[PublicFile]:
    """The tables of a set, which its first file names."""
    names = list_tables(first) if facts.tables else []
    return [PublicFile(path=f"{facts.tables}/{name}", size=None, sha256=None) for name in names]


def read_first(facts: PublicSet) -> OriginalFile:
    """Reads the first file of a set, which is on this machine. Raises as `read_files`."""
    file = facts.files[0]
    return _read_file(facts, file, _local_path(facts, file.path))


def _read_file(facts: PublicSet, file: PublicFile, path: Path) -> OriginalFile:
    name = f"{PREFIX}{facts.name}: {path}"
    check_regular(path, name, MOST_BYTES)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error}); check its permissions") from None
    came = sha256(content).hexdigest()
    if file.sha256 not in {None, came}:
        wanted, has = describe_content(file.size, file.sha256 or ""), describe_content(len(content), came)
        problem = f"is not the file that Assay knows; expected {wanted}, and it has {has}"
        raise ChangedFileError(f"{name}: {problem}; {describe_cure(facts, file.path)}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise OriginalFormError(file.path, f"{file.path}, line {line}: byte {error.start:,} is not UTF-8") from None
    return OriginalFile(file.path, text, len(content), came)


def describe_cure(facts: PublicSet, path: str) -> str:
    """What to do where a file of a set is not what it should be."""
    if find_place().folder is not None:
        return f"replace it by {facts.address(path)}"
    return f"remove {cached_path(facts, path)}, and get it again: {facts.download_command}"


def _local_path(facts: PublicSet, path: str) -> Path:
    """Where a file of a set is: in the named folder, by its path in the repository or its name, or in the cache."""
    folder = find_place().folder
    if folder is None:
        return cached_path(facts, path)
    by_path = folder / PurePosixPath(path)
    return by_path if by_path.is_file() else folder / PurePosixPath(path).name


def _refuse_missing_in_folder(facts: PublicSet, file: PublicFile) -> None:
    folder, name = find_place().folder, PurePosixPath(file.path).name
    if folder is not None:
        raise InputError(
            f"{PREFIX}{facts.name}: {folder} ({VARIABLE}) holds neither {file.path} nor {name}; get it from "
            f"{facts.address(file.path)}, or unset {VARIABLE}"
        )


def describe_offer(facts: PublicSet) -> str:
    """What would be downloaded: how large, from where, under which licence, and into which folder."""
    mirror = find_place().mirror
    what = count_of(len(facts.files), "file")
    if facts.tables:
        what += " and the tables that it names, each a small file of its own"
    size = format_size(facts.size) if facts.size else "of a size that Assay does not know"
    return (
        f"{what}, {size}, from "
        f"{hide_password(facts.address('', mirror)).rstrip('/')}, licence {facts.licence_text}, into {cache_folder()}"
    )
