"""Computations beside the event loop."""

import asyncio
import multiprocessing
import os
import threading
from contextvars import ContextVar

import pytest

from assay.eval_sets import Sample
from assay.metrics import ComputedMetric, Score, run_to_end, scored
from assay.worker_threads import compute_beside

LABEL: ContextVar[str] = ContextVar("LABEL")


def sample(length: int) -> Sample:
    return Sample(id="s1", user_input="", response="x" * length)


def test_the_loop_goes_on_while_a_computation_runs_and_a_cancelled_one_is_not_waited_for():
    release = threading.Event()

    async def cancel_it() -> None:
        loop, begun = asyncio.get_running_loop(), asyncio.Event()

        def block() -> None:
            loop.call_soon_threadsafe(begun.set)
            release.wait()

        task = asyncio.create_task(compute_beside(block))
        await begun.wait()  # the loop turns while the thread blocks
        queued = asyncio.create_task(compute_beside(pytest.fail, "what was cancelled in the queue is never begun"))
        await asyncio.sleep(0)
        for each in (task, queued):
            each.cancel()
        await asyncio.wait([task, queued])
        assert task.cancelled() and queued.cancelled()

    try:
        asyncio.run(cancel_it())
    finally:
        release.set()
    assert asyncio.run(compute_beside(divmod, 7, 2)) == (3, 1)


def test_a_computation_may_wait_for_another_one():
    """As when a metric of your own asks for the score of one of ours."""

    def outer() -> int:
        return run_to_end(compute_beside(sum, [1, 2]))

    assert asyncio.run(asyncio.wait_for(compute_beside(outer), timeout=30)) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork there")
def test_a_forked_process_computes_too():
    asyncio.run(compute_beside(sum, [1, 2]))  # the parent's thread has begun
    child = multiprocessing.get_context("fork").Process(target=compute_in_child)
    child.start()
    child.join(timeout=30)
    hanging = child.is_alive()
    child.kill()
    assert not hanging and child.exitcode == 0


def compute_in_child() -> None:
    assert asyncio.run(compute_beside(sum, [1, 2])) == 3


class WhereComputed(ComputedMetric):
    name = "where_computed"

    def compute(self, sample: Sample) -> Score:
        return scored(float(threading.current_thread() is threading.main_thread()), "on the main thread or not")


@pytest.mark.parametrize(("length", "on_the_loop"), [(20_000, 1.0), (20_001, 0.0)])
def test_only_long_texts_go_to_a_worker(length, on_the_loop):
    assert asyncio.run(WhereComputed().assess(sample(length))).value == on_the_loop


def test_the_result_is_not_written_out():
    """asyncio writes the result into the text of an error that it drops: two summaries of all scores per run."""
    written = []

    class Result:
        def __repr__(self) -> str:
            written.append(self)
            return "a result"

    async def work() -> Result:
        return Result()

    assert isinstance(run_to_end(work()), Result)
    assert written == []
