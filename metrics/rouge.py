"""ROUGE-1, ROUGE-2 and ROUGE-L against the reference answer (Lin, 2004), as rouge-score computes them."""

from functools import cache
from typing import Any

from ..eval_sets.sample import Sample
from .metric import Metric, Score, scored, skipped
from .tokens import tokens


class _Words:
    """Our words for rouge-score: its own tokenizer cuts a word at each letter that is not English (é, ë)."""

    def tokenize(self, text: str) -> tuple[str, ...]:
        return tokens(text)


class _Rouge(Metric):
    """F-measure of what answer and reference have in common, in [0, 1] (003, Tables 3 and 5)."""

    needs = ("response", "reference")
    kind: str
    counts: str

    async def measure(self, sample: Sample) -> Score:
        """Skipped when answer or reference has no words; the evidence has precision and recall."""
        answer, reference = sample.response, sample.reference or ""
        if not tokens(answer) or not tokens(reference):
            return skipped(f"the {'reference' if tokens(answer) else 'answer'} has no words")
        found = _scorer(self.kind).score(reference, answer)[self.kind]
        precision, recall = float(found.precision), float(found.recall)
        reason = (
            f"{precision:.0%} of the answer's {self.counts} are in the reference, {recall:.0%} of the reference's in it"
        )
        return scored(float(found.fmeasure), reason, {"precision": precision, "recall": recall})


class Rouge1(_Rouge):
    """F-measure of the words that answer and reference share, in [0, 1]."""

    name = "rouge_1"
    kind = "rouge1"
    counts = "words"


class Rouge2(_Rouge):
    """F-measure of the pairs of words that answer and reference share, in [0, 1]."""

    name = "rouge_2"
    kind = "rouge2"
    counts = "pairs of words"


class RougeL(_Rouge):
    """F-measure of the longest common subsequence of answer and reference, in [0, 1]."""

    name = "rouge_l"
    kind = "rougeL"
    counts = "words, in their order,"


@cache
def _scorer(kind: str) -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([kind], tokenizer=_Words())
