"""The files of public sets, in the cache, into which they are downloaded, or where `ASSAY_PUBLIC_SETS` says; and their
original form: what is not as expected is told, with the file."""

import logging
import math
import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from ...errors import InputError
from ...json_text import JSON_DECODER, explain_json_error
from ...regular_files import check_regular
from ...text.wording import count_of
from ...value_messages import describe_type, shorten
from .set_facts import PREFIX, PublicFile, PublicSet, format_size, name_for_folder

_CURE = "this is not the file that Assay reads; get it again, from the commit that `assay sets --json` names"
NOT_IN_FORM = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a reader raises where a document has another form."""


class OriginalFile(NamedTuple):
    """One file of a set."""

    path: str
    text: str
    size: int = 0  # its bytes as they came; 0 where it was made of a text
    sha256: str = ""  # their SHA-256; "" where it was made of a text


class OriginalFormError(InputError):
    """A file is not in the form that the reader of its set expects."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{problem}; {_CURE}")
        self.path, self.problem = path, problem


def parse_document(file: OriginalFile, kind: type = dict) -> Any:
    """Reads a JSON file that holds an object, or a list."""
    try:
        document = JSON_DECODER.decode(file.text)
    except (ValueError, RecursionError) as error:
        raise OriginalFormError(file.path, f"{file.path}: {explain_json_error(error, file.text)}") from None
    if not isinstance(document, kind):
        wanted = "a list" if kind is list else "an object"
        raise OriginalFormError(file.path, f"{file.path}: is {describe_type(document)}, not {wanted}")
    return document


def label(value: Any, *labels: float) -> float:
    """A number that is one of the labels, also one that is written as a text. Raises `ValueError` for another value."""
    number = math.nan if isinstance(value, bool) else float(value)
    if number not in labels:
        raise ValueError(f"{value} is none of {', '.join(f'{label:g}' for label in labels)}")
    return number


def mean(values: Iterable[float]) -> float:
    """The mean, to four decimals.

    Example:
        >>> mean([4, 4, 3])
        3.6667
    """
    listed = list(values)
    return round(sum(listed) / len(listed), 4)


def summarise_criteria(
    criteria: Iterable[str], ratings: Callable[[str], Iterable[float]]
) -> dict[str, dict[str, float | list[float]]]:
    """What all raters said, by criterion: the mean and each rating; a criterion without a rating is left out."""
    summary: dict[str, dict[str, float | list[float]]] = {}
    for criterion in criteria:
        if values := list(ratings(criterion)):
            summary[criterion] = {"mean": mean(values), "raters": values}
    return summary


VARIABLE = "ASSAY_PUBLIC_SETS"
MOST_BYTES = 1_000_000_000
"""Of a file whose size Assay does not know."""
_CREDENTIALS = re.compile(r"//[^/@]*@")
_SECONDS = 30.0


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
    """Whether the files of a set are on this machine."""
    return all(_local_path(facts, file.path).is_file() for file in facts.files)


def read_files(facts: PublicSet) -> list[OriginalFile] | None:
    """Reads the files of a set; those whose checksums Assay knows are compared with them. None where one is missing."""
    if not is_downloaded(facts):
        return None
    return [_read_file(facts, file, _local_path(facts, file.path)) for file in facts.files]


def _read_file(facts: PublicSet, file: PublicFile, path: Path) -> OriginalFile:
    name = f"{PREFIX}{facts.name}: {path}"
    check_regular(path, name, MOST_BYTES)
    try:
        return check_content(file, path.read_bytes())
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error}); check its permissions") from None
    except OriginalFormError as error:
        raise explain_refused(facts, error) from None


def check_content(file: PublicFile, content: bytes) -> OriginalFile:
    """The text of a file. Raises `OriginalFormError` where it is not the one that Assay knows, or no text."""
    came = sha256(content).hexdigest()
    if file.sha256 not in {None, came}:
        size = "" if file.size is None else f"{count_of(file.size, 'byte')}, "
        wanted = f"expected {size}sha256 {file.sha256}"
        has = f"it has {count_of(len(content), 'byte')}, sha256 {came}"
        raise OriginalFormError(file.path, f"{file.path}: is not the file that Assay knows; {wanted}, and {has}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise OriginalFormError(file.path, f"{file.path}, line {line}: byte {error.start:,} is not UTF-8") from None
    return OriginalFile(file.path, text, len(content), came)


def explain_refused(facts: PublicSet, error: OriginalFormError) -> InputError:
    """What to do where a file on this machine is not what it should be."""
    path = error.path
    if find_place().folder is not None:
        cure = f"replace it by {facts.address(path)}"
    else:
        cure = f"remove {cached_path(facts, path)}, and get it again: {facts.download_command}"
    return InputError(f"{PREFIX}{facts.name}: {error.problem}; {cure}")


def _local_path(facts: PublicSet, path: str) -> Path:
    """Where a file of a set is: in the named folder, by its path in the repository or its name, or in the cache."""
    folder = find_place().folder
    if folder is None:
        return cached_path(facts, path)
    by_path = folder / PurePosixPath(path)
    return by_path if by_path.is_file() else folder / PurePosixPath(path).name


def explain_missing_files(facts: PublicSet) -> InputError:
    """What to do where the files of a set are not on this machine."""
    folder = find_place().folder
    if folder is None:
        command = f"{facts.download_command} --yes ({describe_offer(facts)})"
        return InputError(f"{PREFIX}{facts.name}: is not downloaded; get it once with: {command}")
    path = next(file.path for file in facts.files if not _local_path(facts, file.path).is_file())
    return InputError(
        f"{PREFIX}{facts.name}: {folder} ({VARIABLE}) holds neither {path} nor {PurePosixPath(path).name}; get it "
        f"from {facts.address(path)}, or unset {VARIABLE}"
    )


def describe_offer(facts: PublicSet) -> str:
    """What would be downloaded: how large, from where, under which licence, and into which folder."""
    mirror = find_place().mirror
    size = format_size(facts.size) if facts.size else "of a size that Assay does not know"
    return (
        f"{count_of(len(facts.files), 'file')}, {size}, from {hide_password(facts.address('', mirror)).rstrip('/')}, "
        f"licence {facts.licence_text}, into {cache_folder()}"
    )


def check_downloads_allowed(facts: PublicSet) -> None:
    """Raises `InputError` while `ASSAY_PUBLIC_SETS` names a folder, into which nothing is downloaded."""
    if (folder := find_place().folder) is not None:
        raise InputError(
            f"{PREFIX}{facts.name}: nothing is downloaded while {VARIABLE} names a folder ({folder}); unset it"
        )


def fetch_file(facts: PublicSet, path: str) -> bytes:
    """Downloads one file of a set."""
    import pooch

    pooch.get_logger().setLevel(logging.WARNING)
    address = facts.address(path, find_place().mirror)
    try:
        with TemporaryDirectory() as folder:
            downloader = pooch.HTTPDownloader(timeout=_SECONDS)
            return Path(pooch.retrieve(address, None, path=folder, downloader=downloader)).read_bytes()
    except (OSError, ValueError) as error:  # of the network too, and of an address that is none
        cure = "give the command again; if it fails again, check the network, HTTPS_PROXY and the disk, or name a "
        cure += f"mirror or a folder with the files ({VARIABLE})"
        problem = f"{address}: cannot be downloaded ({error}); {cure}"
        raise InputError(f"{PREFIX}{facts.name}: {hide_password(problem)}") from None


def keep_file(facts: PublicSet, path: str, content: bytes) -> None:
    """Keeps a downloaded file in the cache: whole, or not at all."""
    target = cached_path(facts, path)
    draft = target.with_name(f"{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(content)
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        problem = f"cannot be kept in {target.parent} ({error.strerror or error}); check the disk"
        raise InputError(f"{PREFIX}{facts.name}: {path} {problem}") from None
