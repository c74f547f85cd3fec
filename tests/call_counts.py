"""How many functions some work calls: a cost that is the same on every machine, whatever else runs there."""

import gc
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))  # for `python tests/test_speed.py`
from thread_profile import profiled_threads

_calls = itertools.count()


def _note(_frame: Any, event: str, _argument: Any) -> None:
    if event in {"call", "c_call"}:
        next(_calls)


def count_calls(work: Callable[[], object]) -> int:
    """Counts the calls of functions, those of C included, in this thread and in those that the work starts.

    The work runs once before, so that what is loaded, compiled or kept the first time is not counted. What one call of
    C does inside (an expression that backtracks) is not seen.

    Example:
        >>> count_calls(lambda: len("ab"))
        2
    """
    with profiled_threads(_note):
        work()
        return count_once(work)


def count_once(work: Callable[[], object]) -> int:
    """Counts the calls of functions in this thread alone, for what is loaded already."""
    was_collecting = gc.isenabled()
    gc.disable()  # a collection runs finalizers whenever it likes; beside thousands of tests, each takes a second
    before = next(_calls)
    sys.setprofile(_note)
    try:
        work()
    finally:
        sys.setprofile(None)
        if was_collecting:
            gc.enable()
    return next(_calls) - before - 2  # without the two that begin and end the counting


def growth(make_work: Callable[[int], Callable[[], object]], size: int) -> float:
    """How many times as many calls work of four times the size takes: 4 where they grow with the size, 16 if squared.

    Example:
        >>> round(growth(lambda size: lambda: [abs(number) for number in range(size)], 1000))
        4
    """
    return count_calls(make_work(4 * size)) / count_calls(make_work(size))


def assert_proportional(work: Callable[[str], object], text: str) -> None:
    """A text of four times the length may take eight times the calls; what grows with its square takes 16.

    A number stands before each text, since what is found in a text is kept: of the same one again, nothing is counted.
    """
    short = text[: len(text) // 4]
    work(short)  # so that nothing is loaded or compiled while calls are counted
    few, many = count_once(lambda: work(f"1\n{short}")), count_once(lambda: work(f"2\n{text}"))
    assert many < 8 * max(few, 1000), (few, many)
