"""A 95% interval holds the truth in 93 to 97 of 100 cases, from 5 groups on, equal or not.

Scores and ratings share half of their variance within a group. The truth is that of a million independent answers.
Where fewer than five groups have bad answers there is no interval of an area, and n counts the others.
"""

from collections.abc import Callable, Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import (
    Estimate,
    auroc,
    auroc_statistic,
    estimate_mean,
    spearman,
    spearman_statistic,
)
from assay.meta_eval.decision import estimate_change
from referee_checks.measurement import Measurement, share
from referee_checks.populations import GROUP_SIZES, Floats, clustered_normal, follow, number_groups, rate

SHARED, RHO, MIDDLE = 0.5, 0.6, 3
DIFFERENCE = "difference of two runs"
RARE, NINE_IN_TEN = "mean of 0 and 1, nine in ten 1", 1.2816  # the latter of a normal variable
Interval = Callable[[Floats, Floats, list[str]], Estimate]

FIGURES: dict[str, Interval] = {
    "Spearman": lambda x, y, groups: spearman(x.tolist(), y.tolist(), groups),
    "AUROC of bad": lambda x, y, groups: auroc(x, y >= MIDDLE, groups),
    "mean": lambda x, y, groups: estimate_mean(x, groups),
    RARE: lambda x, y, groups: estimate_mean(x < NINE_IN_TEN, groups),
    DIFFERENCE: lambda x, y, groups: estimate_change(x - 0.3, np.unique(groups, return_inverse=True)[1]),
}


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Yields how often each interval holds the truth, for groups from equal to geometric."""
    generator = np.random.default_rng(seed)
    quality, noise = generator.normal(size=(2, 1_000_000))
    x, y = follow(quality, noise, RHO), rate(quality)
    truth = {
        "Spearman": float(spearman_statistic(x, y)(np.ones((len(x), 1)))[0]),
        "AUROC of bad": float(auroc_statistic(x, y >= MIDDLE)(np.ones((len(x), 1)))[0]),
        "mean": 0.0,
        RARE: 0.9,
        DIFFERENCE: -0.3,
    }
    for name, sizes in GROUP_SIZES.items():
        groups = number_groups(sizes)
        labels = [f"g{group}" for group in groups]
        outcomes: dict[str, list[bool]] = {figure: [] for figure in FIGURES}
        for _ in range(repeats):
            quality, noise = clustered_normal(generator, groups, 2, SHARED if max(sizes) > 1 else 0.0).T
            x, y = follow(quality, noise, RHO), rate(quality)
            for figure, interval in FIGURES.items():
                one = interval(x, y, labels)
                if one.low is not None and one.high is not None:
                    outcomes[figure].append(one.low <= truth[figure] <= one.high)
        for figure, held in outcomes.items():
            # few answers differ, or the p of few groups is at least that of their signs: it can only be too wide
            most = 1.0 if figure in (RARE, DIFFERENCE) else 0.97
            yield share(f"{name}, n = {len(held)}", figure, held, low=0.93, high=most)
