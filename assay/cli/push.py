"""`assay traces push`: the scores of a run go to the traces that its answers came from."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import InputError
from ..interruption import DONE, ERROR
from ..text.wording import count_of, list_first, verb_of
from .options import read_metrics
from .output import echo, echo_notice, end_at_ctrl_c, print_result, typed_command

if TYPE_CHECKING:
    from ..traces.push import PushResult


@click.command()
@click.argument("run", default="last")
@click.option("--metrics", help="Names, with commas. Default: what the run was asked for, without the baselines.")
@click.option("--to", metavar="ADDRESS", help="Where they go. Default: where the traces were pulled from.")
@click.option("--dry-run", is_flag=True, help="Count what would be written.")
def push(
    run: str,
    *,
    metrics: str | None,
    to: str | None,
    dry_run: bool,
    store: str | Path,
) -> None:
    """Push the scores of a run to the traces that its answers came from.

    RUN is an id, or `last`. A score that was written before is written again only where it has changed: the same
    command goes on after an interruption, and tries again what failed.

    \b
    assay traces pull phoenix://localhost:6006/support --since 24h -o traces.jsonl
    assay run traces.jsonl --judge openai/gpt-4o-mini
    assay traces push last
    """
    from ..runs import Store
    from ..traces.address import check_sink
    from ..traces.push import PushRequest, push_scores
    from .output import count_progress

    if to is not None:
        check_sink(to)  # before anything is read
    runs = Store(store, must_exist=True)
    row = runs.run(run)
    request = PushRequest(metrics=() if metrics is None else read_metrics(metrics), to=to, is_dry=dry_run)
    options = (("--metrics", metrics), ("--to", to))
    typed = [word for name, value in options if value is not None for word in (name, value)]
    again = typed_command("traces", "push", row.id, *typed)  # `last` may be another run by then
    with count_progress("scores", None) as on_progress:
        try:
            with end_at_ctrl_c(lambda: f"what was written is kept. Go on with: {again}"):
                result = push_scores(runs, row, request, on_progress=on_progress)
        except InputError as error:
            raise InputError(f"{error}. What was written is kept; go on with: {again}") from error
    as_json = {"run": row.id} | {name: getattr(result, name) for name in type(result).__slots__}
    print_result(lambda: as_json, lambda: _print_result(result, row.id, again, is_dry=dry_run))
    click.get_current_context().exit(ERROR if result.failed else DONE)


def _print_result(result: "PushResult", run: str, again: str, *, is_dry: bool) -> None:
    for place, count in result.places.items():
        echo(f"{place}: {count_of(count, 'score')} of run {run}")
    if result.metrics:
        counts = [f"{metric} {count:,}" for metric, count in result.metrics.items()]
        echo(f"Scores by metric: {list_first(counts)}")
    if is_dry:
        echo(f"Nothing was written (--dry-run): {result.to_write:,} to write, {result.unchanged:,} there already.")
    elif result.places:
        echo(
            f"{result.written:,} written, {result.updated:,} updated, {result.unchanged:,} there already, "
            f"{result.failed:,} failed."
        )
    if result.valueless:
        echo(f"Left out: {count_of(result.valueless, 'score')} without a value (skipped or failed).")
    if result.samples_without_trace:
        echo(
            f"Left out: the scores of {count_of(result.samples_without_trace, 'sample')} that "
            f"{verb_of(result.samples_without_trace, 'comes', 'come')} from no trace."
        )
    if not result.places:
        echo(f"Run {run} has no score of a trace: pull traces (assay traces pull), run them, and push that run.")
    if result.failed:
        echo_notice(f"{count_of(result.failed, 'score')} could not be written:")
        for problem, count in result.problems.items():
            echo_notice(f"{count_of(count, 'score')}: {problem}")
        echo_notice(f"try them again with: {again}")
