"""Which calls are made again, and how long to wait before: one rule for all tools."""

from collections.abc import Callable
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
    """Whether the same request may succeed later: the server is asked too often, is too slow, or fails.

    Example:
        >>> [status for status in (400, 404, 408, 429, 500, 501, 503, 507) if is_passing(status)]
        [408, 429, 500, 503]
    """
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
    backoff = tenacity.wait_exponential(multiplier=first_wait, max=longest_wait)

    def failure_of(state: tenacity.RetryCallState) -> FailedAttempt | None:
        error = state.outcome.exception() if state.outcome else None
        return error if isinstance(error, FailedAttempt) else None

    def wait_for(state: tenacity.RetryCallState) -> float:
        failure = failure_of(state)
        asked = failure.wait if failure else None
        return float(backoff(state)) if asked is None else min(asked, longest_wait)

    def is_enough(state: tenacity.RetryCallState) -> bool:
        failure = failure_of(state)
        if failure is None:
            return True
        failure.made = state.attempt_number
        most = attempts if failure.attempts is None else min(attempts, failure.attempts)
        return state.attempt_number >= most or state.idle_for + state.upcoming_sleep > LONGEST_TOTAL

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(FailedAttempt),
        wait=wait_for,
        stop=is_enough,
        sleep=tenacity.nap.sleep,
        reraise=True,
    )
    return retrying(function)
