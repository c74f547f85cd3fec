"""BLEURT against the reference answer (Sellam et al., 2020): a model that was trained on people's judgements."""

import asyncio
from functools import cache
from typing import Any

from ..errors import UsageError
from ..eval_sets.sample import Sample
from .metric import Metric, Score, scored, skipped
from .model_folder import model_folder


class Bleurt(Metric):
    """What BLEURT predicts that people would say, clipped to [0, 1] (003, Table 3); the library `bleurt-pytorch`.

    `model` is a folder or a model in the Hub's cache; nothing is downloaded.
    """

    name = "bleurt"
    needs = ("response", "reference")

    def __init__(self, model: str = "lucadiliello/BLEURT-20") -> None:
        self.model = model

    async def measure(self, sample: Sample) -> Score:
        """Skipped, with the reason, where library or model is missing; the evidence has the number before clipping."""
        try:
            model, tokenizer = _bleurt(self.model)
        except UsageError as error:
            return skipped(f"BLEURT cannot be had: {error}")
        raw = await asyncio.to_thread(_predict, model, tokenizer, sample.reference or "", sample.response)
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
    try:
        from bleurt_pytorch import BleurtForSequenceClassification, BleurtTokenizer
    except ImportError as error:
        raise UsageError(f'it needs the extra `bleurt`: pip install "assay[bleurt]" ({error})') from error
    folder = model_folder(model)
    loaded = BleurtForSequenceClassification.from_pretrained(folder)
    loaded.eval()
    return loaded, BleurtTokenizer.from_pretrained(folder)
