"""Intervals and p-values that hold at every look, so that one may look every night and stop when it is settled."""

import math
from dataclasses import dataclass

from scipy import stats

_SMALLEST_P = 1e-300


@dataclass(frozen=True, slots=True)
class ConfidenceSequence:
    """The confidence sequence of a difference that is estimated again and again from growing data.

    Half its width is s c, c^2 = (1 + 1/r) (log(1 + r) + 2 log(1 / error)), r = spread^2 / s^2: the normal mixture of
    Robbins (1970) for estimates that are asymptotically normal (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, 2024,
    "Time-uniform central limit theory and asymptotic confidence sequences", arXiv 2103.06476). With probability 1 -
    error the difference lies within it at all looks together. Its p-value is 1 / e with the e-value
    e = (1 + r)^(-1/2) exp(z^2 r / (2 (1 + r))) (Johari, Koomen, Pekelis and Walsh, 2022).

    The standard error s is estimated from groups: z is the normal quantile that is as improbable as the t of the
    estimate, which counts few groups.

    Attributes:
        spread: The standard deviation of the differences that the mixture expects: where they are of about this size
            the sequence is narrowest; it holds wherever they are. To be fixed before looking.

    Example:
        With a standard error of the spread, r = 1: c^2 = 2 (0.693 + 5.991) = 13.37, so that c = 3.656.

        >>> sequence = ConfidenceSequence(0.2)
        >>> round(sequence.half_width(0.2, math.inf, error=0.05) / 0.2, 3)
        3.656
        >>> round(sequence.p_value(0.2 * 3.656, 0.2, math.inf), 3)
        0.05
    """

    spread: float

    def half_width(self, standard_error: float, degrees: float, *, error: float) -> float:
        """Half the width of the sequence at one look.

        Args:
            standard_error: Of the estimate, above 0.
            degrees: Degrees of freedom of the standard error, above 0; infinite where it is known.
            error: The share of sequences that miss the difference at some look, in (0, 1).
        """
        ratio = (self.spread / standard_error) ** 2
        z = math.sqrt((1 + 1 / ratio) * (math.log1p(ratio) - 2 * math.log(error)))
        if math.isinf(degrees):
            return z * standard_error
        t = float(stats.t.isf(max(float(stats.norm.sf(z)), _SMALLEST_P), degrees))
        return t * standard_error

    def p_value(self, difference: float, standard_error: float, degrees: float) -> float:
        """The two-sided p-value that holds at every look, in (0, 1]; arguments as in `half_width`."""
        t = abs(difference) / standard_error
        tail = float(stats.norm.sf(t) if math.isinf(degrees) else stats.t.sf(t, degrees))
        z = float(stats.norm.isf(max(tail, _SMALLEST_P)))
        ratio = (self.spread / standard_error) ** 2
        return min(1.0, math.exp(0.5 * math.log1p(ratio) - z * z / 2 * ratio / (1 + ratio)))
