"""A model file served in this process by llama.cpp: a small judge really answers."""

import asyncio
from pathlib import Path

import pytest
from modules import module_of

from assay.errors import InputError
from assay.eval_sets import Sample
from assay.judges import JudgeSettings, LiteLLMJudge, choose_slots
from assay.metrics import Faithfulness, JudgeTruthfulness

MODEL_FILE = Path("~/.cache/assay-judges/SmolLM2-135M-Instruct.Q4_1.gguf").expanduser()
JUDGE = JudgeSettings.model_validate(
    {
        "model": f"gguf:{MODEL_FILE}",
        "parameters": {"temperature": 0, "seed": 1},
        "max_tokens": 900,
        "structured": "schema",
        "logprobs": True,
        "price": {"input": 0, "output": 0},
        "timeout": 600,
    }
)
SAMPLE = Sample(
    id="s",
    language="en",
    user_input="Can I withdraw a leave request?",
    response="A leave request can be withdrawn until the manager has approved it.",
    retrieved_contexts=("A request can be withdrawn until the manager has approved it.",),
)


def test_a_model_file_that_is_not_there(tmp_path):
    judge = LiteLLMJudge(f"gguf:{tmp_path}/none.gguf")
    with pytest.raises(InputError, match=r"none\.gguf: there is no such model file; put the GGUF file there"):
        asyncio.run(Faithfulness(judge, claims="sentences").assess(SAMPLE))


@pytest.mark.parametrize(
    ("cores", "wanted", "slots"),
    [(64, 16, 4), (2, 16, 2), (1, 16, 2), (64, 1, 1)],  # with one core one is read while the other is written
)
def test_slots_are_bounded_by_cores(cores, wanted, slots, monkeypatch):
    monkeypatch.setattr(module_of(choose_slots), "_usable_cores", lambda: cores)
    assert choose_slots(wanted) == slots


@pytest.mark.extras("xllamacpp")
@pytest.mark.timeout(500)  # seconds where nothing else runs
@pytest.mark.skipif(not MODEL_FILE.is_file(), reason=f"needs {MODEL_FILE}")
def test_a_local_model_answers_and_its_replies_are_replayed(tmp_path):
    """A word with its probability, and a reply in a schema; then both without the model."""
    cassette = tmp_path / "replies.jsonl"

    async def scores(mode: str) -> list[object]:
        async with LiteLLMJudge(JUDGE, cassette=cassette, mode=mode, concurrency=1) as judge:
            local_scores = [await metric.assess(SAMPLE) for metric in (Faithfulness(judge), JudgeTruthfulness(judge))]
            assert judge.usage.from_cassette == (0 if mode == "record" else judge.usage.calls)
        support, rating = local_scores
        assert support.status == "scored" and support.value is not None and 0 < support.value < 1
        (claim,) = support.evidence["claims"]
        assert claim["text"] == SAMPLE.response and claim["probability"] == support.value
        assert support.usage.tokens_in > 50 and support.usage.usd == 0
        assert rating.status == "scored" and rating.value is not None and 1 <= rating.value <= 5
        return [support.value, rating.value]

    assert asyncio.run(scores("record")) == asyncio.run(scores("replay"))
