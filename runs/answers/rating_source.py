"""What is rated: the answers of a set or of a run, in random order."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.turns import is_turn, turn_samples
from ...text.wording import count_of
from ..ratings.judgement import QueueSettings, RatedTurns, queue_ids
from ..ratings.rating_queue import RatingQueue
from ..store.store import Store
from .rating_join import join_ratings
from .table import AnswerTable
from .version_answers import read_source


def find_source(
    store: Store, name: str, turns: RatedTurns = "none", reading: Mapping[str, Any] | None = None
) -> AnswerTable:
    """The answers to rate of a run (its id, the beginning of one, or `last`), else those of a set."""
    table = read_source(store, name, reading)
    rated = {sample.id: sample for sample in select_rated(table.samples.values(), turns)}
    return replace(table, samples=rated, source_samples=table.samples)


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


def open_queue(
    store: Store,
    table: AnswerTable,
    settings: QueueSettings,
    *,
    guideline: str | None,
    limit: int | None = None,
) -> RatingQueue:
    """The newest queue of this source with these settings, else a new one; its guideline brought up to date.

    The answers are drawn at random, as every estimate takes them for, those that nobody rated first: of them alone a
    rating says something new of the source. A limit then takes the first that were drawn.
    """
    source = table.run or ", ".join(table.sets)
    for name in queue_ids(store.database, has_pairs=False, source=source):
        queue = RatingQueue(store.database, name)
        if queue.settings == settings:
            return go_on(queue, len(table.samples), limit, guideline)
    import numpy as np

    samples = list(table.samples.values())
    joined = join_ratings(store.database, table.samples).samples
    order = np.random.default_rng(settings.seed).permutation(len(samples)).tolist()
    order.sort(key=lambda place: joined[samples[place].id].human_rating is not None)
    samples = [samples[place] for place in order[:limit]]
    conversations = (table.source_samples or {}).values()
    return RatingQueue.create(
        store.database, samples, settings, source=source, guideline=guideline or "", conversations=conversations
    )


def go_on(queue: RatingQueue, most: int, limit: int | None, guideline: str | None) -> RatingQueue:
    """Brings the guideline of a queue that there is up to date; raises where it has not as many items as asked for."""
    count, item = len(queue.names()), "pair" if queue.has_pairs else "answer"
    if limit is not None and count != min(limit, most):
        raise UsageError(
            f"{queue.id} has {count_of(count, item)} of {queue.source} already, and --limit {limit} does not change "
            f"that; go on with it (assay rate {queue.id}), or draw another (--seed {queue.settings.seed + 1})"
        )
    if guideline is not None:
        queue.change_guideline(guideline)
    return queue
