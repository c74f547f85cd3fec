"""What a metric gives for one sample: a score with its evidence."""

import math
from dataclasses import dataclass, field
from typing import Any, Literal

from ..judges.usage import NO_USAGE, Usage
from ..number_bounds import LARGEST_NUMBER
from .claim import Claim

FITTED_ON = "fitted_on"
"""The key of the evidence that says that a metric was fitted to this very answer's rating."""
SENTENCES = "sentences"
"""The key of the evidence with the numbers of sentences that were judged and left out."""
Status = Literal["scored", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Score:
    """The result of a metric for one sample: a value, or the reason why there is none.

    Attributes:
        value: A finite number of at most 1e100 in size when `status` is `scored`, else None; never NaN.
        status: `scored`; `skipped`, when there is nothing to measure; `failed`, when measuring went wrong.
        reason: One sentence for a person.
        evidence: JSON values that are enough to check the value by hand.
        usage: The judge's calls, tokens and cost.

    Raises:
        ValueError: The value is not finite or too large, or value and status contradict each other.

    Example:
        >>> Score(0.5, "scored", "1 of 2 claims supported").value
        0.5
        >>> Score(float("nan"), "scored", "0 of 0 claims")
        Traceback (most recent call last):
        ValueError: a score is a finite number, not nan: skip or fail with a reason
    """

    value: float | None
    status: Status
    reason: str
    evidence: dict[str, Any] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of the evidence with their verdicts, quotes and places; empty for a metric without claims.

        Example:
            >>> from assay.metrics.claim import Claim
            >>> claim = Claim("It is free.", "supported", "the context says so")
            >>> Score(1.0, "scored", "1 of 1 claims supported", {"claims": [claim.evidence()]}).claims[0].verdict
            'supported'
        """
        return tuple(Claim.from_evidence(values) for values in self.evidence.get("claims", ()))

    @property
    def is_fitted_on(self) -> bool:
        """Whether the metric was fitted to this very answer's rating: then it counts in no agreement with ratings."""
        return bool(self.evidence.get(FITTED_ON))

    @property
    def judged(self) -> int | None:
        """How many sentences of the answer were judged; None of a metric that does not part answers into sentences."""
        return self._sentences("judged")

    @property
    def left_out(self) -> int | None:
        """How many sentences of the answer were left out; None of a metric that does not part answers."""
        return self._sentences("left_out")

    def _sentences(self, key: str) -> int | None:
        sentences = self.evidence.get(SENTENCES)
        return sentences.get(key) if isinstance(sentences, dict) else None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.status == "scored"):
            raise ValueError(f"a score that is {self.status} cannot have the value {self.value}")
        if self.value is None or -LARGEST_NUMBER <= self.value <= LARGEST_NUMBER:
            return
        if not math.isfinite(self.value):
            raise ValueError(f"a score is a finite number, not {self.value}: skip or fail with a reason")
        if abs(self.value) > LARGEST_NUMBER:
            raise ValueError(
                f"a score is at most {LARGEST_NUMBER:g} in size, not {self.value:g}: measure in a larger unit, or fail "
                "with a reason"
            )


def scored(value: float, reason: str, evidence: dict[str, Any] | None = None, usage: Usage | None = None) -> Score:
    """A score with a value."""
    return Score(value, "scored", reason, evidence or {}, usage or NO_USAGE)


def skipped(reason: str, evidence: dict[str, Any] | None = None, usage: Usage | None = None) -> Score:
    """A score without a value, because there is nothing to measure; this is not an error."""
    return Score(None, "skipped", reason, evidence or {}, usage or NO_USAGE)


def failed(reason: str, evidence: dict[str, Any] | None = None, usage: Usage | None = None) -> Score:
    """A score without a value, because measuring went wrong."""
    return Score(None, "failed", reason, evidence or {}, usage or NO_USAGE)


def flawless(lowest: float, highest: float, *, is_higher_better: bool) -> float | None:
    """The score with which an answer is not among the worst: the best one, where others are worse or none is better.

    Returns:
        The score; None where all answers have the same and it is not the end of the range from 0 to 1.

    Example:
        >>> flawless(0.2, 0.9, is_higher_better=True), flawless(1, 1, is_higher_better=True)
        (0.9, 1)
        >>> flawless(0, 0, is_higher_better=True) is None
        True
    """
    best = highest if is_higher_better else lowest
    return best if lowest < highest or best == (1 if is_higher_better else 0) else None
