"""How much some work does, counted in calls of functions: the same on a busy machine and on an idle one."""

import sys
from collections.abc import Callable
from typing import Any


def count_calls(work: Callable[[], object]) -> int:
    """How many functions, Python's and C's, some work calls in this thread."""
    count = 0

    def see(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
