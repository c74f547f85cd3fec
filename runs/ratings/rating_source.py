"""What is rated: the answers of a set or of a run, with the run's scores to choose by."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...eval_sets import Sample, read_set
from ...text.wording import count_of
from ..database import Database
from ..store import RunRow, Store
from .rating_order import Choose, rating_order, score_columns
from .rating_queue import QueueSettings, RatingQueue, queue_ids

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats


@dataclass(frozen=True, slots=True)
class RatingSource:
    """Answers to rate.

    Attributes:
        name: The set or run as it was named, with a run's full id.
        samples: The answers.
        metrics: The run's metrics, for choosing; none for a set.
        scores: (answers, metrics), higher is better in every column, NaN where there is no score.
    """

    name: str
    samples: tuple[Sample, ...]
    metrics: tuple[str, ...]
    scores: "Floats"


def find_source(store: Store, name: str) -> RatingSource:
    """All answers of a run (its id, the beginning of one, or `last`), else those of a set.

    Raises:
        UsageError: Neither a run nor a set has this name.
        InputError: A row of the set cannot be read.
    """
    run = _find_run(store, name)
    if run is None:
        samples = tuple(read_set(name))
        return RatingSource(name, samples, (), score_columns({}, [sample.id for sample in samples]))
    samples = tuple(store.samples(run.id))
    directions = run.plan.all_directions
    columns: dict[str, dict[str, float]] = {metric: {} for metric in run.plan.all_metrics}
    for sample, metric, value, _ in store.sample_values(run.id):
        if value is not None and metric in columns:
            columns[metric][sample] = value if directions[metric] else -value
    return RatingSource(run.id, samples, tuple(columns), score_columns(columns, [sample.id for sample in samples]))


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

    Args:
        store: Where queues are kept.
        source: What is rated.
        settings: Raters, scale, repeats, and how to choose.
        guideline: The raters' guideline; None keeps the present one.
        by: The metric to choose by; the run's first if not given.
        limit: The most answers of a new queue; all if not given.

    Raises:
        UsageError: The way to choose needs scores that the source does not have, or the queue has another number of
            answers than the limit.
    """
    queue = _newest_queue(store.database, source.name, settings)
    if queue is None:
        order, probabilities = _order(source, settings, by)
        samples = [source.samples[place] for place in order[:limit]]
        return RatingQueue.create(
            store.database,
            samples,
            settings,
            source=source.name,
            guideline=guideline or "",
            probabilities=None if probabilities is None else probabilities[:limit],
        )
    count = queue.size()
    if limit is not None and count != min(limit, len(source.samples)):
        raise UsageError(
            f"{queue.id} has {count_of(count, 'answer')} of {source.name} already, and --limit {limit} does not change "
            f"that; go on with it (assay rate {queue.id}), or draw another (--seed {settings.seed + 1})"
        )
    if guideline is not None:
        queue.change_guideline(guideline)
    return queue


def _order(source: RatingSource, settings: QueueSettings, by: str | None) -> tuple[list[int], list[float] | None]:
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


def _newest_queue(database: Database, source: str, settings: QueueSettings) -> RatingQueue | None:
    for name in queue_ids(database):
        queue = RatingQueue(database, name)
        if queue.source == source and queue.settings == settings:
            return queue
    return None
