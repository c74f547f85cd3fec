"""One sitting of a run: begun or resumed, executed, kept, and ended truthfully however it ends."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..errors import BudgetReached, InputError
from ..eval_sets import Sample
from ..judges import LiteLLMJudge, Usage
from ..judges.embedders import Embedder
from ..metrics import Metric, Score
from ..metrics.catalogue import load_metric
from ..prompts import BUNDLED, Prompts
from .execute import execute, nothing_finished
from .plan import Plan
from .store import RunKeeper, Store

Ending = Literal["done", "budget", "interrupted", "error"]


@dataclass
class Progress:
    """What a session has done so far; `judge` and `embedder`, those of the run, give calls, cost and retries."""

    total: int | None
    judge: LiteLLMJudge | None = None
    embedder: Embedder | None = None
    begun: float = field(default_factory=time.monotonic)
    samples: int = 0
    scores: dict[str, int] = field(default_factory=lambda: {"scored": 0, "skipped": 0, "failed": 0})

    @property
    def usage(self) -> Usage:
        """What the judge and an embedder behind an API took in this session."""
        return Usage.total([asked.usage for asked in (self.judge, self.embedder) if asked])

    @property
    def retries(self) -> int:
        """How many failed calls to the judge were made again."""
        return self.judge.retries if self.judge else 0


@dataclass(frozen=True)
class Outcome:
    """How a sitting ended: the run's id, why it ended, what it took, and the rows of the sets that were left out."""

    run: str
    ending: Ending
    usage: Usage
    message: str = ""
    skipped_rows: Sequence[InputError] = ()


async def run_session(
    plan: Plan,
    store: Store,
    *,
    judge: LiteLLMJudge | None,
    embedder: Embedder | None,
    resume: str | None = None,
    concurrency: int,
    skip_bad: bool = False,
    progress: Progress | None = None,
    on_begin: Callable[[str], None] = lambda _: None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Outcome:
    """Executes a plan, or what is missing of the run `resume`, and keeps everything in the store.

    The judge and the embedder are left as they are: the run uses views of its own. Ends with `budget` at a bound.
    However it ends, what was asked and scored is kept and the run can be resumed. `on_begin` gets the id of a run that
    begins. Raises `InputError` for a bad row (unless `skip_bad`) or prompt, `UsageError` for a metric that cannot be
    made, `JudgeUnavailable` where the judge is gone.
    """
    prompts = BUNDLED if plan.prompts is None else Prompts.from_folder(plan.prompts)
    judge, embedder = judge and judge.for_run(), embedder and embedder.for_run()
    metrics: list[Metric] = [load_metric(name, judge, embedder, prompts) for name in plan.all_metrics]
    skipped_rows: list[InputError] = []
    progress = progress or Progress(None)
    progress.judge, progress.embedder = judge, embedder
    if resume is None:
        run = store.begin(plan.with_directions(metrics))
        on_begin(run)
    else:
        run = resume
    keeper = RunKeeper(store, run)
    if judge is not None:
        judge.keep_in(keeper)

    def keep(sample: Sample, scores: dict[str, Score]) -> None:
        keeper.keep(sample, scores)
        progress.samples += 1
        for score in scores.values():
            progress.scores[score.status] += 1
        on_progress(progress)

    ending: Ending = "interrupted"
    message = ""
    try:
        await execute(
            keeper.drawn(plan.samples(skipped_rows if skip_bad else None)),
            metrics,
            keep,
            concurrency=concurrency,
            finished=keeper.finished_metrics if resume else nothing_finished,
        )
        ending = "done"
    except BudgetReached as reached:
        ending, message = "budget", str(reached)
    except Exception:
        ending = "error"
        raise
    finally:
        if judge is not None:
            await judge.cancel_calls()
        keeper.flush()
        store.end(run, ending)
    return Outcome(run, ending, progress.usage, message, skipped_rows)
