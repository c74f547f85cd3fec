"""What is worth asking again after a failed call, and how long to wait."""

import email.utils
import time
from collections.abc import Callable

import tenacity

LONGEST_WAIT = 60.0
TOTAL_BOUND = 600.0
_WORTH_IT = frozenset({408, 409, 425, 429})


def status_of(error: BaseException) -> int | None:
    """The HTTP status behind a litellm error, or None."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def is_passing(error: BaseException) -> bool:
    """Whether the same call may go well later: 429, 5xx, a time-out, a broken connection. Not 401, 400, 404, ..."""
    from litellm import exceptions as kinds

    if isinstance(error, (kinds.ContextWindowExceededError, kinds.ContentPolicyViolationError)):
        return False
    if isinstance(error, (kinds.Timeout, kinds.APIConnectionError)):
        return True
    status = status_of(error)
    return status is not None and (status in _WORTH_IT or status >= 500)


def retry_after(error: BaseException) -> float | None:
    """The provider's own word on when to come back, in seconds, or None; `Retry-After` in seconds or as a date."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def retrying(attempts: int, on_retry: Callable[[BaseException], None]) -> tenacity.AsyncRetrying:
    """Tries up to `attempts` times within `TOTAL_BOUND` seconds, waiting with jitter or as the provider says."""
    jitter = tenacity.wait_random_exponential(multiplier=0.5, max=LONGEST_WAIT)

    def wait(state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        told = retry_after(error) if error else None
        return jitter(state) if told is None else min(told, LONGEST_WAIT)

    def before_sleep(state: tenacity.RetryCallState) -> None:
        if state.outcome and (error := state.outcome.exception()):
            on_retry(error)

    return tenacity.AsyncRetrying(
        retry=tenacity.retry_if_exception(is_passing),
        stop=tenacity.stop_after_attempt(attempts) | tenacity.stop_before_delay(TOTAL_BOUND),
        wait=wait,
        before_sleep=before_sleep,
        reraise=True,
    )
