"""`assay suite`: a night; `assay accept`: what the next nights are compared with."""

import asyncio
import json
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import AssayError, UsageError
from .exit_codes import BUDGET, DONE, ERROR, GATE_FELL, INTERRUPTED, TOO_MANY_FAILED
from .options import json_option, store_option

if TYPE_CHECKING:
    from ..runs import Store
    from ..runs.nightly.night import Night
    from ..runs.nightly.report import NightReport
    from ..runs.nightly.suite import Suite

_CODES = {
    "held": DONE,
    "gate fell": GATE_FELL,
    "gate undecided": GATE_FELL,
    "samples failed": TOO_MANY_FAILED,
    "budget": BUDGET,
    "interrupted": INTERRUPTED,
    "error": ERROR,
}


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--resume", is_flag=True, help="Go on with the newest night, if it did not end.")
@click.option("--check", is_flag=True, help="Only check FILE: no model is asked, nothing is written.")
@store_option
@json_option
def suite(file: Path, *, resume: bool, check: bool, store: str | Path, as_json: bool) -> None:
    """Run the suite in FILE (YAML): judge its sets, hold its gates, write its reports and the site of its history.

    Exit code 5 when a gate falls; 3, 4 and 130 as for `assay run`. What was asked is kept: --resume goes on.

    \b
    assay suite nightly.yaml
    assay suite nightly.yaml --resume
    assay accept last            # the next nights are compared with this one
    """
    from ..runs.nightly.suite import load_suite
    from ..runs.report import plain

    found = load_suite(file)
    if check:
        told = {"suite": found.name, "sets": found.sets, "metrics": found.metrics, "judges": found.judges}
        ok = f"{file}: {len(found.sets)} sets, {len(found.metrics)} metrics, {len(found.judges)} judges, "
        click.echo(json.dumps(told) if as_json else f"{ok}{len(found.gates)} gates: nothing wrong")
        return
    where = _store_of(found, store)
    report, errors = _hold(found, where, resume=resume, silent=as_json, command=_command(file, store))
    code = _CODES[report.verdict] if not errors else ERROR
    if as_json:
        click.echo(json.dumps(report.model_dump(mode="json") | {"exit_code": code}, ensure_ascii=False))
    else:
        _print(report)
    for error in filter(None, [report.message, *errors]):
        click.echo(f"assay: {plain(error)}", err=True)
    click.get_current_context().exit(code)


def _store_of(found: "Suite", store: str | Path) -> str | Path:
    """The suite's own store, unless one was typed (or set in the environment)."""
    source = click.get_current_context().get_parameter_source("store")
    if found.store is None or source is not click.core.ParameterSource.DEFAULT:
        return store
    return found.store if "://" in found.store else found.path(found.store)


def _command(file: Path, store: str | Path) -> str:
    from ..runs.database import without_password

    typed = click.get_current_context().get_parameter_source("store") is click.core.ParameterSource.COMMANDLINE
    named = ["--store", without_password(str(store))] if typed else []
    return shlex.join(["assay", "suite", str(file), *named, "--resume"])


def _hold(
    found: "Suite", where: str | Path, *, resume: bool, silent: bool, command: str
) -> "tuple[NightReport, list[str]]":
    """The night's report, and what could not be written."""
    from ..runs import Progress, Store
    from ..runs.nightly.night import bare_report, begin_night, ended, hold
    from ..runs.nightly.outputs import write_history, write_outputs
    from .progress import live_progress

    errors: list[str] = []
    try:
        store = Store(where, wait=found.store_wait)
        night = begin_night(found, store, resume=resume, command=command)
    except AssayError as error:
        _tell_not_begun(found, str(error), command)
        raise
    _tell_unfinished(store, night)
    try:
        # a killed night leaves these: yesterday's reports must not pass for its own
        write_outputs(found, bare_report(night, "running"))
        write_history(found, store)
        with live_progress(Progress(None, None), silent=silent) as on_progress:
            report = asyncio.run(hold(night, on_progress))
    except KeyboardInterrupt:
        report = ended(night, "interrupted", "Ctrl-C; all replies are kept")
    except (AssayError, store.database.errors) as error:
        report = ended(night, "error", str(error))
    for write in (partial(write_outputs, found, report), partial(write_history, found, store)):
        try:
            write()
        except (AssayError, store.database.errors) as error:
            errors.append(str(error))
    return report, errors


def _tell_not_begun(found: "Suite", message: str, command: str) -> None:
    """The files say so too; yesterday's reports must not pass for this night's."""
    from datetime import UTC, datetime

    from ..runs.nightly.outputs import write_outputs
    from ..runs.nightly.report import NightReport

    now = datetime.now(UTC).isoformat(timespec="seconds")
    write_outputs(
        found,
        NightReport(
            suite=found.name, night=None, began=now, ended=now, status="error", verdict="error", message=message,
            resume=command.removesuffix(" --resume"), sets=list(found.sets),
        ),
    )  # fmt: skip


def _tell_unfinished(store: "Store", night: "Night") -> None:
    from ..runs.nightly.ledger import Ledger

    for row in Ledger(store).nights(night.suite.name):
        if row.status == "running" and row.id != night.row.id:
            click.echo(f"assay: {row.id} has not ended: it is still running, or was killed", err=True)


def _print(report: "NightReport") -> None:
    from rich.table import Table
    from rich.text import Text

    from ..runs.report import plain, report_console, with_interval

    console = report_console()
    console.print(Text(plain(f"Suite {report.suite}, {report.night}: {report.verdict}"), style="bold"))
    for run in report.runs:
        table = Table(title=f"{plain(run.judge)}: run {run.run}", title_justify="left")
        for heading in ("metric", "n", "scored", "mean [95% interval]", "change [95% interval]", "p"):
            table.add_column(heading, justify="right" if heading in {"n", "scored", "p"} else "left")
        for metric in run.metrics:
            table.add_row(
                Text(metric.metric),
                str(metric.n),
                str(metric.scored),
                Text(with_interval(metric.mean, metric.low, metric.high, ".3f")),
                Text(with_interval(metric.change, metric.change_low, metric.change_high, "+.3f")),
                "" if metric.change_p is None else f"{metric.change_p:.3f}",
                style="" if metric.asked else "dim",
            )
        console.print(table)
        against = f"compared with {run.compared_with}, " if run.compared_with else ""
        console.print(Text(f"{against}{len(run.newly_failing) + run.more_newly_failing} samples newly fail"))
    styles = {"held": "green", "fell": "red"}
    for gate in report.gates:
        named = " ".join(part for part in (gate.judge, gate.gate) if part)
        console.print(
            Text(f"{gate.state:<12}", style=styles.get(gate.state, "yellow")).append(plain(f"{named}: {gate.told}"))
        )
    if report.resume:
        console.print(Text(f"Go on with it: {plain(report.resume)}"))
    elif report.verdict == "held":
        commands = [f"assay accept {run.run}" for run in report.runs if run.accepted != run.run]
        console.print(Text(f"To compare the next nights with it: {'; '.join(commands)}"))


@click.command()
@click.argument("run")
@click.option("--suite", "suite_name", help="The suite's name, for a run that `assay run` made.")
@store_option
@json_option
def accept(run: str, *, suite_name: str | None, store: str | Path, as_json: bool) -> None:
    """Make RUN (an id, its beginning, or `last`) the one that its suite's next nights are compared with."""
    from ..runs import Store
    from ..runs.nightly.ledger import Ledger
    from ..runs.nightly.suite import identity

    runs = Store(store, must_exist=True)
    ledger, found = Ledger(runs), runs.run(run)
    if found.status != "done":
        raise UsageError(f"run {found.id} did not end ({found.status}): go on with it first, then accept it")
    named = suite_name or ledger.suite_of(found.id)
    if named is None:
        raise UsageError(f"run {found.id} was not made by a suite; say which one it is for: --suite NAME")
    whose = identity(found.plan.judge)
    ledger.accept(named, whose, found.id)
    if as_json:
        click.echo(json.dumps({"suite": named, "judge": whose, "run": found.id}))
    else:
        click.echo(f"The next nights of {named} (judge: {whose}) are compared with {found.id}.")
