"""Statistics of weighted items, many weightings at once: what the bootstrap of each measure of agreement resamples.

Each factory prepares two variables once and returns a `Statistic`: weights (items, resamples) -> (resamples,).
"""

import numpy as np

from .arrays import Bools, Floats, Places
from .bootstrap import Statistic
from .ranks import Ranks

_ITEMS_IN_PAIRS = 1000  # pairs grow with the square of the items
_FEW_LEVELS = 12


def pearson(x: Floats, y: Floats) -> Statistic:
    """Pearson's product-moment correlation; NaN where one variable does not vary in a resample."""
    a, b = x - x.mean(), y - y.mean()
    products = np.stack([a, b, a * a, b * b, a * b])

    def correlations(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        of_a, of_b, of_aa, of_bb, of_ab = products @ weights / total
        return _quotient(of_ab - of_a * of_b, of_aa - of_a**2, of_bb - of_b**2, float(a @ a * (b @ b)) / len(a) ** 2)

    return correlations


def spearman(x: Floats, y: Floats) -> Statistic:
    """Spearman's rank correlation: Pearson's of the mean ranks within each resample."""
    return mean_spearman(x[:, None], y)


def mean_spearman(x: Floats, y: Floats) -> Statistic:
    """The mean over the columns of x of Spearman's rank correlation with y; NaN where one of them does not vary."""
    of_columns, of_y = [Ranks(column) for column in x.T], Ranks(y)

    def means(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        middle = (total + 1) / 2  # the mean of the mean ranks
        ranks = of_y.weighted(weights) - middle
        weighted_ranks = weights * ranks
        of_yy = np.einsum("ij,ij->j", weighted_ranks, ranks)
        found: Floats = np.zeros_like(total)
        for column in of_columns:
            other = column.weighted(weights) - middle
            of_xy = np.einsum("ij,ij->j", weighted_ranks, other)
            of_xx = np.einsum("ij,ij,ij->j", weights, other, other)
            found += _quotient(of_xy, of_xx, of_yy, (total**3 / 12) ** 2)
        found /= len(of_columns)
        return found

    return means


def _quotient(both: Floats, of_x: Floats, of_y: Floats, usual: Floats | float) -> Floats:
    """both / sqrt(of_x of_y); NaN where that product is nothing beside what is usual."""
    product = of_x * of_y
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(product > 1e-15 * usual, both / np.sqrt(np.abs(product)), np.nan)
    return found


def kendall(x: Floats, y: Floats) -> Statistic:
    """Kendall's tau-b: (concordant - discordant) / sqrt(pairs untied in x * pairs untied in y).

    An item drawn twice makes no pair with itself. Pairs are counted a level of y at a time (items x levels), or, of up
    to 1,000 items with many levels, all at once.
    """
    in_x, in_y = _tied_pairs(x), _tied_pairs(y)
    few = len(np.unique(y)) <= _FEW_LEVELS or len(x) > _ITEMS_IN_PAIRS
    surplus = _surplus_by_level(x, y) if few else _surplus_of_pairs(x, y)

    def taus(weights: Floats) -> Floats:
        pairs = weights.sum(axis=0) ** 2
        untied = (pairs - in_x(weights)) * (pairs - in_y(weights))
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = np.where(untied > 0, surplus(weights) / np.sqrt(np.abs(untied)), np.nan)
        return found

    return taus


def _tied_pairs(values: Floats) -> Statistic:
    """Ordered pairs with equal values, each item with itself among them."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(values[order]) != 0])
    return lambda weights: (np.add.reduceat(weights[order], starts, axis=0) ** 2).sum(axis=0)


def _surplus_of_pairs(x: Floats, y: Floats) -> Statistic:
    signs = np.sign(np.subtract.outer(x, x)) * np.sign(np.subtract.outer(y, y))
    return lambda weights: (weights * (signs @ weights)).sum(axis=0)


def _surplus_by_level(x: Floats, y: Floats) -> Statistic:
    order = np.argsort(x, kind="stable")
    xs, ys = x[order], y[order]
    starts = np.flatnonzero(np.r_[True, xs[1:] != xs[:-1]])
    tie_of = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(xs)]))
    levels = np.unique(ys)

    def surplus(weights: Floats) -> Floats:
        ordered = weights[order]
        found: Floats = np.zeros(weights.shape[1])
        for level in levels:
            tied = np.add.reduceat(np.where((ys == level)[:, None], ordered, 0.0), starts, axis=0)
            below = (np.cumsum(tied, axis=0) - tied)[tie_of]  # weight of this level's items with a smaller x
            found += 2 * (ordered * np.sign(ys - level)[:, None] * below).sum(axis=0)
        return found

    return surplus


def auroc(x: Floats, positive: Bools) -> Statistic:
    """P(a positive item's value is above another's), ties half, by the rank sum; NaN without both kinds."""
    ranks = Ranks(x)

    def areas(weights: Floats) -> Floats:
        of_positive = weights[positive]
        total, of_all = of_positive.sum(axis=0), weights.sum(axis=0)
        rank_sum = (of_positive * ranks.weighted(weights)[positive]).sum(axis=0)
        pairs = total * (of_all - total)
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = np.where(pairs > 0, (rank_sum - total * (total + 1) / 2) / pairs, np.nan)
        return found

    return areas


def pairwise_accuracy(x: Floats, y: Floats, group_numbers: Places, *, seed: int = 0) -> tuple[Statistic, float] | None:
    """Share of item pairs that the metric orders as the ratings do, ties counted as an answer of its own.

    acc_eq of Deutsch, Foster and Freitag (2023, "Ties Matter"): a pair is right when both call it tied, or both order
    it alike; the metric calls a pair tied when its values differ by at most epsilon. Epsilon is calibrated on one half
    of the groups and used on the other, both ways, so that no pair is judged by an epsilon chosen on it. Returns the
    statistic and the mean epsilon; None with fewer than two pairs in a half. Above 1,000 items a seeded choice of
    1,000 makes the pairs, and the statistic ignores the weights of the others.
    """
    generator = np.random.default_rng(seed)
    chosen = np.sort(generator.permutation(len(x))[:_ITEMS_IN_PAIRS])
    half_of = generator.permutation(np.arange(int(group_numbers.max(initial=0)) + 1)) % 2
    halves = [chosen[half_of[group_numbers[chosen]] == half] for half in (0, 1)]
    if min(len(half) for half in halves) < 3:
        return None
    away = [np.subtract.outer(x[half], x[half]) for half in halves]
    wanted = [np.sign(np.subtract.outer(y[half], y[half])) for half in halves]
    epsilons = [_tie_threshold(gaps, signs) for gaps, signs in zip(away, wanted, strict=True)][::-1]
    right = []
    for gaps, signs, epsilon in zip(away, wanted, epsilons, strict=True):
        agrees = np.where(np.abs(gaps) <= epsilon, 0.0, np.sign(gaps)) == signs
        np.fill_diagonal(agrees, False)
        right.append(agrees.astype(float))

    def shares(weights: Floats) -> Floats:
        of_right = np.zeros(weights.shape[1])
        pairs = np.zeros(weights.shape[1])
        for half, agrees in zip(halves, right, strict=True):
            own = weights[half]
            of_right += (own * (agrees @ own)).sum(axis=0)
            pairs += own.sum(axis=0) ** 2 - (own**2).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = np.where(pairs > 0, of_right / pairs, np.nan)
        return found

    return shares, float(np.mean(epsilons))


def _tie_threshold(gaps: Floats, signs: Floats) -> float:
    """The epsilon with the most right pairs; the smallest of equals, 0 among them."""
    upper = np.triu_indices(len(gaps), 1)
    size, ordered_right, tied = np.abs(gaps[upper]), np.sign(gaps[upper]) == signs[upper], signs[upper] == 0
    order = np.argsort(size, kind="stable")
    size, gain = size[order], (tied.astype(int) - ordered_right.astype(int))[order]
    right = np.cumsum(np.where(size == 0, 0, gain))  # a gap of 0 is a tie at every epsilon
    last_of_equal = np.r_[size[1:] != size[:-1], True]
    best = np.argmax(np.where(last_of_equal, right, -np.inf))
    return float(size[best]) if right[best] > 0 else 0.0
