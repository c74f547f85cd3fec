"""Downloads one file of a public set: resumed where it broke off, and checked before it takes its place."""

import errno
import os
import re
import shutil
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import file_digest
from urllib.parse import urlsplit

import httpx

from ...errors import InputError
from ...text.wording import count_of
from ...value_messages import shorten
from .part_file import PartFile, Version, parse_length
from .set_facts import PREFIX, PublicFile, PublicSet, describe_content, format_size
from .set_files import MOST_BYTES, cached_path, check_place, is_file, pin_path, read_pin
from .set_place import VARIABLE, hide_password

_ATTEMPTS = 5
_MOST_REDIRECTS = 5
_MARKUP = (b"<!doctype", b"<html", b"<head", b"<body", b"<!--", b"<?xml")
_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")
_ELSEWHERE = f"or name a mirror or a folder with the files ({VARIABLE})"


class _BrokenOff(Exception):
    """The connection ended before the file did."""


class _BadRedirect(Exception):
    """A redirect cannot be followed; the message goes on after the address that it came from."""


class FileDownload:
    """Gets one file."""

    def __init__(
        self, facts: PublicSet, file: PublicFile, mirror: str, client: httpx.Client, report: Callable[[int], None]
    ) -> None:
        self._facts, self._file, self._mirror, self._client, self._report = facts, file, mirror, client, report
        self._part = PartFile(cached_path(facts, file.path))
        self._address = facts.address(file.path, mirror)
        self._redirects: list[httpx.URL] = []
        self._other_address = (
            f"check the mirror that {VARIABLE} names, or name another one, or a folder with the files"
            if mirror
            else "the repository may have moved, or a gateway of the network answers in its place: "
            f"update Assay, {_ELSEWHERE}"
        )

    def get(self) -> bool:
        """Downloads the file if it is not in the cache yet. Returns whether it was downloaded now."""
        check_place(self._part.target)
        if is_file(self._part.target):
            return False
        self._part.prepare()
        self._fill()
        self._check()
        self._part.finish()
        return True

    def _fill(self) -> None:
        """Downloads until the part is whole; after a broken connection the next one goes on there."""
        for attempt in range(1, _ATTEMPTS + 1):
            before = self._part.size
            try:
                if not self._receive():
                    self._part.discard()
                    self._receive()
                return
            except _BrokenOff as error:
                came = self._part.size
                if attempt == _ATTEMPTS or came <= before:
                    again = (
                        ": it goes on there" if came and self._can_go_on() else "; if it fails again, check the network"
                    )
                    cure = f"give the command again{again}, {_ELSEWHERE}"
                    raise self._error(f"broke off after {format_size(came)} ({error})", cure) from None

    def _can_go_on(self) -> bool:
        """Whether an end of another version would be noticed: by the checksum that Assay knows, or by the ETag."""
        return self._file.sha256 is not None or self._part.version.etag is not None

    def _receive(self) -> bool:
        """Makes one request, for what is missing.

        Returns:
            Whether the reply was of use; else the server has no end for the part that is there, or that of another
            version, so that the file must begin anew.
        """
        if not self._can_go_on() or (self._file.size is not None and self._part.size > self._file.size):
            self._part.discard()
        start, version = self._part.size, self._part.version
        headers = {"Range": f"bytes={start}-"} if start else {}
        headers |= {"If-Range": version.etag} if start and version.etag else {}
        try:
            with self._open(headers) as response:
                if response.status_code != 416:
                    self._check_response(response)
                elif start == self._file.size:
                    return True  # all of it is there
                if response.status_code == 200:
                    self._write(response, 0, parse_length(response.headers.get("content-length", "")))
                    return True
                total = _read_total(response, start, version)
                if response.status_code == 206 and start and total is not None:
                    self._write(response, start, total)
                    return True
        except _BadRedirect as error:
            raise self._error(str(error), self._other_address) from None
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            cure = f"check the network and HTTPS_PROXY, {_ELSEWHERE}"
            raise self._error(f"cannot be reached ({_cause(error)})", cure) from None
        except (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError) as error:
            raise _BrokenOff(_cause(error)) from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:  # a host's name can be none (UnicodeError)
            raise self._error(f"cannot be asked for ({_cause(error)})", self._other_address) from None
        if not start:
            problem = "answered with a part of the file, or with none, when all of it was asked for"
            raise self._error(problem, self._other_address)
        return False

    @contextmanager
    def _open(self, headers: dict[str, str]) -> Iterator[httpx.Response]:
        """Asks for the file, and follows redirects that `check_redirect` has accepted."""
        self._redirects.clear()
        request = self._client.build_request("GET", self._address, headers=headers)
        asked = [request.url]
        while True:
            with closing(self._client.send(request, stream=True)) as response:
                if response.next_request is None:
                    yield response
                    return
                request = response.next_request
            if request.url in asked:
                raise _BadRedirect(f"redirects in a circle, back to {_show(request.url)}")
            if len(asked) > _MOST_REDIRECTS:
                raise _BadRedirect(f"redirects more than {_MOST_REDIRECTS} times, at last to {_show(request.url)}")
            asked.append(request.url)
            self._redirects.append(request.url)

    def _check_response(self, response: httpx.Response) -> None:
        status = response.status_code
        if status in {404, 410}:
            raise self._error(f"is not there (HTTP {status})", self._other_address)
        if status not in {200, 206}:
            wait = parse_length(response.headers.get("retry-after", ""))
            later = "later" if wait is None or wait > 99_999 else f"in {count_of(wait, 'second')}"
            is_passing = status in {429, 500, 502, 503, 504}
            cure = f"give the command again {later}, {_ELSEWHERE}" if is_passing else self._other_address
            raise self._error(f"answered with HTTP {status}", cure)
        if response.headers.get("content-type", "").lower().startswith(("text/html", "application/xhtml")):
            raise self._page_error()
        if (coding := response.headers.get("content-encoding", "identity")) != "identity":
            cure = f"have the server send it as it is, {_ELSEWHERE}"
            raise self._error(f"came packed ({coding}), which was not asked for", cure)

    def _write(self, response: httpx.Response, start: int, total: int | None) -> None:
        """Writes what comes from `start` on, of `total` bytes if the server says how many."""
        is_chunked = response.headers.get("transfer-encoding", "").lower().endswith("chunked")
        if self._file.size is None and total is None and not is_chunked:
            problem = "comes without its length, so that nobody can tell whether it is whole"
            raise self._error(problem, f"have the server send Content-Length, {_ELSEWHERE}")
        if self._file.size is None and (total or 0) > MOST_BYTES:
            problem = f"announces {count_of(total or 0, 'byte')}, more than 1 GB"
            raise self._error(problem, self._other_address)
        if self._file.size is not None and total not in {None, self._file.size}:
            self._part.discard()
            raise self._other_file_error(count_of(self._file.size, "byte"), f"{total:,} are announced")
        if not start:
            self._part.discard()
        expected = self._file.size or total
        folder = self._part.path.parent
        if expected is not None and shutil.disk_usage(folder).free < expected - start:
            raise OSError(errno.ENOSPC, f"{format_size(expected)} are needed", str(folder))
        if etag := response.headers.get("etag", ""):
            self._part.note_version(etag, total)
        written, most = start, MOST_BYTES if expected is None else expected
        with self._part.path.open("ab") as draft:
            for block in response.iter_raw():
                written += len(block)
                if written > most:
                    break
                draft.write(block)
                self._report(len(block))
            draft.flush()
            os.fsync(draft.fileno())
        if written > most:
            self._part.discard()
            cure = f"it is another version of the file, or no file: {self._other_address}"
            raise self._error(f"is longer than the {count_of(most, 'byte')} that were expected", cure)
        if expected is not None and written < expected:
            raise _BrokenOff(f"{written:,} of {count_of(expected, 'byte')} came")

    def _check(self) -> None:
        """Checks the whole file; one that Assay does not know is pinned when its reader has accepted it."""
        with self._part.path.open("rb") as draft:
            beginning = draft.read(200).removeprefix(BOM_UTF8).lstrip().lower()
            draft.seek(0)
            checksum = file_digest(draft, "sha256").hexdigest()
        pin = pin_path(self._part.target)
        expected = self._file.sha256 or read_pin(self._part.target)
        is_page = beginning.startswith(_MARKUP)
        if not is_page and expected in {None, checksum}:
            return
        came = f"{describe_content(self._part.size, checksum)} came"
        self._part.discard()
        if is_page:
            raise self._page_error()
        if self._file.sha256 is not None:
            raise self._other_file_error(describe_content(self._file.size, self._file.sha256), came)
        problem = f"is not the file that came when it was first downloaded: expected sha256 {expected}; {came}"
        raise self._error(problem, f"find out which is right; to take the new one, remove {pin}")

    def _page_error(self) -> InputError:
        cure = f"log in to the network where it asks for that; else {self._other_address}"
        return self._error("is a page (HTML), not the data", cure)

    def _other_file_error(self, expected: str, came: str) -> InputError:
        cure = f"give the command again; if that does not help, update Assay, {_ELSEWHERE}"
        return self._error(f"is not the file that Assay knows: expected {expected}; {came}", cure)

    def _error(self, problem: str, cure: str) -> InputError:
        address = hide_password(self._address)
        if self._redirects:
            address += f" redirects to {_show(self._redirects[-1])}, which"
        return InputError(f"{PREFIX}{self._facts.name}: {address} {problem}; {cure}")


def check_redirect(response: httpx.Response) -> None:
    """Refuses a redirect that cannot be followed, before httpx takes it for a connection that broke off.

    From https to http it leads only to where anybody on the way could change the file.

    Raises:
        _BadRedirect: The address that it leads to is none, or none of the web.
    """
    if not response.has_redirect_location:
        return
    location = response.headers["location"]
    try:
        problem = _describe_no_address(location, target := response.url.join(location))
    except (httpx.InvalidURL, ValueError) as error:  # a host's name that cannot be encoded is a ValueError
        problem = _cause(error)
    if problem:
        raise _BadRedirect(f"redirects to `{_show(location)}`, which is no address that Assay can use ({problem})")
    if (response.url.scheme, target.scheme) == ("https", "http"):
        raise _BadRedirect(f"redirects from https to http: {_show(target)}")


def _describe_no_address(location: str, target: httpx.URL) -> str:
    """Why a redirect leads nowhere; "" where it may lead somewhere. Raises ValueError where httpx reads more than is."""
    if not location:
        return "it is empty"
    if target.scheme not in {"http", "https"}:
        return f"it begins with neither http:// nor https:// but {target.scheme}:"
    parts = urlsplit(location)
    _ = parts.port, target.host  # each raises where it is none
    return "it names no host" if parts.scheme and not parts.hostname else ""


def _show(address: object) -> str:
    return shorten(hide_password(str(address)), 200)


def _read_total(response: httpx.Response, start: int, version: Version) -> int | None:
    """The bytes of the whole file, where a reply is its end from there on, of this version; else None."""
    match = _RANGE.fullmatch(response.headers.get("content-range", ""))
    if match is None or (version.etag is not None and response.headers.get("etag") != version.etag):
        return None
    first, last, total = map(int, match.groups())
    return total if first == start and last == total - 1 and version.total in {None, total} else None


def _cause(error: Exception) -> str:
    return str(error) or type(error).__name__
