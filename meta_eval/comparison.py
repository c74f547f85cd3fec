"""Is one metric, judge or prompt better than another on the same answers, or are they equivalent?"""

from dataclasses import dataclass

import numpy as np

from ..text.wording import count_of
from .agreement_statistics import mean_spearman
from .arrays import Floats
from .correlation import FEWEST_ITEMS
from .difference import RHO_MARGIN, Standing, find_standing
from .estimate import OF_CORRELATIONS, Estimate, estimate
from .table import ScoreTable


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sets of scores of the same items against the same ratings: rho(first) - rho(second)."""

    first: str  # the name of the first set
    second: str  # the name of the second set
    n: int
    rho_first: float | None  # Spearman of the first set with the ratings
    rho_second: float | None  # Spearman of the second
    difference: Estimate  # rho_first - rho_second, with interval and p-value
    margin: float
    standing: Standing  # what the difference shows: better, worse, equivalent, or how many more ratings would tell
    problem: str = ""


def compare_metrics(
    table: ScoreTable,
    first: str,
    second: str,
    *,
    level: float = 0.95,
    margin: float = RHO_MARGIN,
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
        level=level,
        margin=margin,
    )


def compare(
    rated: ScoreTable,
    first: tuple[str, Floats],
    second: tuple[str, Floats],
    *,
    level: float = 0.95,
    margin: float = RHO_MARGIN,
    tries: int = 1,
) -> Comparison:
    """Compares two sets of scores of a table's rated items on the items that both have.

    The difference is that of the mean Spearman over repeats; `find_standing` says what it shows. Returns the
    comparison; without figures where fewer than five items have both, or scores or ratings do not vary.
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
        return Comparison(first[0], second[0], n, None, None, missing, margin, unsettled, problem)
    first_statistic, second_statistic = mean_spearman(x, y), mean_spearman(z, y)
    ones = np.ones((n, 1))
    rho_first, rho_second = float(first_statistic(ones)[0]), float(second_statistic(ones)[0])

    difference = estimate(
        lambda weights: first_statistic(weights) - second_statistic(weights),
        table.groups,
        bounds=OF_CORRELATIONS,
        level=level,
        null=0.0,
    )
    return Comparison(
        first[0],
        second[0],
        n,
        rho_first,
        rho_second,
        difference,
        margin,
        find_standing(difference, margin=margin, level=level, tries=tries),
    )
