"""Ratings that say which of two answers is better: they are no ratings of `response`, which they would turn round."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..text.wording import count_of, verb_of
from .column_table import OTHER_ANSWER
from .number_rule import NumberRule, is_missing
from .rows import Row
from .sample import Sample


def split_pair_rows(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Splits rows in those that rate one answer, and, where any row is a pair, those whose scale has two sides."""
    sided = {row.place: row for row in rows if _has_two_sides(row.values)}
    if not any(has_other_answer(row.values) for row in sided.values()):
        return list(rows), []
    return [row for row in rows if row.place not in sided], list(sided.values())


def has_other_answer(values: Mapping[str, Any]) -> bool:
    """Whether a row holds another answer beside its own."""
    return any(not is_missing(values.get(column)) for column in OTHER_ANSWER)


def _has_two_sides(values: Mapping[str, Any]) -> bool:
    """Whether a row's rating is on a scale with two sides, as `Sample.has_two_sides` has it."""
    with suppress(ValueError):
        return (NumberRule().read(values.get("rating_min")) or 0) < 0
    return False


LOST_PAIR = "says which of two answers is better, and there is no other_response; fill it, or remove the rating"


def is_lost_pair(sample: Sample) -> bool:
    """Whether a sample has a rating on a scale with two sides and no other answer."""
    return not sample.other_response and sample.human_rating is not None and sample.has_two_sides


def without_rating(sample: Sample) -> Sample:
    """Returns the sample without its ratings."""
    return sample.model_copy(update={"rating": None, "ratings": {}})


def describe_left_out_pair_ratings(count: int) -> str:
    """Says that ratings of pairs are left out, where answers are compared by their own ratings.

    Example:
        >>> describe_left_out_pair_ratings(1)
        '1 rating says which of two answers is better, and is left out'
    """
    says = count_of(count, "rating says", "ratings say")
    return f"{says} which of two answers is better, and {verb_of(count, 'is', 'are')} left out"
