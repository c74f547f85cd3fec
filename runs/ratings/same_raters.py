"""Mean ratings of answers that are compared: by raters who saw answers of all that is compared."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from ...eval_sets import Sample
from .rated_set import FILE


@dataclass(frozen=True, slots=True)
class RatedText:
    """The ratings of one answer, which one version gave, or several gave alike."""

    question: Hashable
    versions: frozenset[int]
    ratings: Mapping[str, float] = field(default_factory=dict)  # its ratings by rater


def ratings_by_rater(sample: Sample) -> dict[str, float]:
    """Returns the ratings of a sample by rater; one rating without a rater is that of the rater `file`."""
    return dict(sample.ratings) or ({} if sample.rating is None else {FILE: sample.rating})


def find_common_raters(answers: Sequence[RatedText], versions: Collection[int]) -> frozenset[str]:
    """Finds the raters who rated answers of every version.

    A strict rater who saw only one version's answers says nothing of the difference between versions.
    """
    raters = {version: set[str]() for version in versions}
    for answer in answers:
        for version in answer.versions & raters.keys():
            raters[version] |= answer.ratings.keys()
    return frozenset(set.intersection(*raters.values())) if raters else frozenset()


def average_ratings(answers: Sequence[RatedText], raters: Collection[str]) -> list[float]:
    """Returns the mean of the ratings of each answer that count (`comparable_ratings`), NaN without one.

    Example:
        Bob rated one of two answers:

        >>> answers = [RatedText("Free?", frozenset({0}), {"ann": 3, "bob": 1}),
        ...            RatedText("Free?", frozenset({1}), {"ann": 4})]
        >>> average_ratings(answers, {"ann", "bob"})
        [3.0, 4.0]
    """
    return [sum(row.values()) / len(row) if row else float("nan") for row in comparable_ratings(answers, raters)]


def comparable_ratings(answers: Sequence[RatedText], raters: Collection[str]) -> list[dict[str, float]]:
    """Returns the ratings of each answer that count.

    Of a question that is rated in several versions only those raters count who rated most of its answers, two or more:
    of two answers those who rated both.
    """
    by_question = defaultdict[Hashable, list[int]](list)
    for place, answer in enumerate(answers):
        if answer.ratings.keys() & set(raters):
            by_question[answer.question].append(place)
    kept: list[dict[str, float]] = [{} for _ in answers]
    for places in by_question.values():
        who = _raters_of_most(places, answers, raters)
        for place in places:
            kept[place] = {rater: value for rater, value in answers[place].ratings.items() if rater in who}
    return kept


def _raters_of_most(places: Sequence[int], answers: Sequence[RatedText], raters: Collection[str]) -> Collection[str]:
    """The raters who rated most versions of a question; all where one version alone is rated."""
    if len({answers[place].versions for place in places}) < 2:
        return raters
    rated = defaultdict[str, set[frozenset[int]]](set)
    for place in places:
        for rater in answers[place].ratings.keys() & set(raters):
            rated[rater].add(answers[place].versions)
    most = min(rated.values(), key=lambda theirs: (-len(theirs), sorted(map(sorted, theirs))))
    return {rater for rater, theirs in rated.items() if theirs == most} if len(most) > 1 else ()
