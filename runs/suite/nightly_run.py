"""One nightly run of a suite: the run of every judge, the gates, and a truthful report however it ends."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import dropwhile
from pathlib import Path
from typing import NamedTuple

from ...errors import AssayError, UsageError
from ...judges import Budget
from ...judges.cassette import is_bundled
from ...text.wording import count_of
from ..decision.compare import RunComparison, compare
from ..score.scoring_request import RunOptions
from ..score.session import OnProgress, run_plan
from ..store.store import Store
from .gate_check import JudgedRun
from .gates import GateResult, Spending
from .history import answered_samples, find_baseline, read_history
from .ledger import Ledger, NightlyRunRow
from .nightly_report import (
    UNFINISHED,
    NightlyReport,
    RunReport,
    Status,
    decide_verdict,
    fails_nightly_run,
    read_report,
    report_run,
)
from .suite import Suite, judge_identity


@dataclass
class NightlyRun:
    """A nightly run under way."""

    suite: Suite
    store: Store
    row: NightlyRunRow
    runs: dict[str, str]  # the ids of the runs that have begun, by judge
    resume_command: str
    accept_command: str = "assay suite accept"  # the command that accepts a run, whose id follows it
    budget: Budget = field(default_factory=Budget)
    earlier_seconds: float = 0.0  # how long earlier sessions took
    started: float = field(default_factory=time.monotonic)

    def spending(self) -> Spending:
        """Returns what all sessions took, calls without a reply at most; the runs keep what earlier sessions took."""
        budget = self.budget
        return Spending(
            calls=budget.replies + budget.lost.calls,
            tokens=budget.spent_tokens,
            usd=None if budget.unpriced else budget.spent_usd,
            lost=budget.lost,
        )

    def seconds(self) -> float:
        """Returns how long all sessions took."""
        return round(self.earlier_seconds + time.monotonic() - self.started, 3)


def begin_nightly_run(
    suite: Suite, store: Store, *, resume: bool, resume_command: str, accept_command: str = "assay suite accept"
) -> NightlyRun:
    """Begins a nightly run, or resumes the newest."""
    ledger, budget = Ledger(store), suite.budget.budget()
    if not resume:
        return NightlyRun(suite, store, ledger.begin(suite.name), {}, resume_command, accept_command, budget)
    rows = ledger.nightly_runs(suite.name)
    if not rows or rows[0].status not in UNFINISHED:
        newest = f"; the newest, {rows[0].id}, ended: {rows[0].status}" if rows else ""
        raise UsageError(f"{store.path}: the suite {suite.name} has no nightly run to resume{newest}; omit --resume")
    row = rows[0]
    runs = ledger.runs(row.id)
    for judge, run in runs.items():
        if judge not in suite.judge_names or store.run(run).plan.identity != suite.plan(judge).identity:
            raise UsageError(
                f"{row.id}: the suite has other sets, metrics or judges than when its run {run} began, so that the run "
                "cannot be resumed; omit --resume to begin a new nightly run"
            )
    nightly = NightlyRun(suite, store, row, runs, resume_command, accept_command, budget)
    if row.report is not None:
        nightly.earlier_seconds = read_report(row).seconds
    ledger.resume(row.id)
    return nightly


def execute_nightly_run(nightly: NightlyRun, on_progress: OnProgress = lambda _: None) -> NightlyReport:
    """Runs every judge, then decides the gates.

    An error, or a budget that is used up, ends it early with a report that says so. All replies and scores until then
    are kept. What is not an error of Assay (Ctrl-C) is raised.
    """
    status: Status = "done"
    message = ""
    try:
        for judge in nightly.suite.judge_names:
            status, message = _execute_run(nightly, judge, on_progress)
            if status != "done":
                break
    except AssayError as error:
        status, message = "error", str(error)
    return finish_nightly_run(nightly, status, message)


def _execute_run(nightly: NightlyRun, judge_name: str, on_progress: OnProgress) -> tuple[Status, str]:
    suite, plan = nightly.suite, nightly.suite.plan(judge_name)
    options = RunOptions(budget=nightly.budget, concurrency=suite.concurrency)
    if suite.cassette is not None:
        file = suite.cassette.file
        options = replace(
            options, cassette=Path(file) if is_bundled(file) else suite.path(file), mode=suite.cassette.mode
        )

    def on_begin(run: str) -> None:
        nightly.runs[judge_name] = run
        Ledger(nightly.store).add_run(nightly.row.id, judge_name, run)

    outcome = run_plan(
        plan,
        nightly.store,
        options,
        resume=nightly.runs.get(judge_name),
        skip_bad=suite.skip_bad,
        on_begin=on_begin,
        on_progress=on_progress,
    )
    return outcome.ending, outcome.message


def finish_nightly_run(nightly: NightlyRun, status: Status, message: str = "") -> NightlyReport:
    """Makes the report of a nightly run that ended so, and keeps it in the store.

    Where the store cannot be read or written, the report says that too.
    """
    try:
        report = _full_report(nightly, status, message)
        Ledger(nightly.store).end(nightly.row.id, report.verdict, report.as_json())
    except AssayError as error:
        further = "" if str(error) in message else str(error)
        report = empty_report(nightly, "error", "; ".join(filter(None, [message, further])))
    return report


def accept_nightly_run(nightly: NightlyRun, report: NightlyReport) -> NightlyReport:
    """Accepts the runs of a nightly run that ended: the next nightly runs are compared with them.

    Its gates on regressions cannot fail it, because it is the new baseline: one that did not pass is
    `accepted`. All other gates count.
    """
    if report.accept is None:
        return report
    for run in report.runs:
        accept_runs(nightly.store, [run.run])
    gates = tuple(map(_accepted, report.gates))
    verdict = decide_verdict(report.status, gates, 0, nightly.suite.max_failed)
    accepted = report.model_copy(update={"verdict": verdict, "is_accepted": True, "gates": gates})
    Ledger(nightly.store).end(nightly.row.id, verdict, accepted.as_json())
    return accepted


def empty_report(nightly: NightlyRun, status: Status, message: str = "") -> NightlyReport:
    """Returns a report without figures: of a nightly run that has just begun, or whose store cannot be read."""
    return NightlyReport(
        suite=nightly.suite.name,
        nightly_run=nightly.row.id,
        began=nightly.row.began,
        ended=None if status == "running" else datetime.now(UTC).isoformat(timespec="seconds"),
        status=status,
        verdict=status if status != "done" else "passed",
        message=message,
        resume=nightly.resume_command,
        sets=nightly.suite.sets,
        spent=nightly.spending(),
        seconds=nightly.seconds(),
    )


def _full_report(nightly: NightlyRun, status: Status, message: str) -> NightlyReport:
    from .gate_decisions import decide_gates  # loads NumPy and SciPy

    suite, store, ledger = nightly.suite, nightly.store, Ledger(nightly.store)
    earlier = _earlier_rows(nightly, ledger)
    previous = next((row for row in earlier if row.report), None)
    previous_runs = ledger.runs(previous.id) if previous else {}
    reports: list[RunReport] = []
    judged_runs: list[JudgedRun] = []
    runs = ledger.runs(nightly.row.id)
    for judge in suite.judge_names:
        if judge not in runs:  # it did not begin, or had nothing and was removed
            continue
        run = runs[judge]
        baseline, no_baseline = find_baseline(store, suite.name, run)
        accepted = baseline.runs[-1] if baseline and baseline.runs else None
        shown = _comparison(store, accepted, run) or _comparison(store, previous_runs.get(judge), run)
        report = report_run(store, suite, judge=judge, run=run, accepted=accepted, comparison=shown)
        reports.append(report.model_copy(update={"no_baseline": no_baseline}))
        newest = list(answered_samples(store, run))
        samples = [judged for _, judged in newest]
        history = read_history(store, earlier, judge=judge, run=run, baseline=baseline, newest=newest, sets=suite.sets)
        directions = store.run(run).plan.all_directions
        judged_runs.append(JudgedRun(judge, suite.metrics, directions, samples, history))
    gates = decide_gates(suite.all_gates, judged_runs, nightly.spending(), false_alarms=suite.false_alarms)
    if status != "done":
        gates = [_undecided(gate) for gate in gates]
    failed = sum(run.failed_samples for run in reports)
    verdict = decide_verdict(status, gates, failed, suite.max_failed)
    if verdict == "samples failed" and not message:
        first = next(run.first_failure for run in reports if run.failed_samples)
        message = f"{count_of(failed, 'sample')} failed, {suite.max_failed} allowed (max_failed). The first: {first}"
    fallen = {gate.judge for gate in gates if gate.state == "failed" and gate.gate == "regression"}
    show_changes = nightly.accept_command.replace("suite accept", "show changes", 1)
    changes = [f"{show_changes} {run.accepted} {run.run}" for run in reports if run.judge in fallen and run.accepted]
    return empty_report(nightly, status, message).model_copy(
        update={
            "changes": "; ".join(changes) or None,
            "runs": tuple(reports),
            "gates": tuple(gates),
            "verdict": verdict,
            "resume": nightly.resume_command if verdict in UNFINISHED else None,
            "accept": None
            if verdict in UNFINISHED or not all(map(_has_value, reports))
            else "; ".join(f"{nightly.accept_command} {report.run}" for report in reports),
        }
    )


def _earlier_rows(nightly: NightlyRun, ledger: Ledger) -> list[NightlyRunRow]:
    """The suite's nightly runs before this one, the newest first."""
    newest_first = iter(ledger.nightly_runs(nightly.suite.name))
    return list(dropwhile(lambda row: row.id != nightly.row.id, newest_first))[1:]


def _undecided(gate: GateResult) -> GateResult:
    """A gate of a nightly run that did not finish: its figure is of a part of the samples, so it decides nothing."""
    reason = f"not decided, since the nightly run did not finish; so far: {gate.reason}"
    update = {"state": "undecided", "reason": reason, "is_within_noise": False}
    return gate.model_copy(update=update)


def _accepted(gate: GateResult) -> GateResult:
    """A gate of a run that is accepted: one that compares it with earlier runs and fails it does not count."""
    if gate.gate != "regression" or not fails_nightly_run(gate):
        return gate
    return gate.model_copy(
        update={"state": "accepted", "reason": f"not counted, since the run is accepted: {gate.reason}"}
    )


def _comparison(store: Store, earlier: str | None, run: str) -> RunComparison | None:
    """With a run that shares samples and metrics with this one; None otherwise."""
    if earlier is None or earlier == run:
        return None
    try:
        return compare(store, earlier, run)
    except UsageError:
        return None


def _has_value(run: RunReport) -> bool:
    """Whether one of the metrics that were asked for has a value."""
    return any(metric.scored for metric in run.metrics if metric.asked)


class AcceptedRuns(NamedTuple):
    """Runs that were accepted together: the suite's name, the judge's identity, and the runs' ids."""

    suite: str
    judge: str
    runs: tuple[str, ...]


def accept_runs(store: Store, runs: Sequence[str]) -> AcceptedRuns:
    """Accepts runs of one judge for their suite, as a new baseline; what was accepted before is remembered."""
    ledger, rows = Ledger(store), [store.run(run) for run in runs]
    names = set[tuple[str, str]]()
    for row in rows:
        if row.status != "done":
            raise UsageError(f"run {row.id} did not finish ({row.status}): resume it, then accept it")
        if reason := store.reason_of_no_value(row.id, row.plan.metrics):
            raise UsageError(f"run {row.id}: nothing was scored, so that nothing could be compared with it. {reason}")
        name = ledger.find_suite(row.id)
        if name is None:
            raise UsageError(f"run {row.id} was not made by a suite: accept a run of `assay suite FILE`")
        names.add((name, judge_identity(row.plan.judge)))
    if len(names) > 1:
        listed = " and ".join(f"{name} (judge: {judge})" for name, judge in sorted(names))
        raise UsageError(f"the runs are of {listed}: accept the runs of one suite and one judge at a time")
    ids = tuple(dict.fromkeys(row.id for row in sorted(rows, key=lambda row: row.created)))
    ((name, judge),) = names
    ledger.accept(name, judge, *ids)
    return AcceptedRuns(name, judge, ids)
