"""The one HTTP client of all tools: no message shows a key, waits are bounded, what fails in passing is tried again."""

import base64
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import tenacity

from ..errors import InputError
from ..judges.retry import read_retry_after
from ..judges.secrets import Scrubber
from ..presentation.texts import one_line
from ..text.wording import count_of
from ..value_messages import shorten

if TYPE_CHECKING:
    import httpx

_LONGEST = 1_000_000  # characters that are looked through
_SHORTEST_SECRET = 4  # characters; a shorter one is in any text
_FIELDS = ("message", "error", "errors", "detail", "msg", "error_code")  # in which an API says what is wrong


def server_words(text: str, secrets: Sequence[str] = (), length: int = 200) -> str:
    """Makes of what a server says one short line, without keys and without what a terminal would obey."""
    line = one_line(whole_text(text[:_LONGEST]))  # first: what is not shown could stand in the middle of a key
    for secret in sorted(secrets, key=len, reverse=True):
        line = line.replace(secret, "***") if len(secret) >= _SHORTEST_SECRET else line
    return one_line(Scrubber().scrub_error(line), length)


def error_detail(content: bytes, secrets: Sequence[str] = ()) -> str:
    """Finds what a server says in the body of an error, as `server_words`; empty where that is a page or nothing."""
    text = content[:_LONGEST].decode("utf-8", "replace").strip()
    with suppress(ValueError, RecursionError):
        reply = json.loads(text)
        if isinstance(reply, Mapping):
            text = str(next((reply[name] for name in _FIELDS if reply.get(name)), text))
    return "" if text.startswith("<") else server_words(text, secrets)


def whole_text(text: str) -> str:
    """Returns a text that any server takes: half a character becomes a question mark, and a NUL a space."""
    return text.encode("utf-8", "replace").decode().replace("\x00", " ")


def basic_secret(user: str, password: str) -> str:
    """How a user and a password are sent, which is as secret as they are."""
    return base64.b64encode(f"{user}:{password}".encode()).decode()


_LONGEST_IDS = 7000  # characters of the address of a call, which servers refuse where it is longer
_NAME = 19  # of a parameter, with its marks


def split_ids(ids: Iterable[str], *, longest: int = _LONGEST_IDS, between: int = _NAME) -> Iterator[list[str]]:
    """Splits ids into parts that fit in the address of a call, where there are some characters between two.

    Example:
        >>> [len(part) for part in split_ids(["1a2b3c4d5e6f7a8b"] * 500)]
        [200, 200, 100]
    """
    part: list[str] = []
    length = 0
    for id_ in ids:
        own = between + len(id_.encode("utf-8", "replace")) * (1 if id_.isascii() and id_.isalnum() else 3)
        if part and length + own > longest:
            yield part
            part, length = [], 0
        part.append(id_)
        length += own
    if part:
        yield part


_SECONDS = 60  # of one step of a call
ATTEMPTS = 6
"""Of one call, the first included."""
ATTEMPTS_AT_500 = 3
"""Of a call that comes back with a 500 each time: what was sent, or is read, may be what breaks the server."""
LONGEST_WAIT = 120.0
"""Seconds before one further attempt, whatever the server asks for."""
LONGEST_TOTAL = 600.0
"""Seconds of all waits of one call."""
_PASSING = frozenset({408, 425, 429})
_LASTING = frozenset({501, 505, 507, 511})  # of a server that does not offer it, is full, or wants a login
_FIRST_WAIT = 0.5
_Result = TypeVar("_Result")


class FailedAttempt(Exception):
    """What another attempt may mend."""

    def __init__(self, text: str, wait: float | None = None, attempts: int | None = None) -> None:
        super().__init__(text)
        self.wait, self.attempts, self.made = wait, attempts, 1


def is_passing(status: int) -> bool:
    """Whether the same request may succeed later: the server is asked too often, is too slow, or fails."""
    return status in _PASSING or (status >= 500 and status not in _LASTING)


def call_again(
    function: Callable[[], _Result],
    *,
    attempts: int = ATTEMPTS,
    first_wait: float = _FIRST_WAIT,
    longest_wait: float = LONGEST_WAIT,
) -> _Result:
    """Makes a call, again while it fails in passing: as late as the server asks, else twice as late each time."""
    made, waited = 0, 0.0
    while True:
        made += 1
        try:
            return function()
        except FailedAttempt as failure:
            failure.made = made
            asked = first_wait * 2 ** (made - 1) if failure.wait is None else failure.wait
            wait = min(asked, longest_wait)
            if made >= min(attempts, failure.attempts or attempts) or waited + wait > LONGEST_TOTAL:
                raise
        waited += wait
        tenacity.nap.sleep(wait)


class RefusedRequest(InputError):
    """The server refuses one request for what stands in it; others may go on. Its text has a cure."""

    def __init__(self, client: "HttpClient", path: str, status: int, problem: str, body: bytes = b"") -> None:
        if is_passing(status):
            cure = "try again later, or look into its log"
        elif status in (404, 405, 501):
            cure = f"it is an older {client.tool} or none: {client.oldest}"
        else:
            cure = "update it, or look into its log"
        super().__init__(f"{client} refuses {client.words(path)}: {problem}; {cure}")
        self.status, self.problem, self.body = status, problem, body


def read_key(variable: str) -> str:
    """Reads a key from the environment, without blanks around it; empty where the variable is not set."""
    key = os.environ.get(variable, "").strip()
    if not all("!" <= letter <= "~" for letter in key):
        raise InputError(f"{variable} holds a blank, a line break or a letter that no key has: set it again")
    return key


class HttpClient:
    """Calls one server of a tool; its threads may share it. Further options are those of `httpx.Client`.

    Args:
        tool: The tool's name.
        url: The server's address, without a user.
        keys: The environment variables with the keys.
        secrets: The keys themselves, which no message may hold.
        oldest: Which version is needed, or what to do without it.
    """

    def __init__(self, tool: str, url: str, keys: str, secrets: Sequence[str], oldest: str, **options: Any) -> None:
        import httpx

        self.tool, self.url, self.oldest = tool, url, oldest
        self._keys, self._secrets = keys, secrets
        try:
            # a redirect could lead the key to a server that nobody named
            self._http = httpx.Client(
                base_url=url, timeout=httpx.Timeout(_SECONDS, connect=10), follow_redirects=False, **options
            )
        except (httpx.InvalidURL, UnicodeError, ValueError, TypeError):
            raise self._wrong_header() from None

    def __str__(self) -> str:
        return f"{self.tool} at {self.url}"

    def words(self, text: str) -> str:
        """Makes of what the server says one short line without its keys."""
        return server_words(text, self._secrets)

    def wrong_form(self, call: str, problem: str) -> InputError:
        """Makes an error of a reply that is none of this tool."""
        return InputError(
            f"{self} answers {self.words(call)} with {self.words(problem)}, as no {self.tool} does: correct the "
            "address, or update the server"
        )

    def objects(self, reply: Any, name: str, call: str) -> list[dict[str, Any]]:
        """Returns the objects of a page."""
        listed = reply.get(name) if isinstance(reply, Mapping) else None
        if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
            raise self.wrong_form(call, f"no list `{name}` of objects")
        return listed

    def call(self, method: str, path: str, **values: Any) -> Any:
        """Makes a call, again where that may help, and returns the JSON of the reply; None of an empty one."""
        return self.parse(self.repeat(path, lambda: self.once(method, path, **values)))

    def parse(self, response: "httpx.Response") -> Any:
        """Returns the JSON of a reply; None of an empty one."""
        if not response.content.strip():
            return None
        try:
            return json.loads(response.content)
        except (ValueError, RecursionError):
            kind = self.words(response.headers.get("content-type", "no type"))
            path = self.words(response.url.path)
            raise InputError(f"{self} answers {path} with no JSON ({kind}): correct the address") from None

    def repeat(self, path: str, attempt: Callable[[], _Result]) -> _Result:
        """Makes an attempt, again while it fails in passing. Raises as `call`."""
        try:
            return call_again(attempt)
        except FailedAttempt as failure:
            if failure.attempts is not None:  # what was sent may break the server
                raise RefusedRequest(self, path, 500, str(failure)) from None
            times = count_of(failure.made, "attempt")
            raise InputError(f"{self}: {failure}, after {times}; try again later") from None

    def once(self, method: str, path: str, **values: Any) -> "httpx.Response":
        """Makes one attempt; raises `FailedAttempt` where another one may succeed."""
        import httpx

        try:
            response = self._http.request(method, path, **values)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            problem = self.words(str(error))
            raise InputError(f"{self} cannot be reached ({problem}): start it, or correct the address") from None
        except httpx.LocalProtocolError:
            raise self._wrong_header() from None
        except httpx.TransportError as error:
            raise FailedAttempt(f"the connection failed ({type(error).__name__})") from None
        except (httpx.InvalidURL, httpx.RequestError, UnicodeError) as error:
            raise InputError(f"{self} cannot be asked, or not be read: {self.words(str(error))}") from None
        self._check(response)
        return response

    def pages(
        self,
        what: str,
        ask: Callable[[str], Any],
        *,
        items: str = "data",
        next_place: tuple[str, ...] = ("next_cursor",),
    ) -> Iterator[list[dict[str, Any]]]:
        """Yields the pages of a list, one of which may be empty: `ask` returns the reply with the page at a place."""
        place = ""
        while True:
            reply = ask(place)
            yield self.objects(reply, items, what)
            following: Any = reply
            for name in next_place:
                following = following.get(name) if isinstance(following, Mapping) else None
            if not following:
                return
            place = str(following)

    def _check(self, response: "httpx.Response") -> None:
        status = response.status_code
        if status < 300:
            return
        words = error_detail(response.content, self._secrets) if status >= 400 else ""
        detail = f": {words}" if words else ""
        if is_passing(status):
            problem = "is asked too often" if status == 429 else "fails"
            attempts = ATTEMPTS_AT_500 if status == 500 else None
            wait = read_retry_after(response.headers)
            raise FailedAttempt(f"the server {problem} (status {status}{detail})", wait, attempts)
        if status == 403 and "Host header" in words:
            raise InputError(f"{self} does not allow this host name (status 403): start it so that it does")
        if status in (401, 403):
            sent = "the key" if self._secrets else "a call without a key"
            raise InputError(f"{self} refuses {sent} (status {status}{detail}): set {self._keys} to what it accepts")
        if status < 400:
            to = self.words(response.headers.get("location", "?"))
            raise InputError(f"{self} sends on to {to}: name that server in the address")
        raise RefusedRequest(self, response.url.path, status, f"status {status}{detail}", response.content)

    def _wrong_header(self) -> InputError:
        return InputError(
            f"{shorten(self.url)} is no address of a server, or {self._keys} holds a character that no header can "
            "have; correct it"
        )
