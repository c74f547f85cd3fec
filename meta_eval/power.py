"""How small an agreement the rated answers could have shown, and how many more ratings would show a smaller one."""

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from .estimate import Estimate
from .groups import t_quantile

_VARIANCE = 1.06  # of Fisher's z of Spearman's rho, times n - 3 (Fieller, Hartley and Pearson, 1957)
_LARGEST_RHO = 0.999  # Fisher's z of 1 is infinite


@dataclass(frozen=True, slots=True)
class AgreementPower:
    """The power of showing that the best of several measures agrees with the ratings.

    Fisher's z of Spearman's rho is taken as normal with the variance 1.06 / (n - 3) (Fieller, Hartley and Pearson,
    1957), n being the number of independent ratings that are worth as much as the rated answers. A measure is shown
    where the one-sided test at `error` divided by the number of measures (Bonferroni) rejects:
    power = Phi(atanh(rho) sqrt((n - 3) / 1.06) - z(1 - error / measures)).

    Examples:
        100 answers and one measure, at 1%: (z(0.99) + z(0.8)) sqrt(1.06 / 97) = (2.326 + 0.842) * 0.1045 = 0.331,
        and tanh 0.331 = 0.320. Half of that z takes four times the 97 above 3, and 3: 391.

        >>> power = AgreementPower(100, 100.0, 1, 0.01)
        >>> round(power.smallest_shown(), 3), round(power.power_of(power.smallest_shown()), 3)
        (0.32, 0.8)
        >>> power.more_ratings(math.tanh(0.33118 / 2))
        291
    """

    rated: int
    effective: float
    measures: int
    error: float  # how often it may happen that any of them is shown that agrees with nothing

    @classmethod
    def from_intervals(
        cls, rated: int, agreements: Iterable[Estimate], *, measures: int, error: float, level: float
    ) -> "AgreementPower":
        """Reads from the intervals of the measures' agreement how many independent answers they are worth.

        The half width of an interval on the scale of Fisher's z is t of its level times sqrt(1.06 / (n - 3)); the
        median over the measures counts, and never more than the answers that are rated.
        """
        sizes = []
        for one in agreements:
            if one.low is None or one.high is None or one.groups is None or one.high <= one.low:
                continue
            width = _fisher(one.high) - _fisher(one.low)
            sizes.append(3 + _VARIANCE / (width / 2 / t_quantile((1 + level) / 2, one.groups - 1)) ** 2)
        return cls(rated, min(statistics.median(sizes), rated) if sizes else rated, measures, error)

    def smallest_shown(self, power: float = 0.8) -> float:
        """The agreement that these ratings would have shown with this power, in [0, 1]."""
        return math.tanh((self._threshold + _normal_quantile(power)) * self._standard_error)

    def power_of(self, agreement: float) -> float:
        """The power with which these ratings would have shown an agreement."""
        return statistics.NormalDist().cdf(_fisher(agreement) / self._standard_error - self._threshold)

    def more_ratings(self, agreement: float, power: float = 0.8) -> int:
        """How many more ratings show an agreement with this power, if their groups are as those so far; at least 0."""
        needed = 3 + _VARIANCE * ((self._threshold + _normal_quantile(power)) / _fisher(agreement)) ** 2
        return max(0, math.ceil(self.rated * needed / self.effective) - self.rated)

    @property
    def _threshold(self) -> float:
        return _normal_quantile(1 - self.error / self.measures)

    @property
    def _standard_error(self) -> float:
        return math.sqrt(_VARIANCE / max(self.effective - 3, 1))


def _normal_quantile(probability: float) -> float:
    return statistics.NormalDist().inv_cdf(probability)


def _fisher(rho: float) -> float:
    return math.atanh(max(-_LARGEST_RHO, min(_LARGEST_RHO, rho)))
