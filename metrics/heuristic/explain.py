"""How one answer comes by its heuristic score: all that a person needs to check it by hand."""

from typing import Any, NamedTuple

from ...eval_sets.sample import Sample
from ..metric import Score
from .answer_contradiction import AnswerContradiction
from .context_synthesis import ContextSynthesis
from .decision_tree import Walk, annotators_tree, walk
from .error_mismatch import ErrorMismatch
from .general_answer import GeneralAnswer
from .message_type import TypeMatch
from .off_context import OffContext
from .reading import Feature, read
from .score import Heuristic

BEYOND: tuple[type[Feature], ...] = (ErrorMismatch, AnswerContradiction, ContextSynthesis, OffContext, GeneralAnswer)


class Explanation(NamedTuple):
    """A sample's message type, its score, the seven features, the heuristics beyond them, and the tree's way."""

    sample: Sample
    type: TypeMatch
    score: Score
    features: dict[str, Score]
    beyond: dict[str, Score]
    way: Walk

    def as_json(self) -> dict[str, Any]:
        """JSON values of all of it."""
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

    Raises `UsageError` when a named pipeline cannot be used.
    """
    reading = await read(sample, metric.texts)
    features = metric.measured(reading)
    beyond = {feature.short_name: feature.of(reading) for feature in (kind() for kind in BEYOND)}
    values = {name: score.value for name, score in {**features, **beyond}.items()}
    way = walk(annotators_tree(), values)
    return Explanation(sample, metric.type_of(sample), await metric.assess(sample), features, beyond, way)


def _as_json(score: Score) -> dict[str, Any]:
    return {"value": score.value, "status": score.status, "reason": score.reason, "evidence": score.evidence}
