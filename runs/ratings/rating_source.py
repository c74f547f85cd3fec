"""What is rated: the answers of a set or of a run, with the run's scores to choose by."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...eval_sets import Sample, read_set
from ...eval_sets.turns import is_turn, turn_samples
from ...text.wording import count_of
from ..store.store import RunRow, Store
from .rating_order import Choose, rating_order, score_columns
from .rating_queue import QueueSettings, RatedTurns, RatingQueue, queue_ids

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats


@dataclass(frozen=True, slots=True)
class RatingSource:
    """Answers to rate."""

    name: str  # the set or run as it was named, with a run's full id
    samples: tuple[Sample, ...]
    metrics: tuple[str, ...]  # the run's metrics, for choosing; none for a set
    scores: "Floats"  # (answers, metrics), higher is better in every column, NaN where there is no score


def find_source(
    store: Store, name: str, turns: RatedTurns = "none", reading: Mapping[str, Any] | None = None
) -> RatingSource:
    """All answers of a run (its id, the beginning of one, or `last`), else those of a set."""
    run = _find_run(store, name)
    if run is None:
        samples = tuple(select_rated(read_set(name, **(reading or {})), turns))
        return RatingSource(name, samples, (), score_columns({}, [sample.id for sample in samples]))
    samples = tuple(select_rated(store.samples(run.id), turns))
    directions = run.plan.all_directions
    columns: dict[str, dict[str, float]] = {metric: {} for metric in run.plan.all_metrics}
    for sample, metric, score in store.scores(run, fields=()):
        if score.value is not None and metric in columns:
            columns[metric][sample] = score.value if directions[metric] else -score.value
    return RatingSource(run.id, samples, tuple(columns), score_columns(columns, [sample.id for sample in samples]))


def select_rated(samples: Iterable[Sample], turns: RatedTurns) -> list[Sample]:
    """Selects what is rated of samples: answers without messages, and of conversations the whole or each answer.

    Example:
        >>> chat = [{"role": "user", "content": "Free?"}, {"role": "assistant", "content": "Yes."}]
        >>> [sample.id for sample in select_rated([Sample(id="chat-7", messages=chat)], "each")]
        ['chat-7#1']
    """
    listed = list(samples)
    whole = {sample.id for sample in listed if sample.messages and not is_turn(sample)}
    if turns == "none":
        return [sample for sample in listed if not is_turn(sample) or sample.metadata["conversation"] not in whole]
    scored = {sample.id: sample for sample in listed if is_turn(sample)}
    selected: dict[str, Sample] = {}
    for sample in listed:
        parts = turn_samples(sample) if sample.id in whole else [sample]
        selected |= {part.id: scored.get(part.id, part) for part in parts}
    return list(selected.values())


def _find_run(store: Store, name: str) -> RunRow | None:
    try:
        return store.run(name)
    except UsageError:
        if name == "last":
            raise
        return None  # then it is a set


def open_queue(
    store: Store,
    source: RatingSource,
    settings: QueueSettings,
    *,
    guideline: str | None,
    by: str | None = None,
    limit: int | None = None,
) -> RatingQueue:
    """The newest queue of this source with these settings, else a new one; its guideline brought up to date.

    The answers are drawn from all of the source; a limit then takes the first that were drawn.
    """
    for name in queue_ids(store.database):
        queue = RatingQueue(store.database, name)
        if queue.source == source.name and queue.settings == settings:
            return go_on(queue, len(source.samples), limit, guideline)
    samples = [source.samples[place] for place in _order(source, settings, by)[:limit]]
    return RatingQueue.create(store.database, samples, settings, source=source.name, guideline=guideline or "")


def go_on(queue: RatingQueue, most: int, limit: int | None, guideline: str | None) -> RatingQueue:
    """Brings the guideline of a queue that there is up to date; raises where it has not as many items as asked for."""
    count, item = queue.size(), "pair" if queue.kind == "pairs" else "answer"
    if limit is not None and count != min(limit, most):
        raise UsageError(
            f"{queue.id} has {count_of(count, item)} of {queue.source} already, and --limit {limit} does not change "
            f"that; go on with it (assay rate {queue.id}), or draw another (--seed {queue.settings.seed + 1})"
        )
    if guideline is not None:
        queue.change_guideline(guideline)
    return queue


def _order(source: RatingSource, settings: QueueSettings, by: str | None) -> list[int]:
    if by is not None and by not in source.metrics:
        raise UsageError(f"{source.name} has no scores of {by!r}; it has {', '.join(source.metrics) or 'none'}")
    columns = list(range(len(source.metrics)))
    if by is not None:
        columns.sort(key=lambda column: source.metrics[column] != by)
    choose: Choose = settings.choose
    try:
        return rating_order(choose, source.scores[:, columns], seed=settings.seed)
    except ValueError as error:
        raise UsageError(f"{source.name}: {error}; rate a run that has them, or --choose random") from error
