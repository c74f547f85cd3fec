"""How far the raters agree, whether too few answers have two ratings to tell, and what a metric can reach at best."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..presentation.figure import Figure
from ..text.wording import Phrase, count_of, phrase
from .arrays import Bools, Floats, Places
from .correlation import FEWEST_ITEMS
from .estimate import Estimate, estimate
from .groups import Statistic
from .ranks import Ranks, spearman_statistic
from .table import ScoreTable

SLIGHT_AGREEMENT = 0.2  # up to here Landis and Koch (1977) call agreement slight
MODERATE_AGREEMENT = 0.4  # from here on they call it moderate
_FEWEST_TELLING = 15  # with fewer answers that are not all rated alike, alpha's interval is too short
_LARGEST_ALPHA = 0.999  # Fisher's z of 1 is infinite


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters on the items that both rated."""

    first: str
    second: str
    n: int
    kappa: float | None  # Cohen's kappa, as in Lassche et al. (2024) IV-C, at most 1.
    weighted_kappa: float | None  # the quadratic-weighted kappa, at most 1


RaterVerdict = Literal["agree", "hardly agree", "too few"]
"""Whether the raters agree, or too few answers have two ratings to tell."""


@dataclass(frozen=True, slots=True)
class Raters:
    """How far the raters agree with each other, and what a metric can reach at best."""

    count: int
    items_rated_twice: int  # how many items two or more of them rated
    alpha: Estimate  # Krippendorff's alpha for ordinal ratings
    verdict: RaterVerdict
    more_answers: int | None  # about how many more items two of them should rate, to tell; None where one can
    problem: str  # what to say of the verdict; empty where they agree
    ceiling: Estimate  # what no Spearman with the mean rating can exceed; less is reached where many ratings are equal
    one_rater: Estimate  # the mean over raters of each one's Spearman with the mean of the others
    pairs: tuple[RaterPair, ...]  # every two raters with shared items

    @property
    def validates(self) -> bool:
        """Whether a metric can be checked against these raters: unless the evidence says that they hardly agree."""
        return self.verdict != "hardly agree"

    @property
    def advice(self) -> Phrase | None:
        """What `problem` says, without figures, for a reader of any language; None where the raters agree."""
        if self.more_answers is not None:
            return phrase("agreement_unknown", count=self.more_answers)
        return None if self.validates else phrase("agreement_low")

    @property
    def ceiling_sentence(self) -> str:
        """What a measure, and what one rater, can reach."""
        best, one = (_describe_agreement(estimate) for estimate in (self.ceiling, self.one_rater))
        return (
            f"No metric can reach more with these ratings than about {best}, one with fine steps less where many "
            f"ratings are equal; one of your raters, against the mean of the others: {one}."
        )


def _describe_agreement(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"unknown ({estimate.problem})"
    text = f"{Figure('rho', estimate.value)} of 1"
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} (likely {Figure('rho', estimate.low)} to {Figure('rho', estimate.high)})"


def agreement_of_raters(table: ScoreTable) -> Raters | None:
    """Computes how far the raters of a table agree with each other.

    They hardly agree where the evidence says so: neither Krippendorff's alpha nor Spearman's correlation of one rater
    with the mean of the others reaches 0.2 (slight, as Landis and Koch, 1977, call it), and the upper end of the larger
    one's interval is below 0.4 (moderate), with 15 or more shared items that have a rating other than the most common
    one. They agree where the larger one is 0.2 or more and its interval above 0. So raters of one order and of
    different severity agree: metrics are held against the order of the ratings (`severity_note` names the severity).
    Everything else is too few shared items to tell. Where nearly all ratings are alike alpha is low although raters
    agree on nearly every item (the paradox of Feinstein and Cicchetti, 1990): the 15 items keep that from being called
    disagreement. Returns alpha, the verdict, Cohen's kappas and the ceiling; None where fewer than five items have two
    ratings.
    """
    rated = table.rated()
    has_two = (~np.isnan(rated.ratings)).sum(axis=1) >= 2
    if int(has_two.sum()) < FEWEST_ITEMS:
        return None
    shared = rated.take(np.flatnonzero(has_two))
    alpha = estimate(ordinal_alpha(shared.ratings), shared.groups, scale="fisher")
    one_rater = estimate_one_rater(shared)
    verdict, more_answers, problem = _judge_agreement(shared.ratings, alpha, one_rater)
    return Raters(
        count=len(table.raters),
        items_rated_twice=len(shared.items),
        alpha=alpha,
        verdict=verdict,
        more_answers=more_answers,
        problem=problem,
        ceiling=estimate_ceiling(rated),
        one_rater=one_rater,
        pairs=tuple(_rater_pairs(shared)),
    )


def ordinal_alpha(ratings: Floats) -> Statistic:
    """Prepares Krippendorff's alpha for ordinal data: 1 - D_o / D_e.

    The squared difference of two levels c < k is (n_c / 2 + n_between + n_k / 2)^2, n being the number of ratings at a
    level: the squared distance of the levels' mean ranks, from which both sums follow without a matrix of levels.
    Returns the statistic, at most 1; NaN where a column of weights has no two different ratings. Source: Krippendorff
    (2011), "Computing Krippendorff's Alpha-Reliability". Our own code, because the package `krippendorff` is GPL-3.0
    and takes no weights, which leaving groups out needs.
    """
    levels = np.unique(ratings[~np.isnan(ratings)])
    counts = (ratings[:, :, None] == levels).sum(axis=1).astype(float)  # items x levels
    ratings_per_item = counts.sum(axis=1)
    counts = counts * (ratings_per_item >= 2)[:, None]
    pair_weight = 1 / np.maximum(ratings_per_item - 1, 1)

    def alphas(weights: Floats) -> Floats:
        level_counts = counts.T @ weights
        ranks = np.cumsum(level_counts, axis=0) - level_counts / 2
        total = level_counts.sum(axis=0)
        squares = (level_counts * ranks**2).sum(axis=0)
        within = (weights * pair_weight[:, None] * ((counts @ ranks) ** 2 - counts @ ranks**2)).sum(axis=0)
        observed = squares - within
        expected = total * squares - ((level_counts * ranks).sum(axis=0)) ** 2
        with np.errstate(invalid="ignore", divide="ignore"):
            values: Floats = np.where(expected > 1e-9, 1 - (total - 1) * observed / expected, np.nan)
        return values

    return alphas


def _judge_agreement(ratings: Floats, alpha: Estimate, in_order: Estimate) -> tuple[RaterVerdict, int | None, str]:
    """The verdict, how many more items would tell, and what to say of it."""
    values, counts = np.unique(ratings[~np.isnan(ratings)], return_counts=True)
    common = float(values[counts.argmax()])
    items, telling = len(ratings), int((~np.isnan(ratings) & (ratings != common)).any(axis=1).sum())
    shown = f"alpha {Figure.from_estimate('rho', alpha)} on {count_of(items, 'answer')}"
    # as many as have 15 with other ratings, at the share so far (Laplace's rule, so that it is never 0)
    needed = _FEWEST_TELLING * (items + 2) / (telling + 1) if telling < _FEWEST_TELLING else items
    known = [
        (one.value, one.low, one.high)
        for one in (alpha, in_order)
        if one.value is not None and one.low is not None and one.high is not None
    ]
    if known:
        value, low, high = max(known)
        if value >= SLIGHT_AGREEMENT and low > 0:
            return "agree", None, ""
        if value < SLIGHT_AGREEMENT and high < MODERATE_AGREEMENT and telling >= _FEWEST_TELLING:
            return "hardly agree", None, f"raters hardly agree ({shown}): no metric can be validated here"
        needed = max(needed, items * _times_for_verdict(value, low, high))
    more = 5 * max(1, math.ceil((needed - items) / 5))
    if telling < _FEWEST_TELLING:
        shown += f", {telling} of them with a rating other than {common:g}"
    problem = f"too few answers with two ratings to tell whether the raters agree ({shown}): have about {more} more"
    return "too few", more, f"{problem} rated twice"


def _times_for_verdict(alpha: float, low: float, high: float) -> float:
    """How many times the items bring the interval, on Fisher's scale, above 0 or below moderate agreement."""
    ends = np.clip([alpha, low, high], -_LARGEST_ALPHA, _LARGEST_ALPHA)
    middle, lower, upper = np.arctanh(ends).tolist()
    distance = middle if alpha >= SLIGHT_AGREEMENT else math.atanh(MODERATE_AGREEMENT) - middle
    return float(((upper - lower) / 2 / distance) ** 2)


def _rater_pairs(table: ScoreTable) -> list[RaterPair]:
    pairs = []
    for first, name in enumerate(table.raters):
        for second in range(first + 1, len(table.raters)):
            has_both = ~np.isnan(table.ratings[:, [first, second]]).any(axis=1)
            if not has_both.any():
                continue
            x, y = table.ratings[has_both][:, first], table.ratings[has_both][:, second]
            plain, quadratic = kappas(x, y)
            pairs.append(RaterPair(name, table.raters[second], len(x), plain, quadratic))
    return pairs


def kappas(x: Floats, y: Floats) -> tuple[float | None, float | None]:
    """Computes Cohen's kappa, (p_o - p_e) / (1 - p_e), and the quadratic-weighted one (Cohen, 1968).

    The latter is 1 less the mean squared distance of the two ratings of an item over that of any two items' ratings.
    Distances are in points of the scale: 4.5 lies half as far from 5 as 4 does. Returns both, at most 1; None with
    fewer than five items, or where neither varies.
    """
    if len(x) < FEWEST_ITEMS or (np.ptp(x) == 0 and np.ptp(y) == 0):
        return None, None
    levels, places = np.unique(np.concatenate([x, y]), return_inverse=True)
    first, second = (np.bincount(part, minlength=len(levels)) / len(x) for part in np.split(places, 2))
    observed, by_chance = float((x == y).mean()), float(first @ second)
    apart = float(((x - y) ** 2).mean())
    apart_by_chance = float(x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    return (observed - by_chance) / (1 - by_chance), 1 - apart / apart_by_chance


_NO_SPREAD = 1e-12


def estimate_ceiling(rated: ScoreTable) -> Estimate:
    """Estimates the Spearman with the mean rating that no metric can exceed: sqrt(reliability of the mean).

    A measure that knew what the raters agree on would correlate with the mean of k ratings by the root of its
    reliability k r / (1 + (k - 1) r) (the formula of Spearman, 1910, and Brown, 1910; the root by the correction
    for attenuation: Spearman, 1904; Lord and Novick, 1968). r is the mean rank correlation of two raters. For items
    with k_i ratings 1 / k is the mean of 1 / k_i, items with one rating among them: r / (r + (1 - r) / k + s^2 (1 /
    k - 1 / K)). The last term is what raters of different severity add where not all K of them rate each item (the
    variance of a mean of k drawn from K; Cochran, 1977, 2.5); s^2, at least 0, follows from r and from the
    correlation q of ratings that are ranked over all raters: (r - q) / (1 / K + q (K - 1) / K). The interval leaves
    out one group at a time, on the scale of that r which gives the same without the last term. Where many ratings
    are equal it is only a bound: with 70% at one level the true quality, whose steps are finer, reaches up to 0.12
    less. Returns the ceiling, in [0, 1], 0 where raters agree no better than chance; without a value where r is
    undefined.
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

    correlation = estimate(correlations, shared.groups, scale="fisher")

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


def estimate_one_rater(shared: ScoreTable) -> Estimate:
    """Estimates what one rater reaches: the mean over raters of Spearman of each with the mean of the others."""
    parts: list[tuple[Places, Statistic]] = []
    for own, others in zip(shared.ratings.T, means_of_others(shared.ratings).T, strict=True):
        places = np.flatnonzero(~np.isnan(own) & ~np.isnan(others))
        statistic = spearman_statistic(own[places], others[places])
        if len(places) >= FEWEST_ITEMS and np.isfinite(statistic(np.ones((len(places), 1)))[0]):
            parts.append((places, statistic))
    if not parts:
        return Estimate(None, problem=f"no rater shares {count_of(FEWEST_ITEMS, 'answer')} with others")

    def means(weights: Floats) -> Floats:
        values: Floats = np.mean([statistic(weights[places]) for places, statistic in parts], axis=0)
        return values

    return estimate(means, shared.groups, scale="fisher")


def means_of_others(ratings: Floats) -> Floats:
    """Computes, for each rating, the mean of the others' ratings of the item, (items, raters); NaN without any."""
    is_rated = ~np.isnan(ratings)
    known = np.where(is_rated, ratings, 0.0)
    counts = is_rated.sum(axis=1, keepdims=True) - is_rated
    totals = known.sum(axis=1, keepdims=True) - known
    means = np.full(ratings.shape, np.nan)
    np.divide(totals, counts, out=means, where=counts > 0)
    return means


_SEVERE = 0.125  # of the scale: half a star of five
_GUIDELINE = "assay rate SET --guideline FILE --raters NAME,NAME"
_ON_OTHERS = (
    "but on other answers: whether the raters or the answers differ cannot be told, and where it is the raters, every "
    "agreement here looks lower than it is. Have some answers rated by both"
)


def severity_note(table: ScoreTable) -> str:
    """Says which rater rates furthest above or below the others, where that is beyond chance and matters.

    That is the difference of the rater's mean from the mean of the others' ratings, of the items that both rated, or of
    all where they share fewer than five: an eighth of the scale or more, with an interval (leaving out one group at a
    time, 95% over all raters) that does not hold 0. Empty where there is none.
    """
    furthest, note = 0.0, ""
    for name, own, others in zip(table.raters, table.ratings.T, means_of_others(table.ratings).T, strict=True):
        has_both = ~np.isnan(own) & ~np.isnan(others)
        shares = int(has_both.sum()) >= FEWEST_ITEMS
        ratings = np.stack([own, others])
        is_known = np.stack([has_both, has_both]) if shares else ~np.isnan(ratings)
        if is_known.sum(axis=1).min() < FEWEST_ITEMS:
            continue
        severity = estimate(
            _difference_of_means(ratings, is_known), table.groups, level=1 - 0.05 / len(table.raters), keeps_empty=True
        )
        value, low, high = severity.value, severity.low, severity.high
        if value is None or low is None or high is None or low <= 0 <= high:
            continue
        size = abs(value)
        is_further = size > furthest or (size == furthest and value < 0)
        if size < _SEVERE * (table.rating_max - table.rating_min) or not is_further:
            continue
        rest = [rater for rater in table.raters if rater != name]
        side = (
            f"{size:.2f} {'lower' if value < 0 else 'higher'} than {rest[0] if len(rest) == 1 else 'the other raters'}"
        )
        same = f"on the same {count_of(int(has_both.sum()), 'answer')}: agree on a guideline ({_GUIDELINE})"
        furthest, note = size, f"{name} rates {side}, {same if shares else _ON_OTHERS}"
    return note


def _difference_of_means(values: Floats, is_known: Bools) -> Statistic:
    """Prepares the mean of the first row less that of the second, over what is known of each."""
    known = np.where(is_known, values, 0.0)

    def differences(weights: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            first, second = (known @ weights) / (is_known @ weights)
        return np.asarray(first - second)

    return differences
