"""ROUGE-L precision against the context: a baseline that keeps the order of words (Lin, 2004)."""

from ..eval_sets.sample import Sample
from .metric import Metric, Score, scored, skipped
from .tokens import tokens


class RougeLPrecision(Metric):
    """Longest common subsequence of answer and contexts / the answer's tokens, in [0, 1]."""

    name = "rouge_l_precision"
    needs = ("response", "retrieved_contexts")

    async def measure(self, sample: Sample) -> Score:
        """Skipped when the answer has no words. The contexts count as one text, in their order."""
        from rapidfuzz.distance import LCSseq

        answer = tokens(sample.response)
        if not answer:
            return skipped("the answer has no words")
        context = [token for context in sample.retrieved_contexts for token in tokens(context)]
        common = LCSseq.similarity(answer, context)
        return scored(common / len(answer), f"{common} of {len(answer)} tokens are in the context in this order")
