"""What scoring costs, in calls of functions: the same in every repeat, at any load and with any hash seed.

`calls.pythonX.Y.yaml` holds the figures. `python tests/test_speed.py` prints today's, `--write` commits them.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import yaml
from call_counts import count_calls, growth

from assay import Sample, aevaluate, load_set
from assay.judges import LiteLLMJudge
from assay.metrics import ClaimsBy, Faithfulness, Metric, RougeL, TokenOverlap

STATEMENT = re.compile(r"^(\d+): ", re.MULTILINE)
ANSWER = re.compile(r"<answer>\n(.*)\n</answer>", re.DOTALL)
COMMITTED = Path(__file__).with_name(f"calls.python{sys.version_info.major}.{sys.version_info.minor}.yaml")
COMMAND = "python tests/test_speed.py"
COMMENT = f"""\
# How many functions each kind of work of tests/test_speed.py calls, with this minor version of Python: {COMMAND}
# A test fails where it is 3% more or less. Fewer: commit the lower figure (--write). More: make it fewer, or raise the
# figure in a commit of its own that names what costs it and what is gained.
"""
TOLERANCE = 0.03
MOST_GROWTH = 4.2
"""Of the calls, with four times as much to do: in proportion, and a little."""
KINDS = (
    "replay, by default",
    "replay, the judge's claims",
    "replay, one question per call",
    "live call",
    "without a judge",
)
"""60 samples each, 300 without a judge."""


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
    """What is counted, by the names of `KINDS`; records what is replayed."""
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
    works: tuple[Callable[[], object], ...] = (
        lambda: score_all(samples, Faithfulness(replaying())),
        lambda: score_all(samples, Faithfulness(replaying(), claims="judge")),
        lambda: score_all(samples, Faithfulness(replaying_single())),
        lambda: asyncio.run(live()),
        lambda: score_all(5 * list(samples), TokenOverlap(), RougeL()),
    )
    return dict(zip(KINDS, works, strict=True))


def count_in_this_process() -> dict[str, int]:
    with tempfile.TemporaryDirectory() as folder:
        return {kind: count_calls(work) for kind, work in kinds_of_work(Path(folder)).items()}


def count_by_kind() -> dict[str, int]:
    """Counts in a process of its own, without what earlier tests left, and with no variables to look for secrets in."""
    environment = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    process = subprocess.run(
        [sys.executable, __file__, "--here"], capture_output=True, encoding="utf-8", env=environment, check=False
    )
    assert process.returncode == 0, process.stderr
    counts: dict[str, int] = json.loads(process.stdout)
    return counts


@pytest.fixture(scope="module")
def counts() -> dict[str, int]:
    if not COMMITTED.exists():
        pytest.skip(f"nothing is committed for this version of Python: {COMMAND} --write")
    return count_by_kind()


@pytest.mark.parametrize("kind", KINDS)
def test_calls_as_many_functions_as_committed(kind: str, counts: dict[str, int]) -> None:
    committed = yaml.safe_load(COMMITTED.read_text(encoding="utf-8"))[kind]
    share = counts[kind] / committed - 1
    told = f"{kind}: {counts[kind]:,} calls, {share:+.1%} of the {committed:,} in {COMMITTED.name}"
    assert share <= TOLERANCE, f"{told}; make it fewer, or raise the figure in a commit that names cause and gain"
    assert share >= -TOLERANCE, f"{told}; commit the lower figure: {COMMAND} --write"


def sample_of(number: int, sentences: int, contexts: int) -> Sample:
    """A sample whose answer and contexts have so many sentences; half of the answer's are items of a list."""
    said = "".join(
        f"Desk {place} costs {place} euros.\n- It **opens** at {place}:15.\n" for place in range(sentences // 2)
    )
    known = " ".join(f"Desk {place} costs {place} euros." for place in range(contexts))
    return Sample(
        id=str(number), user_input="What?", response=said or "It is free.", retrieved_contexts=(known,), language="en"
    )


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (lambda size: [sample_of(1, size, 10)], 30),
        (lambda size: [sample_of(1, 10, size)], 60),
        (lambda size: [sample_of(number, 4, 4) for number in range(size)], 12),
    ],
    ids=["long answers", "long contexts", "many samples"],
)
def test_calls_grow_in_proportion(make: Callable[[int], list[Sample]], size: int) -> None:
    def make_work(size: int) -> Callable[[], object]:
        samples = make(size)
        return lambda: score_all(samples, Faithfulness(LiteLLMJudge(instant_judge)), TokenOverlap(), RougeL())

    assert growth(make_work, size) < MOST_GROWTH


def main() -> None:
    parser = argparse.ArgumentParser(description="Counts the calls of functions per kind of work.")
    parser.add_argument("--write", action="store_true", help=f"write them to {COMMITTED.name}")
    parser.add_argument("--here", action="store_true", help="count in this process, and print JSON")
    options = parser.parse_args()
    if options.here:
        print(json.dumps(count_in_this_process()))
        return
    text = yaml.safe_dump(count_by_kind(), sort_keys=False)
    print(text, end="")
    if options.write:
        COMMITTED.write_text(COMMENT + text, encoding="utf-8")


if __name__ == "__main__":
    main()
