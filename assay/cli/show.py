"""`assay show`: a run's table, or one sample's whole audit."""

import json
from pathlib import Path

import click

from .options import json_option, store_option


@click.command()
@click.argument("run", default="last")
@click.argument("sample", required=False)
@store_option
@json_option
def show(run: str, sample: str | None, *, store: str | Path, as_json: bool) -> None:
    """Show RUN (an id, its beginning, or `last`), or how SAMPLE came by its scores.

    \b
    assay show last
    assay show last nl-017
    """
    from ..runs import Store
    from ..runs.audit import print_audit
    from ..runs.report import print_run, scores_as_json

    runs = Store(store, must_exist=True)
    run_id = runs.run(run).id
    if as_json:
        click.echo(json.dumps(scores_as_json(runs, run_id, sample), ensure_ascii=False))
    elif sample is None:
        print_run(runs, run_id, each_sample=True)
    else:
        print_audit(runs, run_id, sample)
