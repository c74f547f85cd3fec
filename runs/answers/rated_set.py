"""A rating queue as an evaluation set: samples with the raters' ratings, reasons and marked sentences."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ...eval_sets import Sample
from ...eval_sets.message import REASONS
from ..ratings.judgement import Judgement, find_judgements
from ..ratings.rating_queue import RatingQueue
from ..store.database import Database

_IDS_AT_ONCE = 1000  # of one question to the database
_ROUNDING = 0.005  # a file may hold the mean of its raters with two places
_Answer = TypeVar("_Answer")
FILE = "file"
"""The rater whose ratings are those that a set came with."""


def rater_key(rater: str) -> str:
    """What is the same of one rater's name, however it is written: `Ada` in a file is `ADA` of the rating page."""
    return rater.casefold()


def merge_spellings(ratings: Mapping[_Answer, Mapping[str, float]]) -> dict[_Answer, dict[str, float]]:
    """Returns ratings by answer and rater in which each rater has one spelling, the first; of two ratings the later.

    Example:
        >>> merge_spellings({1: {"Ada": 3, "bo": 4}, 2: {"ADA": 5}})
        {1: {'Ada': 3, 'bo': 4}, 2: {'Ada': 5}}
    """
    names: dict[str, str] = {}
    return {
        answer: {names.setdefault(rater_key(rater), rater): rating for rater, rating in by_rater.items()}
        for answer, by_rater in ratings.items()
    }


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


def agreed_rating(sample: Sample) -> float | None:
    """Returns what a team agreed on of an answer that its raters rated by themselves too; None where it did not.

    What an answer's rating is says `Sample.human_rating`: this where there is one, else the mean of its raters. A
    `rating` that is the raters' mean is no agreement.

    Examples:
        >>> sample = Sample(id="a", user_input="q", response="r", rating=4, ratings={"ada": 1, "bo": 4})
        >>> agreed_rating(sample), agreed_rating(sample.model_copy(update={"rating": 2.5}))
        (4.0, None)
    """
    if sample.rating is None or not sample.ratings:
        return None
    mean = sum(sample.ratings.values()) / len(sample.ratings)
    return None if abs(sample.rating - mean) <= _ROUNDING else sample.rating


def rated_samples(queue: RatingQueue, series: int | None = None) -> list[Sample]:
    """The samples that people rated, in the queue's order, as `with_judgements` makes them, hidden repeats aside.

    The ratings that a sample came with stand beside, where they are on this scale.
    """
    by_sample, adjudications = queue.ratings_by_item(series), queue.adjudications(series)
    scale = queue.settings.scale
    rated = []
    for sample in queue.samples({*by_sample, *adjudications}):
        judgements, agreed = by_sample.get(sample.id, []), adjudications.get(sample.id)
        if agreed is not None or any(one.value is not None for one in judgements):
            by_rater = {one.rater: one for one in judgements}
            rated.append(with_judgements(sample, by_rater, file_ratings(sample, scale), agreed, scale))
    return rated


def with_judgements(
    sample: Sample,
    judgements: Mapping[str, Judgement],
    of_file: Mapping[str, float],
    agreed: float | None,
    scale: tuple[float, float],
) -> Sample:
    """Returns a sample with what people said of it.

    `ratings` holds one rating per rater, and those that it came with; `rating` is what the team agreed on, where it
    adjudicated. `metadata` gets `rating_reasons` and `wrong_sentences` by rater.
    """
    values = {rater: float(one.value) for rater, one in judgements.items() if one.value is not None}
    reasons = {rater: one.reason for rater, one in judgements.items() if one.reason}
    wrong = {rater: list(one.wrong_sentences) for rater, one in judgements.items() if one.wrong_sentences}
    metadata = dict(sample.metadata)
    metadata |= {REASONS: _with_file_reasons(sample, reasons)} if reasons else {}
    metadata |= {"wrong_sentences": wrong} if wrong else {}
    changes = {"ratings": {**of_file, **values}, "rating": agreed, "rating_min": scale[0], "rating_max": scale[1]}
    # not validated anew: its messages may be many
    return sample.model_copy(update=changes | {"metadata": metadata})


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


def ratings_of_answers(database: Database, samples: Sequence[Sample]) -> list[Judgement]:
    """The ratings that people gave these very answers in the store, of all series."""
    return find_judgements(database, [sample.fingerprint for sample in samples])
