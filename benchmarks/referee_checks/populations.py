"""Populations with a known truth: groups of few and unequal sizes, ratings from 1 to 5, scores that follow them."""

import math
from functools import cache

import checkout  # noqa: F401
import numpy as np
from numpy.typing import NDArray

from assay.meta_eval import ScoreTable, ordinal_alpha
from assay.meta_eval.decision import VersionTable

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

GROUP_SIZES = {
    "60 groups of 1": [1] * 60,
    "30 groups of 4": [4] * 30,
    "10 groups of 4": [4] * 10,
    "7 groups of 6": [6] * 7,
    "5 groups of 8": [8] * 5,
    "12 unequal groups": [1, 1, 2, 2, 3, 3, 4, 5, 7, 9, 13, 20],
    "7 geometric groups": [1, 2, 4, 8, 16, 32, 64],
}
"""Sizes of groups, from equal to geometric."""

CUTS = {
    "even": [-0.842, -0.253, 0.253, 0.842],
    "mostly 5": [-1.645, -1.282, -1.036, -0.674],
    "81% 5": [-1.645, -1.282, -1.126, -0.878],
    "90% 5": [-2.054, -1.751, -1.555, -1.282],
    "95% 5": [-2.326, -2.054, -1.881, -1.645],
}
"""Where a normal variable is cut into ratings 1 to 5: a fifth each, or 75%, 81%, 90% and 95% fives."""


def number_groups(sizes: list[int]) -> Places:
    """The number of each item's group, (items,)."""
    return np.repeat(np.arange(len(sizes)), sizes)


def clustered_normal(generator: np.random.Generator, groups: Places, columns: int, shared: float) -> Floats:
    """Normal variables with variance 1, of which a share is common to a group, (items, columns)."""
    of_group = generator.normal(size=(int(groups.max()) + 1, columns))[groups]
    return np.sqrt(shared) * of_group + np.sqrt(1 - shared) * generator.normal(size=(len(groups), columns))


def rate(latent: Floats, cuts: str = "even") -> Floats:
    """Ratings from 1 to 5 of a latent quality."""
    return 1.0 + np.searchsorted(CUTS[cuts], latent)


def follow(quality: Floats, noise: Floats, correlation: float) -> Floats:
    """Scores whose correlation with the latent quality is as given."""
    return correlation * quality + np.sqrt(1 - correlation**2) * noise


def draw_metrics(
    generator: np.random.Generator, groups: Places, correlations: list[float], shared: float = 0.5
) -> tuple[Floats, Floats]:
    """Ratings (items,) and metrics (items, metrics) that follow the rated quality so far; their noise correlates at .3.

    Where groups hold several items, a share of everything is common to a group.
    """
    columns = len(correlations)
    latent = clustered_normal(generator, groups, columns + 2, shared if groups.max() + 1 < len(groups) else 0.0)
    noise = np.sqrt(0.3) * latent[:, [1]] + np.sqrt(0.7) * latent[:, 2:]
    quality, follows = latent[:, [0]], np.array(correlations)
    return rate(quality[:, 0]), follows * quality + np.sqrt(1 - follows**2) * noise


def build_table(scores: Floats, ratings: Floats, groups: Places, **others: object) -> ScoreTable:
    """A table of metrics m0, m1, ... (items, metrics) and ratings (items,) or (items, raters)."""
    if ratings.ndim == 2:
        others["raters"] = tuple(f"r{number}" for number in range(ratings.shape[1]))
    return ScoreTable(
        tuple(f"i{number}" for number in range(len(scores))),
        tuple(f"m{number}" for number in range(scores.shape[1])),
        scores,
        ratings if ratings.ndim == 2 else ratings[:, None],
        groups=tuple(f"g{group}" for group in groups),
        **others,  # type: ignore[arg-type]
    )


def rate_by_several(
    generator: np.random.Generator,
    quality: Floats,
    raters: int,
    correlation: float,
    cuts: str = "even",
    *,
    mildness: Floats | float = 0.0,
) -> Floats:
    """Ratings (items, raters) of a latent quality: what two raters perceive correlates by so much."""
    noise = generator.normal(size=(len(quality), raters))
    perceived = np.sqrt(correlation) * quality[:, None] + np.sqrt(1 - correlation) * noise
    return rate(perceived + mildness, cuts)


@cache
def correlation_for_alpha(alpha: float, cuts: str = "even") -> float:
    """How far what two raters perceive must correlate for their ratings to have this ordinal alpha."""
    low, high = 0.0, 0.999
    for _ in range(12):
        middle = (low + high) / 2
        generator = np.random.default_rng(1)
        ratings = rate_by_several(generator, generator.normal(size=50_000), 2, middle, cuts)
        reached = float(ordinal_alpha(ratings)(np.ones((len(ratings), 1)))[0])
        low, high = (middle, high) if reached < alpha else (low, middle)
    return (low + high) / 2


def latent_correlation(spearman: float, cuts: str = "even") -> float:
    """The correlation for `follow` that makes scores have this Spearman correlation with the ratings."""
    generator = np.random.default_rng(12345)
    quality, noise = generator.normal(size=(2, 200_000))
    ranks = np.argsort(np.argsort(quality)) / len(quality)  # of ratings without ties, to be cut below
    levels = rate(quality, cuts)
    means = np.array([ranks[levels == level].mean() for level in np.unique(levels)])
    rating_ranks = means[np.searchsorted(np.unique(levels), levels)]
    grid = np.linspace(0, 0.98, 50)
    reached = [np.corrcoef(np.argsort(np.argsort(follow(quality, noise, one))), rating_ranks)[0, 1] for one in grid]
    return float(np.interp(spearman, reached, grid))


def draw_versions(
    generator: np.random.Generator,
    groups: Places,
    means: list[float],
    *,
    cuts: str = "even",
    signal: float = 0.6,
    rated: Floats | None = None,
) -> VersionTable:
    """Versions whose latent quality has these means, with a metric that follows it; `rated` says which question is.

    A third of the variance is the question's, and a fifth of the rest that of a version's answers in a group.
    """
    count, versions = len(groups), len(means)
    question = clustered_normal(generator, groups, 1, 0.2)
    own, noise = (clustered_normal(generator, groups, versions, 0.2) for _ in range(2))
    latent = np.sqrt(1 / 3) * question + np.sqrt(2 / 3) * own + np.array(means)
    ratings = rate(latent, cuts)
    if rated is not None:
        ratings[~np.asarray(rated, bool)] = np.nan
    number = np.tile(np.arange(count), versions)
    return VersionTable(
        tuple("ABCDEF"[:versions]),
        np.repeat(np.arange(versions), count),
        number,
        np.tile(groups, versions),
        follow(latent, noise, signal).T.ravel(),
        ratings.T.ravel(),
        np.arange(count * versions),
    )


@cache
def mean_rating(mean: float, cuts: str = "even") -> float:
    """The mean rating of answers whose latent quality has this mean and variance 1."""
    edges = [0.5 * math.erfc((cut - mean) / math.sqrt(2)) for cut in CUTS[cuts]]
    return 1.0 + sum(edges)
