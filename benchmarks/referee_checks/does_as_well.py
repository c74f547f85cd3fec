"""A measure is said to do as well only where it is not truly worse by more than 0.10; else how many ratings would tell.

The whole evaluation at 60 answers, where a baseline is truly worse by 0.2 (0.35 against 0.55); the standing of a
comparison at the margin itself, where the two one-sided tests may err in 5%; and, where nobody can tell, whether the
difference is settled once as many more answers are rated as were named: 80% on average over pairs of measures whose
difference is drawn anew.
"""

from collections.abc import Iterator
from dataclasses import replace

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import ScoreTable, compare_metrics, evaluate_table

from .measurement import Measurement, share
from .populations import (
    GROUP_SIZES,
    Places,
    build_table,
    clustered_normal,
    follow,
    latent_correlation,
    number_groups,
    rate,
)

SHARED = 0.3
MOST_ANSWERS = 4000
QUICK = {"permutations": 199, "repeats": 1, "by": ()}


def two_measures(
    generator: np.random.Generator, groups: Places, first: float, second: float, near: float
) -> ScoreTable:
    """A table of two measures whose Spearman correlations are as given; `near` is that of their errors."""
    quality, error, own, other = clustered_normal(generator, groups, 4, SHARED).T
    errors = (np.sqrt(near) * error + np.sqrt(1 - near) * one for one in (own, other))
    scores = [
        follow(quality, noise, latent_correlation_of(one)) for noise, one in zip(errors, (first, second), strict=True)
    ]
    return build_table(np.column_stack(scores), rate(quality), groups)


LATENT = {round(rho, 2): latent_correlation(rho) for rho in np.arange(0.0, 0.81, 0.05)}


def latent_correlation_of(spearman: float) -> float:
    """The same as `latent_correlation`, read off a grid."""
    return float(np.interp(spearman, list(LATENT), list(LATENT.values())))


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Simulates evaluations, the margin, and the ratings that were asked for."""
    generator = np.random.default_rng(seed)
    said = []
    groups = number_groups(GROUP_SIZES["60 groups of 1"])
    for _ in range(repeats):
        table = two_measures(generator, groups, 0.55, 0.35, 0.0)
        table = replace(table, baselines=frozenset({"m1"}))
        evaluation = evaluate_table(table, **QUICK)  # type: ignore[arg-type]
        one = next(one for one in evaluation.comparisons if one.second == "m1")
        said.append(one.standing.kind == "equivalent")
    yield share("60 answers, 0.55 beside a baseline of 0.35", "the baseline is said to do as well", said, high=0.05)
    for case, sizes in {"150 groups of 4": [4] * 150, "42 geometric groups": [1, 2, 4, 8, 16, 32, 64] * 6}.items():
        groups, equivalent = number_groups(sizes), []
        for _ in range(repeats):
            table = two_measures(generator, groups, 0.45, 0.55, 0.8)
            equivalent.append(compare_metrics(table, "m0", "m1").standing.kind == "equivalent")
        yield share(case, "said to do as well where it is worse by 0.10", equivalent, high=0.05)
    for case, size in {"120 groups of 1": 1, "30 groups of 4": 4}.items():
        settled = []
        while len(settled) < repeats:
            first, second = generator.uniform(0.2, 0.6, 2)
            table = two_measures(generator, number_groups([size] * (120 // size)), first, second, 0.5)
            more = compare_metrics(table, "m0", "m1").standing.more_ratings
            if more is None or more > MOST_ANSWERS:
                continue
            new = two_measures(generator, number_groups([size] * (more // size + 1)), first, second, 0.5)
            settled.append(compare_metrics(join(table, new), "m0", "m1").standing.kind != "unsettled")
        yield share(case, "settled after the ratings that were asked for", settled, low=0.7, high=0.9)


def join(table: ScoreTable, new: ScoreTable) -> ScoreTable:
    """The answers of both, the groups of the second being others."""
    groups = [*table.groups, *(f"new {group}" for group in new.groups)]
    numbers = np.unique(groups, return_inverse=True)[1]
    return build_table(
        np.concatenate([table.scores, new.scores]), np.concatenate([table.ratings, new.ratings]), numbers
    )
