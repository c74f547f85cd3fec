"""Calls through litellm that are sent once and logged nowhere while nobody listens.

By itself litellm sends a request again, unasked, where the connection broke: whether a call is made again, and whether
the budget has room for it, is decided by the judge. And its log of a call, for callbacks that nobody has set, takes as
long as the call.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from .litellm_lookup import load_litellm

_LISTENERS = ("callbacks", "success_callback", "failure_callback", "_async_success_callback", "_async_failure_callback")


async def acompletion(**request: Any) -> Any:
    """Returns what `litellm.acompletion(**request)` returns, and raises what it raises."""
    litellm = load_litellm()
    with _without_unheard_log(litellm), _sent_once():
        return await litellm.acompletion(**request)


async def aembedding(**request: Any) -> Any:
    """Returns what `litellm.aembedding(**request)` returns, and raises what it raises."""
    litellm = load_litellm()
    with _without_unheard_log(litellm), _sent_once():
        return await litellm.aembedding(**request)


async def call_batch_function(name: str, **request: Any) -> Any:
    """Returns what a function of litellm's on files or batches returns, such as `acreate_batch`.

    While nobody listens to litellm's log, nothing is logged: to log a batch that has ended, litellm reads its results.
    """
    litellm = load_litellm()
    with _without_unheard_log(litellm):
        return await getattr(litellm, name)(**request)


@contextmanager
def _without_unheard_log(litellm: Any) -> Iterator[None]:
    """Switches off litellm's log of a call while nothing listens to it."""
    is_internal_call = _find_switch()
    if is_internal_call is None or any(getattr(litellm, name, None) for name in _LISTENERS):
        yield
        return
    token = is_internal_call.set(True)
    try:
        yield
    finally:
        is_internal_call.reset(token)


@cache
def _find_switch() -> ContextVar[bool] | None:
    """The switch of litellm's log; None where this version has none, whose calls are only slower."""
    try:
        switch: ContextVar[bool] = load_litellm("_internal_context").is_internal_call
    except (ImportError, AttributeError):
        return None
    return switch


_is_sent_once: ContextVar[bool] = ContextVar("a request is sent once", default=False)


@contextmanager
def _sent_once() -> Iterator[None]:
    """Keeps litellm from sending a request again: the first one may have been charged, and one call is reserved."""
    _count_attempts()
    token = _is_sent_once.set(True)
    try:
        yield
    finally:
        _is_sent_once.reset(token)


@cache
def _count_attempts() -> None:
    """Makes litellm's second attempt raise the error of the first, in our calls only."""
    handler = load_litellm("llms.custom_httpx.http_handler").AsyncHTTPHandler
    send_again = getattr(handler, "single_connection_post_request", None)
    if send_again is None:
        return

    async def refuse_or_send_again(self: Any, *args: Any, **options: Any) -> Any:
        if _is_sent_once.get() and (error := sys.exc_info()[1]) is not None:
            raise error
        return await send_again(self, *args, **options)

    handler.single_connection_post_request = refuse_or_send_again
