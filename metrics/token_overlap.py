"""Token overlap: the baseline that a faithfulness metric should beat."""

from ..eval_sets.sample import Sample
from ..text.text_matching import tokens
from ..text.wording import count_of
from .metric import ComputedMetric
from .score import Score, scored, skipped

_MOST_SHOWN = 20  # tokens in the evidence


class TokenOverlap(ComputedMetric):
    """The share of the answer's tokens that occur anywhere in its contexts.

    Formula: |tokens of the answer that occur in a context| / |tokens of the answer|, repeats counted, case folded.
    Range: [0, 1]. An answer without words is skipped.

    Example:
        >>> score = TokenOverlap().score(response="The course is free.", retrieved_contexts=["A free course."])
        >>> score.value, score.evidence
        (0.5, {'not_in_context': ['the', 'is']})
    """

    name = "token_overlap"
    needs = ("response", "retrieved_contexts")

    def compute(self, sample: Sample) -> Score:
        """Skipped when the answer has no words; the evidence has the first 20 tokens that no context has."""
        answer = tokens(sample.response)
        if not answer:
            return skipped("the answer has no words")
        known = {token for context in sample.retrieved_contexts for token in tokens(context)}
        unknown = [token for token in answer if token not in known]
        value = 1 - len(unknown) / len(answer)
        reason = f"{len(answer) - len(unknown)} of {count_of(len(answer), 'token')} are in the context"
        return scored(value, reason, {"not_in_context": list(dict.fromkeys(unknown))[:_MOST_SHOWN]})
