"""Calls of a tool's generated REST client: bounded waits, clear errors, and replies as they came."""

import json
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..judges.retry import read_retry_after
from ..text.wording import count_of
from ..value_messages import shorten
from .retrying import ATTEMPTS_AT_500, FailedAttempt, call_again, is_passing
from .tool_server import ToolServer

if TYPE_CHECKING:
    import httpx

TIMEOUT = 60
"""Seconds of one step of a call."""


class RefusedRequest(Exception):
    """The server refuses one request for what stands in it; others may go on."""

    def __init__(self, response: "httpx.Response", text: str) -> None:
        super().__init__(text)
        self.response, self.status = response, response.status_code


def read_key(variable: str) -> str:
    """Reads a key from the environment.

    Returns:
        The key, without blanks around it; empty where the variable is not set.
    """
    key = os.environ.get(variable, "").strip()
    if not all("!" <= letter <= "~" for letter in key):
        raise InputError(f"{variable} holds a blank, a line break or a letter that no key has: set it again")
    return key


class RestCalls:
    """Makes the calls of one client.

    A client that is generated from the tool's published API checks what it is sent against its models. A reply that
    they refuse because a field has another type is used as it came, as the other fields are right.
    """

    def __init__(
        self,
        server: ToolServer,
        *,
        url: str = "",
        headers: Mapping[str, str] | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> None:
        import httpx

        self.server = server
        self._arguments = dict(arguments or {})  # of every call
        self._response: httpx.Response | None = None
        self._has_answered = False
        # a redirect could lead the key to a server that nobody named
        self.http = httpx.Client(
            base_url=url,
            timeout=httpx.Timeout(TIMEOUT, connect=10),
            headers=headers,
            follow_redirects=False,
            event_hooks={"response": [self._keep_response]},
        )

    @property
    def received(self) -> int:
        """The bytes of the last reply."""
        return len(self._response.content) if self._response is not None else 0

    def call(self, function: Callable[..., Any], **arguments: Any) -> Any:
        """Calls a function of the client, again where that may help.

        Raises:
            RefusedRequest: The server refuses this request.
        """
        content = self.read(function, **arguments)
        if not content.strip():
            return None
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise self._no_json() from None

    def read(self, function: Callable[..., Any], **arguments: Any) -> bytes:
        """Calls a function of the client, again where that may help; returns the reply's body. Raises as `call`."""
        try:
            return call_again(lambda: self._read_once(function, arguments))
        except FailedAttempt as failure:
            if failure.attempts is not None and self._response is not None:  # what was sent may break the server
                raise RefusedRequest(self._response, str(failure)) from None
            times = count_of(failure.made, "attempt")
            raise InputError(f"{self.server}: {failure}, after {times}; try again later") from None

    def _keep_response(self, response: "httpx.Response") -> None:
        self._response, self._has_answered = response, True

    def _read_once(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> bytes:
        import httpx

        self._response = None
        try:
            function(**arguments, **self._arguments)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            if self._has_answered:  # it was there, and may come back
                raise FailedAttempt("the server cannot be reached any more") from None
            raise InputError(
                f"{self.server} cannot be reached ({shorten(str(error))}): start it, or correct the address"
            ) from None
        except httpx.LocalProtocolError:
            keys = " and ".join(self.server.keys)
            raise InputError(f"{keys} holds a character that no header can have; correct it") from None
        except httpx.TransportError as error:
            raise FailedAttempt(f"the connection failed ({type(error).__name__})") from None
        except UnicodeEncodeError:
            raise InputError(
                f"what {self.server} is asked for: it holds half a character, which cannot be sent"
            ) from None
        except (httpx.InvalidURL, UnicodeError) as error:
            raise InputError(f"{self.server} is no address: {shorten(str(error))}") from None
        except Exception:
            # a field of another type, for which the reply is read as it came; or the client's own error of a status,
            # which may hold the key in its headers
            if self._response is None:
                raise
        response = self._response
        assert response is not None  # a call without a response raised
        self._check(response, response.content)
        return response.content

    def _check(self, response: "httpx.Response", content: bytes) -> None:
        status = response.status_code
        words = self.server.detail(content) if status >= 400 else ""
        detail = f": {words}" if words else ""
        if is_passing(status):
            attempts = ATTEMPTS_AT_500 if status == 500 else None
            raise FailedAttempt(self.server.failure(status, words), read_retry_after(response.headers), attempts)
        if status in (401, 403):
            keys = " and ".join(self.server.keys)
            sent = "the key" if self.server.secrets else "a call without a key"
            raise InputError(f"{self.server} refuses {sent} (status {status}{detail}): set {keys} to what it accepts")
        if 300 <= status < 400:
            to = self.server.words(response.headers.get("location", "?"))
            raise InputError(f"{self.server} sends on to {to}: name that server in the address")
        if status >= 400:
            raise RefusedRequest(response, f"status {status}{detail}")

    def _no_json(self) -> InputError:
        response = self._response
        kind = self.server.words(response.headers.get("content-type", "no type")) if response else ""
        path = response.url.path if response else ""
        return InputError(f"{self.server} answers {path} with no JSON ({kind}): correct the address")
