"""What ROUGE-1, ROUGE-2 and ROUGE-L against the reference answer share: precision, recall and F-measure of overlap."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..eval_sets.sample import Sample
from ..text.tokens import tokens
from .metric import ComputedMetric
from .score import Score, scored, skipped


class Overlap(NamedTuple):
    """What two texts have in common: the number of units in both, in the answer and in the reference."""

    common: int
    in_answer: int
    in_reference: int

    @property
    def precision(self) -> float:
        """The share of the answer's units that the reference has; 0 when it has none."""
        return self.common / self.in_answer if self.in_answer else 0.0

    @property
    def recall(self) -> float:
        """The share of the reference's units that the answer has; 0 when it has none."""
        return self.common / self.in_reference if self.in_reference else 0.0

    @property
    def f_measure(self) -> float:
        """The harmonic mean of precision and recall; 0 when nothing is in common.

        Example:
            >>> Overlap(common=2, in_answer=4, in_reference=5).f_measure
            0.4444444444444445
        """
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def ngram_overlap(answer: Sequence[str], reference: Sequence[str], order: int) -> Overlap:
    """Counts the n-grams that two texts share; a repeated one counts as often as both have it.

    Example:
        >>> ngram_overlap(("de", "arts", "belt", "u"), ("u", "belt", "de", "arts", "op"), order=2)
        Overlap(common=1, in_answer=3, in_reference=4)
    """
    counts = [Counter(zip(*(text[start:] for start in range(order)), strict=False)) for text in (answer, reference)]
    return Overlap((counts[0] & counts[1]).total(), counts[0].total(), counts[1].total())


class Rouge(ComputedMetric):
    """F-measure of what answer and reference have in common (Lin, 2004; 003, Tables 3 and 5).

    Words are our tokens: case folded, letters with accents are letters, no stemming. Range: [0, 1].
    """

    needs = ("response", "reference")
    units: str
    """What is counted, in words."""

    def compute(self, sample: Sample) -> Score:
        """Skipped when answer or reference has no words; the evidence has precision and recall."""
        answer, reference = tokens(sample.response), tokens(sample.reference or "")
        if not answer or not reference:
            return skipped(f"the {'reference' if answer else 'answer'} has no words")
        overlap = self.overlap(answer, reference)
        if isinstance(overlap, str):
            return skipped(overlap)
        reason = (
            f"{overlap.precision:.0%} of the answer's {self.units} are in the reference, "
            f"{overlap.recall:.0%} of the reference's in it"
        )
        return scored(overlap.f_measure, reason, {"precision": overlap.precision, "recall": overlap.recall})

    @abstractmethod
    def overlap(self, answer: Sequence[str], reference: Sequence[str]) -> Overlap | str:
        """Counts what the tokens of both have in common, or says why that cannot be computed."""
