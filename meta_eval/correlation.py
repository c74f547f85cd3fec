"""How well a metric's values follow a person's ratings: Spearman's rank correlation with a bootstrap interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FEWEST_ITEMS = 5
_CELLS_AT_ONCE = 500_000  # what fits the processor's cache
_MOST_LEFT_OUT = 200  # with more groups, whole blocks of them are left out for the acceleration


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rho of `n` pairs in `groups` groups, with a 95% interval and a p-value; all None where undefined.

    `problem` says why there is none.
    """

    n: int
    groups: int
    rho: float | None
    low: float | None
    high: float | None
    p: float | None
    problem: str = ""


def spearman(
    values: Sequence[float],
    ratings: Sequence[float],
    groups: Sequence[str],
    *,
    resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Correlation:
    """Spearman's rho of values and ratings (equal lengths), with a bias-corrected accelerated bootstrap interval.

    Whole groups are resampled, since items of one source are not independent (BCa: Efron, 1987; acceleration by leaving
    out one group at a time). `resamples` left out: 2,000, or 500 above 2,000 items. The p-value is scipy's, two-sided,
    for independent items. Ties have mean ranks.
    """
    import numpy as np
    from scipy import stats

    x, y = np.asarray(values, float), np.asarray(ratings, float)
    names, group_of = np.unique(np.asarray(groups), return_inverse=True)
    n, count = len(x), len(names)
    problem = ""
    if n < FEWEST_ITEMS:
        problem = f"only {n} rated scores"
    elif np.ptp(x) == 0:
        problem = "all values are equal"
    elif np.ptp(y) == 0:
        problem = "all ratings are equal"
    if problem:
        return Correlation(n, count, None, None, None, None, problem)
    found = stats.spearmanr(x, y)
    rho, p = float(found.statistic), float(found.pvalue)
    if resamples is None:
        resamples = 2000 if n <= 2000 else 500
    interval = _interval(
        _Ranks(x),
        _Ranks(y),
        group_of,
        count,
        rho=rho,
        resamples=resamples,
        level=level,
        random=np.random.default_rng(seed),
    )
    low, high = interval or (None, None)
    return Correlation(n, count, rho, low, high, p, "" if interval else "too few groups for an interval")


class _Ranks:
    """A variable's order, prepared once: the mean ranks of any weighting of its items then cost one pass."""

    def __init__(self, values: "Floats") -> None:
        import numpy as np

        self._order = np.argsort(values, kind="stable")
        ordered = values[self._order]
        begins_tie = np.r_[True, ordered[1:] != ordered[:-1]]
        self._starts = np.flatnonzero(begins_tie)
        self._tie_of = np.empty(len(values), dtype=np.intp)
        self._tie_of[self._order] = np.cumsum(begins_tie) - 1

    def weighted(self, weights: "Floats") -> "Floats":
        """Mean ranks (items, resamples) where item i stands weights[i] times."""
        import numpy as np

        tied = np.add.reduceat(weights[self._order], self._starts, axis=0)
        ranks: Floats = (np.cumsum(tied, axis=0) - (tied - 1) / 2)[self._tie_of]
        return ranks


def _rhos(x: _Ranks, y: _Ranks, weights: "Floats") -> "Floats":
    """Spearman's rho of each weighting (items, resamples); NaN where one variable does not vary in it."""
    import numpy as np

    total = weights.sum(axis=0)
    a, b = x.weighted(weights), y.weighted(weights)
    a -= np.einsum("ij,ij->j", weights, a) / total
    b -= np.einsum("ij,ij->j", weights, b) / total
    both, of_a, of_b = (np.einsum("ij,ij,ij->j", weights, left, right) for left, right in ((a, b), (a, a), (b, b)))
    spread = np.sqrt(of_a * of_b)
    with np.errstate(invalid="ignore", divide="ignore"):
        rhos: Floats = np.where(spread > 1e-9, both / spread, np.nan)
    return rhos


def _interval(
    x: _Ranks,
    y: _Ranks,
    group_of: "NDArray[np.intp]",
    count: int,
    *,
    rho: float,
    resamples: int,
    level: float,
    random: "np.random.Generator",
) -> tuple[float, float] | None:
    import numpy as np
    from scipy.special import ndtr, ndtri

    def rhos(times: "NDArray[Any]") -> "Floats":  # times (groups, resamples): how often each group stands
        at_once = max(1, _CELLS_AT_ONCE // len(group_of))
        parts = [times[:, first : first + at_once] for first in range(0, times.shape[1], at_once)]
        found = np.concatenate([_rhos(x, y, part[group_of].astype(float)) for part in parts])
        defined: Floats = found[~np.isnan(found)]
        return defined

    boot = rhos(random.multinomial(count, np.full(count, 1 / count), size=resamples).T)
    blocks = np.array_split(np.arange(count), min(count, _MOST_LEFT_OUT))
    kept = np.ones((count, len(blocks)), dtype=np.int8)
    for number, block in enumerate(blocks):
        kept[block, number] = 0
    left_out = rhos(kept)
    if len(boot) < resamples / 2 or len(left_out) < FEWEST_ITEMS:
        return None
    below = (np.sum(boot < rho) + np.sum(boot == rho) / 2) / len(boot)
    bias = ndtri(np.clip(below, 1 / (len(boot) + 1), len(boot) / (len(boot) + 1)))
    away = left_out.mean() - left_out
    acceleration = (away**3).sum() / (6 * ((away**2).sum() ** 1.5) or 1.0)
    edges = ndtri(np.array([(1 - level) / 2, (1 + level) / 2])) + bias
    low, high = np.quantile(boot, ndtr(bias + edges / (1 - acceleration * edges)))
    return float(low), float(high)
