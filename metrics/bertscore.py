"""BERTScore against the reference answer (Zhang et al., 2020), as bert-score computes it."""

from functools import cache
from typing import Any

from ..errors import UsageError
from ..eval_sets.sample import Sample
from ..installation import require_extra
from ..languages import FALLBACK
from ..worker_threads import compute_beside
from .metric import Metric
from .model_folder import model_folder
from .score import Score, scored, skipped


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
