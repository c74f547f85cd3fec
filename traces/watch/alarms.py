"""An alarm: what is sent when it fires or clears, and how it reaches a webhook (a POST of JSON with `text`)."""

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

import httpx

from ...errors import InputError
from ...judges.retry import read_retry_after
from ...judges.secrets import Scrubber
from ...presentation.texts import one_line
from ..http_client import FailedAttempt, call_again, is_passing


@dataclass(frozen=True, slots=True)
class AlarmAnswer:
    """An answer to read."""

    id: str  # the trace's id
    question: str  # what was asked
    answer: str  # what the chatbot said
    score: float | None = None  # the judge's score; None where it has none
    reason: str = ""  # why, by the judge or the rater; empty where nobody said
    link: str = ""  # the answer's page; empty without one


@dataclass(frozen=True, slots=True)
class AlarmMessage:
    """An alarm that has fired or cleared, for a webhook."""

    id: str  # the same each time that this message is sent: whoever gets it twice may drop the second
    watch: str  # the watch's name
    event: Literal["fired", "cleared"]  # whether the alarm fires or clears
    bound: str  # the bound, such as `mean at least 3.8`
    sentence: str  # what changed, since when
    since: str  # the day of the first answer of the change, in ISO 8601; empty where nothing changed
    value: float | None  # the figure
    low: float | None  # the lower end of its interval; None without one
    high: float | None  # the upper end; None without one
    answers: tuple[AlarmAnswer, ...]  # the answers to read, at most five
    page: str  # the watch's page; empty without one
    at: str  # when, in ISO 8601 in UTC

    def as_json(self) -> dict[str, Any]:
        """Returns the message as JSON values, with `text`, which chat tools show."""
        what = "alarm" if self.event == "fired" else "cleared"
        return {"text": one_line(f"{self.watch}: {what}: {self.sentence} {self.page}".strip())} | asdict(self)


_TRIES = 3
_SECONDS = 10.0  # of one try
_LONGEST_WAIT = 8.0  # seconds between two tries
_LONGEST_PROBLEM = 300  # characters of what a server says


def deliver_alarm(message: AlarmMessage, url: str, *, first_wait: float = 0.5) -> None:
    """Posts a message to a webhook, with its id in the header `Idempotency-Key`; no redirect is followed.

    What passes (a time-out, too many requests, an error of the server) is tried three times.
    """
    body = json.dumps(message.as_json())
    waits = {"first_wait": first_wait, "longest_wait": _LONGEST_WAIT}
    try:
        call_again(lambda: _post(url, body, message.id), attempts=_TRIES, **waits)
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
