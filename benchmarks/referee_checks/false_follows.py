"""Where no metric has anything to do with the ratings, "follows your team" is said in at most 1%, however combined."""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import Combine, select

from .measurement import Measurement, share
from .populations import GROUP_SIZES, build_table, draw_metrics, number_groups

METRICS = 6
CASES: list[tuple[Combine, str]] = [
    ("all", "60 groups of 1"),
    ("all", "30 groups of 4"),
    ("all", "12 unequal groups"),
    ("subsets", "10 groups of 4"),
    ("sum", "60 groups of 1"),
    ("mean-rank", "10 groups of 4"),
    ("ridge", "60 groups of 1"),
    ("ridge", "10 groups of 4"),
    ("logistic", "60 groups of 1"),
    ("logistic", "30 groups of 4"),
]


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """How often a claim is made of six metrics of noise."""
    for number, (combine, sizes) in enumerate(CASES):
        generator, groups = np.random.default_rng([seed, number]), number_groups(GROUP_SIZES[sizes])
        claims = []
        for repeat in range(repeats):
            ratings, scores = draw_metrics(generator, groups, [0.0] * METRICS)
            table = build_table(scores, ratings, groups)
            result = select(table, combine=combine, repeats=1, folds=3, permutations=199, seed=repeat)
            claims.append(result is not None and result[0].is_beyond_chance)
        yield share(f"{sizes}, --combine {combine}", "a claim is made", claims, high=0.01)
