"""Executing metrics on samples: a bounded number at once, each kept as soon as it is done."""

import asyncio
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ...errors import AssayError
from ...eval_sets import Sample
from ...eval_sets.levels import Turns
from ...eval_sets.turns import measured_levels
from ...judges.secrets import Scrubber
from ...metrics import Metric, Score
from ...metrics.score import failed
from ...metrics.specification import CONVERSATION_BASELINES

Keep = Callable[[Sample, dict[str, Score]], None]
FinishedMetrics = Callable[[Sample], set[str]]
"""The metrics that need not score a sample again."""


async def execute(
    samples: Iterable[Sample],
    metrics: Sequence[Metric],
    keep: Keep,
    *,
    concurrency: int,
    turns: Turns = "last",
    finished_metrics: FinishedMetrics = lambda _: set(),
) -> None:
    """Scores samples and gives each with its scores to `keep` as soon as it is done.

    The metrics of one sample run one after another: a judge's prefix cache stays warm. Samples are drawn one by one, so
    that a set of any length takes the same memory.

    Raises:
        Exception: What `samples` or `keep` raise; never a group of errors.
    """
    source = iter(samples)
    errors: list[Exception] = []
    scrubber = Scrubber()

    async def score(sample: Sample) -> None:
        finished = finished_metrics(sample)
        scores: dict[str, Score] = {}
        try:
            for metric in select_metrics(metrics, sample, turns):
                if metric.name not in finished:
                    scores[metric.name] = await _assess(metric, sample, scrubber)
        finally:
            keep(sample, scores)

    async def work() -> None:
        try:
            for sample in source:
                if errors:
                    return
                await score(sample)
                await asyncio.sleep(0)  # replayed samples never wait: Ctrl-C and the line of progress get a turn
        except Exception as error:  # raised alone when the others have ended: a group of errors would hide it
            errors.append(error)

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(work())
    if errors:
        raise errors[0]


def select_metrics(metrics: Sequence[Metric], sample: Sample, turns: Turns) -> list[Metric]:
    """Selects the metrics that are for a sample.

    Baselines of a conversation, which nobody need have asked for, are for conversations alone; another metric of a
    conversation skips what is none, and says so.
    """
    levels = measured_levels(sample, turns)
    return [
        metric
        for metric in metrics
        if metric.measures in levels and (sample.messages or metric.name not in CONVERSATION_BASELINES)
    ]


async def _assess(metric: Metric, sample: Sample, scrubber: Scrubber) -> Score:
    try:
        return _without_secrets(await metric.assess(sample), scrubber)
    except AssayError:
        raise
    except Exception as error:  # the metric's own defect, perhaps of another package: the sample fails, the run goes on
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        reason = f"{metric.name} broke: {type(error).__name__}: {error} ({where})"
        return _without_secrets(failed(reason, {"traceback": traceback.format_exc()}), scrubber)


def _without_secrets(score: Score, scrubber: Scrubber) -> Score:
    """The score without the keys and passwords of the environment: a metric of the user's may repeat them."""
    scrub = scrubber.scrub_error if score.status == "failed" else scrubber.scrub
    reason, evidence = scrub(score.reason), scrubber.scrub_value(score.evidence)
    is_clean = (reason, evidence) == (score.reason, score.evidence)
    return score if is_clean else replace(score, reason=reason, evidence=evidence)
