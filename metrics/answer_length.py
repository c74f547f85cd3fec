"""Answer length: the baseline that shows whether a metric, or a rater, just likes long answers."""

from ..eval_sets.sample import Sample
from .metric import Metric, Score, scored
from .tokens import tokens


class AnswerLength(Metric):
    """The number of the answer's tokens, from 0 up."""

    name = "answer_length"
    range = (0.0, None)
    needs = ()

    async def measure(self, sample: Sample) -> Score:
        """Always scored: an empty answer has length 0."""
        length = len(tokens(sample.response))
        return scored(float(length), f"{length} tokens")
