"""How long something computes, told so that what else the machine does cannot fail a test."""

import gc
import hashlib
import json
import re
import time
from collections.abc import Callable
from fractions import Fraction

_FEWEST_TURNS, _MOST_TURNS = 5, 40


def relative_time(work: Callable[[], object], limit: float) -> float:
    """The processor time of some work, divided by that of a fixed computation: the same on a fast and a slow machine.

    Both are timed in turns, each by the least of several runs, without the garbage collector, whose time grows with
    what earlier tests left in memory; that is set aside, so that the collection after each turn is quick. After a few
    turns the first quotient below `limit` ends it, so that only a slow one takes all of them.

    Args:
        work: What is timed; it takes some 10 ms or more, and does the same each time. One run before the first counted
            one fills its caches.
        limit: The quotient that would be too much.
    """
    work()
    least_work = least_fixed = float("inf")
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        for turn in range(1, _MOST_TURNS + 1):
            least_fixed = min(least_fixed, _seconds(_compute_something_fixed))
            least_work = min(least_work, _seconds(work))
            gc.collect()
            if turn >= _FEWEST_TURNS and least_work / least_fixed < limit:
                break
    finally:
        gc.enable()
        gc.unfreeze()
    return least_work / least_fixed


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _compute_something_fixed() -> None:
    """Some 10 ms of what scoring is made of: text, expressions, JSON, dictionaries, calls and small objects."""
    text = "The fee of 25 euros is paid within 14 days; ask the help desk, which opens at 9:00, for another date. "
    for number in range(100):
        words = re.findall(r"\w+", text.casefold())
        counts: dict[str, int] = {}
        for word in words:
            counts[word] = counts.get(word, 0) + 1
        read = json.loads(json.dumps({"number": number, "words": words, "counts": counts}))
        Fraction(sum(read["counts"].values()), number + 1)
        re.search(r"(?:^|.*\b)(?:grader|judge|rater)s?\b", text, re.IGNORECASE)
        hashlib.sha256(text.encode() + str(number).encode()).hexdigest()
