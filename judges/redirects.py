"""Keeps what is sent to a judge at the judge's server: no redirect to another one is followed."""

from collections.abc import Callable, Iterator
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
    """Gives each client of httpx that sends for us an event hook: litellm and `openai` open them where we cannot."""
    import httpx

    def watch(kind: Any, hook: Callable[["httpx.Response"], Any]) -> None:
        send = kind.send

        def watch_and_send(self: Any, *arguments: Any, **options: Any) -> Any:
            if _refused.get() is not None and hook not in (hooks := self.event_hooks["response"]):
                hooks.append(hook)  # before each redirect httpx calls it with the response
            return send(self, *arguments, **options)

        kind.send = watch_and_send

    async def refuse_for_async(response: httpx.Response) -> None:
        _refuse_other_server(response)

    watch(httpx.Client, _refuse_other_server)
    watch(httpx.AsyncClient, refuse_for_async)


def _refuse_other_server(response: "httpx.Response") -> None:
    import httpx

    refused, sent = _refused.get(), response.request.url
    if refused is None or not response.has_redirect_location:
        return
    following = sent.join(response.headers["location"])
    if not _is_same_server(sent, following):
        origins = [f"{url.scheme}://{url.netloc.decode()}" for url in (sent, following)]
        refused.append(
            f"the judge's server {origins[0]} sends on to {origins[1]}, which is another one: nothing was sent "
            "there; if that is the judge, name it in `api_base`"
        )
        raise httpx.TooManyRedirects(refused[-1], request=response.request)


def _is_same_server(sent: "httpx.URL", following: "httpx.URL") -> bool:
    """Whether two addresses have one origin, or differ in that the second is encrypted."""
    if (sent.host, sent.port) != (following.host, following.port):
        return False
    return sent.scheme == following.scheme or (following.scheme == "https" and following.port is None)
