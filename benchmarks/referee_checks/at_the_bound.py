"""A correlation's interval holds with few groups and scores of 0 and 1, and no small p stands beside one that holds 0.

The scores are 0 or 1 or graded, 80% of the ratings are 5 or half of them 1 of 0 and 1, 5 to 60 groups. The truth is
that of 400,000 answers. Tables without a rho or without an interval do not count.
"""

import math
from collections.abc import Iterator
from statistics import NormalDist

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import pass_fail_agreement, spearman, spearman_statistic
from referee_checks.measurement import Measurement, share
from referee_checks.populations import Floats, build_table, clustered_normal, number_groups

# (groups, their size, the share common to a group, the share of fives, whether scores are 0 or 1, their correlation)
_CASES = [
    (5, 8, 0.3, 0.8, True, 0.8),
    (8, 5, 0.3, 0.8, True, 0.8),
    (8, 8, 0.3, 0.8, True, 0.5),
    (5, 8, 0.3, 0.8, True, 0.0),
    (8, 5, 0.3, 0.8, True, 0.0),
    (12, 4, 0.3, 0.8, True, 0.0),
    (20, 2, 0.3, 0.8, True, 0.3),
    (40, 1, 0.0, 0.8, True, 0.0),
    (14, 1, 0.0, 0.5, False, 0.99),
    (14, 1, 0.0, 0.5, False, 0.9),
    (30, 1, 0.0, 0.5, False, 0.99),
    (60, 1, 0.0, 0.8, False, 0.4),
]


def draw(generator: np.random.Generator, case: tuple[int, int, float, float, bool, float], groups: int) -> list[Floats]:
    """Scores, ratings and the number of each item's group."""
    _, size, shared, fives, is_check, correlation = case
    numbers = number_groups([size] * groups)
    quality, noise = clustered_normal(generator, numbers, 2, shared).T
    cut = NormalDist().inv_cdf(1 - fives)
    scores = correlation * quality + math.sqrt(1 - correlation**2) * noise
    ratings = np.where(quality > cut, 5.0, np.clip(np.floor(4 + (quality - cut) * 1.2), 1, 4))
    if fives == 0.5:
        ratings = (quality > 0).astype(float)
    return [(scores > cut).astype(float) if is_check else scores, ratings, numbers]


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Draws tables of each case."""
    generator = np.random.default_rng(seed)
    for case in _CASES:
        x, y, _ = draw(generator, case, 400_000 // case[1])
        truth = float(spearman_statistic(x, y)(np.ones((len(x), 1)))[0])
        holds, contradicts, kappas = [], [], []
        for _ in range(repeats):
            x, y, numbers = draw(generator, case, case[0])
            rho = spearman(x.tolist(), y.tolist(), [f"g{number}" for number in numbers])
            if rho.low is not None and rho.high is not None:
                holds.append(rho.low <= truth <= rho.high)
                contradicts.append(rho.p is not None and rho.p <= 0.05 and rho.low <= 0 <= rho.high)
            if case[3] == 0.8 and case[5] == 0.0:
                kappa = pass_fail_agreement(build_table(x[:, None], y, numbers))["m0"].kappa
                if kappa.low is not None and kappa.high is not None:
                    kappas.append(kappa.low <= 0 <= kappa.high)
        kind = "0 or 1" if case[4] else "graded"
        name = f"{case[0]} groups of {case[1]}, scores {kind}, follow by {case[5]:g}, n = {len(holds)}"
        yield share(name, "95% interval of Spearman", holds, low=0.93)
        yield share(name, "p <= .05 beside an interval that holds 0", contradicts, high=0.0)
        if kappas:
            yield share(name, "95% interval of kappa holds 0", kappas, low=0.93)
