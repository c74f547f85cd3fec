"""The one HTTP client of all tools: bounded waits, attempts made again, one refusal, and lists page by page."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import tenacity

from ..errors import InputError
from ..judges.retry import read_retry_after
from ..text.wording import count_of
from ..value_messages import shorten
from .tool_server import MOST_KEPT_PAGES, Paging, ToolServer

if TYPE_CHECKING:
    import httpx

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

    def __init__(self, server: ToolServer, path: str, status: int, problem: str, body: bytes = b"") -> None:
        if is_passing(status):
            cure = "try again later, or look into its log"
        elif status in (404, 405, 501):
            cure = f"it is an older {server.tool} or none: {server.oldest}"
        else:
            cure = "update it, or look into its log"
        super().__init__(f"{server} refuses {server.words(path)}: {problem}; {cure}")
        self.status, self.problem, self.body = status, problem, body


def read_key(variable: str) -> str:
    """Reads a key from the environment, without blanks around it; empty where the variable is not set."""
    key = os.environ.get(variable, "").strip()
    if not all("!" <= letter <= "~" for letter in key):
        raise InputError(f"{variable} holds a blank, a line break or a letter that no key has: set it again")
    return key


class HttpClient:
    """Calls one server; its threads may share it. What the client is told beside the server is as `httpx.Client`."""

    def __init__(self, server: ToolServer, **options: Any) -> None:
        import httpx

        self.server = server
        self._has_answered = False
        try:
            # a redirect could lead the key to a server that nobody named
            self._http = httpx.Client(
                base_url=server.url,
                timeout=httpx.Timeout(_SECONDS, connect=10),
                follow_redirects=False,
                **options,
            )
        except (httpx.InvalidURL, UnicodeError, ValueError, TypeError):
            raise self._wrong_header() from None

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
            kind = self.server.words(response.headers.get("content-type", "no type"))
            path = self.server.words(response.url.path)
            raise InputError(f"{self.server} answers {path} with no JSON ({kind}): correct the address") from None

    def repeat(self, path: str, attempt: Callable[[], _Result]) -> _Result:
        """Makes an attempt, again while it fails in passing. Raises as `call`."""
        try:
            return call_again(attempt)
        except FailedAttempt as failure:
            if failure.attempts is not None:  # what was sent may break the server
                raise RefusedRequest(self.server, path, 500, str(failure)) from None
            times = count_of(failure.made, "attempt")
            raise InputError(f"{self.server}: {failure}, after {times}; try again later") from None

    def once(self, method: str, path: str, **values: Any) -> "httpx.Response":
        """Makes one attempt; raises `FailedAttempt` where another one may succeed."""
        import httpx

        try:
            response = self._http.request(method, path, **values)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            if self._has_answered:  # it was there, and may come back
                raise FailedAttempt("the server cannot be reached any more") from None
            problem = self.server.words(str(error))
            raise InputError(f"{self.server} cannot be reached ({problem}): start it, or correct the address") from None
        except httpx.LocalProtocolError:
            raise self._wrong_header() from None
        except httpx.TransportError as error:
            raise FailedAttempt(f"the connection failed ({type(error).__name__})") from None
        except UnicodeEncodeError:
            raise InputError(
                f"what {self.server} is asked for: it holds half a character, which cannot be sent"
            ) from None
        except (httpx.InvalidURL, UnicodeError) as error:
            raise InputError(f"{self.server} is no address: {shorten(str(error))}") from None
        except httpx.RequestError as error:  # a body that cannot be unpacked
            raise InputError(f"{self.server} sends what cannot be read ({type(error).__name__})") from None
        self._has_answered = True
        self._check(response)
        return response

    def pages(
        self,
        what: str,
        ask: Callable[[str], Any],
        *,
        items: str = "data",
        next_place: tuple[str, ...] = ("next_cursor",),
        most: int = MOST_KEPT_PAGES,
    ) -> Iterator[list[dict[str, Any]]]:
        """Yields the pages of a list, one of which may be empty: `ask` returns the reply with the page at a place."""
        paging = Paging(self.server, what, most=most)
        place = ""
        while True:
            reply = ask(place)
            page = self.server.objects(reply, items, what)
            yield page
            following: Any = reply
            for name in next_place:
                following = following.get(name) if isinstance(following, Mapping) else None
            if not following:
                return
            if not isinstance(following, str):
                raise self.server.wrong_form(what, f"a `{next_place[-1]}` that is no text")
            place = following
            paging.follow(place)

    def _check(self, response: "httpx.Response") -> None:
        status = response.status_code
        if status < 300:
            return
        words = self.server.detail(response.content) if status >= 400 else ""
        detail = f": {words}" if words else ""
        keys = " and ".join(self.server.keys)
        if is_passing(status):
            problem = "is asked too often" if status == 429 else "fails"
            attempts = ATTEMPTS_AT_500 if status == 500 else None
            wait = read_retry_after(response.headers)
            raise FailedAttempt(f"the server {problem} (status {status}{detail})", wait, attempts)
        if status == 403 and "Host header" in words:
            raise InputError(f"{self.server} does not allow this host name (status 403): start it so that it does")
        if status in (401, 403):
            sent = "the key" if self.server.secrets else "a call without a key"
            raise InputError(f"{self.server} refuses {sent} (status {status}{detail}): set {keys} to what it accepts")
        if status < 400:
            to = self.server.words(response.headers.get("location", "?"))
            raise InputError(f"{self.server} sends on to {to}: name that server in the address")
        raise RefusedRequest(self.server, response.url.path, status, f"status {status}{detail}", response.content)

    def _wrong_header(self) -> InputError:
        keys = " and ".join(self.server.keys)
        return InputError(
            f"{shorten(self.server.url)} is no address of a server, or {keys} holds a character that no header can "
            "have; correct it"
        )
