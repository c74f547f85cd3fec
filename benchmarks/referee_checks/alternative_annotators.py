"""Noise and a constant "could replace a rater" in at most 2%; a metric as good as a rater still can.

The raters' alpha is .45, where a constant in the middle of the scale is as close to the others as a rater is, and .65.
What a metric reaches that follows the true quality as closely as a rater, or more closely, is measured too.
"""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval.raters import agreement_of_raters

from .measurement import Measurement, share
from .populations import build_table, clustered_normal, correlation_for_alpha, follow, rate_by_several

SIZES = {
    "60 answers, 3 raters": (60, 1, 3),
    "200 answers, 4 raters": (200, 1, 4),
    "25 groups of 4, 3 raters": (100, 4, 3),
}


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Four metrics side by side: noise, a constant, one as good as a rater, one that is better."""
    for alpha in (0.45, 0.65):
        for size, (items, per_group, raters) in SIZES.items():
            generator = np.random.default_rng(seed)
            correlation, groups = correlation_for_alpha(alpha), np.arange(items) // per_group
            shared = 0.3 if per_group > 1 else 0.0
            passes = []
            for _ in range(repeats):
                quality = clustered_normal(generator, groups, 1, shared)[:, 0]
                noise = clustered_normal(generator, groups, 3, shared)
                closeness = np.sqrt(correlation)
                scores = np.column_stack(
                    [
                        noise[:, 0],
                        np.full(items, 3.0),
                        follow(quality, noise[:, 1], closeness),
                        follow(quality, noise[:, 2], min(0.98, closeness + 0.15)),
                    ]
                )
                ratings = rate_by_several(generator, quality, raters, correlation)
                agreement = agreement_of_raters(build_table(scores, ratings, groups))
                passes.append([one.passes for one in agreement.alternatives])
            is_much = items == 200
            for name, outcomes, low, high in zip(
                ("noise", "a constant", "as good as a rater", "better than a rater"),
                np.transpose(passes),
                (0.0, 0.0, 0.8 if is_much else 0.0, 0.9 if is_much else 0.3),
                (0.02, 0.02, 1.0, 1.0),
                strict=True,
            ):
                yield share(f"alpha {alpha:g}, {size}", f"{name}: could replace a rater", outcomes, low=low, high=high)
