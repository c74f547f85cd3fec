"""What is sent when an alarm fires or clears."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from ...presentation.texts import one_line


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


@dataclass(frozen=True, slots=True)
class AlarmChange:
    """An alarm that fires or clears."""

    number: int  # its number within the watch
    message: AlarmMessage  # what is sent
