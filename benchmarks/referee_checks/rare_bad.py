"""The share of bad answers and the mean rating from few ratings: intervals that hold, and never one of width 0.

1 to 20% of the answers are bad, 30 to 200 are rated, independent ones and groups of four. The scores follow the
quality, or say nothing, or the judge says good or bad and is wrong in 2%. With one or two bad answers to be expected an
exact interval of counts holds in more than 97%: no interval that holds 93% everywhere can hold less there. The mean
rating is tried with 32% fives and with 80%: there 30 ratings may show no bad answer.
"""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np
from scipy.stats import norm

from assay.meta_eval import MeanRating, prediction_powered_mean

from .measurement import Measurement, share
from .populations import GROUP_SIZES, Floats, clustered_normal, follow, number_groups

ANSWERS = 400
JUDGES = {"helpful scores": 0.75, "scores that say nothing": 0.0}
SIZES = {
    "30 rated": [1] * 30,
    "100 rated": [1] * 100,
    "200 rated": [1] * 200,
    "15 groups of 4": [4] * 15,
    "50 groups of 4": [4] * 50,
}
MEAN_SIZES = {"30 rated": [1] * 30, "60 rated": [1] * 60}
MOSTLY_FIVES: Floats = norm.ppf([0.025, 0.05, 0.1, 0.2])
FEW_GROUPS = {name: GROUP_SIZES[name] for name in ("7 groups of 6", "5 groups of 8", "12 unequal groups")}


def draw(generator: np.random.Generator, sizes: list[int], cuts: Floats, follows: float | None) -> MeanRating:
    """The estimate from answers of groups of the same sizes, the first ones rated from 1 to 5."""
    groups = number_groups(sizes * -(-ANSWERS // sum(sizes)))
    quality, noise = clustered_normal(generator, groups, 2, 0.25 if max(sizes) > 1 else 0.0).T
    ratings = 1.0 + np.searchsorted(cuts, quality)
    scores = follow(quality, noise, follows or 0.0)
    if follows is None:  # good or bad, and wrong in 2%
        scores = ((ratings >= 3) ^ (generator.random(len(ratings)) < 0.02)).astype(float)
    shown = np.where(np.arange(len(groups)) < sum(sizes), ratings, np.nan)
    return prediction_powered_mean(shown, scores, groups, scale=(1, 5))


def cut_at(bad: float) -> Floats:
    """Where the quality is cut into ratings 1 to 5, so that this share is rated 1 or 2."""
    cuts: Floats = norm.ppf([bad / 2, bad, bad + (1 - bad) * 0.3, bad + (1 - bad) * 0.6])
    return cuts


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """The share of bad answers at every rate and size, then the mean rating with few groups."""
    for bad in (0.01, 0.05, 0.1, 0.2):
        for size, sizes in SIZES.items():
            expected = bad * sum(sizes)
            for name, follows in (*JUDGES.items(), ("a judge wrong in 2%", None)):
                generator = np.random.default_rng(seed)
                holds, is_empty = [], []
                for _ in range(repeats):
                    estimate = draw(generator, sizes, cut_at(bad), follows).bad_share
                    holds.append((estimate.low or 0.0) <= bad <= (estimate.high or 0.0))
                    is_empty.append(estimate.low == estimate.high)
                case = f"{bad:.0%} bad, {size}, {name}"
                yield share(
                    case, "95% interval of the share holds it", holds, low=0.93, high=1 if expected < 12 else 0.985
                )
                if follows == 0:
                    yield share(case, "interval of width 0", is_empty, high=0.0)
    for fives, cuts, low in (("", cut_at(0.2), 0.93), (", 80% fives", MOSTLY_FIVES, 0.93)):
        truth = 1 + float((1 - norm.cdf(cuts)).sum())
        for size, sizes in (MEAN_SIZES | FEW_GROUPS).items():
            for name, follows in JUDGES.items():
                generator = np.random.default_rng(seed)
                holds = []
                for _ in range(repeats):
                    estimate = draw(generator, sizes, cuts, follows).mean
                    holds.append((estimate.low or 0.0) <= truth <= (estimate.high or 0.0))
                case = f"mean rating, {size}, {name}{fives}"
                yield share(case, "95% interval of the mean holds it", holds, low=low)
