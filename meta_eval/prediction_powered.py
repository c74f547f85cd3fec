"""From few ratings to the mean of many answers: prediction-powered inference on the scores of all of them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from ..text.wording import count_of
from .arrays import Bools, Floats, Places
from .combinations import RankedScores
from .estimate import TOO_FEW_GROUPS, Estimate, interval_of_mean, interval_of_share
from .groups import (
    FEWEST_GROUPS,
    FEWEST_RATED,
    LEVEL,
    effective_degrees,
    replicate_error,
    t_p_value,
    variance_of_mean,
    welch_degrees,
)
from .table import ScoreTable

_WIDTHS = (0.05, 0.1, 0.15, 0.2)  # shares of the rating scale
_NO_SPREAD = 1e-12
_CHOSEN_ERROR = 0.005  # of calling ratings of a random part of the answers chosen
_FEWEST_OF_A_KIND = 5  # with fewer bad ones rated, or good ones, nobody knows what the scores are worth
_MOST_GAIN = 4  # a score that is right on n answers may still be wrong on one of n / 3 others


@dataclass(frozen=True, slots=True)
class MeanRating:
    """The mean rating of all answers from the few rated ones and the scores of all (prediction-powered inference)."""

    rated: int
    unrated: int  # how many are not
    mean: Estimate  # the mean rating that the team would give answers like these, of which these are a sample
    classical: Estimate  # the mean of the rated ones alone
    bad_share: Estimate  # the share of answers that the team would rate below the middle of the scale
    power: float  # the factor lambda of PPI++; 0 where the scores do not help
    # pairs of an interval's width and the number of ratings that reach it; None where none do. No pairs where nothing
    # varies: that width is a share's, of which `ratings_for_width` tells nothing
    ratings_for_width: tuple[tuple[float, int | None], ...]


@dataclass(frozen=True, eq=False)
class PoweredMean:
    """A prediction-powered mean, and what it is without each group: all errors follow."""

    value: float
    replicates: Floats  # the mean without one group at a time, (groups,)
    rated: Floats  # how many ratings there are, (groups,)
    power: float  # the factor lambda of PPI++

    @property
    def groups(self) -> int:
        """How many groups have ratings."""
        return int((self.rated > 0).sum())

    @property
    def degrees(self) -> float:
        """The degrees of freedom: the effective number of the rated groups less one."""
        return effective_degrees(self.rated)


def scores_as_percentiles(scores: Floats) -> Floats:
    """The mean percentile of each item over the metrics, in [-.5, .5], from scores (items, metrics); 0 where missing.

    This is how scores help ratings, in `estimate` and `decide`: a few very high ones would cost more than they tell.

    Example:
        >>> scores_as_percentiles(np.array([[1.0], [3.0], [900.0], [np.nan]])).round(2).tolist()
        [-0.33, 0.0, 0.33, 0.0]
    """
    return np.asarray(RankedScores(scores).values.mean(axis=1))  # of all items: no rating takes part


def powered_mean(ratings: Floats, scores: Floats, groups: Places, strata: Places | None = None) -> PoweredMean:
    """Estimates a mean by prediction-powered inference with power tuning (PPI++), for items that come in groups.

    theta = lambda mean(f of unrated) + mean(Y - lambda f of rated), lambda = cov(Y, f) / ((1 + n/N) var f), at least 0,
    so that scores of any scale serve (Angelopoulos, Duchi and Zrnic, 2023, arXiv 2311.01453). Our own code, because
    ppi-python needs numba, pandas and gdown (2.5 s to import) and knows no groups; a test holds its result.

    `ratings` are NaN where nobody rated; the rated items must be a random part of all, or belong to a random part of
    the groups: then the mean is right, whatever the scores are worth. Of several strata, numbered from 0, it
    is the mean of theirs by their shares of the items (Cochran, 1977): each is rated as often as it is.

    Examples:
        Scores that equal the ratings, of which the rated ones have the mean 3 and the unrated ones 4. cov = 2,
        var = 2.5 over all ten, so lambda = 2 / ((1 + 5/5) 2.5) = 0.4 and the mean is 0.4 * 4 + 0.6 * 3 = 3.4:

        >>> scores = np.array([1.0, 2, 3, 4, 5, 2, 3, 4, 5, 6])
        >>> result = powered_mean(np.where(np.arange(10) < 5, scores, np.nan), scores, np.arange(10))
        >>> round(result.power, 4), round(result.value, 4)
        (0.4, 3.4)
    """
    group_of = np.unique(groups, return_inverse=True)[1].ravel()
    scores = scores - scores.mean()  # from here on about 0, so that sums of squares keep their digits
    is_rated, strata = ~np.isnan(ratings), np.zeros(len(ratings), np.intp) if strata is None else strata
    parts = [*moments(is_rated, np.where(is_rated, ratings, 0.0), scores), np.ones_like(scores), scores, scores**2]
    shape = int(strata.max()) + 1, int(group_of.max()) + 1
    cell = strata * shape[1] + group_of
    sums = np.stack(
        [np.bincount(cell, weights=np.asarray(column, float), minlength=shape[0] * shape[1]) for column in parts]
    ).reshape(len(parts), *shape)
    power, mean = _solve_strata(sums.sum(axis=2, keepdims=True))
    without_each = _solve_strata(sums.sum(axis=2, keepdims=True) - sums)[1]
    return PoweredMean(float(mean[0]), without_each, sums[0].sum(axis=0), float(power[0]))


def _solve_strata(sums: Floats) -> tuple[Floats, Floats]:
    """`_solve` of each stratum, weighted by its items, from sums (moments, strata, ...)."""
    powers, means = _solve(sums)
    shares = sums[5] / np.maximum(sums[5].sum(axis=0), 1.0)
    return np.asarray((shares * powers).sum(axis=0)), np.asarray((shares * means).sum(axis=0))


def _solve(sums: Floats) -> tuple[Floats, Floats]:
    """Lambda and theta of PPI++ from the `moments` of the rated items and of all items (count, f, f^2).

    lambda is the slope times the share of the items that are not rated: lambda (mean of unrated - mean of rated scores)
    is the slope times (mean of all - mean of rated).
    """
    n, of_ratings, of_scores, _, products, total, all_scores, squares = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = products / n - of_ratings / n * (of_scores / n)  # divided by n, as in ppi-python
        variance = (squares - all_scores**2 / total) / (total - 1)
        slope = np.where((total > n) & (variance > _NO_SPREAD), np.maximum(covariance / variance, 0.0), 0.0)
        return slope * (1 - n / total), np.asarray(residual_mean(sums[:5], slope) + slope * all_scores / total)


def moments(rows: Bools | Floats, ratings: Floats, scores: Floats) -> list[Floats]:
    """Count, ratings Y, scores f, f^2 and Y f of some rows, 0 elsewhere: a powered mean follows from their sums.

    Rows that stand for several answers are given as how many.
    """
    count, y, f = rows.astype(float), np.where(rows, ratings, 0.0), np.where(rows, scores, 0.0)
    return [count, count * y, count * f, count * f * f, count * f * y]


def residual_mean(sums: Floats, slope: Floats) -> Floats:
    """The mean rating less the slope times the score, from summed `moments` (5, ...) of the rated; NaN of none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((sums[1] - slope * sums[2]) / sums[0])


def mean_of_table(table: ScoreTable, metrics: tuple[str, ...]) -> MeanRating:
    """Estimates the mean rating of a table's items from the scores of all and the ratings of some, or of all.

    The score of an item is its mean percentile over the metrics. Raises `UsageError` with fewer than ten rated.
    """
    rated = int((~np.isnan(table.mean_rating)).sum())
    if rated < FEWEST_RATED:
        verb = count_of(rated, "rated answer does", "rated answers do")
        raise UsageError(f"{verb} not suffice: rate at least {FEWEST_RATED}")
    percentiles = scores_as_percentiles(table.only(metrics).oriented) if metrics else np.zeros(len(table.items))
    scale = (table.rating_min, table.rating_max)
    return prediction_powered_mean(table.mean_rating, percentiles, table.group_numbers, scale=scale)


def prediction_powered_mean(
    ratings: Floats, scores: Floats, groups: Places, *, scale: tuple[float, float]
) -> MeanRating:
    """Estimates the mean rating of answers, and the share of bad ones, from some ratings and the scores of all.

    `powered_mean`, whose interval leaves out one group at a time, with its rated and its unrated items and lambda
    estimated anew (`interval_of_mean`). What is estimated is the mean of answers like these, of new groups too: the
    target of every other mean of Assay. Where the scores lead to an end of the scale or beyond, the ratings alone are
    taken. Returns the mean with its interval, beside the mean of the ratings alone; without an interval where the
    ratings are of fewer than five groups.
    """
    is_rated = ~np.isnan(ratings)
    rated, unrated = int(is_rated.sum()), int((~is_rated).sum())
    powered = powered_mean_within(scale, ratings, scores, groups)
    alone = powered_mean(ratings[is_rated], np.zeros(rated), groups[is_rated])
    is_bad = np.where(is_rated, ratings < sum(scale) / 2, np.nan)
    mean = estimate_powered(powered, rated, scale)
    slope = powered.power / (1 - rated / len(ratings)) if powered.power else 0.0
    rating_variance = variance_of_mean((ratings - slope * scores)[is_rated], groups[is_rated])
    score_variance = variance_of_mean(slope * scores, groups) if slope else 0.0
    varies = rating_variance + score_variance > (_NO_SPREAD * (scale[1] - scale[0])) ** 2
    return MeanRating(
        rated=rated,
        unrated=unrated,
        mean=mean,
        classical=estimate_powered(alone, rated, scale),
        bad_share=_share(is_bad, -scores, groups),
        power=powered.power,
        ratings_for_width=tuple(
            (width, ratings_for_width(width, mean, rating_variance, score_variance, most=len(ratings)))
            for width in (round(share * (scale[1] - scale[0]), 10) for share in _WIDTHS)
            if varies
        ),
    )


def powered_mean_within(
    scale: tuple[float, float], ratings: Floats, scores: Floats, groups: Places, strata: Places | None = None
) -> PoweredMean:
    """`powered_mean`; of the ratings alone where the scores do not help, or lead to an end of the scale or beyond."""
    powered = powered_mean(ratings, scores, groups, strata)
    if powered.power and scale[0] < powered.value < scale[1]:
        return powered
    if strata is not None:
        return powered_mean(ratings, np.zeros_like(scores), groups, strata)
    is_rated = ~np.isnan(ratings)
    return powered_mean(ratings[is_rated], np.zeros(int(is_rated.sum())), groups[is_rated])


def estimate_powered(one: PoweredMean, rated: int, scale: tuple[float, float], level: float = LEVEL) -> Estimate:
    """The mean with its interval, which leaves out one group at a time; without one of fewer than five rated groups."""
    if one.groups < FEWEST_GROUPS:
        return Estimate(one.value, n=rated, groups=one.groups, problem=TOO_FEW_GROUPS)
    ends = interval_of_mean(one.value, one.replicates, one.degrees, bounds=scale, items=rated, level=level)
    return Estimate(one.value, *ends, n=rated, groups=one.groups)


def share_of_rated(holds: Bools, groups: Places) -> Estimate:
    """The share of rated answers that have a property, as `prediction_powered_mean` has it without any score."""
    return _share(holds.astype(float), np.zeros(len(holds)), groups)


def _share(holds: Floats, scores: Floats, groups: Places) -> Estimate:
    """The share of items that have a property, which may be rare: 1 where a rated item has it, 0 where it has not.

    `interval_of_share`. The scores take part where five rated items or more have the property and five or more do not,
    and then the effective size is at most four times the ratings: a score that makes no mistake in these may make one
    in a hundred others.
    """
    is_rated = ~np.isnan(holds)
    n, count = int(is_rated.sum()), float(holds[is_rated].sum())
    one, most = powered_mean(holds[is_rated], np.zeros(n), groups[is_rated]), 1.0
    if min(count, n - count) >= _FEWEST_OF_A_KIND:
        with_scores = powered_mean(holds, scores, groups)
        if with_scores.power > 0 and 0 < with_scores.value < 1:  # else no more is known than was rated
            one, most = with_scores, _MOST_GAIN
    if one.groups < FEWEST_GROUPS:
        return Estimate(one.value, n=n, groups=one.groups, problem=TOO_FEW_GROUPS)
    variance = replicate_error(one.replicates) ** 2
    ends = interval_of_share(one.value, n=n, variance=variance, degrees=one.degrees, most=most)
    return Estimate(one.value, *ends, n=n, groups=one.groups)


def ratings_for_width(
    width: float, present: Estimate, rating_variance: float, score_variance: float, *, most: int
) -> int | None:
    """Computes how many ratings bring the interval of a mean from its present width W0 to another, W.

    A width goes with the root of the variance, of which the ratings have the part r, at n ratings today, and the scores
    the part v: n r / ((r + v) (W / W0)^2 - v), so that the present width takes the present ratings. v stays as more is
    rated: theta is the mean of Y - s f of the rated plus that of s f of all (`_solve`), whose slope s, unlike lambda =
    s (1 - n / N), does not fall, and the two parts do not vary together where s is the slope of Y on f. It supposes
    that further ratings come as those so far, from other groups too. Returns the number of ratings; None where even
    `most` would not do, and where there is no interval.
    """
    if present.low is None or present.high is None or present.n is None:
        return None
    change = (width / (present.high - present.low)) ** 2
    allowed = (rating_variance + score_variance) * change - score_variance
    needed = present.n * rating_variance / allowed if allowed > 0 else math.inf
    return math.ceil(round(needed, 9)) if needed <= most else None


def find_chosen_part(
    columns: Mapping[str, Floats], ratings: Floats, group: Places, parts: Mapping[str, Bools]
) -> tuple[str, str] | None:
    """Finds the part of the answers, by its name, of which what is rated scores otherwise than the rest of it.

    Welch's t test (1947) over groups, at .5% for all parts and metrics together. Returns its name and how the surest
    metric differs; None where none does.
    """
    is_rated = ~np.isnan(ratings)
    found: list[tuple[float, str, str]] = []
    for name, scores in columns.items():
        for part, rows in parts.items():
            known = rows & ~np.isnan(scores)
            p, rated, other = _compare_means(scores, group, known & is_rated, known & ~is_rated)
            if p * len(columns) * len(parts) <= _CHOSEN_ERROR:
                found.append((p, part, f"{name} is {rated:.2g} where it is rated, and {other:.2g} elsewhere"))
    return min(found)[1:] if found else None


def _compare_means(scores: Floats, group: Places, rated: Bools, other: Bools) -> tuple[float, float, float]:
    """The p-value of two means that are alike, and the means; 1 where there are too few groups."""
    means, variances, degrees = [], [], []
    for rows in (rated, other):
        sizes = np.bincount(group[rows])
        if (sizes > 0).sum() < FEWEST_GROUPS:
            return 1.0, 0.0, 0.0
        means.append(float(scores[rows].mean()))
        variances.append(variance_of_mean(scores[rows], group[rows]))
        degrees.append(effective_degrees(sizes))
    away = means[0] - means[1]
    if not sum(variances):
        return (0.0 if away else 1.0), means[0], means[1]
    return t_p_value(away / math.sqrt(sum(variances)), welch_degrees(variances, degrees)), means[0], means[1]
