"""Which of two answers to one question somebody prefers."""

from dataclasses import dataclass
from typing import Literal

Choice = Literal["first", "second", "tie"]


@dataclass(frozen=True, slots=True)
class Preference:
    """One comparison of the answers of two versions to one question, by one rater or judge.

    Attributes:
        question: The id of the sample, in the version that is in use today, or of the row.
        first: The name of one version.
        second: The name of the other.
        choice: Which is better: the answer of `first`, of `second`, or neither (`tie`).
        rater: Who says so.
        group: Questions of one group are resampled together; left out, each question is its own.
        reason: Why, in the rater's words.
    """

    question: str
    first: str
    second: str
    choice: Choice
    rater: str = ""
    group: str = ""
    reason: str = ""

    @property
    def value(self) -> int:
        """1 where the second is better, -1 where the first is, 0 for a tie."""
        return {"first": -1, "tie": 0, "second": 1}[self.choice]
