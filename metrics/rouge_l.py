"""ROUGE-L against the reference answer."""

from collections.abc import Sequence

from .longest_subsequence import common_subsequence_length, too_long_to_compare
from .rouge import Overlap, Rouge


class RougeL(Rouge):
    """F-measure of the longest common subsequence of answer and reference.

    Formula: 2PR / (P + R), with P = LCS / |words of the answer| and R = LCS / |words of the reference| (Lin, 2004).
    Range: [0, 1]. Skipped when answer or reference has no words, or more than 100,000.

    Example:
        >>> RougeL().score(response="De arts belt u.", reference="U belt de arts op").value
        0.4444444444444445
    """

    name = "rouge_l"
    units = "words, in their order,"

    def overlap(self, answer: Sequence[str], reference: Sequence[str]) -> Overlap | str:
        """Counts the words of the longest common subsequence, or says why it cannot be computed."""
        if too_long := too_long_to_compare(answer, reference):
            return too_long
        return Overlap(common_subsequence_length(answer, reference), len(answer), len(reference))
