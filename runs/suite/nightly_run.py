"""Runs a suite from beginning to end: the run of every judge, the gates, and a truthful report however it ends."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import dropwhile
from pathlib import Path
from typing import Any

from ...errors import AssayError, UsageError
from ...judges import Budget
from ...judges.cassette import is_bundled
from ...text.wording import count_of
from ...value_messages import check_type
from ..answers.table import AnswerTable
from ..decision.compare import RunComparison, compare_versions
from ..score.scoring_request import RunOptions
from ..score.session import OnProgress, run_plan
from ..store.plan import Progress
from ..store.store import Store
from .gates import GateResult, Spending
from .history import JudgedRun, find_baseline, read_history
from .ledger import Ledger, NightlyRunRow
from .nightly_report import (
    UNFINISHED,
    NightlyReport,
    RunReport,
    Status,
    decide_verdict,
    read_report,
    report_run,
)
from .report_files import write_history, write_report_files
from .suite_file import Suite, judge_identity

ProgressDisplay = AbstractContextManager[Callable[[Progress], None]]
_INTERRUPTED = "Ctrl-C or TERM; all replies are kept"


@dataclass(frozen=True)
class SuiteOutcome:
    """The report of a nightly run, what could not be written of its files and its site, and what else is to be said."""

    report: NightlyReport
    write_errors: tuple[str, ...] = ()
    notice: str = ""


@dataclass
class _NightlyRun:
    """A nightly run under way."""

    suite: Suite
    store: Store
    row: NightlyRunRow
    resume_command: str
    accept_command: str  # whose last word is a run's id, which follows it
    budget: Budget
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

    def report(self, status: Status, message: str = "") -> NightlyReport:
        """Returns a report without figures: of one that has just begun, or whose store cannot be read."""
        return _report_without_figures(
            self.suite,
            status,
            message,
            nightly_run=self.row.id,
            resume=self.resume_command,
            began=self.row.began,
            spent=self.spending(),
            seconds=round(self.earlier_seconds + time.monotonic() - self.started, 3),
        )


def run_suite(
    suite: Suite,
    store: str | Path | None = None,
    *,
    resume: bool = False,
    accept: bool = False,
    resume_command: str = "",
    accept_command: str = "assay suite accept",
    progress: Callable[[], ProgressDisplay] = lambda: nullcontext(lambda _: None),
) -> SuiteOutcome:
    """Runs a suite: judges its sets, decides its gates, writes its files and the site of its history.

    The files say `running` from the start, so that after a kill yesterday's files do not pass for this nightly run's.
    Where `resume` is refused they stay as they are.

    Args:
        store: The folder or URL of the store; the suite's own if left out.
        resume: Resume the newest nightly run of the suite instead of beginning one; of one that has ended, write the
            files and the site again, since it may have been killed before it wrote them.
        accept: Accept the runs when the nightly run has ended: the next ones are compared with them, and its gates on
            regressions do not count. One that can be resumed is not accepted.
        resume_command: The command that would resume it, for the report.
        accept_command: The command that would accept a run whose id follows it, for the report.
        progress: Makes a context manager that gives the function to tell of progress.

    Returns:
        The report. An error during the nightly run, a used-up budget and Ctrl-C are verdicts in it, not exceptions. All
        replies and scores until then are kept.

    Raises:
        AssayError: The store cannot be opened, or there is nothing to resume.
    """
    check_type("suite", suite, Suite, 'a Suite: load_suite("suite.yaml")')
    notice = ""
    try:
        opened = Store(store or suite.store_place, wait=suite.store_wait)
        nightly = _begin(suite, opened, resume, resume_command, accept_command)
    except AssayError as error:
        if not resume:  # else the files are of the nightly run that is there, and stay
            write_report_files(suite, _report_without_figures(suite, "error", str(error)))
        raise
    write_errors: list[str] = []
    report = nightly.report("running")
    try:
        if nightly.row.status in UNFINISHED:
            status, message = _execute(nightly, report, progress)
            report = _finish(nightly, status, message)
        else:
            report = read_report(nightly.row)
            notice = f"{nightly.row.id} had ended ({report.verdict}); its reports are written again"
        if accept and report.accept is not None and not report.is_accepted:
            report = _accept(nightly, report)
        for write in (partial(write_report_files, suite, report), partial(write_history, suite, opened)):
            try:
                write()
            except AssayError as error:
                write_errors.append(str(error))
    except KeyboardInterrupt:  # while it ends: what the store has of it stays, and the files can be written again
        update = {"status": "interrupted", "verdict": "interrupted", "message": _INTERRUPTED, "resume": resume_command}
        report = report.model_copy(update=update)
    return SuiteOutcome(report, tuple(write_errors), notice)


def _execute(nightly: _NightlyRun, begun: NightlyReport, progress: Callable[[], ProgressDisplay]) -> tuple[Status, str]:
    """Executes the runs of all judges; returns how that ended, and why not well."""
    try:
        write_report_files(nightly.suite, begun)
        write_history(nightly.suite, nightly.store)
        with progress() as on_progress:
            for judge in nightly.suite.judge_names:
                status, message = _execute_run(nightly, judge, on_progress)
                if status != "done":
                    return status, message
    except KeyboardInterrupt:
        return "interrupted", _INTERRUPTED
    except AssayError as error:
        return "error", str(error)
    return "done", ""


def _begin(suite: Suite, store: Store, resume: bool, resume_command: str, accept_command: str) -> _NightlyRun:
    """Begins a nightly run, or resumes the newest; one that has ended is returned as it is."""
    ledger = Ledger(store)
    row = next(iter(ledger.nightly_runs(suite.name)), None) if resume else ledger.begin(suite.name)
    if row is None:
        raise UsageError(f"{store.path}: the suite {suite.name} has no nightly run to resume; omit --resume")
    nightly = _NightlyRun(suite, store, row, resume_command, accept_command, suite.budget.budget())
    if not resume or row.status not in UNFINISHED:
        return nightly
    for judge, run in ledger.runs(row.id).items():
        if judge not in suite.judge_names or store.run(run).plan.identity != suite.plan(judge).identity:
            raise UsageError(
                f"{row.id}: the suite has other sets, metrics or judges than when its run {run} began, so that the run "
                "cannot be resumed; omit --resume to begin a new nightly run"
            )
    nightly.earlier_seconds = 0.0 if row.report is None else read_report(row).seconds
    ledger.resume(row.id)
    return nightly


def _execute_run(nightly: _NightlyRun, judge: str, on_progress: OnProgress) -> tuple[Status, str]:
    suite, ledger = nightly.suite, Ledger(nightly.store)
    options = RunOptions(budget=nightly.budget, concurrency=suite.concurrency)
    if suite.cassette is not None:
        file = suite.cassette.file
        options = replace(
            options, cassette=Path(file) if is_bundled(file) else suite.path(file), mode=suite.cassette.mode
        )
    outcome = run_plan(
        suite.plan(judge),
        nightly.store,
        options,
        resume=ledger.runs(nightly.row.id).get(judge),
        skip_bad=suite.skip_bad,
        on_begin=partial(ledger.add_run, nightly.row.id, judge),
        on_progress=on_progress,
    )
    return outcome.ending, outcome.message


def _finish(nightly: _NightlyRun, status: Status, message: str) -> NightlyReport:
    """Makes the report of a nightly run that ended so, and keeps it in the store.

    Where the store cannot be read or written, the report says that too.
    """
    try:
        report = _report(nightly, status, message)
        Ledger(nightly.store).end(nightly.row.id, report.verdict, report.as_json())
    except AssayError as error:
        further = "" if str(error) in message else str(error)
        report = nightly.report("error", "; ".join(filter(None, [message, further])))
    return report


def _accept(nightly: _NightlyRun, report: NightlyReport) -> NightlyReport:
    """Accepts the runs of a nightly run that ended: the next nightly runs are compared with them.

    Its gates on regressions cannot fail it, because it is the new baseline: one that did not pass is
    `accepted`. All other gates count.
    """
    for run in report.runs:
        accept_runs(nightly.store, [run.run])
    gates = tuple(
        _restate(gate, "accepted", "not counted, since the run is accepted")
        if gate.gate == "regression" and gate.state in {"failed", "not settled"}
        else gate
        for gate in report.gates
    )
    verdict = decide_verdict(report.status, gates, 0, nightly.suite.max_failed)
    accepted = report.model_copy(update={"verdict": verdict, "is_accepted": True, "gates": gates})
    Ledger(nightly.store).end(nightly.row.id, verdict, accepted.as_json())
    return accepted


def _restate(gate: GateResult, state: str, why: str) -> GateResult:
    """A gate that does not decide: its figure, where it has one, stays in its reason."""
    reason = why if gate.value is None else f"{why}: {gate.reason}"
    return gate.model_copy(update={"state": state, "reason": reason})


def _report_without_figures(suite: Suite, status: Status, message: str, **known: Any) -> NightlyReport:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    verdict = "passed" if status == "done" else status
    values = {"nightly_run": None, "began": now, "ended": None if status == "running" else now, "sets": suite.sets}
    return NightlyReport(suite=suite.name, status=status, verdict=verdict, message=message, **values | known)


def _report(nightly: _NightlyRun, status: Status, message: str) -> NightlyReport:
    from .gate_decisions import decide_gates  # loads NumPy and SciPy

    suite, store, ledger = nightly.suite, nightly.store, Ledger(nightly.store)
    newest_first = iter(ledger.nightly_runs(suite.name))
    earlier = list(dropwhile(lambda row: row.id != nightly.row.id, newest_first))[1:]
    previous = next((row for row in earlier if row.report), None)
    previous_runs = ledger.runs(previous.id) if previous else {}
    judged_runs: list[JudgedRun] = []
    baselines: list[tuple[str | None, str]] = []
    runs = ledger.runs(nightly.row.id)
    for judge in suite.judge_names:
        if judge not in runs:  # it did not begin, or had nothing and was removed
            continue
        table = AnswerTable.read(store, store.run(runs[judge]))
        baseline, no_baseline = find_baseline(store, suite.name, table.name)
        baselines.append((baseline.runs[-1] if baseline and baseline.runs else None, no_baseline))
        judged = JudgedRun(judge, suite.metrics, table)
        judged.history = read_history(store, earlier, judged, baseline, sets=suite.sets)
        judged_runs.append(judged)
    gates = decide_gates(suite.all_gates, judged_runs, false_alarms=suite.false_alarms)
    if status != "done":  # the figures are of a part of the samples
        why = "not decided, since the nightly run did not finish"
        gates = [_restate(gate, "undecided", why) for gate in gates]
    reports: list[RunReport] = []
    for run, (accepted, why) in zip(judged_runs, baselines, strict=True):
        shown = _compare(store, accepted, run.table) or _compare(store, previous_runs.get(run.judge), run.table)
        about = report_run(suite, run.judge, run.table, gates, baseline=accepted, no_baseline=why, comparison=shown)
        reports.append(about)
    failed = sum(run.failed_samples for run in reports)
    verdict = decide_verdict(status, gates, failed, suite.max_failed)
    if verdict == "samples failed" and not message:
        first = next(run.first_failure for run in reports if run.failed_samples)
        message = f"{count_of(failed, 'sample')} failed, {suite.max_failed} allowed (max_failed). The first: {first}"
    fallen = {gate.judge for gate in gates if gate.state == "failed" and gate.gate == "regression"}
    show_changes = nightly.accept_command.replace("suite accept", "show changes", 1)
    changes = [f"{show_changes} {run.accepted} {run.run}" for run in reports if run.judge in fallen and run.accepted]
    can_resume = verdict in UNFINISHED
    has_values = all(any(metric.scored for metric in run.metrics if metric.asked) for run in reports)
    accept = None if can_resume or not has_values else [f"{nightly.accept_command} {run.run}" for run in reports]
    return nightly.report(status, message).model_copy(
        update={
            "changes": "; ".join(changes) or None,
            "runs": tuple(reports),
            "gates": tuple(gates),
            "verdict": verdict,
            "resume": nightly.resume_command if can_resume else None,
            "accept": None if accept is None else "; ".join(accept),
        }
    )


def _compare(store: Store, earlier: str | None, table: AnswerTable) -> RunComparison | None:
    """With a run that shares samples and metrics with this one; None otherwise."""
    if earlier is None or earlier == table.name:
        return None
    try:
        return compare_versions(AnswerTable.read(store, store.run(earlier)), table)
    except UsageError:
        return None


def list_failed_gates(store: Store, suite: str, run: str) -> list[str]:
    """The gates that a run of a suite failed, by the report of its nightly run."""
    for report in map(read_report, Ledger(store).nightly_runs(suite)):
        if judges := {one.judge for one in report.runs if one.run == run}:
            return [gate.title for gate in report.gates if gate.state == "failed" and gate.judge in {None, *judges}]
    return []


def accept_runs(store: Store, runs: Sequence[str], *, suite: str | None = None) -> tuple[str, str, tuple[str, ...]]:
    """Accepts runs of one judge for their suite, as a new baseline; what was accepted before is remembered.

    Args:
        suite: Of its runs alone is one the `last`, and runs of another suite are refused.

    Returns:
        The suite's name, the judge's identity, and the runs' ids, the oldest first.
    """
    ledger, rows = Ledger(store), [store.run(run, suite=suite) for run in runs]
    names = set[tuple[str, str]]()
    for row in rows:
        if row.status != "done":
            raise UsageError(f"run {row.id} did not finish ({row.status}): resume it, then accept it")
        if reason := store.reason_of_no_value(row.id, row.plan.metrics):
            raise UsageError(f"run {row.id}: nothing was scored, so that nothing could be compared with it. {reason}")
        name = ledger.find_suite(row.id)
        if name is None:
            raise UsageError(f"run {row.id} was not made by a suite: accept a run of `assay suite FILE`")
        if suite not in {None, name}:
            raise UsageError(f"run {row.id} is of the suite {name}, not of {suite}")
        names.add((name, judge_identity(row.plan.judge)))
    if len(names) > 1:
        listed = " and ".join(f"{name} (judge: {judge})" for name, judge in sorted(names))
        raise UsageError(f"the runs are of {listed}: accept the runs of one suite and one judge at a time")
    ids = tuple(dict.fromkeys(row.id for row in sorted(rows, key=lambda row: row.created)))
    ((name, judge),) = names
    ledger.accept(name, judge, *ids)
    return name, judge, ids
