"""Is one metric, judge or prompt better than another on the same answers, or are they as good as equal?"""

import math

import numpy as np
from scipy import stats

from .arrays import Bools, Floats
from .bootstrap import bca_intervals
from .bootstrap_statistics import mean_spearman
from .estimate import Estimate
from .results import Comparison
from .table import ScoreTable

MARGIN = 0.1
_FEWEST_ITEMS = 5
_CELLS_AT_ONCE = 2_000_000


def williams(r12: float, r13: float, r23: float, n: int) -> tuple[float, float]:
    """Williams' t for two correlations that share variable 1, and its two-sided p (Williams, 1959; Steiger, 1980).

    t = (r12 - r13) sqrt((n - 1)(1 + r23) / (2 |R| (n - 1)/(n - 3) + ((r12 + r13)/2)^2 (1 - r23)^3)), n - 3 degrees of
    freedom, |R| = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23. Items are taken as independent. Equal scores give t = 0.
    """
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    below = 2 * max(determinant, 0.0) * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
    if below < 1e-12:
        return 0.0, 1.0
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / below)
    return t, float(2 * stats.t.sf(abs(t), n - 3))


def compare_metrics(
    table: ScoreTable,
    first: str,
    second: str,
    *,
    resamples: int = 2000,
    permutations: int = 2000,
    level: float = 0.95,
    margin: float = MARGIN,
    seed: int = 0,
) -> Comparison:
    """Compares two metrics of the table on the rated items that both scored. Raises `InputError` for unknown names."""
    rated = table.rated()
    return compare(
        rated,
        (first, rated.column(first)[:, None]),
        (second, rated.column(second)[:, None]),
        resamples=resamples,
        permutations=permutations,
        level=level,
        margin=margin,
        seed=seed,
    )


def compare(
    rated: ScoreTable,
    first: tuple[str, Floats],
    second: tuple[str, Floats],
    *,
    resamples: int,
    permutations: int,
    level: float = 0.95,
    margin: float = MARGIN,
    seed: int = 0,
) -> Comparison:
    """Compares two named sets of scores of a table's rated items, (items, repeats), on the items that both have.

    The difference is that of the mean Spearman over repeats, with its BCa interval over groups. Equivalence is two
    one-sided tests at 5%: the 90% interval within the margin (Schuirmann, 1987).
    """
    both = ~np.isnan(first[1]).any(axis=1) & ~np.isnan(second[1]).any(axis=1)
    table = rated.take(np.flatnonzero(both))
    x, z, y = first[1][both], second[1][both], table.mean_rating
    n = len(y)
    if n < _FEWEST_ITEMS or np.ptp(y) == 0 or (np.ptp(x, axis=0) == 0).any() or (np.ptp(z, axis=0) == 0).any():
        problem = f"only {n} answers have both" if n < _FEWEST_ITEMS else "scores or ratings do not vary"
        none = Estimate(None, problem=problem)
        return Comparison(first[0], second[0], n, None, None, none, None, None, margin, None, problem)
    of_first, of_second = mean_spearman(x, y), mean_spearman(z, y)
    ones = np.ones((n, 1))
    rho_first, rho_second = float(of_first(ones)[0]), float(of_second(ones)[0])

    ranks, of_ratings = (_mean_ranks(x), _mean_ranks(z)), _mean_ranks(y[:, None])
    r12, r13, r23 = (float(a @ b) / n for a, b in ((of_ratings, ranks[0]), (of_ratings, ranks[1]), ranks))
    gap = rho_first - rho_second
    intervals = bca_intervals(
        lambda w: of_first(w) - of_second(w), gap, table.groups, resamples=resamples, levels=(level, 0.90), seed=seed
    )
    return Comparison(
        first[0],
        second[0],
        n,
        rho_first,
        rho_second,
        Estimate(gap, *intervals[0]) if intervals else Estimate(gap, problem="too few groups for an interval"),
        williams(r12, r13, r23, n)[1] if n > 3 else None,
        _swapped(table, ranks, of_ratings, permutations=permutations, seed=seed),
        margin,
        -margin < intervals[1][0] and intervals[1][1] < margin if intervals else None,
    )


def _mean_ranks(scores: Floats) -> Floats:
    """The mean over columns of their ranks, brought to mean 0 and spread 1."""
    ranks = stats.rankdata(scores, axis=0)
    found: Floats = ((ranks - ranks.mean(axis=0)) / ranks.std(axis=0)).mean(axis=1)
    found /= found.std()
    return found


def _swapped(table: ScoreTable, ranks: tuple[Floats, Floats], y: Floats, *, permutations: int, seed: int) -> float:
    """Paired permutation test: the two sets of ranks change places in whole groups, each with probability a half.

    Two-sided, p = (b + 1) / (m + 1).
    """
    generator = np.random.default_rng(seed)
    numbers = table.group_numbers
    groups = int(numbers.max()) + 1
    x, z = (each[:, None] for each in ranks)
    real = abs(float(y @ (ranks[0] - ranks[1])) / len(y))
    reached, at_once = 0, max(1, _CELLS_AT_ONCE // len(y))
    for start in range(0, permutations, at_once):
        swapped: Bools = generator.random((groups, min(at_once, permutations - start)))[numbers] < 0.5
        a, b = np.where(swapped, z, x), np.where(swapped, x, z)
        gaps = np.abs(y @ a / a.std(axis=0) - y @ b / b.std(axis=0)) / len(y)
        reached += int((gaps >= real - 1e-9).sum())
    return (reached + 1) / (permutations + 1)
