"""The three-level estimate: all answers scored cheaply, a sample scored by a judge, a small part rated by people."""

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ..errors import UsageError
from ..text.wording import count_of
from .arrays import Floats, Places
from .estimate import TOO_FEW_GROUPS, Estimate, clopper_pearson, log_odds_interval
from .groups import FEWEST_GROUPS, t_quantile
from .policy import triage_policy
from .raters import to_rating_scale
from .table import ScoreTable

STRATA = 5
_ALL_EQUAL = "no interval: the ratings do not vary"
_NO_SPREAD = 1e-12  # a score that does not vary within the strata
_FEWEST_RATED = 5  # per stratum, in groups' worth: fewer say nothing about how much ratings vary within it
_FEWEST_OF_A_KIND = 5  # with fewer bad ones rated, or good ones, nobody knows what the scores are worth
_MOST_GAIN = 4  # a judge that is right on n answers may still be wrong on one of n / 3 others


@dataclass(frozen=True, eq=False)
class Strata:
    """All answers, summed up by their cheap score.

    Examples:
        >>> strata = Strata.of_scores(np.arange(10.0), strata=2)
        >>> strata.edges.tolist(), strata.sizes.tolist(), strata.cheap_mean
        ([4.5], [5, 5], 4.5)
    """

    # the boundaries between the strata, ascending, (strata - 1,). An answer on one belongs to the stratum above.
    edges: Floats
    sizes: Places  # how many answers each stratum has, (strata,)
    cheap_mean: float  # the mean cheap score of all answers

    @classmethod
    def of_scores(cls, cheap: Floats, strata: int = STRATA) -> "Strata":
        """Cuts all answers into strata of about equal size."""
        if not np.isfinite(cheap).all():
            raise UsageError("each answer needs a cheap score: score all answers with the cheap metric first")
        edges = np.unique(np.quantile(cheap, np.linspace(0, 1, strata + 1)[1:-1]))
        edges = edges[(edges > cheap.min()) & (edges <= cheap.max())]
        sizes = np.bincount(_strata_of(cheap, edges), minlength=len(edges) + 1)
        return cls(edges, sizes, float(cheap.mean()))

    @property
    def answers(self) -> int:
        """How many answers there are."""
        return int(self.sizes.sum())

    def joined(self, rated_cheap: Floats, fewest: int) -> "Strata":
        """Joins neighbours until each stratum has enough rated answers."""
        edges, sizes = self.edges.tolist(), self.sizes.tolist()
        while edges:
            counts = np.bincount(_strata_of(rated_cheap, np.array(edges)), minlength=len(sizes))
            smallest = int(counts.argmin())
            if counts[smallest] >= fewest:
                break
            joins_left = smallest > 0 and (smallest == len(edges) or counts[smallest - 1] <= counts[smallest + 1])
            first = smallest - joins_left
            edges.pop(first)
            sizes[first : first + 2] = [sizes[first] + sizes[first + 1]]
        return Strata(np.array(edges, dtype=float), np.array(sizes, dtype=np.intp), self.cheap_mean)


@dataclass(frozen=True, eq=False)
class JudgedSample:
    """The answers that a judge scored, with the ratings of those that people rated."""

    cheap: Floats  # the cheap score of each judged answer, (judged,)
    judged: Floats  # the judge's score of each, (judged,)
    # the mean rating of each, or what is to be averaged in its place, (judged,); NaN where nobody rated it
    ratings: Floats
    groups: Places  # the group of each as a number, (judged,)

    def __post_init__(self) -> None:
        lengths = {len(self.cheap), len(self.judged), len(self.ratings), len(self.groups)}
        if len(lengths) != 1:
            raise UsageError(f"cheap, judged, ratings and groups must have the same length, not {sorted(lengths)}")
        if not np.isfinite(np.concatenate([self.cheap, self.judged])).all():
            raise UsageError("each judged answer needs a cheap score and a judge's score")


@dataclass(frozen=True)
class ThreeLevelMean:
    """A mean over all answers, from three levels of measurement."""

    mean: Estimate  # the estimate with its interval, from all three levels
    two_levels: Estimate  # from the judge's scores and the ratings, without the cheap score
    ratings_alone: Estimate  # the mean of the ratings, with its interval
    answers: int
    judged: int
    rated: int
    strata: int
    variances: "LevelVariances"  # what `plan_sample_sizes` needs


@dataclass(frozen=True)
class LevelVariances:
    """How much one answer adds to the variance of the mean, in squared units of the rating."""

    after_cheap: float  # variance of the ratings that the cheap score does not explain
    after_judge: float  # variance of the ratings that the judge's score does not explain


def draw_stratified(cheap: Floats, count: int, *, strata: int = STRATA, seed: int = 0) -> Places:
    """Draws answers to judge: from each stratum as many as its share of all answers, at random.

    Returns:
        The places of the drawn answers, ascending, (count,).

    Examples:
        >>> draw_stratified(np.array([0.1, 0.2, 0.8, 0.9]), 2, strata=2).tolist()[0] in (0, 1)
        True
    """
    if not 0 < count <= len(cheap):
        raise UsageError(
            f"{count} of {count_of(len(cheap), 'answer')} cannot be drawn: give a number from 1 to {len(cheap)}"
        )
    random = np.random.default_rng(seed)
    # a random order within each stratum, then every (answers/count)-th of them: systematic sampling over the strata
    order = np.lexsort((random.random(len(cheap)), _strata_of(cheap, Strata.of_scores(cheap, strata).edges)))
    start = random.random()
    places = order[((start + np.arange(count)) * len(cheap) / count).astype(np.intp)]
    return np.sort(places)


def three_level_mean(
    strata: Strata, sample: JudgedSample, *, scale: tuple[float, float], level: float = 0.95
) -> ThreeLevelMean:
    """Estimates the mean rating of all answers by two-phase stratified sampling with power-tuned differences.

    With the strata h of the cheap score C, W_h the share of all answers in h, J the judge's score and Y the rating:

        theta = lc mean_all(C) + sum_h W_h [mean_judged,h(lj J - lc C) + mean_rated,h(Y - lj J)]

    where lj and lc, at least 0, are the least-squares slopes of Y on J and on C within the strata (0 where a score does
    not help, so that scores of any scale serve). Its variance is that of the linearised terms, added up over groups: an
    answer adds W_h / m_h (lj J - lc C - mean), and, where it is rated, W_h / r_h (Y - lj J - mean) as well. What a
    group's rated answers add is divided by sqrt(1 - f), with f the part of their variance that the fitted means of the
    strata take (CR2), and the interval is Student's with Satterthwaite's degrees of freedom for that: of equal groups
    in one stratum G - 1, fewer of unequal ones (Bell and McCaffrey, 2002; Pustejovsky and Tipton, 2018). It is
    symmetric in the log odds of the mean's place on the rating scale (`log_odds_interval`), because the mean of ratings
    near one end is skewed. Where the scores lead to an end of the scale or beyond, the ratings alone are taken.

    The judged answers must be drawn at random from all, or from each stratum (`draw_stratified`); the rated ones at
    random from the judged. Then the interval holds whatever the scores are worth. What is estimated is the mean of
    answers like these, of new groups too: where most of them are rated the interval is wider than the mean of these
    would need, and where all are rated their own mean has no error, but that of answers like these has.

    Source: two-phase sampling for stratification and regression (Cochran, 1977, chapter 12); power tuning as in PPI++
    (Angelopoulos, Duchi and Zrnic, 2023, arXiv 2311.01453).

    Returns:
        The estimate, beside what fewer levels say; without an interval where fewer than five groups are rated, or the
        ratings are all equal.

    Examples:
        Ten ratings without scores, 1 to 5 twice: the error is sqrt(20 / 9 / 10) = 0.4714 with 9 degrees of freedom, the
        place on the scale 0.5 with log odds 0 +- 2.262 * 0.4714 / 4 / 0.25 = 1.0665, so up to 0.7439 of the scale.

        >>> sample = JudgedSample(np.zeros(10), np.zeros(10), np.tile([1.0, 2, 3, 4, 5], 2), np.arange(10))
        >>> result = three_level_mean(Strata.of_scores(np.zeros(100)), sample, scale=(1, 5))
        >>> round(result.mean.value, 6), round(result.mean.high, 3)
        (3.0, 3.976)
    """
    three, two, alone = _three_levels(strata, sample)
    return three.summarise(strata.answers, *(levels.estimate(alone, scale, level) for levels in (three, two, alone)))


def three_level_share(strata: Strata, sample: JudgedSample, *, level: float = 0.95) -> ThreeLevelMean:
    """Estimates the share of answers that have a property, which may be rare, as `three_level_mean` does a mean.

    The interval is that of Clopper and Pearson (1934) at an effective size (Korn and Graubard, 1998): with n rated
    answers, share (1 - share) / variance of the estimate * n / (n - 1), times (t of n - 1 / t of the estimate's degrees
    of freedom)^2. Share and variance are those of the three levels where five or more rated answers have the property
    and five or more do not; elsewhere what was rated says too little of what the scores are worth, and both are those
    of the ratings alone. The effective size is at most four times the rated answers: a judge that makes no mistake in
    these may make one in a hundred others. No interval has width 0.

    Examples:
        None of 29 rated answers: the upper end solves (1 - p)^29 = 0.025, so p = 1 - 0.025^(1/29) = 0.119.

        >>> sample = JudgedSample(np.zeros(29), np.zeros(29), np.zeros(29), np.arange(29))
        >>> result = three_level_share(Strata.of_scores(np.zeros(1000)), sample)
        >>> result.mean.value, result.mean.low, round(result.mean.high, 3)
        (0.0, 0.0, 0.119)
    """
    three, two, alone = _three_levels(strata, sample)
    return three.summarise(strata.answers, *(levels.estimate_share(alone, level) for levels in (three, two, alone)))


def _three_levels(strata: Strata, sample: JudgedSample) -> tuple["_Levels", "_Levels", "_Levels"]:
    """The terms of all three levels, of the judge's scores and the ratings, and of the ratings alone."""
    is_rated = ~np.isnan(sample.ratings)
    rated, groups = int(is_rated.sum()), len(np.unique(sample.groups[is_rated]))
    if rated < 2 * _FEWEST_RATED:
        raise UsageError(
            f"{count_of(rated, 'rated answer does', 'rated answers do')} not suffice: rate at least {2 * _FEWEST_RATED}"
        )
    one_stratum = Strata(np.zeros(0), np.array([strata.answers]), 0.0)
    judge_only = JudgedSample(np.zeros(len(sample.cheap)), sample.judged, sample.ratings, sample.groups)
    alone = JudgedSample(np.zeros(rated), np.zeros(rated), sample.ratings[is_rated], sample.groups[is_rated])
    joined = strata.joined(sample.cheap[is_rated], math.ceil(_FEWEST_RATED * rated / groups))
    return _Levels(joined, sample), _Levels(one_stratum, judge_only), _Levels(one_stratum, alone)


@dataclass(frozen=True)
class LevelEstimates:
    """What three levels of measurement say of all answers of a table."""

    mean_rating: ThreeLevelMean  # the mean rating, on the rating scale
    bad_share: ThreeLevelMean  # the share of answers rated below the middle of the scale, in [0, 1]
    # how many answers the cheap score alone cannot decide one by one; None where too few are rated to tell
    to_judge: int | None


def estimate_levels(
    table: ScoreTable, cheap: str, judged: str, *, strata: int = STRATA, level: float = 0.95
) -> LevelEstimates:
    """Estimates the mean rating and the share of bad answers of a table whose answers are scored at three levels.

    Where answers are to be sent or held back one by one, thresholds on the cheap score decide some (`triage_policy`):
    the others must be judged in full, and are counted.
    """
    scores, is_judged = table.column(cheap), ~np.isnan(table.column(judged))
    sample = JudgedSample(
        scores[is_judged], table.column(judged)[is_judged], table.mean_rating[is_judged], table.group_numbers[is_judged]
    )
    is_bad = np.where(np.isnan(sample.ratings), np.nan, sample.ratings < table.middle)
    opposite = JudgedSample(-sample.cheap, -sample.judged, is_bad, sample.groups)
    scale = (table.rating_min, table.rating_max)
    return LevelEstimates(
        mean_rating=three_level_mean(Strata.of_scores(scores, strata), sample, scale=scale, level=level),
        bad_share=three_level_share(Strata.of_scores(-scores, strata), opposite, level=level),
        to_judge=_count_undecided(table, scores),
    )


def _count_undecided(table: ScoreTable, cheap: Floats) -> int | None:
    """How many answers lie between the thresholds that the cheap score allows."""
    from sklearn.isotonic import IsotonicRegression

    rated = table.rated()
    is_rated = ~np.isnan(table.mean_rating)
    out_of_fold = to_rating_scale(rated, cheap[is_rated])
    if out_of_fold is None:
        return None
    policy = triage_policy(rated, out_of_fold)
    regression = IsotonicRegression(y_min=table.rating_min, y_max=table.rating_max, out_of_bounds="clip")
    predicted = regression.fit(cheap[is_rated], rated.mean_rating).predict(cheap)
    is_sent = predicted >= policy.send_at if policy.send_at is not None else np.zeros(len(cheap), bool)
    is_held = predicted < policy.hold_below if policy.hold_below is not None else np.zeros(len(cheap), bool)
    return int((~is_sent & ~is_held).sum())


class _Levels:
    """The linearised terms of the estimate, for one choice of strata."""

    def __init__(self, strata: Strata, sample: JudgedSample) -> None:
        self.sample = sample
        self.is_rated = ~np.isnan(sample.ratings)
        self.stratum = _strata_of(sample.cheap, strata.edges)
        self.strata = len(strata.sizes)
        self.shares = strata.sizes / strata.answers
        self.cheap_mean = strata.cheap_mean
        ratings = sample.ratings[self.is_rated]
        self.rated_stratum = self.stratum[self.is_rated]
        self._residual_ratings = self._centred(ratings, self.rated_stratum)
        self.judge_slope = self._slope(sample.judged)
        self.cheap_slope = self._slope(sample.cheap)
        self.judged_term = self.judge_slope * sample.judged - self.cheap_slope * sample.cheap
        self.rated_term = ratings - self.judge_slope * sample.judged[self.is_rated]

    def linearise(self) -> tuple[float, float, float]:
        """The mean, its variance and the degrees of freedom of that."""
        value = self.cheap_slope * self.cheap_mean + float(
            self.shares @ self._means(self.judged_term, self.stratum)
            + self.shares @ self._means(self.rated_term, self.rated_stratum)
        )
        number = np.unique(self.sample.groups, return_inverse=True)[1]
        rated_number, groups = number[self.is_rated], int(number.max()) + 1
        influence = self._weights(self.stratum) * self._centred(self.judged_term, self.stratum)
        weights = self._weights(self.rated_stratum)
        rated_influence = weights * self._centred(self.rated_term, self.rated_stratum)
        # what a group's rated answers would add to the variance if they were independent, and what the fitted means of
        # the strata leave of it: the group's deviations are too small by as much (CR2), and all by the fitted slope
        added = np.bincount(rated_number, weights=weights**2, minlength=groups)
        left = added - self._fitted(rated_number, groups)
        free = max(1, len(self.rated_term) - self.strata)
        unfitted = max(1, free - (self.judge_slope > 0)) / free
        inflation = np.sqrt(np.divide(added, left, out=np.ones(groups), where=left > _NO_SPREAD * added) / unfitted)
        totals = np.bincount(number, weights=influence, minlength=groups)
        totals += inflation * np.bincount(rated_number, weights=rated_influence, minlength=groups)
        freedom = float(added.sum() * left.sum() / (added**2).sum()) * unfitted
        return value, float(totals @ totals), max(1.0, freedom)

    def _fitted(self, rated_number: Places, groups: int) -> Floats:
        """By group, the sum over strata of (W k / r)^2 / r, with k of the stratum's r rated answers in the group."""
        cells = np.bincount(rated_number * self.strata + self.rated_stratum, minlength=groups * self.strata)
        rated = np.maximum(1, np.bincount(self.rated_stratum, minlength=self.strata))
        return np.asarray((cells.reshape(groups, self.strata) ** 2 * (self.shares / rated) ** 2 / rated).sum(axis=1))

    def estimate(self, alone: "_Levels", scale: tuple[float, float], level: float) -> Estimate:
        """The mean, with an interval on the scale of log odds of its place on the rating scale."""
        value, variance, freedom = self.linearise()
        if not scale[0] < value < scale[1]:  # the scores lead to an end of the scale, or beyond
            value, variance, freedom = alone.linearise()
        if variance <= _NO_SPREAD:
            return self._as_estimate(value)
        answers = len(self.rated_term)
        return self._as_estimate(
            value, *log_odds_interval(value, math.sqrt(variance), freedom, scale=scale, answers=answers, level=level)
        )

    def estimate_share(self, alone: "_Levels", level: float) -> Estimate:
        """The share of rated answers that are 1, with an interval at the effective size."""
        ratings = self.sample.ratings[self.is_rated]
        n, count = len(ratings), float(ratings.sum())
        source, most = (self, _MOST_GAIN * n) if min(count, n - count) >= _FEWEST_OF_A_KIND else (alone, n)
        value, variance, freedom = source.linearise()
        if not 0 < value < 1 and source is self:  # the scores lead out of what is possible
            most = n
            value, variance, freedom = alone.linearise()
        size = min(most, value * (1 - value) / variance * n / (n - 1)) if variance > 0 else most
        size *= (t_quantile((1 + level) / 2, n - 1) / t_quantile((1 + level) / 2, freedom)) ** 2
        return self._as_estimate(value, *clopper_pearson(value, size, level))

    def _as_estimate(self, value: float, low: float | None = None, high: float | None = None) -> Estimate:
        """Without the interval where too few groups are rated, or nothing varies."""
        n, groups = len(self.rated_term), len(np.unique(self.sample.groups[self.is_rated]))
        if groups < FEWEST_GROUPS:
            return Estimate(value, n=n, groups=groups, problem=TOO_FEW_GROUPS)
        if low is None:
            return Estimate(value, n=n, groups=groups, problem=_ALL_EQUAL)
        return Estimate(value, low, high, n=n, groups=groups)

    def summarise(self, answers: int, mean: Estimate, two_levels: Estimate, ratings_alone: Estimate) -> ThreeLevelMean:
        judged, rated = len(self.sample.cheap), len(self.rated_term)
        return ThreeLevelMean(
            mean, two_levels, ratings_alone, answers, judged, rated, strata=self.strata, variances=self.variances()
        )

    def variances(self) -> LevelVariances:
        ratings = self.sample.ratings[self.is_rated]
        after_cheap = self._within(ratings - self.cheap_slope * self.sample.cheap[self.is_rated])
        return LevelVariances(after_cheap=after_cheap, after_judge=min(after_cheap, self._within(self.rated_term)))

    def _slope(self, score: Floats) -> float:
        """The slope of the ratings on a score within the strata, at least 0."""
        deviations = self._centred(score[self.is_rated], self.rated_stratum)
        spread = float(deviations @ deviations)
        return max(0.0, float(deviations @ self._residual_ratings) / spread) if spread > _NO_SPREAD else 0.0

    def _within(self, values: Floats) -> float:
        """The variance within the strata, averaged by their shares of all answers."""
        deviations = self._centred(values, self.rated_stratum)
        counts = np.bincount(self.rated_stratum, minlength=self.strata)
        squares = np.bincount(self.rated_stratum, weights=deviations**2, minlength=self.strata)
        return float(self.shares @ (squares / np.maximum(1, counts - 1)))

    def _means(self, values: Floats, stratum: Places) -> Floats:
        counts = np.bincount(stratum, minlength=self.strata)
        return np.asarray(np.bincount(stratum, weights=values, minlength=self.strata) / np.maximum(1, counts))

    def _centred(self, values: Floats, stratum: Places) -> Floats:
        return np.asarray(values - self._means(values, stratum)[stratum])

    def _weights(self, stratum: Places) -> Floats:
        counts = np.bincount(stratum, minlength=self.strata)
        return np.asarray((self.shares / np.maximum(1, counts))[stratum])


def _strata_of(cheap: Floats, edges: Floats) -> Places:
    return np.searchsorted(edges, cheap, side="right").astype(np.intp)


@dataclass(frozen=True)
class SamplePlan:
    """How many answers to judge and to rate."""

    judged: int
    rated: int
    width: float  # the expected width of the interval, in units of the rating
    cost: float  # what judging and rating cost together, in the unit of the costs


def plan_sample_sizes(
    variances: LevelVariances,
    *,
    answers: int,
    judge_cost: float,
    rating_cost: float,
    width: float | None = None,
    budget: float | None = None,
    level: float = 0.95,
) -> SamplePlan:
    """Finds the cheapest numbers of judged and rated answers for a width, or the narrowest interval for a budget.

    The variance of the mean is (A - B) / m + B / r with A and B the variances after the cheap score and after the
    judge, m judged and r rated answers. At a given variance m : r = sqrt((A - B) / judge_cost) : sqrt(B / rating_cost)
    is cheapest (Cochran, 1977, 12.3). Where the judge explains nothing, only rated answers are judged.

    Returns:
        The plan. At least ten answers are rated.

    Examples:
        A = 2, B = 1, costs 1 and 4: m : r = sqrt(1 / 1) : sqrt(1 / 4) = 2 : 1, and 600 pays for r = 100, m = 200.

        >>> plan = plan_sample_sizes(LevelVariances(2.0, 1.0), answers=10**6, judge_cost=1, rating_cost=4, budget=600)
        >>> plan.judged, plan.rated, plan.cost
        (200, 100, 600)
    """
    if (width is None) == (budget is None):
        raise UsageError("name a width or a budget, one of the two")
    if judge_cost <= 0 or rating_cost <= 0:
        raise UsageError("the cost of a judged answer and of a rating must be above 0")
    judge_part, rating_part = variances.after_cheap - variances.after_judge, variances.after_judge
    fewest = 2 * _FEWEST_RATED

    def sizes(rated: float) -> tuple[int, int]:
        rated_count = min(answers, max(fewest, math.ceil(rated - 1e-9)))
        ratio = math.sqrt(judge_part * rating_cost / (rating_part * judge_cost)) if rating_part > 0 else math.inf
        return min(answers, max(rated_count, math.ceil(min(rated * ratio, answers) - 1e-9))), rated_count

    def plan(rated: float) -> SamplePlan:
        judged_count, rated_count = sizes(rated)
        variance = judge_part / judged_count + rating_part / rated_count
        quantile = float(stats.t.ppf((1 + level) / 2, rated_count - 1))
        cost = judged_count * judge_cost + rated_count * rating_cost
        return SamplePlan(judged_count, rated_count, 2 * quantile * math.sqrt(variance), cost)

    counts = range(fewest, answers + 1)
    if budget is not None:
        affordable = bisect_right(counts, budget, key=lambda rated: plan(rated).cost)
        if not affordable:
            raise UsageError(
                f"the budget does not pay for {count_of(fewest, 'rated answer')}; that costs {plan(fewest).cost:g}"
            )
        return plan(counts[affordable - 1])
    assert width is not None
    if plan(answers).width > width:
        raise UsageError(
            f"the width {width:g} cannot be reached: with all {count_of(answers, 'answer')} rated it is "
            f"{plan(answers).width:.3g}"
        )
    return plan(counts[bisect_left(counts, -width, key=lambda rated: -plan(rated).width)])
