"""Is one metric, judge or prompt better than another on the same answers, or are they equivalent?"""

import math

import numpy as np
from scipy import stats

from ..text.wording import count_of
from .agreement_statistics import mean_spearman
from .arrays import Floats
from .correlation import FEWEST_ITEMS
from .difference import MARGIN, Standing, find_standing
from .estimate import OF_CORRELATIONS, Estimate, estimate
from .permutation import sign_flip_p_value
from .results import Comparison
from .table import ScoreTable


def williams(r12: float, r13: float, r23: float, n: int) -> tuple[float, float]:
    """Tests whether two correlations that share variable 1 differ, items taken as independent.

    t = (r12 - r13) sqrt((n - 1)(1 + r23) / (2 |R| (n - 1)/(n - 3) + ((r12 + r13)/2)^2 (1 - r23)^3)) with n - 3 degrees
    of freedom and |R| = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23 (Williams, 1959; Steiger, 1980, equation 7).

    Returns:
        t and its two-sided p-value; (0, 1) where the two sets of scores are equal.

    Examples:
        The example of `paired.r` in R's package psych, which prints t = 2.06 and p = 0.042:

        >>> [round(number, 2) for number in williams(0.5, 0.3, 0.4, 100)]
        [2.06, 0.04]
    """
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    denominator = 2 * max(determinant, 0.0) * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
    if denominator < 1e-12:
        return 0.0, 1.0
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / denominator)
    return t, float(2 * stats.t.sf(abs(t), n - 3))


def compare_metrics(
    table: ScoreTable,
    first: str,
    second: str,
    *,
    permutations: int = 2000,
    level: float = 0.95,
    margin: float = MARGIN,
    seed: int = 0,
) -> Comparison:
    """Compares two metrics of a table on the rated items that both scored; parameters and result as in `compare`.

    Examples:
        >>> ratings = np.array([[1.0], [2], [3], [4], [5], [2], [4]])
        >>> scores = np.column_stack([[1.0, 2, 3, 5, 4, 2, 4], -ratings[:, 0]])
        >>> table = ScoreTable(tuple("abcdefg"), ("good", "reversed"), scores, ratings)
        >>> comparison = compare_metrics(table, "good", "reversed")
        >>> round(comparison.difference.value, 3), comparison.standing.kind
        (1.917, 'better')
    """
    rated = table.rated()
    return compare(
        rated,
        (first, rated.column(first)[:, None]),
        (second, rated.column(second)[:, None]),
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
    permutations: int,
    level: float = 0.95,
    margin: float = MARGIN,
    tries: int = 1,
    seed: int = 0,
) -> Comparison:
    """Compares two sets of scores of a table's rated items on the items that both have.

    The difference is that of the mean Spearman over repeats; `find_standing` says what it shows.

    Returns:
        The comparison; without figures where fewer than five items have both, or scores or ratings do not vary.
    """
    has_both = ~np.isnan(first[1]).any(axis=1) & ~np.isnan(second[1]).any(axis=1)
    table = rated.take(np.flatnonzero(has_both))
    x, z, y = first[1][has_both], second[1][has_both], table.mean_rating
    n = len(y)
    if n < FEWEST_ITEMS or np.ptp(y) == 0 or (np.ptp(x, axis=0) == 0).any() or (np.ptp(z, axis=0) == 0).any():
        problem = (
            f"only {count_of(n, 'answer has', 'answers have')} both"
            if n < FEWEST_ITEMS
            else "scores or ratings do not vary"
        )
        missing = Estimate(None, problem=problem)
        unsettled = Standing("unsettled", margin)
        return Comparison(first[0], second[0], n, None, None, missing, None, None, margin, unsettled, problem)
    first_statistic, second_statistic = mean_spearman(x, y), mean_spearman(z, y)
    ones = np.ones((n, 1))
    rho_first, rho_second = float(first_statistic(ones)[0]), float(second_statistic(ones)[0])

    ranks, rating_ranks = (_mean_ranks(x), _mean_ranks(z)), _mean_ranks(y[:, None])
    pairs = ((rating_ranks, ranks[0]), (rating_ranks, ranks[1]), ranks)
    r12, r13, r23 = (float(a @ b) / n for a, b in pairs)
    difference = estimate(
        lambda weights: first_statistic(weights) - second_statistic(weights),
        table.groups,
        bounds=OF_CORRELATIONS,
        level=level,
    )
    return Comparison(
        first[0],
        second[0],
        n,
        rho_first,
        rho_second,
        difference,
        williams(r12, r13, r23, n)[1] if n > 3 else None,
        _swap_p_value(table, ranks, rating_ranks, permutations=permutations, seed=seed),
        margin,
        find_standing(difference, margin=margin, level=level, tries=tries),
    )


def _mean_ranks(scores: Floats) -> Floats:
    """The mean over columns of their ranks, standardised to mean 0 and spread 1."""
    ranks = stats.rankdata(scores, axis=0)
    means: Floats = ((ranks - ranks.mean(axis=0)) / ranks.std(axis=0)).mean(axis=1)
    means /= means.std()
    return means


def _swap_p_value(table: ScoreTable, ranks: tuple[Floats, Floats], y: Floats, *, permutations: int, seed: int) -> float:
    """The two-sided p-value of the difference of the correlations: the two sets change places in whole groups.

    A group whose two sets of ranks change places adds its part of the difference with the other sign.
    """
    numbers = table.group_numbers
    parts = np.bincount(numbers, weights=y * (ranks[0] - ranks[1])).astype(float)
    return sign_flip_p_value(parts, sizes=np.bincount(numbers).astype(float), permutations=permutations, seed=seed)
