"""Which calls are made again, and how long to wait before: one rule for all tools."""

from collections.abc import Callable
from itertools import count
from typing import TypeVar

import tenacity

ATTEMPTS = 6
"""Of one call, the first included."""
ATTEMPTS_AT_500 = 3
"""Of a call that comes back with a 500 each time: what was sent, or is read, may be what breaks the server."""
LONGEST_WAIT = 120.0
"""Seconds before one further attempt, whatever the server asks for."""
LONGEST_TOTAL = 600.0
"""Seconds of all waits of one call."""
_PASSING = frozenset({408, 425, 429})
_LASTING = frozenset({501, 505, 507, 511})  # of a server that does not offer it, is full, or wants a login
_FIRST_WAIT = 0.5
_Result = TypeVar("_Result")


class FailedAttempt(Exception):
    """What another attempt may mend."""

    def __init__(self, text: str, wait: float | None = None, attempts: int | None = None) -> None:
        super().__init__(text)
        self.wait, self.attempts, self.made = wait, attempts, 1


def is_passing(status: int) -> bool:
    """Whether the same request may succeed later: the server is asked too often, is too slow, or fails."""
    return status in _PASSING or (status >= 500 and status not in _LASTING)


def call_again(
    function: Callable[[], _Result],
    *,
    attempts: int = ATTEMPTS,
    first_wait: float = _FIRST_WAIT,
    longest_wait: float = LONGEST_WAIT,
) -> _Result:
    """Makes a call, again while it fails in passing: after as long as the server asks, else twice as long each time.

    Raises:
        FailedAttempt: The last attempt failed so, with the number of attempts.
    """
    waited = 0.0
    for made in count(1):
        try:
            return function()
        except FailedAttempt as failure:
            failure.made = made
            asked = first_wait * 2 ** (made - 1) if failure.wait is None else failure.wait
            wait = min(asked, longest_wait)
            if made >= min(attempts, failure.attempts or attempts) or waited + wait > LONGEST_TOTAL:
                raise
        waited += wait
        tenacity.nap.sleep(wait)
    raise AssertionError("a retry ends with a value or an error")
