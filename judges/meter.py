"""What calls take while something is measured, also where measuring fails and nobody is left to hand the usage on."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .usage import Usage

_usages: ContextVar[list[Usage] | None] = ContextVar("usages", default=None)


@contextmanager
def metered() -> Iterator[list[Usage]]:
    """Collects the usage of every reply within, those of tasks that begin there too.

    Example:
        >>> with metered() as usages:
        ...     count_usage(Usage(calls=1, tokens_in=20))
        >>> Usage.total(usages).tokens_in
        20
    """
    usages: list[Usage] = []
    token = _usages.set(usages)
    try:
        yield usages
    finally:
        _usages.reset(token)


def count_usage(usage: Usage) -> None:
    """Adds what a reply took to the meter of this task, if there is one."""
    if (usages := _usages.get()) is not None and usage.calls:
        usages.append(usage)
