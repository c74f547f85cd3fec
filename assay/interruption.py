"""How the process ends: the exit codes of the command line; at Ctrl-C, at any moment, 130 and no traceback."""

import os
import signal

DONE = 0
ERROR = 1
USAGE = 2
BUDGET = 3
TOO_MANY_FAILED = 4
GATE_FAILED = 5
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
