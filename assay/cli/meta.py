"""`assay meta`: which metric, alone or combined, agrees with the ratings."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..text.wording import count_of
from ..value_messages import quote_word
from .options import (
    MOST_REPEATS,
    MOST_RESAMPLES,
    OUTPUT_FILE,
    REPORT_FILE,
    BoundedCount,
    FiniteRange,
    header_row_option,
    hide_advanced,
    level_option,
    map_option,
    option_group,
    scale_option,
    seed_option,
    sheet_option,
)
from .output import print_blocks, print_result, show_status, typed_command

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..eval_sets.score_columns import ReadOptions
    from ..meta_eval.agreement import MetricAgreement
    from ..meta_eval.meta_evaluation import MetaEvaluation
    from ..meta_eval.score_join import JoinedScores
    from ..meta_eval.selection import Combination, Selection
    from ..meta_eval.verdict import NextCommands
    from ..runs import AnswerTable, Store

_AS_EVALUATED = (
    *("raters", "comparisons", "policy", "slices"),
    *("versions", "agreement", "trials", "settings"),
)
_FILE = click.Path(path_type=Path, dir_okay=False)
scores_option = click.option(
    "--scores",
    type=click.Path(path_type=Path),
    multiple=True,
    help="File of scores of any tool, long or wide, or the folder of `assay run --out`; repeatable.",
)


def _split_names(_context: click.Context, _option: click.Parameter, typed: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (typed or "").split(",") if name.strip())


with_read_options = option_group(
    "read_options",
    "eval_sets.score_columns:ReadOptions",
    click.option(
        "--metrics",
        metavar="A,B",
        callback=_split_names,
        help="Only these metrics or columns, and the baselines unless some are named; * is a wildcard.",
    ),
    click.option(
        "--rating", "ratings", metavar="A,B", callback=_split_names, help="The columns of ratings, or the raters."
    ),
    click.option(
        "--lower-is-better", metavar="A,B", callback=_split_names, help="Metrics whose lower scores are better."
    ),
    click.option(
        "--higher-is-better", metavar="A,B", callback=_split_names, help="Metrics whose higher scores are better."
    ),
    click.option(
        "--group",
        metavar="COLUMN",
        help="Items with one label here resample together; without one, answers to one question. Default: group.",
    ),
    scale_option,
    map_option,
    sheet_option,
    header_row_option,
    level_option,
)


# how the metrics of a table are evaluated, as `evaluate_table` takes it
with_evaluation_options = option_group(
    "evaluating",
    dict,
    seed_option,
    click.option(
        "--repeats",
        type=BoundedCount(1, MOST_REPEATS),
        default=5,
        show_default=True,
        help="How often the five folds are drawn.",
    ),
    click.option(
        "--bootstrap",
        "permutations",
        type=BoundedCount(100, MOST_RESAMPLES),
        default=2000,
        show_default=True,
        help="How often ratings are shuffled, for the tests.",
    ),
    click.option(
        "--bound",
        type=FiniteRange(0, 1, min_open=True),
        default=0.1,
        show_default=True,
        help="Largest share of bad answers among those sent without a person.",
    ),
)


@hide_advanced(
    *("--lower-is-better", "--higher-is-better", "--scale", "--sheet", "--header-row", "--level", "--versions"),
    *("--seed", "--repeats", "--bootstrap", "--bound"),
)
@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN|FILE]...")
@scores_option
@click.option(
    "--ratings",
    "ratings_file",
    type=_FILE,
    help="File of ratings. Default: those in the runs' samples, or in --scores.",
)
@with_read_options
@click.option("--by", metavar="A,B", callback=_split_names, help="Evaluate also by these columns, such as language.")
@click.option("--versions", metavar="COLUMN", help="Compare versions by this column. Default: system, or the runs.")
@with_evaluation_options
@click.option("--report", type=REPORT_FILE, help="Write the whole report to an .html file.")
@click.option("--save", type=OUTPUT_FILE, help="Write the chosen combination to a .yaml file: run it as scorer:FILE.")
@click.option("--all", "everything", is_flag=True, help="Print what is behind the verdict too; the report has it all.")
def meta(
    runs: tuple[str, ...],
    *,
    scores: tuple[Path, ...],
    ratings_file: Path | None,
    read_options: "ReadOptions",
    by: tuple[str, ...],
    versions: str | None,
    evaluating: "Mapping[str, Any]",
    report: Path | None,
    save: Path | None,
    everything: bool,
    store: str | Path,
) -> None:
    """Say which metric agrees with people's ratings, how far.

    Alone or combined, and what that would save.

    The scores are those of RUNs (an id, its beginning, or `last`) and of FILEs: CSV, Excel, JSON Lines, JSON or
    Parquet, with one row per item or per score, and what Ragas, DeepEval and promptfoo (JSON) export. Items are matched
    by id, else by question and answer. Where versions of the chatbot are rated (a column system, or RUNs with other
    answers to the same questions), it also says which metric picks the better version.

    \b
    assay meta last --by language --report report.html
    assay meta --scores ragas.csv --ratings team.csv --group page
    assay meta last --save team.yaml; assay run answers.csv --metrics scorer:team.yaml
    assay meta RUN_A RUN_B
    assay meta scores_and_ratings.csv
    """
    from ..meta_eval.evaluation import SLICE_ATTRIBUTES, evaluate_table
    from ..runs import Store
    from ..runs.answers.score_table import join_scores, read_runs

    read_options = replace(read_options, by=by, versions=versions)
    scores = (*scores, *(Path(name) for name in runs if Path(name).is_file()))
    runs = tuple(name for name in runs if not Path(name).is_file())
    if ratings_file is not None and not runs and not scores:
        raise UsageError("--ratings: name the scores too, a RUN or --scores FILE")
    opened = Store(store, must_exist=True) if runs or not scores else None
    with show_status("reading scores and ratings"):
        tables, database = (read_runs(opened, runs), opened.database) if opened else ([], None)
        joined = join_scores(database, tables, scores, ratings_file, read_options)
    counts = f"{count_of(len(joined.table.metrics), 'metric')} on {count_of(len(joined.table.items), 'item')}"
    with show_status(f"evaluating {counts}"):
        evaluation = evaluate_table(
            joined.table,
            by=read_options.by or SLICE_ATTRIBUTES,
            commands=_next_commands(opened, tables),
            **evaluating,
        )
    if save is not None:
        from ..runs.score.scorer_saving import fit_run_scorer

        scorer = fit_run_scorer(save, joined, evaluation, tables)
    if report is not None:
        from ..meta_eval.report import write_report
        from ..runs.answers.score_table import find_answer_evidence
        from ..text.wording import phrase

        files = dict.fromkeys((*scores, *([ratings_file] if ratings_file else [])))
        rows = [table.row for table in tables if table.row is not None]
        write_report(
            report,
            evaluation,
            joined,
            lambda item: find_answer_evidence(opened, rows, item, joined.run_versions) if opened else None,
            [*(row.describe() for row in rows), *(phrase("file", name=path.name) for path in files)],
        )
    if save is not None:
        scorer.save(save)
    from ..meta_eval.report.blocks import report_blocks

    only = None if everything else {"slices"} if by else set[str]()
    further = []
    if not everything and report is None:
        further.append("\nCombinations, comparisons, raters, parts and what may be sent: --all, or --report FILE.html")
    if report is not None:
        further.append(f"\nThe whole report: {report}")
    if save is not None:
        metric = quote_word(f"scorer:{save}")
        further.append(f"\nThe scorer: {save}. It predicts the team's rating: assay run SET --metrics {metric}")
    print_result(
        lambda: _as_json(evaluation, joined),
        lambda: print_blocks(*report_blocks(evaluation, joined, only=only).values()),
        *further,
    )


def _next_commands(store: "Store | None", tables: "Sequence[AnswerTable]") -> "NextCommands":
    """What to type to rate more of the runs' answers; of files alone nobody can tell."""
    from ..meta_eval.verdict import NextCommands
    from ..runs.show.run_report import name_run

    rows = [table.row for table in tables if table.row is not None]
    if store is None or not rows:
        return NextCommands()
    # the answers of one run are rated, or scored again, at a time
    run = name_run(store, rows[0].id) if len(rows) == 1 else "RUN"
    has_failed = any(score.status == "failed" for table in tables for *_, score in table.rows())
    again = typed_command("run", "--resume", run) if has_failed else ""
    return NextCommands(typed_command("rate", run), resume=again)


def _as_json(evaluation: "MetaEvaluation", joined: "JoinedScores") -> dict[str, Any]:
    """The object of `--json`: `recommendation`, `metrics`, `combinations`, `ceiling`, `chosen`; then the rest."""
    selection, raters = evaluation.selection, evaluation.raters
    values = asdict(evaluation)
    result: dict[str, Any] = {
        "verdict": evaluation.verdict.as_json(),
        "recommendation": evaluation.recommendation,
        "metrics": [_metric(metric) for metric in evaluation.metrics],
        "combinations": [_combination(one, selection) for one in selection.combinations] if selection else [],
        "ceiling": raters.ceiling.value if raters else None,
        "chosen": _combination(selection.chosen, selection) if selection else None,
    } | {name: values[name] for name in _AS_EVALUATED}
    if selection:
        elsewhere = {"combinations", "chosen", "predictions"}
        result["selection"] = {name: value for name, value in values["selection"].items() if name not in elsewhere}
        result["predictions"] = dict(zip(joined.table.items, selection.predictions, strict=False))
    return result | {
        "unscored": list(joined.unscored),
        "unrated": list(joined.unrated),
        "notes": [*joined.notes, *([evaluation.severity] if evaluation.severity else [])],
    }


def _metric(metric: "MetricAgreement") -> dict[str, Any]:
    rho = metric.spearman
    first = {"name": metric.name, "n": metric.n, "coverage": metric.coverage, "spearman": rho.value}
    rest = {name: value for name, value in asdict(metric).items() if name != "spearman"}
    return first | {"low": rho.low, "high": rho.high, "p": metric.p} | rest


def _combination(combination: "Combination", selection: "Selection") -> dict[str, Any]:
    out = selection.agreement_of(combination)
    first = {"metrics": list(combination.metrics), "in_sample": combination.in_sample, "out_of_fold": out.value}
    rest = {name: value for name, value in asdict(combination).items() if name not in {*first, "out_of_fold"}}
    shown = {"low": out.low, "high": out.high, "problem": out.problem}
    return first | shown | rest | {"optimism": selection.optimism_of(combination)}
