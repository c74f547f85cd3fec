"""How much the days so far say that a figure is beyond its bound, when an alarm begins, and when it is cleared."""

import math
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Floats, Places
from ..estimate import TOO_FEW_GROUPS, Estimate
from ..monthly_p_value import LONGEST, monthly_p_value, needed_z
from ..sequence import normal_of_t, t_of_normal
from .day_sums import DaySums, Noise, RunMeans
from .incident_days import IncidentDays
from .outcome_terms import OutcomeTerms

FALSE_ALARMS = 0.05
"""The share of months in which a watch may raise a false alarm, all its bounds together."""

CLEARED = 0.2
"""An alarm is cleared when the days since then lie within the bound by evidence that so many months would show."""

CALM_DAYS = 14
"""An alarm is also cleared when the mean of so many days that began after it lies within the bound."""

FEWEST_IN_RUN = 5.0
"""Days are only weighed where they have as many rated groups: fewer are not nearly normal."""

TOO_FEW_DAYS = "there are too few whole days to say how much days differ"

_NO_SKEWNESS = 1e-6


@dataclass(frozen=True, slots=True)
class DayEvidence:
    """What the days up to one of them say of a bound."""

    p: float  # the share of months in which a figure at the bound shows as much evidence of being beyond it
    start: int | None  # the place of the first day of the run that says most; None where no run can be weighed
    # the share of months in which a figure at the bound shows as much evidence of being within it, from runs that began
    # after the alarm; 1 without an alarm
    p_within: float = 1.0
    is_calm: bool = False  # whether a run of `CALM_DAYS` or more that began after the alarm lies within the bound
    within_start: int | None = None  # the place of the first day of the run that says most of being within it


@dataclass(frozen=True, slots=True)
class AlarmState:
    """Whether an alarm stands, after one day."""

    is_raised: bool = False  # whether it stands
    since: int | None = None  # the place of the day on which the change began; None without an alarm
    raised_at: int | None = None  # the place of the day on which it was raised; None without one
    p: float = 1.0  # the least p-value since it was raised; without an alarm that of the day
    restart: int = 0  # the place of the first day that counts: those before it belong to an alarm that was cleared
    # the place of the first day of the first alarm's change: the reference of a fall ends there
    first_change: int | None = None

    @property
    def changes(self) -> list[int]:
        """The places of the days on which the figure is known to have changed."""
        return [place for place in (self.first_change, self.since, self.restart) if place]

    def after(self, day: int, evidence: DayEvidence, level: float = FALSE_ALARMS) -> "AlarmState":
        """Returns the state after a day, given what the days up to it say.

        An alarm is raised when the evidence is such as at most `level` of months show. It stands until later
        days lie within the bound: by evidence (`CLEARED`), or by the mean of `CALM_DAYS` days. Between the two lies
        what keeps a figure near its bound from raising and clearing it every day. After that, only the days from which
        it was cleared count, so that the days of the alarm do not raise it again.
        """
        if not self.is_raised:
            if evidence.p <= level and evidence.start is not None:
                first = evidence.start if self.first_change is None else min(self.first_change, evidence.start)
                return AlarmState(True, evidence.start, day, evidence.p, self.restart, first)
            return replace(self, p=evidence.p)
        if evidence.within_start is not None and (evidence.p_within <= CLEARED or evidence.is_calm):
            return AlarmState(restart=evidence.within_start, first_change=self.first_change)
        return replace(self, p=min(self.p, evidence.p))


@dataclass(frozen=True, slots=True)
class WeighedBound:
    """A bound, as its evidence is weighed."""

    terms: OutcomeTerms
    sums: DaySums  # their sums by day
    limit: float
    sign: int  # 1 where the figure must not be below the limit, -1 where it must not be above
    # for a fall: the places of the first day of the reference and after its last. A run that begins within it is
    # compared with the days of it before that run. None where the figure itself has the bound.
    reference: tuple[int, int] | None
    level: float  # the share of months in which this bound may raise a false alarm
    incidents: IncidentDays  # the days that no run counts

    def history(self, days: int) -> list[AlarmState]:
        """Returns the state after each of the first days: what a look every day would have come to."""
        states = [AlarmState()]
        for day in range(days):
            states.append(states[-1].after(day, self.evidence(day, states[-1]), self.level))
        return states[1:]

    def evidence(self, day: int, state: AlarmState) -> DayEvidence:
        """Weighs the days up to one of them, given the state before it."""
        numbers = self.sums.day_numbers
        earliest = int(np.searchsorted(numbers, numbers[day] - LONGEST + 1))
        starts = np.arange(max(earliest, state.restart), day + 1)
        noise = self._noise(day, starts, state)
        excess, score, other = self._scores(starts, day, noise, state)
        if not (score > -np.inf).any():
            return DayEvidence(1.0, None)
        place = int(np.argmax(score))
        p = float(monthly_p_value(score[place]))
        if state.raised_at is None:
            return DayEvidence(p, int(starts[place]))
        is_later = (starts > state.raised_at) & np.isfinite(other)
        if not is_later.any():
            return DayEvidence(p, int(starts[place]))
        within = int(np.argmax(np.where(is_later, other, -np.inf)))
        is_calm = is_later & (numbers[day] - numbers[starts] + 1 >= CALM_DAYS) & (excess <= 0)
        start = int(starts[np.flatnonzero(is_calm)[-1]]) if is_calm.any() else int(starts[within])
        p_within = float(monthly_p_value(other[within]))
        return DayEvidence(p, int(starts[place]), p_within, bool(is_calm.any()), start)

    def _noise(self, day: int, starts: Places, state: AlarmState) -> Noise:
        """The noise of runs, which do not count incidents but for one that raised the alarm that stands."""
        incidents = self.incidents.up_to(day).tolist()
        noise = self.sums.noise(day, starts, state.changes, incidents)
        return replace(noise, incidents=[place for place in incidents if place != state.since])

    def compare(self, starts: Places, day: int, noise: Noise, state: AlarmState) -> tuple[RunMeans, RunMeans | None]:
        """The means of the runs from each start up to a day, and of what they are compared with."""
        runs = self.sums.runs(starts, np.full(len(starts), day + 1), noise)
        if self.reference is None:
            return runs, None
        first, end = self.reference
        if state.first_change is not None:
            end = min(end, max(state.first_change, first))
        before = np.where((starts >= first) & (starts < end), starts, end)
        return runs, self.sums.runs(np.full(len(starts), first), before, noise)

    def figure(self, start: int, day: int, state: AlarmState) -> Estimate:
        """Estimates the figure of a run of days: its mean, or how far it fell.

        The interval is the one that an alarm is raised by: its end on the side of the bound is beyond the bound in at
        most as many months as an alarm is false.
        """
        noise = self._noise(day, np.array([start]), state)
        runs, before = self.compare(np.array([start]), day, noise, state)
        excess, variance, third, size = (float(values[0]) for values in self._excess(runs, before))
        value = excess + self.limit if before is not None else self.limit - self.sign * excess
        if not math.isfinite(value):
            return Estimate(None, n=0, groups=0, problem="there are no days to compare with yet")
        if size < FEWEST_IN_RUN:
            return Estimate(value, groups=int(size), problem=TOO_FEW_GROUPS)
        degrees = float(noise.degrees[0])
        if degrees < 1:
            return Estimate(value, groups=int(size), problem=TOO_FEW_DAYS)
        error, score = math.sqrt(variance), needed_z(self.level)
        skewness = third / error**3
        less, more = (error * t_of_score(score, degrees, towards) for towards in (skewness, -skewness))
        if before is None and self.sign == 1:
            less, more = more, less
        lowest, highest = (-self.sums.width, self.sums.width) if before is not None else self.sums.extent
        return Estimate(value, max(value - less, lowest), min(value + more, highest), groups=int(size))

    def _excess(self, runs: RunMeans, before: RunMeans | None) -> tuple[Floats, Floats, Floats, Floats]:
        """(how far each run is beyond the bound, the variance of that, its third moment, the effective groups)."""
        if before is None:
            return self.sign * (self.limit - runs.mean), runs.variance, -self.sign * runs.third, runs.size
        excess, third = before.mean - self.limit - runs.mean, before.third - runs.third
        return excess, runs.variance + before.variance, third, np.minimum(runs.size, before.size)

    def _scores(self, starts: Places, day: int, noise: Noise, state: AlarmState) -> tuple[Floats, Floats, Floats]:
        """(how far each run is beyond the bound, its normal score, and that of being within the bound)."""
        excess, variance, third, size = self._excess(*self.compare(starts, day, noise, state))
        is_known = (size >= FEWEST_IN_RUN) & np.isfinite(excess) & (variance > 0) & (noise.degrees >= 1)
        error = np.sqrt(np.where(is_known, variance, 1.0))
        t, skewness = np.where(is_known, excess, 0.0) / error, np.where(is_known, third, 0.0) / error**3
        beyond, within = (
            np.where(is_known, _normal_scores(side * t, noise.degrees, side * skewness), -np.inf) for side in (1, -1)
        )
        return np.where(is_known, excess, np.nan), beyond, within


def _normal_scores(t: Floats, degrees: Floats | float, skewness: Floats) -> Floats:
    """The normal quantiles as improbable as studentised means whose distributions are skewed towards them.

    Student's t counts as in `normal_of_t`. A gamma distribution of this skewness (Pearson's type III) is brought to a
    normal one by the cube root of Wilson and Hilferty (1931). Where the skewness points away, nothing is gained by it.
    A mean on the other side scores 0.
    """
    far = np.maximum(t, 0.0)
    z = normal_of_t(far, degrees)
    skewed = np.maximum(skewness, _NO_SKEWNESS)
    by_gamma = 6 / skewed * (np.cbrt(1 + skewed * z / 2) - 1) + skewed / 6
    return np.asarray(np.where(skewness > _NO_SKEWNESS, np.maximum(np.where(far > 0, by_gamma, 0.0), 0.0), z))


def t_of_score(score: float, degrees: float, skewness: float) -> float:
    """The studentised mean that has a normal score: `_normal_scores` inverted."""
    if skewness > _NO_SKEWNESS:
        score = 2 / skewness * ((1 + skewness / 6 * (score - skewness / 6)) ** 3 - 1)
    return t_of_normal(score, degrees)
