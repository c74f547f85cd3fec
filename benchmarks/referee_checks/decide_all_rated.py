"""With all answers rated `assay decide` decides what the paired t test does, and its interval holds the difference.

Where at most twelve questions differ, the test of their signs must show it too (docs/statistics.md).
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import checkout  # noqa: F401
import numpy as np
from scipy import stats

from assay.meta_eval.decision import VersionTable, decide_versions

from .decide_looks import winners
from .measurement import Measurement, share
from .populations import GROUP_SIZES, Floats, draw_versions, mean_rating, number_groups

_POPULATIONS = (
    ("60 groups of 1", "even", 0.48),
    ("60 groups of 1", "81% 5", 0.48),
    ("60 groups of 1", "95% 5", 0.3),
    ("30 groups of 4", "even", 0.3),
    ("10 groups of 4", "even", 0.5),
    ("12 unequal groups", "81% 5", 0.5),
)


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """By population: coverage, false winners, and power beside a paired t test; then with missing answers."""
    for name, cuts, gain in _POPULATIONS:
        groups = number_groups(GROUP_SIZES[name])
        for mean in (0.0, gain):
            truth = mean_rating(mean, cuts) - mean_rating(0.0, cuts)
            holds, named, tested, agree = [], [], [], []
            for repeat in range(repeats):
                table = draw_versions(np.random.default_rng([seed, repeat]), groups, [0.0, mean], cuts=cuts)
                decision = decide_versions(table)
                [row] = decision.differences
                holds.append(row.low is not None and row.high is not None and row.low <= truth <= row.high)
                first, second = table.ratings.reshape(2, -1)
                named.append(bool(winners(decision)))
                tested.append(_p_value(second - first) < 0.05)
                agree.append(named[-1] == tested[-1])
            case = f"{name}, {cuts}, difference {truth:.2f}"
            yield share(case, "95% interval holds it", holds, low=0.93)
            if mean == 0:
                yield share(case, "a winner of equal versions", named, high=0.05)
            elif name == "60 groups of 1":
                yield share(case, "decides what the paired t test and few signs decide", agree, low=1.0)
                yield share(case, "a winner (power)", named, low=sum(tested) / repeats)
    yield from _with_missing_answers(repeats, seed)


def _p_value(differences: Floats) -> float:
    """The paired t test's p-value; of at most twelve differences at least that of all flips of their signs."""
    changed = differences[differences != 0]
    if not np.ptp(differences):
        return 1.0
    p = float(stats.ttest_1samp(differences, 0).pvalue)
    if len(changed) > 12:
        return p
    sums = np.array(list(product((-1, 1), repeat=len(changed)))) @ changed
    return max(p, float((np.abs(sums) >= abs(changed.sum()) - 1e-9).mean()))


def _with_missing_answers(repeats: int, seed: int) -> Iterator[Measurement]:
    """Three versions, of which C answered every third question only: that costs the pairs with C alone."""
    groups = number_groups([1] * 90)
    holds, found = [], []
    for repeat in range(repeats):
        table = draw_versions(np.random.default_rng([seed, repeat]), groups, [0.0, 0.5, 0.0])
        table = _keep(table, (table.version < 2) | (table.question % 3 == 0))
        rows = decide_versions(table).differences
        truths = (mean_rating(0.5) - mean_rating(0.0), 0.0, mean_rating(0.0) - mean_rating(0.5))
        holds.append(
            all(row.low <= truth <= row.high for row, truth in zip(rows, truths, strict=True) if row.low and row.high)
        )
        found.append(bool(rows[0].low and rows[0].low > 0))
    yield share("three versions, C a third", "all intervals hold", holds, low=0.93)
    yield share("three versions, C a third", "B is better than A (power)", found, low=0.8)


def _keep(table: VersionTable, rows: np.ndarray) -> VersionTable:  # type: ignore[type-arg]
    names = ("version", "question", "group", "scores", "ratings", "text")
    return replace(table, **{name: getattr(table, name)[rows] for name in names})
