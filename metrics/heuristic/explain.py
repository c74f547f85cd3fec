"""Explains the heuristic score of one answer: all that a person needs to check it by hand."""

from typing import Any, NamedTuple

from ...eval_sets.sample import Sample
from ...worker_threads import compute_beside
from ..score import Score
from .decision_tree import Walk, annotators_tree, walk
from .message_type import TypeMatch
from .score import BEYOND, Heuristic


class Explanation(NamedTuple):
    """A sample's message type, its score, the features in its sum, the heuristics beyond them, and the tree's way."""

    sample: Sample
    type: TypeMatch
    score: Score
    features: dict[str, Score]
    beyond: dict[str, Score]
    way: Walk

    def as_json(self) -> dict[str, Any]:
        """Returns all of it as JSON values."""
        return {
            "sample": self.sample.id,
            "message_type": {"type": self.type.type, "pattern": self.type.pattern, "matched": self.type.matched}
            | {"reason": self.type.reason},
            "score": _as_json(self.score),
            "features": {name: _as_json(score) for name, score in self.features.items()},
            "beyond": {name: _as_json(score) for name, score in self.beyond.items()},
            "decision": self.way.answer,
            "because": self.way.because,
            "path": [step._asdict() for step in self.way.steps],
        }


async def explain(sample: Sample, metric: Heuristic) -> Explanation:
    """Explains a sample's score by a metric; the features are measured also where its type is not scored.

    Raises `UsageError` when a named pipeline cannot be used, `JudgeError` when a translation cannot be had.
    """
    kind = await compute_beside(metric.classify_sample, sample)
    reading = await metric.read(sample)
    features = await compute_beside(reading.measure, metric.features)
    others = [feature for feature in (other() for other in BEYOND) if feature.short_name not in features]
    beyond = await compute_beside(reading.measure, others)
    way = walk(annotators_tree(), {name: score.value for name, score in {**features, **beyond}.items()})
    score = metric.skip_incomplete(sample) or metric.skip_unscored(sample, kind.type)
    score = score or metric.rate(sample, kind.type, features, reading.translation)
    return Explanation(sample, kind, score, features, beyond, way)


def _as_json(score: Score) -> dict[str, Any]:
    return {"value": score.value, "status": score.status, "reason": score.reason, "evidence": score.evidence}
