"""BLEU against the reference answer (Papineni et al., 2002), as sacrebleu computes it."""

from functools import cache
from typing import Any

from ..eval_sets.sample import Sample
from .metric import Metric, Score, scored, skipped
from .tokens import tokens


class Bleu(Metric):
    """Sentence BLEU of answer and reference, in [0, 1] (003, Tables 3 and 5; sacrebleu's 0-100 divided by 100).

    Geometric mean of the precisions of 1 to 4-grams times the brevity penalty; orders that the answer is too short for
    are left out, and an order without a match is smoothed (sacrebleu's `exp`).
    """

    name = "bleu"
    needs = ("response", "reference")

    async def measure(self, sample: Sample) -> Score:
        """Skipped when answer or reference has no words. The evidence has sacrebleu's signature."""
        answer, reference = " ".join(tokens(sample.response)), " ".join(tokens(sample.reference or ""))
        if not answer or not reference:
            return skipped(f"the {'reference' if answer else 'answer'} has no words")
        bleu = _sacrebleu()
        found = bleu.sentence_score(answer, [reference])
        precisions = [round(float(share), 2) for share in found.precisions]
        evidence = {"precisions": precisions, "brevity_penalty": found.bp, "sacrebleu": str(bleu.get_signature())}
        reason = f"{precisions[0]:.0f}% of the answer's words and {precisions[1]:.0f}% of its pairs are the reference's"
        return scored(min(1.0, found.score / 100), reason, evidence)


@cache
def _sacrebleu() -> Any:
    from sacrebleu.metrics.bleu import BLEU

    # Case folded and cut into words before: sacrebleu's tokenizer is made for news in English.
    return BLEU(effective_order=True, tokenize="none")
