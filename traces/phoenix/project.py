"""A project on a Phoenix server: where it is, its REST API page by page, and what its errors mean."""

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import AssayError, InputError, UsageError
from ...eval_sets.name_suggestions import quote_names
from ...installation import require_extra
from ...judges.retry import read_retry_after
from ...text.wording import count_of
from ...value_messages import shorten
from ..address import TraceAddress
from ..paging import MOST_KEPT_PAGES, MOST_PAGES, Paging
from ..reply_bounds import ReplyBounds
from ..retrying import ATTEMPTS_AT_500, FailedAttempt, call_again, is_passing
from ..server_texts import server_words
from ..server_url import find_server_url
from ..tool_server import ToolServer

if TYPE_CHECKING:
    import httpx
    from phoenix.client import Client

_OLDEST = (13, 15, 0)  # the first that lists the traces of a project
_PORT = 6006
_PAGE = 1000  # projects
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")
_NAMED = 5  # projects, in a message
_PURPOSE = "reading and writing traces of Phoenix"
_KEYS = "PHOENIX_API_KEY, or PHOENIX_CLIENT_HEADERS"
_Result = TypeVar("_Result")


class PhoenixRefusal(AssayError):
    """The server refuses one call for what stands in it; others may go on.

    Attributes:
        status: The HTTP status.
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class PhoenixProject:
    """One project of a server. It is looked up with the first call.

    Raises:
        UsageError: The address names no project, or the client is not installed.
        InputError: The address or a setting of the environment is no server's.
    """

    def __init__(self, address: TraceAddress) -> None:
        if not address.project:
            raise UsageError(f"{address} names no project: write phoenix://HOST:6006/PROJECT")
        with require_extra("phoenix", _PURPOSE):
            import httpx
            from phoenix.client import Client
        self.address = address
        self.url = find_server_url(address.host, {"PHOENIX_ENDPOINT": _own_url()}, port=_PORT)
        headers = _client_headers()
        self._server = ToolServer("Phoenix", self.url, (_KEYS,), tuple(_secrets(headers)))
        self._bounds = ReplyBounds(self._server)
        try:
            # a redirect could lead the key to a server that nobody named
            self._http = httpx.Client(
                base_url=self.url,
                headers={"accept-encoding": "gzip, deflate"} | headers,  # what is unpacked within bounds
                timeout=httpx.Timeout(60, connect=10),
                follow_redirects=False,
                event_hooks={"response": [self._bounds.bound]},
            )
        except (httpx.InvalidURL, UnicodeError, ValueError, TypeError):
            raise InputError(
                f"{address}: {shorten(self.url)} is no address of a server, or {_KEYS} holds a character that no "
                "header can have; correct it"
            ) from None
        self._client = Client(http_client=self._http)
        self._path = ""
        self._version: tuple[int, ...] = ()
        self._has_answered = False
        self._asked = ""
        self.received = 0

    @property
    def client(self) -> "Client":
        """The client of the server."""
        return self._client

    @property
    def version(self) -> tuple[int, ...]:
        """The version of the server; `connect` comes before."""
        return self._version

    def connect(self) -> None:
        """Looks up the server and the project, once.

        Raises:
            InputError: The server cannot be reached, is too old, refuses the key, or has no such project.
        """
        if self._path:
            return
        self._version = self._read_version()
        if self._version < _OLDEST:
            raise InputError(
                f"Phoenix at {self.url} is version {_dotted(self._version)}, which lists no traces: update it to "
                f"{_dotted(_OLDEST)} or later, or export its spans and read the file"
            )
        try:
            id_ = self._look_up(self.address.project)
        except PhoenixRefusal as error:
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
            InputError: As `connect`; or the pages repeat themselves, have no end, or hold what is no object.
            PhoenixRefusal: The server refuses the query.
        """
        self.connect()
        yield from self._pages(self._path + path, parameters, most)

    def trace_pages(self, parameters: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
        """Yields the traces of the project, as `pages`; there may be very many."""
        return self.pages("traces", parameters, most=MOST_PAGES)

    def words(self, text: str) -> str:
        """Makes of what the server says one short line without its keys."""
        return self._server.words(text)

    def settings(self, path: str) -> list[dict[str, Any]]:
        """Lists what the whole server has, such as `annotation_configs`; nothing where it has no such thing."""
        self.connect()
        try:
            return self._all(f"v1/{path}", {"limit": 100})
        except PhoenixRefusal:
            return []

    def call(self, function: Callable[[], _Result]) -> _Result:
        """Makes a call of the client, again where that may help.

        Raises:
            InputError: The server cannot be reached, refuses the key, or goes on failing.
            PhoenixRefusal: The server refuses this call.
        """
        import httpx

        try:
            result = call_again(lambda: self._bounds.call(lambda: self._attempt(function)))
        except FailedAttempt as failure:
            cause = failure.__cause__
            if isinstance(cause, httpx.HTTPStatusError) and cause.response.status_code == 500:
                raise self._explain(cause.response, str(failure)) from None  # what was sent may break it
            times = count_of(failure.made, "attempt")
            raise InputError(f"{self._server}: {failure}, after {times}; try again later") from None
        except httpx.HTTPStatusError as error:
            raise self._explain(error.response) from None
        except httpx.LocalProtocolError:
            raise InputError(f"{_KEYS} holds a character that no header can have; correct it") from None
        except UnicodeError:
            raise PhoenixRefusal(422, "it holds half a character, which cannot be sent") from None
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise InputError(
                f"Phoenix at {self.url} cannot be reached ({shorten(str(error)) or 'no answer'}): start it, or correct "
                "the address"
            ) from None
        except (ValueError, RecursionError):
            raise self._server.wrong_form(self._asked, "no JSON") from None
        self._has_answered = True
        return result

    def _attempt(self, function: Callable[[], _Result]) -> _Result:
        """One attempt: a server that never answered is not there, and waiting brings none."""
        import httpx

        try:
            return function()
        except httpx.HTTPStatusError as error:
            response = error.response
            if not is_passing(response.status_code):
                raise
            problem = self._server.failure(response.status_code, self._detail(response))
            attempts = ATTEMPTS_AT_500 if response.status_code == 500 else None
            raise FailedAttempt(problem, read_retry_after(response.headers), attempts) from error
        except (httpx.LocalProtocolError, httpx.UnsupportedProtocol):
            raise
        except httpx.TransportError as error:
            if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout) and not self._has_answered:
                raise
            raise FailedAttempt(f"the connection failed ({type(error).__name__})") from error

    def explain(self, refusal: PhoenixRefusal, problem: str) -> InputError:
        """Makes a refusal that ends everything an error."""
        cure = (
            "try again later, or look into its log" if is_passing(refusal.status) else "update it, or look into its log"
        )
        return InputError(f"{self._server}, version {_dotted(self._version)}, {problem}: {refusal}; {cure}")

    def _read_version(self) -> tuple[int, ...]:
        def ask() -> str:
            self._asked = "arize_phoenix_version"
            return self._http.get(self._asked).raise_for_status().text

        try:
            match = _VERSION.match(self.call(ask))
        except PhoenixRefusal as refusal:
            if is_passing(refusal.status):
                raise InputError(f"{self._server}: {refusal}; try again later") from None
            match = None
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
        there = quote_names([self.words(name) for name in sorted(names)[:_NAMED]])
        return InputError(
            f"Phoenix at {self.url} has no project `{self.words(self.address.project)}`; it has {there}{more}: write "
            "one of them after the host"
        )

    def _all(self, path: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [item for page in self._pages(path, {"limit": _PAGE, **parameters}, MOST_KEPT_PAGES) for item in page]

    def _pages(self, path: str, parameters: Mapping[str, Any], most: int) -> Iterator[list[dict[str, Any]]]:
        import httpx

        query = httpx.QueryParams(dict(parameters))
        paging = Paging(self._server, path.rpartition("/")[2].replace("_", " "), most=most)

        def ask() -> Any:
            self._asked = path
            reply = self._http.get(path, params=query).raise_for_status()
            self.received = len(reply.content)
            return reply.json()

        while True:
            body = self.call(ask)
            items = self._server.objects(body, "data", path)
            yield items
            cursor = body.get("next_cursor")
            if not cursor:
                return
            if not isinstance(cursor, str):
                raise self._server.wrong_form(path, "a `next_cursor` that is no text")
            paging.follow(cursor, map(_own_id, items))
            query = query.set("cursor", cursor)

    def _explain(self, response: "httpx.Response", problem: str = "") -> AssayError:
        status = response.status_code
        if status in (401, 403):
            sent = "the key" if "authorization" in self._http.headers else "a call without a key"
            return InputError(
                f"Phoenix at {self.url} refuses {sent} (status {status}): set {_KEYS} to a key of this server"
            )
        if 300 <= status < 400:
            to = self.words(response.headers.get("location", "nowhere"))
            return InputError(f"Phoenix at {self.url} sends on to {to}: name that server in the address")
        return PhoenixRefusal(status, problem or f"{self._detail(response)} (status {status})")

    def _detail(self, response: "httpx.Response") -> str:
        return self._server.detail(response.content) or self.words(response.reason_phrase)


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
