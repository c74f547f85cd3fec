"""The best that any measure could reach is what the true quality reaches with the mean rating.

The ceiling shown, less Spearman of the latent quality with the mean rating; and how often its interval holds that of
the population. Where most ratings are equal, ties keep a measure with fine steps below it: there it is an upper bound.
"""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np
from scipy.stats import spearmanr

from assay.meta_eval.rater_ceiling import estimate_ceiling

from .measurement import Measurement, average, share
from .populations import Floats, build_table, clustered_normal, correlation_for_alpha, rate_by_several

SETTINGS = ((2, 2), (3, 3), (5, 5), (5, 2))
"""How many raters there are, and how many of them rate each answer."""
SIZES = {"120 answers": (120, 1), "30 groups of 4": (120, 4)}


def drop_ratings(generator: np.random.Generator, ratings: Floats, per_answer: int) -> Floats:
    """The ratings with so many per answer, at random."""
    order = generator.random(ratings.shape).argsort(axis=1).argsort(axis=1)
    return np.where(order < per_answer, ratings, np.nan)


def reach_of_quality(raters: int, per_answer: int, alpha: float, cuts: str) -> float:
    """Spearman of the latent quality with the mean rating, in 100,000 answers."""
    generator = np.random.default_rng(99)
    quality = generator.normal(size=100_000)
    ratings = rate_by_several(generator, quality, raters, correlation_for_alpha(alpha, cuts), cuts)
    return float(spearmanr(quality, np.nanmean(drop_ratings(generator, ratings, per_answer), axis=1)).statistic)


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Two to five raters, independent answers and answers in groups."""
    generator = np.random.default_rng(seed)
    for alpha, cuts in ((0.3, "even"), (0.5, "even"), (0.8, "even"), (0.5, "mostly 5")):
        for raters, per_answer in SETTINGS:
            truth = reach_of_quality(raters, per_answer, alpha, cuts)
            correlation, is_even = correlation_for_alpha(alpha, cuts), cuts == "even"
            for size, (items, per_group) in SIZES.items() if is_even else (("120 answers", (120, 1)),):
                groups = np.arange(items) // per_group
                gaps, holds = [], []
                for _ in range(repeats):
                    quality = clustered_normal(generator, groups, 1, 0.3 if per_group > 1 else 0.0)[:, 0]
                    ratings = rate_by_several(generator, quality, raters, correlation, cuts)
                    ratings = drop_ratings(generator, ratings, per_answer)
                    ceiling = estimate_ceiling(build_table(np.empty((items, 0)), ratings, groups))
                    gaps.append((ceiling.value or 0.0) - truth)
                    holds.append(ceiling.low is not None and ceiling.low <= truth <= (ceiling.high or 0.0))
                case = f"alpha {alpha:g}, {cuts}, {per_answer} of {raters} raters, {size}"
                most = 0.03 if is_even else 0.2
                yield average(case, "ceiling less what quality reaches", gaps, low=-0.03, high=most)
                if is_even:
                    yield share(case, "95% interval of the ceiling holds it", holds, low=0.93, high=0.97)
