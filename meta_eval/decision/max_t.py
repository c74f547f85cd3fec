"""Many differences at once: intervals and p-values that hold for all of them together."""

from collections.abc import Sequence
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

    Attributes:
        largest: Draws of the largest |t|, ascending, (draws,); empty for a single difference.
        degrees: Degrees of freedom.
    """

    largest: Floats
    degrees: float

    @classmethod
    def of_covariance(cls, covariance: Floats, degrees: float, *, seed: int = 0) -> "MaxT":
        """The distribution for differences of this covariance, (differences, differences), and degrees of freedom."""
        errors = np.sqrt(np.diag(covariance))
        known = errors > _SAME
        if known.sum() < 2:
            return cls(np.empty(0), degrees)
        correlation = covariance[np.ix_(known, known)] / np.outer(errors[known], errors[known])
        values, vectors = np.linalg.eigh(correlation)
        random = np.random.default_rng(seed)
        normal = random.standard_normal((_DRAWS, int(known.sum()))) * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        spread = np.sqrt(random.chisquare(degrees, _DRAWS) / degrees)
        return cls(np.sort(np.abs(normal).max(axis=1) / spread), degrees)

    def quantile(self, level: float) -> float:
        """The |t| that none of the differences exceeds in a share `level` of all cases."""
        if not len(self.largest):
            return float(stats.t.isf((1 - level) / 2, self.degrees))
        return float(np.quantile(self.largest, level))

    def p_values(self, t: Sequence[float]) -> list[float]:
        """The p-value of each |t|, corrected for all of them; never below the one of a single test."""
        single = [float(2 * stats.t.sf(abs(value), self.degrees)) for value in t]
        if not len(self.largest):
            return single
        above = len(self.largest) - np.searchsorted(self.largest, np.abs(np.asarray(t, float)))
        return [max(one, float(count + 1) / (len(self.largest) + 1)) for one, count in zip(single, above, strict=True)]
