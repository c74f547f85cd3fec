"""Rows of pairs of answers that lost their other answer: their ratings would count for `response`, turned round."""

from ..text.wording import count_of, verb_of
from .sample import Sample


def is_lost_pair(sample: Sample) -> bool:
    """Whether a sample has a rating on a scale with two sides and no other answer."""
    return not sample.other_response and sample.human_rating is not None and sample.has_two_sides


def without_rating(sample: Sample) -> Sample:
    """Returns the sample without its ratings."""
    return sample.model_copy(update={"rating": None, "ratings": {}})


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
