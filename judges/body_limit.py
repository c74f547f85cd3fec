"""A bound on the body of a reply: one without end is cut off before it fills the memory."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..errors import JudgeError
from ..text.wording import count_of

MOST_BYTES = 64 << 20  # of one reply: a thousand times the longest that a question asks for


@dataclass
class Body:
    """The body of the reply under way."""

    most_bytes: int
    is_kept: bool = False
    received: int = 0
    content: bytes = b""  # these bytes where they are kept


_body: ContextVar[Body | None] = ContextVar("body of a reply", default=None)


@contextmanager
def bounded_body(*, keep: bool = False, most_bytes: int | None = None) -> Iterator[Body]:
    """Limits the reply to a call of this task; a longer one is not read to its end.

    Raises:
        JudgeError: The body was longer.
    """
    _count_bodies()
    body = Body(most_bytes or MOST_BYTES, keep)
    token = _body.set(body)
    try:
        yield body
    except Exception as error:
        if body.received > body.most_bytes:
            raise JudgeError(f"the reply was cut off: its body is longer than {body.most_bytes >> 20} MB") from error
        raise
    finally:
        _body.reset(token)


@cache
def _count_bodies() -> None:
    """Lets httpx and aiohttp count the bytes of a body, once; where nobody bounds them nothing changes.

    httpx reads the replies of all of litellm's providers but those of `aiohttp_openai/`, over whatever transport
    litellm takes; what is counted is the unpacked body.
    """
    import aiohttp
    import httpx

    read_async: Callable[..., Any] = httpx.Response.aiter_bytes  # a generator, which can be closed
    read: Callable[..., Any] = httpx.Response.iter_bytes
    read_aiohttp = aiohttp.StreamReader.readany

    async def read_async_bounded(self: httpx.Response, chunk_size: int | None = None) -> AsyncIterator[bytes]:
        async with aclosing(read_async(self, chunk_size)) as chunks:  # closes the connection of a body that is cut off
            async for chunk in chunks:
                _count(chunk)
                if (body := _body.get()) is not None and body.is_kept:
                    body.content += chunk
                yield chunk

    def read_bounded(self: httpx.Response, chunk_size: int | None = None) -> Iterator[bytes]:
        with closing(read(self, chunk_size)) as chunks:
            for chunk in chunks:
                _count(chunk)
                yield chunk

    async def read_aiohttp_bounded(self: aiohttp.StreamReader) -> bytes:
        chunk = await read_aiohttp(self)
        _count(chunk)
        return chunk

    httpx.Response.aiter_bytes = read_async_bounded  # type: ignore[method-assign]
    httpx.Response.iter_bytes = read_bounded  # type: ignore[method-assign]
    aiohttp.StreamReader.readany = read_aiohttp_bounded  # type: ignore[method-assign]


def _count(chunk: bytes) -> None:
    body = _body.get()
    if body is not None:
        body.received += len(chunk)
        if body.received > body.most_bytes:
            raise ValueError(f"more than {count_of(body.most_bytes, 'byte')}")
