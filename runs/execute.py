"""Doing it: samples in, scores out, a bounded number at once."""

import asyncio
import traceback
from collections.abc import Callable, Iterable, Sequence

from ..errors import AssayError
from ..eval_sets import Sample
from ..metrics import Metric, Score
from ..metrics.metric import failed

Keep = Callable[[Sample, dict[str, Score]], None]
Finished = Callable[[Sample], set[str]]


def nothing_finished(_: Sample) -> set[str]:
    """For a run that begins: no metric has scored anything yet."""
    return set()


async def execute(
    samples: Iterable[Sample],
    metrics: Sequence[Metric],
    keep: Keep,
    *,
    concurrency: int,
    finished: Finished = nothing_finished,
) -> None:
    """Scores samples, `concurrency` at once, and gives each with its scores to `keep` as soon as it is done.

    The metrics of a sample run one after another: a judge's prefix cache stays warm. Samples are drawn one by one, so
    that a set of any length takes the same memory. Metrics in `finished(sample)` are left out. Raises `BudgetReached`
    when the budget ends it, `InputError` when a sample cannot be read; what was scored until then is kept, of a sample
    half done too.
    """
    source = iter(samples)
    stopped: list[AssayError] = []

    async def score(sample: Sample) -> None:
        done = finished(sample)
        scores: dict[str, Score] = {}
        try:
            for metric in metrics:
                if metric.name not in done:
                    scores[metric.name] = await _assess(metric, sample)
        finally:
            keep(sample, scores)

    async def work() -> None:
        try:
            for sample in source:
                if stopped:
                    return
                await score(sample)
                await asyncio.sleep(0)  # replayed samples never wait: Ctrl-C and the progress bar get their turn here
        except AssayError as error:
            stopped.append(error)

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(work())
    if stopped:
        raise stopped[0]


async def _assess(metric: Metric, sample: Sample) -> Score:
    try:
        return await metric.assess(sample)
    except AssayError:
        raise
    except Exception as error:  # a metric's own defect, perhaps somebody else's metric: told, and the run goes on
        reason = f"{metric.name} broke: {type(error).__name__}: {error}"
        return failed(reason, {"traceback": traceback.format_exc()})
