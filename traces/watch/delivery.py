"""Delivers an alarm to a webhook: a POST of JSON, whose `text` chat tools show."""

import json

import httpx

from ...errors import InputError
from ...judges.retry import read_retry_after
from ...judges.secrets import Scrubber
from ...presentation.texts import one_line
from ..retrying import FailedAttempt, call_again, is_passing
from .alarm_message import AlarmMessage

_TRIES = 3
_SECONDS = 10.0  # of one try
_LONGEST_WAIT = 8.0  # seconds between two tries
_LONGEST_PROBLEM = 300  # characters of what a server says


def deliver_alarm(message: AlarmMessage, url: str, *, first_wait: float = 0.5) -> None:
    """Posts a message to a webhook, with its id in the header `Idempotency-Key`; no redirect is followed.

    What passes (a time-out, too many requests, an error of the server) is tried three times.
    """
    body = json.dumps(message.as_json())
    try:
        call_again(
            lambda: _post(url, body, message.id),
            attempts=_TRIES,
            first_wait=first_wait,
            longest_wait=_LONGEST_WAIT,
        )
    except (FailedAttempt, InputError) as error:
        tries = f" ({_TRIES} tries)" if isinstance(error, FailedAttempt) else ""
        problem = Scrubber(url).scrub_error(f"{error}{tries}")  # the URL is a secret, and may be in it
        raise InputError(one_line(problem, _LONGEST_PROBLEM)) from None


def _post(url: str, body: str, key: str) -> None:
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    try:
        # only an error needs the body, and of that as much as comes at once: a server may never end it
        with httpx.stream("POST", url, content=body, headers=headers, timeout=_SECONDS) as response:
            start = "" if response.is_success else next(response.iter_text(), "")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise FailedAttempt(f"the webhook cannot be reached: {error or type(error).__name__}") from None
    if response.is_success:
        return
    problem = f"the webhook answered {response.status_code}: {start[:_LONGEST_PROBLEM] or 'nothing'}"
    if is_passing(response.status_code):
        raise FailedAttempt(problem, read_retry_after(response.headers))
    raise InputError(problem)
