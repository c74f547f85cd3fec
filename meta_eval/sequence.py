"""Looks at data that grow: a share of the error per look where there is an end, and a confidence sequence elsewhere."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import stdtr, stdtrit

from .arrays import Floats

ERROR = 0.05
MANY_DEGREES = 1e9
_LARGEST_POWER = 700.0  # of e, that a number of the computer holds
Interval = tuple[float, float, float, float, float]
"""The ends of an interval, those of the narrower one of two one-sided tests, and the p-value."""


def spent_error(share: float) -> float:
    """The error that looks may have spent once a share of all information is there (Pocock's form; Lan and DeMets)."""
    return ERROR * math.log1p((math.e - 1) * min(max(share, 0.0), 1.0))


@dataclass(frozen=True, slots=True)
class Look:
    """One look at data that have an end: each look has the error that was not spent before, and no look more.

    The error of all looks together is at most `ERROR` (Lan and DeMets, 1983, with a union bound over the looks).

    Example:
        Everything is rated at the first look; or 30 of 100 at the first, and all at the second.

        >>> first = next_look([], 0.3, 30)
        >>> round(Look().error, 3), round(first.error, 4), round(next_look([first], 1.0, 100).error, 4)
        (0.05, 0.0208, 0.0292)
    """

    number: int = 1  # which look it is, from 1
    share: float = 1.0  # the share of all information that there is, 1 where everything is rated
    rated: float = 0  # how many rated pairs the ratings say as much as
    error: float = ERROR  # the error of this look
    intervals: Mapping[tuple[str, str], Interval] = field(default_factory=dict)  # what it says of pairs of versions
    values: Mapping[tuple[str, str], float] = field(default_factory=dict)  # the estimates that belong to them
    quantity: str = ""  # what these are of: choices, or ratings and their scale; "" where it is not known
    # what helped the ratings at earlier looks, and last at this one, "" for nothing: the error holds for one of them
    measures: tuple[str, ...] = ()
    said: str = ""  # a digest of the ratings; "" where it is not known

    def half_width(self, standard_error: float, degrees: float, *, comparisons: int = 1, sides: int = 2) -> float:
        """Half the width of an interval of one of several comparisons, which hold together (Sidak, 1967)."""
        error = (1 - (1 - self.error) ** (1 / comparisons)) * 2 / sides
        return -float(stdtrit(min(degrees, MANY_DEGREES), error / 2)) * standard_error

    def p_value(self, difference: float, standard_error: float, degrees: float, *, comparisons: int = 1) -> float:
        """The p-value, at most `ERROR` where the interval leaves out 0."""
        return self.adjust(2 * float(stdtr(min(degrees, MANY_DEGREES), -abs(difference) / standard_error)), comparisons)

    def adjust(self, p: float, comparisons: int) -> float:
        """A p-value for a single test as one for all comparisons and looks."""
        return min(1.0, -math.expm1(comparisons * math.log1p(-min(p, 1 - 1e-15))) * ERROR / self.error)


def next_look(past: Sequence[Look], share: float, rated: float, total: float = 0, said: str = "") -> Look:
    """The look at this share of the information: an earlier one again where the ratings are the same.

    Each rating that came adds at least its part of the information that was missing, however the share is estimated.
    Other ratings, and no more of them, have no error left.
    """
    if not past:
        return Look(1, share, rated, spent_error(share), said=said)
    last = past[-1]
    if rated > last.rated:
        missing = max(total - last.rated, rated - last.rated)
        share = max(share, last.share + (1 - last.share) * (rated - last.rated) / missing)
        error = spent_error(share) - spent_error(last.share)
        if error > 0:
            return Look(last.number + 1, share, rated, error, said=said)
    same = [look for look in past if look.said in {"", said}]
    return same[-1] if same else Look(last.number + 1, last.share, last.rated, 0.0, said=said)


@dataclass(frozen=True, slots=True)
class ConfidenceSequence:
    """The confidence sequence of a difference that is estimated again and again from growing data.

    Half its width is s c, c^2 = (1 + 1/r) (log(1 + r) + 2 log(1 / error)), r = spread^2 / s^2: the normal mixture of
    Robbins (1970) for estimates that are asymptotically normal (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, 2024,
    "Time-uniform central limit theory and asymptotic confidence sequences", arXiv 2103.06476). With probability 1 -
    error the difference lies within it at all looks together. Its p-value is 1 / e with the e-value
    e = (1 + r)^(-1/2) exp(z^2 r / (2 (1 + r))) (Johari, Koomen, Pekelis and Walsh, 2022).

    The standard error s is estimated from groups, of which there may be few: a t of d degrees of freedom counts as the
    z that is as improbable, (8 d + 1) / (8 d + 3) sqrt(d log(1 + t^2 / d)) (Wallace, 1959).

    Example:
        With a standard error of the spread, r = 1: c^2 = 2 (0.693 + 5.991) = 13.37, so that c = 3.656.

        >>> sequence = ConfidenceSequence(0.2)
        >>> round(sequence.half_width(0.2, math.inf, error=0.05) / 0.2, 3)
        3.656
        >>> round(sequence.p_value(0.2 * 3.656, 0.2, math.inf), 3)
        0.05
    """

    # the standard deviation of the differences that the mixture expects: where they are of about this size the sequence
    # is narrowest; it holds wherever they are. To be fixed before looking.
    spread: float

    def half_width(
        self, standard_error: float, degrees: float, *, error: float = ERROR, comparisons: int = 1, sides: int = 2
    ) -> float:
        """Half the width of the sequence at one look, of one of several comparisons that hold together."""
        ratio = (self.spread / standard_error) ** 2
        z = math.sqrt((1 + 1 / ratio) * (math.log1p(ratio) - 2 * math.log(error / comparisons * 2 / sides)))
        return t_of_normal(z, degrees) * standard_error

    def p_value(self, difference: float, standard_error: float, degrees: float, *, comparisons: int = 1) -> float:
        """The two-sided p-value that holds at every look, in (0, 1]; arguments as in `half_width`."""
        z = float(normal_of_t(abs(difference) / standard_error, degrees))
        ratio = (self.spread / standard_error) ** 2
        return self.adjust(math.exp(0.5 * math.log1p(ratio) - z * z / 2 * ratio / (1 + ratio)), comparisons)

    def adjust(self, p: float, comparisons: int) -> float:
        """A p-value for one comparison as one for several (Bonferroni)."""
        return min(1.0, comparisons * p)


def normal_of_t(t: float | Floats, degrees: float | Floats) -> Floats:
    """Returns the z that is as improbable as a t, 0 or more, of so many degrees of freedom (Wallace, 1959)."""
    freedom = np.clip(degrees, 1 / MANY_DEGREES, MANY_DEGREES)  # a z of about 0 where there is none
    return np.asarray((8 * freedom + 1) / (8 * freedom + 3) * np.sqrt(freedom * np.log1p(np.square(t) / freedom)))


def t_of_normal(z: float, degrees: float) -> float:
    """Returns the t of so many degrees of freedom that is as improbable as a z: `normal_of_t` inverted."""
    if math.isinf(degrees):
        return z
    power = (z * (8 * degrees + 3) / (8 * degrees + 1)) ** 2 / degrees
    return math.sqrt(degrees * math.expm1(power)) if power < _LARGEST_POWER else math.inf
