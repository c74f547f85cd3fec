"""Downloads the files of a public set: once, resumed where it broke off, checked, one process at a time."""

import errno
import os
import re
import shutil
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from ...errors import InputError
from ...text.wording import count_of
from .checksum_pins import describe_pinned, name_refused, pin_files
from .set_facts import PREFIX, PublicFile, PublicSet, format_size, load_facts
from .set_files import (
    MOST_BYTES,
    VARIABLE,
    cache_folder,
    cached_path,
    check_downloads_allowed,
    check_place,
    hide_password,
    pin_path,
    read_file,
    read_files,
    read_pin,
    table_files,
)

if TYPE_CHECKING:
    import httpx

_ATTEMPTS = 5
_MOST_REDIRECTS = 5
_TABLES_AT_ONCE = 8
_SECONDS = 30.0
_MARKUP = (b"<!doctype", b"<html", b"<head", b"<body", b"<!--", b"<?xml")
_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")
_ELSEWHERE = f"or name a mirror or a folder with the files ({VARIABLE})"

_CHANGED = f"give the command again; if that does not help, update Assay, {_ELSEWHERE}"


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
    import httpx
    from filelock import FileLock

    place = check_downloads_allowed(facts)
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        with (
            FileLock(cache_folder() / f"{facts.name}.lock"),
            httpx.Client(timeout=httpx.Timeout(_SECONDS), headers={"Accept-Encoding": "identity"}) as client,
        ):
            download = _SetDownload(facts, place.mirror, client, _ByteCounter(report))
            with name_refused(facts):
                new = {file.path for file in facts.files if download.get(file)}
                first = facts.files[0]
                tables = table_files(facts, read_file(facts, first, cached_path(facts, first.path)))
                new |= _get_all(download, tables)
                files = read_files(facts)
            if files is None:
                raise InputError(f"{PREFIX}{facts.name}: what was downloaded is gone; give the command again")
            pinned = pin_files(facts, files)
    except OSError as error:
        raise _cannot_keep(facts, error) from error
    known = {file.path for file in facts.files if file.sha256 is not None}
    return [
        DownloadedFile(path, size, checksum, path in known, path in new, path in pinned)
        for path, _, size, checksum in files
    ]


def describe_unknown(files: list[DownloadedFile]) -> list[str]:
    """Says which of the files had no checksum that Assay knew: one line per file, of many only the first.

    Args:
        files: What `download_public_set` returned.
    """
    return describe_pinned({file.path: file.sha256 for file in files if file.is_pinned})


class _ByteCounter:
    """Adds up the bytes of all files, which may come at once."""

    def __init__(self, report: Callable[[int], None]) -> None:
        self._report, self._received, self._lock = report, 0, Lock()

    def add(self, count: int) -> None:
        with self._lock:
            self._received += count
            self._report(self._received)


def _get_all(download: "_SetDownload", files: list[PublicFile]) -> set[str]:
    """Downloads several files at once, and returns the paths of those that are new."""
    pool = ThreadPoolExecutor(_TABLES_AT_ONCE)
    try:
        return {file.path for file, is_new in zip(files, pool.map(download.get, files), strict=True) if is_new}
    finally:
        pool.shutdown(cancel_futures=True)  # after an error, or Ctrl-C, the files that wait are not asked for


class _Mark(NamedTuple):
    """Of which version a part of a file is: its ETag, and how many bytes all of it has; None where nobody said."""

    etag: str | None = None
    total: int | None = None


class _BrokenOff(Exception):
    """The connection ended before the file did."""


class _SetDownload:
    """Gets the files of one set with one client."""

    def __init__(self, facts: PublicSet, mirror: str, client: "httpx.Client", counter: _ByteCounter) -> None:
        self._facts, self._mirror, self._client, self._counter = facts, mirror, client, counter

    def get(self, file: PublicFile) -> bool:
        """Downloads a file that is not in the cache yet. Returns whether it was downloaded now."""
        target = cached_path(self._facts, file.path)
        check_place(target)
        if target.is_file():
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.part")
        check_place(part)
        self._fill(file, part)
        self._check(file, part, target)
        part.replace(target)
        _mark_path(part).unlink(missing_ok=True)
        return True

    def _fill(self, file: PublicFile, part: Path) -> None:
        """Downloads into the part file until it is whole; after a broken connection the next one goes on there."""
        for attempt in range(1, _ATTEMPTS + 1):
            before = _size_of(part)
            try:
                self._receive(file, part)
                return
            except _BrokenOff as error:
                came = _size_of(part)
                if attempt == _ATTEMPTS or came <= before:
                    cure = f"give the command again: it goes on there; {_ELSEWHERE}"
                    raise self._error(file, f"broke off after {format_size(came)} ({error})", cure) from None

    def _receive(self, file: PublicFile, part: Path) -> None:
        """Makes one request, for what is missing."""
        import httpx

        start, mark = _size_of(part), _read_mark(part)
        is_too_long = file.size is not None and start > file.size
        if is_too_long or (file.sha256 is None and mark.etag is None):
            part.unlink(missing_ok=True)  # nothing would tell that its end is of another version
            start, mark = 0, _Mark()
        headers = {"Range": f"bytes={start}-"} if start else {}
        headers |= {"If-Range": mark.etag} if start and mark.etag else {}
        try:
            with self._open(file, headers) as response:
                if response.status_code == 416:  # what is there is longer than the file, or all of it
                    if file.size != start:
                        part.unlink(missing_ok=True)
                        self._restart(file, part, start)
                    return
                self._check_response(file, response)
                total = None
                if response.status_code == 206:
                    total = _read_total(response, start) if start else None
                    is_same = mark.etag is None or response.headers.get("etag") == mark.etag
                    if total is None or not is_same or mark.total not in {None, total}:
                        part.unlink(missing_ok=True)
                        self._restart(file, part, start)
                        return
                else:
                    start = 0
                self._write(file, part, response, start, total)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            raise self._error(
                file, f"cannot be reached ({_cause(error)})", f"check the network and HTTPS_PROXY, {_ELSEWHERE}"
            ) from None
        except (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError) as error:
            raise _BrokenOff(_cause(error)) from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:  # a host's name can be none (UnicodeError)
            raise self._error(file, f"cannot be asked for ({_cause(error)})", f"check {VARIABLE}") from None

    def _restart(self, file: PublicFile, part: Path, start: int) -> None:
        """Begins anew where a server has no end, or that of another version, for the part that is there."""
        if not start:
            problem = "answered with a part of the file, or with none, when all of it was asked for"
            raise self._error(file, problem, f"check the address, {_ELSEWHERE}")
        self._receive(file, part)

    @contextmanager
    def _open(self, file: PublicFile, headers: dict[str, str]) -> "Iterator[httpx.Response]":
        """Follows redirects, but from https to http only to refuse it: anybody on the way could change the file."""
        import httpx

        url = httpx.URL(self._facts.address(file.path, self._mirror))
        for _ in range(_MOST_REDIRECTS + 1):
            with self._client.stream("GET", url, headers=headers) as response:
                if not response.has_redirect_location:
                    yield response
                    return
                target = url.join(response.headers["location"])
            if target.scheme != url.scheme and (url.scheme, target.scheme) != ("http", "https"):
                problem = f"redirects from {url.scheme} to {target.scheme}: {target}"
                raise self._error(file, problem, f"correct the address, {_ELSEWHERE}")
            url = target
        raise self._error(file, f"redirects more than {_MOST_REDIRECTS} times", f"correct the address, {_ELSEWHERE}")

    def _check_response(self, file: PublicFile, response: "httpx.Response") -> None:
        status = response.status_code
        if status in {404, 410}:
            cure = f"check {VARIABLE}" if self._mirror else f"the repository may have moved; update Assay, {_ELSEWHERE}"
            raise self._error(file, f"is not there (HTTP {status})", cure)
        if status not in {200, 206}:
            wait = response.headers.get("retry-after", "")
            later = f" in {count_of(int(wait), 'second')}" if wait.isdecimal() and len(wait) < 6 else " later"
            cure = f"give the command again{later}" if status in {429, 500, 502, 503, 504} else "check the address"
            raise self._error(file, f"answered with HTTP {status}", f"{cure}, {_ELSEWHERE}")
        if response.headers.get("content-type", "").lower().startswith(("text/html", "application/xhtml")):
            raise self._is_page(file)
        if (coding := response.headers.get("content-encoding", "identity")) != "identity":
            raise self._error(file, f"came packed ({coding}), which was not asked for", f"correct it, {_ELSEWHERE}")

    def _is_page(self, file: PublicFile) -> InputError:
        cure = f"log in to the network where it asks for that, or correct the address, {_ELSEWHERE}"
        return self._error(file, "is a page (HTML), not the data", cure)

    def _write(self, file: PublicFile, part: Path, response: "httpx.Response", start: int, total: int | None) -> None:
        announced = response.headers.get("content-length", "")
        if total is None and announced.isdecimal() and len(announced) < 19:
            total = int(announced)
        is_chunked = response.headers.get("transfer-encoding", "").lower().endswith("chunked")
        if file.size is None and total is None and not is_chunked:
            problem = "comes without its length, so that nobody can tell whether it is whole"
            raise self._error(file, problem, f"have the server send Content-Length, {_ELSEWHERE}")
        if file.size is not None and total not in {None, file.size}:
            part.unlink(missing_ok=True)
            problem = (
                f"is not the file that Assay knows: expected {count_of(file.size, 'byte')}, and {total:,} are announced"
            )
            raise self._error(file, problem, _CHANGED)
        expected, most = file.size or total, file.size or MOST_BYTES
        if expected is not None and expected > most:
            raise self._error(
                file, f"announces {count_of(expected, 'byte')}, more than 1 GB", f"check the address, {_ELSEWHERE}"
            )
        if expected is not None and shutil.disk_usage(part.parent).free < expected - start:
            raise OSError(errno.ENOSPC, f"{format_size(expected)} are needed", str(part.parent))
        if not start:
            part.unlink(missing_ok=True)
            _mark_path(part).unlink(missing_ok=True)
        if etag := response.headers.get("etag", ""):
            _mark_path(part).write_text(f"{etag}\n{'' if total is None else total}", encoding="utf-8")
        written = start
        with part.open("ab") as draft:
            for block in response.iter_raw():
                draft.write(block)
                written += len(block)
                self._counter.add(len(block))
                if written > most:
                    draft.close()
                    part.unlink()
                    raise self._error(
                        file,
                        f"is longer than the {count_of(most, 'byte')} that were expected",
                        f"it is another version of the file, or no file: check the address, {_ELSEWHERE}",
                    )
            draft.flush()
            os.fsync(draft.fileno())
        if expected is not None and written < expected:
            raise _BrokenOff(f"{written:,} of {count_of(expected, 'byte')} came")

    def _check(self, file: PublicFile, part: Path, target: Path) -> None:
        """Checks the whole file; one that Assay does not know is pinned when its reader has accepted it."""
        with part.open("rb") as draft:
            beginning = draft.read(200).removeprefix(BOM_UTF8).lstrip().lower()
            draft.seek(0)
            came = file_digest(draft, "sha256").hexdigest()
        expected = file.sha256 or read_pin(target)
        is_page, is_other = beginning.startswith(_MARKUP), expected not in {None, came}
        size = count_of(_size_of(part), "byte")
        if is_page or is_other:
            part.unlink()
            _mark_path(part).unlink(missing_ok=True)
        if is_page:
            raise self._is_page(file)
        if is_other and file.size is not None:
            problem = f"is not the file that Assay knows: expected {count_of(file.size, 'byte')}, sha256 {expected}"
            raise self._error(file, f"{problem}; {size} came, sha256 {came}", _CHANGED)
        if is_other:
            problem = f"is not the file that came when it was first downloaded: expected sha256 {expected}"
            cure = f"find out which is right; to take the new one, remove {pin_path(target)}"
            raise self._error(file, f"{problem}; {size} came, sha256 {came}", cure)

    def _error(self, file: PublicFile, problem: str, cure: str) -> InputError:
        address = hide_password(self._facts.address(file.path, self._mirror))
        return InputError(f"{PREFIX}{self._facts.name}: {address} {problem}; {cure}")


def _mark_path(part: Path) -> Path:
    """Where the version (ETag) and the size stand that a part of a file is of."""
    return part.with_name(f"{part.name}.etag")


def _read_mark(part: Path) -> _Mark:
    check_place(_mark_path(part))
    try:
        etag, _, total = _mark_path(part).read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return _Mark()
    is_usable = etag.isascii() and etag.isprintable() and not etag.startswith("W/")  # a weak one does not fit a range
    return _Mark(etag, int(total) if total.isdecimal() and len(total) < 19 else None) if is_usable and etag else _Mark()


def _read_total(response: "httpx.Response", start: int) -> int | None:
    """The bytes of the whole file, where a reply is its end from there on; else None."""
    match = _RANGE.fullmatch(response.headers.get("content-range", ""))
    if match is None:
        return None
    first, last, total = map(int, match.groups())
    return total if first == start and last == total - 1 else None


def _size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _cause(error: Exception) -> str:
    return str(error) or type(error).__name__


def _cannot_keep(facts: PublicSet, error: OSError) -> InputError:
    place = cache_folder()
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        problem = f"the disk is full ({error.strerror})"
        cure = "make room there, or name a folder of another disk: XDG_CACHE_HOME"
    else:
        place = error.filename or place
        problem, cure = f"cannot be written ({error.strerror or error})", "check what stands there, and its permissions"
    return InputError(f"{PREFIX}{facts.name}: {place}: {problem}; {cure}, and give the command again")
