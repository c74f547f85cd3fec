"""Bounds on a call of a tool's server: how long it may take, and how much its reply may hold, unpacked."""

import contextvars
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import InputError
from .tool_server import ToolServer

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 128 << 20
"""Of one reply."""
LONGEST_CALL = 120.0
"""Seconds of one attempt, from the connection to the last byte."""
_PART = 1 << 20  # bytes that are unpacked at once
_PACKED = ("gzip", "x-gzip", "deflate")
_CURE = "narrow the time or the filter, or look what stands at this address"
_Result = TypeVar("_Result")
_deadline: contextvars.ContextVar[float | None] = contextvars.ContextVar("end of a call", default=None)


class ReplyBounds:
    """The bounds on the calls of one server."""

    def __init__(self, server: ToolServer, seconds: float | None = None) -> None:
        self._server = server
        self._seconds = seconds

    def call(self, function: Callable[[], _Result]) -> _Result:
        """Makes one attempt of a call, and gives it up when its time is over.

        It runs in a thread: a server that sends a byte now and then keeps each single wait short, also before a body
        has begun. One that is given up ends with the next piece of its body, or with the process.

        Raises:
            InputError: It took too long.
        """
        seconds = LONGEST_CALL if self._seconds is None else self._seconds
        outcomes: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

        def run() -> None:
            _deadline.set(time.monotonic() + seconds)
            try:
                outcomes.put((function(), None))
            except BaseException as error:
                outcomes.put((None, error))

        threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True).start()
        try:
            result, error = outcomes.get(timeout=seconds)
        except Empty:
            raise self._too_slow(seconds) from None
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]

    def bound(self, response: "httpx.Response") -> None:
        """Bounds a response of httpx whose body has not been read: a hook of the client."""
        import httpx

        coding = response.headers.get("content-encoding", "")
        chunks = self._bounded(response.stream, response.headers.get("content-length", ""), coding)  # type: ignore[arg-type]
        own = response.stream

        class BoundedStream(httpx.SyncByteStream):
            def __iter__(self) -> Iterator[bytes]:
                yield from chunks

            def close(self) -> None:
                own.close()  # type: ignore[union-attr]

        response.headers.pop("content-encoding", None)  # it is unpacked here
        response.stream = BoundedStream()

    def read(self, response: Any) -> bytes:
        """Reads the body of a response of requests that was asked for with `stream=True`."""
        headers = response.headers
        chunks = response.raw.stream(1 << 16, decode_content=False)
        try:
            return b"".join(
                self._bounded(chunks, headers.get("content-length", ""), headers.get("content-encoding", ""))
            )
        finally:
            response.close()

    def _bounded(self, chunks: Iterable[bytes], length: str, coding: str) -> Iterator[bytes]:
        """The parts of a body, unpacked; what is wrong with it is raised with the first one."""
        coding = coding.strip().lower()
        if length.isascii() and length.isdigit() and (len(length) > 18 or int(length) > MOST_BYTES):
            raise self._too_long()
        if coding not in ("", "identity", *_PACKED):
            raise InputError(
                f"{self._server} packs its reply as `{self._server.words(coding)}`, which was not asked for"
            )
        received = 0
        try:
            for part in _unpack(chunks) if coding in _PACKED else chunks:
                received += len(part)
                if received > MOST_BYTES:
                    raise self._too_long()
                deadline = _deadline.get()
                if deadline is not None and time.monotonic() > deadline:
                    raise self._too_slow(LONGEST_CALL if self._seconds is None else self._seconds)
                yield part
        except zlib.error:
            raise InputError(f"{self._server} sends a reply that cannot be unpacked: {_CURE}") from None

    def _too_long(self) -> InputError:
        return InputError(f"{self._server} sends a reply of more than {MOST_BYTES >> 20} MB: {_CURE}")

    def _too_slow(self, seconds: float) -> InputError:
        return InputError(f"{self._server} has not ended its reply after {seconds:,.0f} seconds: {_CURE}")


def _unpack(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Unpacks gzip or zlib in parts of a bounded size: a few bytes can stand for gigabytes."""
    unpacker = None
    for chunk in chunks:
        if unpacker is None and chunk:
            # of gzip, else of zlib, else the bare stream that some servers call deflate
            has_head = chunk[:1] in (b"\x1f", b"\x78")
            unpacker = zlib.decompressobj(32 + zlib.MAX_WBITS if has_head else -zlib.MAX_WBITS)
        rest = chunk
        while rest and unpacker is not None:
            yield unpacker.decompress(rest, _PART)
            rest = unpacker.unconsumed_tail
    if unpacker is not None:
        yield unpacker.flush()
