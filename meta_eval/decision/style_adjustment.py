"""The difference of two versions at equal length and style."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from ..arrays import Bools, Floats, Places
from ..estimate import cut_interval
from ..student import effective_degrees
from .version_means import FEWEST_RATED_GROUPS, changed_answers, shared_ratings
from .version_table import VersionTable

_PER_COVARIATE = 10  # rated questions, so that its coefficient says something


@dataclass(frozen=True, slots=True)
class AdjustedDifference:
    """A difference at equal style.

    Attributes:
        value: The second version less the first, were their answers of one length and style.
        low: Lower end of the 95% interval for a single look.
        high: Its upper end.
        by_ratings: Whether it is of ratings; else it is of the scores.
    """

    value: float
    low: float
    high: float
    by_ratings: bool


def adjust_for_style(table: VersionTable, first: int, second: int) -> AdjustedDifference | None:
    """Estimates how much better the second version is than the first at equal style.

    The differences of the questions that both versions answered are regressed on the differences in style; the
    intercept is the difference at equal style, as in length-controlled AlpacaEval (Dubois, Galambosi, Liang and
    Hashimoto, 2024, arXiv 2404.04475) and in the style control of Chatbot Arena. Ratings are regressed where ten
    questions per covariate and ten more are rated for both versions; scores, where nothing is rated. The error is that
    of leaving out one group at a time.

    Returns:
        The difference; None without style, with too few questions or groups, or where the scores are missing.
    """
    names = [name for name, values in table.style.items() if np.ptp(values) > 0]
    ratings = shared_ratings(table)
    columns = np.column_stack([ratings, table.scores, *(table.style[name] for name in names)])
    changed = changed_answers(table, (first, second))
    of_first, of_second, group = _by_question(table, columns, changed, first, second)
    if not names or not len(group):
        return None
    differences = of_second - of_first
    share = float(changed[(table.version == first) | (table.version == second)].mean())
    fewest = _PER_COVARIATE * (len(names) + 1)
    column = 1 if np.isnan(ratings).all() else 0  # beside ratings the scores may be on another scale
    known = ~np.isnan(differences[:, column])
    if known.sum() < fewest or len(np.unique(group[known])) < FEWEST_RATED_GROUPS:
        return None
    result = _intercept(differences[known, column], differences[known, 2:], group[known])
    if result is None:
        return None
    value, error, degrees = result
    half = float(stats.t.isf(0.025, degrees)) * error
    lowest, highest = table.scale if column == 0 else table.score_scale or table.scale
    most = highest - lowest
    adjusted = min(max(share * value, -most), most)  # a regression may go beyond the scale
    low, high = cut_interval((share * (value - half), share * (value + half)), (-most, most))
    return AdjustedDifference(adjusted, min(low, adjusted), max(high, adjusted), column == 0)


def _by_question(
    table: VersionTable, columns: Floats, changed: Bools, first: int, second: int
) -> tuple[Floats, Floats, Places]:
    """The means of the columns for either version, by changed question that both answered, and its group."""
    question = np.unique(table.question, return_inverse=True)[1].ravel()
    count = int(question.max()) + 1
    means, present = [], []
    for version in (first, second):
        rows = changed & (table.version == version)
        sizes = np.bincount(question[rows], minlength=count)
        present.append(sizes > 0)
        sums = np.zeros((count, columns.shape[1]))
        np.add.at(sums, question[rows], columns[rows])
        means.append(np.divide(sums, sizes[:, None], out=np.full_like(sums, np.nan), where=sizes[:, None] > 0))
    group = np.zeros(count, np.intp)
    group[question] = table.group
    has_both = present[0] & present[1]
    return means[0][has_both], means[1][has_both], np.asarray(group[has_both])


def _intercept(y: Floats, style: Floats, group: Places) -> tuple[float, float, float] | None:
    """The intercept of a regression on differences of style, its standard error and degrees of freedom."""
    spread = style.std(axis=0)
    x = np.column_stack([np.ones(len(y)), style[:, spread > 0] / spread[spread > 0]])
    number = np.unique(group, return_inverse=True)[1].ravel()
    groups = int(number.max()) + 1
    squares, products = np.zeros((groups, x.shape[1], x.shape[1])), np.zeros((groups, x.shape[1]))
    np.add.at(squares, number, x[:, :, None] * x[:, None, :])
    np.add.at(products, number, x * y[:, None])
    without = squares.sum(axis=0) - squares
    if np.linalg.matrix_rank(without).min() < x.shape[1]:
        return None
    value = float(np.linalg.solve(squares.sum(axis=0), products.sum(axis=0))[0])
    replicates = np.linalg.solve(without, (products.sum(axis=0) - products)[:, :, None])[:, 0, 0]
    error = float(np.sqrt((groups - 1) / groups * ((replicates - replicates.mean()) ** 2).sum()))
    return (value, error, effective_degrees(np.bincount(number).astype(float))) if error > 0 else None
