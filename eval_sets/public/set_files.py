"""The files of public sets, in the folder into which they are downloaded; and what their readers have in common."""

import logging
import math
import os
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from ...errors import InputError
from ...json_text import JSON_DECODER, explain_json_error
from ...text.wording import count_of
from ...value_messages import describe_type
from .set_facts import GITHUB, PREFIX, PublicFile, PublicSet, format_size

VARIABLE = "ASSAY_PUBLIC_SETS"
_CREDENTIALS = re.compile(r"//[^/@]*@")
_SECONDS = 30.0


class OriginalFile(NamedTuple):
    """One file of a set."""

    path: str
    text: str


def parse_document(file: OriginalFile, kind: type = dict) -> Any:
    """Reads a JSON file that holds an object, or a list."""
    try:
        document = JSON_DECODER.decode(file.text)
    except (ValueError, RecursionError) as error:
        raise ValueError(explain_json_error(error, file.text)) from None
    if not isinstance(document, kind):
        raise TypeError(f"is {describe_type(document)}, not {'a list' if kind is list else 'an object'}")
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


def summarise_criteria(ratings: Mapping[str, Iterable[float]]) -> dict[str, dict[str, float | list[float]]]:
    """What all raters said, by criterion: the mean and each rating; a criterion without a rating is left out."""
    listed = {criterion: list(values) for criterion, values in ratings.items()}
    return {criterion: {"mean": mean(values), "raters": values} for criterion, values in listed.items() if values}


def _mirror() -> str:
    """Where the files come from: GitHub, or the address that the variable names."""
    value = os.environ.get(VARIABLE, "")
    return value if value.startswith(("http://", "https://")) else GITHUB


def sets_folder() -> Path:
    """The folder that the files are kept in: the user's cache, or the folder that the variable names."""
    from platformdirs import user_cache_path

    value = os.environ.get(VARIABLE, "")
    return Path(value) if value and value != _mirror() else user_cache_path("assay") / "public_sets"


def cached_path(facts: PublicSet, path: str) -> Path:
    """Where a file of a set is kept once it is downloaded."""
    return sets_folder() / facts.repository.replace("/", "--") / facts.commit / PurePosixPath(path)


def is_downloaded(facts: PublicSet) -> bool:
    """Whether the files of a set are on this machine."""
    return all(cached_path(facts, file.path).is_file() for file in facts.files)


def wrong_file(facts: PublicSet, path: str, problem: str) -> InputError:
    """What to do where a file is not what it should be."""
    cure = f"get it again: {facts.download_command} (first remove {cached_path(facts, path)}, if it is there)"
    return InputError(f"{PREFIX}{facts.name}: {path}: {problem}; {cure}")


def read_files(facts: PublicSet) -> list[OriginalFile]:
    """Reads the files of a set; those whose checksums Assay knows are compared with them."""
    if not is_downloaded(facts):
        command = f"{facts.download_command} --yes ({describe_offer(facts)})"
        raise InputError(f"{PREFIX}{facts.name}: is not downloaded; get it once with: {command}")
    files = []
    for file in facts.files:
        path = cached_path(facts, file.path)
        try:
            content = path.read_bytes()
            files.append(OriginalFile(file.path, content.decode("utf-8-sig")))
        except OSError as error:
            problem = f"{path}: cannot be read ({error.strerror or error}); check its permissions"
            raise InputError(f"{PREFIX}{facts.name}: {problem}") from None
        except UnicodeDecodeError as error:
            raise wrong_file(facts, file.path, f"byte {error.start:,} is not UTF-8") from None
        if file.sha256 not in {None, checksum := sha256(content).hexdigest()}:
            problem = f"is not the file that Assay knows: its sha256 is {checksum}, and not {file.sha256}"
            raise wrong_file(facts, file.path, problem)
    return files


def describe_offer(facts: PublicSet) -> str:
    """What would be downloaded: how large, from where, under which licence, and into which folder."""
    size = format_size(facts.size) if facts.size else "of a size that Assay does not know"
    address = _CREDENTIALS.sub("//", facts.address("", _mirror())).rstrip("/")
    files = count_of(len(facts.files), "file")
    return f"{files}, {size}, from {address}, licence {facts.licence_text}, into {sets_folder()}"


def fetch_file(facts: PublicSet, file: PublicFile) -> None:
    """Downloads one file of a set into its place, where it is whole and has the checksum that Assay knows."""
    import pooch

    pooch.get_logger().setLevel(logging.WARNING)
    address, target = facts.address(file.path, _mirror()), cached_path(facts, file.path)
    downloader = pooch.HTTPDownloader(timeout=_SECONDS)
    checksum = file.sha256 and f"sha256:{file.sha256}"
    try:
        pooch.retrieve(address, checksum, fname=target.name, path=target.parent, downloader=downloader)
    except (OSError, ValueError) as error:  # of the network and the disk, and of another checksum
        cure = "give the command again; if it fails again, check the network, HTTPS_PROXY and the disk, or name a "
        problem = _CREDENTIALS.sub("//", f"{address}: cannot be downloaded ({error})")
        raise InputError(f"{PREFIX}{facts.name}: {problem}; {cure}mirror ({VARIABLE})") from None
