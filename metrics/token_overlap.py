"""Token overlap: the baseline that a faithfulness metric must beat to be worth its price."""

from ..eval_sets.sample import Sample
from .metric import Metric, Score, scored, skipped
from .tokens import tokens


class TokenOverlap(Metric):
    """The share of the answer's tokens (repeats counted) that stand somewhere in its contexts, in [0, 1]."""

    name = "token_overlap"
    needs = ("response", "retrieved_contexts")

    async def measure(self, sample: Sample) -> Score:
        """Skipped when the answer has no words."""
        answer = tokens(sample.response)
        if not answer:
            return skipped("the answer has no words")
        known = {token for context in sample.retrieved_contexts for token in tokens(context)}
        strange = [token for token in answer if token not in known]
        value = 1 - len(strange) / len(answer)
        reason = f"{len(answer) - len(strange)} of {len(answer)} tokens are in the context"
        return scored(value, reason, {"not_in_context": list(dict.fromkeys(strange))[:20]})
