"""A project on a Phoenix server: where it is, its REST API page by page, and what its errors mean."""

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import tenacity

from ...errors import AssayError, InputError, UsageError
from ...eval_sets.name_suggestions import quote_names
from ...installation import require_extra
from ...judges.retry import retry_after
from ...text.wording import count_of
from ...value_messages import shorten
from ..address import TraceAddress

if TYPE_CHECKING:
    import httpx
    from phoenix.client import Client

ATTEMPTS = 6
"""Of one call, the first included."""
_LONGEST_WAIT = 60.0  # seconds
_OLDEST = (13, 15, 0)  # the first that lists the traces of a project
_PORT = 6006
_PAGE = 1000  # projects
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")
_NAMED = 5  # projects, in a message
_PURPOSE = "reading and writing traces of Phoenix"
_KEYS = "PHOENIX_API_KEY, or PHOENIX_CLIENT_HEADERS"
_PASSING = frozenset({408, 425, 429, 502, 503, 504})
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

    Args:
        address: `phoenix://HOST:6006/PROJECT`.
        sleep: Waits so many seconds.

    Raises:
        UsageError: The address names no project, or the client is not installed.
        InputError: The address or a setting of the environment is no server's.
    """

    def __init__(self, address: TraceAddress, sleep: Callable[[float], None] = time.sleep) -> None:
        if not address.project:
            raise UsageError(f"{address} names no project: write phoenix://HOST:6006/PROJECT")
        with require_extra("phoenix", _PURPOSE):
            import httpx
            from phoenix.client import Client
        self.address, self._sleep = address, sleep
        self.url = find_server_url(address.host)
        headers = _client_headers()
        try:
            # a redirect could lead the key to a server that nobody named
            self._http = httpx.Client(
                base_url=self.url,
                headers=headers,
                timeout=httpx.Timeout(60, connect=10),
                follow_redirects=False,
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
        name = self.address.project
        id_ = self._find_id(self._all("v1/projects", {"name_contains": name}), name)
        if not id_:
            projects = self._all("v1/projects", {})
            id_ = self._find_id(projects, name)
            if not id_:
                raise self._no_project([str(project.get("name")) for project in projects])
        self._path = f"v1/projects/{id_}/"

    def pages(self, path: str, parameters: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
        """Yields what the project has, page by page; a page may be empty.

        Args:
            path: What: `traces`, `spans`, `trace_annotations` or the like.
            parameters: The parameters of the query, with its `limit`.

        Raises:
            InputError: As `connect`.
            PhoenixRefusal: The server refuses the query.
        """
        self.connect()
        yield from self._pages(self._path + path, parameters)

    def settings(self, path: str) -> list[dict[str, Any]]:
        """Lists what the whole server has, such as `annotation_configs`; nothing where it has no such thing."""
        self.connect()
        try:
            return self._all(f"v1/{path}", {"limit": 100})
        except PhoenixRefusal:
            return []

    def call(self, function: Callable[[], _Result]) -> _Result:
        """Makes a call of the client, again where that may help.

        Args:
            function: Makes the call, and raises what httpx raises.

        Raises:
            InputError: The server cannot be reached, refuses the key, or goes on failing.
            PhoenixRefusal: The server refuses this call.
        """
        import httpx

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(self._is_passing),
            wait=_wait,
            stop=tenacity.stop_after_attempt(ATTEMPTS),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            result = retrying(function)
        except httpx.HTTPStatusError as error:
            raise self._explain(error.response) from None
        except httpx.LocalProtocolError:
            raise InputError(f"{_KEYS} holds a character that no header can have; correct it") from None
        except UnicodeError:
            raise PhoenixRefusal(422, "it holds half a character, which cannot be sent") from None
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise InputError(
                f"Phoenix at {self.url} cannot be reached ({shorten(str(error)) or 'no answer'}): start it, or correct "
                "the address"
            ) from None
        except httpx.TransportError as error:
            raise InputError(
                f"Phoenix at {self.url}: the connection failed {count_of(ATTEMPTS, 'time')} "
                f"({type(error).__name__}); try again later"
            ) from None
        except (ValueError, RecursionError):
            raise InputError(f"{self.url} answers with no JSON, as no Phoenix does: correct the address") from None
        self._has_answered = True
        return result

    def explain(self, refusal: PhoenixRefusal, problem: str) -> InputError:
        """Makes a refusal that ends everything an error.

        Args:
            refusal: The refusal.
            problem: What the server does not do.
        """
        return InputError(
            f"Phoenix at {self.url}, version {_dotted(self._version)}, {problem}: {refusal}; update it, or look into "
            "its log"
        )

    def _read_version(self) -> tuple[int, ...]:
        def ask() -> str:
            return self._http.get("arize_phoenix_version").raise_for_status().text

        try:
            match = _VERSION.match(self.call(ask))
        except PhoenixRefusal:
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
        there = quote_names([clean(name) for name in sorted(names)[:_NAMED]])
        return InputError(
            f"Phoenix at {self.url} has no project `{clean(self.address.project)}`; it has {there}{more}: write "
            "one of them after the host"
        )

    def _all(self, path: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [item for page in self._pages(path, {"limit": _PAGE, **parameters}) for item in page]

    def _pages(self, path: str, parameters: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
        import httpx

        query = httpx.QueryParams(dict(parameters))

        def ask() -> Any:
            reply = self._http.get(path, params=query).raise_for_status()
            self.received = len(reply.content)
            return reply.json()

        while True:
            body = self.call(ask)
            items = body.get("data") if isinstance(body, Mapping) else None
            if not isinstance(items, list):
                raise InputError(f"{self.url} answers without `data`, as no Phoenix does: correct the address")
            yield [item for item in items if isinstance(item, dict)]
            cursor = body.get("next_cursor")
            if not cursor or cursor == query.get("cursor"):
                return
            query = query.set("cursor", cursor)

    def _is_passing(self, error: BaseException) -> bool:
        """Whether another attempt may help: a server that never answered is not there."""
        import httpx

        if isinstance(error, httpx.HTTPStatusError):
            return error.response.status_code in _PASSING | {500}
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            return self._has_answered
        own = (httpx.LocalProtocolError, httpx.UnsupportedProtocol)
        return isinstance(error, httpx.TransportError) and not isinstance(error, own)

    def _explain(self, response: "httpx.Response") -> AssayError:
        status = response.status_code
        if status in (401, 403):
            sent = "the key" if "authorization" in self._http.headers else "a call without a key"
            return InputError(
                f"Phoenix at {self.url} refuses {sent} (status {status}): set {_KEYS} to a key of this server"
            )
        if 300 <= status < 400:
            to = clean(response.headers.get("location", "nowhere"))
            return InputError(f"Phoenix at {self.url} sends on to {to}: name that server in the address")
        detail = clean(_detail(response))
        if status in _PASSING:
            return InputError(
                f"Phoenix at {self.url} fails (status {status}: {detail}) {count_of(ATTEMPTS, 'time')}; try again later"
            )
        return PhoenixRefusal(status, f"{detail} (status {status})")


def find_server_url(host: str) -> str:
    """Finds the URL of a server.

    Where the client's own settings (`PHOENIX_ENDPOINT`, `PHOENIX_COLLECTOR_ENDPOINT`) name the same host, or the
    address names none, theirs counts, with its scheme and path. Otherwise a host with a port is reached by http, except
    at 443, and one without by https; this machine by http, at 6006 where no port is named.

    Args:
        host: The host of an address, with its port; empty for that of the settings.

    Raises:
        InputError: A setting is no URL.

    Examples:
        >>> find_server_url("phoenix.example.org"), find_server_url("10.0.0.7:6006")
        ('https://phoenix.example.org', 'http://10.0.0.7:6006')
    """
    try:
        own = str(_client_settings().get_base_url()).rstrip("/")
    except ValueError as error:
        raise InputError(f"the settings of Phoenix: {shorten(str(error))}") from None
    parts = urlsplit(own)
    if parts.username is not None or parts.scheme not in ("http", "https"):
        raise InputError("PHOENIX_ENDPOINT is no URL of a server: write https://HOST, without a user or a key")
    if not host or parts.netloc.lower() == host.lower():
        return own
    try:
        name, port = urlsplit(f"//{host}").hostname or "", urlsplit(f"//{host}").port
    except ValueError:
        raise InputError(f"{shorten(host)!r} is no host of a server: write phoenix://HOST:6006/PROJECT") from None
    is_here = name in ("localhost", "::1") or name.startswith("127.")
    if is_here and port is None:
        return f"http://{host}:{_PORT}"
    return f"http://{host}" if is_here or port not in (None, 443) else f"https://{host}"


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


def clean(text: str) -> str:
    """A text of a server for a message: short, on one line, without control characters."""
    return shorten("".join(letter if letter.isprintable() else " " for letter in text), 200)


def _detail(response: "httpx.Response") -> str:
    """What the server says of a call."""
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return response.text or response.reason_phrase
    detail = body.get("detail") if isinstance(body, Mapping) else body
    if isinstance(detail, list):
        return "; ".join(str(item.get("msg")) if isinstance(item, Mapping) else str(item) for item in detail)
    return str(detail or response.reason_phrase)


def _wait(state: tenacity.RetryCallState) -> float:
    """As long as the server asks for, else twice as long each time."""
    error = state.outcome.exception() if state.outcome else None
    wanted = retry_after(error) if error is not None and hasattr(error, "response") else None
    return min(0.5 * 2 ** (state.attempt_number - 1) if wanted is None else wanted, _LONGEST_WAIT)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
