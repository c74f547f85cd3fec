"""`assay estimate`: the mean rating of many answers from a metric's scores of all and ratings of a few."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..presentation.figure import Figure
from ..presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, tabulate
from ..text.wording import count_of
from .meta import scores_option, with_read_options
from .output import print_result, typed_command

if TYPE_CHECKING:
    from ..eval_sets.score_columns import ReadOptions
    from ..meta_eval.prediction_powered import MeanRating
    from ..meta_eval.table import ScoreTable

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@scores_option
@click.option("--ratings", "ratings_file", type=_FILE, help="File of ratings. Default: those in the runs or --scores.")
@click.option("--judged", metavar="METRIC", help="The metric that scored the answers. Default: the ratings alone.")
@with_read_options
def estimate(
    runs: tuple[str, ...],
    *,
    scores: tuple[Path, ...],
    ratings_file: Path | None,
    judged: str | None,
    read_options: "ReadOptions",
    store: str | Path,
) -> None:
    """Estimate the mean rating of many answers.

    From a metric's scores of all answers, and people's ratings of a random part of them.

    \b
    assay run answers.csv --judge JUDGE
    assay rate last --limit 100
    assay estimate last --judged weakest_claim
    """
    from ..meta_eval.prediction_powered import mean_of_table
    from ..runs import Store
    from ..runs.answers.score_table import join_scores, read_runs

    opened = Store(store, must_exist=True) if runs or not scores else None
    tables, database = (read_runs(opened, runs), opened.database) if opened else ([], None)
    joined = join_scores(database, tables, scores, ratings_file, read_options)
    if joined.run_versions:
        named = ", ".join(dict.fromkeys(joined.run_versions.values()))
        raise UsageError(
            f"these runs hold other answers to the same questions: {named}; estimate one version at a time"
        )
    metrics = () if judged is None else (judged,)
    mean = mean_of_table(joined.table, metrics)
    notes = [*_describe_chosen(joined.table, judged), *joined.notes]
    print_result(
        lambda: _as_json(mean, joined.table, judged) | {"notes": notes},
        _mean_block(mean, joined.table, judged, tables[0].run if tables and tables[0].run else "SET"),
        *(f"Note: {note}" for note in notes),
    )


def _describe_chosen(table: "ScoreTable", judged: str | None) -> list[str]:
    """Warns where what is rated scores otherwise than the rest, by the metric that is named, else by any."""
    import numpy as np

    from ..meta_eval.prediction_powered import find_chosen_part

    metrics = (judged,) if judged else table.metrics
    columns = {name: table.scores[:, table.metrics.index(name)] for name in metrics}
    everything = {"": np.ones(len(table.items), dtype=bool)}
    found = find_chosen_part(columns, table.mean_rating, table.group_numbers, everything)
    return (
        [f"what is rated may be no random part of the answers, as estimates take it for: {found[1]}"] if found else []
    )


def _as_json(mean: "MeanRating", table: "ScoreTable", judged: str | None) -> dict[str, Any]:
    bad = mean.bad_share
    return {
        "mean": mean.mean.value,
        "low": mean.mean.low,
        "high": mean.mean.high,
        "bad_share": bad.value,
        "bad_low": bad.low,
        "bad_high": bad.high,
        "rated": mean.rated,
        "judged": _count_judged(table, judged),
        "answers": len(table.items),
        "looks": 1,
        "power": mean.power,
        "ratings_alone": asdict(mean.classical),
        "ratings_for_width": mean.ratings_for_width,
        "problem": mean.mean.problem,
    }


def _count_judged(table: "ScoreTable", judged: str | None) -> int:
    import numpy as np

    return 0 if judged is None else int((~np.isnan(table.column(judged))).sum())


def _mean_block(mean: "MeanRating", table: "ScoreTable", judged: str | None, source: str) -> ReportBlock:
    """The block of the terminal; `source` is what holds the answers, as `assay rate` takes it."""
    answers, figure = len(table.items), Figure.from_estimate("mean", mean.mean)
    scale = f"{table.rating_min:g}-{table.rating_max:g}"
    parts: list[Paragraph | ResultTable] = [
        Paragraph(f"Mean rating of all {count_of(answers, 'answer')}: {figure} on {scale}", "strong")
    ]
    if mean.rated == answers:
        own = Figure("mean", mean.classical.value)
        words = f"All are rated: {own} is their own mean. The interval is for more answers like these."
        parts.append(Paragraph(words))
    bad = Figure.from_estimate("rate", mean.bad_share)
    parts.append(Paragraph(f"Bad answers (rated below the middle): {bad}"))
    rows = [("ratings alone", mean.rated, mean.classical)]
    if judged is not None:
        rows.append((f"and {judged}", _count_judged(table, judged), mean.mean))
    fields = (
        Field("from", "text", lambda row: row[0]),
        Field("answers", "count", lambda row: str(row[1])),
        Field("mean rating", "mean", lambda row: row[2], is_whole=True),
        Field("width", "mean", lambda row: None if row[2].low is None else row[2].high - row[2].low),
    )
    parts.append(tabulate("", rows, fields))
    width = None if mean.mean.low is None or mean.mean.high is None else mean.mean.high - mean.mean.low
    narrower = [pair for pair in mean.ratings_for_width if width is not None and pair[0] < width]
    if narrower and mean.unrated:
        reached, count = narrower[-1]
        if count is None:
            words = f"Rating the others too would leave the interval wider than {reached:g}."
            parts.append(Paragraph(words))
        else:
            more, rate = count_of(count - mean.rated, "more answer"), typed_command("rate", source)
            others = ", from other groups too" if (mean.mean.groups or 0) < mean.rated else ""
            words = f"Rate about {more}{others} for an interval {reached:g} wide"
            parts.append(Paragraph(f"{words} ({rate})."))
    return ReportBlock(parts)
