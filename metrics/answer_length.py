"""Answer length: the baseline that shows whether a metric, or a rater, just prefers long answers."""

from ..eval_sets.sample import Sample
from ..text.text_matching import tokens
from ..text.wording import count_of
from .metric import ComputedMetric
from .score import Score, scored


class AnswerLength(ComputedMetric):
    """The number of words and numbers in the answer.

    Range: 0 and up. An empty answer has length 0; no sample is skipped.

    Example:
        >>> AnswerLength().score(response="It costs EUR 12.").value
        4.0
    """

    name = "answer_length"
    range = (0.0, None)
    needs = ()

    def compute(self, sample: Sample) -> Score:
        """Always scored."""
        length = len(tokens(sample.response))
        return scored(float(length), f"{count_of(length, 'token')}")
