"""`assay judges align` adopts a judge that is no better in at most 5%, and shows a gain only of one that is adopted."""

from collections.abc import Iterator
from functools import cache

import checkout  # noqa: F401
import numpy as np
from scipy.stats import norm, spearmanr

from assay.meta_eval import AS_IT_IS, AlignmentResult, Predict, compare_candidates

from .measurement import Measurement, average, share
from .populations import Floats, build_table, clustered_normal, follow, number_groups, rate

_CANDIDATES = 2
_RHO = 0.4
_SIZES = {"50 groups of 2": [2] * 50, "20 unequal groups": [1] * 6 + [2] * 5 + [4] * 4 + [8] * 3 + [12, 32]}


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Yields how often a candidate is adopted that is no better, or truly better, and what gain is shown of it."""
    for name, sizes in _SIZES.items():
        equal = [_align(sizes, 0.0, seed, repeat)[0] for repeat in range(repeats)]
        case = f"{name}, {_CANDIDATES} equal candidates"
        yield share(case, "one is adopted", [one.is_adopted for one in equal], high=0.05)
        yield from _adopted_excess(case, [(one, 0.0) for one in equal])
        better = [_align(sizes, 0.15, seed, repeat) for repeat in range(repeats)]
        case = f"{name}, one candidate better by .15"
        yield share(case, "one is adopted (power)", [one.is_adopted for one, _ in better], low=0.1)
        yield from _adopted_excess(case, better)


def _adopted_excess(case: str, results: list[tuple[AlignmentResult, float]]) -> Iterator[Measurement]:
    excess = [(one.gain.value or 0.0) - true for one, true in results if one.gain is not None]
    if len(excess) > 1:
        yield average(case, "gain that is shown where one is adopted, less the true one", excess, low=-0.1, high=0.1)


def _align(sizes: list[int], gain: float, seed: int, repeat: int) -> tuple[AlignmentResult, float]:
    """Aligns candidates of which one follows the ratings better by `gain`; the result and that one's true gain."""
    generator = np.random.default_rng([seed, repeat, len(sizes)])
    groups = number_groups(sizes)
    latent = clustered_normal(generator, groups, _CANDIDATES + 3, 0.4)
    quality, shared, own = latent[:, :1], latent[:, 1:2], latent[:, 2:]
    noise = np.sqrt(0.7) * shared + np.sqrt(0.3) * own
    strengths = np.full(_CANDIDATES + 1, _RHO)
    strengths[-1] += gain
    scores = norm.cdf(np.column_stack([follow(quality, noise[:, [k]], rho) for k, rho in enumerate(strengths)]))
    ratings = rate(quality[:, 0])
    names = [AS_IT_IS, *(f"candidate {number}" for number in range(1, _CANDIDATES + 1))]
    table = build_table(np.zeros((len(groups), 0)), ratings, groups)
    candidates = {name: _fixed(values) for name, values in zip(names, scores.T, strict=True)}
    result = compare_candidates(table, candidates, permutations=400, seed=repeat)
    return result, _true_gain(gain)


def _fixed(values: Floats) -> Predict:
    """A candidate that learned nothing."""
    return lambda _, others: values[others]


@cache
def _true_gain(gain: float) -> float:
    """The gain on the scale of Spearman's rho, from a large sample."""
    generator = np.random.default_rng(0)
    quality, noise = generator.normal(size=(2, 200_000))
    ratings = rate(quality)
    before, after = (spearmanr(follow(quality, noise, rho), ratings).statistic for rho in (_RHO, _RHO + gain))
    return float(after - before)
