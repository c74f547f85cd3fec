"""`assay compare`: two runs beside each other."""

import json
from pathlib import Path

import click

from ..errors import UsageError
from .options import json_option, store_option


@click.command()
@click.argument("run_a")
@click.argument("run_b")
@click.option("--metric", help="Whose most changed samples are shown. Default: the first that both runs have.")
@click.option("--changed", type=click.IntRange(min=0), default=3, show_default=True, help="How many of them.")
@store_option
@json_option
def compare(run_a: str, run_b: str, *, metric: str | None, changed: int, store: str | Path, as_json: bool) -> None:
    """Compare RUN_A with RUN_B (ids, their beginnings, or `last`): paired differences, B minus A, with intervals.

    Samples are paired by id. The samples that changed most are shown with both audits side by side.

    \b
    assay compare 20261120 last
    assay compare 20261120 last --metric answer_relevance --changed 10
    """
    from ..runs import Store
    from ..runs.compare import compare as compare_runs
    from ..runs.compare_report import comparison_as_json, print_comparison

    runs = Store(store, must_exist=True)
    found = compare_runs(runs, runs.run(run_a).id, runs.run(run_b).id)
    if metric is not None and metric not in found.metrics:
        raise UsageError(f"{metric} is not in both runs; --metric is one of {', '.join(found.metrics)}")
    shown = metric or found.metrics[0]
    if as_json:
        click.echo(json.dumps(comparison_as_json(runs, found, shown, changed), ensure_ascii=False))
    else:
        print_comparison(runs, found, shown, changed)
