"""Runs a suite from beginning to end: what `assay suite` does, and Python users can do too."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from ...errors import AssayError
from ...value_messages import check_type
from ..score.session import Progress
from ..store.store import Store
from .nightly_report import NightlyReport
from .nightly_run import (
    NightlyRun,
    accept_nightly_run,
    begin_nightly_run,
    empty_report,
    execute_nightly_run,
    finish_nightly_run,
)
from .report_files import write_history, write_report_files
from .suite import Suite

ProgressDisplay = AbstractContextManager[Callable[[Progress], None]]


@dataclass(frozen=True)
class SuiteOutcome:
    """The report of a nightly run, and what could not be written of its files and its site."""

    report: NightlyReport
    write_errors: tuple[str, ...] = ()


def run_suite(
    suite: Suite,
    store: str | Path | None = None,
    *,
    resume: bool = False,
    accept: bool = False,
    resume_command: str = "",
    accept_command: str = "assay suite accept",
    progress: Callable[[], ProgressDisplay] | None = None,
) -> SuiteOutcome:
    """Runs a suite: judges its sets, decides its gates, writes its files and the site of its history.

    The files say `running` from the start, so that after a kill yesterday's files do not pass for this nightly run's.

    Args:
        store: The folder or URL of the store; the suite's own if left out.
        resume: Resume the newest nightly run of the suite instead of beginning one.
        accept: Accept the runs when the nightly run has ended: the next ones are compared with them, and its gates on
            regressions do not count. One that can be resumed is not accepted.
        resume_command: The command that would resume it, for the report.
        accept_command: The command that would accept a run whose id follows it, for the report.
        progress: Makes a context manager that gives the function to tell of progress.

    Returns:
        The report. An error during the nightly run, a used-up budget and Ctrl-C are verdicts in it, not exceptions.

    Raises:
        AssayError: The store cannot be opened, or there is nothing to resume.
    """
    check_type("suite", suite, Suite, 'a Suite: load_suite(Path("suite.yaml"))')
    try:
        opened = Store(suite.store_place if store is None else store, wait=suite.store_wait)
        nightly = begin_nightly_run(
            suite, opened, resume=resume, resume_command=resume_command, accept_command=accept_command
        )
    except AssayError as error:
        write_report_files(suite, _not_begun(suite, str(error), resume_command.removesuffix(" --resume")))
        raise
    report = _run_and_report(nightly, progress)
    if accept:
        report = accept_nightly_run(nightly, report)
    write_errors = []
    for write in (partial(write_report_files, suite, report), partial(write_history, suite, opened)):
        try:
            write()
        except AssayError as error:
            write_errors.append(str(error))
    return SuiteOutcome(report, tuple(write_errors))


def _run_and_report(nightly: NightlyRun, progress: Callable[[], ProgressDisplay] | None) -> NightlyReport:
    try:
        write_report_files(nightly.suite, empty_report(nightly, "running"))
        write_history(nightly.suite, nightly.store)
        with progress() if progress else nullcontext(lambda _: None) as on_progress:
            return execute_nightly_run(nightly, on_progress)
    except KeyboardInterrupt:
        return finish_nightly_run(nightly, "interrupted", "Ctrl-C or TERM; all replies are kept")
    except AssayError as error:
        return finish_nightly_run(nightly, "error", str(error))


def _not_begun(suite: Suite, message: str, command: str) -> NightlyReport:
    """The report where the store cannot be opened."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return NightlyReport(
        suite=suite.name,
        nightly_run=None,
        began=now,
        ended=now,
        status="error",
        verdict="error",
        message=message,
        resume=command,
        sets=suite.sets,
    )
