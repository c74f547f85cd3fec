"""Calls of a tool's generated REST client: bounded waits, clear errors, and replies as they came."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from time import sleep
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import InputError
from ..judges.retry import retry_after
from ..text.wording import count_of
from ..value_messages import shorten

if TYPE_CHECKING:
    import httpx

ATTEMPTS = 6
"""Of one call, the first included."""
LONGEST_WAIT = 120.0
"""Seconds before one further attempt, whatever the server asks for."""
LONGEST_TOTAL = 600.0
"""Seconds of all waits of one call."""
_HTTPS_PORT = 443
_TIMEOUT = 60
_LONGEST_BODY = 512 * 2**20


class RefusedRequest(Exception):
    """The server refuses one request for what stands in it; others may go on.

    Attributes:
        response: The server's response.
        status: Its status code.
    """

    def __init__(self, response: "httpx.Response", text: str) -> None:
        super().__init__(text)
        self.response, self.status = response, response.status_code


class _PassingFailure(Exception):
    """What another attempt may mend. `response` has the wait that the server asks for."""

    def __init__(self, text: str, response: "httpx.Response | None" = None) -> None:
        super().__init__(text)
        self.response = response


@dataclass(frozen=True, slots=True)
class ToolServer:
    """A server of a tool, as errors name it.

    Attributes:
        tool: The tool's name.
        url: The server's address.
        keys: The environment variables with the keys.
        secrets: The keys themselves, which no message may hold.
    """

    tool: str
    url: str
    keys: tuple[str, ...]
    secrets: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.tool} at {self.url}"


def find_url(host: str, variables: tuple[str, ...], default: str) -> str:
    """Returns the URL of a server: from its address, else from the environment, else the tool's own.

    A host of this machine, or with another port than 443, is reached by http, any other by https. Where an environment
    variable names the same host, its URL is taken, with its scheme and path.

    Args:
        host: The host of an address; empty for none.
        variables: The environment variables with a URL, the first that is set counts.
        default: The URL of the tool's own server.

    Raises:
        InputError: The variable holds no URL, or the host is none.

    Examples:
        >>> [find_url(host, (), "") for host in ("localhost", "example.org:3000", "example.org")]
        ['http://localhost', 'http://example.org:3000', 'https://example.org']
    """
    variable = next((name for name in variables if os.environ.get(name, "").strip()), "")
    named = os.environ[variable].strip().rstrip("/") if variable else ""
    if not host and not named:
        return default
    if named and not host:
        parts = urlsplit(named)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            raise InputError(f"{variable} is no URL of a server: write https://HOST, without a user or a key")
        return named
    if named and urlsplit(named).netloc.lower() == host.lower():
        return named
    try:
        parts = urlsplit(f"//{host}")
        name, port = parts.hostname or "", parts.port
    except ValueError:
        raise InputError(f"{host!r} is no host: write HOST or HOST:PORT") from None
    is_plain = port not in (None, _HTTPS_PORT) or (port is None and _is_loopback(name))
    return f"{'http' if is_plain else 'https'}://{host}"


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def read_key(variable: str) -> str:
    """Reads a key from the environment.

    Args:
        variable: The variable's name.

    Returns:
        The key, without blanks around it; empty where the variable is not set.

    Raises:
        InputError: It holds what no key has, such as a line break.
    """
    key = os.environ.get(variable, "").strip()
    if not all("!" <= letter <= "~" for letter in key):
        raise InputError(f"{variable} holds a blank, a line break or a letter that no key has: set it again")
    return key


class RestCalls:
    """Makes the calls of one client.

    The client is generated from the tool's published API and checks what it is sent against its models. A reply that
    they refuse because a field has another type is used as it came, as the other fields are right.

    Args:
        server: The server.
    """

    def __init__(self, server: ToolServer) -> None:
        import httpx

        self.server = server
        self._response: httpx.Response | None = None
        self._has_answered = False
        # a redirect could lead the key to a server that nobody named
        self.http = httpx.Client(
            timeout=_TIMEOUT, follow_redirects=False, event_hooks={"response": [self._keep_response]}
        )

    def close(self) -> None:
        """Closes the connections."""
        self.http.close()

    def call(self, function: Callable[..., Any], **arguments: Any) -> Any:
        """Calls a function of the client, again where that may help.

        Args:
            function: A function of the client that was made with `http`.
            arguments: Its arguments.

        Returns:
            The reply's JSON as it came; None of an empty one.

        Raises:
            InputError: The server cannot be reached, refuses the key, does not know the address, or goes on failing.
            RefusedRequest: The server refuses this request.
        """
        content = self._request(function, arguments)
        if not content.strip():
            return None
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise self._no_json() from None

    def stream(self, function: Callable[..., Any], **arguments: Any) -> list[Any]:
        """Calls a function of the client whose reply is one JSON object per line.

        Args:
            function: A function of the client that was made with `http`.
            arguments: Its arguments.

        Returns:
            The objects; None for a line that is no JSON.

        Raises:
            InputError: As `call`; or no line is JSON.
            RefusedRequest: The server refuses this request.
        """
        lines = [line for line in self._request(function, arguments).splitlines() if line.strip()]
        objects = [_parse_line(line) for line in lines]
        if lines and all(item is None for item in objects):
            raise self._no_json()
        return objects

    def _request(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> bytes:
        waited = 0.0
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._request_once(function, arguments)
            except _PassingFailure as failure:
                wanted = retry_after(failure) if failure.response is not None else None
                wait = min(0.5 * 2 ** (attempt - 1) if wanted is None else wanted, LONGEST_WAIT)
                if attempt == ATTEMPTS or waited + wait > LONGEST_TOTAL:
                    times = count_of(attempt, "attempt")
                    raise InputError(f"{self.server}: {failure}, after {times}; try again later") from None
                waited += wait
                sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _keep_response(self, response: "httpx.Response") -> None:
        length = response.headers.get("content-length", "")
        if length.isdigit() and int(length) > _LONGEST_BODY:
            raise self._too_long(int(length))
        self._response, self._has_answered = response, True

    def _request_once(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> bytes:
        import httpx

        self._response = None
        options = {"max_retries": 0, "timeout_in_seconds": _TIMEOUT}
        content: bytes | None = None
        try:
            reply = function(**arguments, request_options=options)
            if isinstance(reply, Iterator):
                content = self._join(reply)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            if self._has_answered:  # it was there, and may come back
                raise _PassingFailure("the server cannot be reached any more") from None
            raise InputError(
                f"{self.server} cannot be reached ({shorten(str(error))}): start it, or correct the address"
            ) from None
        except httpx.TransportError as error:
            raise _PassingFailure(f"the connection failed ({type(error).__name__})") from None
        except (httpx.InvalidURL, UnicodeError) as error:
            raise InputError(f"{self.server} is no address: {shorten(str(error))}") from None
        except InputError:
            raise
        except Exception:
            # a field of another type, for which the reply is read as it came; or the client's own error of a status,
            # which may hold the key in its headers
            if self._response is None:
                raise
        response = self._response
        assert response is not None  # a call without a response raised
        if content is None:
            content = response.content
        self._check(response, content)
        return content

    def _join(self, chunks: Iterator[bytes]) -> bytes:
        content = bytearray()
        for chunk in chunks:
            content += chunk
            if len(content) > _LONGEST_BODY:
                raise self._too_long(len(content))
        return bytes(content)

    def _check(self, response: "httpx.Response", content: bytes) -> None:
        status, detail = response.status_code, self._detail(content)
        if status == 429 or status >= 500 or status == 408:
            problem = "is asked too often" if status == 429 else "fails"
            raise _PassingFailure(f"the server {problem} (status {status}{detail})", response)
        if status in (401, 403):
            keys = " and ".join(self.server.keys)
            raise InputError(f"{self.server} refuses the key (status {status}{detail}): set {keys} to what it accepts")
        if 300 <= status < 400:
            to = shorten(self.clean(response.headers.get("location", "?")))
            raise InputError(f"{self.server} sends on to {to}: name that server in the address")
        if status >= 400:
            raise RefusedRequest(response, f"status {status}{detail}")

    def _no_json(self) -> InputError:
        response = self._response
        kind = shorten(self.clean(response.headers.get("content-type", "no type"))) if response else ""
        path = response.url.path if response else ""
        return InputError(f"{self.server} answers {path} with no JSON ({kind}): correct the address")

    def _too_long(self, length: int) -> InputError:
        return InputError(f"{self.server} sends a reply of {length:,} bytes; narrow the time or the filter")

    def _detail(self, content: bytes) -> str:
        """What the server says of it, without keys and control characters."""
        try:
            body = json.loads(content)
        except (ValueError, RecursionError):
            return ""
        while isinstance(body, Mapping):
            body = next((body[name] for name in ("message", "error", "errors", "detail") if body.get(name)), None)
        text = "; ".join(map(str, body)) if isinstance(body, list) else str(body or "")
        return f": {shorten(self.clean(text), 200)}" if text else ""

    def clean(self, text: str) -> str:
        """Takes keys and control characters out of what a server says."""
        for secret in self.server.secrets:
            text = text.replace(secret, "***")
        return "".join(letter if letter.isprintable() else " " for letter in text)


def _parse_line(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def whole_text(text: str) -> str:
    """Returns a text that any server takes: half a character becomes a question mark, and a NUL a space.

    Example:
        >>> whole_text("half \\ud83d")
        'half ?'
    """
    return text.encode("utf-8", "replace").decode().replace("\x00", " ")
