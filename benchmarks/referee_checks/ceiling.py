"""The best that any measure could reach is what the true quality reaches with the mean rating.

The ceiling shown, less Spearman of the latent quality with the mean rating; and how often its interval holds that of
the population. Where most ratings are equal, ties keep a measure with fine steps below it: there it is an upper bound.
"""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np
from scipy.stats import spearmanr

from assay.meta_eval import estimate_ceiling

from .measurement import Measurement, average, share
from .populations import Floats, Places, build_table, clustered_normal, correlation_for_alpha, rate_by_several

SETTINGS = ((2, 2, 0.0), (3, 3, 0.0), (5, 5, 0.5), (5, 2, 0.0), (5, 2, 0.5))
"""How many raters there are, how many of them rate each answer, and how much their severity differs (in standard
deviations of what they perceive)."""
SIZES = {"120 answers": (120, 1), "30 groups of 4": (120, 4)}


def drop_ratings(generator: np.random.Generator, ratings: Floats, per_answer: int) -> Floats:
    """The ratings with so many per answer, at random."""
    order = generator.random(ratings.shape).argsort(axis=1).argsort(axis=1)
    return np.where(order < per_answer, ratings, np.nan)


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Two to five raters, independent answers and answers in groups."""
    generator = np.random.default_rng(seed)
    for alpha, cuts in ((0.3, "even"), (0.5, "even"), (0.8, "even"), (0.5, "mostly 5")):
        correlation, is_even = correlation_for_alpha(alpha, cuts), cuts == "even"
        for raters, per_answer, severity in SETTINGS:
            mildness = severity * np.linspace(-1.4, 1.4, raters)  # of five raters the standard deviation is 1

            def draw(groups: Places, shared: float) -> tuple[Floats, Floats]:
                quality = clustered_normal(generator, groups, 1, shared)[:, 0]
                ratings = rate_by_several(generator, quality, raters, correlation, cuts, mildness=mildness)  # noqa: B023
                return quality, drop_ratings(generator, ratings, per_answer)  # noqa: B023

            quality, ratings = draw(np.arange(100_000), 0.0)
            truth = float(spearmanr(quality, np.nanmean(ratings, axis=1)).statistic)
            for size, (items, per_group) in SIZES.items() if is_even else (("120 answers", (120, 1)),):
                groups = np.arange(items) // per_group
                gaps, holds = [], []
                for _ in range(repeats):
                    _, ratings = draw(groups, 0.3 if per_group > 1 else 0.0)
                    ceiling = estimate_ceiling(build_table(np.empty((items, 0)), ratings, groups))
                    gaps.append((ceiling.value or 0.0) - truth)
                    holds.append(ceiling.low is not None and ceiling.low <= truth <= (ceiling.high or 0.0))
                case = f"alpha {alpha:g}, {cuts}, {per_answer} of {raters} raters, {size}"
                case += ", of different severity" if severity else ""
                most = 0.03 if is_even else 0.2
                yield average(case, "ceiling less what quality reaches", gaps, low=-0.03, high=most)
                if is_even:
                    yield share(case, "95% interval of the ceiling holds it", holds, low=0.93, high=0.97)
