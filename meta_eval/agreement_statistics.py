"""Statistics of agreement, for many weightings of the items at once: leaving a group out is a weight of 0.

Each factory prepares two variables once and returns a `Statistic`, which maps weights (items, columns) to one value
per column. With all weights 1 the value is scipy's or scikit-learn's (tests compare them), whose functions take no
weights for ranks, so that every weighting would have to be worked out anew.
"""

import numpy as np

from .arrays import Bools, Floats, Places
from .groups import Statistic
from .ranks import Ranks

_ITEMS_IN_PAIRS = 1000  # pairs grow with the square of the items
_FEW_LEVELS = 12


def pearson(x: Floats, y: Floats) -> Statistic:
    """Prepares Pearson's correlation, cov(x, y) / (sd(x) sd(y)); NaN where a variable does not vary in a column."""
    a, b = x - x.mean(), y - y.mean()
    products = np.stack([a, b, a * a, b * b, a * b])

    def correlations(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        mean_a, mean_b, mean_aa, mean_bb, mean_ab = products @ weights / total
        return _quotient(
            mean_ab - mean_a * mean_b, mean_aa - mean_a**2, mean_bb - mean_b**2, float(a @ a * (b @ b)) / len(a) ** 2
        )

    return correlations


def spearman_statistic(x: Floats, y: Floats) -> Statistic:
    """Prepares Spearman's rho: Pearson's of the mean ranks in each weighting; NaN where a variable does not vary."""
    return mean_spearman(x[:, None], y)


def mean_spearman(x: Floats, y: Floats) -> Statistic:
    """Prepares the mean over the columns of x of Spearman's rho with y; NaN where y or a column does not vary."""
    column_ranks, y_ranks = [Ranks(column) for column in x.T], Ranks(y)

    def means(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        middle = (total + 1) / 2  # the mean of the mean ranks
        ranks = y_ranks.weighted(weights) - middle
        weighted_ranks = weights * ranks
        yy = np.einsum("ij,ij->j", weighted_ranks, ranks)
        result: Floats = np.zeros_like(total)
        for column in column_ranks:
            other = column.weighted(weights) - middle
            xy = np.einsum("ij,ij->j", weighted_ranks, other)
            xx = np.einsum("ij,ij,ij->j", weights, other, other)
            result += _quotient(xy, xx, yy, (total**3 / 12) ** 2)
        result /= len(column_ranks)
        return result

    return means


def _quotient(both: Floats, square_x: Floats, square_y: Floats, usual: Floats | float) -> Floats:
    """both / sqrt(square_x square_y); NaN where that product is negligible beside the usual one (rounding)."""
    product = square_x * square_y
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.where(product > 1e-15 * usual, both / np.sqrt(np.abs(product)), np.nan)
    return result


def kendall(x: Floats, y: Floats) -> Statistic:
    """Prepares Kendall's tau-b: (concordant - discordant) / sqrt(pairs untied in x * pairs untied in y).

    An item that is drawn twice makes no pair with itself. Pairs are counted one level of y at a time (items x levels);
    with many levels and up to 1,000 items, all at once. Returns the statistic, in [-1, 1]; NaN where a variable does
    not vary in a column. Source: Kendall (1945), "The treatment of ties in ranking problems".
    """
    tied_in_x, tied_in_y = _tied_pairs(x), _tied_pairs(y)
    has_few_levels = len(np.unique(y)) <= _FEW_LEVELS or len(x) > _ITEMS_IN_PAIRS
    surplus = _surplus_by_level(x, y) if has_few_levels else _surplus_of_pairs(x, y)

    def taus(weights: Floats) -> Floats:
        pairs = weights.sum(axis=0) ** 2
        untied = (pairs - tied_in_x(weights)) * (pairs - tied_in_y(weights))
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Floats = np.where(untied > 0, surplus(weights) / np.sqrt(np.abs(untied)), np.nan)
        return result

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
        result: Floats = np.zeros(weights.shape[1])
        for level in levels:
            tied = np.add.reduceat(np.where((ys == level)[:, None], ordered, 0.0), starts, axis=0)
            below = (np.cumsum(tied, axis=0) - tied)[tie_of]  # weight of this level's items with a smaller x
            result += 2 * (ordered * np.sign(ys - level)[:, None] * below).sum(axis=0)
        return result

    return surplus


def auroc_statistic(x: Floats, positive: Bools) -> Statistic:
    """Prepares the area under the ROC curve: P(a positive item's value is above another's), a tie counting half.

    Computed from the rank sum R of the k positive items: (R - k (k + 1) / 2) / (k (n - k)) (Mann and Whitney, 1947).
    Returns the statistic, in [0, 1]; NaN where a column lacks one kind.
    """
    ranks = Ranks(x)

    def areas(weights: Floats) -> Floats:
        positive_weights = weights[positive]
        total, all_weights = positive_weights.sum(axis=0), weights.sum(axis=0)
        rank_sum = (positive_weights * ranks.weighted(weights)[positive]).sum(axis=0)
        pairs = total * (all_weights - total)
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Floats = np.where(pairs > 0, (rank_sum - total * (total + 1) / 2) / pairs, np.nan)
        return result

    return areas


def pairwise_accuracy(x: Floats, y: Floats, group_numbers: Places, *, seed: int = 0) -> tuple[Statistic, float] | None:
    """Prepares the share of item pairs that the metric orders as the ratings do, where a tie is an order too.

    A pair is right when metric and ratings both call it tied, or both order it alike; the metric calls a pair tied when
    its values differ by at most epsilon. This is acc_eq of Deutsch, Foster and Freitag (2023, "Ties Matter"). Epsilon
    is calibrated on one half of the groups and used on the other, both ways, so that no pair is judged by an epsilon
    that was chosen on it. Above 1,000 items a seeded sample of 1,000 makes the pairs, and the statistic ignores the
    weights of the others. Returns the statistic, in [0, 1], and the mean epsilon of the two halves; None with fewer
    than three items in a half.
    """
    generator = np.random.default_rng(seed)
    chosen = np.sort(generator.permutation(len(x))[:_ITEMS_IN_PAIRS])
    half_of = generator.permutation(np.arange(int(group_numbers.max(initial=0)) + 1)) % 2
    halves = [chosen[half_of[group_numbers[chosen]] == half] for half in (0, 1)]
    if min(len(half) for half in halves) < 3:
        return None
    gaps_of_half = [np.subtract.outer(x[half], x[half]) for half in halves]
    signs_of_half = [np.sign(np.subtract.outer(y[half], y[half])) for half in halves]
    epsilons = [_tie_threshold(gaps, signs) for gaps, signs in zip(gaps_of_half, signs_of_half, strict=True)][::-1]
    right = []
    for gaps, signs, epsilon in zip(gaps_of_half, signs_of_half, epsilons, strict=True):
        agrees = np.where(np.abs(gaps) <= epsilon, 0.0, np.sign(gaps)) == signs
        np.fill_diagonal(agrees, False)
        right.append(agrees.astype(float))

    def shares(weights: Floats) -> Floats:
        right_weight = np.zeros(weights.shape[1])
        pairs = np.zeros(weights.shape[1])
        for half, agrees in zip(halves, right, strict=True):
            own = weights[half]
            right_weight += (own * (agrees @ own)).sum(axis=0)
            pairs += own.sum(axis=0) ** 2 - (own**2).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Floats = np.where(pairs > 0, right_weight / pairs, np.nan)
        return result

    return shares, float(np.mean(epsilons))


def _tie_threshold(gaps: Floats, signs: Floats) -> float:
    """The epsilon with the most right pairs; the smallest of equals, 0 among them."""
    upper = np.triu_indices(len(gaps), 1)
    size, ordered_right, tied = np.abs(gaps[upper]), np.sign(gaps[upper]) == signs[upper], signs[upper] == 0
    order = np.argsort(size)
    size, gain = size[order], (tied.astype(int) - ordered_right.astype(int))[order]
    right = np.cumsum(np.where(size == 0, 0, gain))  # a gap of 0 is a tie at every epsilon
    last_of_equal = np.r_[size[1:] != size[:-1], True]
    best = np.argmax(np.where(last_of_equal, right, -np.inf))
    return float(size[best]) if right[best] > 0 else 0.0
