"""Differences between two runs on the same samples: the mean, its interval, and how often chance gives as much."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ..meta_eval.estimate import Estimate, estimate

if TYPE_CHECKING:
    from ..meta_eval.arrays import Floats

Side = Literal["two-sided", "below"]

_DRAWS = 9999


def paired(
    differences: Sequence[float],
    groups: Sequence[str],
    *,
    side: Side = "two-sided",
    against: float = 0.0,
    seed: int = 0,
) -> Estimate:
    """The mean difference with a BCa interval over groups, and the p-value of a sign-flip test over groups.

    The null hypothesis: without a change the differences from `against` are as often up as down (Fisher's
    randomisation test; the two runs of one group change places together). `below`: is the mean below `against`?
    p = (b + 1) / (m + 1) from 9,999 draws (Phipson and Smyth, 2010), so never 0.
    """
    import numpy as np

    if not differences:
        return Estimate(None, n=0, groups=0, problem="no sample was scored in both runs")
    values = np.asarray(differences, float)
    p = _sign_flip_p(values - against, groups, side, seed)
    return estimate(lambda weights: values @ weights / weights.sum(axis=0), groups, seed=seed, p=p)


def _sign_flip_p(differences: "Floats", groups: Sequence[str], side: Side, seed: int) -> float:
    import numpy as np

    group_of = np.unique(np.asarray(groups), return_inverse=True)[1]
    sums = np.bincount(group_of, weights=differences)
    signs = np.random.default_rng(seed).integers(0, 2, (_DRAWS, len(sums)), dtype=np.int8) * 2 - 1
    by_chance, observed = signs @ sums, sums.sum()
    slack = 1e-9 * max(1.0, float(np.abs(sums).sum()))  # equal sums reach each other
    reached = by_chance <= observed + slack if side == "below" else np.abs(by_chance) >= abs(observed) - slack
    return float((reached.sum() + 1) / (_DRAWS + 1))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p-values with the number of tests counted (Holm, 1979); None stays None and is not counted."""
    told = [p for p in p_values if p is not None]
    if len(told) < 2:
        return list(p_values)
    from statsmodels.stats.multitest import multipletests

    adjusted = iter(multipletests(told, method="holm")[1])
    return [None if p is None else float(next(adjusted)) for p in p_values]
