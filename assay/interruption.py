"""Ctrl-C at any moment: the process ends with the exit code 130 and without a traceback."""

import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs
    from types import TracebackType

INTERRUPTED = 130


def end_at_once() -> None:
    """From here on Ctrl-C ends the process at once: while it imports, and while it ends, there is nothing to finish."""
    _handle(_end)


def raise_error() -> None:
    """From here on Ctrl-C is a `KeyboardInterrupt`, as elsewhere: what runs is brought to its end in order.

    One that arrives where nobody catches it (in a callback of the garbage collector, after the last `except`) ends the
    process.
    """
    _handle(signal.default_int_handler)
    report, report_unraisable = sys.excepthook, sys.unraisablehook

    def end_or_report(kind: type[BaseException], error: BaseException, trace: "TracebackType | None") -> None:
        if was_interrupted(error):
            os._exit(INTERRUPTED)
        report(kind, error, trace)

    def end_or_report_unraisable(unraisable: "UnraisableHookArgs") -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            os._exit(INTERRUPTED)
        report_unraisable(unraisable)

    sys.excepthook, sys.unraisablehook = end_or_report, end_or_report_unraisable


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
