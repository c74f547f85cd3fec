"""100 kB are scored beside the event loop: other samples' judge calls and the progress bar go on, and Ctrl-C stops."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable
from pathlib import Path

import pytest
from warm_python import WarmPython

from assay.eval_sets import Sample
from assay.judges.embedders import UniversalSentenceEncoder
from assay.metrics.catalogue import load_metric

SENTENCE = "The employee opens the payslip of March 2026 under **Payroll > Runs** and saves it within 5 days. "
TEXT = SENTENCE * (100_000 // len(SENTENCE))
SHORT = "Open the payslip of March 2026."
TABLE = {"name": "kpi", "columns": {"day": ["2026-03-01", "2026-03-02"], "days": [5, 6]}}
LONG = Sample.model_validate(
    {"id": "s", "language": "en", "user_input": "How do I open it?", "response": TEXT, "reference": TEXT}
    | {"retrieved_contexts": (SHORT,), "tables": [TABLE]}
)
SAYS_WHEN_IT_PARSES = """
import spacy
from assay.__main__ import main

load = spacy.load

def load_and_say(*names, **options):
    pipeline = load(*names, **options)
    print("begun", flush=True)
    return pipeline

spacy.load = load_and_say
main()
"""
LONGEST_PAUSE = 1.0  # seconds of the processor; the parse alone takes two, and most metrics take about as much
METRICS = (
    *("heuristic:all_types=True:beyond=all", "heuristic.subject_combination", "heuristic.prompt_overlap"),
    *("declined", "factoid", "numeric_claims", "token_overlap", "rouge_l_precision", "rouge_l", "rouge_1", "bleu"),
)


async def longest_pause(work: Awaitable[object]) -> float:
    """The longest time for which a piece of work kept the event loop's own thread computing, in seconds."""
    begun = time.thread_time()
    pause = 0.0
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.sleep(0.005)
        pause, begun = max(pause, time.thread_time() - begun), time.thread_time()
    await task
    return pause


@pytest.mark.parametrize("name", METRICS)
def test_the_event_loop_goes_on_while_a_long_text_is_scored(name: str) -> None:
    metric = load_metric(name)
    asyncio.run(metric.assess(LONG.model_copy(update={"response": SHORT})))  # words are loaded before the clock runs
    assert asyncio.run(longest_pause(metric.assess(LONG))) < LONGEST_PAUSE


def test_the_event_loop_goes_on_while_a_long_text_is_embedded() -> None:
    embedder = UniversalSentenceEncoder()
    asyncio.run(embedder.embed([SHORT]))
    assert asyncio.run(longest_pause(embedder.embed([TEXT]))) < LONGEST_PAUSE


def test_a_computation_on_the_event_loop_would_be_noticed() -> None:
    async def compute() -> None:
        end = time.process_time() + 1.1
        while time.process_time() < end:
            pass

    assert asyncio.run(longest_pause(compute())) > LONGEST_PAUSE


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process there")
def test_ctrl_c_stops_the_explanation_of_a_long_text(warm_python: WarmPython, tmp_path: Path) -> None:
    """Its parse takes seconds; five contexts of that length take ten times as long as what is waited for."""
    texts = [f"{number} {TEXT}" for number in range(5)]
    row = {"id": "s1", "user_input": "How?", "response": TEXT, "retrieved_contexts": texts, "language": "en"}
    (tmp_path / "set.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    words = ("-c", SAYS_WHEN_IT_PARSES, "heuristic", "explain", "set.jsonl", "s1")
    process = warm_python.start(*words, cwd=tmp_path, encoding="utf-8")
    try:
        assert process.stdout and process.stdout.readline() == "begun\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)  # it is computing
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130, errors
    assert "Traceback" not in errors


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process there")
def test_a_long_claim_is_read_to_its_bounds(warm_python: WarmPython, tmp_path: Path) -> None:
    """`assay numeric check`: 1,000 sentences, of which 200 are read, and a question of 98 kB, which is not."""
    (tmp_path / "kpi.csv").write_text("day,calls\n2026-03-01,5\n2026-03-02,6\n", encoding="utf-8")
    claim, question = "The highest calls was 6.\n" * 1000, "calls 5, " * 10_900
    words = ("-m", "assay", "numeric", "check", "kpi.csv", claim, "--question", question, "--json")
    checked = warm_python.run(*words, cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    result = json.loads(checked.stdout)
    assert [row["verdict"] for row in result["claims"]] == ["supported"] * 200
    assert result["bounds"] == [
        "only the first 200 of the 1,000 sentences are read",
        "the question is not read: it has 98,100 characters, over 600",
    ]
