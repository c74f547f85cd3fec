"""`assay compare`: two runs beside each other."""

from pathlib import Path

import click

from ..errors import UsageError
from .options import json_option, store_option, wide_option
from .output import echo_json


@click.command()
@click.argument("run_a")
@click.argument("run_b")
@click.option("--metric", help="Whose most changed samples are shown. Default: the first that both runs have.")
@click.option("--changed", type=click.IntRange(min=0), default=3, show_default=True, help="How many of them.")
@wide_option
@store_option
@json_option
def compare(run_a: str, run_b: str, *, metric: str | None, changed: int, store: str | Path, as_json: bool) -> None:
    """Compare two runs: paired differences, with intervals.

    RUN_A and RUN_B are ids, their beginnings, or `last`; a difference is B minus A. Samples are paired by id. The
    samples that changed most are shown with both audits side by side.

    \b
    assay compare 20261120 last
    assay compare 20261120 last --metric faithfulness --changed 10
    """
    from ..runs import Store
    from ..runs.compare import compare as compare_runs
    from ..runs.report import comparison_as_json
    from .run_output import print_comparison

    runs = Store(store, must_exist=True)
    comparison = compare_runs(runs, runs.run(run_a).id, runs.run(run_b).id)
    if metric is not None and metric not in comparison.metrics:
        raise UsageError(f"{metric} is not in both runs; --metric is one of {', '.join(comparison.metrics)}")
    shown_metric = metric or comparison.metrics[0]
    if as_json:
        echo_json(comparison_as_json(runs, comparison, shown_metric, changed))
    else:
        print_comparison(runs, comparison, shown_metric, changed)
