"""`assay show`: a run's tables, or one sample's whole audit."""

from pathlib import Path

import click

from .options import json_option, store_option, wide_option
from .output import echo_json


@click.command()
@click.argument("run", default="last")
@click.argument("sample", required=False)
@wide_option
@store_option
@json_option
def show(run: str, sample: str | None, *, store: str | Path, as_json: bool) -> None:
    """Show a run, or how one sample came by its scores.

    RUN is an id, its beginning, or `last`. With SAMPLE: the question, the answer, the contexts, and for every metric
    the claims, verdicts and quotes behind its score.

    \b
    assay show last
    assay show last nl-017
    """
    from ..runs import Store
    from ..runs.report import scores_as_json
    from .run_output import print_audit, print_run

    runs = Store(store, must_exist=True)
    run_id = runs.run(run).id
    if as_json:
        echo_json(scores_as_json(runs, run_id, sample))
    elif sample is None:
        print_run(runs, run_id, each_sample=True)
    else:
        print_audit(runs, run_id, sample)
