"""One answer with everything that was measured of it, for a person who doubts a number."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class MetricEvidence:
    """How one metric came to its score: its value or None, status, reason, and the evidence as JSON values."""

    metric: str
    value: float | None
    status: str
    reason: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """A message and its answer with the contexts, and the evidence of each metric. The texts are not to be trusted."""

    item: str
    user_input: str
    response: str
    contexts: tuple[str, ...]
    metrics: tuple[MetricEvidence, ...]
