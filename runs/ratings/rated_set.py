"""A rating queue as an evaluation set: samples with the raters' ratings, reasons and marked sentences."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from ...eval_sets import Sample
from ..database import Database
from .rating_queue import Rating, RatingQueue, queue_ids


def rated_samples(queue: RatingQueue, series: int | None = None) -> list[Sample]:
    """The samples that have a rating, in the queue's order.

    `ratings` holds one rating per rater (hidden repeats aside), on the queue's scale; `rating` is what the team agreed
    on, where it adjudicated. `metadata` gets `rating_reasons` and `wrong_sentences` by rater, and
    `rating_probability` where the answer was drawn with a known probability. Ratings that the sample came with are
    replaced: a series has one guideline and one scale.

    Args:
        queue: The rating queue.
        series: Which series; the present one if not given.
    """
    by_sample: dict[str, list[Rating]] = defaultdict(list)
    for rating in queue.ratings(series):
        if not rating.is_repeat:
            by_sample[rating.sample].append(rating)
    adjudications = queue.adjudications(series)
    probabilities = queue.probabilities()
    rated = []
    for sample in queue.samples():
        values = {rating.rater: rating.value for rating in by_sample[sample.id] if rating.value is not None}
        agreed = adjudications.get(sample.id)
        if not values and agreed is None:
            continue
        reasons = {rating.rater: rating.reason for rating in by_sample[sample.id] if rating.reason}
        wrong = {
            rating.rater: list(rating.wrong_sentences) for rating in by_sample[sample.id] if rating.wrong_sentences
        }
        metadata = dict(sample.metadata)
        metadata |= {"rating_reasons": reasons} if reasons else {}
        metadata |= {"wrong_sentences": wrong} if wrong else {}
        metadata |= {"rating_probability": probabilities[sample.id]} if sample.id in probabilities else {}
        fields = sample.model_dump() | {
            "ratings": values,
            "rating": None if agreed is None else agreed.value,
            "rating_min": queue.settings.rating_min,
            "rating_max": queue.settings.rating_max,
            "metadata": metadata,
        }
        rated.append(Sample.model_validate(fields))
    return rated


def replace_ratings(database: Database, samples: Mapping[str, Sample]) -> dict[str, Sample]:
    """Samples with the ratings that people gave these very answers in the store.

    The newest rating queue that rated one of them counts, its present series; answers that it has not rated yet are
    unrated then, because two series, or two scales, are not one measure. Without such a queue the samples stay as they
    are.

    Args:
        database: The store's database.
        samples: Samples by id.
    """
    for name in queue_ids(database):
        rated = {
            sample.id: sample
            for sample in rated_samples(RatingQueue(database, name))
            if (ours := samples.get(sample.id))
            and (ours.user_input, ours.response) == (sample.user_input, sample.response)
        }
        if rated:
            unrated: dict[str, Any] = {"rating": None, "ratings": {}}
            return {key: rated.get(key) or sample.model_copy(update=unrated) for key, sample in samples.items()}
    return dict(samples)


def ratings_of_answer(database: Database, sample: Sample) -> list[tuple[str, Rating]]:
    """The ratings that people gave this very answer in the store, of all series, each with its rating queue."""
    ratings = []
    for name in queue_ids(database):
        row = database.execute(
            "SELECT content FROM rating_items WHERE queue = ? AND sample = ?", (name, sample.id)
        ).fetchone()
        if row is None:
            continue
        rated = Sample.model_validate_json(row[0])
        if (rated.user_input, rated.response) == (sample.user_input, sample.response):
            queue = RatingQueue(database, name)
            for series in range(queue.series, 0, -1):
                ratings += [(name, rating) for rating in queue.ratings(series) if rating.sample == sample.id]
    return ratings
