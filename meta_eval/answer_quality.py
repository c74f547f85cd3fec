"""How good people say that answers are, in one line: the same wherever it stands. It loads nothing heavy."""

from collections.abc import Sequence

from ..presentation.figure import Figure
from ..text.wording import count_of, verb_of
from .estimate import Estimate


def describe_answers(
    ratings: Sequence[float], *, lowest: float, highest: float, people: int = 1, bad_share: Estimate | None = None
) -> str:
    """The mean rating, and how many answers are bad: rated below the middle of the scale.

    Args:
        ratings: The mean rating of each rated answer.
        lowest: The lowest rating of the scale.
        highest: The highest.
        people: How many rated.
        bad_share: The share of bad answers with its interval, where that is to be told.

    Example:
        >>> describe_answers([1, 4, 5, 4], lowest=1, highest=5, people=2)
        'rated 3.5 of 5 by 2 people; 1 of 4 answers is bad'
    """
    if not ratings:
        return "nobody rated these answers"
    bad = sum(rating < (lowest + highest) / 2 for rating in ratings)
    scale = f" of {highest:g}" if lowest in {0, 1} else f" on {lowest:g} to {highest:g}"
    by = f" by {count_of(people, 'person', 'people')}" if people > 1 else ""
    likely = ""
    if bad_share is not None and bad_share.low is not None:
        likely = f" ({Figure('share', bad_share.low)} to {Figure('share', bad_share.high)})"
    decimals = 1 if highest - lowest > 1 else 2
    verb = verb_of(bad if bad else len(ratings), "is", "are")
    return (
        f"rated {sum(ratings) / len(ratings):.{decimals}f}{scale}{by}; {bad:,} of {count_of(len(ratings), 'answer')} "
        f"{verb} bad{likely}"
    )
