"""Rows of pairs of answers that lost their other answer: their ratings would count for `response`, turned round."""

from collections.abc import Callable, Iterable

from ..text.wording import count_of, verb_of
from .sample import Sample


def has_two_sides(sample: Sample) -> bool:
    """Whether the scale of the sample's rating has two sides, as that of pairs: it begins below 0."""
    return sample.rating_min < 0


def is_pair(sample: Sample) -> bool:
    """Whether the sample is two answers on a scale with two sides, above 0 where the other answer is better.

    Example:
        >>> pair = Sample(id="1", user_input="Free?", response="Yes.", other_response="No.", rating_min=-2)
        >>> is_pair(pair), is_pair(pair.model_copy(update={"other_response": ""}))
        (True, False)
    """
    return bool(sample.other_response) and has_two_sides(sample)


def without_rating(sample: Sample) -> Sample:
    """Returns the sample without its ratings."""
    return sample.model_copy(update={"rating": None, "ratings": {}})


class LostPairs:
    """Takes the ratings from the rows of a set of pairs that have no other answer.

    Args:
        name: The set, for the note.
        may_have_pairs: Reads whether any row of the set is a pair. It is called at most once, where a row has a rating
            with two sides and no other answer, and no row before it is a pair: most sets are read only once.
    """

    def __init__(self, name: str, may_have_pairs: Callable[[], bool]) -> None:
        self._name, self._may_have_pairs = name, may_have_pairs
        self._has_pairs: bool | None = None
        self._count, self._first = 0, ""

    def read(self, sample: Sample, place: str) -> Sample:
        """Returns the sample, without its rating where it is a pair that lost its other answer.

        Args:
            sample: The sample.
            place: Where it is in the set, for the note.
        """
        if is_pair(sample):
            self._has_pairs = True
        if sample.other_response or sample.human_rating is None or not has_two_sides(sample):
            return sample
        if self._has_pairs is None:
            self._has_pairs = self._may_have_pairs()
        if not self._has_pairs:
            return sample
        self._count, self._first = self._count + 1, self._first or place
        return without_rating(sample)

    def notes(self) -> list[str]:
        """Says how many ratings are not used, the first place, and the cure; empty where all are used."""
        if not self._count:
            return []
        row = count_of(self._count, "row has", "rows have")
        where = f"{self._name}, {self._first}" if self._count == 1 else f"the first is {self._name}, {self._first}"
        return [
            f"{self._name}: {row} a rating that says which of two answers is better and no other_response, so that "
            f"{verb_of(self._count, 'it is', 'they are')} not used ({where}); fill other_response, or remove the rating"
        ]


def drop_lost_ratings(samples: Iterable[tuple[str, Sample]], name: str) -> tuple[list[Sample], list[str]]:
    """Takes the ratings from the pairs without another answer among samples that are all at hand.

    Args:
        samples: The samples, each with its place.
        name: What the note calls them.

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
    lost = LostPairs(name, lambda: any(is_pair(sample) for _, sample in listed))
    return [lost.read(sample, place) for place, sample in listed], lost.notes()
