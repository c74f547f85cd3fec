"""Ctrl-C at any moment: the process ends with the exit code 130 and without a traceback."""

import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

INTERRUPTED = 130


def end_at_once() -> None:
    """From here on Ctrl-C ends the process at once: while it imports, and while it ends, there is nothing to finish."""
    _handle(_end)


def raise_error() -> None:
    """From here on Ctrl-C is a `KeyboardInterrupt`, as elsewhere: what runs is brought to its end in order.

    One that arrives where Python can raise nothing (in a callback of the garbage collector) ends the process.
    """
    _handle(signal.default_int_handler)
    hook = sys.unraisablehook

    def end_or_report(report: "UnraisableHookArgs") -> None:
        if issubclass(report.exc_type, KeyboardInterrupt):
            os._exit(INTERRUPTED)
        hook(report)

    sys.unraisablehook = end_or_report


def was_interrupted(error: BaseException | None) -> bool:
    """Whether an error is a Ctrl-C, or what a library made of one.

    Example:
        >>> try:
        ...     raise ImportError("no such module") from KeyboardInterrupt()
        ... except ImportError as error:
        ...     was_interrupted(error)
        True
    """
    seen = set[int]()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _handle(handler: "signal._HANDLER") -> None:
    """Sets the handler, unless Ctrl-C is ignored (a process in the background) or somebody else's affair."""
    current = signal.getsignal(signal.SIGINT)
    is_ours = getattr(current, "__module__", "").partition(".")[0] == "assay"
    if is_ours or current is signal.default_int_handler:
        signal.signal(signal.SIGINT, handler)


def _end(*_: object) -> None:
    os._exit(INTERRUPTED)
