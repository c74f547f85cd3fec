"""Explains the heuristic score of one answer: all that a person needs to check it by hand."""

from typing import Any, NamedTuple

from ...eval_sets.sample import Sample
from ...worker_threads import compute_beside
from ..score import Score
from .message_type import TypeMatch
from .score import Heuristic


class Explanation(NamedTuple):
    """A sample's message type, its score, and the features in its sum."""

    sample: Sample
    type: TypeMatch
    score: Score
    features: dict[str, Score]

    def as_json(self) -> dict[str, Any]:
        """Returns all of it as JSON values."""
        return {
            "sample": self.sample.id,
            "message_type": {"type": self.type.type, "pattern": self.type.pattern, "matched": self.type.matched}
            | {"reason": self.type.reason},
            "score": _as_json(self.score),
            "features": {name: _as_json(score) for name, score in self.features.items()},
        }


async def explain(sample: Sample, metric: Heuristic) -> Explanation:
    """Explains a sample's score by a metric; the features are measured also where its type is not scored.

    Raises `UsageError` when a named pipeline cannot be used, `JudgeError` when a translation cannot be had.
    """
    kind = await compute_beside(metric.classify_sample, sample)
    reading = await metric.read(sample)
    features = await compute_beside(reading.measure, metric.features)
    score = metric.skip_incomplete(sample) or metric.skip_unscored(sample, kind.type)
    score = score or metric.rate(sample, kind.type, features, reading.translation)
    return Explanation(sample, kind, score, features)


def _as_json(score: Score) -> dict[str, Any]:
    return {"value": score.value, "status": score.status, "reason": score.reason, "evidence": score.evidence}
