"""Where no metric has anything to do with the ratings, "follows your team" is said in at most 1%."""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import select

from .measurement import Measurement, share
from .populations import GROUP_SIZES, build_table, draw_metrics, number_groups

METRICS = 6
CASES = ("60 groups of 1", "30 groups of 4", "12 unequal groups", "10 groups of 4")


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """How often a claim is made of six metrics of noise."""
    for number, sizes in enumerate(CASES):
        generator, groups = np.random.default_rng([seed, number]), number_groups(GROUP_SIZES[sizes])
        claims = []
        for repeat in range(repeats):
            ratings, scores = draw_metrics(generator, groups, [0.0] * METRICS)
            table = build_table(scores, ratings, groups)
            result = select(table, repeats=1, folds=3, permutations=199, seed=repeat)
            claims.append(result is not None and result[0].is_beyond_chance)
        yield share(sizes, "a claim is made", claims, high=0.01)
