"""Answers sent without a person: at most 10% of them are bad, which fails at most once in 20 times.

A scorer is fitted as `assay meta --save` fits one, and its `send_at` is tried on many answers of new groups.
"""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np
from scipy.stats import norm

from assay.meta_eval import BOUND, Places, cross_predict, fit_combination, triage_policy

from .measurement import Measurement, average, share
from .populations import build_table, clustered_normal, follow, number_groups

CASES = {
    "12 groups of 20": ([20] * 12, 0.3, 0.4, 0.166),
    "12 groups of 20, much alike": ([20] * 12, 0.5, 0.4, 0.166),
    "12 groups of 20, scores without worth": ([20] * 12, 0.3, 0.0, 0.105),
    "30 groups of 4": ([4] * 30, 0.3, 0.4, 0.166),
    "240 independent": ([1] * 240, 0.0, 0.4, 0.166),
    "24 unequal groups, good scores": ([1, 1, 2, 2, 3, 3, 4, 5, 7, 9, 13, 20] * 2, 0.1, 0.8, 0.166),
}
"""Sizes of the groups, how much of the variance they share, the correlation of each score with the quality, and the
share of bad answers. Where the scores are worth nothing, whatever is sent breaks the bound by a little."""

POPULATION = 20_000


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Fits a scorer of two metrics per repeat."""
    for number, (case, (sizes, shared, correlation, bad)) in enumerate(CASES.items()):
        generator = np.random.default_rng([seed, number])
        groups = number_groups(sizes)
        new_scores, new_ratings = _draw(generator, np.arange(POPULATION), 0.0, correlation, bad)
        broken, contradicted, sent = [], [], []
        for repeat in range(repeats):
            scores, ratings = _draw(generator, groups, shared, correlation, bad)
            table = build_table(scores, ratings, groups)

            def predict(part: Places, others: Places, x: np.ndarray = scores, y: np.ndarray = ratings) -> np.ndarray:
                return fit_combination("subset", x[part], y[part]).predict(x[others])

            predicted = cross_predict(predict, table.group_numbers, 10, seed=repeat)
            policy = triage_policy(table, predicted, seed=repeat)
            is_sent = np.zeros(POPULATION, bool)
            if policy.send_at is not None:
                fitted = fit_combination("subset", scores, ratings)
                is_sent = fitted.predict(new_scores) >= policy.send_at
            broken.append(bool(is_sent.any()) and float((new_ratings[is_sent] < 3).mean()) > BOUND)
            contradicted.append(policy.send_at is not None and policy.checked_sent_bad > BOUND * policy.checked_sent)
            sent.append(float(is_sent.mean()))
        yield share(case, "more than 10% of what is sent is bad", broken, high=0.05)
        yield share(case, "sending is offered though the check found more than 10%", contradicted, high=0.0)
        yield average(case, "share of the answers sent", sent, low=0.0, high=1.0)


def _draw(
    generator: np.random.Generator, groups: Places, shared: float, correlation: float, bad: float
) -> tuple[np.ndarray, np.ndarray]:
    """Two scores of each answer and its rating."""
    drawn = clustered_normal(generator, groups, 3, shared)
    quality = drawn[:, :1]
    cuts = [*norm.ppf([bad / 2, bad]), -0.5, 0.3]
    return follow(quality, drawn[:, 1:], correlation), 1.0 + np.searchsorted(cuts, quality[:, 0])
