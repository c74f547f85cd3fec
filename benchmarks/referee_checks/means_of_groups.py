"""A mean's interval holds where large groups are worse and where most values are at their bound, and is never empty.

Group sizes are drawn anew with each table, and the larger a group the fewer of its answers are rated 5: 80% fives in
all. Then groups of fixed sizes with 50, 80 and 95% fives: of few answers all may be fives, and the truth is below.
"""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import estimate_mean
from referee_checks.measurement import Measurement, share
from referee_checks.populations import Floats

_OTHERS = 2.5  # the mean of ratings other than 5
_SIZES = {
    "sizes 1 to 8": ([1, 2, 3, 4, 8], [0.3, 0.25, 0.2, 0.15, 0.1]),
    "sizes 1, 3 and 20": ([1, 3, 20], [0.5, 0.3, 0.2]),
    "sizes 1 to 16": ([1, 2, 4, 8, 16], [0.4, 0.25, 0.15, 0.12, 0.08]),
}
_FIXED = {
    "5 groups of 8": [8] * 5,
    "10 groups of 4": [4] * 10,
    "14 groups of 1": [1] * 14,
    "60 groups of 1": [1] * 60,
    "80 groups of 1": [1] * 80,
    "12 unequal groups": [1, 1, 2, 2, 3, 4, 6, 9, 12, 16, 20, 24],
}


def draw(generator: np.random.Generator, sizes: Floats, fives: Floats, shared: float) -> tuple[Floats, list[str]]:
    """Ratings of groups with these shares of fives, whose own shares vary about them."""
    strength = (1 - shared) / (shared or 1)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    own = generator.beta(fives * strength, (1 - fives) * strength)[groups] if shared else fives[groups]
    is_five = generator.random(len(groups)) < own
    return np.where(is_five, 5, generator.integers(1, 5, len(groups))).astype(float), [f"g{one}" for one in groups]


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Draws tables with groups of random sizes, then of fixed ones."""
    generator = np.random.default_rng(seed)
    for name, (levels, chances) in _SIZES.items():
        sizes, weights = np.array(levels), np.array(levels) * np.array(chances)
        fives = 0.95 - 0.25 * np.log(sizes) / np.log(sizes.max())
        truth = float(weights @ (5 * fives + _OTHERS * (1 - fives)) / weights.sum())
        for count in (10, 15, 20, 40):
            holds = []
            for _ in range(repeats):
                places = generator.choice(len(sizes), p=chances, size=count)
                mean = estimate_mean(*draw(generator, sizes[places], fives[places], 0.3), bounds=(1, 5))
                holds.append(mean.low is not None and mean.high is not None and mean.low <= truth <= mean.high)
            yield share(f"{count} groups, {name}, large ones worse", "95% interval of the mean", holds, low=0.93)
    for case, fixed in _FIXED.items():
        for share_of_fives in (0.5, 0.8, 0.95):
            truth, holds, is_empty = 5 * share_of_fives + _OTHERS * (1 - share_of_fives), [], []
            for _ in range(repeats):
                fives = np.full(len(fixed), share_of_fives)
                shared = 0.3 if max(fixed) > 1 else 0.0
                mean = estimate_mean(*draw(generator, np.array(fixed), fives, shared), bounds=(1, 5))
                holds.append(mean.low is not None and mean.high is not None and mean.low <= truth <= mean.high)
                is_empty.append(mean.low == mean.high)
            yield share(f"{case}, {share_of_fives:.0%} fives", "95% interval of the mean", holds, low=0.93)
            yield share(f"{case}, {share_of_fives:.0%} fives", "interval of width 0", is_empty, high=0.0)
