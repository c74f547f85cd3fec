"""The mean predicted rating: with ratings its interval holds the team's mean rating, without it has none.

A run of answers in groups, some of them rated: answers drawn at random, or all answers of groups drawn at random. The
scorer was fitted before the answers became worse, so that its predictions are too high.
"""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np
from scipy.stats import norm

from assay.meta_eval import mean_of_table

from .measurement import Measurement, average, share
from .populations import CUTS, build_table, clustered_normal, follow, number_groups, rate

SIZES = {
    "200 independent": [1] * 200,
    "50 groups of 4": [4] * 50,
    "10 groups of 20": [20] * 10,
    "12 unequal groups": [2, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 25],
    "7 geometric groups": [2, 4, 8, 16, 32, 64, 128],
}
CASES = [
    ("200 independent", 20, "answers", 0.0, 0.4, "mostly 5"),
    ("50 groups of 4", 40, "answers", 0.3, 0.7, "even"),
    ("50 groups of 4", 40, "groups", 0.3, 0.7, "even"),
    ("50 groups of 4", 100, "groups", 0.3, 0.7, "mostly 5"),
    ("10 groups of 20", 20, "answers", 0.3, 0.7, "even"),
    ("10 groups of 20", 100, "groups", 0.3, 0.7, "even"),
    ("12 unequal groups", 40, "answers", 0.3, 0.7, "mostly 5"),
    ("12 unequal groups", 60, "groups", 0.3, 0.7, "even"),
    ("7 geometric groups", 100, "answers", 0.3, 0.7, "even"),
]
FALL = 0.7
"""How much worse the answers are than those that the scorer was fitted on, in standard deviations of the quality."""


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Rates a part of each run."""
    for number, (case, rated, whole, shared, correlation, cuts) in enumerate(CASES):
        generator = np.random.default_rng([seed, number])
        groups = number_groups(SIZES[case])
        truth = 1 + sum(float(norm.sf(cut + FALL)) for cut in CUTS[cuts])
        covered, narrower = [], []
        for _ in range(repeats):
            drawn = clustered_normal(generator, groups, 2, shared)
            ratings = rate(drawn[:, 0] - FALL, cuts)
            scores = follow(drawn[:, :1], drawn[:, 1:], correlation)  # the fall is not seen by the scorer
            order = generator.permutation(len(groups))
            if whole == "groups":
                order = order[np.argsort(generator.permutation(len(SIZES[case]))[groups[order]], kind="stable")]
            known = np.full(len(groups), np.nan)
            known[order[:rated]] = ratings[order[:rated]]
            result = mean_of_table(build_table(scores, known, groups), ("m0",))
            if result.mean.low is None or result.mean.high is None:
                continue  # the rated answers are of too few groups, and it says so
            covered.append(result.mean.low <= truth <= result.mean.high)
            assert result.classical.low is not None and result.classical.high is not None
            narrower.append((result.mean.high - result.mean.low) / (result.classical.high - result.classical.low))
        name = f"{case}, {rated} {'answers' if whole == 'answers' else 'answers of whole groups'} rated, {cuts}"
        yield share(name, "95% interval holds the team's mean rating", covered, low=0.93, high=0.97)
        yield average(name, "its width, of that of the ratings alone", narrower, low=0.0, high=1.05)
