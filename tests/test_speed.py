"""What scoring takes of the processor, against a fixed computation in the same process: lost speed fails here.

Each limit is half more than was measured, on an idle machine and on one with other work. Measure again when something
is meant to take more, or has become faster: `python tests/test_speed.py` prints the quotients and the limits.
"""

import asyncio
import json
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from processor_time import relative_time

from assay import Sample, aevaluate, load_set
from assay.judges import LiteLLMJudge
from assay.metrics import Faithfulness, Metric, RougeL, TokenOverlap
from assay.metrics.claim_extraction import ClaimsBy

STATEMENT = re.compile(r"^(\d+): ", re.MULTILINE)
ANSWER = re.compile(r"<answer>\n(.*)\n</answer>", re.DOTALL)
MARGIN = 1.5
MEASURED = {
    "replay, by default": 1.3,
    "replay, the judge's claims": 1.65,
    "replay, one question per call": 1.88,
    "live call": 2.0,
    "without a judge": 0.76,
}
"""The quotients: 60 samples (300 without a judge), divided by the fixed computation."""


async def instant_judge(conversation: str) -> str:
    """A judge that takes no time: each line of the answer is a claim, and every statement is true."""
    asked = conversation.rpartition("[user]")[2]
    if statements := STATEMENT.findall(asked):
        return json.dumps(dict.fromkeys(statements, "Yes"))
    answer = ANSWER.search(asked)
    return json.dumps({"claims": re.split(r"(?<=\.) ", answer[1]) if answer else []})


def score_all(samples: Sequence[Sample], *metrics: Metric) -> None:
    """Scores the samples one after the other, and checks that each has a score or was rightly skipped."""

    async def score() -> None:
        for sample in samples:
            for metric in metrics:
                assert (await metric.assess(sample)).status != "failed"

    asyncio.run(score())


def kinds_of_work(folder: Path) -> dict[str, Callable[[], object]]:
    """What is timed, by the names of `MEASURED`; records what is replayed."""
    samples = load_set("helpdesk_en")
    ways: tuple[ClaimsBy, ...] = ("sentences", "judge")
    cassette = folder / "replies.jsonl"

    async def record() -> None:
        async with LiteLLMJudge(instant_judge, cassette=cassette, mode="record", model="instant") as judge:
            for claims in ways:
                await aevaluate(samples, [Faithfulness(judge, claims=claims)], progress=False)

    def replaying() -> LiteLLMJudge:
        return LiteLLMJudge(instant_judge, cassette=cassette, mode="replay", model="instant")

    def replaying_single() -> LiteLLMJudge:
        return LiteLLMJudge("qwen1.5b", cassette="bundled:helpdesk.qwen1.5b.jsonl", mode="replay")

    async def live() -> None:
        results = await aevaluate(samples, [Faithfulness(LiteLLMJudge(instant_judge))], progress=False)
        assert results.usage.calls > len(samples) / 2

    asyncio.run(record())
    return {
        "replay, by default": lambda: score_all(samples, Faithfulness(replaying())),
        "replay, the judge's claims": lambda: score_all(samples, Faithfulness(replaying(), claims="judge")),
        "replay, one question per call": lambda: score_all(samples, Faithfulness(replaying_single())),
        "live call": lambda: asyncio.run(live()),
        "without a judge": lambda: score_all(5 * list(samples), TokenOverlap(), RougeL()),
    }


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callable[[], object]]:
    """What is timed, by the names of `MEASURED`."""
    return kinds_of_work(tmp_path_factory.mktemp("speed"))


@pytest.mark.parametrize("kind", MEASURED)
def test_takes_no_more_of_the_processor_than_it_did(kind: str, work: dict[str, Callable[[], object]]) -> None:
    limit = MARGIN * MEASURED[kind]
    quotient = relative_time(work[kind], limit)
    assert quotient < limit, f"{kind}: {quotient:.2f} times the fixed computation; {MEASURED[kind]} were measured"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for name, timed in kinds_of_work(Path(made)).items():
            measured, allowed = relative_time(timed, 0), MARGIN * MEASURED[name]
            print(f"{name}: {measured:.2f} times the fixed computation, allowed {allowed:.2f}")
