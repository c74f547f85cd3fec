"""How much the nightly runs so far say that a figure is worse than it must be, and when that is enough to fail.

Values are oriented so that lower is worse: (samples, runs), the newest run last, NaN where a run has no value.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

from ...meta_eval.groups import t_quantile
from ...meta_eval.monthly_p_value import FURTHEST, LONGEST, monthly_p_value, needed_z
from ..pair_difference import paired_difference

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats, Places

RELEASES = 5
"""In a month, so many changes of single answers that change nothing on average must not raise an alarm either."""

LARGE = 0.15
"""A fall beyond the noise by this share of the metric's range fails however few groups of answers fell."""

_MOST_RARE = 0.05  # of the range: a fall by a fifth of it is no rare change
_MOST_OF_FEW = 0.2  # of the range: one of five samples
_KNOWN = 30.0  # changes
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
    # where the fall is more than the noise and in too few groups for the signs to tell (see `weigh_falls`), how many
    # groups fell; 0 elsewhere, and for a bound
    fallen_groups: int = 0


def weigh_falls(
    values: "Floats", groups: Sequence[str], *, accepted: int, allowed: float, level: float
) -> list[Evidence]:
    """Weighs the evidence for a fall since the accepted runs, after each nightly run.

    The runs before a fall are its baseline: the accepted ones and every nightly run until the fall. When it was is not
    known, so that each of the last 30 nightly runs may be the first of those that fell. A fall must be more than

    - the noise between runs would show in a month without a change (`monthly_p_value`). The noise of a run's mean comes
      from the differences between successive runs (von Neumann, 1941), summed by group (CR2, Bell and McCaffrey, 2002);
    - the choice of the questions explains: the signs of the groups' changes are flipped (`paired_difference`) at a
      fifth of the level, since this is a question per change of the system and not per nightly run.

    The first run after the baseline, where the noise is not known yet, is held against the second alone. It takes a
    fifth of the level, and all later ones share the rest.

    With k groups that fell, the flips give at best 2^-k. So a fall of 0.15 of the metric's range and more that lies
    beyond the noise fails without the flips. One that is smaller, and in so few groups that the flips cannot tell,
    passes with the number of these groups. In both cases the noise is at least `_Noise.of_rare_change`, since that of a
    judge that has not changed its mind yet is not known.

    After a failed run, or one with a fall in few groups, the baseline and the fall stay as they are until a run is
    nearer to the baseline than to the fall; the runs in between are then left out.
    """
    runs = _Runs(values, groups, accepted, allowed, level)
    baseline, fallen = list(range(accepted)), list[int]()
    weighed: list[Evidence] = []
    for night in range(accepted, values.shape[1]):
        is_back = not fallen or runs.change([night], baseline) >= (runs.change(fallen, baseline) - allowed) / 2
        if fallen and not is_back and weighed[-1].failed:
            fallen.append(night)
            newest = replace(
                weighed[-1],
                change=runs.change(fallen, baseline),
                nights=len(fallen),
                before=len(baseline),
                tonight=runs.change([night], baseline),
                baseline=len(baseline),
            )
            weighed.append(newest)
            continue
        fallen = [] if is_back else fallen
        newest = runs.weigh(night, baseline, fallen)
        weighed.append(newest)
        if newest.failed or newest.fallen_groups:
            seen = [*baseline, *fallen, night]
            baseline, fallen = seen[: -newest.nights], seen[-newest.nights :]
        elif is_back:
            baseline = [*baseline, night]
        else:
            fallen = [*fallen, night]
    return weighed


class _Runs:
    """The runs that may have fallen, for `weigh_falls`, whose arguments it takes."""

    def __init__(self, values: "Floats", groups: Sequence[str], accepted: int, allowed: float, level: float) -> None:
        import numpy as np

        known = ~np.isnan(values)
        means = np.where(known, values, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        self._values = np.where(known, values, means[:, None])  # a missing value is no change
        self._means = self._values.mean(axis=0)
        self._groups = list(groups)
        self._numbers = np.unique(np.asarray(groups), return_inverse=True)[1]
        self._noise = _Noise(values, self._numbers)
        self._sizes = np.bincount(self._numbers).astype(float)
        self._accepted, self._allowed, self._level = accepted, allowed, level

    def change(self, runs: Sequence[int], baseline: Sequence[int]) -> float:
        """The mean of some runs less that of others."""
        return float(self._means[runs].mean() - self._means[baseline].mean())

    def weigh(self, night: int, baseline: Sequence[int], fallen: Sequence[int]) -> Evidence:
        """The evidence after a run, with a baseline that has not fallen until then, and runs since that may have."""
        import numpy as np

        runs = [*baseline, *fallen, night]
        error, degrees = self._noise.error(night)
        lengths = np.arange(1, min(LONGEST, len(runs) - self._accepted) + 1)
        counts, sums = np.minimum(len(runs) - lengths, len(baseline)), np.cumsum(self._means[runs])
        changes = (sums[-1] - sums[len(runs) - lengths - 1]) / lengths - sums[counts - 1] / counts
        scales = np.sqrt(1 / lengths + 1 / counts)
        falls = -_standardise(changes + self._allowed, error * scales)
        place = int(falls.argmax())
        nights, count, tonight = int(lengths[place]), int(counts[place]), self.change([night], baseline)
        before, after = runs[:count], runs[-nights:]
        score = _normal_score(float(falls[place]), degrees)
        p_of_noise = self._p_of_noise(night, score)
        p = 0.0 if night == self._accepted else p_of_noise
        if p <= 0.5:  # the flips take time, and what the noise explains needs no other reason
            p = max(p, min(1.0, RELEASES * self._p_of_choice(after, before)))
        fallen_groups = 0
        if p > self._level:
            fall, extent = -float(changes[place]) - self._allowed, _extent(self._values[:, : night + 1])
            rare = fall / (self._noise.of_rare_change(night, self._sizes, extent) * float(scales[place]))
            is_large, is_first = fall >= LARGE * extent, night == self._accepted
            p_of_rare = self._p_of_noise(night, rare)
            p_of_both = p_of_rare if is_first else max(p_of_rare, p_of_noise)
            if (p_of_rare if is_large else p_of_both) <= self._level and tonight < -self._allowed:
                fallen_groups = self._count_fallen(after, before)
                if is_large and not is_first and p_of_both <= self._level:
                    p = p_of_both
                elif RELEASES * 2.0**-fallen_groups < self._level:  # as many could tell, and do not
                    fallen_groups = 0
        failed = p <= self._level and tonight < -self._allowed
        missed = self._missed(night, baseline, error, degrees)
        return Evidence(float(changes[place]), nights, count, tonight, len(baseline), p, failed, *missed, fallen_groups)

    def _p_of_noise(self, night: int, score: float) -> float:
        """The share of months in which noise reaches this score; the first run takes a fifth of the level."""
        if night == self._accepted:
            return min(1.0, RELEASES * NormalDist().cdf(-score))
        return min(1.0, monthly_p_value(score) / (1 - 1 / RELEASES))

    def _count_fallen(self, after: Sequence[int], before: Sequence[int]) -> int:
        """How many groups fell: by three of their own standard errors, and half as far as the one that fell most."""
        import numpy as np

        changes = self._values[:, after].mean(axis=1) - self._values[:, before].mean(axis=1)
        falls = -np.bincount(self._numbers, weights=changes) / self._sizes
        errors = self._noise.errors_by_group(before[-1]) * len(changes) / self._sizes
        needed = 3 * errors * math.sqrt(1 / len(after) + 1 / len(before))
        return max(1, int(((falls > needed) & (falls >= falls.max() / 2)).sum()))

    def _p_of_choice(self, after: Sequence[int], before: Sequence[int]) -> float:
        """How often flipped signs of the groups' changes give as large a fall."""
        changes = self._values[:, after].mean(axis=1) - self._values[:, before].mean(axis=1)
        return paired_difference(changes.tolist(), self._groups, side="below", against=-self._allowed).p or 1.0

    def _missed(
        self, night: int, baseline: Sequence[int], error: float, degrees: float
    ) -> tuple[float | None, float | None]:
        """The falls that one run, and seven together, would often miss."""
        spread, spread_degrees = _spread(self._values[:, night] - self._values[:, baseline].mean(axis=1), self._numbers)
        by_choice = _missed(spread, spread_degrees, -NormalDist().inv_cdf(self._level / RELEASES))
        needed = needed_z(self._level * (1 - 1 / RELEASES))
        in_run, in_week = (_missed(error * math.sqrt(1 / n + 1 / len(baseline)), degrees, needed) for n in (1, 7))
        in_run = by_choice if night == self._accepted else max(by_choice, in_run)
        one, seven = (size + self._allowed if size else None for size in (in_run, in_week or by_choice))
        return one, seven


def weigh_bound(
    values: "Floats", groups: Sequence[str], *, skipped: int, bound: float, level: float, is_share: bool
) -> list[Evidence]:
    """Weighs the evidence that the mean is below a bound, after each nightly run.

    The mean of the last 1, 2, ..., 30 nightly runs is compared with the bound, as in `weigh_falls`. The noise comes
    from the differences between successive runs of the same samples; with one run alone, from the spread over groups,
    which is more. In both cases it is at least that of a rare change (`_Noise.of_rare_change`): a judge that repeated
    itself, or changed its mind once, may do so again. The figure is about these questions: how they were chosen is no
    noise. A share is compared by the binomial distribution at its effective size (Korn and Graubard, 1998), since few
    failures are not nearly normal.

    A run whose own mean reaches the bound does not fail, and after a failed run the evidence starts anew with it.
    """
    import numpy as np

    numbers = np.unique(np.asarray(groups), return_inverse=True)[1]
    noise = _Noise(values, numbers)
    weighed: list[Evidence] = []
    means, has_failed = list[float](), False
    for night in range(skipped, values.shape[1]):
        present = ~np.isnan(values[:, night])
        if not present.any():
            continue
        mean = float(values[present, night].mean())
        if has_failed and mean >= bound - _SLACK:
            means, has_failed = [], False
        means.append(mean)
        error, degrees = noise.error(night)
        longest = min(LONGEST, len(means))
        if not noise.pairs(night):
            error, degrees = _spread(values[present, night], numbers[present])
            longest = 1
        seen = values[:, : night + 1] if noise.pairs(night) else values[:, [night]]
        size = _effective_size(float(np.nanmean(seen)), error, degrees, level) if is_share else None
        extent = 1.0 if is_share else _extent(values[:, : night + 1], bound)
        rare = noise.of_rare_change(night, np.bincount(numbers[present]), extent)
        if is_share and bound >= 1 - _SLACK:  # one sample below it says that the true share is
            rare = _SLACK
        lengths = np.arange(1, longest + 1)
        averages = np.cumsum(means[::-1])[:longest] / lengths
        falls = [
            min(
                _shortfall(float(average), bound, (error, degrees), nights=int(length), size=size),
                (bound - float(average)) / rare * math.sqrt(length),
            )
            for average, length in zip(averages, lengths, strict=True)
        ]
        place = int(np.argmax(falls))
        p = monthly_p_value(falls[place])
        failed = mean < bound - _SLACK and (has_failed or p <= level)
        p = min(p, level) if failed else p
        weighed.append(Evidence(float(averages[place]) - bound, place + 1, 0, mean - bound, 0, p, failed))
        has_failed = failed or (has_failed and mean < bound)
    return weighed


class _Noise:
    """The standard error of one run's mean, from the differences between successive runs, summed by group.

    The expected squared difference of two runs without a change is twice the variance of one. Each pair is centred, so
    that a change of all samples is no noise. The degrees of freedom are Satterthwaite's (1946): the smaller of what the
    groups' sizes give (Pustejovsky and Tipton, 2018) and what their squared deviations do, where few groups vary.
    """

    def __init__(self, values: "Floats", numbers: "Places") -> None:
        import numpy as np

        groups = int(numbers.max()) + 1 if len(numbers) else 0
        self._variances = np.zeros((values.shape[1], groups))  # up to this run, summed
        self._pairs = np.zeros(values.shape[1], int)
        self._degrees = np.zeros(values.shape[1])
        self._squares = np.zeros((values.shape[1], 3))  # of the changes, by group and by sample, and fourth powers
        for run in range(1, values.shape[1]):
            differences = values[:, run] - values[:, run - 1]
            both = ~np.isnan(differences)
            variances, degrees = _variances_by_group(differences[both], numbers[both], groups)
            has_degrees = degrees > 0
            centred = differences[both] - differences[both].mean() if both.any() else differences[both]
            of_groups = np.bincount(numbers[both], weights=centred, minlength=groups)
            powers = [(of_groups**2).sum(), (centred**2).sum(), (of_groups**4).sum()]
            self._squares[run] = self._squares[run - 1] + powers
            self._variances[run] = self._variances[run - 1] + variances / 2
            self._pairs[run] = self._pairs[run - 1] + has_degrees
            self._degrees[run] = self._degrees[run - 1] + degrees

    def pairs(self, run: int) -> int:
        """How many pairs of successive runs there are up to a run."""
        return int(self._pairs[run])

    def error(self, run: int) -> tuple[float, float]:
        """(standard error of one run's mean, degrees of freedom), from the runs up to this one."""
        pairs, variances = self.pairs(run), self._variances[run]
        total = float(variances.sum())
        if not pairs or total <= 0.0:
            return 0.0, max(1.0, float(self._degrees[run]))
        varying = total**2 / float((variances**2).sum())
        # a normal variable's fourth moment is 3: of P pairs the squares of P + 2 give the square of the variance
        degrees = min(float(self._degrees[run]), (pairs + 2) * varying)
        return math.sqrt(total / pairs), max(1.0, degrees)

    def of_rare_change(self, run: int, sizes: "Floats | Places", extent: float) -> float:
        """The least standard error of a run's mean, where the runs have shown few changes or none.

        That of one sample of n a night that changes by the whole range R, groups as wholes (each group of n_g samples
        in one night of n): the variance of the mean is R^2 sum(n_g^2) / n^3, which for groups of one is R^2 / n^2. And
        that of as many samples as changed together so far, sum(D_g^2) / sum(d_i^2) with the changes d_i and their sums
        D_g by group, but at most 0.05 R. The changes count as sum(D_g^2)^2 / sum(D_g^4) equal ones; where these are k
        and more than 30, the noise is known, and this is multiplied by sqrt(30 / k). Fewer than five samples count as
        five, so that they can fail at all.
        """
        n = float(sizes.sum())
        of_groups, of_samples, fourth = self._squares[run]
        together = known = 0.0
        if of_samples > _SLACK**2:
            together, known = float(of_groups / of_samples), float(of_groups**2 / max(fourth, _SLACK**4))
        share = max(math.sqrt(float((sizes.astype(float) ** 2).sum()) / n) / n, min(_MOST_RARE, together / n))
        return extent * min(share, _MOST_OF_FEW) * math.sqrt(_KNOWN / max(known, _KNOWN))

    def errors_by_group(self, run: int) -> "Floats":
        """What each group adds to the standard error of one run's mean, from the runs up to this one."""
        import numpy as np

        errors: Floats = np.sqrt(self._variances[run] / max(self.pairs(run), 1))
        return errors


def _extent(values: "Floats", *others: float) -> float:
    """From the least value to the largest; 1 where all lie in [0, 1], or turned in [-1, 0]."""
    import numpy as np

    least, largest = min([float(np.nanmin(values)), *others]), max([float(np.nanmax(values)), *others])
    return 1.0 if 0 <= least <= largest <= 1 or -1 <= least <= largest <= 0 else largest - least


def _variances_by_group(values: "Floats", numbers: "Places", groups: int) -> tuple["Floats", float]:
    """(by group, what it adds to the CR2 variance of the mean; the degrees of freedom, 0 where nothing can be said)."""
    import numpy as np

    sizes = np.bincount(numbers, minlength=groups).astype(float)
    if (sizes > 0).sum() < 2:
        return np.zeros(groups), 0.0
    n = len(values)
    shares = sizes / n
    deviations = np.bincount(numbers, weights=values, minlength=groups) - values.mean() * sizes
    spread = (sizes**2 * (1 - 2 * shares) / (1 - shares) ** 2).sum() + (sizes**2 / (1 - shares)).sum() ** 2 / n**2
    return deviations**2 / (1 - shares) / n**2, n**2 / float(spread)


def _spread(values: "Floats", numbers: "Places") -> tuple[float, float]:
    """(standard error of the mean over groups, degrees of freedom); no error where there is one group."""
    variances, degrees = _variances_by_group(values, numbers, int(numbers.max()) + 1)
    return (math.sqrt(float(variances.sum())), degrees) if degrees else (0.0, 1.0)


def _standardise(differences: "Floats", errors: "Floats") -> "Floats":
    import numpy as np

    return np.where(np.abs(differences) < _SLACK, 0.0, differences) / np.maximum(errors, _SLACK)


def _normal_score(t: float, degrees: float) -> float:
    """The normal quantile of where a value lies in Student's distribution."""
    from scipy.special import ndtri, stdtr

    return -max(float(ndtri(stdtr(degrees, -t))), -FURTHEST)


def _effective_size(share: float, error: float, degrees: float, level: float) -> float | None:
    """How many independent values would give a share this standard error; None where there is no such number."""
    if error < _SLACK or not 0 < share < 1:
        return None
    needed = needed_z(level)
    return share * (1 - share) / error**2 * (needed / t_quantile(NormalDist().cdf(needed), degrees)) ** 2


def _shortfall(mean: float, bound: float, noise: tuple[float, float], *, nights: int, size: float | None) -> float:
    """How many standard errors the mean of some nightly runs lies below a bound, as a normal score.

    The `noise`, its standard error and degrees of freedom, and for a share the effective `size` are of one nightly run.
    """
    error, degrees = noise
    if abs(mean - bound) < _SLACK:
        return 0.0
    if error < _SLACK or (size is not None and not 0 < bound < 1):  # nothing varies: any shortfall is one
        return math.copysign(FURTHEST, bound - mean)
    if size is None:
        return _normal_score((bound - mean) / error * math.sqrt(nights), degrees)
    from scipy.special import betainc, ndtri

    reached = size * nights * mean
    return -max(float(ndtri(betainc(size * nights - reached, reached + 1, 1 - bound))), -FURTHEST)


def _missed(error: float, degrees: float, needed: float) -> float:
    """The fall that is seen four times in five, where so many standard errors are needed."""
    return (t_quantile(NormalDist().cdf(needed), degrees) + _FOUR_IN_FIVE) * error if error >= _SLACK else 0.0
