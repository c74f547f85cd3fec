"""A rating queue as an evaluation set: samples with the raters' ratings, reasons and marked sentences."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ...eval_sets import Sample
from ...eval_sets.message import REASONS
from ..ratings.item_queue import Rating, queue_ids
from ..ratings.rating_queue import RatingQueue
from ..store.database import Database

_IDS_AT_ONCE = 1000  # of one question to the database
FILE = "file"
"""The rater whose ratings are those that a set came with."""


def file_ratings(sample: Sample, scale: tuple[float, float]) -> dict[str, float]:
    """Returns the ratings that a sample came with, by rater; its one rating is that of the rater `file`.

    Examples:
        >>> sample = Sample(id="a", user_input="q", response="r", rating=4)
        >>> file_ratings(sample, (1, 5)), file_ratings(sample, (1, 10))
        ({'file': 4.0}, {})
    """
    if (sample.rating_min, sample.rating_max) != scale:
        return {}
    if sample.ratings:
        return dict(sample.ratings)
    return {} if sample.rating is None else {FILE: sample.rating}


def rated_samples(
    queue: RatingQueue,
    series: int | None = None,
    *,
    has_file: bool = True,
    known: Mapping[str, Sample] = MappingProxyType({}),
) -> list[Sample]:
    """The samples that people rated, in the queue's order.

    `ratings` holds one rating per rater (hidden repeats aside), on the queue's scale, and the ratings that the sample
    came with where they are on this scale; `rating` is what the team agreed on, where it adjudicated. `metadata` gets
    `rating_reasons` and `wrong_sentences` by rater. Answers that are `known` are not read again.
    """
    by_sample, adjudications = queue.ratings_by_item(series), queue.adjudications(series)
    rated = []
    for sample in queue.samples({*by_sample, *adjudications}, known):
        ratings, agreed = by_sample.get(sample.id, []), adjudications.get(sample.id)
        values = {rating.rater: float(rating.value) for rating in ratings if rating.value is not None}
        if not values and agreed is None:
            continue
        reasons = {rating.rater: rating.reason for rating in ratings if rating.reason}
        wrong = {rating.rater: list(rating.wrong_sentences) for rating in ratings if rating.wrong_sentences}
        metadata = dict(sample.metadata)
        metadata |= {REASONS: _with_file_reasons(sample, reasons)} if reasons else {}
        metadata |= {"wrong_sentences": wrong} if wrong else {}
        scale = (float(queue.settings.rating_min), float(queue.settings.rating_max))
        changes = {
            "ratings": (file_ratings(sample, scale) if has_file else {}) | values,
            "rating": None if agreed is None else float(agreed.value),
            "rating_min": scale[0],
            "rating_max": scale[1],
            "metadata": metadata,
        }
        rated.append(sample.model_copy(update=changes))  # not validated anew: its messages may be many
    return rated


def _with_file_reasons(sample: Sample, reasons: dict[str, str]) -> dict[str, Any]:
    """What raters wrote, beside what the people wrote whose ratings the sample came with."""
    of_file = sample.metadata.get(REASONS)
    return {**(of_file if isinstance(of_file, Mapping) else {FILE: of_file} if of_file else {}), **reasons}


def rated_ids(database: Database, samples: Sequence[str]) -> list[str]:
    """Returns which of some ids are those of answers that people rated in the store."""
    ids: list[str] = []
    for start in range(0, len(samples), _IDS_AT_ONCE):
        names = samples[start : start + _IDS_AT_ONCE]
        places = ", ".join("?" * len(names))
        rows = database.execute(
            f"SELECT DISTINCT sample FROM ratings WHERE sample IN ({places}) "
            "AND queue IN (SELECT id FROM rating_queues WHERE kind = 'answers')",
            list(names),
        )
        ids += (str(name) for (name,) in rows.fetchall())
    return ids


def ratings_of_answers(database: Database, samples: Sequence[Sample]) -> list[tuple[str, tuple[int, int], Rating]]:
    """The ratings that people gave these very answers in the store, of all series, with their queues and scales."""
    by_id = {sample.id: sample for sample in samples}
    names_rated = set(rated_ids(database, list(by_id)))
    if not names_rated:
        return []
    ratings = []
    for name in queue_ids(database):
        queue = RatingQueue(database, name)
        names = {sample.id for sample in queue.samples(only=names_rated) if sample.is_same_answer(by_id[sample.id])}
        if not names:
            continue
        scale = queue.settings.rating_min, queue.settings.rating_max
        for series in range(queue.series, 0, -1):
            ratings += [(name, scale, rating) for rating in queue.ratings(series) if rating.sample in names]
    return ratings
