"""ROUGE-1 against the reference answer."""

from collections.abc import Sequence

from .rouge import Overlap, Rouge, ngram_overlap


class Rouge1(Rouge):
    """F-measure of the words that answer and reference share.

    Formula: 2PR / (P + R), with P = |shared words| / |words of the answer| and R = |shared words| / |words of the
    reference| (Lin, 2004). Range: [0, 1]. Skipped when answer or reference has no words.

    Example:
        >>> Rouge1().score(response="De arts belt u.", reference="U belt de arts op").value
        0.888888888888889
    """

    name = "rouge_1"
    units = "words"

    def overlap(self, answer: Sequence[str], reference: Sequence[str]) -> Overlap:
        """The shared words, in any order."""
        return ngram_overlap(answer, reference, order=1)
