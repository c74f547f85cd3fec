"""How long something computes, told so that what else the machine does cannot fail a test."""

import time
from collections.abc import Callable

ATTEMPTS = 3


def processor_seconds(work: Callable[[], object], enough: float) -> float:
    """The least processor time of three runs; the first that takes less than `enough` seconds ends it.

    Neighbours on the same core make a run slower, never faster: the least of several is nearest to the work itself.
    """
    least = float("inf")
    for _ in range(ATTEMPTS):
        begun = time.process_time()
        work()
        least = min(least, time.process_time() - begun)
        if least < enough:
            break
    return least
