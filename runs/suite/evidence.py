"""How much the nightly runs so far say that a figure is worse than it must be, and when that is enough to fail.

Values are oriented so that lower is worse: (samples, runs), the newest run last, NaN where a run has no value.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist

import numpy as np
from scipy.special import betainc, logit, ndtr, ndtri

from ...meta_eval.arrays import Bools, Floats, Places
from ...meta_eval.groups import cr2_degrees, t_quantile
from ...meta_eval.monthly_p_value import (
    FURTHEST,
    LONGEST,
    monthly_p_value,
    needed_z,
    night_correlation,
    variance_of_mean,
)
from ...meta_eval.randomisation import sign_flip_max_t
from ...meta_eval.sequence import normal_of_t
from .gates import RELEASES

FIRST = 1.5
"""A first night, where nothing is known of the noise, may spend the month's level divided by this: nights follow."""

SUSPECT = 2
"""Where no noise is known yet, a run joins no baseline if its evidence is a failure's divided by this, or more: its own
fall would be the noise that hides the next one. By simulation (benchmarks/results/figures.md, Gates)."""

FAR = 0.2
"""A run that lies below the baseline by this share of the metric's range joins no baseline either, though it passed:
few nights cannot yet tell a fall from what nights have in common, and the next bad one is held against good ones."""

LARGE = 0.15
"""A fall beyond the noise by this share of the metric's range fails however few groups of answers fell."""

_FLIPS = 9999
_SHIFTS = np.array([0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.8, 1, 1.5])[:, None]  # see `_Nights`
_PRIOR = np.gradient(_SHIFTS[:, 0])[:, None] / (1 + (_SHIFTS / 0.4) ** 8)
_MOST_TOGETHER = 0.05  # of the samples: as many as have changed together may do so again
_KNOWN_CHANGES = 30  # from which on the noise is known, and no rare change has to be feared
_MOST_OF_FEW = 0.2  # of the range: one of five samples
_SLACK = 1e-9  # differences and standard errors below it are rounding


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the nightly runs up to one of them say."""

    change: float  # the mean of the nightly runs that say most, less that of the runs before them, or less the bound
    nights: int
    before: int  # how many runs they are compared with; 0 for a bound, as `baseline`
    tonight: float
    baseline: int
    p: float  # the share of months without a change that show as much evidence at some time
    failed: bool
    is_of_few: bool = False  # whether it is a fall that is more than noise, but of too few answers to call it one
    is_suspect: bool = False  # whether it passed, and yet joins no baseline and no noise (`SUSPECT`)
    falls: Floats = field(default_factory=lambda: np.empty(0))  # of each answer in the same comparison; of no bound


class Falls:
    """The runs of one figure, of which later ones may have fallen below the accepted ones.

    The `groups` are numbers, the same in all figures of one run. A run that is not `usable` says nothing of the figure.
    """

    def __init__(
        self, values: Floats, groups: Places, *, accepted: int, allowed: float, usable: Sequence[bool] | None = None
    ) -> None:
        known = ~np.isnan(values)
        means = np.where(known, values, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        self._values = np.where(known, values, means[:, None])  # a missing value is no change
        self._means = self._values.mean(axis=0)
        self._groups, self._allowed, self._usable = groups, allowed, usable
        self._noise = _Noise(self._values, groups)
        self._runs = list[int]()  # all that may have fallen together
        self._baseline = list[int]()  # those of them that later runs are compared with
        self._fallen = set[int]()  # those on which a failure rested, until a run is as the baseline again
        for run in range(accepted):
            self.keep(run)
        self._accepted = self._runs.copy()

    def is_usable(self, run: int) -> bool:
        """Whether a run says something of the figure."""
        return self._usable is None or self._usable[run]

    def keep(self, run: int, *, is_suspect: bool = False) -> None:
        """Counts a run that did not fail among those that fell together, and later ones are compared with it.

        Not with one that is suspect: it may be the first of a fall.
        """
        if self.is_usable(run):
            self._runs = self._runs_before(run)
            self._fallen &= {*self._runs}
            self._runs.append(run)
            if not is_suspect:
                self._baseline.append(run)
                self._noise.add(run)

    def fall(self, run: int) -> None:
        """Counts a run that failed among those that fell for sure: the next one fell too if it lies nearer to them."""
        if self.is_usable(run):
            self._runs = [*self._runs_before(run), run]
            self._fallen = {*self._runs} & {*self._fallen, run}

    def rested(self, night: int, nights: int) -> list[int]:
        """The runs before a nightly run on which its evidence of so many runs rests too."""
        before = self._runs_before(night)
        return before[len(before) + 1 - nights :]

    def leave_out(self, runs: Collection[int]) -> None:
        """Compares no later run with those on which a failure rested, nor takes their noise: they passed, but fell."""
        self._fallen |= {*runs}.intersection(self._runs)
        self._baseline = [run for run in self._baseline if run not in self._fallen]
        self._noise = _Noise(self._values, self._groups)
        for run in self._baseline:
            self._noise.add(run)

    def _runs_before(self, night: int) -> list[int]:
        """The runs that may have fallen together with one; those that fell for sure only if it lies nearer to them."""
        fallen = [*self._fallen]
        if fallen and 2 * self._means[night] >= self._means[fallen].mean() + self._means[self._baseline].mean():
            return [run for run in self._runs if run not in self._fallen]
        return self._runs.copy()

    def candidate(self, night: int) -> "_Candidate":
        """The fall up to a nightly run that is most beyond the noise: since any run, from those before or accepted."""
        runs, first = [*self._runs_before(night), night], len(self._accepted)
        lengths = np.arange(1, min(LONGEST, len(runs) - first) + 1)
        starts = len(runs) - lengths
        ends = np.tile(lengths, 2)
        known = [*self._baseline, night]
        ahead = np.searchsorted(self._baseline, runs)[starts]  # how many of the baseline are before each start
        others = np.concatenate([ahead, np.full(len(starts), first)])
        sums, sums_of_known = (np.concatenate([[0.0], np.cumsum(self._means[ones])]) for ones in (runs, known))
        changes = (sums[-1] - sums[starts])[np.tile(lengths - 1, 2)] / ends - sums_of_known[others] / others
        scale = self._scale(ends, others)
        extent, since = _Extent.read(self._values[:, runs]), np.tile(len(known) - ahead, 2)
        nights = self._noise.nights(night, since, extent)
        reference = sums_of_known[others] / others
        slopes = extent.slopes(reference, reference + changes, nights.slopes, len(self._values))
        own = self._own_shares(runs, ends, others, extent, changes)
        is_known = bool(self._noise.pairs)  # else one step is all that is known: its own errors are those of the night
        falls = -(changes + self._allowed)
        below = float(self._means[self._baseline].mean() - self._means[night]) - self._allowed
        p_values = nights.p_values(falls, scale, slopes, own)
        place = int(p_values.argmin())
        p = float(p_values[place]) if is_known else 0.0
        length, before = int(ends[place]), int(others[place])
        after = self._values[:, runs[-length:]].mean(axis=1)
        falls_of_answers = self._values[:, self._baseline[:before]].mean(axis=1) - after - self._allowed
        fall, p_of_large = float(falls_of_answers.mean()), 1.0
        if is_known and fall >= LARGE * extent.width:
            rare = _rare_change(np.bincount(self._groups), extent.width)
            p_of_large = max(p, float(monthly_p_value(fall / (rare * scale[place]))))
        sums = np.asarray(np.bincount(self._groups, weights=falls_of_answers), float)
        sizes = np.bincount(self._groups).astype(float)

        def p_of_step(p_of_flips: float) -> float:
            return float(nights.p_of_steps(falls, scale, slopes, own, -float(ndtri(p_of_flips)))[place])

        return _Candidate(
            -fall - self._allowed,
            length,
            before,
            p,
            None if is_known else p_of_step,
            p_of_large,
            sums,
            sizes,
            falls_of_answers + self._allowed,
            below >= FAR * extent.width > 0,
        )

    def weigh(self, night: int, candidate: "_Candidate", p_of_flips: float, levels: "Levels") -> Evidence:
        """What a nightly run says, given how often the choice of the questions gives as much."""
        of_figure = levels.noise / levels.choice
        p_of_choice = RELEASES * p_of_flips * of_figure
        if candidate.p_of_step:
            p_of_choice = max(p_of_choice, FIRST * candidate.p_of_step(p_of_flips) * of_figure)
        reference = self._means[self._baseline[: candidate.before]].mean()
        fell = self._means[night] < reference - self._allowed - _SLACK
        p = min(1.0, max(candidate.p_of_noise, p_of_choice), candidate.p_of_large)
        tonight, baseline = float(self._means[night] - self._means[self._baseline].mean()), len(self._baseline)
        failed = bool(p <= levels.noise and fell)
        is_of_few = bool(self._noise.pairs and fell and not failed and candidate.p_of_noise <= levels.noise)
        change, nights, before = candidate.change, candidate.nights, candidate.before
        is_near = not self._noise.pairs and p <= SUSPECT * levels.noise
        is_suspect = bool(fell and not failed and (candidate.is_far or is_near))
        return Evidence(change, nights, before, tonight, baseline, p, failed, is_of_few, is_suspect, candidate.falls)

    def _own_shares(
        self, runs: Sequence[int], ends: Places, others: Places, extent: "_Extent", changes: Floats
    ) -> Floats:
        """The part of each fall, in [0, 1], that is left without a shift of all answers alike.

        A shift by s log odds changes an answer from x to y = x + tanh(s / 2) g, g = x (1 - y) + y (1 - x). So the
        median of (y - x) / g of the answers that changed, weighed by g, is that of a shift (least absolute residuals),
        whatever a few answers do. Of values on a coarse scale, as verdicts and stars, half of which or more are tied,
        it says nothing.
        """
        if not extent.width or 2 * _is_tied(self._values[:, runs[-1]]).sum() >= len(self._values):
            return np.zeros(len(ends))
        after, before = (self._values[:, ones] for ones in (runs[::-1], self._baseline))
        y, x = (
            ((np.cumsum(ones, axis=1) / np.arange(1, ones.shape[1] + 1))[:, places - 1] - extent.lowest) / extent.width
            for ones, places in ((after, ends), (before, others))
        )
        weights = np.where(np.abs(y - x) > _SLACK, x + y - 2 * x * y, 0.0)
        moved = np.divide(y - x, weights, out=np.zeros_like(x), where=weights > 0)
        order = np.argsort(moved, axis=0)
        sums = np.cumsum(np.take_along_axis(weights, order, axis=0), axis=0)
        middle = (sums >= sums[-1] / 2).argmax(axis=0)
        medians = np.take_along_axis(moved, np.take_along_axis(order, middle[None], axis=0), axis=0)[0]
        shared = np.maximum(0.0, -medians) * weights.mean(axis=0) * extent.width
        falls = -(changes + self._allowed)
        shares: Floats = np.divide(falls - shared, falls, out=np.zeros(len(falls)), where=falls > _SLACK)
        return shares.clip(0.0, 1.0)

    def _scale(self, lengths: Places, before: Places) -> Floats:
        """The standard error of a change of means, where that of one run is 1."""
        correlation = self._noise.correlation
        return np.sqrt(variance_of_mean(lengths, correlation) + variance_of_mean(before, correlation))


@dataclass(frozen=True)
class Levels:
    """The shares of months in which one figure may fail by noise, and all of a run by the choice of the questions."""

    noise: float
    choice: float


@dataclass(frozen=True)
class _Candidate:
    """A fall, before it is asked whether the choice of the questions explains it."""

    change: float
    nights: int
    before: int
    p_of_noise: float  # of the answers and the nights
    p_of_step: "Callable[[float], float] | None"  # the same of a first step, by the p-value of its signs; else None
    p_of_large: float  # where it is so large that the choice of the questions does not matter; else 1
    sums: Floats  # by group, how far its answers fell beyond what is allowed
    sizes: Floats
    falls: Floats  # of the answers
    is_far: bool  # whether tonight's mean is that far below the baseline (`FAR`)


def weigh_together(figures: Sequence[Falls], night: int, levels: Levels) -> list[Evidence]:
    """Weighs the evidence for a fall of each figure after a nightly run.

    When it fell is not known: each of the last 30 nightly runs may be the first of those that did. They are compared
    with all runs before them that did not fail, and with the accepted ones alone, so that runs that nobody accepted
    hide no fall, nor do nights that each are a little worse. A fall must be more than

    - noise shows in a month without a change (`monthly_p_value`): that of the answers, and what nights show to have in
      common (`_Nights`);
    - the choice of the questions explains: the signs of the groups' changes are flipped, those of all figures together
      (max-T), at a fifth of the level, since this is a question per change of the system and not per nightly run.

    The first run after one that was accepted alone, where no noise is known, is held against the second. A fall of 0.15
    of the range and more needs only to be beyond the noise of the answers: in few groups flips can tell nothing.
    """
    candidates = [figure.candidate(night) for figure in figures]
    asked = [number for number, candidate in enumerate(candidates) if candidate.p_of_noise <= 0.5]
    p_of_choice = np.ones(len(candidates))
    if asked:
        groups = max(len(candidates[number].sums) for number in asked)
        sums, sizes = np.zeros((groups, len(asked))), np.zeros((groups, len(asked)))
        for column, number in enumerate(asked):
            sums[: len(candidates[number].sums), column] = candidates[number].sums
            sizes[: len(candidates[number].sums), column] = candidates[number].sizes
        used = sizes.any(axis=1)
        p = sign_flip_max_t(sums[used], sizes[used], permutations=_FLIPS)
        p_of_choice[asked] = p
    return [
        figure.weigh(night, candidate, float(p), levels)
        for figure, candidate, p in zip(figures, candidates, p_of_choice, strict=True)
    ]


def weigh_falls(
    values: Floats, groups: Sequence[str], *, accepted: int, allowed: float, level: float
) -> list[Evidence]:
    """Weighs the evidence for a fall of one figure after each nightly run since the accepted ones."""
    falls = Falls(values, np.unique(np.asarray(groups), return_inverse=True)[1], accepted=accepted, allowed=allowed)
    weighed = list[Evidence]()
    for night in range(accepted, values.shape[1]):
        weighed += weigh_together([falls], night, Levels(level, level))
        if weighed[-1].failed:
            falls.leave_out(falls.rested(night, weighed[-1].nights))
        else:
            falls.keep(night, is_suspect=weighed[-1].is_suspect)
    return weighed


def weigh_bound(
    values: Floats, groups: Sequence[str], *, skipped: int, bound: float, level: float, is_share: bool
) -> list[Evidence]:
    """Weighs the evidence that the mean is below a bound, after each nightly run; the first runs show the noise only.

    The mean of the last 1, 2, ..., 30 nightly runs that did not fail is compared with the bound. The noise is that of
    the answers and, from the third run on, of the nights (`_Nights`); with one run alone that over groups, which is
    more. It is at least that of a rare change (`_rare_change`): a judge that repeated itself may change its mind. The
    figure is about these questions: how they were chosen is no noise. A share is compared by the binomial distribution
    at its effective size (Korn and Graubard, 1998), since few failures are not nearly normal. What lies more
    than `FAR` below its bound is more than nights have in common, and is held against the answers' noise alone. A run
    whose own mean reaches the bound does not fail.
    """
    numbers = np.unique(np.asarray(groups), return_inverse=True)[1]
    known = ~np.isnan(values)
    of_samples = np.where(known, values, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    filled = np.where(known, values, of_samples[:, None])
    noise = _Noise(filled, numbers)
    for run in range(skipped):
        noise.add(run)
    weighed, means = list[Evidence](), list[float]()
    for night in range(skipped, values.shape[1]):
        present = known[:, night]
        if not present.any():
            continue
        mean = float(values[present, night].mean())
        averages = np.cumsum([mean, *means[::-1]])[:LONGEST] / np.arange(1, min(LONGEST, len(means) + 1) + 1)
        seen = [*noise.runs, night]
        extent = _Extent.read(values[:, seen], bound)
        lengths = np.arange(1, len(averages) + 1)
        scales = np.sqrt(variance_of_mean(lengths, noise.correlation))
        if noise.runs:
            nights = noise.nights(night, lengths, extent)
        else:  # the choice of the answers moves a mean more than a night does
            variance, degrees = _variance(values[present, night], numbers[present])
            slope = math.sqrt(variance * int(present.sum())) / 2
            nights = _Nights(*np.array([[variance], [max(degrees, 1.0)], [0.0], [0.0], [slope]]))
        rare = _rare_change(np.bincount(numbers[present]), 1.0 if is_share else extent.width, noise.together)
        rare *= math.sqrt(_KNOWN_CHANGES / max(noise.changes, _KNOWN_CHANGES))
        if is_share and bound >= 1 - _SLACK:  # one sample below it says that the true share is
            rare = _SLACK
        shortfalls = bound - averages
        scores = shortfalls / (rare * scales)
        if is_share:
            sizes = nights.effective_sizes(float(np.nanmean(values[:, seen])), scales, level)
            scores = np.minimum(scores, _share_scores(averages, bound, sizes))
        slopes = extent.slopes(np.full(len(averages), bound), averages, nights.slopes, int(present.sum()))
        p_of_more = nights.p_values(shortfalls - FAR * extent.width, scales, np.zeros(len(averages)))
        p_of_nights = np.minimum(nights.p_values(shortfalls, scales, slopes), p_of_more)
        p_values = np.maximum(p_of_nights, monthly_p_value(scores))
        place = int(p_values.argmin())
        p, change = float(p_values[place]), float(averages[place]) - bound
        failed = mean < bound - _SLACK and p <= level
        weighed.append(Evidence(change, place + 1, 0, mean - bound, 0, p, failed))
        if not failed:
            noise.add(night)
            means.append(mean)
    return weighed


class _Noise:
    """The variance of one run's mean by its answers, from the differences between successive runs (von Neumann, 1941).

    The variance of a mean is half the expected squared difference of two. It is taken from the differences of the
    answers, summed by group (CR2, Bell and McCaffrey, 2002) and centred, so that a change of all answers is no noise.
    Where an answer's noise lingers (a cache), differences two apart are larger than those of neighbours
    (`night_correlation`).
    """

    def __init__(self, values: Floats, numbers: Places) -> None:
        self.runs = list[int]()
        self._values, self._numbers = values, numbers
        self._steps = list[tuple[float, ...]]()  # see `_step`
        self._squares, self._two_apart = list[float](), list[float]()  # squared differences of the answers
        self._second = self._fourth = 0.0  # sums of powers of the groups' changes

    @property
    def pairs(self) -> int:
        """How many pairs of successive runs there are."""
        return len(self._steps)

    @property
    def changes(self) -> float:
        """How many changes of groups, all alike, say as much of the noise as those so far."""
        return self._second**2 / self._fourth if self._fourth else 0.0

    @property
    def together(self) -> float:
        """How many samples changed together so far: 1 where each changes by itself."""
        squares = sum(self._squares)
        return self._second / squares if squares > _SLACK**2 else 0.0

    @property
    def correlation(self) -> float:
        """How an answer's noise correlates from run to run, beyond what independent noise may show.

        By medians, since a release changes answers once; less about one standard error of the estimate.
        """
        if not self._two_apart or (one_apart := float(np.median(self._squares))) <= _SLACK**2:
            return 0.0
        correlation = night_correlation(one_apart, float(np.median(self._two_apart)))
        return max(0.0, correlation - 2 / math.sqrt(len(self._numbers) * len(self._two_apart)))

    def add(self, run: int) -> None:
        """Adds the next run."""
        if self.runs:
            changes = self._own_changes(run, 1)
            by_group = np.bincount(self._numbers, weights=changes) ** 2
            self._second += float(by_group.sum())
            self._fourth += float((by_group**2).sum())
            self._squares.append(float((changes**2).sum()))
            self._steps.append(self._step(run))
        if len(self.runs) > 1:
            self._two_apart.append(float((self._own_changes(run, 2) ** 2).sum()))
        self.runs.append(run)

    def nights(self, night: int, lengths: Places, extent: "_Extent") -> "_Nights":
        """Returns how much nights vary, for changes since so many runs before a night.

        The step into the change is no noise, unless there is no other: then it says nothing of what nights have in
        common. The squared steps of n + 1 independent means say of their variance what 2n / 3 deviations do.
        """
        steps = np.array([*self._steps, self._step(night)])
        counted = np.ones((len(lengths), len(steps)))
        if len(steps) > 1:
            inside = np.flatnonzero(lengths <= len(steps))
            counted[inside, len(steps) - lengths[inside]] = 0
        pairs, correlation = counted.sum(axis=1), self.correlation
        variances, degrees, squares = (counted @ steps[:, :3]).T
        variances, squares = (sums / pairs / (1 - correlation) for sums in (variances, squares))
        count = 2 / 3 * pairs * (1 - correlation**2) / (1 + correlation**2) * (len(steps) > 1)
        slope = self._slope(steps[: max(1, self.pairs), 3:].mean(axis=0), extent)
        return _Nights(variances, np.maximum(degrees, 1.0), squares * count, count, np.full(len(lengths), slope))

    @staticmethod
    def _slope(moved: Floats, extent: "_Extent") -> float:
        """How far a shift of all answers moves a mean, per unit of log odds: by the mean of p (1 - p).

        Of two nights of an answer p (1 - p) is estimated by x (1 - y), here of those that a shift moves (`_step`).
        """
        if not extent.width:
            return 0.0
        share, total, product = moved.tolist()
        low, high = extent.lowest, extent.lowest + extent.width
        return float(((low + high) * total / 2 - product - low * high * share) / extent.width)

    def _changes(self, run: int, steps: int) -> Floats:
        """How far each answer's value is from that of so many runs before."""
        return self._values[:, run] - self._values[:, self.runs[-steps]]

    def _own_changes(self, run: int, steps: int) -> Floats:
        """The same, less what all answers changed."""
        changes: Floats = self._changes(run, steps)
        return changes - float(changes.mean())

    def _step(self, run: int) -> tuple[float, ...]:
        """Of the step to a run: the variance of a mean by its answers, its degrees, and that by the means themselves.

        Then of the answers that a shift moves their share, and the sum and the product of both values. One that stays
        as it was shows no shift, unless other answers have its value too: on a coarse scale a shift is rounded away.
        """
        changes = self._changes(run, 1)
        variance, degrees = _variance(changes, self._numbers)
        before, after = self._values[:, self.runs[-1]], self._values[:, run]
        moves = (changes != 0) | _is_tied(after)
        moved = (moves * terms for terms in (np.ones(len(changes)), before + after, before * after))
        return variance / 2, degrees, float(changes.mean()) ** 2 / 2, *(float(terms.mean()) for terms in moved)


@dataclass(frozen=True, slots=True)
class _Extent:
    """The least value and the width of the range up to the largest; 1 where all lie in [0, 1], or turned in [-1, 0]."""

    lowest: float
    width: float

    @classmethod
    def read(cls, values: Floats, *others: float) -> "_Extent":
        """Reads it off values."""
        least, largest = min([float(np.nanmin(values)), *others]), max([float(np.nanmax(values)), *others])
        for end in (0.0, -1.0):
            if end <= least <= largest <= end + 1:
                return cls(end, 1.0)
        return cls(least, largest - least)

    def slopes(self, before: Floats, after: Floats, slopes: Floats, n: int) -> Floats:
        """How far a shift of all answers moves the mean of n, per unit of log odds, on the way between two means.

        That is `slopes` at the first, changed as the logistic curve's mean slope is between the two; and at most that.
        """
        if not self.width:
            return np.zeros(len(before))
        shares = ((np.stack([before, after]) - self.lowest) / self.width * n + 0.5) / (n + 1)
        start, end = np.clip(shares, 0.5 / (n + 1), 1 - 0.5 / (n + 1))
        at_start, is_moved = start * (1 - start), np.abs(start - end) > _SLACK
        steps = np.where(is_moved, logit(start) - logit(end), 1.0)
        between = np.where(is_moved, (start - end) / steps, at_start)
        return np.asarray(np.minimum(slopes * np.maximum(between / at_start, 1.0), self.width * between))


@dataclass(frozen=True)
class _Nights:
    """How much the means of nightly runs vary, for each run from which on they may have changed.

    A night may move all answers alike. By how much nights differ is unknown: before any was seen, sds of 0 to 0.4 log
    odds are as likely as each other, and larger ones hardly (1 / (1 + (sd / 0.4)^8)). A shift of all log odds by sd
    moves a mean by sd times its slope (that of the logistic curve where the answers lie), so that a mean has the
    variance V + (sd slope)^2, V that by its answers. The squared steps between successive means (von Neumann, 1941), W
    in sum, are about as likely by each sd as a chi-squared variable of `count` degrees: so the nights seen say which
    sds remain. The p-value of a fall is the mean of those by each sd, weighed by how likely it is.
    """

    variances: Floats  # V, of one run's mean
    degrees: Floats  # of these
    within: Floats  # W
    count: Floats  # its degrees of freedom
    slopes: Floats  # before the change

    def p_values(self, falls: Floats, scales: Floats, slopes: Floats, own: float | Floats = 0.0) -> Floats:
        """Returns the share of months that show such falls by the answers and by what nights may have in common.

        A fall varies `scales` times as much as one run's mean; `slopes` is the slope between its two means. The part of
        it that is `own` to some answers is held against their noise alone.
        """
        scores = self.scores(falls, scales, self._parts(slopes, own))
        return np.asarray((self._weights * monthly_p_value(scores)).sum(axis=0))

    def scores(self, falls: Floats, scales: Floats, parts: float | Floats = 1.0) -> Floats:
        """Returns such parts of the falls as normal scores, where the variance of a run's mean is V."""
        degrees = np.where(self.variances > _SLACK**2, self.degrees, np.inf)
        t = np.where(falls > _SLACK, falls, 0.0) * parts / (scales * np.sqrt(self._floor))
        return np.asarray(np.minimum(normal_of_t(t, degrees), FURTHEST))

    def p_of_steps(self, falls: Floats, scales: Floats, slopes: Floats, own: Floats, flips: float) -> Floats:
        """Returns the p-values of first steps, where a normal score of the signs may be the larger one."""
        parts = self._parts(slopes, own)
        scores = np.maximum(self.scores(falls, scales, parts), flips * parts)
        return np.asarray((self._weights * ndtr(-scores)).sum(axis=0))

    def _parts(self, slopes: Floats, own: float | Floats) -> Floats:
        """What is left of a score by the answers alone, by each sd of nights: (sds, runs); `own` of it in any case."""
        return np.maximum(own, 1 / np.sqrt(self._ratios(slopes)))

    @cached_property
    def _weights(self) -> Floats:
        """How likely each sd is: (sds, runs)."""
        ratios = self._ratios(self.slopes)
        likely = np.log(_PRIOR) - (self.count * np.log(ratios) + self.within / self._floor / ratios) / 2
        weights = np.exp(likely - likely.max(axis=0))
        return np.asarray(weights / weights.sum(axis=0))

    def _ratios(self, slopes: Floats) -> Floats:
        """The variance of a mean, by each sd, over that by its answers."""
        return np.asarray(1 + (_SHIFTS * slopes) ** 2 / self._floor)

    @property
    def _floor(self) -> Floats:
        return np.maximum(self.variances, _SLACK**2)

    def effective_sizes(self, share: float, scales: Floats, level: float) -> Floats:
        """Returns how many independent values would give a share these standard errors; inf where nothing varies."""
        needed = needed_z(level)
        factor = np.array([needed / t_quantile(NormalDist().cdf(needed), float(one)) for one in self.degrees])
        known = (self.variances > _SLACK**2) & (0 < share < 1)
        return np.where(
            known, share * (1 - share) / np.where(known, self.variances, 1) * (factor / scales) ** 2, np.inf
        )


def _is_tied(values: Floats) -> Bools:
    """Which values stand more than once, as on a coarse scale."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((counts > 1)[places])


def _rare_change(sizes: Places, extent: float, together: float = 0.0) -> float:
    """The least standard error of a run's mean, where the runs have shown few changes or none.

    That of one sample of n a night that changes by the whole range, groups as wholes (each group of n_g samples in one
    night of n): range sqrt(sum(n_g^2) / n) / n. As many samples as changed together so far may do so again, up to a
    twentieth. Fewer than five samples count as five, so that they can fail at all.
    """
    n = int(sizes.sum())
    share = max(math.sqrt(int((sizes.astype(int) ** 2).sum()) / n) / n, min(_MOST_TOGETHER, together / n))
    return extent * min(share, _MOST_OF_FEW)


def _variance(values: Floats, numbers: Places) -> tuple[float, float]:
    """(the CR2 variance of the mean over groups, its degrees of freedom); 0 and 0 where there is one group."""
    sizes = np.bincount(numbers).astype(float)
    if (sizes > 0).sum() < 2:
        return 0.0, 0.0
    n = len(values)
    shares = sizes / n
    deviations = np.bincount(numbers, weights=values) - values.mean() * sizes
    return float((deviations**2 / (1 - shares)).sum()) / n**2, cr2_degrees(shares)


def _share_scores(shares: Floats, bound: float, sizes: Floats) -> Floats:
    """The normal quantiles of where shares of so many values lie in the binomial distribution of a bound."""
    if not 0 < bound < 1:
        return np.where(bound > shares, FURTHEST, -FURTHEST)
    known = np.isfinite(sizes)
    sizes = np.where(known, sizes, 1.0)
    chance = betainc(sizes * (1 - shares), sizes * shares + 1, 1 - bound)
    return np.where(known, -np.maximum(ndtri(chance), -FURTHEST), np.where(bound > shares, FURTHEST, -FURTHEST))
