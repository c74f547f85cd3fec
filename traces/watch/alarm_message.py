"""What is sent when an alarm fires or clears."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from ...presentation.texts import one_line


@dataclass(frozen=True, slots=True)
class AlarmAnswer:
    """An answer to read.

    Attributes:
        id: The trace's id.
        question: What was asked.
        answer: What the chatbot said.
        score: The judge's score; None where it has none.
        reason: Why, by the judge or the rater; empty where nobody said.
        link: The answer's page; empty without one.
    """

    id: str
    question: str
    answer: str
    score: float | None = None
    reason: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class AlarmMessage:
    """An alarm that has fired or cleared, for a webhook.

    Attributes:
        id: The same each time that this message is sent: whoever gets it twice may drop the second.
        watch: The watch's name.
        event: Whether the alarm fires or clears.
        bound: The bound, such as `mean at least 3.8`.
        sentence: What changed, since when.
        since: The day of the first answer of the change, in ISO 8601; empty where nothing changed.
        value: The figure.
        low: The lower end of its interval; None without one.
        high: The upper end; None without one.
        answers: The answers to read, at most five.
        page: The watch's page; empty without one.
        at: When, in ISO 8601 in UTC.
    """

    id: str
    watch: str
    event: Literal["fired", "cleared"]
    bound: str
    sentence: str
    since: str
    value: float | None
    low: float | None
    high: float | None
    answers: tuple[AlarmAnswer, ...]
    page: str
    at: str

    def as_json(self) -> dict[str, Any]:
        """Returns the message as JSON values, with `text`, which chat tools show."""
        what = "alarm" if self.event == "fired" else "cleared"
        return {"text": one_line(f"{self.watch}: {what}: {self.sentence} {self.page}".strip())} | asdict(self)


@dataclass(frozen=True, slots=True)
class AlarmChange:
    """An alarm that fires or clears.

    Attributes:
        number: Its number within the watch.
        message: What is sent.
    """

    number: int
    message: AlarmMessage
