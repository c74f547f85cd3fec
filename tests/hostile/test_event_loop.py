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
LONG = Sample(
    id="s", language="en", user_input="How do I open it?", response=TEXT, retrieved_contexts=(TEXT,), reference=TEXT
)
LONGEST_PAUSE = 1.0  # seconds; on the event loop each of these metrics would take several times as long
METRICS = ("heuristic:all_types=True:beyond=all", "heuristic.subject_combination", "heuristic.prompt_overlap")


async def longest_pause(work: Awaitable[object]) -> tuple[float, float]:
    """The longest time for which the event loop stood still during a piece of work, and the work's time."""
    begun = last = time.monotonic()
    pause = 0.0
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.sleep(0.005)
        pause, last = max(pause, time.monotonic() - last), time.monotonic()
    await task
    return pause, time.monotonic() - begun


@pytest.mark.parametrize("name", METRICS)
def test_the_event_loop_goes_on_while_a_long_text_is_scored(name: str) -> None:
    metric = load_metric(name)
    pause, seconds = asyncio.run(longest_pause(metric.assess(LONG)))
    print(name, pause, seconds)
    assert pause < LONGEST_PAUSE


def test_the_event_loop_goes_on_while_a_long_text_is_embedded() -> None:
    pause, seconds = asyncio.run(longest_pause(UniversalSentenceEncoder().embed([TEXT])))
    print(pause, seconds)
    assert pause < LONGEST_PAUSE
