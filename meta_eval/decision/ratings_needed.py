"""How many ratings show a difference in 8 of 10 cases, or that nothing above the margin differs."""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, ndtri

from ..comparison import MOST_RATINGS
from ..groups import FEWEST_GROUPS
from ..sequence import ConfidenceSequence, Look, spent_error
from .version_decision import Needs
from .version_difference import PairDifference

POWER = 0.8
_SIZES = 200
_LIKELY = float(ndtri(0.9))  # the range of a number is that of the differences that are likely with 8 of 10
_USUAL_SPREAD, _SHOWN = 0.3, 0.1  # of differences of two ratings, and what ratings should show: shares of the scale


def ratings_needed(
    pair: PairDifference, margin: float, rule: Look | ConfidenceSequence, *, comparisons: int = 1
) -> Needs:
    """How many more ratings of each version settle a difference of the size seen, with a power of 80%.

    With n of N questions rated the variance is c ((1 - R^2) / n + R^2 / N), R^2 being what the scores explain. Beyond N
    it takes new answers, all rated, and a decision of their own. Where the versions may be equal, because the range of
    the difference that is likely with 8 of 10 holds 0, it is the number with which two one-sided tests show that it is
    below the margin (Schuirmann, 1987) where it is 0.
    """
    size, likely = abs(pair.value), _LIKELY * pair.error
    if pair.groups < FEWEST_GROUPS or not pair.rated or not pair.error:
        return Needs()
    if size > likely:

        def power_at(one: float) -> Callable[[float, float], float]:
            return lambda se, half: float(ndtr((one - half) / se))

        total, fewest, most = (
            _smallest(pair, rule, comparisons, power_at(one)) for one in (size, size + likely, size - likely)
        )
        return _as_needs(pair, total, fewest, most)

    def power_of_sides(se: float, half: float) -> float:
        return float(2 * ndtr((margin - half) / se) - 1)

    sides = _smallest(pair, rule, 1, power_of_sides, sides=1)
    return _as_needs(pair, sides, sides, sides, is_equal=True)


def ratings_to_begin(questions: int) -> int:
    """How many answers of each version to rate where none is: as many as show a tenth of the scale, or all.

    Example:
        (2.8 x 0.3 / 0.1)^2 = 70.6, where differences of ratings have a standard deviation of .3 of the scale:

        >>> ratings_to_begin(200), ratings_to_begin(40)
        (71, 40)
    """
    return min(questions, math.ceil(((float(ndtri(0.975)) + float(ndtri(POWER))) * _USUAL_SPREAD / _SHOWN) ** 2))


def _smallest(
    pair: PairDifference,
    rule: Look | ConfidenceSequence,
    comparisons: int,
    power: Callable[[float, float], float],
    *,
    sides: int = 2,
) -> int | None:
    """The smallest number of ratings of each version with this power; None beyond `MOST_RATINGS` more."""
    n, all_questions = pair.rated, pair.changed
    plain = pair.error**2 * max(pair.gain, 1.0) * n
    explained = (1 - 1 / max(pair.gain, 1.0)) / (1 - n / all_questions) if n < all_questions else 0.0
    for number in np.unique(np.geomspace(n + 1, n + MOST_RATINGS, _SIZES).round().astype(int)).tolist():
        later = rule
        variance = plain / number
        if number <= all_questions:
            variance = plain * ((1 - explained) / number + explained / all_questions)
            if isinstance(rule, Look):
                error = spent_error(plain / all_questions / variance) - spent_error(rule.share)
                later = Look(error=error) if error > 0 else rule
        elif isinstance(rule, Look):
            later = Look()
        se, degrees = math.sqrt(variance), (pair.degrees + 1) * number / n - 1
        if power(se, later.half_width(se, degrees, comparisons=comparisons, sides=sides)) >= POWER:
            return int(number)
    return None


def _as_needs(
    pair: PairDifference, total: int | None, fewest: int | None, most: int | None, *, is_equal: bool = False
) -> Needs:
    """Needs of ratings of the answers at hand, or of more answers where these do not do."""
    if total is None:
        return Needs(is_equal=is_equal, is_beyond=True)
    at_hand = total <= pair.changed
    start, share = (pair.rated, 1.0) if at_hand else (pair.changed, pair.changed / pair.questions)
    more, low, high = (None if n is None else max(1, math.ceil((n - start) / share)) for n in (total, fewest, most))
    ratings, answers = (more, None) if at_hand else (None, more)
    return Needs(answers, ratings, low, high, is_equal)
