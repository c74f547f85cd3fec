"""The event loop goes on while 100 kB are scored: other samples' judge calls, the progress bar, and Ctrl-C."""

import asyncio
import time
from collections.abc import Awaitable

import pytest

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
LONGEST_PAUSE = 1.0  # seconds of the processor; the parse alone takes two, and most metrics take about as much
METRICS = (
    *("heuristic:all_types=True:beyond=all", "heuristic.subject_combination", "heuristic.prompt_overlap"),
    *("declined", "factoid", "numeric_claims", "token_overlap", "rouge_l_precision", "rouge_l", "rouge_1", "bleu"),
)


async def longest_pause(work: Awaitable[object]) -> float:
    """The longest time for which the event loop stood still during a piece of work, in seconds of the processor."""
    begun = time.process_time()
    pause = 0.0
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.sleep(0.005)
        pause, begun = max(pause, time.process_time() - begun), time.process_time()
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
