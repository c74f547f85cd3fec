"""Keeps what is sent to a judge at the judge's server: no redirect to another one is followed."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any

from ..errors import JudgeUnavailable

if TYPE_CHECKING:
    import httpx

_refused: ContextVar[list[str] | None] = ContextVar("redirects that were refused", default=None)


@contextmanager
def no_other_server() -> Iterator[None]:
    """Lets no request that is made within be sent on to another server than it was sent to.

    litellm and the client of `openai` follow every redirect, and send the prompt and the texts along.

    Raises:
        JudgeUnavailable: The server sends on to another one; names both.
    """
    _watch_redirects()
    refused: list[str] = []
    token = _refused.set(refused)
    try:
        yield
    except Exception as error:
        if refused:
            raise JudgeUnavailable(refused[0]) from error
        raise
    finally:
        _refused.reset(token)


@cache
def _watch_redirects() -> None:
    """Makes httpx, through which litellm and `openai` send, ask before it follows a redirect of our calls."""
    import httpx
    from httpx._client import BaseClient

    build = BaseClient._build_redirect_request

    def refuse_or_build(self: Any, request: "httpx.Request", response: "httpx.Response") -> "httpx.Request":
        following = build(self, request, response)
        refused = _refused.get()
        if refused is not None and not _is_same_server(request.url, following.url):
            origins = [f"{url.scheme}://{url.netloc.decode()}" for url in (request.url, following.url)]
            refused.append(
                f"the judge's server {origins[0]} sends on to {origins[1]}, which is another one: nothing was sent "
                "there; if that is the judge, name it in `api_base`"
            )
            raise httpx.TooManyRedirects(refused[-1], request=request)
        return following

    BaseClient._build_redirect_request = refuse_or_build  # type: ignore[method-assign]


def _is_same_server(sent: "httpx.URL", following: "httpx.URL") -> bool:
    """Whether two addresses have one origin, or differ in that the second is encrypted."""
    if (sent.host, sent.port) != (following.host, following.port):
        return False
    return sent.scheme == following.scheme or (following.scheme == "https" and following.port is None)
