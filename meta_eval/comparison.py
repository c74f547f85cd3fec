"""Is one metric, judge or prompt better than another on the same answers, as good, or is nothing settled yet?"""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import ndtr, stdtrit

from ..presentation.figure import round_ratings
from ..text.wording import count_of
from .arrays import Floats
from .correlation import FEWEST_ITEMS, estimate_rho_difference
from .estimate import Estimate
from .groups import LEVEL, t_quantile
from .ranks import mean_spearman
from .table import ScoreTable

RHO_MARGIN = 0.1
"""The largest difference of two rank correlations that still counts as equal, unless the caller says otherwise."""
RATING_MARGIN = 0.1
"""The largest difference of mean ratings, in points of the rating scale, that does not matter."""

StandingKind = Literal["better", "worse", "equivalent", "unsettled"]
MOST_RATINGS = 10_000
"""More than that nobody rates."""
ERROR = 0.05  # of calling two measures equivalent that differ by more than the margin
POWER = 0.8
PRIOR_SPREAD = 0.2
"""Before any rating, the difference of two correlations lies within twice this, in 95 of 100 pairs."""
_MOST_TIMES = 1000.0
_SIZES = 200


@dataclass(frozen=True, slots=True)
class Standing:
    """What a difference shows."""

    # `better` or `worse` where the interval of the difference leaves out 0; `equivalent` where two one-sided tests say
    # that it lies within the margin; else `unsettled`
    kind: StandingKind
    margin: float = RHO_MARGIN
    # how much worse the first could be: the interval's lower end, negated, at least 0; None without one
    most_worse: float | None = None
    # about how many more ratings settle it; None where it is settled, or nobody can tell
    more_ratings: int | None = None

    def describe(self, first: str, second: str) -> str:
        """Says in a clause what is known of the first measure beside the second.

        Example:
            >>> Standing("unsettled", 0.1, 0.104, 180).describe("it", "ridge")
            'it could be up to 0.10 worse than ridge; your ratings cannot tell (about 180 more would)'
        """
        if self.kind == "equivalent":
            return f"{first} does as well as {second}, within {self.margin:.2f}"
        if self.kind != "unsettled":
            return f"{first} agrees {self.kind} than {second}"
        worse = f"up to {max(self.most_worse, 0.01):.2f} worse" if self.most_worse else "worse"
        advice = f" ({describe_more_ratings(self.more_ratings)} would)" if self.more_ratings else ""
        return f"{first} could be {worse} than {second}; your ratings cannot tell{advice}"


def reverse(difference: Estimate) -> Estimate:
    """The difference seen from the second measure: with the other sign.

    Example:
        >>> reverse(Estimate(0.1, -0.05, 0.25)).low
        -0.25
    """
    value, low, high = (None if end is None else -end for end in (difference.value, difference.high, difference.low))
    return replace(difference, value=value, low=low, high=high)


def describe_more_ratings(more: int) -> str:
    """A number of ratings to come, as roughly as it is known."""
    if more > MOST_RATINGS:
        return "more than 10,000 more"
    return f"about {round_ratings(more):,} more"


def find_standing(
    difference: Estimate, *, margin: float = RHO_MARGIN, level: float = LEVEL, tries: int = 1, chosen_of: int = 1
) -> Standing:
    """Says what the difference of two measures' agreement shows: the one place that all sentences ask.

    `better` and `worse` follow from the interval of the difference. `equivalent` follows from two one-sided tests at 5%
    (Schuirmann, 1987): the 90% interval lies within the margin. Where the second measure was the best of several
    (`tries`), the levels of `worse` and `equivalent` are divided by their number (Bonferroni), and where the first was
    (`chosen_of`), that of `better` is: the largest of several looks better than it is.

    Where neither holds, the number of ratings that would settle it follows from the predictive power (Spiegelhalter,
    Freedman and Blackburn, 1986): the difference d with the standard error s (from the interval's width, so that groups
    are counted) has the posterior N(w d, w s^2) with w = 0.2^2 / (0.2^2 + s^2), and m ratings more make it N((d + k w
    d) / (1 + k), (k / (1 + k))^2 (w s^2 + s^2 / k)) with the standard error s / sqrt(1 + k), k = m / n. The smallest k
    that leaves it unsettled in at most 20% is taken. Returns the standing; `unsettled` where there is no interval.
    """
    value, low, high, half = difference.value, difference.low, difference.high, difference.half_width
    if value is None or low is None or high is None or half is None or difference.groups is None:
        return Standing("unsettled", margin)
    n, groups = difference.n or 0, difference.groups
    most_worse, tail = max(0.0, -low), (1 + level) / 2
    error = half / t_quantile(tail, groups - 1)
    better_tail = 1 - (1 - tail) / chosen_of
    if low > 0 and value >= t_quantile(better_tail, groups - 1) * error:
        return Standing("better", margin, most_worse)
    if high < 0 and -value >= t_quantile(1 - (1 - tail) / tries, groups - 1) * error:
        return Standing("worse", margin, most_worse)
    if abs(value) + t_quantile(1 - ERROR / tries, groups - 1) * error < margin:
        return Standing("equivalent", margin, most_worse)
    times = np.geomspace(0.02, _MOST_TIMES, _SIZES)
    settled = _predictive_power(value, error, groups, times, margin=margin, tails=(tail, better_tail), tries=tries)
    enough = np.flatnonzero(settled >= POWER)
    factor = float(times[enough[0]]) if len(enough) else _MOST_TIMES
    return Standing("unsettled", margin, most_worse, math.ceil(n * factor))


def _predictive_power(
    value: float, error: float, groups: int, times: Floats, *, margin: float, tails: tuple[float, float], tries: int
) -> Floats:
    """How likely the difference is settled with `times` as many ratings more, (sizes,)."""
    weight = PRIOR_SPREAD**2 / (PRIOR_SPREAD**2 + error**2)
    later = error / np.sqrt(1 + times)
    mean = (value + times * weight * value) / (1 + times)
    spread = times / (1 + times) * np.sqrt(weight * error**2 + error**2 / times)
    degrees = groups * (1 + times) - 1
    apart, ahead = (stdtrit(degrees, tail) * later for tail in tails)
    near = np.minimum(margin - stdtrit(degrees, 1 - ERROR / tries) * later, apart)
    differs = ndtr((mean - ahead) / spread) + ndtr((-apart - mean) / spread)
    equals = ndtr((near - mean) / spread) - ndtr((-near - mean) / spread)
    power: Floats = differs + np.where(near > 0, equals, 0.0)
    return power


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sets of scores of the same items against the same ratings: rho(first) - rho(second)."""

    first: str  # the name of the first set
    second: str  # the name of the second set
    n: int
    rho_first: float | None  # Spearman of the first set with the ratings
    rho_second: float | None  # Spearman of the second
    difference: Estimate  # rho_first - rho_second, with interval and p-value
    margin: float
    standing: Standing  # what the difference shows: better, worse, equivalent, or how many more ratings would tell
    problem: str = ""


def compare_metrics(
    table: ScoreTable, first: str, second: str, *, level: float = LEVEL, margin: float = RHO_MARGIN
) -> Comparison:
    """Compares two metrics of a table on the rated items that both scored; parameters and result as in `compare`."""
    rated = table.rated()
    measures = ((name, rated.column(name)[:, None]) for name in (first, second))
    return compare(rated, *measures, level=level, margin=margin)


def compare(
    rated: ScoreTable,
    first: tuple[str, Floats],
    second: tuple[str, Floats],
    *,
    level: float = LEVEL,
    margin: float = RHO_MARGIN,
    tries: int = 1,
    chosen_of: int = 1,
) -> Comparison:
    """Compares two sets of scores of a table's rated items on the items that both have.

    The difference is that of the mean Spearman over repeats; `find_standing` says what it shows. Returns the
    comparison; without figures where fewer than five items have both, or scores or ratings do not vary.
    """
    has_both = ~np.isnan(first[1]).any(axis=1) & ~np.isnan(second[1]).any(axis=1)
    table = rated.take(np.flatnonzero(has_both))
    x, z, y = first[1][has_both], second[1][has_both], table.mean_rating
    n = len(y)
    if n < FEWEST_ITEMS or np.ptp(y) == 0 or (np.ptp(x, axis=0) == 0).any() or (np.ptp(z, axis=0) == 0).any():
        few = f"only {count_of(n, 'answer has', 'answers have')} both"
        missing = Estimate(None, problem=few if n < FEWEST_ITEMS else "scores or ratings do not vary")
        unsettled = Standing("unsettled", margin)
        return Comparison(first[0], second[0], n, None, None, missing, margin, unsettled, missing.problem)
    rho_first, rho_second = (float(mean_spearman(values, y)(np.ones((n, 1)))[0]) for values in (x, z))
    difference = estimate_rho_difference(x, z, y, table.groups, level=level, null=0.0)
    standing = find_standing(difference, margin=margin, level=level, tries=tries, chosen_of=chosen_of)
    return Comparison(first[0], second[0], n, rho_first, rho_second, difference, margin, standing)
