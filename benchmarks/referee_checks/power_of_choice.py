"""One metric among 12 that follows the ratings is claimed as often as a test of the metrics alone allows, and it is."""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import max_t, select

from .measurement import Measurement, average, share
from .populations import build_table, draw_metrics, number_groups

CASES = {
    "60 answers, 1 of 12 has rho 0.4": ([1] * 60, 0.26),
    "120 answers, 1 of 12 has rho 0.4": ([1] * 120, 0.80),
    "30 groups of 4, 1 of 12 has rho 0.4": ([4] * 30, 0.0),
}


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """How often a metric with rho 0.4 among 12 is claimed, beside the corrected p-value of metrics alone."""
    for number, (case, (sizes, least)) in enumerate(CASES.items()):
        generator, groups = np.random.default_rng([seed, number]), number_groups(sizes)
        claims, differences, false = [], [], []
        for repeat in range(repeats):
            ratings, scores = draw_metrics(generator, groups, [0.4] + [0.0] * 11)
            table = build_table(scores, ratings, groups)
            result = select(table, repeats=1, folds=3, permutations=199, seed=repeat)
            is_claimed = result is not None and result[0].is_beyond_chance
            is_shown = max_t(table, permutations=199, seed=repeat)[1][0] <= 0.01
            claims.append(is_claimed)
            differences.append(float(is_claimed) - float(is_shown))
            false.append(is_claimed and result is not None and "m0" not in result[0].chosen.metrics)
        yield share(case, "a claim is made", claims, low=least)
        yield average(case, "claims more often than the metrics' own corrected p", differences, low=-0.02, high=1.0)
        yield share(case, "the claim is about noise alone", false, high=0.01)
