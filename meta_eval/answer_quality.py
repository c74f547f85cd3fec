"""How good people say that answers are, in one line: the same wherever it stands. It loads nothing heavy."""

from collections.abc import Sequence

from ..presentation.figure import Figure
from ..text.wording import Phrase, phrase
from .estimate import Estimate


def describe_answers(
    ratings: Sequence[float], *, lowest: float, highest: float, people: int = 1, bad_share: Estimate | None = None
) -> Phrase:
    """The mean rating of rated answers, and how many are bad: rated below the middle of the scale.

    Example:
        >>> describe_answers([1, 4, 5, 4], lowest=1, highest=5, people=2).write()
        'rated 3.5 of 5 by 2 people; 1 of 4 answers is bad'
    """
    if not ratings:
        return phrase("not_rated")
    bad = sum(rating < (lowest + highest) / 2 for rating in ratings)
    likely = phrase("nothing")
    if bad_share is not None and bad_share.low is not None:
        likely = phrase("likely", low=Figure("share", bad_share.low), high=Figure("share", bad_share.high))
    is_from_one = lowest in {0, 1}
    return phrase(
        "rated",
        mean=Figure("predicted" if highest - lowest > 1 else "mean", sum(ratings) / len(ratings)),
        scale=phrase(
            "scale_of" if is_from_one else "scale_from",
            lowest=Figure("rating", lowest),
            highest=Figure("rating", highest),
        ),
        people=phrase("people", count=people) if people > 1 else phrase("nothing"),
        bad=bad,
        answers=phrase("answers", count=len(ratings)),
        are_bad=phrase("are_bad", count=bad or len(ratings)),
        likely=likely,
    )
