"""One night of a suite: every judge's run, the gates, and a truthful report however it ends."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ...errors import AssayError, UsageError
from ...judges import Budget, Cassette, LiteLLMJudge
from ...judges.embedders import load_embedder
from ..compare import Comparison, compare, judged_samples
from ..session import Progress, run_session
from ..store import Store
from .gates import JudgedRun, Spent, judge_gates
from .ledger import Ledger, NightRow
from .report import NightReport, RunReport, Status, as_json, report_of, report_run, verdict_of
from .suite import Suite, identity

RESUMABLE = {"running", "budget", "interrupted", "error", "samples failed"}


@dataclass
class Night:
    """A night under way: its row in the store, the budget of this sitting, and what earlier sittings took."""

    suite: Suite
    store: Store
    row: NightRow
    runs: dict[str, str]
    resume: str
    budget: Budget = field(default_factory=Budget)
    before: Spent = field(default_factory=Spent)
    begun: float = field(default_factory=time.monotonic)
    seconds_before: float = 0.0
    unpriced: bool = False

    def spent(self) -> Spent:
        """What all sittings of this night took."""
        usd = None if self.unpriced or self.before.usd is None else self.before.usd + self.budget.spent_usd
        return Spent(
            calls=self.before.calls + self.budget.replies, tokens=self.before.tokens + self.budget.spent_tokens, usd=usd
        )


def begin_night(suite: Suite, store: Store, *, resume: bool, command: str) -> Night:
    """A new night, or with `resume` the newest that did not end well; `command` is what would go on with it.

    Raises `UsageError` when there is none to go on with, or the suite asks something else since.
    """
    ledger = Ledger(store)
    if not resume:
        return Night(suite, store, ledger.begin(suite.name), {}, command, suite.budget.budget())
    nights = ledger.nights(suite.name)
    if not nights or nights[0].status not in RESUMABLE:
        newest = f"; the newest, {nights[0].id}, ended: {nights[0].status}" if nights else ""
        raise UsageError(f"{store.path}: the suite {suite.name} has no night to go on with{newest}; leave --resume out")
    row = nights[0]
    runs = ledger.runs(row.id)
    for judge, run in runs.items():
        if judge not in suite.judge_names or store.run(run).plan.identity != suite.plan(judge).identity:
            raise UsageError(
                f"{row.id}: the suite has changed since (sets, metrics or judges), so that its run {run} cannot go "
                "on; leave --resume out to begin a new night"
            )
    night = Night(suite, store, row, runs, command, suite.budget.budget())
    if row.report is not None:
        earlier = report_of(row)
        night.before, night.seconds_before = earlier.spent, earlier.seconds
    return night


async def hold(night: Night, on_progress: Callable[[Progress], None] = lambda _: None) -> NightReport:
    """Runs every judge, then judges the gates. An error or the budget ends it with a report that says so.

    What was asked and scored until then is kept. Raises what is not of Assay's own (Ctrl-C).
    """
    status: Status = "done"
    message = ""
    try:
        for judge in night.suite.judge_names:
            ending, told = await _hold_run(night, judge, on_progress)
            if ending != "done":
                status, message = ending, told
                break
    except (AssayError, night.store.database.errors) as error:
        status, message = "error", str(error)
    return ended(night, status, message)


async def _hold_run(night: Night, judge: str, on_progress: Callable[[Progress], None]) -> tuple[Status, str]:
    suite, plan = night.suite, night.suite.plan(judge)
    cassette = None
    if suite.cassette is not None and suite.cassette.mode != "off":
        file = suite.cassette.file.replace("{judge}", identity(plan.judge))
        cassette = Cassette(suite.path(file), suite.cassette.mode)
    asked = None
    if plan.judge is not None:
        overrides: dict[str, Any] = {"concurrency": suite.concurrency} if suite.concurrency else {}
        asked = LiteLLMJudge(plan.judge, cassette=cassette, budget=night.budget, **overrides)
    try:
        total = sum(1 for _ in plan.samples([] if suite.skip_bad else None))  # every row is read before any call
        embedder = load_embedder(plan.embedder, cassette, night.budget)

        def on_begin(run: str) -> None:
            night.runs[judge] = run
            Ledger(night.store).add_run(night.row.id, judge, run)

        outcome = await run_session(
            plan,
            night.store,
            judge=asked,
            embedder=embedder,
            resume=night.runs.get(judge),
            concurrency=asked.settings.concurrent_samples if asked else suite.concurrency or 16,
            skip_bad=suite.skip_bad,
            progress=Progress(total, asked, embedder),
            on_begin=on_begin,
            on_progress=on_progress,
        )
        return outcome.ending, outcome.message
    finally:
        night.unpriced = night.unpriced or (asked is not None and asked.usage.usd is None and night.budget.replies > 0)
        if asked is not None:
            asked.close()
        elif cassette is not None:
            cassette.close()


def ended(night: Night, status: Status, message: str = "") -> NightReport:
    """The report of a night that ended so, kept in the store; where it cannot be kept the report says that too."""
    try:
        report = _report(night, status, message)
        Ledger(night.store).end(night.row.id, report.verdict, as_json(report))
    except AssayError as error:
        report = bare_report(night, "error", "; ".join(filter(None, [message, _unless_told(error, message)])))
    except night.store.database.errors as error:
        told = f"{night.store.path}: the night's runs cannot be read: {error}"
        report = bare_report(night, "error", "; ".join(filter(None, [message, told])))
    return report


def _unless_told(error: AssayError, message: str) -> str:
    return "" if str(error) in message else str(error)


def bare_report(night: Night, status: Status, message: str = "") -> NightReport:
    """A report without figures: of a night that has just begun, or whose store cannot be read."""
    return NightReport(
        suite=night.suite.name,
        night=night.row.id,
        began=night.row.began,
        ended=None if status == "running" else _now(),
        status=status,
        verdict=status if status != "done" else "held",
        message=message,
        resume=night.resume,
        sets=list(night.suite.sets),
        spent=night.spent(),
        seconds=_seconds(night),
    )


def _report(night: Night, status: Status, message: str) -> NightReport:
    suite, store, ledger = night.suite, night.store, Ledger(night.store)
    earlier = next((row.id for row in ledger.nights(suite.name) if _before(row, night.row) and row.report), None)
    earlier_runs = ledger.runs(earlier) if earlier else {}
    runs: list[RunReport] = []
    judged: list[JudgedRun] = []
    for judge, run in night.runs.items():
        accepted = ledger.accepted(suite.name, identity(suite.settings(judge)))
        with_accepted = _comparison(store, accepted, run)
        shown = with_accepted or _comparison(store, earlier_runs.get(judge), run)
        runs.append(report_run(store, suite, judge=judge, run=run, accepted=accepted, comparison=shown))
        samples = [each for _, each in judged_samples(store, run)]
        judged.append(JudgedRun(judge, suite.metrics, store.run(run).plan.all_directions, samples, with_accepted))
    gates = judge_gates(suite.gates, judged, night.spent(), false_alarms=suite.false_alarms)
    if status != "done":
        gates = [_unsettled(gate) for gate in gates]
    failed = sum(run.failed_samples for run in runs)
    verdict = verdict_of(status, gates, failed, suite.max_failed)
    if verdict == "samples failed" and not message:
        first = next(run.first_failure for run in runs if run.failed_samples)
        message = f"{failed} samples failed, {suite.max_failed} allowed (max_failed). The first: {first}"
    return bare_report(night, status, message).model_copy(
        update={
            "runs": runs,
            "gates": gates,
            "verdict": verdict,
            "resume": night.resume if verdict in RESUMABLE else None,
        }
    )


def _unsettled(gate: Any) -> Any:
    """A gate of a night that did not end: its figure is of a part of the samples, so that it decides nothing."""
    told = f"not decided, since the night did not end; so far: {gate.told}"
    return gate.model_copy(update={"state": "undecided", "told": told})


def _comparison(store: Store, earlier: str | None, run: str) -> Comparison | None:
    """With a run that shares samples and metrics with this one; None otherwise."""
    if earlier is None or earlier == run:
        return None
    try:
        return compare(store, earlier, run)
    except UsageError:
        return None


def _before(row: NightRow, night: NightRow) -> bool:
    return (row.began, row.id) < (night.began, night.id)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _seconds(night: Night) -> float:
    return round(night.seconds_before + time.monotonic() - night.begun, 3)
