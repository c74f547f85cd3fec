"""What a rating says of a metric's score: which way it points, and whether it is about the score at all.

The rating of a pair of answers is on a scale with two sides, above 0 where `other_response` is better. It rates neither
answer by itself, and `pairwise` scores higher where `response` is better.
"""

from collections.abc import Iterable

from ...errors import UsageError
from ...eval_sets import Sample
from ...metrics.specification import parse_specification
from ...presentation.figure import format_rating
from ...text.wording import count_of

PAIRWISE = "pairwise"
PAIR_CURE = "rate pairs from -2 to 2 (rating_min, rating_max), above 0 where other_response is better"


def is_pairwise(metric: str) -> bool:
    """Whether a metric compares the two answers of a sample.

    Example:
        >>> is_pairwise("pairwise"), is_pairwise("faithfulness")
        (True, False)
    """
    return parse_specification(metric).name == PAIRWISE


def rises_with_rating(metric: str) -> bool:
    """Whether a higher score is expected where the rating is higher.

    It is not where lower scores are better, and not of `pairwise`: the ratings of pairs rise with the other answer.

    Example:
        >>> rises_with_rating("faithfulness"), rises_with_rating("pairwise")
        (True, False)
    """
    from ...metrics.catalogue import higher_is_better  # late: whoever shows a run needs no metric

    return not is_pairwise(metric) and higher_is_better(metric)


def rates_pair(sample: Sample) -> bool:
    """Whether the sample's rating says which of its two answers is better.

    Example:
        >>> pair = Sample(id="1", user_input="Free?", response="Yes.", other_response="No.", rating=-1, rating_min=-2)
        >>> rates_pair(pair), rates_pair(pair.model_copy(update={"rating_min": 1, "rating": 1}))
        (True, False)
    """
    return sample.is_pair and sample.human_rating is not None


def describe_rating(sample: Sample) -> str:
    """A sample's rating in its scale, and which way it points where it is of a pair; "" without a rating.

    Example:
        >>> pair = Sample(id="1", user_input="Free?", response="Yes.", other_response="No.", rating=-1, rating_min=-2)
        >>> describe_rating(pair), describe_rating(pair.model_copy(update={"rating_min": 1, "rating": 1}))
        ('-1 of -2 to 5 (above 0 the other answer is better)', '1 of 5')
    """
    if sample.human_rating is None:
        return ""
    rating = format_rating(sample.human_rating, sample.rating_min, sample.rating_max)
    return f"{rating} (above 0 the other answer is better)" if rates_pair(sample) else rating


def rating_of_answer(sample: Sample) -> float | None:
    """The rating of the answer itself, as a share of its scale; None where the rating is of a pair."""
    return None if rates_pair(sample) else sample.rating_share


def rating_of_score(sample: Sample, metric: str) -> float | None:
    """The rating of what a metric scores, as a share of its scale; None where the rating is about something else.

    Of a pair it is how much better `response` was rated, as `pairwise` scores it, and None for any other metric. Of one
    answer it is None for `pairwise`: a scale without sides does not say which of two is better.

    Example:
        >>> texts = {"user_input": "Free?", "response": "Yes.", "other_response": "No."}
        >>> pair = Sample(id="1", **texts, rating=-1, rating_min=-2, rating_max=2)
        >>> rating_of_score(pair, "pairwise"), rating_of_score(pair, "token_overlap")
        (0.75, None)
        >>> single = Sample(id="2", **texts, rating=4, rating_min=1, rating_max=5)
        >>> rating_of_score(single, "pairwise"), rating_of_score(single, "token_overlap")
        (None, 0.75)
    """
    share = sample.rating_share
    if share is None or is_pairwise(metric) != rates_pair(sample):
        return None
    return 1 - share if is_pairwise(metric) else share


def is_of_first_answer(sample: Sample) -> bool:
    """Whether a sample with two answers has a rating that does not say which is better: it is taken as of the first."""
    return bool(sample.other_response) and sample.human_rating is not None and not rates_pair(sample)


def describe_ratings(pairs: int, firsts: int) -> list[str]:
    """Says that ratings of pairs meet no metric of one answer, and that others beside two answers are of the first.

    Example:
        >>> describe_ratings(1, 0)
        ['1 rating says which of two answers is better; only pairwise is compared with it, no metric of one answer']
    """
    notes = []
    if pairs:
        says, them = count_of(pairs, "rating says", "ratings say"), "it" if pairs == 1 else "them"
        notes.append(
            f"{says} which of two answers is better; only {PAIRWISE} is compared with {them}, no metric of one answer"
        )
    if firsts:
        have = count_of(firsts, "sample has", "samples have")
        notes.append(
            f"{have} two answers and a rating whose scale has no two sides: it is taken as a rating of the first; if "
            f"it says which is better, {PAIR_CURE}"
        )
    return notes


def check_ratings_fit(name: str, samples: Iterable[Sample], metric: str) -> None:
    """Checks that the ratings are about what a metric scores, before a judge is asked."""
    for sample in samples:
        if sample.human_rating is None:
            continue
        if is_pairwise(metric) and not rates_pair(sample):
            why = f"does not say which answer is better: its scale begins at {sample.rating_min:g}; {PAIR_CURE}"
            if sample.has_two_sides:
                why = "can say which answer is better, but it has no other_response; fill it, or remove the rating"
            raise UsageError(f"{name}: the rating of {sample.id} {why}")
        if not is_pairwise(metric) and rates_pair(sample):
            raise UsageError(
                f"{name}: the rating of {sample.id} says which of two answers is better (its scale begins at "
                f"{sample.rating_min:g}), and {metric} scores one answer; take --metric {PAIRWISE}, or ratings of one "
                "answer"
            )
