"""Rows of pairs of answers that lost their other answer: their ratings would count for `response`, turned round."""

from collections.abc import Callable, Iterable

from ..text.wording import count_of, verb_of
from .sample import Sample


def without_rating(sample: Sample) -> Sample:
    """Returns the sample without its ratings."""
    return sample.model_copy(update={"rating": None, "ratings": {}})


class LostPairs:
    """Takes the ratings from the rows of a set of pairs that have no other answer."""

    def __init__(self, name: str, may_have_pairs: Callable[[], bool]) -> None:
        self._name, self._may_have_pairs = name, may_have_pairs
        self._has_pairs: bool | None = None
        self._count, self._first = 0, ""

    def read(self, sample: Sample, place: str) -> Sample:
        """Returns the sample, without its rating where it is a pair that lost its other answer."""
        if sample.is_pair:
            self._has_pairs = True
        if sample.other_response or sample.human_rating is None or not sample.has_two_sides:
            return sample
        if self._has_pairs is None:
            self._has_pairs = self._may_have_pairs()
        if not self._has_pairs:
            return sample
        self._count, self._first = self._count + 1, self._first or place
        return without_rating(sample)

    def notes(self) -> list[str]:
        """Says how many ratings are not used, the first place, and the cure; empty where all are used."""
        return [describe_lost_pairs(self._name, self._count, self._first)] if self._count else []


def describe_lost_pairs(name: str, count: int, first: str) -> str:
    """Says that ratings of pairs without another answer are not used, and the cure.

    Example:
        >>> describe_lost_pairs("pairs.csv", 1, "line 3").partition(", so that ")[2]
        'it is not used (pairs.csv, line 3); fill other_response, or remove the rating'
    """
    row = count_of(count, "row has", "rows have")
    where = f"{name}, {first}" if count == 1 else f"the first is {name}, {first}"
    return (
        f"{name}: {row} a rating that says which of two answers is better and no other_response, so that "
        f"{verb_of(count, 'it is', 'they are')} not used ({where}); fill other_response, or remove the rating"
    )


def drop_lost_ratings(samples: Iterable[tuple[str, Sample]], name: str) -> tuple[list[Sample], list[str]]:
    """Takes the ratings from the pairs without another answer among samples that are all at hand.

    Returns:
        The samples, and what `LostPairs.notes` says of them.

    Example:
        >>> pair = Sample(id="1", user_input="Free?", response="Yes.", other_response="No.", rating=-1, rating_min=-2)
        >>> lost = pair.model_copy(update={"id": "2", "other_response": ""})
        >>> samples, notes = drop_lost_ratings([("index 0", lost), ("index 1", pair)], "the list")
        >>> [sample.rating for sample in samples], len(notes)
        ([None, -1.0], 1)
    """
    listed = list(samples)
    lost = LostPairs(name, lambda: any(sample.is_pair for _, sample in listed))
    return [lost.read(sample, place) for place, sample in listed], lost.notes()
