"""Intervals and p-values that hold at every look, so that one may look every night and stop when it is settled."""

import math
from dataclasses import dataclass

_LARGEST_POWER = 700.0  # of e, that a number of the computer holds


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

    def half_width(self, standard_error: float, degrees: float, *, error: float) -> float:
        """Half the width of the sequence at one look."""
        ratio = (self.spread / standard_error) ** 2
        z = math.sqrt((1 + 1 / ratio) * (math.log1p(ratio) - 2 * math.log(error)))
        return t_of_normal(z, degrees) * standard_error

    def p_value(self, difference: float, standard_error: float, degrees: float) -> float:
        """The two-sided p-value that holds at every look, in (0, 1]; arguments as in `half_width`."""
        z = normal_of_t(abs(difference) / standard_error, degrees)
        ratio = (self.spread / standard_error) ** 2
        return min(1.0, math.exp(0.5 * math.log1p(ratio) - z * z / 2 * ratio / (1 + ratio)))


def normal_of_t(t: float, degrees: float) -> float:
    """Returns the z that is as improbable as a t of so many degrees of freedom (Wallace, 1959)."""
    if math.isinf(degrees):
        return t
    return (8 * degrees + 1) / (8 * degrees + 3) * math.sqrt(degrees * math.log1p(t * t / degrees))


def t_of_normal(z: float, degrees: float) -> float:
    """Returns the t of so many degrees of freedom that is as improbable as a z: `normal_of_t` inverted."""
    if math.isinf(degrees):
        return z
    power = (z * (8 * degrees + 3) / (8 * degrees + 1)) ** 2 / degrees
    return math.sqrt(degrees * math.expm1(power)) if power < _LARGEST_POWER else math.inf
