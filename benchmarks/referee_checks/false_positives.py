"""What says nothing is called significant in 5% of tables, whatever the sizes of the groups."""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np
from scipy.stats import norm

from assay.meta_eval import compare_metrics, max_t
from assay.meta_eval.decision import estimate_change

from .measurement import Measurement, average
from .populations import GROUP_SIZES, build_table, clustered_normal, follow, number_groups, rate

_METRICS = 12
_LOW, _HIGH = 0.04, 0.06
_OTHER_SIZES = {
    "5 unequal groups": [2, 4, 8, 12, 20],
    "40 groups of 1 to 12": [1] * 15 + [2] * 10 + [3] * 8 + [6] * 5 + [12] * 2,
    "30 of 1, one of 30": [1] * 30 + [30],
}


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Yields how often chance is called significant at 5%.

    The metrics are 12 that correlate at .5 with each other; scores and ratings share a part of their variance within
    groups; in the last table a fifth of the scores is missing.
    """
    for name, sizes in {**GROUP_SIZES, **_OTHER_SIZES}.items():
        is_equal = len(set(sizes)) == 1
        tables = [(0.5, "even")] if is_equal else [(0.3, "mostly 5"), (0.7, "even"), (0.7, "mostly 5")]
        for table in tables:
            yield from _measure_metrics(name, sizes, table, repeats, seed)
    for name in ("30 groups of 4", "12 unequal groups", "7 geometric groups"):
        yield _measure_comparison(name, repeats, seed)
        yield _measure_difference(name, repeats, seed)


def _measure_metrics(
    name: str, sizes: list[int], table: tuple[float, str], repeats: int, seed: int
) -> Iterator[Measurement]:
    groups, (shared, cuts) = number_groups(sizes), table
    single, largest = [], []
    for repeat in range(repeats):
        generator = np.random.default_rng([seed, repeat, len(sizes)])
        noise = clustered_normal(generator, groups, _METRICS + 1, shared)
        scores = np.sqrt(0.5) * (noise[:, 1:] + noise[:, :1])
        if (shared, cuts) == (0.7, "mostly 5"):
            scores[generator.random(scores.shape) < 0.2] = np.nan
        ratings = rate(clustered_normal(generator, groups, 1, shared)[:, 0], cuts)
        if np.ptp(ratings) == 0:
            continue
        alone, corrected = max_t(build_table(scores, ratings, groups), permutations=399, seed=repeat)
        single.append(float(np.mean(np.array(alone) <= 0.05)))
        largest.append(min(corrected) <= 0.05)
    case = f"{name}, {shared:.0%} shared, ratings {cuts}"
    yield average(case, "a metric of noise has p <= .05", single, low=_LOW, high=_HIGH)
    yield _share(case, "the best of 12 has corrected p <= .05", largest, low=0 if len(sizes) < 6 else _LOW, high=_HIGH)


def _measure_comparison(name: str, repeats: int, seed: int) -> Measurement:
    """Two metrics that follow the ratings equally well."""
    groups = number_groups(GROUP_SIZES[name])
    outcomes = []
    for repeat in range(repeats):
        generator = np.random.default_rng([seed, repeat, 77])
        noise = clustered_normal(generator, groups, 3, 0.5)
        scores = follow(noise[:, :1], noise[:, 1:], 0.5)
        table = build_table(scores, rate(noise[:, 0]), groups)
        p = compare_metrics(table, "m0", "m1").difference.p
        outcomes.append(p is not None and p <= 0.05)
    return _share(name, "two metrics that follow alike differ, p <= .05", outcomes, low=_LOW, high=_HIGH)


def _measure_difference(name: str, repeats: int, seed: int) -> Measurement:
    """Two runs of one system: differences as often up as down, groups moving together."""
    groups = number_groups(GROUP_SIZES[name])
    outcomes = []
    for repeat in range(repeats):
        generator = np.random.default_rng([seed, repeat, 99])
        changes = clustered_normal(generator, groups, 1, 0.5)[:, 0] * norm.cdf(generator.normal(size=len(groups)))
        p = estimate_change(changes, groups).p
        outcomes.append(p is not None and p <= 0.05)
    return _share(name, "two runs without a change differ, p <= .05", outcomes, low=0, high=_HIGH)


def _share(case: str, figure: str, outcomes: list[bool], *, low: float, high: float) -> Measurement:
    """How often a test rejects; the error is that of a test which rejects in 5%."""
    return Measurement(case, figure, float(np.mean(outcomes)), (0.05 * 0.95 / len(outcomes)) ** 0.5, low, high)
