"""How many ratings show a difference in 8 of 10 cases, or that nothing above the margin differs."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv, ndtr, ndtri

from ..comparison import MOST_RATINGS
from ..groups import FEWEST_GROUPS
from ..sequence import ERROR, ConfidenceSequence, Look, spent_error
from .version_decision import Needs
from .version_difference import FEWEST_DIFFERING, PairDifference, precision

Power = Callable[[float, float], float]
"""The power, given the standard error and half the width of the interval."""
POWER = 0.8
_NEARLY = 0.75  # of all ratings at hand, before new answers are asked for: about 8 of 10 cases too
_SIZES = 200
_LIKELY = float(ndtri(0.9))  # the range of a number is that of the differences that are likely with 8 of 10
_USUAL_SPREAD, _SHOWN = 0.3, 0.1  # of differences of two ratings, and what ratings should show: shares of the scale


def ratings_needed(
    pair: PairDifference,
    margin: float,
    rule: Look | ConfidenceSequence,
    *,
    names: tuple[str, str],
    comparisons: int = 1,
) -> Needs:
    """How many more ratings of each version settle a difference of the size seen, with a power of 80%.

    With a precision n of N when all is rated, the variance is c ((1 - R^2) / n + R^2 / N), R^2 being what the
    scores explain. Of pairs n is their number; of two independent means n1 n2 / (n1 + n2). Questions of one group
    say less than as many of several: with m rated ones in a group, which correlate by r, the variance is 1 + (m -
    1) r times as large (Kish, 1965). Where the ratings of the answers at hand do not do, it takes all of these and
    new answers of new groups, all rated, and a decision of their own. Where the versions may be equal, because the
    range of the difference that is likely with 8 of 10 holds 0, it is the number with which two one-sided tests
    show that it is below the margin (Schuirmann, 1987) where it is 0. Where a look has no error left, and the answers
    at hand will have none either, it takes a new decision: new answers alone.
    """
    size, likely = abs(pair.value), _LIKELY * pair.error
    is_equal = size <= likely

    def power_at(one: float) -> Power:
        return lambda se, half: float(ndtr((one - half) / se))

    def power_of_sides(se: float, half: float) -> float:
        return float(2 * ndtr((margin - half) / se) - 1)

    powers = [power_of_sides] * 3 if is_equal else [power_at(one) for one in (size, size + likely, size - likely)]
    tests, sides = (1, 1) if is_equal else (comparisons, 2)  # all must lie within the margin (Berger, 1982)
    at_hand, of_new = _ways(pair, is_anew=isinstance(rule, Look) and not rule.error)
    more, low, high = (_smallest(pair, at_hand, rule, one, comparisons=tests, sides=sides) for one in powers)
    version = "" if at_hand.place is None else names[at_hand.place]
    if more is not None:
        return Needs(None, more, low, high, is_equal, version=version)
    unrated, least = at_hand.most, low  # a larger difference may need no new answer
    if of_new.is_alone:
        unrated, least = 0, None
    more, low, high = (_smallest(pair, of_new, rule, one, comparisons=tests, sides=sides) for one in powers)
    if more is None:
        return Needs(is_equal=is_equal, is_beyond=True)
    low, high = (None if number is None else unrated + number for number in (low, high))
    of_groups, version = pair.group_size_of_all > 1, version if unrated else ""
    return Needs(more, unrated or None, least or low, high, is_equal, version=version, of_new_groups=of_groups)


def needed_to_begin(pair: PairDifference, rated: Mapping[str, int]) -> Needs:
    """What to rate where too few groups are rated to tell anything, by the names of the two versions."""
    count = ratings_to_begin(min(pair.all_of_each))
    short = [name for name, known in rated.items() if known < count]
    missing = max(0, FEWEST_GROUPS - pair.groups_of_all)
    return Needs(missing or None, count if short else None, version=short[0] if len(short) == 1 else "")


def needed_where_all_is_alike(pair: PairDifference, margin: float, *, is_anew: bool = False) -> Needs:
    """How many answers, each alike, show that what no group shows is rare enough: of G groups 1 - .05^(1/G) may differ.

    `is_anew`: by a new decision, of new answers alone.

    Source: Clopper and Pearson (1934); `GroupCounts.bounds` has it too.
    """
    counts = pair.counts
    if counts is None or counts.usual or margin >= counts.width:
        return Needs()
    known = 0 if is_anew else counts.groups - counts.unknown
    groups = math.log(ERROR) / math.log1p(-margin / counts.width) - known
    more, unrated = math.ceil(groups * pair.questions / counts.groups), 0 if is_anew else pair.changed - pair.rated
    if more > MOST_RATINGS or more < 1:
        return Needs(is_equal=True, is_beyond=more > MOST_RATINGS)
    ratings = min(more, unrated)
    answers, of_groups = more - ratings or None, more > ratings and pair.group_size_of_all > 1
    return Needs(answers, ratings or None, more, more, is_equal=True, of_new_groups=of_groups)


@dataclass(frozen=True, slots=True)
class _Way:
    """What more of each version, or of one, comes to."""

    precision_of: Callable[[int], float]
    most: int  # how many more there can be
    is_of_new: bool = False  # whether they are of new answers, and not of those at hand
    place: int | None = None  # the one version that has answers left to rate; None for both
    is_alone: bool = False  # whether the new answers decide without those at hand


def _ways(pair: PairDifference, *, is_anew: bool) -> tuple[_Way, _Way]:
    """More ratings of each version, as far as it has answers left; and, once those are all rated, more answers.

    `is_anew`: new answers without those at hand.
    """
    left = [most - rated for most, rated in zip(pair.all_of_each, pair.of_each, strict=True)]
    place = None if min(left) else int(left[1] > left[0])
    if pair.is_paired:
        share, unrated = pair.changed / pair.questions, max(left)
        of_each = (pair.changed - pair.known) / max(unrated, 1)  # 1 where questions are rated in both versions
        at_hand = _Way(lambda more: pair.known + of_each * more, unrated, place=place)
        before, most = (0, MOST_RATINGS) if is_anew else (pair.changed, MOST_RATINGS - unrated)
        return at_hand, _Way(lambda more: before + more * share, most, is_of_new=True, is_alone=is_anew)
    all_first, all_second = (0, 0) if is_anew else pair.all_of_each

    def with_rated(more: int) -> float:
        first, second = (min(rated + more, most) for rated, most in zip(pair.of_each, pair.all_of_each, strict=True))
        return precision((first, second))

    return (
        _Way(with_rated, max(left), place=place),
        _Way(
            lambda more: precision((all_first + more, all_second + more)),
            MOST_RATINGS - (0 if is_anew else max(left)),
            is_of_new=True,
            is_alone=is_anew,
        ),
    )


def ratings_to_begin(questions: int) -> int:
    """How many answers of each version to rate where none is: as many as show a tenth of the scale, or all.

    Example:
        (2.8 x 0.3 / 0.1)^2 = 70.6, where differences of ratings have a standard deviation of .3 of the scale:

        >>> ratings_to_begin(200), ratings_to_begin(40)
        (71, 40)
    """
    return min(questions, math.ceil(((float(ndtri(0.975)) + float(ndtri(POWER))) * _USUAL_SPREAD / _SHOWN) ** 2))


def _smallest(
    pair: PairDifference, way: _Way, rule: Look | ConfidenceSequence, power: Power, *, comparisons: int, sides: int
) -> int | None:
    """The smallest number with this power; None beyond what there can be."""
    most = min(way.most, MOST_RATINGS)
    if most < 1:
        return None
    known, at_hand = pair.known, pair.at_hand
    variance = _likely_variance(pair) if sides == 2 else pair.error**2
    plain = variance * max(pair.gain, 1.0) * known / _design(pair, pair.group_size)
    explained = (1 - 1 / max(pair.gain, 1.0)) / (1 - known / at_hand) if known < at_hand else 0.0
    for more in np.unique(np.geomspace(1, most, _SIZES).round().astype(int)).tolist():
        number, size, later = way.precision_of(more), pair.group_size_of_all, Look() if isinstance(rule, Look) else rule
        part = 1 / number
        if sides == 2 and pair.is_paired and 0 < pair.differing * number / known < FEWEST_DIFFERING:
            continue
        if not way.is_of_new:
            part = (1 - explained) / number + explained / at_hand
            size -= (size - pair.group_size) * (at_hand - number) / (at_hand - known)
            if isinstance(rule, Look):
                error = spent_error(1 / at_hand / part) - spent_error(rule.share)
                if error <= 0 and not rule.error:
                    continue  # the earlier looks have spent it
                later = Look(error=error) if error > 0 else rule
        se = math.sqrt(plain * _design(pair, size) * part)
        degrees = (pair.degrees + 1) * (number / size) / (known / pair.group_size) - 1
        reached = power(se, later.half_width(se, degrees, comparisons=comparisons, sides=sides))
        if reached >= (_NEARLY if more == most and not way.is_of_new else POWER):
            return int(more)
    return None


def _likely_variance(pair: PairDifference) -> float:
    """The variance of the difference; where few groups differ from the usual, what it is at most in 4 of 5 cases.

    A number of ratings is told where the difference stands out from the error seen, which is where few ratings show too
    little of how they vary: of 15 to 25 ratings, 80% of them fives, half of the number that it takes.
    """
    degrees = pair.degrees if pair.counts is None else 2.0 * (pair.counts.less + pair.counts.more) - 1
    if not 0 < degrees < pair.degrees:  # where no pair differs from the usual, ratings of one of the two alone vary
        return pair.error**2
    return pair.error**2 * degrees / (2 * float(gammaincinv(degrees / 2, 1 - POWER)))


def _design(pair: PairDifference, size: float) -> float:
    """The design effect where the groups have so many rated questions, by the correlation within a group of today."""
    within = (pair.design - 1) / (pair.group_size - 1) if pair.group_size > 1 else 0.0
    return 1 + (size - 1) * min(max(within, 0.0), 1.0)
