"""How much more it takes until a decision between two versions is settled."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from ..arrays import Floats
from .confidence_sequence import ConfidenceSequence
from .version_prior import weigh_spreads

POWER = 0.8
_MOST_TIMES = 1000.0
_SIZES = 80


@dataclass(frozen=True, slots=True)
class EstimatedDifference:
    """What the estimate of one difference rests on."""

    difference: float
    standard_error: float  # its standard error
    # the standard error that the ratings have without the scores; that of the scores where none counts
    plain_error: float
    degrees: float  # degrees of freedom of the standard error
    most_degrees: float  # those that there would be, were all questions at hand rated: more ratings bring no new groups
    rated: int  # how many of the questions that tell the versions apart are rated
    questions: int
    corrected_by_ratings: bool


@dataclass(frozen=True, slots=True)
class SettlingRule:
    """When a difference counts as settled."""

    sequence: ConfidenceSequence
    error: float  # its share of errors, of a difference from 0
    margin: float  # the largest difference that does not matter; 0 where nothing says that versions are equally good
    margin_error: float  # the share of errors of the two tests that it lies within the margin
    width: float


def more_ratings_needed(evidence: EstimatedDifference, rule: SettlingRule) -> int | None:
    """About how many more of the questions at hand are to be rated, for each version, until it is settled.

    With n of N questions rated, the variance is s^2 (1 - R^2) / n + s^2 R^2 / N: s^2 / n is that of the ratings alone,
    and R^2, the share that the scores explain, follows from the variance with the scores.

    Returns:
        The number; None where all of them would not do in 8 of 10 cases, or where no rating counts yet.
    """
    if not evidence.corrected_by_ratings or not evidence.rated or evidence.plain_error <= 0:
        return None
    n, total = evidence.rated, evidence.questions
    plain = evidence.plain_error**2 * n
    saved = evidence.plain_error**2 - evidence.standard_error**2
    explained = saved / (plain * (1 / n - 1 / total)) if total > n else 0.0
    explained = min(max(explained, 0.0), 1.0)
    for size in np.unique(np.geomspace(n + 1, total, _SIZES).round().astype(int)) if total > n else ():
        variance = plain * ((1 - explained) / size + explained / total)
        degrees = max(evidence.degrees, min(_later_degrees(evidence, size / n), evidence.most_degrees))
        if settling_power(evidence, rule, math.sqrt(variance), degrees) >= POWER:
            return int(size) - n
    return None


def more_answers_needed(evidence: EstimatedDifference, rule: SettlingRule) -> int | None:
    """About how many more answers per version, scored and rated as those at hand, until it is settled; None: over 1,000
    times as many."""
    for times in np.geomspace(1.02, _MOST_TIMES, 2 * _SIZES):
        later = evidence.standard_error / math.sqrt(times)
        if settling_power(evidence, rule, later, _later_degrees(evidence, float(times))) >= POWER:
            return math.ceil(evidence.questions * (float(times) - 1))
    return None


def settling_power(evidence: EstimatedDifference, rule: SettlingRule, later_error: float, degrees: float) -> float:
    """How likely a difference is settled once its standard error is smaller, in [0, 1].

    The predictive power (Spiegelhalter, Freedman and Blackburn, 1986) under the prior of `version_prior`.
    """
    now, later = evidence.standard_error**2, later_error**2
    if later >= now:
        return 0.0
    spreads, shares = _weigh_spreads(evidence, rule.width)
    believed = 2 * spreads**2 / (2 * spreads**2 + now)  # two versions vary, each by the spread
    new = 1 / (1 / later - 1 / now)  # the variance of what is still to come
    mean = later * (evidence.difference / now + believed * evidence.difference / new)
    deviation = later / new * np.sqrt(believed * now + new)
    apart = rule.sequence.half_width(later_error, degrees, error=rule.error)
    near = min(rule.margin - rule.sequence.half_width(later_error, degrees, error=rule.margin_error), apart)
    settled = ndtr((mean - apart) / deviation) + ndtr((-apart - mean) / deviation)
    if near > 0:
        settled += ndtr((near - mean) / deviation) - ndtr((-near - mean) / deviation)
    return float(shares @ settled)


def _later_degrees(evidence: EstimatedDifference, times: float) -> float:
    return (evidence.degrees + 1) * times - 1


@lru_cache(maxsize=8)
def _weigh_spreads(evidence: EstimatedDifference, width: float) -> tuple[Floats, Floats]:
    error = np.array([[evidence.standard_error**2]])
    return weigh_spreads(np.array([evidence.difference]), error, evidence.degrees, width=width)
