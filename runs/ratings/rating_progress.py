"""How the rating goes: each rater's pace and self-agreement, the raters' agreement, and what to adjudicate."""

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...meta_eval.groups import group_answers
from .judgement import Judgement
from .rating_queue import RatingQueue

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats
    from ...meta_eval.raters import Raters

_LARGE_DIFFERENCE = 2  # levels between two raters from which an answer is worth a talk


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """One rater's work in the present series."""

    name: str
    ratings: int
    cannot_tell: int
    median_seconds: float | None  # median time per answer in seconds; None before the first rating
    repeats: int
    same_on_repeat: int  # repeats with the same level both times
    # mean absolute difference of the two ratings of a repeat, in levels; None without repeats
    difference_on_repeat: float | None


@dataclass(frozen=True, slots=True)
class RaterDisagreement:
    """An answer on which two raters differ by two levels or more, or a pair of which they prefer different answers."""

    sample: str  # the item's id
    ratings: tuple[Judgement, ...]  # what the raters gave, in the order in which they rated
    difference: float  # highest less lowest level
    adjudicated: float | None  # the rating that the team agreed on, or None


def rater_progress(queue: RatingQueue) -> list[RaterProgress]:
    """The progress of each rater, in the order in which the queue names them."""
    by_rater: dict[str, list[Judgement]] = defaultdict(list)
    for rating in queue.ratings():
        by_rater[rating.rater].append(rating)
    return [_progress(name, by_rater[name]) for name in queue.settings.raters]


def _progress(name: str, ratings: Sequence[Judgement]) -> RaterProgress:
    first = {rating.sample: rating.value for rating in ratings if not rating.is_repeat}
    differences = [
        abs(rating.value - original)
        for rating in ratings
        if rating.is_repeat and rating.value is not None and (original := first.get(rating.sample)) is not None
    ]
    return RaterProgress(
        name=name,
        ratings=len(first),
        cannot_tell=sum(value is None for value in first.values()),
        median_seconds=statistics.median(rating.seconds for rating in ratings) if ratings else None,
        repeats=len(differences),
        same_on_repeat=differences.count(0),
        difference_on_repeat=statistics.fmean(differences) if differences else None,
    )


def disagreements(queue: RatingQueue) -> list[RaterDisagreement]:
    """The items of the present series on which raters differ by 2 or more, the largest difference first.

    Of answers these are two levels; of pairs one rater chose the one answer (-1) and another the other (1).
    """
    adjudications = queue.adjudications()
    disputed = []
    for sample, ratings in queue.ratings_by_item(has_unsure=False).items():
        values = [rating.value for rating in ratings if rating.value is not None]
        difference = max(values) - min(values)
        if difference >= _LARGE_DIFFERENCE:
            disputed.append(RaterDisagreement(sample, tuple(ratings), difference, adjudications.get(sample)))
    return sorted(disputed, key=lambda one: -one.difference)


def rater_agreement(queue: RatingQueue) -> "Raters | None":
    """How far the raters of the present series agree, and the pairs of raters.

    None before five answers have ratings of two raters.
    """
    import numpy as np

    from ...meta_eval.raters import agreement_of_raters
    from ...meta_eval.table import ScoreTable

    samples, by_item = list(queue.samples()), queue.ratings_by_item(has_unsure=False)
    table = ScoreTable(
        items=tuple(sample.id for sample in samples),
        metrics=(),
        scores=np.empty((len(samples), 0)),
        ratings=rating_matrix(queue, [by_item.get(sample.id, ()) for sample in samples]),
        raters=queue.settings.raters,
        rating_min=queue.settings.rating_min,
        rating_max=queue.settings.rating_max,
        groups=tuple(group_answers(samples)),
    )
    return agreement_of_raters(table)


def rating_matrix(queue: RatingQueue, by_item: Sequence[Sequence[Judgement]]) -> "Floats":
    """The ratings of some items as an array (items, raters of the queue), NaN where one did not rate."""
    import numpy as np

    column = {name: number for number, name in enumerate(queue.settings.raters)}
    ratings = np.full((len(by_item), len(column)), np.nan)
    for place, of_item in enumerate(by_item):
        for rating in of_item:
            ratings[place, column[rating.rater]] = rating.value
    return ratings
