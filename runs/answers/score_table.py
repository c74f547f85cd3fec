"""The table of scores and ratings that `assay meta` evaluates: from runs, from files of any tool, or from both."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from ...errors import UsageError
from ...eval_sets import Sample
from ...judges import Usage
from ...meta_eval.question_only import add_question_only
from ...meta_eval.score_files import join_sources, read_score_files
from ...meta_eval.score_files.read_options import RatedLevel
from ...metrics.catalogue import load_metric
from ...metrics.metric import run_to_end
from ...metrics.specification import BASELINES
from .rated_level import choose_level, find_level_items
from .rating_join import join_ratings
from .run_scores import read_run_ratings, read_run_scores, read_samples_of_runs
from .run_versions import ONE_VERSION, RunVersions, find_versions

if TYPE_CHECKING:
    from ...eval_sets import Sample
    from ...meta_eval.score_files import JoinedScores, ReadOptions, ScoreSource
    from ...meta_eval.table import ScoreTable
    from ..store.store import RunRow, Store


def find_runs(store: "Store", names: Sequence[str]) -> "list[RunRow]":
    """Returns the runs with these names, each once; the last run where no name is given."""
    return list({run.id: run for run in map(store.run, names or ("last",))}.values())


def join_scores(
    store: "Store | None",
    runs: "Sequence[RunRow]",
    score_files: Sequence[Path],
    ratings_file: Path | None,
    options: "ReadOptions",
) -> "JoinedScores":
    """Joins the scores of runs and files with the ratings; adds the missing baselines and what metrics cost."""
    if not runs and not score_files:
        raise UsageError("name the scores too: a RUN or --scores FILE")
    scores, ratings = read_score_files(score_files, ratings_file or (None if runs else score_files[0]), options)
    level_note, versions = "", ONE_VERSION
    if store is not None:
        versions = find_versions(store, runs)
        options, level_note = _choose_level(store, runs, ratings, options, versions)
        scores = [*(read_run_scores(store, run, options, versions) for run in runs), *scores]
        ratings = ratings or read_run_ratings(store, runs, options, versions)
    if ratings is None:
        raise UsageError("name a file of ratings: --ratings FILE")
    joined = add_baselines(join_sources(scores, ratings, options))
    questions = [joined.answers[item].user_input for item in joined.table.items]
    table = add_question_only(joined.table, questions)
    if store is not None and not score_files:
        table = _add_costs(table, store, runs)
    notes = (level_note, *joined.notes) if level_note else joined.notes
    if options.level == "turn" and not options.metrics:
        of_conversations = dict.fromkeys(metric for run in runs for metric in run.plan.conversation_metrics)
        left_out = ", ".join(metric for metric in of_conversations if metric not in table.metrics)
        notes += (f"left out, as they measure whole conversations: {left_out}",) if left_out else ()
    return replace(joined, table=table, notes=notes, level=options.level, run_versions=versions.names)


def _choose_level(
    store: "Store",
    runs: "Sequence[RunRow]",
    ratings: "ScoreSource | None",
    options: "ReadOptions",
    versions: RunVersions = ONE_VERSION,
) -> "tuple[ReadOptions, str]":
    """The options with the level at which runs are read, and what to say of it."""
    items: dict[RatedLevel, dict[str, Sample]] = {level: {} for level in get_args(RatedLevel)}
    for of_version in versions.parts(runs):
        samples = read_samples_of_runs(store, of_version).values()
        for one_level, of_level in items.items():
            joined = join_ratings(store.database, find_level_items(samples, one_level).samples)
            of_level |= {versions.item(of_version[0].id, name): sample for name, sample in joined.samples.items()}
    rated = None if ratings is None else {item.id for item in ratings.items}
    level, note = choose_level(items, options.level, rated)
    return replace(options, level=level), note


def add_scorer_parts(
    joined: "JoinedScores", store: "Store", runs: "Sequence[RunRow]", metrics: Sequence[str]
) -> "ScoreTable":
    """Adds metrics that a run has only as parts of a scorer (`--metrics scorer:FILE`), from its evidence."""
    import numpy as np

    table = joined.table
    absent = [metric for metric in metrics if metric not in table.metrics]
    values: dict[tuple[str, str], float] = {}
    versions = RunVersions(joined.run_versions)
    for run in runs if absent else ():
        of_level = find_level_items(store.samples(run.id), joined.level)
        for sample, scorer, score in store.scores(run.id):
            item = of_level.item(sample, scorer, run.plan.conversation_metrics)
            parts = score.evidence.get("parts", {})
            for metric in absent:
                if item is not None and (value := parts.get(metric, {}).get("value")) is not None:
                    values[versions.item(run.id, item), metric] = value
    known = [metric for metric in absent if any(metric == name for _, name in values)]
    columns = [[values.get((item, metric), np.nan) for metric in known] for item in table.items]
    scores = np.hstack([table.scores, np.array(columns, float).reshape(len(table.items), len(known))])
    return replace(table, metrics=(*table.metrics, *known), scores=scores)


def _add_costs(table: "ScoreTable", store: "Store", runs: "Sequence[RunRow]") -> "ScoreTable":
    """The table with what each metric took per 1,000 answers: in USD where every price is known, else in tokens.

    A metric that asks what another one has asked already took nothing; by itself it would take what that one did.
    """
    totals: dict[str, Usage] = {}
    counts: Counter[str] = Counter()
    for run in runs:
        for _, metric, score in store.scores(run, fields=("usage",)):
            totals[metric] = totals.get(metric, Usage()) + score.usage
            counts[metric] += 1
    if not any(usage.calls for usage in totals.values()):
        return table
    in_usd = all(usage.usd is not None for usage in totals.values()) and any(usage.usd for usage in totals.values())
    costs, owners = {}, {}
    sharers = _find_sharers(store, runs, totals)
    for column in table.metrics:
        metric = column if column in totals else column.rpartition("@")[0]
        if metric in totals:
            owners[column] = sharers.get(metric, metric)
            usage = totals[owners[column]]
            spent = (usage.usd or 0.0) if in_usd else usage.tokens_in + usage.tokens_out
            costs[column] = 1000 * spent / counts[metric]
    return replace(table, costs=costs, cost_owners=owners, cost_unit="USD" if in_usd else "tokens")


def _find_sharers(store: "Store", runs: "Sequence[RunRow]", totals: Mapping[str, Usage]) -> dict[str, str]:
    """The metric that asked for each metric that made no call of its own: the one with the same prompts."""
    idle = {metric for metric, usage in totals.items() if not usage.calls}
    prompts: dict[str, tuple[str, ...]] = {}
    for run in runs:
        for _, metric, score in store.scores(run.id):
            if metric not in prompts and (used := score.evidence.get("prompts")):
                prompts[metric] = tuple(sorted(map(str, used)))
    askers = {used: metric for metric, used in prompts.items() if metric not in idle}
    return {metric: askers[prompts[metric]] for metric in idle if prompts.get(metric) in askers}


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
    scores = run_to_end(_scores(samples, missing))
    values = np.array([[np.nan if score is None else score for score in row] for row in scores], dtype=float)
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


async def _scores(samples: list[Sample], names: list[str]) -> list[list[float | None]]:
    metrics = [load_metric(name) for name in names]
    return [[(await metric.assess(sample)).value for metric in metrics] for sample in samples]
