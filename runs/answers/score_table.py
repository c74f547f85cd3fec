"""The table of scores and ratings that `assay meta` evaluates: from runs, from files of any tool, or from both."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError, UsageError
from ...eval_sets import Sample
from ...eval_sets.conversation import is_turn
from ...eval_sets.items import Item, ScoreSource, item_of
from ...eval_sets.message import turn_id
from ...eval_sets.rows import Row
from ...eval_sets.score_columns import match_columns
from ...eval_sets.score_files import read_ratings, read_score_files
from ...eval_sets.sources import flatten
from ...meta_eval.answer_evidence import AnswerEvidence, MetricEvidence
from ...meta_eval.question_only import add_question_only
from ...meta_eval.score_join import join_sources
from ...metrics.catalogue import load_metric, metric_names, needs_judge
from ...metrics.metric import run_to_end
from ...metrics.score import FITTED_ON
from ...metrics.specification import BASELINES
from ...text.wording import count_of
from .pairing import ONE_VERSION, RunVersions, find_versions
from .rating_join import agreed_rating
from .summary import describe_fitted
from .table import AnswerTable, at_rated_level

if TYPE_CHECKING:
    from ...eval_sets.score_columns import ReadOptions
    from ...meta_eval.score_join import JoinedScores
    from ...metrics.score import Score
    from ..store.database import Database
    from ..store.store import RunRow, Store

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


_TEXTS = {"user_input", "response", "retrieved_contexts", "reference", "tables", "messages"}
AGREED = "the team's agreement"
"""The column of ratings that a team agreed on, beside those of its raters."""
_TYPE_METRIC = "heuristic"  # its evidence says which type a message was classified as


def read_run_scores(table: AnswerTable, options: "ReadOptions", versions: RunVersions) -> ScoreSource:
    """Reads the scores of a run at a level. A metric that asked a judge becomes a column of that judge."""
    run, name = table.row, table.run or ""
    assert run is not None
    level = table.at_level(options.level)
    places = {item: place for place, item in enumerate(level.samples)}
    columns: dict[str, dict[int, float]] = {metric: {} for metric in table.directions}
    message_types: dict[str, str] = {}
    metrics_with_calls: set[str] = set()
    fitted = Counter[str]()
    for item, metric, score in level.rows():
        if score.is_fitted_on:
            fitted[metric] += 1
        elif score.value is not None:
            columns.setdefault(metric, {})[places[item]] = score.value
        if score.usage.calls:
            metrics_with_calls.add(metric)
        if metric == _TYPE_METRIC and score.evidence.get("message_type"):
            message_types[item] = str(score.evidence["message_type"])
    judge = run.plan.judge.label if run.plan.judge else ""
    wanted = match_columns(options.metrics, columns) if options.metrics else list(columns)
    if options.level == "turn" and not options.metrics:  # what measures conversations has no value of a turn
        wanted = [metric for metric in wanted if metric not in table.conversation_metrics]
    return ScoreSource(
        f"run {name}",
        tuple(_item(level, item, message_types.get(item, ""), versions) for item in level.samples),
        {metric: columns[metric] for metric in wanted},
        judges={metric: judge for metric in metrics_with_calls if judge},
        offered=tuple(columns),
        directions=dict(table.directions),
        notes=tuple(f"run {name}, {metric}: {describe_fitted(count)}" for metric, count in fitted.items()),
    )


def read_run_ratings(
    rated: Sequence[AnswerTable], tables: Sequence[AnswerTable], options: "ReadOptions", versions: RunVersions
) -> ScoreSource:
    """Reads the ratings of the samples of several runs, each sample once; `rated` has those of each version."""
    samples: dict[str, Sample] = {}
    notes: dict[str, None] = {}
    for table in rated:
        run, note = table.run or "", table.rating_note
        samples |= {versions.item(run, key): sample for key, sample in table.samples.items()}
        if note:
            notes[f"{versions.names[run]}: {note}" if versions.names else note] = None
    name = ", ".join(f"run {table.run}" for table in tables)
    is_rated = any(sample.human_rating is not None for sample in samples.values())
    if not options.ratings and not is_rated:
        left_out = f" ({'; '.join(notes)})" if notes else ""
        raise InputError(
            f"{name}: none of its {count_of(len(samples), options.level or 'sample')} is rated{left_out}; name a file "
            "of ratings (--ratings)"
        )
    listed = enumerate(samples.items(), 1)
    rows = [Row(number, f"sample {key}", _row(sample) | {"id": key}) for number, (key, sample) in listed]
    for row, sample in zip(rows, samples.values(), strict=True):
        if sample.ratings and not options.ratings:  # else the user named whose count
            agreed = {} if (rating := agreed_rating(sample)) is None else {f"ratings.{AGREED}": rating}
            row.values.update({"rating": None, **agreed})  # a `rating` is what the team agreed on, or their mean
    source = read_ratings(rows, name, replace(options, mapping={}))
    return replace(source, notes=(*notes, *source.notes))


def find_answer_evidence(
    store: "Store", runs: "Sequence[RunRow]", item: str, run_versions: Mapping[str, str] | None = None
) -> AnswerEvidence | None:
    """Finds one answer, with every score that the runs gave it and their evidence.

    Returns:
        The answer as the first of the runs has it; None where no run has it.
    """
    answer: AnswerEvidence | None = None
    for run in runs:
        name = item
        if run_versions:
            name, _, version = item.rpartition("@")
            if run_versions[run.id] != version:
                continue
        for sample in _find_scored(store, run, name):
            metrics = tuple(_metric_evidence(store, run, sample.id, is_one_of_several=len(runs) > 1))
            if answer is None:
                answer = AnswerEvidence(item, sample.user_input, sample.response, sample.retrieved_contexts, metrics)
            else:
                answer = replace(answer, metrics=answer.metrics + metrics)
    return answer


def _find_scored(store: "Store", run: "RunRow", item: str) -> Iterator[Sample]:
    """The samples of a run whose scores are those of an item: of a conversation also its turn under test."""
    names = [item, item.rpartition("#")[0]]  # the second where the turn under test was scored with its conversation
    for name in filter(None, names):
        try:
            sample = store.sample(run.id, name)
        except UsageError:
            continue
        yield sample
        if sample.messages and not is_turn(sample) and sample.turn is not None:
            with suppress(UsageError):
                yield store.sample(run.id, turn_id(sample.id, sample.turn))
        return


def _metric_evidence(store: "Store", run: "RunRow", item: str, *, is_one_of_several: bool) -> Iterator[MetricEvidence]:
    judge = run.plan.judge.label if run.plan.judge else ""
    for _, metric, score in store.scores(run.id, item):
        name = f"{metric}@{judge}" if is_one_of_several and score.usage.calls else metric
        yield MetricEvidence(name, score.value, score.status, score.reason, score.evidence)


def _item(table: AnswerTable, name: str, message_type: str, versions: RunVersions) -> Item:
    sample, run = table.samples[name], table.run or ""
    values = _row(sample)
    if message_type and not sample.message_type:
        values["message_type"] = message_type
    return replace(
        item_of(sample),
        id=versions.item(run, name),
        values=values,
        reasons={metric: score.reason for metric, score in table.scores[name].items()},
        version=versions.names.get(run, ""),
        question=versions.question(run, name),
    )


def _row(sample: Sample) -> dict[str, object]:
    return flatten(sample.model_dump(exclude=_TEXTS))
