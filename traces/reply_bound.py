"""A bound on what a server sends in one reply: one without end is an error before it fills the memory."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ..errors import InputError, JudgeError
from ..judges.body_limit import bounded_body

MOST_BYTES = 256 << 20
"""Of one reply, unpacked."""


@contextmanager
def bounded_reply(server: object) -> Iterator[None]:
    """Limits the reply to a call that is made with httpx.

    Args:
        server: The server, as errors name it.

    Raises:
        InputError: The reply was longer.
    """
    try:
        with bounded_body(most_bytes=MOST_BYTES):
            yield
    except JudgeError:
        raise _too_long(server) from None


def join_chunks(chunks: Iterable[bytes], server: object) -> bytes:
    """Joins the parts of a reply.

    Args:
        chunks: The parts, as they come.
        server: The server, as errors name it.

    Raises:
        InputError: The reply is longer than the bound.
    """
    content = bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > MOST_BYTES:
            raise _too_long(server)
    return bytes(content)


def _too_long(server: object) -> InputError:
    return InputError(
        f"{server} sends a reply of more than {MOST_BYTES >> 20} MB; narrow the time or the filter, or correct the "
        "address"
    )
