"""What the command line's exit codes mean."""

from ..interruption import INTERRUPTED

__all__ = ["BUDGET", "DONE", "ERROR", "GATE_FAILED", "INTERRUPTED", "TOO_MANY_FAILED", "USAGE"]

DONE = 0
ERROR = 1
USAGE = 2
BUDGET = 3
TOO_MANY_FAILED = 4
GATE_FAILED = 5
