"""How much some work does, counted in calls of functions: the same on a busy machine and on an idle one."""

import sys
from collections.abc import Callable
from typing import Any


def assert_proportional(work: Callable[[str], object], text: str) -> None:
    """A text of four times the length may take up to eight times the calls; work that grows with its square takes 16.

    What a pattern does within one call is not counted: what takes for ever there is ended by pytest-timeout.
    """
    short, long = (count_calls(lambda part=part: work(part)) for part in (text[: len(text) // 4], text))  # type: ignore[misc]
    assert long < 8 * max(short, 1000), (short, long)


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
