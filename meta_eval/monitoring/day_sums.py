"""Sums by day from which the mean and its error over any run of days follow."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Places
from ..groups import effective_degrees
from ..monthly_p_value import variance_of_mean
from .outcome_terms import FEWEST_TO_FIT, OutcomeTerms, TermStage, sums_up_to

_MEMORY = 90  # days that the noise is taken from
_APART = (3, 4, 5, 6, 7)  # days, of which a spell of the usual length leaves little in common
_CORRELATION = 0.6  # of neighbouring days that differ: a spell lasts some days
_MOST_ACROSS = 2.0  # times the others a squared difference across a change counts at most
_OF_RUNS = [0, 1, 2, 5]  # of the powers of `_cumulate`: w, w y, w^2, w^3


@dataclass(frozen=True, eq=False)
class RunMeans:
    """The means of some runs of days, one per run."""

    mean: Floats  # the estimated mean; NaN of a run without answers in some stage
    variance: Floats
    third: Floats
    size: Floats  # the effective number of groups in the last stage


@dataclass(frozen=True, eq=False)
class Noise:
    """The variance of the means of some runs that end with one day, as the days up to that one show it, at most 90.

    The groups of a day say what chance makes of it, and the days how much they differ beside that: answers of a day
    share something, and days near each other too. The unit that knows about days is a day, however many answers it has.
    """

    variances: Floats  # per stage, the variance of one group's weighted term, per squared weight
    thirds: Floats  # per stage, its third moment, per cubed weight
    # per run, how many times the variance of a day's mean is what its groups explain, at least 1
    inflation: Floats
    degrees: Floats  # per run, of freedom
    incidents: Sequence[int] = ()  # the places of days that no run counts: see `IncidentDays`

    @property
    def skewness(self) -> float:
        """That of a group's term, at most 1 in size, which the differences of days are taken to have too."""
        variance = float(self.variances[-1])
        return float(np.clip(self.thirds[-1] / variance**1.5, -1, 1)) if variance > 0 else 0.0

    def of_days(self, variance: Floats, days: Places) -> tuple[Floats, Floats]:
        """(what the days add to a variance that groups explain, that of the mean of so many days of variance 1)."""
        alike = variance_of_mean(np.maximum(days, 1), _CORRELATION)
        return variance * (self.inflation - 1) * np.maximum(days, 1) * alike, alike


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
        stages = [stage for stage in terms.stages if stage is last_stage or stage.weight.any()]
        self._stages = [_cumulate(terms, stage) for stage in stages]
        days = len(terms.day_numbers)
        self._of_runs = [np.ascontiguousarray(sums[_OF_RUNS]) for sums in self._stages]
        of_groups = np.bincount(terms.group, weights=last_stage.weight)
        self._group_degrees = effective_degrees(np.asarray(of_groups, float))
        ratings = np.cumsum(np.bincount(terms.day[terms.is_rated], minlength=days))
        self._first_alike = min(int(np.searchsorted(ratings, FEWEST_TO_FIT)) + 1, days)  # days before have no fit
        self._over_days = np.array([_dependence(terms, stage) for stage in stages])

    def runs(self, first: Places, end: Places, noise: Noise) -> RunMeans:
        """Estimates the mean of runs of days."""
        mean = np.zeros(len(first))
        variance, third, size = np.zeros(len(first)), np.zeros(len(first)), np.zeros(len(first))
        without = [(day, (first <= day) & (day < end)) for day in noise.incidents]
        for number, sums in enumerate(self._of_runs):
            total = sums.take(end, axis=1) - sums.take(first, axis=1)
            for day, is_in in without:
                total = np.where(is_in, total - (sums[:, day + 1] - sums[:, day])[:, None], total)
            weight = np.where(total[0] > 0, total[0], np.nan)
            mean += total[1] / weight
            size = weight**2 / total[2]
            variance += noise.variances[number] / size
            third += noise.thirds[number] * np.maximum(total[3] / weight**3, 1 / size**2)
        days = end - first - sum(is_in for _, is_in in without)
        day_variance, alike = noise.of_days(variance, np.asarray(days))
        third += noise.skewness * day_variance**1.5 * np.sqrt(alike)
        return RunMeans(mean, variance + day_variance, third, np.where(np.isfinite(mean), size, 0.0))

    def single_days(self, last: int) -> tuple[Places, RunMeans]:
        """(the places of the days that the noise is taken from, up to one; their means, as their groups alone say)."""
        first = self._first_remembered(last)
        variances, thirds, _ = self._groups(first, last)
        days = np.arange(first, last + 1)
        one = np.ones(len(days))
        return days, self.runs(days, days + 1, Noise(variances, thirds, one, one))

    def _first_remembered(self, last: int) -> int:
        return int(np.searchsorted(self.day_numbers, self.day_numbers[last] - _MEMORY + 1))

    def noise(self, last: int, starts: Places, changes: Sequence[int] = (), incidents: Sequence[int] = ()) -> Noise:
        """The noise of runs from each start to one day, of a figure that is known to have changed on some days.

        Days are compared that are three to seven days apart (squared differences, von Neumann, 1941, beside what the
        groups explain): a spell hides how much nearer days differ. How much neighbours correlate cannot be told from a
        month, and is taken to be 0.6. Each run may be a change, and a real fall is no noise: the differences across its
        start count at most twice what the others do, and those across the `changes` and of `incidents` not at all. The
        degrees of freedom are those of the days, a fifth of the differences, or of the groups where these are fewer.
        """
        first = self._first_remembered(last)
        variances, thirds, of_groups = self._groups(first, last)
        days, means = self.single_days(last)
        is_known = (means.size > 0) & (means.variance > 0) & (days >= self._first_alike)
        is_known &= ~np.isin(days, incidents)
        starts = starts - first
        pairs, share, beside, across = 0.0, 0.0, np.zeros((2, len(starts))), np.zeros((2, len(starts)))
        for gap in (gap for gap in _APART if gap < len(days)):
            is_pair = is_known[gap:] & is_known[:-gap]
            for change in changes:
                is_pair[max(0, change - first - gap) : max(0, change - first)] = False
            both = np.where(is_pair, means.variance[gap:] + means.variance[:-gap], 1.0)
            squares = np.where(is_pair, (means.mean[gap:] - means.mean[:-gap]) ** 2 / both, 0.0)
            sums = np.zeros((2, len(squares) + 1))
            np.cumsum([is_pair, squares], axis=1, out=sums[:, 1:])
            of_gap = sums[:, np.minimum(starts, len(squares))] - sums[:, np.maximum(starts - gap, 0)]
            across += of_gap
            beside += sums[:, -1:] - of_gap
            pairs, share = pairs + sums[0, -1], share + sums[0, -1] * (1 - _CORRELATION**gap)
        most = _MOST_ACROSS * across[0] * np.maximum(1.0, beside[1] / np.maximum(beside[0], 1.0))
        squares = beside[1] + np.minimum(across[1], most)
        inflation = np.maximum(1.0, 1 + (squares - pairs) / max(share, 1.0))
        degrees = np.full(len(starts), pairs / len(_APART))
        return Noise(variances, thirds, inflation, np.minimum(degrees, of_groups), incidents)

    def _groups(self, first: int, last: int) -> tuple[Floats, Floats, float]:
        """(the variance of one group's term per stage, its third moment, the degrees of freedom)."""
        count = len(self._stages)
        variances, thirds, degrees = np.zeros(count), np.zeros(count), 1.0
        for number, sums in enumerate(self._stages):
            weight, total, weight2, cross, total2, weight3, w2t, wt2, total3 = sums[:, last + 1] - sums[:, first]
            if weight <= 0:
                continue
            mean, size = total / weight, weight**2 / weight2
            variances[number] = max(0.0, (total2 - 2 * mean * cross + mean**2 * weight2) / weight2)
            thirds[number] = (total3 - 3 * mean * wt2 + 3 * mean**2 * w2t - mean**3 * weight3) / weight3
            if number == count - 1:  # one more that lies half the scale away: few equal ratings are not sure
                variances[number] += (self.width / 2) ** 2 / size
                thirds[number] += self._tail * (self.width / 2) ** 3 / size
                degrees = max(1.0, min(size - 1, self._group_degrees))
        return variances * self._over_days, thirds, degrees


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
