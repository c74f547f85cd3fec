"""What the command line's exit codes mean."""

DONE = 0
ERROR = 1
USAGE = 2
BUDGET = 3
TOO_MANY_FAILED = 4
GATE_FAILED = 5
INTERRUPTED = 130
