"""How closely a measure follows the team, in a word; and what agreement so many ratings would have shown."""

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from .agreement import MetricAgreement
from .chance import BEYOND_CHANCE
from .estimate import Estimate
from .groups import LEVEL, t_quantile
from .selection import Selection

STRENGTHS = ((0.7, "closely"), (0.5, "well"), (0.3, "moderately"))
"""From which rho on a measure is said to follow the team how: Schober, Boer and Schwarte (2018) call 0.4 to 0.69
moderate and 0.7 to 0.89 strong; the names here are a step plainer. Below the last, `weakly`."""
_TARGET = 0.4  # the agreement that a set of ratings should be able to show
_ENOUGH_POWER = 0.9
_VARIANCE = 1.06  # of Fisher's z of Spearman's rho, times n - 3 (Fieller, Hartley and Pearson, 1957)
_FOR_CHOICE = 2.0
"""Times the ratings that a plain interval takes. Simulated with 6 metrics, rho .5: 8 of 10 corrected intervals reach
.15 at 200 and 245 ratings (plain ones at 112 and 140), and where two metrics are near twins at 375 and 430 (at 190 and
198)."""
_LARGEST_RHO = 0.999  # Fisher's z of 1 is infinite


@dataclass(frozen=True, slots=True)
class AgreementPower:
    """The power of showing that the best of several measures agrees with the ratings.

    Fisher's z of Spearman's rho is taken as normal with the variance 1.06 / (n - 3) (Fieller, Hartley and Pearson,
    1957), n being the number of independent ratings that are worth as much as the rated answers. A measure is shown
    where the one-sided test at `error` divided by the number of measures (Bonferroni) rejects:
    power = Phi(atanh(rho) sqrt((n - 3) / 1.06) - z(1 - error / measures)).
    """

    rated: int
    effective: float
    measures: int
    error: float  # how often it may happen that any of them is shown that agrees with nothing

    @classmethod
    def from_intervals(
        cls, rated: int, agreements: Iterable[Estimate], *, measures: int, error: float
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
            sizes.append(3 + _VARIANCE / (width / 2 / t_quantile((1 + LEVEL) / 2, one.groups - 1)) ** 2)
        return cls(rated, min(statistics.median(sizes), rated) if sizes else rated, measures, error)

    def smallest_shown(self) -> float:
        """The agreement that these ratings would have shown with a power of 80%, in [0, 1]."""
        return math.tanh((self._threshold + _normal_quantile(0.8)) * self._standard_error)

    def power_of(self, agreement: float) -> float:
        """The power with which these ratings would have shown an agreement."""
        return statistics.NormalDist().cdf(_fisher(agreement) / self._standard_error - self._threshold)

    def more_ratings(self, agreement: float, power: float = 0.8) -> int:
        """How many more ratings show an agreement with this power, if their groups are as those so far; at least 0."""
        needed = 3 + _VARIANCE * ((self._threshold + _normal_quantile(power)) / _fisher(agreement)) ** 2
        return max(0, math.ceil(self.rated * needed / self.effective) - self.rated)

    def ratings_to_measure(self, agreement: float, within: float) -> int:
        """How many ratings in all, groups as so far, put the lower end of a plain interval so near to its value."""
        half = _fisher(agreement) - _fisher(agreement - within)
        needed = 3 + _VARIANCE * (_normal_quantile((1 + LEVEL) / 2) / half) ** 2
        return math.ceil(self.rated * needed / self.effective)

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


def describe_strength(rho: float) -> str:
    """The word for how a measure of this rho follows the team."""
    return next((word for least, word in STRENGTHS if rho >= least), "weakly")


def ratings_to_show(power: AgreementPower) -> int:
    """How many more ratings would show an agreement that a set should be able to show; 0 where these would have."""
    if power.power_of(_TARGET) >= _ENOUGH_POWER:
        return 0
    return power.more_ratings(_TARGET) or power.more_ratings(_TARGET, _ENOUGH_POWER)


def ratings_to_measure(rated: int, metrics: tuple[MetricAgreement, ...], selection: Selection, within: float) -> int:
    """How many more ratings take the ends of the choice's interval so near to its value, in 8 of 10 sets of ratings.

    From the error that all measures share, and not from the present interval, whose lower end depends on how narrowly
    the choice won. Returns at least a tenth of those so far.
    """
    plain = find_power(rated, metrics, selection).ratings_to_measure(selection.agreement.value or 0.0, within)
    return max(math.ceil(_FOR_CHOICE * plain) - rated, math.ceil(rated / 10))


def reversed_metric(metrics: tuple[MetricAgreement, ...], selection: Selection) -> MetricAgreement | None:
    """The metric that runs against the ratings most surely, though higher should be better; None where none does."""
    against = [
        metric
        for metric in _tried(metrics, selection)
        if metric.higher_is_better and not metric.baseline and metric.spearman.high is not None
        if metric.spearman.high < 0
    ]
    return min(against, key=lambda metric: metric.spearman.value or 0.0, default=None)


def _tried(metrics: tuple[MetricAgreement, ...], selection: Selection) -> list[MetricAgreement]:
    """The metrics that were candidates."""
    left_out = {name for name, _ in selection.left_out}
    return [metric for metric in metrics if metric.name not in left_out and metric.spearman.value is not None]


def find_power(rated: int, metrics: tuple[MetricAgreement, ...], selection: Selection) -> AgreementPower:
    """The power with which the candidates' agreement would have been shown."""
    tried = _tried(metrics, selection)
    combined = 1 if len(tried) > 1 else 0  # the mean rank of all is tested beside them
    return AgreementPower.from_intervals(
        rated,
        [metric.spearman for metric in tried],
        measures=1 if selection.chosen.candidates == 1 else max(1, len(tried) + combined),
        error=BEYOND_CHANCE,
    )
