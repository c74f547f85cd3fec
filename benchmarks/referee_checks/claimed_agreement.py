"""Where a claim is made, the agreement that it quotes is right: its interval, on average, and its lower end.

Before one is made, the interval out of fold of what was chosen holds what that reaches on 2,000 other answers. It is
measured on all tables; where a claim is made a reader sees the claim's interval instead, so that both are told.
"""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import STRENGTHS, select, spearman_statistic

from .measurement import Measurement, average, share
from .populations import build_table, draw_metrics, number_groups

UNRATED = 2000
CASES = {
    "60 answers, noise": ([1] * 60, [0.0] * 6),
    "20 groups of 3, 1 of 6 has rho 0.3": ([3] * 20, [0.3] + [0.0] * 5),
    "8 unequal groups, 1 of 6 has rho 0.3": ([1, 2, 3, 5, 8, 13, 21, 34], [0.3] + [0.0] * 5),
    "60 answers, 1 of 12 has rho 0.4": ([1] * 60, [0.4] + [0.0] * 11),
    "120 answers, 1 of 12 has rho 0.4": ([1] * 120, [0.4] + [0.0] * 11),
    "30 groups of 4, 1 of 12 has rho 0.5": ([4] * 30, [0.5] + [0.0] * 11),
    "120 answers, 3 of 12 have rho 0.5": ([1] * 120, [0.5] * 3 + [0.0] * 9),
}


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """The claimed agreement beside what the chosen measure reaches on 2,000 other answers."""
    for number, (case, (sizes, correlations)) in enumerate(CASES.items()):
        generator = np.random.default_rng([seed, number])
        groups = number_groups(sizes + [1] * UNRATED)
        holds, shown, covers, errors, is_too_strong, is_below = [], [], [], [], [], []
        for repeat in range(repeats):
            ratings, scores = draw_metrics(generator, groups, correlations)
            known = np.where(np.arange(len(ratings)) < sum(sizes), ratings, np.nan)
            table = build_table(scores, known, groups)
            result = select(table, repeats=2, permutations=199, seed=repeat)
            if result is None:
                continue
            agreement, predicted = result[0].agreement, result[1].unrated
            truth = float(spearman_statistic(predicted, ratings[sum(sizes) :])(np.ones((UNRATED, 1)))[0])
            before = result[0].chosen.out_of_fold
            if before.low is not None and before.high is not None:
                holds.append(before.low <= truth <= before.high)
            if agreement.low is not None and agreement.high is not None:
                shown.append(agreement.low <= truth <= agreement.high)
            if not result[0].is_beyond_chance:
                continue
            assert agreement.value is not None and agreement.low is not None and agreement.high is not None
            covers.append(agreement.low <= truth <= agreement.high)
            errors.append(agreement.value - truth)
            is_below.append(truth < agreement.low)
            is_too_strong.append(_strength(agreement.low) < _strength(truth))
        yield share(case, "before a claim, the interval holds the truth", holds, low=0.92)
        yield share(case, "claimed or not, the interval that is shown holds the truth", shown, low=0.92)
        if len(correlations) < 12:  # too few claims to tell
            continue
        claims = f"{case}: {len(covers)} claims"
        yield share(claims, "the interval holds the truth", covers, low=0.93, high=0.97)
        yield average(claims, "the value less the truth", errors, low=-0.03, high=0.03)
        yield share(claims, "the truth is below the interval", is_below, high=0.05)
        yield share(claims, "the word is too strong", is_too_strong, high=0.05)


def _strength(rho: float) -> int:
    """The number of the word for a rho, the strongest first."""
    return next((number for number, (least, _) in enumerate(STRENGTHS) if rho >= least), len(STRENGTHS))
