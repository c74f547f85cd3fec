"""A mean over the answers of some days, with an interval that holds at every look."""

import math

import numpy as np
from scipy.special import ndtr

from ..arrays import Bools, Floats
from ..estimate import TOO_FEW_GROUPS, Estimate, clopper_pearson
from ..groups import FEWEST_GROUPS, cr2_degrees
from ..sequence import ConfidenceSequence
from .outcome_terms import OutcomeTerms

LOOKS_ERROR = 0.05
"""In how many watches an interval misses its figure at some look (see docs/statistics.md for the length)."""

NO_RATINGS = "none of the answers that were picked at random is rated yet"

_SEQUENCE = ConfidenceSequence(0.15)  # of the scale: narrowest with some 20 to 200 ratings
_MOST_GAIN = 16.0


def estimate_window(terms: OutcomeTerms, is_in: Bools, *, error: float = LOOKS_ERROR) -> Estimate:
    """Estimates the mean outcome of some answers: what the raters would say of all of them.

    The mean is that of the predictions over all answers, plus the weighted mean of what the judge's scores add over
    those judged, plus that of what the ratings add over those rated (two-phase difference estimator, Cochran, 1977,
    chapter 12, with weights 1 / chance: Hájek, 1971). Its variance is that of these terms summed by group; a group's
    ratings count 1 / sqrt(1 - h) times, h being the group's share of the weight (Bell and McCaffrey, 2002). To the
    ratings one is added that lies half the scale from the mean, so that few or equal ratings are not taken for sure.

    The interval treats the mean's place p on the scale as a share of n = p (1 - p) / variance independent answers (Korn
    and Graubard, 1998), with the bounds of Clopper and Pearson (1934) at the error of the `ConfidenceSequence`. So it
    stays on the scale, is longer towards its far end, and never has width 0. n is at most (1 + k) times the effective
    number of rated groups G, k = G min(p, 1 - p), and at most 16 times: few ratings off the end of the scale say little
    about how many there are. Returns the estimate: `n` ratings in `groups` groups; without an interval where fewer than
    five groups are rated.

    Example:
        Ten answers, all rated, 1 to 5 twice, without scores: mean 3. Squares about it sum to 20, and with 1 / (1 - .1)
        and one more of 4 the variance of one is (20 / .9 + 4) / 11 = 2.384, of the mean 0.2384, or 0.0149 of the scale
        squared: n = 0.25 / 0.0149 = 16.8. The sequence needs z = 3.39, as a t of 9 degrees 5.06, so that n counts as
        7.5.

        >>> from .outcome_terms import TermStage
        >>> ratings = np.tile([1.0, 2, 3, 4, 5], 2)
        >>> terms = OutcomeTerms(np.zeros(10, int), np.zeros(1, int), np.arange(10),
        ...                      (TermStage(np.ones(10), ratings),), (1, 5))
        >>> result = estimate_window(terms, np.ones(10, bool), error=0.05)
        >>> round(result.value, 6), round(result.low, 2), round(result.high, 2)
        (3.0, 1.17, 4.83)
    """
    rated = is_in & terms.is_rated
    n = int(rated.sum())
    if not n:
        return Estimate(None, n=0, groups=0, problem=NO_RATINGS)
    groups = len(np.unique(terms.group[rated]))
    value, totals, shares = _linearise(terms, is_in)
    lowest, highest = terms.extent
    if not lowest <= value <= highest:  # the scores lead beyond the scale
        value = min(highest, max(lowest, value))
    if groups < FEWEST_GROUPS:
        return Estimate(value, n=n, groups=groups, problem=TOO_FEW_GROUPS)
    effective = 1 / float((shares**2).sum())
    variance = (float(totals @ totals) * effective**2 + terms.width**2 / 4) / (effective + 1) / effective
    place = (value - lowest) / terms.width
    low, high = _interval(place, variance / terms.width**2, max(1.0, cr2_degrees(shares)), effective, error)
    return Estimate(value, lowest + terms.width * low, lowest + terms.width * high, n=n, groups=groups)


def _linearise(terms: OutcomeTerms, is_in: Bools) -> tuple[float, Floats, Floats]:
    """(the mean; per group, what it adds to the error; per group, its share of the weight of the ratings)."""
    count = int(terms.group.max()) + 1
    value, totals, shares = 0.0, np.zeros(count), np.zeros(count)
    last = len(terms.stages) - 1
    for number, stage in enumerate(terms.stages):
        rows = is_in & (stage.weight > 0)
        if not rows.any():
            continue
        weights = stage.weight[rows] / stage.weight[rows].sum()
        mean = float(weights @ stage.term[rows])
        value += mean
        if number == 0 and last > 0:
            continue  # all answers are there: their mean has no error
        influence = weights * (stage.term[rows] - mean)
        of_groups = np.asarray(np.bincount(terms.group[rows], weights=influence, minlength=count), float)
        if number == last:
            shares = np.asarray(np.bincount(terms.group[rows], weights=weights, minlength=count), float)
            of_groups = of_groups / np.sqrt(np.maximum(1 - shares, 1e-12))
        totals += of_groups
    return value, totals, shares[shares > 0]


def _interval(place: float, variance: float, degrees: float, effective: float, error: float) -> tuple[float, float]:
    """The interval of a place on the scale, in [0, 1]."""
    standard_error = math.sqrt(variance)
    z = _SEQUENCE.half_width(standard_error, math.inf, error=error) / standard_error
    t = _SEQUENCE.half_width(standard_error, degrees, error=error) / standard_error
    end = 1 / (2 * effective)
    inside = min(1 - end, max(end, place))
    most = effective * min(_MOST_GAIN, 1 + effective * min(place, 1 - place))
    size = min(most, inside * (1 - inside) / variance) * (z / t) ** 2
    return clopper_pearson(place, size, 1 - 2 * float(ndtr(-z)))
