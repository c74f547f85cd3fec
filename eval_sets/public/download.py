"""Downloads the files of a public set: once, one process at a time, and pinned when its reader has accepted them."""

import errno
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from ...errors import InputError
from .checksum_pins import describe_pinned, name_refused, pin_files
from .original_form import OriginalFile
from .set_facts import PREFIX, PublicFile, PublicSet, load_facts
from .set_files import cached_path, read_file, read_files, table_files
from .set_place import cache_folder, check_downloads_allowed

if TYPE_CHECKING:
    import httpx

_TABLES_AT_ONCE = 8
_SECONDS = 30.0


class DownloadedFile(NamedTuple):
    """A file that is in the cache now.

    Attributes:
        path: Its path in the repository.
        size: Its bytes.
        sha256: Its SHA-256.
        is_known: Whether Assay knew the checksum before; else it is written beside the file, and a later change is
            refused.
        is_new: Whether it was downloaded now; else it was there.
        is_pinned: Whether its checksum was written now, since the set was read whole for the first time. Of a set that
            does not have as many answers as its authors say, no checksum is written.
    """

    path: str
    size: int
    sha256: str
    is_known: bool
    is_new: bool
    is_pinned: bool


def download_public_set(name: str, report: Callable[[int], None] = lambda _: None) -> list[DownloadedFile]:
    """Downloads a public set into the cache folder, where `load_set` finds it; files that are there already stay.

    Args:
        name: The set, such as `mtrag`.
        report: Is called with the bytes that have come.

    Returns:
        The files of the set.

    Raises:
        InputError: There is no such set, the download failed, a file is not the one that Assay knows, or
            `ASSAY_PUBLIC_SETS` names a folder, into which nothing is downloaded. What has come stays, and the next
            call goes on with it; but a file of unknown checksum that the set's reader refuses is removed.
    """
    return download_files(load_facts(name.removeprefix(PREFIX)), report)


def download_files(facts: PublicSet, report: Callable[[int], None]) -> list[DownloadedFile]:
    """Downloads the files of a set; arguments and errors as for `download_public_set`."""
    check_downloads_allowed(facts)
    with name_refused(facts):
        files = read_files(facts)
    try:
        if files is not None:  # nothing is locked: what is here is of use also where nothing can be written
            return _pin(facts, files, set())
        return _get_missing(facts, _ByteCounter(report))
    except OSError as error:
        raise _cannot_keep(facts, error) from error


def _get_missing(facts: PublicSet, counter: "_ByteCounter") -> list[DownloadedFile]:
    """Downloads the files that are not in the cache."""
    from filelock import FileLock

    from .file_download import FileDownload  # which imports httpx

    mirror = check_downloads_allowed(facts).mirror
    cache_folder().mkdir(parents=True, exist_ok=True)
    with _make_client(facts) as client, FileLock(cache_folder() / f"{facts.name}.lock"):

        def get(file: PublicFile) -> bool:
            return FileDownload(facts, file, mirror, client, counter.add).get()

        with name_refused(facts):
            new = {file.path for file in facts.files if get(file)}
            first = facts.files[0]
            new |= _get_all(get, table_files(facts, read_file(facts, first, cached_path(facts, first.path))))
            files = read_files(facts)
        if files is None:
            raise InputError(f"{PREFIX}{facts.name}: what was downloaded is gone; give the command again")
        return _pin(facts, files, new)


def _pin(facts: PublicSet, files: list[OriginalFile], new: set[str]) -> list[DownloadedFile]:
    """Pins the files that Assay does not know, and describes all of them."""
    pinned = pin_files(facts, files)
    known = {file.path for file in facts.files if file.sha256 is not None}
    return [
        DownloadedFile(path, size, checksum, path in known, path in new, path in pinned)
        for path, _, size, checksum in files
    ]


def describe_unknown(files: list[DownloadedFile]) -> list[str]:
    """Says which of the files had no checksum that Assay knew: one line per file, of many only the first."""
    return describe_pinned({file.path: file.sha256 for file in files if file.is_pinned})


class _ByteCounter:
    """Adds up the bytes of all files, which may come at once."""

    def __init__(self, report: Callable[[int], None]) -> None:
        self._report, self._received, self._lock = report, 0, Lock()

    def add(self, count: int) -> None:
        with self._lock:
            self._received += count
            self._report(self._received)


def _get_all(get: Callable[[PublicFile], bool], files: list[PublicFile]) -> set[str]:
    """Downloads several files at once, and returns the paths of those that are new."""
    pool = ThreadPoolExecutor(_TABLES_AT_ONCE)
    try:
        return {file.path for file, is_new in zip(files, pool.map(get, files), strict=True) if is_new}
    finally:
        pool.shutdown(cancel_futures=True)  # after an error, or Ctrl-C, the files that wait are not asked for


def _make_client(facts: PublicSet) -> "httpx.Client":
    """What makes the requests. Raises `InputError` where the environment names what cannot be used."""
    import httpx

    from .file_download import check_redirect

    try:
        return httpx.Client(
            timeout=httpx.Timeout(_SECONDS),
            headers={"Accept-Encoding": "identity"},
            event_hooks={"response": [check_redirect]},
        )
    except (OSError, ValueError, ImportError, httpx.InvalidURL) as error:
        raise InputError(
            f"{PREFIX}{facts.name}: no connection can be made as the environment says ({error}); check HTTPS_PROXY, "
            "HTTP_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR"
        ) from error


def _cannot_keep(facts: PublicSet, error: OSError) -> InputError:
    place = cache_folder()
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        problem = f"the disk is full ({error.strerror})"
        cure = "make room there, or name a folder of another disk: XDG_CACHE_HOME"
    else:
        place = error.filename or place
        problem, cure = f"cannot be written ({error.strerror or error})", "check what stands there, and its permissions"
    return InputError(f"{PREFIX}{facts.name}: {place}: {problem}; {cure}, and give the command again")
