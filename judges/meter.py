"""What calls take while something is measured, also where it fails: then nobody is left to hand the usage on."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .question import Usage

_taken: ContextVar[list[Usage] | None] = ContextVar("usage", default=None)


@contextmanager
def metered() -> Iterator[list[Usage]]:
    """Within, the usage of every reply is added to the list, those of tasks begun here too."""
    taken: list[Usage] = []
    token = _taken.set(taken)
    try:
        yield taken
    finally:
        _taken.reset(token)


def count(usage: Usage) -> None:
    """A reply took this."""
    if (taken := _taken.get()) is not None and usage.calls:
        taken.append(usage)
