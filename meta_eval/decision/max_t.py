"""Many differences at once: intervals and p-values that hold for all of them together."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from ..arrays import Floats

_DRAWS = 20_000
_SAME = 1e-12


@dataclass(frozen=True, eq=False)
class MaxT:
    """The distribution of the largest |t| of several differences of which none differs from 0.

    The single-step max-T method (Westfall and Young, 1993; Hothorn, Bretz and Westfall, 2008): multivariate t with the
    correlation of the estimates, drawn at random. For one difference it is Student's t itself.
    """

    largest: Floats  # draws of the largest |t|, ascending, (draws,); empty for a single difference
    degrees: float

    @classmethod
    def of_covariance(cls, covariance: Floats, degrees: float, *, seed: int = 0) -> "MaxT":
        """The distribution for differences of this covariance, (differences, differences), and degrees of freedom."""
        errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))  # rounding may leave less than nothing
        known = errors > _SAME
        if known.sum() < 2:
            return cls(np.empty(0), degrees)
        correlation = covariance[np.ix_(known, known)] / np.outer(errors[known], errors[known])
        values, vectors = np.linalg.eigh(correlation)
        random = np.random.default_rng(seed)
        normal = random.standard_normal((_DRAWS, int(known.sum()))) * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        spread = np.sqrt(random.chisquare(degrees, _DRAWS) / degrees)
        return cls(np.sort(np.abs(normal).max(axis=1) / spread), degrees)

    def quantile(self, level: float, degrees: float) -> float:
        """The |t| of one difference, of so many degrees of freedom, that belongs to a level of all together.

        A difference whose error is known less well than the others gets the |t| that is as improbable.
        """
        if not len(self.largest):
            return float(stats.t.isf((1 - level) / 2, degrees))
        return float(stats.t.isf(stats.t.sf(np.quantile(self.largest, level), self.degrees), degrees))

    def p_value(self, t: float, degrees: float) -> float:
        """The p-value of one difference, corrected for all of them; never below that of a single test."""
        tail = float(stats.t.sf(abs(t), degrees))
        if not len(self.largest):
            return 2 * tail
        above = len(self.largest) - int(np.searchsorted(self.largest, stats.t.isf(tail, self.degrees)))
        return max(2 * tail, (above + 1) / (len(self.largest) + 1))
