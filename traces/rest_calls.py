"""Calls of a tool's generated REST client: bounded waits, clear errors, and replies as they came."""

import json
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..judges.retry import read_retry_after
from ..text.wording import count_of
from ..value_messages import shorten
from .reply_bounds import ReplyBounds
from .retrying import FailedAttempt, call_again, is_passing
from .tool_server import ToolServer

if TYPE_CHECKING:
    import httpx

_TIMEOUT = 60


class RefusedRequest(Exception):
    """The server refuses one request for what stands in it; others may go on.

    Attributes:
        response: The server's response.
        status: Its status code.
    """

    def __init__(self, response: "httpx.Response", text: str) -> None:
        super().__init__(text)
        self.response, self.status = response, response.status_code


def read_key(variable: str) -> str:
    """Reads a key from the environment.

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
    """

    def __init__(self, server: ToolServer) -> None:
        import httpx

        self.server = server
        self._response: httpx.Response | None = None
        self._has_answered = False
        self._bounds = ReplyBounds(server)
        # a redirect could lead the key to a server that nobody named
        self.http = httpx.Client(
            timeout=_TIMEOUT,
            headers={"accept-encoding": "gzip, deflate"},  # what is unpacked within bounds
            follow_redirects=False,
            event_hooks={"response": [self._bounds.bound, self._keep_response]},
        )

    def close(self) -> None:
        """Closes the connections."""
        self.http.close()

    def call(self, function: Callable[..., Any], **arguments: Any) -> Any:
        """Calls a function of the client, again where that may help.

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

    def _request(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> bytes:
        try:
            return call_again(lambda: self._bounds.call(lambda: self._request_once(function, arguments)))
        except FailedAttempt as failure:
            times = count_of(failure.made, "attempt")
            raise InputError(f"{self.server}: {failure}, after {times}; try again later") from None

    def _keep_response(self, response: "httpx.Response") -> None:
        self._response, self._has_answered = response, True

    def _request_once(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> bytes:
        import httpx

        self._response = None
        options = {"max_retries": 0, "timeout_in_seconds": _TIMEOUT}
        try:
            function(**arguments, request_options=options)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            if self._has_answered:  # it was there, and may come back
                raise FailedAttempt("the server cannot be reached any more") from None
            raise InputError(
                f"{self.server} cannot be reached ({shorten(str(error))}): start it, or correct the address"
            ) from None
        except httpx.TransportError as error:
            raise FailedAttempt(f"the connection failed ({type(error).__name__})") from None
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
        self._check(response, response.content)
        return response.content

    def _check(self, response: "httpx.Response", content: bytes) -> None:
        status = response.status_code
        words = self.server.detail(content) if status >= 400 else ""
        detail = f": {words}" if words else ""
        if is_passing(status):
            raise FailedAttempt(self.server.failure(status, words), read_retry_after(response.headers))
        if status in (401, 403):
            keys = " and ".join(self.server.keys)
            raise InputError(f"{self.server} refuses the key (status {status}{detail}): set {keys} to what it accepts")
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
