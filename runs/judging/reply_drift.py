"""Estimates how often a model now gives another reply than the recorded one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...judges.drift import RepeatedQuestion
from ...meta_eval.estimate import Estimate, estimate_proportion


@dataclass(frozen=True, slots=True)
class ReplyDrift:
    """How often the model gives another reply than the recorded one."""

    asked: int
    failed: int
    other_text: int
    other_value: int
    share: Estimate  # `other_value` as a share of the usable replies
    moved: float | None  # the mean of the absolute changes of the first option's probability; None where there are none

    def as_json(self) -> dict[str, Any]:
        """Returns JSON values; `share`, `low` and `high` are the share with its interval."""
        return {
            "asked": self.asked,
            "failed": self.failed,
            "other_text": self.other_text,
            "other_value": self.other_value,
            "share": self.share.value,
            "low": self.share.low,
            "high": self.share.high,
            "moved": self.moved,
        }


def estimate_drift(repeated: Sequence[RepeatedQuestion]) -> ReplyDrift:
    """Estimates the share of the recorded replies to which the model would now give another value.

    Example:
        >>> def question(same: bool) -> RepeatedQuestion:
        ...     return RepeatedQuestion("k", "p", "s", "Yes", "Yes", same_text=same, same_value=same)
        >>> drift = estimate_drift([question(True), question(True), question(True), question(False)])
        >>> drift.share.value, round(drift.share.low, 3), round(drift.share.high, 3)
        (0.25, 0.046, 0.699)
    """
    answered = [question for question in repeated if not question.problem]
    changed = sum(not question.same_value for question in answered)
    moved = [question.moved for question in answered if question.moved is not None]
    return ReplyDrift(
        asked=len(repeated),
        failed=len(repeated) - len(answered),
        other_text=sum(not question.same_text for question in answered),
        other_value=changed,
        share=estimate_proportion(changed, len(answered)),
        moved=sum(moved) / len(moved) if moved else None,
    )
