"""From few ratings to a nightly number: the mean rating of many judged answers from a small rated sample."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from statistics import NormalDist

import numpy as np

from .arrays import Floats, Places
from .estimate import TOO_FEW_GROUPS, Estimate, log_odds_interval
from .groups import FEWEST_GROUPS, variance_of_mean
from .results import MeanRating
from .subsets import fit_scale
from .table import ScoreTable

FEWEST_RATED = 10
_FEWEST_UNRATED = 2  # one has no variance
_WIDTHS = (0.05, 0.1, 0.15, 0.2)  # shares of the rating scale


def estimate_mean_rating(table: ScoreTable, metrics: tuple[str, ...], *, level: float = 0.95) -> MeanRating | None:
    """Estimates the mean rating of a table's items from the scores of all and the ratings of some.

    The score of an item is its mean percentile over the metrics. The rated items must be a random part of all, or
    belong to a random part of the groups: then the interval holds, whatever the metrics are worth.

    Returns:
        The estimate of `prediction_powered_mean`; None with fewer than ten rated or two unrated items.
    """
    is_rated = ~np.isnan(table.mean_rating)
    if int(is_rated.sum()) < FEWEST_RATED or int((~is_rated).sum()) < _FEWEST_UNRATED:
        return None
    scores = table.only(metrics).oriented
    percentiles = fit_scale(scores, "ranks")(scores).mean(axis=1)  # over all items: no rating takes part
    return prediction_powered_mean(
        table.mean_rating[is_rated],
        percentiles[is_rated],
        percentiles[~is_rated],
        table.group_numbers[is_rated],
        table.group_numbers[~is_rated],
        scale=(table.rating_min, table.rating_max),
        level=level,
    )


def prediction_powered_mean(
    ratings: Floats,
    scores: Floats,
    unrated_scores: Floats,
    groups: Places,
    unrated_groups: Places,
    *,
    scale: tuple[float, float],
    level: float = 0.95,
) -> MeanRating:
    """Estimates a mean by prediction-powered inference with power tuning (PPI++), for items that come in groups.

    theta = lambda mean(f of unrated) + mean(Y - lambda f of rated), lambda = cov(Y, f) / ((1 + n/N) var f), at least 0,
    so that scores of any scale serve (Angelopoulos, Duchi and Zrnic, 2023, arXiv 2311.01453). Our own code, because
    ppi-python needs numba, pandas and gdown (2.5 s to import) and knows no groups; a test holds its result.

    What is estimated is the mean of answers like these, of new groups too: the target of every other mean of Assay. The
    mean rating of the run's own answers lies in the interval at least as often.

    The variance is that of leaving out one group at a time, with its rated and its unrated items and lambda estimated
    again (Tukey, 1958; MacKinnon, Nielsen and Webb, 2023): a group may have both. The interval is Student's, on the
    scale of log odds of the mean's place on the rating scale, because the mean of ratings near one end is skewed. Its
    degrees of freedom are Satterthwaite's for the CR2 variance of two means over common groups (Bell and McCaffrey,
    2002; Pustejovsky and Tipton, 2018).

    Returns:
        The mean with its interval, beside the mean of the ratings alone; without an interval where the ratings are of
        fewer than five groups, or all alike.

    Examples:
        Scores that equal the ratings, of which the rated ones have the mean 3 and the unrated ones 4. cov = 2,
        var = 2.5 over all ten, so lambda = 2 / ((1 + 5/5) 2.5) = 0.4 and the mean is 0.4 * 4 + 0.6 * 3 = 3.4:

        >>> rated, unrated = np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 3, 4, 5, 6])
        >>> result = prediction_powered_mean(rated, rated, unrated, np.arange(5), np.arange(5, 10), scale=(1, 6))
        >>> round(result.power, 4), round(result.mean.value, 4), result.classical.value
        (0.4, 3.4, 3.0)
    """
    n, unrated = len(ratings), len(unrated_scores)
    group_of = np.unique(np.concatenate([groups, unrated_groups]), return_inverse=True)[1]
    of_rated, of_unrated = group_of[:n], group_of[n:]
    # from here on about 0, so that sums of squares keep their digits
    middle = float(np.concatenate([scores, unrated_scores]).mean())
    scores, unrated_scores = scores - middle, unrated_scores - middle
    count = int(group_of.max()) + 1

    def by_group(values: Floats, numbers: Places) -> Floats:
        return np.asarray(np.bincount(numbers, weights=values, minlength=count), float)

    sums = _Sums(
        *(by_group(one, of_rated) for one in (np.ones(n), ratings, scores, scores**2, ratings * scores)),
        *(by_group(one, of_unrated) for one in (np.ones(unrated), unrated_scores, unrated_scores**2)),
    )
    power = float(_power(sums.total))
    residuals, weighted = ratings - power * scores, power * unrated_scores
    widths = (round(share * (scale[1] - scale[0]), 10) for share in _WIDTHS)
    rating_variance = variance_of_mean(residuals, of_rated) if count > 1 else math.inf
    score_variance = variance_of_mean(weighted, of_unrated) if power else 0.0
    return MeanRating(
        rated=n,
        unrated=unrated,
        mean=_with_interval(sums, residuals, weighted, of_rated, of_unrated, scale=scale, level=level),
        classical=_with_interval(
            sums.without_scores(), ratings, np.zeros(unrated), of_rated, of_unrated, scale=scale, level=level
        ),
        power=power,
        ratings_for_width=tuple(
            (width, ratings_for_width(width, rating_variance * n, score_variance, most=n + unrated, level=level))
            for width in widths
        ),
    )


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums over the items of each group, (groups,), or of several groups: of the rated ones, then of the unrated."""

    n: Floats
    ratings: Floats
    scores: Floats
    squared_scores: Floats
    products: Floats
    unrated: Floats
    unrated_scores: Floats
    squared_unrated_scores: Floats

    def _map(self, function: Callable[[Floats], Floats]) -> "_Sums":
        return _Sums(*(function(getattr(self, field.name)) for field in fields(self)))

    @property
    def total(self) -> "_Sums":
        """The sums over all groups."""
        return self._map(lambda values: np.asarray(values.sum()))

    @property
    def without_each(self) -> "_Sums":
        """The sums over all groups but one, (groups,)."""
        return self._map(lambda values: values.sum() - values)

    def without_scores(self) -> "_Sums":
        """The same with scores that say nothing."""
        none = np.zeros(len(self.n))
        return replace(
            self,
            scores=none,
            squared_scores=none,
            products=none,
            unrated_scores=none,
            squared_unrated_scores=none,
        )


def _power(sums: _Sums) -> Floats:
    """Lambda of PPI++ from sums; 0 where the scores do not vary or run against the ratings."""
    n, unrated = sums.n, sums.unrated
    total = n + unrated
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = sums.products / n - sums.ratings / n * (sums.scores / n)  # divided by n, as in ppi-python
        pooled = sums.squared_scores + sums.squared_unrated_scores
        variance = (pooled - (sums.scores + sums.unrated_scores) ** 2 / total) / (total - 1)
        power = covariance / ((1 + n / unrated) * variance)
    return np.where((unrated > 0) & (variance > 1e-12), np.maximum(power, 0.0), 0.0)


def _point(sums: _Sums) -> Floats:
    """Theta of PPI++ from sums; not finite where no item is rated."""
    with np.errstate(divide="ignore", invalid="ignore"):
        unrated_mean = np.where(sums.unrated > 0, sums.unrated_scores / np.maximum(sums.unrated, 1), 0.0)
        return sums.ratings / sums.n + _power(sums) * (unrated_mean - sums.scores / sums.n)


def _with_interval(
    sums: _Sums,
    residuals: Floats,
    weighted: Floats,
    groups: Places,
    unrated_groups: Places,
    *,
    scale: tuple[float, float],
    level: float,
) -> Estimate:
    """The estimate from sums by group; residuals Y - lambda f and scores lambda f give the degrees of freedom."""
    value = float(_point(sums.total))
    number_of_groups = int((sums.n > 0).sum())
    without = Estimate(value, n=len(residuals), groups=number_of_groups, problem=TOO_FEW_GROUPS)
    if number_of_groups < FEWEST_GROUPS:
        return without
    left_out = _point(sums.without_each)
    count, width = len(left_out), scale[1] - scale[0]
    error = math.sqrt((count - 1) / count * float(((left_out - left_out.mean()) ** 2).sum()))
    freedom = _degrees_of_freedom(residuals, weighted, groups, unrated_groups, count)
    if not freedom or error <= 1e-9 * width:
        return without
    answers = len(residuals) + len(weighted)
    low, high = log_odds_interval(value, error, freedom, scale=scale, answers=answers, level=level)
    return replace(without, low=low, high=high, problem="")


def _degrees_of_freedom(
    residuals: Floats, weighted: Floats, groups: Places, unrated_groups: Places, count: int
) -> float:
    """Satterthwaite's degrees of freedom of the CR2 variance of mean(residuals) + mean(weighted); 0 without variance.

    Under independent items the adjusted deviations of the groups have the covariance diag(d) - x x' - y y', with one of
    x and y for each mean; the degrees of freedom are trace^2 / trace of the square.
    """
    diagonal = np.zeros(count)
    vectors = []
    for values, of_group in ((residuals, groups), (weighted, unrated_groups)):
        if len(values) < 2 or np.ptp(values) == 0:
            continue
        n, sizes = len(values), np.bincount(of_group, minlength=count).astype(float)
        if sizes.max() == n:
            return 0.0  # one group has all of them: nothing says how groups differ
        variance = float(values.var(ddof=1))
        diagonal += variance * sizes / (n**2 * (1 - sizes / n))
        vectors.append(math.sqrt(variance) * sizes / (n**1.5 * np.sqrt(1 - sizes / n)))
    products = np.array([[float(one @ other) for other in vectors] for one in vectors])
    crossed = sum(float(diagonal @ one**2) for one in vectors)
    trace = float(diagonal.sum()) - float(np.trace(products)) if vectors else 0.0
    squared = float(diagonal @ diagonal) - 2 * crossed + float((products**2).sum())
    return trace**2 / squared if squared > 0 else 0.0


def ratings_for_width(
    width: float, rating_variance: float, score_variance: float, *, most: int, level: float = 0.95
) -> int | None:
    """Computes how many ratings bring the interval of a mean to a width.

    n = s^2 / ((width / 2z)^2 - v), with z the normal quantile of the level.

    Returns:
        The number of ratings; None where even `most` would not do.

    Examples:
        s^2 = 4, v = 0, width 1: (1 / (2 * 1.96))^2 = 0.0651 and 4 / 0.0651 = 61.5.

        >>> ratings_for_width(1.0, 4.0, 0.0, most=100)
        62
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    allowed_variance = (width / (2 * z)) ** 2 - score_variance
    needed = math.ceil(rating_variance / allowed_variance) if allowed_variance > 0 else math.inf
    return int(needed) if needed <= most else None
