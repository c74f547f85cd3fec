"""How like the reference an answer is: ROUGE, BLEU and BERTScore; ROUGE-L against the contexts too."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import UsageError
from ..eval_sets.sample import Sample
from ..installation import require_extra
from ..languages import FALLBACK
from ..text.text_matching import tokens
from ..text.wording import count_of
from ..worker_threads import compute_beside
from .metric import ComputedMetric, Metric
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


def common_subsequence_length(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest sequence of tokens that both texts have in this order, gaps allowed.

    Computed with bit parallelism (Hyyrö, 2004), 64 tokens at a time: two texts of 100 kB take some 10 ms, where the
    usual table takes minutes.

    Example:
        >>> common_subsequence_length(("u", "belt", "de", "arts", "op"), ("de", "arts", "belt", "u"))
        2
    """
    from rapidfuzz.distance import LCSseq

    return int(LCSseq.similarity(one, other))


class Rouge(ComputedMetric):
    """F-measure of what answer and reference have in common (Lin, 2004; González Torres et al., 2024, Tables 3 and 5).

    Words are our tokens: case folded, letters with accents are letters, no stemming. Range: [0, 1].
    """

    needs = ("response", "reference")
    units: str
    """What is counted, in words."""
    order: int
    """How many words in a row are one unit."""

    def compute(self, sample: Sample) -> Score:
        """Skipped when answer or reference has no words; the evidence has precision and recall."""
        answer, reference = tokens(sample.response), tokens(sample.reference or "")
        if not answer or not reference:
            return skipped(f"the {'reference' if answer else 'answer'} has no words")
        overlap = self.overlap(answer, reference)
        reason = (
            f"{overlap.precision:.0%} of the answer's {self.units} are in the reference, "
            f"{overlap.recall:.0%} of the reference's in it"
        )
        return scored(overlap.f_measure, reason, {"precision": overlap.precision, "recall": overlap.recall})

    def overlap(self, answer: Sequence[str], reference: Sequence[str]) -> Overlap:
        """Counts what the tokens of both have in common, in any order."""
        return ngram_overlap(answer, reference, self.order)


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
    order = 1


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
    order = 2


class RougeL(Rouge):
    """F-measure of the longest common subsequence of answer and reference.

    Formula: 2PR / (P + R), with P = LCS / |words of the answer| and R = LCS / |words of the reference| (Lin, 2004).
    Range: [0, 1]. Skipped when answer or reference has no words.

    Example:
        >>> RougeL().score(response="De arts belt u.", reference="U belt de arts op").value
        0.4444444444444445
    """

    name = "rouge_l"
    units = "words, in their order,"

    def overlap(self, answer: Sequence[str], reference: Sequence[str]) -> Overlap:
        """Counts the words of the longest common subsequence."""
        return Overlap(common_subsequence_length(answer, reference), len(answer), len(reference))


class RougeLPrecision(ComputedMetric):
    """The share of the answer's tokens that occur in the contexts in the same order, gaps allowed.

    Formula: LCS(answer, contexts) / |tokens of the answer|, where LCS is the length of the longest common subsequence
    and the contexts count as one text, in their order (Lin, 2004, "ROUGE: A Package for Automatic Evaluation of
    Summaries"). Range: [0, 1]. An answer without words is skipped.

    Example:
        >>> RougeLPrecision().score(response="Click New, then Save.", retrieved_contexts=["Click New and Save"]).value
        0.75
    """

    name = "rouge_l_precision"
    needs = ("response", "retrieved_contexts")

    def compute(self, sample: Sample) -> Score:
        """Skipped when the answer has no words."""
        answer = tokens(sample.response)
        if not answer:
            return skipped("the answer has no words")
        context = [token for context in sample.retrieved_contexts for token in tokens(context)]
        common = common_subsequence_length(answer, context)
        return scored(
            common / len(answer), f"{common} of {count_of(len(answer), 'token')} are in the context in this order"
        )


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


def model_folder(model: str) -> str:
    """The folder of a model."""
    if Path(model).expanduser().is_dir():
        return str(Path(model).expanduser())
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return str(snapshot_download(model, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError) as error:
        raise UsageError(f"the model {model} is not on this machine; get it with: hf download {model}") from error


class BertScore(Metric):
    """F1 of the greedy matching of the words' vectors in their context.

    Source: Zhang et al., 2020; González Torres et al., 2024, Table 5.

    Formula: 2PR / (P + R), with P the mean over the answer's tokens of the highest cosine with a token of the
    reference, and R the same from the reference's side; computed by the library `bert-score`. Range: [-1, 1], in
    practice about 0 to 1. Skipped, with the reason, where the library or the model is missing. Nothing is downloaded.

    Args:
        model: A folder, or a model in the Hub's cache. Default: the library's choice for the language
            (`bert-base-multilingual-cased` for Dutch).
        layers: The number of the layer whose vectors count. Default: the library's choice for the model, else its last.
    """

    name = "bertscore"
    range = (-1.0, 1.0)
    needs = ("response", "reference")

    def __init__(self, model: str = "", layers: int = 0) -> None:
        self.model = model
        self.layers = layers

    async def measure(self, sample: Sample) -> Score:
        """Skipped, with the reason, where library or model is missing; the evidence has precision and recall."""
        try:
            scorer, model, layer = await compute_beside(_scorer, self.model, self.layers, sample.language or FALLBACK)
        except UsageError as error:
            return skipped(f"BERTScore cannot be computed: {error}")
        scores = await compute_beside(scorer.score, [sample.response], [sample.reference])
        precision, recall, f1 = (float(part[0]) for part in scores)
        evidence = {"precision": precision, "recall": recall, "model": model, "layer": layer}
        return scored(f1, f"precision {precision:.2f}, recall {recall:.2f} by {model}", evidence)


@cache
def _scorer(model: str, layers: int, language: str) -> tuple[Any, str, int]:
    with require_extra("bertscore", "the metric bertscore"):
        from bert_score import BERTScorer
        from bert_score.utils import lang2model, model2layers
        from transformers import AutoConfig
        from transformers.utils.logging import disable_progress_bar
    disable_progress_bar()
    name = model or lang2model[language]
    folder = model_folder(name)
    layer = layers or model2layers.get(name) or int(AutoConfig.from_pretrained(folder).num_hidden_layers)
    return BERTScorer(model_type=folder, num_layers=layer), name, layer
