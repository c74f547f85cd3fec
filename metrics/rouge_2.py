"""ROUGE-2 against the reference answer."""

from collections.abc import Sequence

from .rouge import Overlap, Rouge, ngram_overlap


class Rouge2(Rouge):
    """F-measure of the pairs of neighbouring words that answer and reference share.

    Formula: as ROUGE-1, over pairs (Lin, 2004). Range: [0, 1]. Skipped when answer or reference has no words; 0 when
    one of them has a single word.

    Example:
        >>> Rouge2().score(response="De arts belt u.", reference="U belt de arts op").value
        0.28571428571428575
    """

    name = "rouge_2"
    units = "pairs of words"

    def overlap(self, answer: Sequence[str], reference: Sequence[str]) -> Overlap:
        """The shared pairs, in any order."""
        return ngram_overlap(answer, reference, order=2)
