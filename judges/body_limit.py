"""A bound on the body of a reply: one without end is cut off before it fills the memory."""

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

from ..errors import JudgeError
from .litellm_loader import load_litellm

MOST_BYTES = 64 << 20  # of one reply: a thousand times the longest that a question asks for

_LOG = logging.getLogger(__name__)


@dataclass
class _Body:
    """The body of the reply under way."""

    most_bytes: int
    received: int = 0


_body: ContextVar[_Body | None] = ContextVar("body of a reply", default=None)


@contextmanager
def bounded_body() -> Iterator[None]:
    """Within, the reply to a call of this task may be `MOST_BYTES` long, and is cut off beyond that.

    Raises:
        JudgeError: The body was longer.
    """
    _count_bodies()
    body = _Body(MOST_BYTES)
    token = _body.set(body)
    try:
        yield
    except Exception as error:
        if body.received > body.most_bytes:
            raise JudgeError(f"the reply was cut off: its body is longer than {body.most_bytes >> 20} MB") from error
        raise
    finally:
        _body.reset(token)


@cache
def _count_bodies() -> None:
    """Lets litellm's stream of a reply's body count its bytes, once; where nobody bounds them nothing changes."""
    try:
        stream: Any = load_litellm("llms.custom_httpx.aiohttp_transport").AiohttpResponseStream
        read_chunks = stream.__aiter__
    except (ImportError, AttributeError) as problem:
        _LOG.warning(
            "litellm %s differs from the versions that Assay knows (%s): the length of a reply has no bound",
            version("litellm"),
            problem,
        )
        return

    async def read_bounded(self: Any) -> AsyncIterator[bytes]:
        body = _body.get()
        async with aclosing(read_chunks(self)) as chunks:  # closes the connection where the body is cut off
            async for chunk in chunks:
                if body is not None:
                    body.received += len(chunk)
                    if body.received > body.most_bytes:
                        raise ValueError(f"more than {body.most_bytes} bytes")
                yield chunk

    stream.__aiter__ = read_bounded
