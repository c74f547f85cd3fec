"""The table of scores and ratings that `assay meta` evaluates: from runs, from files of any tool, or from both."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.score_files import read_score_files
from ...meta_eval.question_only import add_question_only
from ...meta_eval.score_join import join_sources
from ...metrics.catalogue import load_metric, metric_names, needs_judge
from ...metrics.metric import run_to_end
from ...metrics.score import FITTED_ON
from ...metrics.specification import BASELINES
from .pairing import ONE_VERSION, find_versions
from .run_scores import AGREED, read_run_ratings, read_run_scores
from .table import AnswerTable
from .version_answers import at_rated_level

if TYPE_CHECKING:
    from ...eval_sets.score_columns import ReadOptions
    from ...meta_eval.score_join import JoinedScores
    from ...metrics.score import Score
    from ..store.database import Database
    from ..store.store import Store

_EVIDENCE = ("prompts", "message_type", FITTED_ON)
"""What is read of the scores' evidence: claims and their texts are many."""


def read_runs(store: "Store", names: Sequence[str]) -> list[AnswerTable]:
    """Reads the runs with these names, each once; the last run where no name is given."""
    rows = {row.id: row for row in map(store.run, names or ("last",))}
    return [AnswerTable.read(store, row, ("evidence", "usage"), _EVIDENCE) for row in rows.values()]


def join_scores(
    database: "Database | None",
    tables: Sequence[AnswerTable],
    score_files: Sequence[Path],
    ratings_file: Path | None,
    options: "ReadOptions",
) -> "JoinedScores":
    """Joins the scores of runs and files with the ratings; adds the missing baselines."""
    if not tables and not score_files:
        raise UsageError("name the scores too: a RUN or --scores FILE")
    scores, ratings = read_score_files(score_files, ratings_file or (None if tables else score_files[0]), options)
    level_note, versions = "", ONE_VERSION
    if database is not None:
        versions = find_versions(tables)
        rated = None if ratings is None else {item.id for item in ratings.items}
        rated_tables, level, level_note = at_rated_level(database, versions.join(tables), options.level, rated)
        options = replace(options, level=level)
        scores = [*(read_run_scores(table, options, versions) for table in tables), *scores]
        ratings = ratings or read_run_ratings(rated_tables, tables, options, versions)
    if ratings is None:
        raise UsageError("name a file of ratings: --ratings FILE")
    joined = join_sources(scores, ratings, options)
    judged = {metric for source in scores for metric in source.judges}
    names = {metric for metric in joined.table.metrics if metric in {*metric_names()} and not needs_judge(metric)}
    joined = replace(joined, table=replace(joined.table.with_agreed(AGREED), judgeless=frozenset(names - judged)))
    if not (options.metrics and joined.table.baselines & {*joined.table.metrics}):  # else those named are all
        joined = add_baselines(joined)
        questions = [joined.answers[item].user_input for item in joined.table.items]
        joined = replace(joined, table=add_question_only(joined.table, questions))
    table = joined.table
    notes = (level_note, *joined.notes) if level_note else joined.notes
    if options.level == "turn" and not options.metrics:
        of_conversations = dict.fromkeys(metric for one in tables for metric in one.conversation_metrics)
        left_out = ", ".join(metric for metric in of_conversations if metric not in table.metrics)
        notes += (f"left out, as they measure whole conversations: {left_out}",) if left_out else ()
    return replace(joined, table=table, notes=notes, level=options.level, run_versions=versions.names)


def add_baselines(joined: "JoinedScores") -> "JoinedScores":
    """Adds the baselines that a table of scores lacks, where the texts of the answers were read."""
    import numpy as np

    table = joined.table
    missing = [name for name in BASELINES if name not in table.metrics]
    answers = [joined.answers[item] for item in table.items]
    if not missing or not any(answer.response for answer in answers):
        return joined
    samples = [
        Sample(id=item, user_input=answer.user_input, response=answer.response, retrieved_contexts=answer.contexts)
        for item, answer in zip(table.items, answers, strict=True)
    ]
    rows = score_baselines(samples, missing)
    values = np.array([[row[name].value for name in missing] for row in rows], dtype=float)
    columns = {name: column for name, column in zip(missing, values.T, strict=True) if not np.isnan(column).all()}
    return replace(
        joined,
        table=replace(
            table,
            metrics=(*table.metrics, *columns),
            scores=np.column_stack([table.scores, *columns.values()]),
            directions={**table.directions, **{name: load_metric(name).higher_is_better for name in columns}},
        ),
    )


def score_baselines(samples: Sequence[Sample], names: Sequence[str]) -> "list[dict[str, Score]]":
    """The scores of each sample by baselines, which ask no judge, as a run has them."""
    metrics = [load_metric(name) for name in names]

    async def score() -> "list[dict[str, Score]]":
        return [{metric.name: await metric.assess(sample) for metric in metrics} for sample in samples]

    return run_to_end(score())
