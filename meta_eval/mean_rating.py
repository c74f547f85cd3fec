"""From few ratings to a nightly number: the mean rating of many judged answers from a small rated sample."""

import math

import numpy as np
from scipy import stats

from .arrays import Floats, Places
from .estimate import Estimate
from .policy import variance_of_mean
from .results import MeanRating
from .subsets import fit_scale
from .table import ScoreTable

_FEWEST_RATED = 10
_FEWEST_UNRATED = 2  # one has no variance
_WIDTHS = (0.05, 0.1, 0.15, 0.2)  # shares of the rating scale


def estimate_mean_rating(table: ScoreTable, metrics: tuple[str, ...], *, level: float = 0.95) -> MeanRating | None:
    """Estimates the mean rating of all items of a table from the scores of all and the ratings of some.

    The score of an item is its mean percentile over the metrics. The rated items must be a random part of all: then the
    interval holds, whatever the metrics are worth.

    Args:
        table: Rated and unrated items.
        metrics: The metrics whose scores are used, negated where lower is better.
        level: Confidence level, in (0, 1).

    Returns:
        The estimate of `prediction_powered_mean`; None with fewer than ten rated or two unrated items.
    """
    is_rated = ~np.isnan(table.mean_rating)
    if int(is_rated.sum()) < _FEWEST_RATED or int((~is_rated).sum()) < _FEWEST_UNRATED:
        return None
    scores = table.only(metrics).oriented
    percentiles = fit_scale(scores, "ranks")(scores).mean(axis=1)  # over all items: no rating takes part
    return prediction_powered_mean(
        table.mean_rating[is_rated],
        percentiles[is_rated],
        percentiles[~is_rated],
        table.group_numbers[is_rated],
        scale=(table.rating_min, table.rating_max),
        level=level,
    )


def prediction_powered_mean(
    ratings: Floats,
    scores: Floats,
    unrated_scores: Floats,
    groups: Places,
    *,
    scale: tuple[float, float],
    level: float = 0.95,
) -> MeanRating:
    """Estimates a mean by prediction-powered inference with power tuning (PPI++).

    theta = lambda mean(f of unrated) + mean(Y - lambda f of rated), lambda = cov(Y, f) / ((1 + n/N) var f), at least 0,
    so that scores of any scale serve. Its variance is lambda^2 var(f) / N plus that of mean(Y - lambda f) over groups;
    the interval is Student's with groups - 1 degrees of freedom (Angelopoulos, Duchi and Zrnic, 2023, arXiv
    2311.01453). Our own code, because ppi-python needs numba, pandas and gdown (2.5 s to import) and knows no groups; a
    test holds its result.

    Args:
        ratings: Ratings Y of the n rated items, (n,).
        scores: Scores f of the rated items, (n,).
        unrated_scores: Scores f of the N unrated items, (N,).
        groups: The group of each rated item as a number, (n,).
        scale: The lowest and the highest rating; the interval is clipped to it.
        level: Confidence level, in (0, 1).

    Returns:
        The mean with its interval, beside the mean of the ratings alone.

    Examples:
        Scores that equal the ratings, of which the rated ones have the mean 3 and the unrated ones 4. cov = 2,
        var = 2.5 over all ten, so lambda = 2 / ((1 + 5/5) 2.5) = 0.4 and the mean is 0.4 * 4 + 0.6 * 3 = 3.4:

        >>> rated, unrated = np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 3, 4, 5, 6])
        >>> result = prediction_powered_mean(rated, rated, unrated, np.arange(5), scale=(1, 6))
        >>> round(result.power, 4), round(result.mean.value, 4), result.classical.value
        (0.4, 3.4, 3.0)
    """
    n, unrated = len(ratings), len(unrated_scores)
    pooled_variance = float(np.concatenate([scores, unrated_scores]).var(ddof=1))
    power = 0.0
    if pooled_variance > 0 and unrated:
        covariance = float(np.cov(ratings, scores, ddof=0)[0, 1])  # divided by n, as in ppi-python
        power = max(0.0, covariance / ((1 + n / unrated) * pooled_variance))
    residuals = ratings - power * scores
    residual_variance = variance_of_mean(residuals, groups)
    score_variance = power**2 * float(unrated_scores.var(ddof=1)) / unrated if power else 0.0
    quantile = float(stats.t.ppf((1 + level) / 2, len(np.unique(groups)) - 1))

    def with_interval(mean: float, variance: float) -> Estimate:
        half_width = quantile * math.sqrt(variance)
        return Estimate(mean, max(scale[0], mean - half_width), min(scale[1], mean + half_width))

    widths = (round(share * (scale[1] - scale[0]), 10) for share in _WIDTHS)
    return MeanRating(
        rated=n,
        unrated=unrated,
        mean=with_interval(float(residuals.mean() + power * unrated_scores.mean()), residual_variance + score_variance),
        classical=with_interval(float(ratings.mean()), variance_of_mean(ratings, groups)),
        power=power,
        ratings_for_width=tuple(
            (width, ratings_needed(width, residual_variance * n, score_variance, most=n + unrated, level=level))
            for width in widths
        ),
    )


def ratings_needed(
    width: float, rating_variance: float, score_variance: float, *, most: int, level: float = 0.95
) -> int | None:
    """Computes how many ratings bring the interval of a mean to a width.

    n = s^2 / ((width / 2z)^2 - v), with z the normal quantile of the level.

    Args:
        width: The width of the interval, on the rating scale.
        rating_variance: s^2, the variance that one rating leaves, with the effect of groups in it.
        score_variance: v, the variance that the scores of the unrated items leave.
        most: How many items there are to rate.
        level: Confidence level, in (0, 1).

    Returns:
        The number of ratings; None where even `most` would not do.

    Examples:
        s^2 = 4, v = 0, width 1: (1 / (2 * 1.96))^2 = 0.0651 and 4 / 0.0651 = 61.5.

        >>> ratings_needed(1.0, 4.0, 0.0, most=100)
        62
    """
    z = float(stats.norm.ppf((1 + level) / 2))
    allowed_variance = (width / (2 * z)) ** 2 - score_variance
    needed = math.ceil(rating_variance / allowed_variance) if allowed_variance > 0 else math.inf
    return int(needed) if needed <= most else None
