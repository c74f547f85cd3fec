"""`assay show failures`: the bad answers of a run, grouped by why they are bad."""

import asyncio
from pathlib import Path

import click

from ..atomic_files import check_writable
from .options import REPORT_FILE, BoundedCount, embedder_option
from .output import echo, open_console, print_command, print_result, show_status, typed_command

_MOST_GROUPS = 100


@click.command()
@click.argument("run")
@click.option("--metric", help="Which answers are bad, by this metric. Default: the ratings, where there are some.")
@click.option("--groups", type=BoundedCount(1, _MOST_GROUPS), help="How many groups. Default: chosen by silhouette.")
@click.option("--report", type=REPORT_FILE, help="An HTML file to write.")
@embedder_option
def failures(
    run: str,
    *,
    metric: str | None,
    groups: int | None,
    report: Path | None,
    embedder: str,
    store: str | Path,
) -> None:
    """Group the bad answers of a run by why they are bad.

    RUN is an id, its beginning, or `last`. Bad is what raters rate below the middle of the scale; without ratings what
    a metric finds bad. What says why: raters' reasons, the sentences that they marked, and judges' verdicts. What
    changed between two runs says `assay show changes`.

    \b
    assay show failures last --report why.html
    """
    from ..judges.embedders import load_embedder
    from ..presentation.verdict import describe_report
    from ..runs import Store
    from ..runs.failures.failure_groups import failures_as_json, failures_block, group_failures, write_failure_report
    from ..runs.show.results import read_results

    opened = Store(store, must_exist=True)
    row = opened.run(run)
    if report is not None:
        check_writable(report)
    table = read_results(opened, row)
    with show_status("Embedding what says why"):
        result = asyncio.run(group_failures(table, load_embedder(embedder), metric=metric, groups=groups))
    if report is not None:
        rated = [*table.rated_rows.values()]
        raters = sorted({rater for sample in rated for rater in sample.ratings})
        write_failure_report(report, result, describe_report([row.describe()], rated=len(rated), raters=raters))

    def show_more() -> None:
        if example := next((example for group in result.groups for example in group.examples), None):
            command = typed_command("show", result.run, ids=[example.answer])
            print_command(open_console(), command, "one of them in full")
        if report is not None:
            echo(f"Written: {report}")

    print_result(lambda: failures_as_json(result), failures_block(result), show_more)
