"""Sums by day from which the mean and its error over any run of days follow."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Places
from ..groups import effective_degrees
from ..monthly_p_value import variance_of_mean
from .outcome_terms import OutcomeTerms, TermStage, sums_up_to
from .production_answers import draws_worth

_MEMORY = 90  # days that the noise is taken from
_FEWEST_DAYS = 10
_APART = (4, 5, 6, 7)  # days, of which a spell of the usual length leaves little in common
_MOST_CORRELATED = 0.7
_MEDIAN = 0.455  # of a squared normal variable
_OF_RUNS = [0, 1, 2, 5]  # of the powers of `_cumulate`: w, w y, w^2, w^3


@dataclass(frozen=True, eq=False)
class RunMeans:
    """The means of some runs of days, one per run."""

    mean: Floats  # the estimated mean; NaN of a run without answers in some stage
    variance: Floats
    third: Floats
    size: Floats  # the effective number of groups in the last stage, at most what its draw is worth (`draws_worth`)


@dataclass(frozen=True, eq=False)
class Noise:
    """What one unit of each stage adds to the error, from the days up to one of them."""

    variances: Floats  # per stage, the variance of one group's weighted term, per squared weight
    thirds: Floats  # per stage, its third moment, per cubed weight
    # how many times the variance of a day's mean is what the groups explain, at least 1: answers of a day share
    # something, and days near each other too, by this correlation of neighbours
    inflation: float
    correlation: float
    degrees: float

    def of_days(self, days: Places) -> Floats:
        """How many times the variance of the mean of so many days is what the groups explain."""
        return 1 + (self.inflation - 1) * days * variance_of_mean(np.maximum(days, 1), self.correlation)


class DaySums:
    """The sums by day of the terms of an outcome.

    Groups that go on for several days count as one group per day, and what that hides of the variance is multiplied
    back in.
    """

    def __init__(self, terms: OutcomeTerms, tail: int) -> None:
        self.day_numbers = terms.day_numbers
        self.extent = terms.extent
        self.width = terms.width
        self._tail = tail
        last_stage = terms.stages[-1]
        # a stage without any answer corrects nothing: with a judge that scored none, ratings alone say what they can
        self._places = [place for place, stage in enumerate(terms.stages) if stage is last_stage or stage.weight.any()]
        stages = [terms.stages[place] for place in self._places]
        self._stages = [_cumulate(terms, stage) for stage in stages]
        days = len(terms.day_numbers)
        self._draws = [np.stack([sums_up_to(terms.day, column, days) for column in draw]) for draw in terms.draws]
        self._of_runs = [np.ascontiguousarray(sums[_OF_RUNS]) for sums in self._stages]
        of_groups = np.bincount(terms.group, weights=last_stage.weight)
        self._group_degrees = effective_degrees(np.asarray(of_groups, float))
        self._over_days = np.array([_dependence(terms, stage) for stage in stages])

    def runs(self, first: Places, end: Places, noise: Noise) -> RunMeans:
        """Estimates the mean of runs of days."""
        mean = np.zeros(len(first))
        variance, third, size = np.zeros(len(first)), np.zeros(len(first)), np.zeros(len(first))
        limits = self._limits(first, end)
        for number, (sums, limit) in enumerate(zip(self._of_runs, limits, strict=True)):
            total = sums.take(end, axis=1) - sums.take(first, axis=1)
            weight = np.where((total[0] > 0) & (limit > 0), total[0], np.nan)
            mean += total[1] / weight
            size = np.minimum(weight**2 / total[2], limit)
            variance += noise.variances[number] / size
            third += noise.thirds[number] * np.maximum(total[3] / weight**3, 1 / size**2)
        return RunMeans(mean, variance * noise.of_days(end - first), third, np.where(np.isfinite(mean), size, 0.0))

    def _limits(self, first: Places, end: Places) -> list[Floats]:
        """Per stage, how many answers those of some runs of days are worth at most by the chances of their draws."""
        worths = draws_worth([sums.take(end, axis=1) - sums.take(first, axis=1) for sums in self._draws])
        unlimited: Floats = np.full(len(first), np.inf)
        return [worths[place - 1] if 0 < place <= len(worths) else unlimited for place in self._places]

    def noise(self, last: int) -> Noise:
        """The noise as the days up to one of them show it, at most 90."""
        first = int(np.searchsorted(self.day_numbers, self.day_numbers[last] - _MEMORY + 1))
        count = len(self._stages)
        variances, thirds, degrees = np.zeros(count), np.zeros(count), 1.0
        limits = self._limits(np.array([first]), np.array([last + 1]))
        for number, sums in enumerate(self._stages):
            weight, total, weight2, cross, total2, weight3, w2t, wt2, total3 = sums[:, last + 1] - sums[:, first]
            if weight <= 0 or limits[number][0] <= 0:
                continue
            mean, size = total / weight, min(weight**2 / weight2, float(limits[number][0]))
            variances[number] = max(0.0, (total2 - 2 * mean * cross + mean**2 * weight2) / weight2)
            thirds[number] = (total3 - 3 * mean * wt2 + 3 * mean**2 * w2t - mean**3 * weight3) / weight3
            if number == count - 1:  # one more that lies half the scale away: few equal ratings are not sure
                variances[number] += (self.width / 2) ** 2 / size
                thirds[number] += self._tail * (self.width / 2) ** 3 / size
                degrees = max(1.0, min(size - 1, self._group_degrees))
        noise = Noise(variances * self._over_days, thirds, 1.0, 0.0, degrees)
        inflation, correlation, days = self._days(first, last, noise)
        # the variance is the sum of what the groups explain and of what the days add, known to as many degrees
        freedom = inflation**2 / (1 / degrees + (inflation - 1) ** 2 / days)
        return Noise(noise.variances, thirds, inflation, correlation, max(1.0, freedom))

    def _days(self, first: int, last: int, noise: Noise) -> tuple[float, float, int]:
        """(the inflation, the correlation of neighbouring days, of how many days).

        The squared differences of days, beside what their groups explain (von Neumann, 1941): those of days apart are
        larger than those of neighbours where good and bad days come in spells. Their medians, since one fall is no
        spell.
        """
        days = np.arange(first, last + 1)
        runs = self.runs(days, days + 1, noise)
        is_known = (runs.size > 0) & (runs.variance > 0)
        mean, variance = runs.mean[is_known], runs.variance[is_known]
        if len(mean) < _FEWEST_DAYS:
            return 1.0, 0.0, 1
        near, far = (
            float(np.median(np.concatenate([_ratios(mean, variance, gap) for gap in gaps]))) / _MEDIAN
            for gaps in ((1,), _APART)
        )
        inflation = max(1.0, near, far)
        correlation = 1 - max(0.0, near - 1) / (inflation - 1) if inflation > 1 else 0.0
        return inflation, min(correlation, _MOST_CORRELATED), len(mean) - 1


def _ratios(mean: Floats, variance: Floats, gap: int) -> Floats:
    """The squared differences of days so far apart, where those that the groups explain are 1 on average."""
    ratios: Floats = (mean[gap:] - mean[:-gap]) ** 2 / (variance[gap:] + variance[:-gap])
    return ratios


def _cumulate(terms: OutcomeTerms, stage: TermStage) -> Floats:
    """(sums, days + 1): sums up to each day of w, y, w^2, w y, y^2, w^3, w^2 y, w y^2, y^3 of the groups of a day."""
    groups, days = int(terms.group.max()) + 1, len(terms.day_numbers)
    rows = stage.weight > 0
    cells, place = np.unique(terms.day[rows] * groups + terms.group[rows], return_inverse=True)
    w = np.bincount(place.ravel(), weights=stage.weight[rows], minlength=len(cells))
    y = np.bincount(place.ravel(), weights=stage.weight[rows] * stage.term[rows], minlength=len(cells))
    powers = (w, y, w**2, w * y, y**2, w**3, w**2 * y, w * y**2, y**3)
    return np.stack([sums_up_to(cells // groups, np.asarray(values, float), days) for values in powers])


def _dependence(terms: OutcomeTerms, stage: TermStage) -> float:
    """How many times the variance is what the groups of single days explain, at least 1."""
    rows = stage.weight > 0
    if not rows.any():
        return 1.0
    weights = stage.weight[rows]
    terms_of_group = weights * (stage.term[rows] - float(weights @ stage.term[rows]) / float(weights.sum()))
    groups = int(terms.group.max()) + 1
    cells = np.unique(terms.day[rows] * groups + terms.group[rows], return_inverse=True)[1].ravel()
    by_cell = float((np.bincount(cells, weights=terms_of_group) ** 2).sum())
    by_group = float((np.bincount(terms.group[rows], weights=terms_of_group) ** 2).sum())
    return max(1.0, by_group / by_cell) if by_cell > 0 else 1.0
