"""Ctrl-C at any moment: the process ends with the exit code 130 and without a traceback."""

import os
import signal

INTERRUPTED = 130


def end_at_once() -> None:
    """From here on Ctrl-C ends the process at once: while it imports, and while it ends, there is nothing to finish."""
    _handle(_end)


def raise_error() -> None:
    """From here on Ctrl-C is a `KeyboardInterrupt`, as elsewhere: what runs is brought to its end in order."""
    _handle(signal.default_int_handler)


def _handle(handler: "signal._HANDLER") -> None:
    """Sets the handler, unless Ctrl-C is ignored (a process in the background) or somebody else's affair."""
    current = signal.getsignal(signal.SIGINT)
    is_ours = getattr(current, "__module__", "").partition(".")[0] == "assay"
    if is_ours or current is signal.default_int_handler:
        signal.signal(signal.SIGINT, handler)


def _end(*_: object) -> None:
    os._exit(INTERRUPTED)
