"""At a threshold that was chosen on the same answers the intervals of sensitivity, specificity, kappa and AC2 hold.

The truth is that of 60,000 other answers at the threshold that is named. Scores are noise or follow the quality, with
a fifth of each rating or 75% fives.
"""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import pass_fail_agreement

from .measurement import Measurement, share
from .populations import GROUP_SIZES, build_table, clustered_normal, follow, number_groups, rate

FIGURES = ("sensitivity", "specificity", "precision", "kappa", "ac2")


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Yields how often each interval holds the truth."""
    for sizes in ("60 groups of 1", "30 groups of 4", "12 unequal groups"):
        groups = number_groups(GROUP_SIZES[sizes])
        for cuts in ("even", "mostly 5"):
            for rho in (0.0, 0.4, 0.8):
                generator = np.random.default_rng([seed, len(groups), int(10 * rho), len(cuts)])
                quality, noise = generator.normal(size=(2, 60_000))
                others, of_people = follow(quality, noise, rho), rate(quality, cuts) >= 3
                holds: dict[str, list[bool]] = {name: [] for name in FIGURES}
                for _ in range(repeats):
                    quality, noise = clustered_normal(generator, groups, 2, 0.3 if len(groups) != 60 else 0.0).T
                    table = build_table(follow(quality, noise, rho)[:, None], rate(quality, cuts), groups)
                    one = pass_fail_agreement(table)["m0"]
                    if one.threshold is None:
                        continue
                    passed = others >= one.threshold
                    both, own, theirs = (float(part.mean()) for part in (passed & of_people, passed, of_people))
                    neither = 1 - own - theirs + both
                    chances = (own * theirs + (1 - own) * (1 - theirs), (own + theirs) * (1 - (own + theirs) / 2))
                    shares = (both / theirs, neither / (1 - theirs), both / own if own else 0.0)
                    truth = (*shares, *((both + neither - chance) / (1 - chance) for chance in chances))
                    for name, value in zip(FIGURES, truth, strict=True):
                        estimate = getattr(one, name)
                        if estimate.low is not None:
                            holds[name].append(estimate.low <= value <= estimate.high)
                for name, held in holds.items():
                    case = f"{sizes}, {cuts}, scores follow by {rho:g}, n = {len(held)}"
                    yield share(case, f"95% interval of {name}", held, low=0.93)
