"""Runs as sources of the meta-evaluator: their scores, their samples' ratings, and the audit of single answers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from ...errors import InputError, UsageError
from ...eval_sets import Sample
from ...eval_sets.conversation import asked_text
from ...eval_sets.pair_ratings import without_rating
from ...eval_sets.rows import Row
from ...eval_sets.turns import is_turn, turn_id
from ...meta_eval.answer_evidence import AnswerEvidence, MetricEvidence
from ...meta_eval.score_files import Item, ReadOptions, ScoreSource, flatten, read_ratings
from ...meta_eval.score_files.flat_rows import match_columns
from ...metrics.catalogue import higher_is_better
from ...metrics.specification import parse_specification
from ...text.wording import count_of
from ..store.store import RunRow, Store
from .rated_level import find_level_items
from .rating_direction import RatingKinds, describe_left_out_pair_ratings, rates_pair
from .rating_join import join_ratings
from .run_versions import ONE_VERSION, RunVersions
from .summary import describe_fitted

_TEXTS = {"user_input", "response", "other_response", "retrieved_contexts", "reference", "tables", "messages"}
_TYPE_METRIC = "heuristic"  # its evidence says which type a message was classified as


def read_run_scores(
    store: Store, run: RunRow, options: ReadOptions, versions: RunVersions = ONE_VERSION
) -> ScoreSource:
    """Reads the scores of a run. A metric that asked a judge becomes a column of that judge."""
    of_level = find_level_items(store.samples(run.id), options.level)
    places = {item: place for place, item in enumerate(of_level.samples)}
    samples = list(of_level.samples.values())
    columns: dict[str, dict[int, float]] = {metric: {} for metric in run.plan.all_metrics}
    reasons: list[dict[str, str]] = [{} for _ in samples]
    message_types: dict[int, str] = {}
    metrics_with_calls: set[str] = set()
    fitted = Counter[str]()
    for sample_id, metric, score in store.scores(run.id):
        item = of_level.item(sample_id, metric, run.plan.conversation_metrics)
        if item is None:
            continue
        place = places[item]
        if score.is_fitted_on:
            fitted[metric] += 1
        elif score.value is not None:
            columns.setdefault(metric, {})[place] = score.value
        reasons[place][metric] = score.reason
        if score.usage.calls:
            metrics_with_calls.add(metric)
        if metric == _TYPE_METRIC and score.evidence.get("message_type"):
            message_types[place] = str(score.evidence["message_type"])
    judge = run.plan.judge.label if run.plan.judge else ""
    directions = run.plan.all_directions
    if asked_for := set(options.metrics) - set(columns):  # a metric that the run has as a part of a scorer only
        for metric, values in find_scorer_parts(store, [run]).items():
            if metric in asked_for:
                columns[metric] = {places[of_level.item_of[name]]: value for name, value in values.items()}
                directions[metric] = higher_is_better(metric)
    wanted = match_columns(options.metrics, columns) if options.metrics else list(columns)
    if options.level == "turn" and not options.metrics:  # what measures conversations has no value of a turn
        wanted = [metric for metric in wanted if metric not in run.plan.conversation_metrics]
    return ScoreSource(
        f"run {run.id}",
        tuple(
            replace(
                _item(sample, message_types.get(place), reasons[place]),
                id=versions.item(run.id, sample.id),
                version=versions.names.get(run.id, ""),
                question=versions.question(run.id, sample.id),
            )
            for place, sample in enumerate(samples)
        ),
        {metric: columns[metric] for metric in wanted},
        judges={metric: judge for metric in metrics_with_calls if judge},
        offered=tuple(columns),
        directions=directions,
        notes=tuple(f"run {run.id}, {metric}: {describe_fitted(count)}" for metric, count in fitted.items()),
    )


def find_scorer_parts(store: Store, runs: Sequence[RunRow]) -> dict[str, dict[str, float]]:
    """The values that runs have of the metrics of their scorers (`--metrics scorer:FILE`), by metric and sample.

    Those of answers that the scorer was fitted on count too: the metrics were fitted to nothing.
    """
    parts: dict[str, dict[str, float]] = {}
    for run in runs:
        scorers = {name for name in run.plan.all_metrics if parse_specification(name).is_scorer}
        for sample, metric, score in store.scores(run.id) if scorers else ():
            for part, record in score.evidence.get("parts", {}).items() if metric in scorers else ():
                if parse_specification(part).is_scorer:
                    continue
                values = parts.setdefault(part, {})
                if record.get("value") is not None:
                    values[sample] = record["value"]
    return parts


def read_run_ratings(
    store: Store, runs: Sequence[RunRow], options: ReadOptions, versions: RunVersions = ONE_VERSION
) -> ScoreSource:
    """Reads the ratings of the samples of several runs, each sample once.

    Ratings that were given on the page (`assay rate`) stand beside those of the set (`join_ratings`).
    """
    samples: dict[str, Sample] = {}
    notes: dict[str, None] = {}
    for of_version in versions.parts(runs):
        items = find_level_items(read_samples_of_runs(store, of_version).values(), options.level).samples
        joined = join_ratings(store.database, items)
        samples |= {versions.item(of_version[0].id, key): sample for key, sample in joined.samples.items()}
        if joined.note:
            notes[f"{versions.names[of_version[0].id]}: {joined.note}" if versions.names else joined.note] = None
    name = ", ".join(f"run {run.id}" for run in runs)
    pairs = [key for key, sample in samples.items() if rates_pair(sample)]
    if pairs and len(pairs) == sum(sample.human_rating is not None for sample in samples.values()):
        raise InputError(
            f"{name}: its ratings say which of two answers is better, and a table of metrics "
            "needs ratings of one answer (--ratings); what a judge of pairs is worth says `assay judges card MODEL "
            "--on SET`"
        )
    if pairs:
        notes[describe_left_out_pair_ratings(len(pairs))] = None
        samples |= {key: without_rating(samples[key]) for key in pairs}
    notes |= dict.fromkeys(RatingKinds.count(samples.values()).notes(()))
    if not options.ratings and all(sample.human_rating is None for sample in samples.values()):
        raise InputError(
            f"{name}: none of its {count_of(len(samples), options.level or 'sample')} is rated; name a file of "
            "ratings (--ratings)"
        )
    listed = enumerate(samples.items(), 1)
    rows = [Row(number, f"sample {key}", _row(sample) | {"id": key}) for number, (key, sample) in listed]
    source = read_ratings(rows, name, replace(options, mapping={}))
    return replace(source, notes=(*notes, *source.notes))


def read_samples_of_runs(store: Store, runs: Sequence[RunRow]) -> dict[str, Sample]:
    """Returns the samples of several runs by id."""
    return {sample.id: sample for run in runs for sample in store.samples(run.id)}


def find_answer_evidence(
    store: Store, runs: Sequence[RunRow], item: str, run_versions: Mapping[str, str] | None = None
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


def _find_scored(store: Store, run: RunRow, item: str) -> Iterator[Sample]:
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


def _metric_evidence(store: Store, run: RunRow, item: str, *, is_one_of_several: bool) -> Iterator[MetricEvidence]:
    judge = run.plan.judge.label if run.plan.judge else ""
    for _, metric, score in store.scores(run.id, item):
        name = f"{metric}@{judge}" if is_one_of_several and score.usage.calls else metric
        yield MetricEvidence(name, score.value, score.status, score.reason, score.evidence)


def _item(sample: Sample, message_type: str | None, reasons: dict[str, str]) -> Item:
    values = _row(sample)
    if message_type and not sample.message_type:
        values["message_type"] = message_type
    return Item(
        sample.id,
        f"sample {sample.id}",
        sample.user_input,
        sample.response,
        sample.retrieved_contexts,
        values,
        reasons,
        before=asked_text(sample).removesuffix(sample.user_input).rstrip("\n"),
    )


def _row(sample: Sample) -> dict[str, object]:
    return flatten(sample.model_dump(exclude=_TEXTS))
