"""How far raters prefer one of two runs: the difference of mean ratings, from the ratings that there are and scores."""

import math
from dataclasses import dataclass

import numpy as np

from .arrays import Floats, Places
from .estimate import Estimate
from .prediction_powered import FEWEST_RATED, prediction_powered_mean

_USUAL_SPREAD = 0.3  # standard deviation of differences between ratings of two answers, as a share of the scale
_SHOWN_DIFFERENCE = 0.1  # what ratings should be able to show, as a share of the scale
_Z_OF_TEST = 1.959964 + 0.841621  # normal quantiles of 97.5% and of 80%


@dataclass(frozen=True, slots=True)
class RatingDifference:
    """How much higher raters rate the answers of B than those of A, where the answers differ."""

    # mean rating of B less that of A, on the rating scale, with its 95% interval; no value where fewer than ten samples
    # are rated in both
    difference: Estimate
    rated_a: int
    rated_b: int
    rated_pairs: int
    pairs: int
    rating_min: float
    rating_max: float
    # how many answers of both runs to rate, all told, so that a difference of a tenth of the scale is seen in 8 of 10
    # cases
    ratings_needed: int

    @property
    def is_higher_in_b(self) -> bool | None:
        """Whether the interval says that raters like B better (True) or A (False); None where it cannot tell."""
        low, high = self.difference.low, self.difference.high
        if low is None or high is None or low <= 0 <= high:
            return None
        return low > 0


def estimate_rating_difference(
    ratings: tuple[Floats, Floats], scores: tuple[Floats, Floats], groups: Places, *, scale: tuple[float, float]
) -> RatingDifference:
    """Estimates how much higher people rate B than A, from the ratings that there are and the scores of all answers.

    With ten samples or more that are rated in both runs: prediction-powered inference on the differences of the pairs,
    Y = rating in B - rating in A, f = score in B - score in A (Angelopoulos, Duchi and Zrnic, 2023). A style that the
    scores like and raters do not is in f of the rated and of the unrated pairs alike, so that it cancels. What is rated
    must be a random part of the answers.

    Returns:
        The difference; without a value where too few answers are rated.

    Examples:
        Twelve pairs, all rated, B one higher in half of them:

        >>> a = np.full(12, 3.0)
        >>> b = a + np.arange(12) % 2
        >>> result = estimate_rating_difference((a, b), (a, b), np.arange(12), scale=(1, 5))
        >>> result.difference.value, result.is_higher_in_b
        (0.5, True)
    """
    width = scale[1] - scale[0]
    is_rated = ~np.isnan(ratings[0]), ~np.isnan(ratings[1])
    has_both = is_rated[0] & is_rated[1]
    differences = ratings[1] - ratings[0]
    difference = Estimate(None, n=int(has_both.sum()), problem="too few answers are rated in both runs")
    spread, rated_pairs = _USUAL_SPREAD, int(has_both.sum())
    if rated_pairs >= FEWEST_RATED:
        change = np.where(np.isnan(scores[0] + scores[1]), 0.0, scores[1] - scores[0])
        difference = prediction_powered_mean(differences, change, groups, scale=(-width, width)).mean
        spread = float(differences[has_both].std(ddof=1)) / width
    needed = (_Z_OF_TEST * spread / _SHOWN_DIFFERENCE) ** 2
    if difference.low is not None and difference.high is not None:
        # as many as bring the standard error down to what the test needs, with groups as they are
        error = (difference.high - difference.low) / 2 / 1.959964 / width
        needed = rated_pairs * (_Z_OF_TEST * error / _SHOWN_DIFFERENCE) ** 2
    return RatingDifference(
        difference,
        rated_a=int(is_rated[0].sum()),
        rated_b=int(is_rated[1].sum()),
        rated_pairs=rated_pairs,
        pairs=len(groups),
        rating_min=scale[0],
        rating_max=scale[1],
        ratings_needed=min(len(groups), max(FEWEST_RATED, math.ceil(needed))),
    )
