"""`assay show runs`, `assay metrics`, `assay sets`: what there is to choose from."""

from collections.abc import Sequence
from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..presentation.result_table import Field, tabulate
from ..presentation.texts import one_line
from .number_types import BoundedCount
from .output import echo, echo_json, echo_notice, is_json, open_console, print_table

if TYPE_CHECKING:
    from ..eval_sets import Sample


@click.command()
@click.option("--limit", type=BoundedCount(), default=20, show_default=True, help="The newest so many.")
def runs(limit: int, *, store: str | Path) -> None:
    """List the runs of a store, the newest first.

    A run that cannot be read is named on standard error; the others are listed.

    \b
    assay show runs
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
    if is_json():
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
def metrics(name: str | None) -> None:
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
    if is_json():
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


@click.group(invoke_without_command=True)
@click.pass_context
def sets(context: click.Context) -> None:
    """List the bundled sets and the public rated ones, or make one from documents.

    A public set is downloaded once, when you say so, and then read by its name. Each has two fixed halves,
    public:mtrag:dev and public:mtrag:test: whole groups, so that what is tuned on one half is told on the other.

    \b
    assay sets
    assay sets get mtrag
    assay run public:mtrag:dev --metrics token_overlap
    """
    if context.invoked_subcommand is None:
        _list_sets()


@sets.command("list")
def list_sets() -> None:
    """List the bundled sets, and the public rated ones."""
    _list_sets()


def _list_sets() -> None:
    from ..eval_sets import bundled_sets, load_set, public_sets

    bundled = [{"set": name} | _count(load_set(name)) for name in bundled_sets()]
    public = [_describe_public(name) for name in public_sets()]
    if is_json():
        echo_json({"sets": bundled, "public": public})
        return
    numbers = {"samples": "samples", "rated": "rated", "with tables": "with_tables"}
    fields = (
        Field("set", "text", itemgetter("set")),
        *(Field(head, "count", itemgetter(key)) for head, key in numbers.items()),
        Field("languages", "text", lambda row: ", ".join(row["languages"])),
    )
    caption = "Bundled, with constructed ratings"
    print_table(tabulate(caption, bundled, fields))
    echo()
    print_table(
        tabulate(
            "Public, named public:NAME (public:mtrag), downloaded once: assay sets get NAME", public, _PUBLIC_FIELDS
        )
    )


def _count(samples: "Sequence[Sample]") -> dict[str, Any]:
    return {
        "samples": len(samples),
        "rated": sum(sample.human_rating is not None for sample in samples),
        "with_tables": sum(bool(sample.tables) for sample in samples),
        "languages": sorted({sample.language for sample in samples if sample.language}),
    }


def _describe_public(name: str) -> dict[str, Any]:
    """The facts of a public set; the number of answers is counted where only the downloaded set tells it."""
    from ..errors import InputError
    from ..eval_sets.public.set_facts import PREFIX, load_facts
    from ..eval_sets.public.set_files import ChangedFileError, is_downloaded
    from ..eval_sets.public.set_rows import count_answers

    facts = load_facts(name)
    answers, is_here, is_changed = facts.answers, is_downloaded(facts), False
    if is_here:
        try:
            counted = count_answers(facts)
            answers, is_here = (facts.answers, False) if counted is None else (counted[0], True)
            for note in counted[1] if counted is not None and facts.answers is not None else ():
                echo_notice(note)
        except InputError as error:
            is_here, is_changed = False, isinstance(error, ChangedFileError)
            echo_notice(str(error).partition("; ")[0])  # a command that reads the set also says what to do
    return {
        "set": f"{PREFIX}{name}",
        **facts.model_dump(mode="json", exclude={"name", "reader", "tables", "files", "answers_counted"}),
        "files": [file.model_dump() | {"url": facts.address(file.path)} for file in facts.files],
        "size": facts.size,
        "answers": answers,
        "is_downloaded": is_here,
        "is_changed": is_changed,
    }


def _raters(row: dict[str, Any]) -> str:
    """Who rated: "3 people", "computed", or "Assay" where it made the wrong answers."""
    if row["rated_by"] == "constructed":
        return "Assay"
    return f"{row['raters']} {row['rated_by']}" if row["raters"] else str(row["rated_by"])


def _size(row: dict[str, Any]) -> str:
    from ..eval_sets.public.set_facts import format_size

    return format_size(row["size"]) if row["size"] else "-"


def _describe_presence(row: dict[str, Any]) -> str:
    return "changed" if row["is_changed"] else "yes" if row["is_downloaded"] else "no"


_PUBLIC_FIELDS = (
    Field("set", "text", lambda row: row["set"].partition(":")[2], is_whole=True),
    Field("rated", "text", itemgetter("rated"), is_whole=True),
    Field("by", "text", _raters, is_whole=True),
    Field("answers", "count", itemgetter("answers")),
    Field("licence", "text", itemgetter("licence")),
    Field("size", "text", _size),
    Field("here", "text", _describe_presence),
    Field("language", "text", itemgetter("language"), "wide"),
    Field("groups", "text", itemgetter("groups"), "wide"),
    Field("versions", "text", lambda row: ", ".join(row["versions"]), "wide"),
)
