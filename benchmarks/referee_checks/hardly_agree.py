"""Raters who agree are told that they hardly agree in at most 5%, and those who do not, in at least 80%.

With few answers that two raters rated, and where nearly all ratings are 5, alpha alone calls good raters bad. Raters
who rate at random are called so with 60 shared answers where at most three quarters of the ratings are alike; where
more are, 60 answers hold too few others to tell, and that is measured too.
"""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import agreement_of_raters

from .measurement import Measurement, share
from .populations import build_table, clustered_normal, correlation_for_alpha, rate_by_several

ALPHAS = (0.4, 0.6, 0.8)
CUTS = ("even", "mostly 5", "90% 5", "95% 5")


def verdicts(
    repeats: int, seed: int, *, shared: int, raters: int, alpha: float, cuts: str, per_group: int = 1
) -> list[str]:
    """What Assay says of so many sets of ratings."""
    generator = np.random.default_rng(seed)
    correlation = correlation_for_alpha(alpha, cuts) if alpha else 0.0
    groups = np.arange(shared) // per_group
    results = []
    for _ in range(repeats):
        quality = clustered_normal(generator, groups, 1, 0.3 if per_group > 1 else 0.0)[:, 0]
        ratings = rate_by_several(generator, quality, raters, correlation, cuts)
        agreement = agreement_of_raters(build_table(np.empty((shared, 0)), ratings, groups))
        results.append("none" if agreement is None else agreement.verdict)
    return results


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Raters with a true alpha of .4 to .8, and raters who rate at random."""
    for cuts in CUTS:
        for alpha in ALPHAS:
            for shared, raters in ((6, 2), (15, 3), (60, 2)):
                results = verdicts(repeats, seed, shared=shared, raters=raters, alpha=alpha, cuts=cuts)
                case = f"alpha {alpha:g}, {cuts}, {shared} answers by {raters}"
                yield share(case, "falsely: hardly agree", (one == "hardly agree" for one in results), high=0.05)
    grouped = verdicts(repeats, seed, shared=60, raters=2, alpha=0.4, cuts="even", per_group=4)
    case = "alpha 0.4, even, 15 groups of 4 by 2"
    yield share(case, "falsely: hardly agree", (one == "hardly agree" for one in grouped), high=0.05)
    for cuts, least in zip(CUTS, (0.8, 0.8, 0.0, 0.0), strict=True):
        for raters in (2, 3):
            results = verdicts(repeats, seed, shared=60, raters=raters, alpha=0.0, cuts=cuts)
            case = f"at random, {cuts}, 60 answers by {raters}"
            yield share(case, "rightly: hardly agree", (one == "hardly agree" for one in results), low=least)
            yield share(case, "falsely: agree", (one == "agree" for one in results), high=0.05)
