"""A model file served in this process by llama.cpp: the smallest bundled judge really answers."""

import asyncio
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.eval_sets import Sample
from assay.judges import LiteLLMJudge, load_settings
from assay.judges.settings import GGUF
from assay.metrics import Faithfulness, JudgeTruthfulness

JUDGE = "smollm2-135m"
MODEL_FILE = Path(load_settings(JUDGE).model.removeprefix(GGUF)).expanduser()
SAMPLE = Sample(
    id="s",
    language="en",
    user_input="Can I withdraw a leave request?",
    response="A leave request can be withdrawn until the manager has approved it.",
    retrieved_contexts=("A request can be withdrawn until the manager has approved it.",),
)


def test_a_model_file_that_is_not_there(tmp_path: Path) -> None:
    judge = LiteLLMJudge(f"gguf:{tmp_path}/none.gguf")
    with pytest.raises(InputError, match=r"none\.gguf: there is no such model file; put the GGUF file there"):
        asyncio.run(Faithfulness(judge, claims="sentences", verdicts="listed").assess(SAMPLE))


@pytest.mark.timeout(500)  # seconds where nothing else runs
@pytest.mark.skipif(not MODEL_FILE.is_file(), reason=f"needs {MODEL_FILE}")
def test_a_local_model_answers_and_its_replies_are_replayed(tmp_path: Path) -> None:
    """A word with its probability, and a reply in a schema; then both without the model."""
    pytest.importorskip("xllamacpp")
    cassette = tmp_path / "replies.jsonl"

    async def scores(mode: str) -> list[object]:
        async with LiteLLMJudge(JUDGE, cassette=cassette, mode=mode, concurrency=1) as judge:  # type: ignore[arg-type]
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
