"""A run in batches: its questions are planned stage by stage, then it is scored from the cassette."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from ...eval_sets import Sample
from ...judges.batch.batch_journal import BatchJournal
from ...judges.batch.batch_queue import BatchQueue
from ...judges.batch.provider import find_provider
from ...judges.cassette import is_bundled
from ...judges.question import ReplyPending
from ...metrics import Metric, Score
from ...metrics.metric import ComputedMetric
from ...metrics.score import skipped
from ..store.plan import Plan
from .run_writer import FinishedMetrics, execute
from .scoring_request import OpenedMetrics, RunOptions, ScoringRequest


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """How a run asks its judge in batches."""

    most_requests: int | None = None  # the most requests of one batch; None for the provider's limit
    # called with each note for the user: what a stage may take, what was submitted, what came
    on_note: Callable[[str], None] = lambda _: None


def check_batches(plan: Plan, options: RunOptions) -> None:
    """Checks that a plan can be carried out in batches, before anything is begun.

    Raises:
        InputError: What is noted of batches beside the cassette cannot be read.
        UsageError: The plan has no judge with batches, or its replies have no cassette to go to.
    """
    if plan.judge is None:
        raise UsageError("--batch: no judge is named, so that nothing is asked; add --judge MODEL or leave --batch out")
    if options.cassette is None or is_bundled(options.cassette) or options.mode != "auto":
        raise UsageError(
            "--batch keeps the replies in a cassette and scores from it: name a file of your own (--cassette FILE), "
            "and leave --mode out"
        )
    find_provider(plan.judge)
    cassette = options.cassette_file(lambda: plan.judge)
    assert cassette is not None
    BatchJournal(cassette)


def has_submitted_batches(cassette: Path) -> bool:
    """Whether batches of a cassette are, or may be, at the provider or collected."""
    return bool(BatchJournal(cassette).batches)


@asynccontextmanager
async def replies_in_batches(
    read_samples: Callable[[], Iterable[Sample]],
    opened: OpenedMetrics,
    finished_metrics: FinishedMetrics,
    request: ScoringRequest,
    batches: BatchOptions,
) -> AsyncIterator[None]:
    """Gets all replies that metrics need by the provider's batch API; within the block the metrics find them.

    Each stage runs the metrics, which end at their first missing reply; what is missing is submitted. A metric with two
    questions after each other so takes two stages. Within the block, a question without a reply fails with the cause.
    """
    judge = opened.judge
    if judge is None or judge.cassette is None:
        raise UsageError("batches need a judge that litellm reaches and a cassette")
    metrics = [_PlannedMetric(metric) for metric in opened.metrics if not isinstance(metric, ComputedMetric)]
    with BatchQueue(
        judge.settings,
        Path(judge.cassette.path),
        request.options.budget,
        keep=judge.keep_reply,
        most_requests=batches.most_requests,
        on_note=batches.on_note,
    ) as queue:
        judge.ask_later(queue)
        await queue.recover()
        has_replies = True
        while has_replies:
            queue.open_stage()
            await execute(
                read_samples(),
                metrics,
                lambda *_: None,
                concurrency=opened.concurrent_samples,
                turns=request.turns,
                finished_metrics=finished_metrics,
            )
            has_replies = await queue.close_stage()
            judge.forget_replies()
        yield
        queue.finish()


class _PlannedMetric(Metric):
    """A metric that may end at a missing reply; what it would score is not kept."""

    def __init__(self, metric: Metric) -> None:
        self.name = metric.name
        self.needs = metric.needs
        self.measures = metric.measures
        self.substitutes = metric.substitutes
        self._metric = metric

    async def measure(self, sample: Sample) -> Score:
        return await self._metric.measure(sample)

    async def assess(self, sample: Sample) -> Score:
        try:
            return await self._metric.assess(sample)
        except ReplyPending:
            return skipped("its judge has not replied yet")
