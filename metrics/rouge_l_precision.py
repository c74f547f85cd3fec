"""ROUGE-L precision against the contexts: a baseline that keeps the order of words."""

from ..eval_sets.sample import Sample
from ..text.tokens import tokens
from .longest_subsequence import common_subsequence_length, too_long_to_compare
from .metric import ComputedMetric
from .score import Score, scored, skipped


class RougeLPrecision(ComputedMetric):
    """The share of the answer's tokens that occur in the contexts in the same order, gaps allowed.

    Formula: LCS(answer, contexts) / |tokens of the answer|, where LCS is the length of the longest common subsequence
    and the contexts count as one text, in their order (Lin, 2004, "ROUGE: A Package for Automatic Evaluation of
    Summaries"). Range: [0, 1]. An answer without words is skipped, and so is a text of more than 100,000 words.

    Example:
        >>> RougeLPrecision().score(response="Click New, then Save.", retrieved_contexts=["Click New and Save"]).value
        0.75
    """

    name = "rouge_l_precision"
    needs = ("response", "retrieved_contexts")

    def compute(self, sample: Sample) -> Score:
        """Skipped when the answer has no words, or a text has too many."""
        answer = tokens(sample.response)
        if not answer:
            return skipped("the answer has no words")
        context = [token for context in sample.retrieved_contexts for token in tokens(context)]
        if too_long := too_long_to_compare(answer, context):
            return skipped(too_long)
        common = common_subsequence_length(answer, context)
        return scored(common / len(answer), f"{common} of {len(answer)} tokens are in the context in this order")
