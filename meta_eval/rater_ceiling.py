"""What a metric can reach at best against these ratings, and what one rater reaches against the others."""

from dataclasses import dataclass, replace

import numpy as np

from ..text.wording import count_of
from .agreement_statistics import Ranks, spearman_statistic
from .arrays import Bools, Floats, Places
from .correlation import FEWEST_ITEMS
from .estimate import Estimate, estimate
from .groups import Statistic
from .table import ScoreTable

_NO_SPREAD = 1e-12


@dataclass(frozen=True, slots=True)
class RaterCeiling:
    """One rater against the mean of the others."""

    rater: str
    n: int  # how many items the rater shares with any other
    rho: float | None  # Spearman's rank correlation, in [-1, 1]; None with fewer than five shared items


def estimate_ceiling(rated: ScoreTable, *, level: float = 0.95) -> Estimate:
    """Estimates the best Spearman with the mean rating that any measure could reach: sqrt(reliability of the mean).

    A measure that knew what the raters agree on would correlate with the mean of k ratings by the root of its
    reliability k r / (1 + (k - 1) r) (the formula of Spearman, 1910, and Brown, 1910; the root by the correction for
    attenuation: Spearman, 1904; Lord and Novick, 1968). r is the mean rank correlation of two raters. For items with
    k_i ratings 1 / k is the mean of 1 / k_i, items with one rating among them: r / (r + (1 - r) / k + s^2 (1 / k - 1 /
    K)). The last term is what raters of different severity add where not all K of them rate each item (the variance of
    a mean of k drawn from K; Cochran, 1977, 2.5); s^2, at least 0, follows from r and from the correlation q of ratings
    that are ranked over all raters: (r - q) / (1 / K + q (K - 1) / K). The interval leaves out one group at a time, on
    the scale of that r which gives the same without the last term. Where most ratings are equal the ceiling is an upper
    bound: a measure with finer steps cannot follow the ties. Returns the ceiling, in [0, 1], 0 where raters agree no
    better than chance; without a value where r is undefined.

    Examples:
        Two raters whose ranks correlate by 0.6: 2 * 0.6 / 1.6 = 0.75, and its root is 0.866.

        >>> ratings = np.array([[1.0, 2], [2, 1], [3, 4], [4, 3]])
        >>> table = ScoreTable(tuple("abcd"), (), np.empty((4, 0)), ratings, ("ann", "bob"))
        >>> round(estimate_ceiling(table).value, 3)
        0.866
    """
    counts = (~np.isnan(rated.ratings)).sum(axis=1)
    part = float((1 / counts).mean())
    shared = rated.take(np.flatnonzero(counts >= 2))
    raters = int((~np.isnan(shared.ratings)).any(axis=0).sum())
    by_rater, over_all = mean_rater_correlation(shared.ratings), mean_rater_correlation(shared.ratings, over_all=True)

    def correlations(weights: Floats) -> Floats:
        r, q = by_rater(weights), over_all(weights)
        with np.errstate(invalid="ignore", divide="ignore"):
            severity = np.maximum(0, (r - q) / (1 / raters + q * (raters - 1) / raters))
            noise = np.where(part > 1 / raters, severity * (part - 1 / raters), 0.0)
            values: Floats = np.where(r > 0, r / (1 + noise / part), r)
        return values

    correlation = estimate(correlations, shared.groups, scale="fisher", level=level)

    def reach(value: float | None) -> float | None:
        if value is None:
            return None
        r = max(0.0, value)
        return float(np.sqrt(r / (r + (1 - r) * part)))

    value, low, high = reach(correlation.value), reach(correlation.low), reach(correlation.high)
    return replace(correlation, value=value, low=low, high=high)


def mean_rater_correlation(ratings: Floats, *, over_all: bool = False) -> Statistic:
    """Prepares the mean rank correlation of two raters, over all pairs of ratings of one item.

    Each rater's ratings are replaced by their ranks, standardised over all items of this rater; the statistic is the
    mean product of the two of a pair. Where every rater rated every item, it is the mean Spearman of all pairs. Returns
    the statistic; NaN where fewer than two raters vary.

    Examples:
        Ranks 1, 2, 3, 4 against 2, 1, 4, 3 (0.6) and themselves (1.0), and the two others (0.6): their mean is 0.733.

        >>> three = np.array([[1.0, 2, 1], [2, 1, 2], [3, 4, 3], [4, 3, 4]])
        >>> round(float(mean_rater_correlation(three)(np.ones((4, 1)))[0]), 3)
        0.733
    """
    places_of = [np.flatnonzero(~np.isnan(column)) for column in ratings.T]
    ranked_together = [list(range(len(places_of)))] if over_all else [[rater] for rater in range(len(places_of))]
    blocks = []
    for raters in ranked_together:
        values = np.concatenate([ratings[places_of[rater], rater] for rater in raters])
        if len(values):
            blocks.append((Ranks(values), [places_of[rater] for rater in raters]))

    def correlations(weights: Floats) -> Floats:
        total, squares, counts = np.zeros((3, *weights.shape))
        for ranks, parts in blocks:
            of_block = weights[np.concatenate(parts)]
            standardised, varies = _standardise(ranks.weighted(of_block), of_block)
            start = 0
            for places in parts:
                own = standardised[start : start + len(places)]
                total[places] += own
                squares[places] += own**2
                counts[places] += varies
                start += len(places)
        pairs = (weights * counts * (counts - 1)).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            values: Floats = np.where(pairs > 0, (weights * (total**2 - squares)).sum(axis=0) / pairs, np.nan)
        return values

    return correlations


def _standardise(ranks: Floats, weights: Floats) -> tuple[Floats, Bools]:
    """Ranks with mean 0 and variance 1 per column, 0 in columns where they do not vary; and in which they do."""
    items = np.maximum(weights.sum(axis=0), _NO_SPREAD)
    centred = ranks - (weights * ranks).sum(axis=0) / items
    spread = np.sqrt((weights * centred**2).sum(axis=0) / items)
    varies = spread > _NO_SPREAD
    return np.where(varies, centred / np.where(varies, spread, 1.0), 0.0), varies


def rater_ceilings(shared: ScoreTable, *, level: float = 0.95) -> tuple[tuple[RaterCeiling, ...], Estimate]:
    """Compares each rater with the mean of the others.

    Spearman of each rater with the mean of the others, and the mean over raters with its interval.
    """
    others = means_of_others(shared.ratings)
    parts = tuple(_rater_ceiling(rater, shared.ratings[:, j], others[:, j]) for j, rater in enumerate(shared.raters))
    places = [place for place, rater in enumerate(parts) if rater.rho is not None]
    if not places:
        return parts, Estimate(None, problem=f"no rater shares {count_of(FEWEST_ITEMS, 'answer')} with others")
    statistic = _mean_against_others(shared.ratings[:, places], others[:, places])
    return parts, estimate(statistic, shared.groups, scale="fisher", level=level)


def means_of_others(ratings: Floats) -> Floats:
    """Computes, for each rating, the mean of the other raters' ratings of the same item.

    Returns the means, (items, raters); NaN where no other rater rated the item.

    Examples:
        >>> means_of_others(np.array([[1.0, 3.0, 5.0], [2.0, np.nan, np.nan]])).tolist()
        [[4.0, 3.0, 2.0], [nan, 2.0, 2.0]]
    """
    is_rated = ~np.isnan(ratings)
    known = np.where(is_rated, ratings, 0.0)
    counts = is_rated.sum(axis=1, keepdims=True) - is_rated
    totals = known.sum(axis=1, keepdims=True) - known
    means = np.full(ratings.shape, np.nan)
    np.divide(totals, counts, out=means, where=counts > 0)
    return means


def _rater_ceiling(rater: str, own: Floats, others: Floats) -> RaterCeiling:
    has_both = ~np.isnan(own) & ~np.isnan(others)
    n = int(has_both.sum())
    if n < FEWEST_ITEMS:
        return RaterCeiling(rater, n, None)
    rho = float(spearman_statistic(own[has_both], others[has_both])(np.ones((n, 1)))[0])
    return RaterCeiling(rater, n, None if np.isnan(rho) else rho)


def _mean_against_others(ratings: Floats, others: Floats) -> Statistic:
    """Prepares the mean over raters of Spearman between each and the mean of the others."""
    parts: list[tuple[Places, Statistic]] = []
    for own, rest in zip(ratings.T, others.T, strict=True):
        has_both = ~np.isnan(own) & ~np.isnan(rest)
        parts.append((np.flatnonzero(has_both), spearman_statistic(own[has_both], rest[has_both])))

    def means(weights: Floats) -> Floats:
        values: Floats = np.mean([statistic(weights[places]) for places, statistic in parts], axis=0)
        return values

    return means
