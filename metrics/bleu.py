"""BLEU against the reference answer, as sacrebleu computes it."""

from functools import cache
from typing import Any

from ..eval_sets.sample import Sample
from ..installation import require_extra
from ..text.text_matching import tokens
from .metric import ComputedMetric
from .score import Score, scored, skipped


class Bleu(ComputedMetric):
    """Sentence BLEU of answer and reference (Papineni et al., 2002; González Torres et al., 2024, Tables 3 and 5).

    Formula: BP * (p1 * p2 * p3 * p4)^(1/4), with pn the share of the answer's n-grams that the reference has and
    BP = min(1, exp(1 - |reference| / |answer|)), the brevity penalty; sacrebleu's 0-100 divided by 100. Orders that the
    answer is too short for are left out, and an order without a match is smoothed (sacrebleu's `exp`). Range: [0, 1].
    Skipped when answer or reference has no words.

    Example:
        >>> round(Bleu().score(response="Bel de poli op u bent", reference="bel de poli op, als u bent").value, 3)
        0.512
    """

    name = "bleu"
    needs = ("response", "reference")

    def compute(self, sample: Sample) -> Score:
        """Skipped when answer or reference has no words. The evidence has sacrebleu's signature."""
        answer, reference = " ".join(tokens(sample.response)), " ".join(tokens(sample.reference or ""))
        if not answer or not reference:
            return skipped(f"the {'reference' if answer else 'answer'} has no words")
        bleu = _sacrebleu()
        result = bleu.sentence_score(answer, [reference])
        precisions = [round(float(share), 2) for share in result.precisions]
        evidence = {"precisions": precisions, "brevity_penalty": result.bp, "sacrebleu": str(bleu.get_signature())}
        reason = f"{precisions[0]:.0f}% of the answer's words and {precisions[1]:.0f}% of its pairs are the reference's"
        return scored(min(1.0, result.score / 100), reason, evidence)


@cache
def _sacrebleu() -> Any:
    with require_extra("bleu", "the metric bleu"):
        from sacrebleu.metrics.bleu import BLEU

    # Case folded and cut into words before: sacrebleu's tokenizer is made for news in English.
    return BLEU(effective_order=True, tokenize="none")
