"""Downloads the files of a public set: each takes its place when it is whole, and is the one that Assay knows."""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import NamedTuple

from ...errors import InputError
from .original_form import OriginalFormError
from .set_facts import PREFIX, PublicFile, PublicSet, describe_content, load_facts
from .set_files import (
    VARIABLE,
    SetPlace,
    cached_path,
    find_place,
    hide_password,
    read_files,
    read_first,
    table_files,
)
from .set_rows import check_count, read_rows

_TABLES_AT_ONCE = 8
_SECONDS = 30.0
_BLOCK = 1 << 16  # bytes
_ELSEWHERE = f"or name a mirror or a folder with the files ({VARIABLE})"


class DownloadedFile(NamedTuple):
    """A file that is in the cache now."""

    path: str
    size: int
    sha256: str  # its SHA-256
    is_known: bool
    is_new: bool  # whether it was downloaded now; else it was there


def download_public_set(name: str, report: Callable[[int], None] = lambda _: None) -> list[DownloadedFile]:
    """Downloads a public set into the cache folder, where `load_set` finds it; files that are there already stay.

    Args:
        name: The set, such as `mtrag`.
        report: Is called with the bytes that have come.

    Returns:
        The files of the set.

    Raises:
        InputError: There is no such set, the download failed, a file is not the one that Assay knows, or
            `ASSAY_PUBLIC_SETS` names a folder, into which nothing is downloaded. Files that came whole stay, but for
            one that the set's reader refuses.
    """
    return download_files(load_facts(name.removeprefix(PREFIX)), report)


def download_files(facts: PublicSet, report: Callable[[int], None]) -> list[DownloadedFile]:
    """Downloads the files of a set; arguments and errors as for `download_public_set`."""
    mirror = check_downloads_allowed(facts).mirror
    bytes_read = _ByteCount(report)

    def get(file: PublicFile) -> str:
        return file.path if _get(facts, file, mirror, bytes_read) else ""

    with _without_refused(facts):
        new = set(map(get, facts.files))
        tables = table_files(facts, read_first(facts))
        with ThreadPoolExecutor(_TABLES_AT_ONCE) as pool:
            new |= set(pool.map(get, tables))
        files = read_files(facts) or []
        count = sum(1 for _ in read_rows(facts, files))  # all of them are read, not only the first
        if not count:
            raise OriginalFormError(facts.files[0].path, f"{facts.files[0].path}: holds no answers")
        check_count(facts, count)
    known = {file.path for file in facts.files if file.sha256 is not None}
    return [DownloadedFile(path, size, checksum, path in known, path in new) for path, _, size, checksum in files]


class _ByteCount:
    """Adds up the bytes of all files, which may come at once."""

    def __init__(self, report: Callable[[int], None]) -> None:
        self._report, self._received, self._lock = report, 0, Lock()

    def add(self, count: int) -> None:
        with self._lock:
            self._received += count
            self._report(self._received)


class _FileProgress:
    """The progress of one file, in the form that pooch takes: at the end it starts anew, and says the whole size."""

    def __init__(self, count: _ByteCount) -> None:
        self.total = self._told = self._received = 0
        self._count = count

    def update(self, count: int) -> None:
        self._received += count
        received = min(self._received, self.total) if self.total else self._received
        if received > self._told:
            self._count.add(received - self._told)
            self._told = received

    def reset(self) -> None:
        self._received = 0

    def close(self) -> None:
        """Nothing is open."""


def _get(facts: PublicSet, file: PublicFile, mirror: str, count: _ByteCount) -> bool:
    """Downloads a file that is not in the cache. Returns whether it was downloaded now."""
    target = cached_path(facts, file.path)
    if target.exists():
        return False
    import pooch

    pooch.get_logger().setLevel(logging.WARNING)
    address = facts.address(file.path, mirror)
    try:
        pooch.retrieve(
            address,
            known_hash=file.sha256 and f"sha256:{file.sha256}",
            fname=target.name,
            path=target.parent,
            downloader=pooch.HTTPDownloader(progressbar=_FileProgress(count), chunk_size=_BLOCK, timeout=_SECONDS),
        )
    except OSError as error:  # of the network too
        problem = f"cannot be downloaded into {target.parent} ({error})"
        cure = f"give the command again; if it fails again, check the network, HTTPS_PROXY and the disk, {_ELSEWHERE}"
    except ValueError as error:  # of pooch: another checksum
        wanted = describe_content(file.size, file.sha256 or "")
        problem = f"is not the file that Assay knows: expected {wanted} ({error})"
        cure = f"give the command again; if that does not help, update Assay, {_ELSEWHERE}"
    else:
        return True
    raise InputError(f"{PREFIX}{facts.name}: " + hide_password(f"{address} {problem}; {cure}"))


@contextmanager
def _without_refused(facts: PublicSet) -> Iterator[None]:
    """Removes a file that the set's reader refuses, unless its checksum is the one that Assay knows."""
    try:
        yield
    except OriginalFormError as error:
        if error.path in {file.path for file in facts.files if file.sha256 is not None}:
            raise
        cached = cached_path(facts, error.path)
        cached.unlink(missing_ok=True)
        raise InputError(
            f"{PREFIX}{facts.name}: {error.problem}; it is not the data, and {cached} is removed; check where it comes "
            f"from, and get it again: {facts.download_command}"
        ) from None


def check_downloads_allowed(facts: PublicSet) -> SetPlace:
    """Where a set is downloaded from."""
    place = find_place()
    if place.folder is not None:
        raise InputError(
            f"{PREFIX}{facts.name}: nothing is downloaded while {VARIABLE} names a folder ({place.folder}); unset it"
        )
    return place
