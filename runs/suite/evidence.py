"""How much the nightly runs so far say that a figure is worse than it must be, and when that is enough to fail.

Values are oriented so that lower is worse: (samples, runs), the newest run last, NaN where a run has no value.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

from ...meta_eval.groups import t_quantile
from ...meta_eval.monthly_p_value import (
    FURTHEST,
    LONGEST,
    monthly_p_value,
    needed_z,
    night_correlation,
    variance_of_mean,
)

if TYPE_CHECKING:
    from ...meta_eval.arrays import Bools, Floats, Places

RELEASES = 5
"""In a month, so many changes of single answers that change nothing on average must not raise an alarm either."""

SUSPECT = 2
"""Where no noise is known yet, a run joins no baseline if its evidence is a failure's divided by this, or more: its own
fall would be the noise that hides the next one. By simulation (benchmarks/results/figures.md, Gates)."""

LARGE = 0.15
"""A fall beyond the noise by this share of the metric's range fails however few groups of answers fell."""

_FLIPS = 9999
_PRIOR_NIGHTS, _KNOWN_NIGHTS, _PRIOR_VARIANCE, _MANY = 2, 10, 1.5, 1e9  # see `_Nights`
_MOST_TOGETHER = 0.05  # of the samples: as many as have changed together may do so again
_KNOWN_CHANGES = 30  # from which on the noise is known, and no rare change has to be feared
_MOST_OF_FEW = 0.2  # of the range: one of five samples
_SLACK = 1e-9  # differences and standard errors below it are rounding
_FOUR_IN_FIVE = NormalDist().inv_cdf(0.8)


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
    # A fall since the baseline smaller than this would often be missed in one run (more than one time in five); None
    # where the runs do not differ, and for a bound
    missed: float | None = None
    missed_in_week: float | None = None  # the same for seven runs that fell together
    is_of_few: bool = False  # whether it is a fall that is more than noise, but of too few answers to call it one
    # tonight less the accepted runs, with its 95% interval, where that lies below 0; else None
    since_accepted: tuple[float, float, float] | None = None
    is_suspect: bool = False  # whether it passed, and yet joins no baseline and no noise (`SUSPECT`)


class Falls:
    """The runs of one figure, of which later ones may have fallen below the accepted ones.

    The `groups` are numbers, the same in all figures of one run. A run that is not `usable` says nothing of the figure.
    """

    def __init__(
        self, values: "Floats", groups: "Places", *, accepted: int, allowed: float, usable: Sequence[bool] | None = None
    ) -> None:
        import numpy as np

        known = ~np.isnan(values)
        means = np.where(known, values, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        self._values = np.where(known, values, means[:, None])  # a missing value is no change
        self._means = self._values.mean(axis=0)
        self._groups, self._allowed, self._usable = groups, allowed, usable
        self._noise = _Noise(self._values, groups)
        self._runs = list[int]()  # all that may have fallen together
        self._baseline = list[int]()  # those of them that later runs are compared with
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
            self._runs.append(run)
            if not is_suspect:
                self._baseline.append(run)
                self._noise.add(run)

    def candidate(self, night: int) -> "_Candidate":
        """The fall up to a nightly run that is most beyond the noise: since any run, from those before or accepted."""
        import numpy as np

        runs, first = [*self._runs, night], len(self._accepted)
        lengths = np.arange(1, min(LONGEST, len(runs) - first) + 1)
        starts = len(runs) - lengths
        ends = np.tile(lengths, 2)
        known = [*self._baseline, night]
        ahead = np.searchsorted(self._baseline, runs)[starts]  # how many of the baseline are before each start
        others = np.concatenate([ahead, np.full(len(starts), first)])
        sums, sums_of_known = (np.concatenate([[0.0], np.cumsum(self._means[ones])]) for ones in (runs, known))
        changes = (sums[-1] - sums[starts])[np.tile(lengths - 1, 2)] / ends - sums_of_known[others] / others
        scale = self._scale(ends, others)
        nights = self._nights(night, np.tile(len(known) - ahead, 2))
        nights = nights.by_steps(self._means[known], others == first, self._noise.correlation)
        falls = nights.scores(-(changes + self._allowed), scale)
        place = int(falls.argmax())
        length, before = int(ends[place]), int(others[place])
        after = self._values[:, runs[-length:]].mean(axis=1)
        falls_of_answers = self._values[:, self._baseline[:before]].mean(axis=1) - after - self._allowed
        fall, extent = float(falls_of_answers.mean()), _extent(self._values[:, runs])
        p, p_of_large = 0.0, 1.0
        if self._noise.pairs:  # else nothing is known of the noise: the choice of the questions decides alone
            p = monthly_p_value(float(falls[place]))
            if fall >= LARGE * extent:
                rare = _rare_change(np.bincount(self._groups), extent)
                p_of_large = max(p, monthly_p_value(fall / (rare * float(scale[place]))))
        sums = np.asarray(np.bincount(self._groups, weights=falls_of_answers), float)
        sizes = np.bincount(self._groups).astype(float)
        return _Candidate(-fall - self._allowed, length, before, p, p_of_large, sums, sizes)

    def weigh(self, night: int, candidate: "_Candidate", p_of_choice: float, levels: "Levels") -> Evidence:
        """What a nightly run says, given how often the choice of the questions gives as much."""
        reference = self._means[self._baseline[: candidate.before]].mean()
        fell = self._means[night] < reference - self._allowed - _SLACK
        p = min(1.0, max(candidate.p_of_noise, p_of_choice), candidate.p_of_large)
        tonight, baseline = float(self._means[night] - self._means[self._baseline].mean()), len(self._baseline)
        failed = bool(p <= levels.noise and fell)
        is_of_few = bool(self._noise.pairs and fell and not failed and candidate.p_of_noise <= levels.noise)
        change, nights, before = candidate.change, candidate.nights, candidate.before
        is_suspect = bool(fell and not self._noise.pairs and not failed and p <= SUSPECT * levels.noise)
        missed, since = self._missed(night, levels), self._since_accepted(night)
        return Evidence(change, nights, before, tonight, baseline, p, failed, *missed, is_of_few, since, is_suspect)

    def _since_accepted(self, night: int) -> tuple[float, float, float] | None:
        """The change from the accepted runs to a nightly run by these runs alone, where its interval lies below 0."""
        changes = self._values[:, night] - self._values[:, self._accepted].mean(axis=1)
        variance, degrees = _variance(changes, self._groups)
        change, half = float(changes.mean()), t_quantile(0.975, max(1.0, degrees)) * math.sqrt(variance)
        is_below = variance > _SLACK**2 and change + half < -_SLACK
        return (change, change - half, change + half) if is_below else None

    def _nights(self, night: int, lengths: "Places") -> "_Nights":
        variances, degrees = self._noise.variances(night, lengths)
        return _Nights.split(
            self._means[[*self._baseline, night]], lengths, variances, degrees, self._noise.correlation
        )

    def _scale(self, lengths: "Places", before: "Places") -> "Floats":
        """The standard error of a change of means, where that of one run is 1."""
        import numpy as np

        correlation = self._noise.correlation
        return np.sqrt(variance_of_mean(lengths, correlation) + variance_of_mean(before, correlation))

    def _missed(self, night: int, levels: "Levels") -> tuple[float | None, float | None]:
        """The falls that one run, and seven together, would often miss."""
        import numpy as np

        changes = self._values[:, night] - self._values[:, self._baseline].mean(axis=1)
        variance, degrees = _variance(changes, self._groups)
        needed = t_quantile(1 - levels.choice / RELEASES, max(1.0, degrees)) + _FOUR_IN_FIVE
        in_run = in_week = needed * math.sqrt(variance) if variance > _SLACK**2 else 0.0
        if self._noise.pairs:
            nights = self._nights(night, np.array([1]))
            scales = self._scale(np.array([1, 7]), np.full(2, len(self._baseline)))
            one, seven = (nights.missed(float(scale), levels.noise) for scale in scales)
            in_run, in_week = max(in_run, one), seven or in_week
        in_one, in_seven = (size + self._allowed if size else None for size in (in_run, in_week))
        return in_one, in_seven


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
    p_of_noise: float
    p_of_large: float  # where it is so large that the choice of the questions does not matter; else 1
    sums: "Floats"  # by group, how far its answers fell beyond what is allowed
    sizes: "Floats"


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
    import numpy as np

    from ...meta_eval.randomisation import sign_flip_max_t  # loaded late, with NumPy

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
        p_of_choice[asked] = RELEASES * p * levels.noise / levels.choice  # on the scale of one figure
    return [
        figure.weigh(night, candidate, float(p), levels)
        for figure, candidate, p in zip(figures, candidates, p_of_choice, strict=True)
    ]


def weigh_falls(
    values: "Floats", groups: Sequence[str], *, accepted: int, allowed: float, level: float
) -> list[Evidence]:
    """Weighs the evidence for a fall of one figure after each nightly run since the accepted ones."""
    import numpy as np

    falls = Falls(values, np.unique(np.asarray(groups), return_inverse=True)[1], accepted=accepted, allowed=allowed)
    weighed = list[Evidence]()
    for night in range(accepted, values.shape[1]):
        weighed += weigh_together([falls], night, Levels(level, level))
        if not weighed[-1].failed:
            falls.keep(night, is_suspect=weighed[-1].is_suspect)
    return weighed


def weigh_bound(
    values: "Floats", groups: Sequence[str], *, skipped: int, bound: float, level: float, is_share: bool
) -> list[Evidence]:
    """Weighs the evidence that the mean is below a bound, after each nightly run; the first runs show the noise only.

    The mean of the last 1, 2, ..., 30 nightly runs that did not fail is compared with the bound. The noise is that of
    the answers and, from the third run on, of the nights (`_Nights`); with one run alone that over groups, which is
    more. It is at least that of a rare change (`_rare_change`): a judge that repeated itself may change its mind. The
    figure is about these questions: how they were chosen is no noise. A share is compared by the binomial distribution
    at its effective size (Korn and Graubard, 1998), since few failures are not nearly normal. A run whose own mean
    reaches the bound does not fail.
    """
    import numpy as np

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
        seen = values[:, [*noise.runs, night]]
        lengths = np.arange(1, len(averages) + 1)
        scales = np.sqrt(variance_of_mean(lengths, noise.correlation))
        if noise.runs:
            variances, degrees = noise.variances(night, lengths)
        else:  # the choice of the answers moves a mean more than a night does
            variances, degrees = (np.array([one]) for one in _variance(values[present, night], numbers[present]))
        if len(noise.runs) > 1:
            means_of_runs = filled[:, [*noise.runs, night]].mean(axis=0)
            nights = _Nights.split(means_of_runs, lengths, variances, degrees, noise.correlation)
        else:
            nights = _Nights(variances, np.maximum(degrees, 1.0), np.zeros(1), np.array([_MANY]))
        rare = _rare_change(np.bincount(numbers[present]), 1.0 if is_share else _extent(seen, bound), noise.together)
        rare *= math.sqrt(_KNOWN_CHANGES / max(noise.changes, _KNOWN_CHANGES))
        if is_share and bound >= 1 - _SLACK:  # one sample below it says that the true share is
            rare = _SLACK
        share = float(np.nanmean(seen))
        shortfalls = bound - averages
        falls = np.minimum(nights.scores(shortfalls, scales), shortfalls / (rare * scales))
        if is_share:
            sizes = nights.effective_sizes(share, scales, level)
            falls = np.minimum(falls, _share_scores(averages, bound, sizes))
        place = int(np.argmax(falls))
        p = monthly_p_value(float(falls[place]))
        failed = mean < bound - _SLACK and p <= level
        weighed.append(Evidence(float(averages[place]) - bound, place + 1, 0, mean - bound, 0, p, failed))
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

    def __init__(self, values: "Floats", numbers: "Places") -> None:
        self.runs = list[int]()
        self._values, self._numbers = values, numbers
        self._steps = list[tuple[float, float]]()  # variance of the mean by its answers, degrees
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
        import numpy as np

        if not self._two_apart:
            return 0.0
        correlation = night_correlation(float(np.median(self._squares)), float(np.median(self._two_apart)))
        return max(0.0, correlation - 2 / math.sqrt(len(self._numbers) * len(self._two_apart)))

    def add(self, run: int) -> None:
        """Adds the next run."""
        import numpy as np

        if self.runs:
            changes = self._changes(run, 1)
            by_group = np.bincount(self._numbers, weights=changes) ** 2
            self._second += float(by_group.sum())
            self._fourth += float((by_group**2).sum())
            self._squares.append(float((changes**2).sum()))
            self._steps.append(self._step(run))
        if len(self.runs) > 1:
            self._two_apart.append(float((self._changes(run, 2) ** 2).sum()))
        self.runs.append(run)

    def variances(self, night: int, lengths: "Places") -> tuple["Floats", "Floats"]:
        """Returns the variance of one run's mean, for changes since so many runs before a night, and its degrees.

        The step into the change is no noise, unless there is no other.
        """
        import numpy as np

        steps = np.array([*self._steps, self._step(night)])
        counted = np.ones((len(lengths), len(steps)))
        inside = np.flatnonzero(lengths <= len(steps))
        if len(steps) > 1:
            counted[inside, len(steps) - lengths[inside]] = 0
        variances, degrees = (counted @ steps).T
        return variances / counted.sum(axis=1) / (1 - self.correlation), np.maximum(degrees, 1.0)

    def _changes(self, run: int, steps: int) -> "Floats":
        """How far each answer's value is from that of so many runs before."""
        return self._values[:, run] - self._values[:, self.runs[-steps]]

    def _step(self, run: int) -> tuple[float, float]:
        variance, degrees = _variance(self._changes(run, 1), self._numbers)
        return variance / 2, degrees


@dataclass(frozen=True)
class _Nights:
    """How much the means of nightly runs vary, for each run from which on they may have changed.

    A night may move all answers alike, so the variance of a mean is unknown, and at least that by its answers. Evidence
    is the signed root of the likelihood ratio of a change to none, each with the variance that makes it likeliest: with
    V(S) = max(variance by answers, S / N), W the squared deviations of the means within their parts and z^2 the squared
    change over its scale, N log(V(W + z^2) / V(W)) + (W + z^2) / V(W + z^2) - W / V(W), where N is one more than W's
    degrees of freedom. Two more nights count, as if seen, that vary as the answers explain; and so do those of the
    first ten that were not seen yet, with one and a half times that variance, as where all answers of a night move
    alike by .1 to .15 log odds: else a plain fall would pass for the noise of two nights.
    """

    variances: "Floats"  # of one run's mean, by its answers
    degrees: "Floats"  # of these
    within: "Floats"  # W, without the two nights
    count: "Floats"  # its degrees of freedom

    @classmethod
    def split(
        cls, means: "Floats", lengths: "Places", variances: "Floats", degrees: "Floats", correlation: float
    ) -> "_Nights":
        """Splits the means before the last 1, 2, ... of them.

        Where neighbours correlate, n of them say less: of a mean by its variance, of a variance by (1 - r^2) / (1 +
        r^2) (Bayley and Hammersley, 1946).
        """
        import numpy as np

        centred = means - means.mean()
        sums, squares = (np.concatenate([[0.0], np.cumsum(one)]) for one in (centred, centred**2))
        within, count, first = np.zeros(len(lengths)), np.zeros(len(lengths)), len(means) - lengths
        for start, end in ((np.zeros_like(first), first), (first, first + lengths)):
            n = np.maximum(end - start, 1)
            within += squares[end] - squares[start] - (sums[end] - sums[start]) ** 2 / n
            count += n * (1 - variance_of_mean(n, correlation))
        information = (1 - correlation**2) / (1 + correlation**2)
        return cls(variances, degrees, np.maximum(within, 0.0) * information, count * information)

    def by_steps(self, means: "Floats", is_accepted: "Bools", correlation: float) -> "_Nights":
        """Takes W from the steps between successive nights (von Neumann, 1941) where that is less than in the parts.

        So a fall below the accepted runs that came a little each night does not pass for the noise of these nights. The
        steps say two thirds of what the deviations of as many nights do.
        """
        import numpy as np

        steps = np.diff(means)
        if len(steps) < 2:
            return self
        count = 2 / 3 * len(steps) * (1 - correlation**2) / (1 + correlation**2)
        within = float((steps**2).mean()) / 2 * count
        is_less = is_accepted & (within * self.count < self.within * count)
        return replace(self, within=np.where(is_less, within, self.within), count=np.where(is_less, count, self.count))

    def scores(self, falls: "Floats", scales: "Floats") -> "Floats":
        """Returns the evidence of falls as normal scores; a fall varies `scales` times as much as one run's mean."""
        import numpy as np

        floor = np.maximum(self.variances, _SLACK**2)
        size, within = self._size, self._within
        whole = within + (np.where(falls > _SLACK, falls, 0.0) / scales) ** 2
        of_whole, of_parts = np.maximum(floor, whole / size), np.maximum(floor, within / size)
        ratio = size * np.log(of_whole / of_parts) + whole / of_whole - within / of_parts
        return _normal_scores(np.sqrt(np.maximum(ratio, 0.0)), np.where(floor > _SLACK**2, self.degrees, np.inf))

    def missed(self, scale: float, level: float) -> float:
        """Returns the fall that is seen four times in five."""
        floor, size, within = float(self.variances[0]), float(self._size[0]), float(self._within[0])
        if floor < _SLACK**2:
            return 0.0
        of_parts = max(floor, within / size)
        needed = t_quantile(NormalDist().cdf(needed_z(level)), float(self.degrees[0]))
        part = needed**2 + size * math.log(of_parts / floor) + within / of_parts
        whole = floor * (part if part <= size else size * math.exp(part / size - 1))
        return scale * (math.sqrt(max(0.0, whole - within)) + _FOUR_IN_FIVE * math.sqrt(of_parts))

    def effective_sizes(self, share: float, scales: "Floats", level: float) -> "Floats":
        """Returns how many independent values would give a share these standard errors; inf where nothing varies."""
        import numpy as np

        needed = needed_z(level)
        factor = np.array([needed / t_quantile(NormalDist().cdf(needed), float(one)) for one in self.degrees])
        known = (self.variances > _SLACK**2) & (0 < share < 1)
        return np.where(
            known, share * (1 - share) / np.where(known, self.variances, 1) * (factor / scales) ** 2, np.inf
        )

    @property
    def _size(self) -> "Floats":
        return self.count + 1 + _PRIOR_NIGHTS + self._unseen

    @property
    def _within(self) -> "Floats":
        return self.within + (_PRIOR_NIGHTS + _PRIOR_VARIANCE * self._unseen) * self.variances

    @property
    def _unseen(self) -> "Floats":
        """How many of the first ten nights were not seen yet, less those that always count."""
        import numpy as np

        return np.maximum(_KNOWN_NIGHTS - _PRIOR_NIGHTS - self.count, 0.0)


def _rare_change(sizes: "Places", extent: float, together: float = 0.0) -> float:
    """The least standard error of a run's mean, where the runs have shown few changes or none.

    That of one sample of n a night that changes by the whole range, groups as wholes (each group of n_g samples in one
    night of n): range sqrt(sum(n_g^2) / n) / n. As many samples as changed together so far may do so again, up to a
    twentieth. Fewer than five samples count as five, so that they can fail at all.
    """
    n = int(sizes.sum())
    share = max(math.sqrt(int((sizes.astype(int) ** 2).sum()) / n) / n, min(_MOST_TOGETHER, together / n))
    return extent * min(share, _MOST_OF_FEW)


def _extent(values: "Floats", *others: float) -> float:
    """From the least value to the largest; 1 where all lie in [0, 1], or turned in [-1, 0]."""
    import numpy as np

    least, largest = min([float(np.nanmin(values)), *others]), max([float(np.nanmax(values)), *others])
    return 1.0 if 0 <= least <= largest <= 1 or -1 <= least <= largest <= 0 else largest - least


def _variance(values: "Floats", numbers: "Places") -> tuple[float, float]:
    """(the CR2 variance of the mean over groups, its degrees of freedom); 0 and 0 where there is one group."""
    import numpy as np

    sizes = np.bincount(numbers).astype(float)
    if (sizes > 0).sum() < 2:
        return 0.0, 0.0
    n = len(values)
    shares = sizes / n
    deviations = np.bincount(numbers, weights=values) - values.mean() * sizes
    spread = (sizes**2 * (1 - 2 * shares) / (1 - shares) ** 2).sum() + (sizes**2 / (1 - shares)).sum() ** 2 / n**2
    return float((deviations**2 / (1 - shares)).sum()) / n**2, n**2 / float(spread)


def _normal_scores(t: "Floats", degrees: "Floats") -> "Floats":
    """The normal quantiles of where values lie in Student's distribution."""
    import numpy as np
    from scipy.special import ndtri, stdtr

    return np.asarray(-np.maximum(ndtri(stdtr(np.minimum(degrees, _MANY), -t)), -FURTHEST))


def _share_scores(shares: "Floats", bound: float, sizes: "Floats") -> "Floats":
    """The normal quantiles of where shares of so many values lie in the binomial distribution of a bound."""
    import numpy as np
    from scipy.special import betainc, ndtri

    if not 0 < bound < 1:
        return np.where(bound > shares, FURTHEST, -FURTHEST)
    known = np.isfinite(sizes)
    sizes = np.where(known, sizes, 1.0)
    chance = betainc(sizes * (1 - shares), sizes * shares + 1, 1 - bound)
    return np.where(known, -np.maximum(ndtri(chance), -FURTHEST), np.where(bound > shares, FURTHEST, -FURTHEST))
