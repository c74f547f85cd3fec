"""The judge of a watch: the run of each day, as far as its budget goes."""

from collections.abc import Callable
from pathlib import Path

from ...errors import AssayError
from ...eval_sets import Sample
from ...judges import Budget
from ...judges.cassette import is_bundled
from ...metrics.metric import run_to_end
from ...runs import Plan, RunOptions, Store
from ...runs.score.scoring_request import ScoringRequest
from ...runs.score.session import OnProgress, Progress, StoredRun, score_samples
from .watch_records import WatchRecords
from .watch_settings import WatchSettings
from .watch_state import StepCounts


class DayRun(StoredRun):
    """The record of a day's run, which does not ask again about answers that were given up."""

    def __init__(self, plan: Plan, store: Store, resume: str | None, given_up: set[str], cassette: Path | None) -> None:
        super().__init__(plan, store, resume, cassette=cassette)
        self.given_up = given_up
        self._metrics = set(plan.all_metrics)

    def finished_metrics(self, sample: Sample) -> set[str]:
        """As `StoredRun.finished_metrics`; all of an answer that was given up."""
        return self._metrics if sample.id in self.given_up else super().finished_metrics(sample)


def judge_waiting(
    records: WatchRecords, today: str, counts: StepCounts, on_progress: OnProgress
) -> tuple[AssayError | None, list[str]]:
    """Judges the answers that wait for the judge, the oldest draws first, within what is left of today's budget.

    Replies are in the store before they are scored: after a kill none is asked for again. Returns what ended it early,
    such as `BudgetReached`; and of each answer that has no score now, why.
    """
    problem, failures = None, list[str]()
    for day in records.waiting_days():
        if problem is None:
            problem, reasons = _judge_day(records, day, today, counts, on_progress)
            failures += reasons
    return problem, failures


def _judge_day(
    records: WatchRecords, day: str, today: str, counts: StepCounts, on_progress: OnProgress
) -> tuple[AssayError | None, list[str]]:
    settings = records.settings
    plan = settings.plan(records.watch_id, day)
    row = records.store.newest_run_of(plan.identity)
    names, cassette = records.drawn_names(day), _cassette(settings)
    record = DayRun(plan, records.store, row.id if row else None, records.given_up(day), cassette)
    progress = Progress(total=record.count(map(records.sample, names)))
    budget, note_spending = day_budget(records, today)
    mode = settings.cassette.mode if settings.cassette else "auto"
    options = RunOptions(cassette=cassette, mode=mode, budget=budget, concurrency=settings.concurrency)
    problem = None
    try:
        request = ScoringRequest.of_plan(plan, options)
        samples = map(records.sample, names)
        run_to_end(score_samples(samples, record, request, progress=progress, on_progress=on_progress))
    except AssayError as error:
        problem = error
    finally:
        note_spending()
        spent = None if budget.unpriced else budget.spent_usd
        counts.usd = None if counts.usd is None or spent is None else counts.usd + spent
    run = records.store.newest_run_of(plan.identity)
    if run is None:  # the judge gave no reply at all
        return problem, []
    scores = {
        name: score for name, metric, score in records.store.scores(run.id, fields=()) if metric == settings.metric
    }
    counts.judged += records.add_scores(day, run.id, scores, tried=problem is None)
    failed = [s.reason for name, s in scores.items() if s.status == "failed" and name not in record.given_up]
    return problem, failed


def day_budget(records: WatchRecords, today: str) -> tuple[Budget, Callable[[], None]]:
    """Makes what is left of a day's budget, which keeps in the store before each call how much may be spent by then."""
    bounds, before = records.settings.budget, records.spending(today)
    budget = Budget(
        None if bounds.usd_per_day is None else max(0.0, bounds.usd_per_day - (before.usd or 0.0)),
        None if bounds.tokens_per_day is None else max(0, bounds.tokens_per_day - before.tokens),
    )

    def note_spending() -> None:
        under_way = budget.under_way
        is_unknown = before.usd is None or bool(budget.unpriced) or under_way.usd is None
        usd = None if is_unknown else (before.usd or 0.0) + budget.spent_usd + (under_way.usd or 0.0)
        records.note_spending(today, usd, before.tokens + budget.spent_tokens + under_way.tokens)

    budget.on_begin = note_spending
    return budget, note_spending


def _cassette(settings: WatchSettings) -> Path | None:
    file = settings.cassette.file if settings.cassette else None
    return None if file is None else Path(file) if is_bundled(file) else settings.path(file)
