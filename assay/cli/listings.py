"""`assay show runs` and `assay metrics`: what there is to choose from."""

from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..presentation.result_table import Field, Paragraph, ReportBlock, tabulate
from .options import BoundedCount
from .output import print_result

if TYPE_CHECKING:
    from ..metrics.catalogue import MetricDescription


@click.command()
@click.option("--limit", type=BoundedCount(), default=20, show_default=True, help="The newest so many.")
def runs(limit: int, *, store: str | Path) -> None:
    """List the runs of a store, the newest first.

    \b
    assay show runs
    assay show RUN
    """
    from ..runs import Store

    opened = Store(store, must_exist=True)
    listed = [
        {
            "run": row.id,
            "created": row.created,
            "status": row.status,
            "sets": list(row.plan.sets),
            "metrics": list(row.plan.metrics),
            "judge": row.plan.judge.label if row.plan.judge else None,
        }
        for row in map(opened.run, opened.run_ids(limit))
    ]
    fields = (
        Field("run", "text", itemgetter("run"), is_whole=True),
        Field("status", "text", itemgetter("status")),
        Field("sets", "text", lambda row: ", ".join(source.rsplit("/", 1)[-1] for source in row["sets"])),
        Field("metrics", "text", lambda row: ", ".join(row["metrics"]), "wide"),
        Field("judge", "text", lambda row: row["judge"] or "no judge"),
    )
    print_result(lambda: {"runs": listed}, tabulate("", listed, fields))


@click.command()
@click.argument("name", required=False)
def metrics(name: str | None) -> None:
    """List the metrics, or describe one.

    With NAME: its documentation's first line, range, direction, what it needs of a sample, and its options, which
    follow its name after colons (faithfulness:claims=judge).

    \b
    assay metrics
    assay metrics faithfulness
    """
    from ..metrics.catalogue import describe_metric, metric_names

    described = [describe_metric(metric_name) for metric_name in ([name] if name else metric_names())]
    fields = (
        Field("metric", "text", lambda metric: metric.name),
        Field("of", "text", lambda metric: metric.measures),
        Field("judge", "text", lambda metric: "asked" if metric.needs_judge else ""),
        Field("what it measures", "text", lambda metric: metric.summary),
    )
    shown = tabulate("", described, fields) if name is None else _metric_block(described[0])
    print_result(lambda: {"metrics": [asdict(metric) for metric in described]}, shown)


def _metric_block(metric: "MetricDescription") -> ReportBlock:
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
    return ReportBlock((Paragraph(metric.name, "strong"), *map(Paragraph, lines)))
