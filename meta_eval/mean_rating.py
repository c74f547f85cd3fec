"""From few ratings to a nightly number: the mean rating of many judged answers from a small rated slice."""

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
_WIDTHS = (0.05, 0.1, 0.15, 0.2)  # of the rating scale


def estimate_mean_rating(table: ScoreTable, metrics: tuple[str, ...], *, level: float = 0.95) -> MeanRating | None:
    """The mean rating of all items, from the mean percentile of these metrics; None below two unrated items.

    The rated items must be a random slice of all: then the interval holds whatever the metrics are worth.
    """
    is_rated = ~np.isnan(table.mean_rating)
    if int(is_rated.sum()) < _FEWEST_RATED or int((~is_rated).sum()) < _FEWEST_UNRATED:
        return None
    scores = table.only(metrics).oriented
    percentile = fit_scale(scores, "ranks")(scores).mean(axis=1)  # of all items: no rating takes part
    return prediction_powered_mean(
        table.mean_rating[is_rated],
        percentile[is_rated],
        percentile[~is_rated],
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
    """Prediction-powered mean with power tuning (PPI++; Angelopoulos, Duchi and Zrnic, 2023, arXiv 2311.01453).

    theta = lambda mean(f unrated) + mean(Y - lambda f), with lambda = cov(Y, f) / ((1 + n/N) var f), at least 0,
    so that scores of any scale serve. Its variance is lambda^2 var(f) / N + that of mean(Y - lambda f), over groups;
    the interval is Student's with groups - 1 degrees of freedom. By hand, because ppi-python brings numba, pandas and
    gdown (2.5 s to import) and knows no groups.
    """
    n, others = len(ratings), len(unrated_scores)
    pooled = float(np.concatenate([scores, unrated_scores]).var(ddof=1))
    power = 0.0
    if pooled > 0 and others:
        covariance = float(np.cov(ratings, scores, ddof=0)[0, 1])  # as ppi-python has it
        power = max(0.0, covariance / ((1 + n / others) * pooled))
    rest = ratings - power * scores
    of_rest = variance_of_mean(rest, groups)
    of_scores = power**2 * float(unrated_scores.var(ddof=1)) / others if power else 0.0
    plain = variance_of_mean(ratings, groups)
    quantile = float(stats.t.ppf((1 + level) / 2, len(np.unique(groups)) - 1))

    def told(mean: float, variance: float) -> Estimate:
        away = quantile * math.sqrt(variance)
        return Estimate(mean, max(scale[0], mean - away), min(scale[1], mean + away))

    helped = of_rest * n, of_scores
    return MeanRating(
        rated=n,
        unrated=others,
        mean=told(float(rest.mean() + power * unrated_scores.mean()), of_rest + of_scores),
        classical=told(float(ratings.mean()), plain),
        power=power,
        ratings_for_width=tuple(
            (width, ratings_needed(width, *helped, most=n + others, level=level))
            for width in (round(share * (scale[1] - scale[0]), 10) for share in _WIDTHS)
        ),
    )


def ratings_needed(width: float, of_a_rating: float, of_scores: float, *, most: int, level: float = 0.95) -> int | None:
    """How many ratings bring the interval to a width: n = s^2 / ((width / 2z)^2 - v), at most all of the items.

    of_a_rating: s^2, the variance that one rating leaves (design effect in it); of_scores: v, the variance that the
    scores of the unrated items leave. None where even `most` would not do.
    """
    wanted = (width / (2 * float(stats.norm.ppf((1 + level) / 2)))) ** 2 - of_scores
    needed = math.ceil(of_a_rating / wanted) if wanted > 0 else math.inf
    return int(needed) if needed <= most else None
