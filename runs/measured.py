"""Runs as sources of the meta-evaluator: their scores, their samples' ratings, and the audit of single answers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..errors import InputError, UsageError
from ..eval_sets import Sample
from ..meta_eval.answer_evidence import AnswerEvidence, MetricEvidence
from ..meta_eval.score_files import FlatRow, Item, ReadOptions, ScoreSource, flatten, read_ratings
from ..meta_eval.score_files.column_roles import match_columns
from .ratings.rated_set import replace_ratings
from .store import RunRow, Store

_TELLS_TYPE = "heuristic"  # the metric whose evidence says which type a message was taken for


def measured_run(store: Store, run: RunRow, choices: ReadOptions) -> ScoreSource:
    """A run's scores. A metric that asked a judge is a column of that judge; what was not scored is left out."""
    judged_samples = list(store.samples(run.id))
    samples = {sample.id: place for place, sample in enumerate(judged_samples)}
    columns: dict[str, dict[int, float]] = {metric: {} for metric in run.plan.all_metrics}
    reasons: list[dict[str, str]] = [{} for _ in samples]
    types: dict[int, str] = {}
    judged: set[str] = set()
    for sample, metric, score in store.scores(run.id):
        place = samples[sample]
        if score.value is not None:
            columns.setdefault(metric, {})[place] = score.value
        reasons[place][metric] = score.reason
        if score.usage.calls:
            judged.add(metric)
        if metric == _TELLS_TYPE and score.evidence.get("message_type"):
            types[place] = str(score.evidence["message_type"])
    items = tuple(_item(sample, types.get(place), reasons[place]) for place, sample in enumerate(judged_samples))
    judge = run.plan.judge.identity if run.plan.judge else ""
    taken = match_columns(choices.metrics, columns) if choices.metrics else list(columns)
    directions = run.plan.all_directions
    return ScoreSource(
        f"run {run.id}",
        items,
        {metric: columns[metric] for metric in taken},
        judges={metric: judge for metric in judged if judge},
        offered=tuple(columns),
        lower_is_better=tuple(metric for metric in taken if not directions[metric]),
    )


def ratings_of_runs(store: Store, runs: Sequence[RunRow], choices: ReadOptions) -> ScoreSource:
    """The ratings of the runs' samples, each sample once: those given in the store (`assay rate`), else the set's own.

    Raises `InputError` where there are none.
    """
    samples = {sample.id: sample for run in runs for sample in store.samples(run.id)}
    samples = replace_ratings(store.database, samples)
    name = ", ".join(f"run {run.id}" for run in runs)
    if not choices.ratings and all(sample.human_rating is None for sample in samples.values()):
        raise InputError(f"{name}: none of its {len(samples)} samples is rated; name a file of ratings (--ratings)")
    rows = [FlatRow(f"sample {sample.id}", _row(sample)) for sample in samples.values()]
    return read_ratings(rows, name, replace(choices, mapping={}))


def audited(store: Store, runs: Sequence[RunRow], item: str) -> AnswerEvidence | None:
    """One answer with every score that the runs gave it, and their evidence; None where no run has it."""
    found: AnswerEvidence | None = None
    for run in runs:
        try:
            sample = store.sample(run.id, item)
        except UsageError:
            continue
        audits = tuple(_audits(store, run, item, several=len(runs) > 1))
        if found is None:
            found = AnswerEvidence(item, sample.user_input, sample.response, sample.retrieved_contexts, audits)
        else:
            found = replace(found, audits=found.audits + audits)
    return found


def _audits(store: Store, run: RunRow, item: str, *, several: bool) -> Iterator[MetricEvidence]:
    judge = run.plan.judge.identity if run.plan.judge else ""
    for _, metric, score in store.scores(run.id, item):
        by_judge = f"{metric}@{judge}" if several and score.usage.calls else metric
        yield MetricEvidence(by_judge, score.value, score.status, score.reason, score.evidence)


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
    )


def _row(sample: Sample) -> dict[str, object]:
    return flatten(sample.model_dump(exclude={"user_input", "response", "retrieved_contexts", "reference", "tables"}))
