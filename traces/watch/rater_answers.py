"""The raters of a watch: answers drawn for them, their queue, and the ratings that come back."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ...eval_sets import Sample
from ...eval_sets.message import Message
from ...regular_files import read_text_file
from ...runs import Store
from ...runs.ratings import QueueSettings, RatingQueue
from ...runs.ratings.rating_queue import queue_ids
from ..cursor import trace_id
from ..source import Source
from .answer_pull import tool_ratings
from .judging import draw_answers, pace
from .watch_records import WatchRecords
from .watch_settings import WatchSettings, format_duration


def queue_source(watch: str) -> str:
    """Returns what the queues of a watch are from, for people."""
    return f"the watch {watch}"


def watch_queues(store: Store, watch: str) -> list[RatingQueue]:
    """Returns the queues of a watch, the newest first."""
    queues = [RatingQueue(store.database, name) for name in queue_ids(store.database)]
    return [queue for queue in queues if queue.source == queue_source(watch)]


def find_open_queue(records: WatchRecords) -> tuple[str, int]:
    """Returns the newest queue in which ratings are asked for, and how many; an empty text and 0 without one."""
    for queue in watch_queues(records.store, records.watch_id):
        done, asked = queue.counts()
        if done < asked:
            return queue.id, asked - done
    return "", 0


def draw_for_raters(records: WatchRecords, today: str, now: datetime) -> int:
    """Draws answers that the judge scored for the raters, and fills the queue."""
    if not records.settings.ratings.raters:
        return 0
    answers = records.unqueued()
    due = pace(records.settings.ratings.per_day, records.spending(today).queued, records.moment("rated_at"), now)
    if answers and due >= min(1, len(answers)):  # sooner, the chances would be very small
        chance, drawn = draw_answers(answers, due, seed=f"{records.settings.seed} raters {records.watch_id}")
        records.add_rater_draw(dict.fromkeys(answers, chance), drawn, today, now)
    return _fill_queue(records)


def _fill_queue(records: WatchRecords) -> int:
    """Puts what is drawn into the queue; what a killed step has put there already is there once."""
    waiting = records.to_queue()
    if not waiting:
        return 0
    options = records.settings.ratings
    low, high = options.levels
    queue_settings = QueueSettings(
        raters=options.raters,
        per_answer=options.per_answer,
        rating_min=low,
        rating_max=high,
        seed=records.settings.seed,
    )
    queues = watch_queues(records.store, records.watch_id)
    queue = next((queue for queue in queues if queue.settings == queue_settings), None)
    guideline = read_text_file(records.settings.path(options.guideline), "the guideline") if options.guideline else ""
    samples = [_unrated(sample) for sample in records.samples(waiting)]
    if queue is None:
        database, source = records.store.database, queue_source(records.watch_id)
        RatingQueue.create(database, samples, queue_settings, source=source, guideline=guideline)
        new = len(samples)
    else:
        new = sum(map(queue.add, samples))
        if guideline:
            queue.change_guideline(guideline)  # the same text changes nothing
    records.note_queued(waiting)
    return new


def _unrated(sample: Sample) -> Sample:
    """The answer without the ratings that it came with, which a rater should not see."""
    messages = tuple(
        Message.model_validate(message.model_dump(exclude={"rating", "ratings"}, exclude_defaults=True))
        for message in sample.messages
    )
    own: dict[str, Any] = {"rating": None, "ratings": {}, "rating_min": 1, "rating_max": 5, "messages": messages}
    return sample.model_copy(update=own)


def read_queue_ratings(records: WatchRecords) -> int:
    """Takes over the ratings of the rating page; returns how many answers are rated for the first time."""
    ratings: dict[str, dict[str, float]] = {}
    agreed: dict[str, float] = {}
    for queue in reversed(watch_queues(records.store, records.watch_id)):  # the newest last: its ratings count
        for rating in queue.ratings():
            if rating.value is not None and not rating.is_repeat:
                ratings.setdefault(rating.sample, {})[rating.rater] = float(rating.value)
        agreed |= queue.adjudications()
    return records.add_ratings(ratings, agreed)


def describe_tool_ratings(settings: WatchSettings) -> str:
    """Says when ratings are read that people write in the tracing tool after a pull, and which of them count."""
    reread = settings.ratings.reread
    if reread is None:
        when = "are not read (`ratings.reread`)"
    else:
        how_often = "at each step" if settings.source_address.is_file else "once a day"
        when = f"are read {how_often}, for {format_duration(reread)}"
    text = f"ratings that people write in the tracing tool on traces that are pulled {when}"
    if settings.ratings.raters:
        text += "; they count only for answers drawn for `ratings.raters` (leave `raters` out, and all count)"
    return text


def reread_annotations(
    records: WatchRecords, source: Source, read_before: Mapping[str, Mapping[str, float]], now: datetime
) -> int:
    """Takes over people's annotations that came since, of the answers of the last days.

    Those of a file are `read_before`, by trace and rater: its pull has read it whole. A server is asked again.
    """
    settings = records.settings
    if settings.ratings.reread is None:
        return 0
    since = now - settings.ratings.reread
    # a rating of one of several traces is none of the conversation
    samples = records.samples_of_traces(since, alone=settings.measures_conversations)
    annotations = dict(read_before)
    for trace in source.read(since, now) if samples and not settings.source_address.is_file else ():
        if isinstance(trace, Sample) and (values := tool_ratings(trace, settings).values):
            annotations[trace_id(trace)] = values
    return records.add_ratings({samples[trace]: values for trace, values in annotations.items() if trace in samples})
