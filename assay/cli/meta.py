"""`assay meta`: which metric, alone or combined, agrees with the ratings."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .options import json_option, read_mapping, store_option

if TYPE_CHECKING:
    from ..meta_eval.results import MetaEvaluation
    from ..meta_eval.score_files import JoinedScores, ReadOptions
    from ..runs import Store
    from ..runs.store import RunRow

COMBINERS = ("subsets", "sum", "mean-rank", "ridge", "logistic", "tree")  # as in meta_eval.selection
_QUICK = 500  # resamples where an answer must come in seconds
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--scores", type=_FILE, multiple=True, help="File of scores of any tool, long or wide; repeatable.")
@click.option("--ratings", type=_FILE, help="File of ratings. Default: those in the runs' samples, or in --scores.")
@click.option("--metrics", metavar="A,B", help="Only these metrics or columns; * stands for any characters.")
@click.option("--rating", metavar="A,B", help="The columns of ratings, or the raters, to take.")
@click.option("--lower-is-better", metavar="A,B", help="Metrics whose lower scores are better.")
@click.option("--group", metavar="COLUMN", help="Items with one label here resample together. Default: group.")
@click.option("--by", metavar="A,B", help="Tell also apart by these columns, such as language,message_type.")
@click.option("--scale", metavar="LOW-HIGH", help="The rating scale. Default: as the file says, else 1-5.")
@click.option("--map", "mapping", multiple=True, metavar="THEIRS=OURS", help="Say what a column is; repeatable.")
@click.option(
    "--combine",
    type=click.Choice(COMBINERS),
    default="subsets",
    show_default=True,
    help="The best subset, by ranks (subsets) or the paper's sum (sum), or all metrics by one combiner.",
)
@click.option("--max-metrics", type=click.IntRange(min=1), help="Combine at most so many metrics.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of all randomness.")
@click.option("--repeats", type=click.IntRange(min=1), default=10, show_default=True, help="Draws of the five folds.")
@click.option("--bootstrap", type=click.IntRange(min=100), default=2000, show_default=True, help="Resamples.")
@click.option(
    "--bound",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.1,
    show_default=True,
    help="Largest share of bad answers among those sent without a person.",
)
@click.option(
    "--minutes", type=click.FloatRange(min=0), default=5, show_default=True, help="A person's time for an answer."
)
@click.option("--report", type=_FILE, help="Write the whole report to an .html file.")
@store_option
@json_option
def meta(runs: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Say which metric, alone or combined, agrees with people's ratings, how far, and what that would save.

    The scores are those of RUNs (an id, its beginning, or `last`) and of files: CSV, JSON Lines, JSON or Parquet, a row
    an item or a row a score, and what Ragas and DeepEval export. Items are matched by id, else by question and answer.

    \b
    assay meta last --by language --report report.html
    assay meta --scores ragas.csv --ratings team.csv --group page
    """
    report = options["report"]
    if report is not None and (report.suffix not in {".html", ".htm"} or not report.parent.is_dir()):
        raise UsageError(f"{report}: the report is an .html file in a folder that is there")
    click.get_current_context().exit(evaluate_and_tell(runs, as_json=as_json, **options))


def evaluate_and_tell(runs: tuple[str, ...], *, as_json: bool, **options: Any) -> int:
    """Reads, evaluates, prints and writes as `assay meta` was asked to; gives the exit code."""
    store, found = _runs(runs, options)
    choices = _choices(options)
    with _working("reading scores and ratings", silent=as_json):
        joined = _joined(store, found, options, choices)
    with _working(f"evaluating {len(joined.table.metrics)} metrics on {len(joined.table.items)} items", silent=as_json):
        evaluation = _evaluated(joined, choices, options)
    if options["report"] is not None:
        _write_report(evaluation, joined, store, found, options["report"])
    if as_json:
        from .meta_json import as_object

        click.echo(json.dumps(as_object(evaluation, joined), ensure_ascii=False, allow_nan=False))
    else:
        from .meta_tables import print_evaluation

        print_evaluation(evaluation, joined)
        if options["report"] is not None:
            click.echo(f"\nThe whole report: {options['report']}")
    return 0


def tell_briefly(store: "Store", run: "RunRow") -> None:
    """What a run says about its own metrics, in a few seconds: fewer resamples and folds than `assay meta`."""
    from ..meta_eval.evaluation import evaluate_table
    from ..meta_eval.score_files import ReadOptions, join_sources
    from ..runs.measured import measured_run, ratings_of_runs
    from .meta_tables import print_evaluation

    choices = ReadOptions()
    with _working("evaluating the metrics", silent=False):
        joined = join_sources([measured_run(store, run, choices)], ratings_of_runs(store, [run], choices), choices)
        evaluation = evaluate_table(joined.table, bootstrap=_QUICK, permutations=_QUICK, repeats=2)
    click.echo()
    print_evaluation(evaluation, joined, brief=True)
    click.echo(f"\nAll of it, with 2000 resamples, as a page: assay meta {run.id} --report report.html")


def _runs(names: tuple[str, ...], options: dict[str, Any]) -> "tuple[Store | None, list[RunRow]]":
    """The runs that are named; the last one where neither runs nor files are."""
    if not names and options["scores"]:
        return None, []
    if not names and options["ratings"]:
        raise UsageError("--ratings: name the scores too, a RUN or --scores FILE")
    from ..runs import Store

    store = Store(options["store"], must_exist=True)
    return store, list({run.id: run for run in map(store.run, names or ("last",))}.values())


def _choices(options: dict[str, Any]) -> "ReadOptions":
    from ..meta_eval.score_files import ReadOptions
    from ..meta_eval.score_files.read_options import parse_scale

    return ReadOptions(
        mapping=read_mapping(options["mapping"]),
        metrics=_names(options["metrics"]),
        ratings=_names(options["rating"]),
        lower_is_better=_names(options["lower_is_better"]),
        group=options["group"],
        by=_names(options["by"]),
        scale=parse_scale(options["scale"]) if options["scale"] else None,
    )


def _names(typed: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (typed or "").split(",") if name.strip())


def _joined(
    store: "Store | None", runs: "list[RunRow]", options: dict[str, Any], choices: "ReadOptions"
) -> "JoinedScores":
    from ..meta_eval.score_files import join_sources, read_score_files
    from ..runs.baselines import with_baselines
    from ..runs.measured import measured_run, ratings_of_runs

    files, rated = options["scores"], options["ratings"]
    scores, ratings = read_score_files(files, rated or (None if runs else files[0]), choices)
    if store is not None:
        scores = [*(measured_run(store, run, choices) for run in runs), *scores]
        ratings = ratings or ratings_of_runs(store, runs, choices)
    assert ratings is not None
    return with_baselines(join_sources(scores, ratings, choices))


def _evaluated(joined: "JoinedScores", choices: "ReadOptions", options: dict[str, Any]) -> "MetaEvaluation":
    from ..meta_eval.evaluation import BY, evaluate_table

    return evaluate_table(
        joined.table,
        combine=options["combine"],
        max_metrics=options["max_metrics"],
        by=choices.by or BY,
        seed=options["seed"],
        bootstrap=options["bootstrap"],
        permutations=options["bootstrap"],
        repeats=options["repeats"],
        bound=options["bound"],
        minutes=options["minutes"],
    )


def _write_report(
    evaluation: "MetaEvaluation", joined: "JoinedScores", store: "Store | None", runs: "list[RunRow]", path: Path
) -> None:
    from ..meta_eval.report import write_report
    from ..runs.measured import audited

    write_report(path, evaluation, joined, lambda item: audited(store, runs, item) if store else None)


@contextmanager
def _working(what: str, *, silent: bool) -> Iterator[None]:
    """Says on a terminal what takes long; silent in a pipe."""
    from rich.console import Console

    console = Console(stderr=True)
    if silent or not console.is_terminal:
        yield
        return
    with console.status(what):
        yield
