"""BLEURT against the reference answer (Sellam et al., 2020): a model that was trained on people's judgements."""

from functools import cache
from typing import Any

from ..errors import UsageError
from ..eval_sets.sample import Sample
from ..installation import require_extra
from ..worker_threads import compute_beside
from .metric import Metric
from .reference_similarity import model_folder
from .score import Score, scored, skipped


class Bleurt(Metric):
    """The rating that BLEURT, a model trained on people's ratings, predicts.

    Source: Sellam et al., 2020; González Torres et al., 2024, Table 3.

    Formula: the model's output for reference and answer, clipped to [0, 1]; the number before clipping stands as `raw`
    in the evidence. Texts are cut at 512 tokens. Skipped, with the reason, where the library `bleurt-pytorch` or the
    model is missing. Nothing is downloaded.

    Args:
        model: A folder, or a model in the Hub's cache.
    """

    name = "bleurt"
    needs = ("response", "reference")

    def __init__(self, model: str = "lucadiliello/BLEURT-20") -> None:
        self.model = model

    async def measure(self, sample: Sample) -> Score:
        """Skipped, with the reason, where library or model is missing; the evidence has the number before clipping."""
        try:
            model, tokenizer = await compute_beside(_bleurt, self.model)
        except UsageError as error:
            return skipped(f"BLEURT cannot be computed: {error}")
        raw = await compute_beside(_predict, model, tokenizer, sample.reference or "", sample.response)
        value = min(1.0, max(0.0, raw))
        return scored(value, f"{self.model} predicts {raw:.2f}", {"raw": raw, "model": self.model})


def _predict(model: Any, tokenizer: Any, reference: str, answer: str) -> float:
    import torch

    with torch.no_grad():
        inputs = tokenizer(
            [reference], [answer], padding="longest", truncation=True, max_length=512, return_tensors="pt"
        )
        return float(model(**inputs).logits.flatten()[0])


@cache
def _bleurt(model: str) -> tuple[Any, Any]:
    with require_extra("bleurt", "the metric bleurt"):
        from bleurt_pytorch import BleurtForSequenceClassification, BleurtTokenizer
    folder = model_folder(model)
    loaded = BleurtForSequenceClassification.from_pretrained(folder)
    loaded.eval()
    return loaded, BleurtTokenizer.from_pretrained(folder)
