"""`assay suite`: one nightly run; `assay suite accept`: what the next nightly runs are compared with."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..interruption import BUDGET, DONE, ERROR, GATE_FAILED, INTERRUPTED, TOO_MANY_FAILED
from ..presentation.result_table import Paragraph, ReportBlock
from ..presentation.texts import one_line
from ..text.wording import count_of, in_reader_language
from .output import (
    echo,
    echo_notice,
    is_json,
    open_console,
    print_blocks,
    print_command,
    print_result,
    print_table,
    typed_command,
)

if TYPE_CHECKING:
    from ..runs.suite import Suite
    from ..runs.suite.nightly_report import NightlyReport

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
@click.option("--resume", is_flag=True, help="Resume the newest nightly run; write its reports again if it ended.")
@click.option("--check", is_flag=True, help="Only check FILE and its sets: no model is asked, nothing is written.")
@click.option(
    "--accept",
    is_flag=True,
    help="Accept this nightly run: the next ones are compared with it, and it cannot fail a regression gate.",
)
def suite(file: Path, *, resume: bool, check: bool, accept: bool, store: str | Path) -> None:
    """Run a suite: judge its sets and decide its gates.

    FILE is YAML. Its reports and its history are written too.

    Exit code 5 when a gate fails; 3, 4 and 130 as for `assay run`. All replies are kept: --resume goes on.

    \b
    assay suite nightly.yaml
    assay suite nightly.yaml --resume
    assay suite accept last            # the next nightly runs are compared with this one
    """
    from ..runs.suite import load_suite, run_suite
    from .output import live_progress

    loaded = load_suite(file)
    context = click.get_current_context()
    # the suite's own store, unless another was typed or set in the environment
    is_own_store = context.get_parameter_source("store") is click.core.ParameterSource.DEFAULT
    if check:
        if accept or resume:
            raise UsageError("--check only reads FILE and its sets, and leaves no run to accept or to resume: name one")
        _check(file, loaded, None if is_own_store else store)
        return
    outcome = run_suite(
        loaded,
        None if is_own_store else store,
        resume=resume,
        accept=accept,
        resume_command=typed_command("suite", file, *(["--accept"] if accept else []), "--resume"),
        accept_command=typed_command("suite", "accept", store=name_store(loaded) if is_own_store else None),
        progress=live_progress,
    )
    report = outcome.report
    code = ERROR if outcome.write_errors else _EXIT_CODES[report.verdict]
    print_result(lambda: report.as_json() | {"exit_code": code}, lambda: _print_report(report))
    if accept and not report.is_accepted:
        echo_notice("nothing is accepted: this nightly run did not end, samples failed, or nothing was scored")
    for said in filter(None, [outcome.notice, report.message, *outcome.write_errors]):
        echo_notice(said)
    context.exit(code)


def name_store(suite: "Suite") -> str | None:
    """A suite's own store as `--store` names it; None where commands without the option use it."""
    name = _shown_path(suite.store_place)
    return None if name == ".assay" else name


def _check(file: Path, suite: "Suite", store: str | Path | None) -> None:
    from ..runs.suite.gates import GATES
    from ..runs.suite.suite_file import check_sets

    check_sets(suite, file)
    kept = suite.kept_files()
    if store is not None:
        kept["store"] = store.resolve() if isinstance(store, Path) else None
    outputs, kept_paths = (
        {name: path and _shown_path(path) for name, path in paths.items()} for paths in (suite.output_paths(), kept)
    )
    counts = ((suite.sets, "set"), (suite.metrics, "metric"), (suite.judges, "judge"))
    print_result(
        lambda: {
            "suite": suite.name,
            **{name: getattr(suite, name) for name in ("sets", "metrics", "judges")},
            "outputs": outputs,
            "kept": kept_paths,
        },
        f"{file}: {', '.join(count_of(len(things), noun) for things, noun in counts)}, "
        f"{count_of(suite.count_gates(), 'gate')}: no errors",
    )
    if not suite.gates and not is_json():
        kinds = ", ".join(GATES)
        echo_notice(
            f"{file} has no gates, so that it passes whatever the answers are; add some under `gates:` ({kinds})"
        )


def _shown_path(path: Path | str) -> str:
    """A path as people and CI name it: relative within the current folder; a URL as it is."""
    folder = Path.cwd().resolve()
    return str(path.relative_to(folder)) if isinstance(path, Path) and path.is_relative_to(folder) else str(path)


def _print_report(report: "NightlyReport") -> None:
    from rich.text import Text

    from ..presentation.terminal import STYLES
    from ..runs.show.run_report import report_table
    from ..runs.suite.gates import NO_JUDGE
    from ..runs.suite.report_files import STATE_TONES

    console = open_console()
    print_blocks(ReportBlock((*report.give_verdict().paragraphs(), Paragraph(""))))
    for run in report.runs:
        print_table(report_table(f"{run.judge}: run {run.run}", run.metrics))
        if run.compared_with:
            kind = "" if run.compared_with == run.accepted else " (the nightly run before)"
            echo(f"compared with {run.compared_with}{kind}")
    for gate in report.gates:
        by_judge = f" by {gate.judge}" if gate.judge not in {None, NO_JUDGE} else ""
        line = Text(f"{in_reader_language(gate.state):<12}", style=STYLES[STATE_TONES.get(gate.state, "warning")])
        console.print(line.append(in_reader_language(one_line(f"{gate.gate}{by_judge}: {gate.reason}"))))
    for sentence, command in report.next_steps:
        echo(f"{one_line(sentence)}{':' if command else '.'}")
        if command:
            print_command(console, command)


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="[FILE] RUN...")
def accept(runs: tuple[str, ...], *, store: str | Path) -> None:
    """Accept runs: the next nightly runs are compared with them.

    RUN is an id, its beginning, or `last`; the runs that are compared with it are those of its suite. Name several
    runs in one command: another `accept` replaces these.

    With the suite's FILE (.yaml) first, `last` is the newest run of this suite, in its store; so is no RUN.

    \b
    assay suite accept last
    assay suite accept nightly.yaml last last~1
    """
    from ..runs import Store
    from ..runs.suite import load_suite
    from ..runs.suite.nightly_run import accept_runs, list_failed_gates

    loaded = load_suite(runs[0]) if runs[0].endswith((".yaml", ".yml")) else None
    is_own = click.get_current_context().get_parameter_source("store") is click.core.ParameterSource.DEFAULT
    opened = Store(loaded.store_place if loaded and is_own else store, must_exist=True)
    chosen, suite_name = (runs[1:] or ("last",), loaded.name) if loaded else (runs, None)
    suite, judge, ids = accept_runs(opened, chosen, suite=suite_name)
    for run in ids:
        if failed := len(opened.failures(run)):
            echo_notice(f"run {run}: {failed} of {count_of(opened.count_samples(run), 'sample')} failed")
        if gates := list_failed_gates(opened, suite, run):
            echo_notice(f"run {run}: it failed: {', '.join(gates)}; accepted all the same")
    print_result(
        lambda: {"suite": suite, "judge": judge, "run": ids[-1], "runs": ids},
        one_line(f"The next nightly runs of {suite} (judge: {judge}) are compared with {', '.join(ids)}."),
    )
