"""`assay suite`: one nightly run; `assay accept`: what the next nightly runs are compared with."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..presentation.texts import one_line
from .exit_codes import BUDGET, DONE, ERROR, GATE_FAILED, INTERRUPTED, TOO_MANY_FAILED
from .options import json_option, quiet_option, store_option, wide_option
from .output import echo, echo_json, open_console, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from ..runs.nightly.nightly_report import NightlyReport, RunReport

_EXIT_CODES = {
    "passed": DONE,
    "gate failed": GATE_FAILED,
    "gate undecided": GATE_FAILED,
    "samples failed": TOO_MANY_FAILED,
    "budget": BUDGET,
    "interrupted": INTERRUPTED,
    "error": ERROR,
}


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--resume", is_flag=True, help="Resume the newest nightly run, if it did not finish.")
@click.option("--check", is_flag=True, help="Only check FILE: no model is asked, nothing is written.")
@wide_option
@quiet_option
@store_option
@json_option
def suite(file: Path, *, resume: bool, check: bool, store: str | Path, as_json: bool) -> None:
    """Run a suite: judge its sets and decide its gates.

    FILE is YAML. Its reports and its history are written too.

    Exit code 5 when a gate fails; 3, 4 and 130 as for `assay run`. All replies are kept: --resume goes on.

    \b
    assay suite nightly.yaml
    assay suite nightly.yaml --resume
    assay accept last            # the next nightly runs are compared with this one
    """
    from ..runs.nightly import load_suite, run_suite
    from .progress import live_progress

    loaded = load_suite(file)
    if check:
        names = {"suite": loaded.name, "sets": loaded.sets, "metrics": loaded.metrics, "judges": loaded.judges}
        outputs = {name: path and str(path) for name, path in loaded.output_paths().items()}
        counts = f"{len(loaded.sets)} sets, {len(loaded.metrics)} metrics, {len(loaded.judges)} judges"
        if as_json:
            echo_json(names | {"outputs": outputs})
        else:
            echo(f"{file}: {counts}, {len(loaded.gates)} gates: no errors")
        return
    context = click.get_current_context()
    outcome = run_suite(
        loaded,
        # the suite's own store, unless another was typed or set in the environment
        None if context.get_parameter_source("store") is click.core.ParameterSource.DEFAULT else store,
        resume=resume,
        resume_command=_resume_command(file, store),
        progress=live_progress,
        on_notice=lambda notice: echo(f"assay: {notice}", err=True),
    )
    report = outcome.report
    code = ERROR if outcome.write_errors else _EXIT_CODES[report.verdict]
    if as_json:
        echo_json(report.as_json() | {"exit_code": code})
    else:
        _print_report(report)
    for error in filter(None, [report.message, *outcome.write_errors]):
        echo(f"assay: {one_line(error)}", err=True)
    context.exit(code)


def _resume_command(file: Path, store: str | Path) -> str:
    from ..runs.postgres import without_password

    is_typed = click.get_current_context().get_parameter_source("store") is click.core.ParameterSource.COMMANDLINE
    option = ["--store", without_password(str(store))] if is_typed else []
    return shlex.join(["assay", "suite", str(file), *option, "--resume"])


def _print_report(report: "NightlyReport") -> None:
    from rich.text import Text

    from ..presentation.terminal import STYLES
    from ..runs.nightly.gates import NO_JUDGE
    from ..runs.nightly.report_tables import STATE_TONES

    console = open_console()
    console.print(Text(one_line(f"Suite {report.suite}, {report.nightly_run}: {report.verdict}"), style="bold"))
    for run in report.runs:
        _print_run(console, run)
    for gate in report.gates:
        by_judge = f" by {gate.judge}" if gate.judge not in {None, NO_JUDGE} else ""
        line = Text(f"{gate.state:<12}", style=STYLES[STATE_TONES.get(gate.state, "warning")])
        console.print(line.append(one_line(f"{gate.gate}{by_judge}: {gate.reason}")))
    if report.resume:
        console.print(Text(f"To resume it: {one_line(report.resume)}"))
        return
    commands = "; ".join(f"assay accept {run.run}" for run in report.runs)
    if report.verdict == "passed" and any(gate.state == "no baseline" for gate in report.gates):
        console.print(Text(f"To compare the next nightly runs with it: {commands}"))
    elif report.verdict == "gate failed":
        console.print(Text(f"If the change is meant, start a new baseline with it: {commands}"))


def _print_run(console: "Console", run: "RunReport") -> None:
    from rich.text import Text

    from ..runs.run_tables import report_table

    if run.predicted_rating is not None:
        console.print(Text(run.predicted_rating.sentence, style="bold"))
    print_table(report_table(f"{run.judge}: run {run.run}", run.metrics))
    compared = f"compared with {run.compared_with}: " if run.compared_with else ""
    console.print(Text(f"{compared}{len(run.newly_failing) + run.more_newly_failing} samples newly fail"))


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--suite", "suite_name", help="The suite's name, for runs that `assay run` made.")
@store_option
@json_option
def accept(runs: tuple[str, ...], *, suite_name: str | None, store: str | Path, as_json: bool) -> None:
    """Accept runs: the next nightly runs are compared with them.

    RUN is an id, its beginning, or `last`; the runs that are compared with it are those of its suite. Several runs of
    the same system are a better baseline than one.
    """
    from ..runs import Store
    from ..runs.nightly.accept import accept_runs

    accepted = accept_runs(Store(store, must_exist=True), runs, suite_name)
    if as_json:
        echo_json({"suite": accepted.suite, "judge": accepted.judge, "run": accepted.runs[-1], "runs": accepted.runs})
    else:
        names = ", ".join(accepted.runs)
        echo(
            one_line(f"The next nightly runs of {accepted.suite} (judge: {accepted.judge}) are compared with {names}.")
        )
