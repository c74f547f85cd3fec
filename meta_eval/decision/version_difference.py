"""How much better one version is than another, and how good each is: estimates with what each group does to them."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy import stats
from scipy.special import stdtrit

from ..arrays import Bools, Floats, Places
from ..estimate import TOO_FEW_GROUPS, Estimate
from ..groups import ENOUGH_PAIRED, FEWEST_GROUPS, effective_degrees, few_that_move, welch_degrees
from ..prediction_powered import moments, residual_mean
from ..randomisation import p_of_signs
from ..sequence import ERROR, MANY_DEGREES, ConfidenceSequence, Look
from .version_table import VersionQuestions, VersionTable

PRIOR_SPREADS = (0.01, 0.03, 0.1, 0.3)
"""Standard deviations of versions' means about their middle, as shares of the scale; each is as probable.

A change that hardly matters and one that matters much are both usual; one normal prior expects only one of them, and
its P(best) is too sure of the small differences (simulated: benchmarks/referee_checks/decide_best.py).
"""
FEWEST_DIFFERING = 6
"""With fewer groups that differ no winner is named: by chance alone five all differ one way in 1 of 16 cases."""
_DRAWS = 20_000
_FEW_SAME = 0.05  # of the questions: so few move no mean
_LARGEST_GROUP = 2.0  # times the usual size: beyond, one group counts for too much
_MOMENTS = 5
_NO_ERROR = 1e-12
_ROUNDING = 1e-9  # a smaller change of a metric is one of rounding in the computer


@dataclass(frozen=True, eq=False)
class GroupEstimate:
    """A figure, and how far each group of questions moves it."""

    value: float
    influence: Floats  # (groups,): the sum of the squares is the variance
    degrees: float  # degrees of freedom of the variance

    @property
    def error(self) -> float:
        """The standard error."""
        return float(np.sqrt(self.influence @ self.influence))

    def interval(
        self, rule: Look | ConfidenceSequence, comparisons: int = 1, *, least_p: float
    ) -> tuple[tuple[float, float], tuple[float, float], float]:
        """The interval, that of two one-sided tests, and the p-value; where the first holds 0, by `error_of_few`.

        The error is at least that of which the t test of one look and one comparison has the p-value `least_p`, or .5.
        """
        error, degrees = self.error, self.degrees
        if abs(self.value) <= rule.half_width(error, degrees, comparisons=comparisons):
            error, degrees = self.error_of_few
        if least_p > 0:
            t = -float(stdtrit(min(degrees, MANY_DEGREES), min(least_p, 0.5) / 2))
            error = max(error, abs(self.value) / t)
        half = rule.half_width(error, degrees, comparisons=comparisons)
        near = rule.half_width(error, degrees, sides=1)
        p = rule.p_value(self.value, error, degrees, comparisons=comparisons)
        return (self.value - half, self.value + half), (self.value - near, self.value + near), p

    @property
    def error_of_few(self) -> tuple[float, float]:
        """Standard error and degrees of freedom where few groups move the figure, which say less of how it varies.

        Where k are `few_that_move` it, the degrees of freedom are 2 k - 1, and the variance counts one such group more.
        """
        few = few_that_move(self.influence, self.degrees)
        return (self.error * float(np.sqrt((few + 1) / few)), 2.0 * few - 1) if few else (self.error, self.degrees)


@dataclass(frozen=True, eq=False)
class PairDifference(GroupEstimate):
    """The mean of one version less that of another, and what it rests on."""

    groups: int  # how many groups are rated in both versions
    questions: int  # how many questions both answered; where they share none, how many either did
    changed: int  # how many of these have another answer in the second version
    differing: int  # how many groups are rated otherwise in the second version, or in one version only
    least_p: float  # the p-value by the signs of these, where they are few: `p_of_signs`
    rated: int  # how many of the changed ones are rated, in both where any is
    both: int  # how many of them are rated in both
    groups_of_all: int  # how many groups all questions are of, in each version where they share none
    by_question: Floats  # what the difference is made of, (questions, columns)
    left_out: int = 0  # how many questions one of them did not answer
    gain: float = 1.0  # the variance by ratings alone, of that with the help of scores
    of_each: tuple[int, int] = (0, 0)  # of how many of the changed questions each version's answer is rated
    all_of_each: tuple[int, int] = (0, 0)  # how many of the changed questions each version answered
    is_paired: bool = True  # whether answers are compared question by question, and not the means of all of them
    counts: "GroupCounts | None" = None  # None of unpaired versions
    # how many rated questions, and how many of all changed ones, a group has (the mean by question)
    group_size: float = 1.0
    group_size_of_all: float = 1.0

    @cached_property
    def design(self) -> float:
        """How much more the figure varies than if no two questions were of one group (the design effect: Kish, 1965).

        It takes the influence of each question, and is asked for only where a decision is not settled.
        """
        alone = _leave_one_out(self.by_question, _solve_difference)[1]
        return float(self.influence @ self.influence) / float(alone @ alone) if alone.any() else 1.0

    @property
    def share(self) -> float:
        """The share of the information that there would be, were every changed question rated, in [0, 1].

        That is the variance with all ratings, which falls with their number, of today's. However much the scores seem
        to say, half of what is missing is left to the ratings to come.
        """
        share = self.known / self.at_hand if self.at_hand else 1.0
        return min(share * max(self.gain, 1.0), (1 + share) / 2)

    @property
    def known(self) -> float:
        """How many pairs that are rated in both versions say as much as the ratings; unpaired, their `precision`.

        Ratings of one version only are independent, and say as much as half as many pairs of each.
        """
        if not self.is_paired:
            return precision(self.of_each)
        first, second = (count - self.both for count in self.of_each)
        return self.both + precision((first, second))

    @property
    def at_hand(self) -> float:
        """What `known` comes to once everything is rated."""
        return self.changed if self.is_paired else precision(self.all_of_each)


def estimate_difference(questions: VersionQuestions, first: int, second: int, *, width: float) -> PairDifference:
    """Estimates how much higher the second version is rated than the first, on the questions that both answered.

    Questions that both answer alike differ by nothing, rated or not. On the others it is the mean difference of the
    pairs that are rated in both versions and, as far as there are any, that of ratings of one version or the other,
    weighted as if two ratings of one question were correlated by a half. The scores of all answers correct for which
    questions are rated: the regression estimator of survey statistics, which is prediction-powered inference with power
    tuning (PPI++, Angelopoulos, Duchi and Zrnic, 2023); the slope is at least 0. Errors come from leaving out one group
    at a time. Where every answer is rated, this is the paired t test over groups with their effective number.

    Versions that share less than half of the questions of the one with the fewest are compared unpaired, by the means
    of all their answers; leaving out a question takes it from both.
    """
    has = [questions.has[:, place] for place in (first, second)]
    shared = has[0] & has[1]
    is_paired = bool(shared.any() and shared.sum() >= ENOUGH_PAIRED * min(rows.sum() for rows in has))
    asked = [shared] * 2 if is_paired else has
    changed = [rows & ~questions.is_alike(first, second) for rows in asked] if is_paired else has
    ratings = [questions.ratings[:, place] for place in (first, second)]
    scores = [questions.scores[:, place] for place in (first, second)]
    known = [rows & ~np.isnan(values) for rows, values in zip(changed, ratings, strict=True)]
    both, either = known[0] & known[1] & is_paired, known[0] | known[1]
    either_changed = changed[0] | changed[1]
    answers, rated_answers = (
        [np.ones_like(counts[:, place]) if is_paired else counts[:, place] for place in (first, second)]
        for counts in (questions.answers, questions.rated)
    )
    columns: list[Floats | Bools] = [
        *moments(both, ratings[1] - ratings[0], scores[1] - scores[0]),
        *moments((known[0] & ~both) * rated_answers[0], ratings[0], scores[0]),
        *moments((known[1] & ~both) * rated_answers[1], ratings[1], scores[1]),
        *(part for own in zip(changed, answers, scores, strict=True) for part in _count_and_sum(*own)),
        asked[0] | asked[1],
        either_changed,
    ]
    sums = _sum_groups(columns, questions.group)
    value, influence = _leave_one_out(sums, _solve_difference)
    plain = _leave_one_out(np.where(_OF_SCORES, 0.0, sums), _solve_difference)[1]
    squares = float(influence @ influence)
    is_whole = all((one == other).all() for one, other in zip(known, changed, strict=True))
    rated = both if both.any() else either
    differences = np.where(changed[0], ratings[1] - ratings[0], 0.0)
    by_group = _sum_groups([np.where(both, ratings[1] - ratings[0], either)], questions.group)[:, 0]
    differs = np.abs(by_group) > _ROUNDING
    return PairDifference(
        value,
        influence,
        _degrees(influence, known if not both.any() else [asked[0] if is_whole else either], questions.group),
        groups=min(len(np.unique(questions.group[rows])) for rows in (asked if is_whole else known)),
        questions=int((asked[0] | asked[1]).sum()),
        changed=int(either_changed.sum()),
        differing=int(differs.sum()),
        least_p=p_of_signs(by_group if is_whole else np.abs(by_group)),
        rated=int(rated.sum()),
        both=int(both.sum()),
        left_out=int((has[0] ^ has[1]).sum()) if is_paired else 0,
        gain=float(plain @ plain) / squares if squares > 0 else 1.0,
        of_each=(int(known[0].sum()), int(known[1].sum())),
        all_of_each=(int(changed[0].sum()), int(changed[1].sum())),
        is_paired=is_paired,
        counts=count_groups(differences[asked[0]], questions.group[asked[0]], width) if is_paired else None,
        group_size=_group_size(questions.group[rated]),
        group_size_of_all=_group_size(questions.group[either_changed]),
        by_question=np.column_stack(columns).astype(float),
        groups_of_all=min(len(np.unique(questions.group[rows])) for rows in asked),
    )


def _group_size(group: Places) -> float:
    """How many questions the group of a question has on average: the number of questions over `effective_groups`."""
    sizes = np.bincount(group)
    return float((sizes**2).sum() / sizes.sum()) if len(group) else 1.0


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """How one metric sees two versions, on the questions that it scored in both: it never decides between them."""

    metric: str
    first: str
    second: str
    paired: Estimate  # mean of the second less that of the first, with its interval and p for this row by itself
    mean_a: float | None  # the mean of the first on these questions
    mean_b: float | None  # the mean of the second
    lost: int  # how many questions that both answered have a value in the first version only
    gained: int  # how many in the second only
    higher_is_better: bool | None = True  # None where neither more nor less is better

    @property
    def kind(self) -> Literal["better", "worse", "neither", "same", "unsettled", "unknown"]:
        """What it shows of the second version.

        `better` or `worse`, by this metric, where the interval leaves out 0; `neither` where it does, and the metric
        has no direction; `same` where the means are equal and no interval says otherwise; `unknown` where nothing was
        scored in both; else `unsettled`.
        """
        change = self.paired
        if change.value is None:
            return "unknown"
        if change.value and change.p is not None and change.p < ERROR:
            if self.higher_is_better is None:
                return "neither"
            return "better" if (change.value > 0) is self.higher_is_better else "worse"
        return "unsettled" if change.value or change.half_width else "same"

    @property
    def is_zero(self) -> bool:
        """Whether no answer that both versions scored has another value in the second."""
        return self.kind in ("same", "unknown")

    def as_json(self) -> dict[str, Any]:
        """Flat, for `--json`: the value of the estimate is called `difference`."""
        values = asdict(self)
        estimate = values.pop("paired")
        values |= {"difference": estimate.pop("value"), "kind": self.kind}
        return values | dict(estimate)


def compare_by_metrics(table: VersionTable) -> tuple[MetricDifference, ...]:
    """Compares each version with the one in use by each metric; several answers to one question are averaged."""
    rivals = range(1, len(table.versions))
    return tuple(_compare_metric(table, name, rival) for name in table.others for rival in rivals)


def _compare_metric(table: VersionTable, name: str, rival: int) -> MetricDifference:
    questions = VersionQuestions.of_columns(table, table.others[name], table.others[name])
    has = questions.has[:, 0] & questions.has[:, rival]
    before, after = questions.ratings[has, 0], questions.ratings[has, rival]
    both, differences = ~np.isnan(before) & ~np.isnan(after), after - before
    differences[np.abs(differences) <= _ROUNDING] = 0.0
    return MetricDifference(
        name,
        table.versions[0],
        table.versions[rival],
        estimate_change(differences[both], questions.group[has][both]),
        float(before[both].mean()) if both.any() else None,
        float(after[both].mean()) if both.any() else None,
        int((~np.isnan(before) & ~both).sum()),
        int((~np.isnan(after) & ~both).sum()),
        table.directions.get(name, True),
    )


def estimate_change(differences: Floats, group: Places) -> Estimate:
    """Estimates the mean of paired differences by the paired t test over groups: interval and p are of one test."""
    if not len(differences):
        return Estimate(None, n=0, groups=0, problem="no sample was scored in both runs")
    sums = _sum_groups([np.ones(len(differences)), differences], group)
    value, influence = _leave_one_out(sums, lambda rows: np.asarray(rows[:, 1] / rows[:, 0]))
    one, groups = GroupEstimate(value, influence, effective_degrees(sums[:, 0])), int((sums[:, 0] > 0).sum())
    plain = Estimate(value, n=len(differences), groups=groups, problem=TOO_FEW_GROUPS)
    if groups < FEWEST_GROUPS or not (one.error > _NO_ERROR or value):
        return plain
    if one.error > _NO_ERROR:
        (low, high), _, p = one.interval(Look(), least_p=p_of_signs(sums[:, 1]))
    else:  # all groups change alike: as much down is as possible as up
        counts = count_groups(differences, group, abs(value))
        bounds = counts.bounds(ERROR) if counts else None
        if counts is None or bounds is None:
            return plain
        (low, high), p = bounds, counts.p_value()
    return replace(plain, low=low, high=high, p=p, problem="")


_OF_SCORES = np.isin(np.arange(3 * _MOMENTS + 6), [place + 5 * kind for kind in range(3) for place in (2, 3, 4)])


def _sum_groups(columns: Sequence[Floats | Bools], group: Places) -> Floats:
    """The sums of columns by group, (groups, columns)."""
    return np.column_stack([np.bincount(group, weights=column.astype(float)) for column in columns])


def _leave_one_out(sums: Floats, solve: Callable[[Floats], Floats]) -> tuple[float, Floats]:
    """A figure of sums, and its jackknife influence by group (Tukey, 1958); 0 of a group that has no part in it."""
    total, takes_part = sums.sum(axis=0), (sums != 0).any(axis=1)
    influence, count = np.zeros(len(sums)), int(takes_part.sum())
    if count > 1:
        left_out = solve(total - sums[takes_part])
        influence[takes_part] = (left_out - left_out.mean()) * np.sqrt((count - 1) / count)
    return float(solve(total[None])[0]), influence


def _solve_difference(sums: Floats) -> Floats:
    """The difference from sums, (rows,)."""
    pairs, of_first, of_second = (sums[:, place * _MOMENTS : (place + 1) * _MOMENTS] for place in range(3))
    first_n, first_scores, second_n, second_scores, asked, changed = sums[:, 3 * _MOMENTS :].T
    slope = _slope([(pairs, 0.5), (of_first, 1.0), (of_second, 1.0)])
    unpaired = of_first[:, 0] * of_second[:, 0] / np.maximum(of_first[:, 0] + of_second[:, 0], 1.0)
    apart = _residual(of_second, slope) - _residual(of_first, slope)
    count = pairs[:, 0] + unpaired
    corrected = (pairs[:, 0] * _residual(pairs, slope) + unpaired * apart) / np.where(count > 0, count, 1.0)
    predicted = slope * (second_scores / np.maximum(second_n, 1.0) - first_scores / np.maximum(first_n, 1.0))
    return np.asarray(changed / np.maximum(asked, 1.0) * (corrected + predicted))


def _residual(sums: Floats, slope: Floats) -> Floats:
    """`residual_mean` of sums by rows; 0 of nothing."""
    return np.nan_to_num(residual_mean(sums.T, slope))


def _slope(kinds: Sequence[tuple[Floats, float]]) -> Floats:
    """The regression slope of values on scores within kinds of rows, at least 0, (rows,)."""
    squares: Floats
    products: Floats
    scale: Floats
    squares, products, scale = (np.zeros(len(kinds[0][0])) for _ in range(3))
    for sums, weight in kinds:
        count = np.maximum(sums[:, 0], 1.0)
        squares += weight * (sums[:, 3] - sums[:, 2] ** 2 / count)
        products += weight * (sums[:, 4] - sums[:, 2] * sums[:, 1] / count)
        scale += 1e-9 * (1 + sums[:, 3])
    varies = squares > scale
    return np.asarray(np.where(varies, np.maximum(products, 0.0) / np.where(varies, squares, 1.0), 0.0))


def _degrees(influence: Floats, parts: Sequence[Bools], group: Places) -> float:
    """Degrees of freedom by the effective number of groups of questions; of two unpaired parts Welch's (1947)."""
    sizes = [np.bincount(group[rows], minlength=len(influence)).astype(float) for rows in parts]
    degrees = [effective_degrees(size) for size in sizes]
    variances = [float((influence[size > 0] ** 2).sum()) for size in sizes]
    if len(parts) == 1 or not sum(variances):
        return degrees[0]
    return welch_degrees(variances, degrees)


def precision(answers: tuple[int, int]) -> float:
    """The inverse of the variance of a difference of two means of so many answers, each of which has a variance of 1.

    Example:
        >>> precision((40, 40)), precision((30, 60))
        (20.0, 20.0)
    """
    first, second = answers
    return first * second / max(first + second, 1)


def _count_and_sum(rows: Bools, answers: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """How many answers each of some rows stands for, and the sum of their scores; 0 elsewhere."""
    count = rows * answers
    return count, count * np.where(rows, scores, 0.0)


def knows_level(questions: VersionQuestions, version: int) -> bool:
    """Whether the questions that all versions answer alike are rated, in part or all, or hardly any are."""
    has, rated = questions.has[:, version], ~np.isnan(questions.ratings[:, version])
    same = has & ~questions.differs
    is_rare = same.sum() < _FEW_SAME * has.sum()
    is_known = len(np.unique(questions.group[same & rated])) >= FEWEST_GROUPS or rated[same].all()
    return bool(is_rare or is_known)


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """In how many groups two versions differ by what is usual, by less, by more, and by nobody knows what."""

    usual: float  # the difference that most groups show
    less: int
    more: int
    unknown: int  # groups that are not rated
    groups: int
    unequal: float  # the size of the largest group, of the usual one
    width: float  # of the scale

    def bounds(self, error: float) -> tuple[float, float] | None:
        """Bounds the mean difference by the shares of groups, each of which is at most its bound.

        With U the upper bound of a share of groups (Clopper and Pearson, 1934), it lies in [v - U(less) (v + w), v +
        U(more) (w - v)]: v is the usual difference, w the width of the scale; where all groups show v, 2 |v|
        towards 0: twice what was seen, and ten such groups name a winner. None where that says nothing.
        """
        if self.groups < FEWEST_GROUPS or self.unequal > _LARGEST_GROUP:
            return None
        less, more = (self._most(count + self.unknown, error / 2) for count in (self.less, self.more))
        if less + more >= 1:
            return None
        down, up = (self._reach if self.usual * sign > 0 else self.width for sign in (1, -1))
        return self.usual - less * (self.usual + down), self.usual + more * (up - self.usual)

    def p_value(self) -> float:
        """The p-value of a difference that every group shows: the error at which its bounds leave out 0."""
        if self.less or self.more or self.unknown or not self.usual:
            return 1.0
        return min(1.0, 2 * (self._reach / (self._reach + abs(self.usual))) ** self.groups)

    @property
    def _reach(self) -> float:
        """How far a group that is not seen may differ the other way."""
        return self.width if self.less or self.more or self.unknown else min(2 * abs(self.usual), self.width)

    def _most(self, count: int, error: float) -> float:
        share = stats.beta.isf(error, count + 1, self.groups - count) if count < self.groups else 1.0
        return float(share) * self.unequal


def count_groups(differences: Floats, group: Places, width: float) -> GroupCounts | None:
    """Counts the groups of differences, NaN where one is not rated; None where none is rated."""
    number = np.unique(group, return_inverse=True)[1].ravel()
    sizes = np.bincount(number)
    means = (np.bincount(number, weights=differences) / sizes).round(9)
    known = means[~np.isnan(means)]
    usual, counts = np.unique(known, return_counts=True)
    if not len(usual):
        return None
    value, unequal = float(usual[counts.argmax()]), float(sizes.max() / sizes.mean())
    less, more = int((known < value).sum()), int((known > value).sum())
    return GroupCounts(value, less, more, len(means) - len(known), len(means), unequal, width)


def probabilities_of_best(
    means: Floats, influence: Floats, degrees: float, *, width: float, seed: int = 0
) -> list[float]:
    """The probability that each version has the highest mean, (versions,): the same whichever is listed first.

    The posterior, drawn at random: the versions' means are normal about an unknown middle with one of several standard
    deviations, each weighted by how probable it makes the estimates. What tells the means apart is multivariate t with
    the covariance of their `influence` by group, (versions, groups), and these degrees of freedom; `width` is that of
    the scale.

    Example:
        Two versions, 0.5 apart with a standard error of 1/6 and 9 degrees of freedom, on a scale of 4 points:

        >>> influence = np.array([[-1 / 12], [1 / 12]])
        >>> [round(number, 2) for number in probabilities_of_best(np.array([-0.25, 0.25]), influence, 9, width=4)]
        [0.03, 0.97]
    """
    order = np.lexsort((influence @ influence.sum(axis=0), means.round(9)))  # the same draws in any order of versions
    count = len(means) - 1
    contrasts = np.linalg.qr(np.column_stack([np.ones(count + 1), np.eye(count + 1, count)]))[0][:, 1:]
    differences, moves = means[order] @ contrasts, contrasts.T @ influence[order]
    errors = moves @ moves.T
    spreads = width * np.array(PRIOR_SPREADS)
    likelihood = np.array(
        [
            stats.multivariate_t(np.zeros(count), errors + spread**2 * np.eye(count), df=degrees).logpdf(differences)
            for spread in spreads
        ]
    )
    weights = np.exp(likelihood - likelihood.max())
    values, vectors = np.linalg.eigh(errors)
    values, rotated, counts = np.maximum(values, 0.0), differences @ vectors, np.zeros(count + 1)
    random = np.random.default_rng(seed)
    for spread, weight in zip(spreads, weights / weights.sum(), strict=True):
        draws = round(float(weight) * _DRAWS)
        variances = values * degrees / random.chisquare(degrees, draws)[:, None]
        believed = spread**2 / (spread**2 + variances)  # how far the estimate is believed
        posterior = believed * rotated + np.sqrt(believed * variances) * random.standard_normal((draws, count))
        best = (posterior @ (contrasts @ vectors).T).argmax(axis=1)
        counts[order] += np.bincount(best, minlength=count + 1)
    return [float(share) for share in counts / counts.sum()]
