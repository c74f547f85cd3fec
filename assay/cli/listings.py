"""`assay runs`, `assay metrics`, `assay sets`: what there is to choose from."""

from collections.abc import Sequence
from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..presentation.result_table import Field, tabulate
from ..presentation.texts import one_line
from .number_types import BoundedCount
from .options import json_option, store_option, wide_option
from .output import echo_json, echo_notice, open_console, print_table

if TYPE_CHECKING:
    from ..eval_sets import Sample


@click.command()
@click.option("--limit", type=BoundedCount(), default=20, show_default=True, help="The newest so many.")
@wide_option
@store_option
@json_option
def runs(limit: int, *, store: str | Path, as_json: bool) -> None:
    """List the runs of a store, the newest first.

    A run that cannot be read is named on standard error; the others are listed.

    \b
    assay runs
    assay show RUN
    """
    from ..errors import InputError
    from ..runs import Store

    opened = Store(store, must_exist=True)
    rows = []
    for run_id in opened.run_ids(limit):
        try:
            rows.append(opened.run(run_id))
        except InputError as error:
            echo_notice(str(error))
    listed = [
        {
            "run": row.id,
            "created": row.created,
            "status": row.status,
            "sets": list(row.plan.sets),
            "metrics": list(row.plan.metrics),
            "judge": row.plan.judge.label if row.plan.judge else None,
        }
        for row in rows
    ]
    if as_json:
        echo_json({"runs": listed})
        return
    fields = (
        Field("run", "text", itemgetter("run"), is_whole=True),
        Field("status", "text", itemgetter("status")),
        Field("sets", "text", lambda row: ", ".join(source.rsplit("/", 1)[-1] for source in row["sets"])),
        Field("metrics", "text", lambda row: ", ".join(row["metrics"]), "wide"),
        Field("judge", "text", lambda row: row["judge"] or "no judge"),
    )
    print_table(tabulate("", listed, fields))


@click.command()
@click.argument("name", required=False)
@json_option
def metrics(name: str | None, *, as_json: bool) -> None:
    """List the metrics, or describe one.

    With NAME: its documentation's first line, range, direction, what it needs of a sample, and its options, which
    follow its name after colons (faithfulness:claims=judge). `ragas:NAME` is a metric of the ragas library.

    \b
    assay metrics
    assay metrics faithfulness
    """
    from rich.text import Text

    from ..metrics.catalogue import describe_metric, metric_names

    described = [describe_metric(metric_name) for metric_name in ([name] if name else metric_names())]
    if as_json:
        echo_json({"metrics": [asdict(metric) for metric in described]})
        return
    console = open_console()
    if name is None:
        fields = (
            Field("metric", "text", lambda metric: metric.name),
            Field("of", "text", lambda metric: metric.measures),
            Field("judge", "text", lambda metric: "asked" if metric.needs_judge else ""),
            Field("what it measures", "text", lambda metric: metric.summary),
        )
        print_table(tabulate("", described, fields))
        return
    metric = described[0]
    low, high = ("unbounded" if bound is None else f"{bound:g}" for bound in metric.range)
    lines = (
        metric.summary,
        f"measures: {'a whole conversation' if metric.measures == 'conversation' else 'an answer'}",
        f"range: {low} to {high}; {'higher' if metric.higher_is_better else 'lower'} is better",
        f"needs of a sample: {', '.join(metric.needs) or 'nothing'}; "
        f"{'asks a judge' if metric.needs_judge else 'needs no judge'}",
        *([f"write: {metric.name}:{metric.argument.upper()}"] if metric.argument else []),
        f"options: {', '.join(metric.options) or 'none'}",
    )
    console.print(Text(one_line(metric.name), style="bold"))
    for line in lines:
        console.print(Text(one_line(line)))


@click.command()
@json_option
def sets(*, as_json: bool) -> None:
    """List the bundled sets.

    \b
    assay sets
    assay run helpdesk_en --metrics token_overlap
    """
    from ..eval_sets import load_set
    from ..eval_sets.bundled import bundled_sets

    listed = [{"set": name} | _count(load_set(name)) for name in bundled_sets()]
    if as_json:
        echo_json({"sets": listed})
        return
    numbers = {"samples": "samples", "rated": "rated", "with tables": "with_tables"}
    fields = (
        Field("set", "text", itemgetter("set")),
        *(Field(head, "count", itemgetter(key)) for head, key in numbers.items()),
        Field("languages", "text", lambda row: ", ".join(row["languages"])),
    )
    print_table(tabulate("", listed, fields))


def _count(samples: "Sequence[Sample]") -> dict[str, Any]:
    return {
        "samples": len(samples),
        "rated": sum(sample.human_rating is not None for sample in samples),
        "with_tables": sum(bool(sample.tables) for sample in samples),
        "languages": sorted({sample.language for sample in samples if sample.language}),
    }
