"""A project on a Phoenix server: where it is, its REST API page by page, and what its errors mean."""

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from ...errors import InputError, UsageError
from ...eval_sets.name_suggestions import quote_names
from ...installation import require_extra
from ...value_messages import shorten
from ..address import TraceAddress
from ..rest_calls import RefusedRequest, RestCalls
from ..retrying import is_passing
from ..server_url import find_server_url
from ..tool_server import MOST_KEPT_PAGES, MOST_PAGES, Paging, ToolServer, server_words

_OLDEST = (13, 15, 0)  # the first that lists the traces of a project
_PORT = 6006
_PAGE = 1000  # projects
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")
_NAMED = 5  # projects, in a message
_PURPOSE = "reading and writing traces of Phoenix"
_KEYS = "PHOENIX_API_KEY, or PHOENIX_CLIENT_HEADERS"


class PhoenixProject:
    """One project of a server. It is looked up with the first call."""

    def __init__(self, address: TraceAddress) -> None:
        if not address.project:
            raise UsageError(f"{address} names no project: write phoenix://HOST:6006/PROJECT")
        with require_extra("phoenix", _PURPOSE):
            import httpx
            from phoenix.client import Client
        self.address = address
        self.url = find_server_url(address.host, {"PHOENIX_ENDPOINT": _own_url()}, port=_PORT)
        headers = _client_headers()
        server = ToolServer("Phoenix", self.url, (_KEYS,), tuple(_secrets(headers)))
        try:
            self.calls = RestCalls(server, url=self.url, headers=headers)
        except (httpx.InvalidURL, UnicodeError, ValueError, TypeError):
            raise InputError(
                f"{address}: {shorten(self.url)} is no address of a server, or {_KEYS} holds a character that no "
                "header can have; correct it"
            ) from None
        self.client = Client(http_client=self.calls.http)
        self.version: tuple[int, ...] = ()
        """The version of the server, after `connect`."""
        self.received = 0
        """The bytes of the last page."""
        self._path = ""

    def connect(self) -> None:
        """Looks up the server and the project, once."""
        if self._path:
            return
        self.version = self._read_version()
        if self.version < _OLDEST:
            raise InputError(
                f"Phoenix at {self.url} is version {_dotted(self.version)}, which lists no traces: update it to "
                f"{_dotted(_OLDEST)} or later, or export its spans and read the file"
            )
        try:
            id_ = self._look_up(self.address.project)
        except RefusedRequest as error:
            raise self.explain(error, "lists no projects") from None
        self._path = f"v1/projects/{id_}/"

    def _look_up(self, name: str) -> str:
        if id_ := self._find_id(self._all("v1/projects", {"name_contains": name}), name):
            return id_
        projects = self._all("v1/projects", {})
        if id_ := self._find_id(projects, name):
            return id_
        raise self._no_project([str(project.get("name")) for project in projects])

    def pages(
        self, path: str, parameters: Mapping[str, Any], *, most: int = MOST_KEPT_PAGES
    ) -> Iterator[list[dict[str, Any]]]:
        """Yields what the project has, page by page; a page may be empty.

        Raises:
            RefusedRequest: The server refuses the query.
        """
        self.connect()
        yield from self._pages(self._path + path, parameters, most)

    def trace_pages(self, parameters: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
        """Yields the traces of the project, as `pages`; there may be very many."""
        return self.pages("traces", parameters, most=MOST_PAGES)

    def settings(self, path: str) -> list[dict[str, Any]]:
        """Lists what the whole server has, such as `annotation_configs`; nothing where it has no such thing."""
        self.connect()
        try:
            return self._all(f"v1/{path}", {"limit": 100})
        except RefusedRequest:
            return []

    def explain(self, refusal: RefusedRequest, problem: str) -> InputError:
        """Makes a refusal that ends everything an error."""
        cure = (
            "try again later, or look into its log" if is_passing(refusal.status) else "update it, or look into its log"
        )
        return InputError(f"{self.calls.server}, version {_dotted(self.version)}, {problem}: {refusal}; {cure}")

    def _read_version(self) -> tuple[int, ...]:
        try:
            text = self.calls.read(self.calls.http.get, url="arize_phoenix_version").decode("utf-8", "replace")
        except RefusedRequest as refusal:
            if is_passing(refusal.status):
                raise InputError(f"{self.calls.server}: {refusal}; try again later") from None
            text = ""
        match = _VERSION.match(text)
        if match is None:
            raise InputError(f"{self.url} answers, but is no Phoenix server: correct the address")
        return tuple(map(int, match.groups()))

    def _find_id(self, projects: list[dict[str, Any]], name: str) -> str:
        ids = {str(project.get("name")): str(project.get("id")) for project in projects}
        return ids.get(name) or (name if name in ids.values() else "")

    def _no_project(self, names: list[str]) -> InputError:
        if not names:
            return InputError(f"Phoenix at {self.url} has no project yet: send it traces, or correct the address")
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        there = quote_names([self.calls.server.words(name) for name in sorted(names)[:_NAMED]])
        wanted = self.calls.server.words(self.address.project)
        return InputError(
            f"Phoenix at {self.url} has no project `{wanted}`; it has {there}{more}: write one of them after the host"
        )

    def _all(self, path: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [item for page in self._pages(path, {"limit": _PAGE, **parameters}, MOST_KEPT_PAGES) for item in page]

    def _pages(self, path: str, parameters: Mapping[str, Any], most: int) -> Iterator[list[dict[str, Any]]]:
        import httpx

        query = httpx.QueryParams(dict(parameters))
        paging = Paging(self.calls.server, path.rpartition("/")[2].replace("_", " "), most=most)

        while True:
            body = self.calls.call(self.calls.http.get, url=path, params=query)
            self.received = self.calls.received
            items = self.calls.server.objects(body, "data", path)
            yield items
            cursor = body.get("next_cursor")
            if not cursor:
                return
            if not isinstance(cursor, str):
                raise self.calls.server.wrong_form(path, "a `next_cursor` that is no text")
            paging.follow(cursor, map(_own_id, items))
            query = query.set("cursor", cursor)


def _own_url() -> str:
    """The server of the client's settings: `PHOENIX_ENDPOINT`, `PHOENIX_COLLECTOR_ENDPOINT` and others."""
    try:
        return str(_client_settings().get_base_url())
    except ValueError as error:
        raise InputError(f"the settings of Phoenix: {server_words(str(error))}") from None


def _client_settings() -> ModuleType:
    """What reads the client's settings, from the environment or a file `.env.phoenix` of the user."""
    with require_extra("phoenix", _PURPOSE):
        from phoenix.client.utils import config
    return config


def _client_headers() -> dict[str, str]:
    """The headers of the client's settings, which the client logs with their keys where it cannot read them."""
    settings = _client_settings()
    problems: list[logging.LogRecord] = []

    def keep(record: logging.LogRecord) -> bool:
        problems.append(record)
        return False

    logger = logging.getLogger("phoenix.client.utils.parse_env_headers")
    logger.addFilter(keep)
    try:
        headers: dict[str, str] = settings.get_env_client_headers()
    finally:
        logger.removeFilter(keep)
    if problems:
        raise UsageError(
            "PHOENIX_CLIENT_HEADERS cannot be read: write NAME=VALUE,NAME=VALUE, with %20 for a space in a value"
        )
    return headers


def _secrets(headers: Mapping[str, str]) -> Iterator[str]:
    """The keys in headers: `Bearer KEY` as a whole, and the key."""
    for value in headers.values():
        yield from (value, value.rpartition(" ")[2])


def _own_id(item: Mapping[str, Any]) -> Any:
    """What tells a row from the others; None where it has nothing of the kind."""
    return item.get("id") or item.get("context")


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


_LONGEST = 7000  # characters of the address of a call, which servers refuse where it is longer
_NAME = 19  # of a parameter, with its marks


def split_ids(ids: Sequence[str], texts: Sequence[str] = ()) -> Iterator[list[str]]:
    """Splits ids into parts that fit in the address of a call.

    Example:
        >>> [len(part) for part in split_ids(["1a2b3c4d5e6f7a8b"] * 500)]
        [200, 200, 100]
    """
    part: list[str] = []
    length = 0
    for id_, text in zip(ids, texts or ids, strict=True):
        own = _NAME + len(text.encode("utf-8", "replace")) * (1 if text.isascii() and text.isalnum() else 3)
        if part and length + own > _LONGEST:
            yield part
            part, length = [], 0
        part.append(id_)
        length += own
    if part:
        yield part
