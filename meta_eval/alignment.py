"""Does a judge that learned from ratings agree better? Candidates compared out of fold, the choice nested."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from ..presentation.figure import format_p
from .agreement_statistics import mean_spearman
from .arrays import Floats, Places
from .comparison import compare
from .cross_validation import column_spearmans
from .estimate import Estimate, estimate
from .folds import grouped_folds
from .permutation import sign_flip_max_t
from .results import Comparison
from .table import ScoreTable
from .winner_estimate import estimate_winner

AS_IT_IS = "as it is"
_ERROR = 0.05  # how often a candidate is adopted that is no better, over both ways to be adopted

Predict = Callable[[Places, Places], Floats]
"""Maps the places of training items and of others to scores of the others in [0, 1]; more is better, NaN missing."""


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """What one candidate reaches on answers that it did not learn from, not corrected for the choice among candidates.

    Attributes:
        name: Its name.
        spearman: Spearman's rho with the ratings, out of fold.
        difference: rho less that of the judge as it is; None for that one.
        squared_error: Mean squared difference between score and rating, both as shares of their scale.
    """

    name: str
    spearman: Estimate
    difference: Estimate | None
    squared_error: float | None


@dataclass(frozen=True, slots=True)
class AlignmentResult:
    """Which candidate to adopt, if any.

    Attributes:
        rows: Each candidate out of fold, the judge as it is first.
        chosen: The candidate that agrees best on all answers; the judge as it is where none is better.
        nested: Spearman where the choice is repeated without the answers that are scored.
        comparison: That choice against the judge as it is.
        gain: How much better that choice agrees than the judge as it is; where it is adopted and the interval lies
            above 0, corrected for being shown only then (`estimate_winner`).
        error_change: Squared error of that choice less that of the judge as it is.
        p: How often chance makes any candidate agree as much better than the judge as it is, or lie as much nearer to
            the ratings, as the chosen one; one-sided, all candidates counted. None where none is better.
        is_adopted: Whether the choice wins beyond noise.
        reason: Why, or why not, in a sentence.
    """

    rows: tuple[CandidateRow, ...]
    chosen: str
    nested: Estimate
    comparison: Comparison
    gain: Estimate
    error_change: float | None
    p: float | None
    is_adopted: bool
    reason: str


def split_groups(group_numbers: Places, *, seed: int = 0) -> Places:
    """Deals whole groups into two halves: 0 or 1 for each item, (items,).

    Examples and rules for the answers of one half come from the other half, so that no candidate is tried on ratings
    that it has seen.
    """
    half = np.zeros(len(group_numbers), dtype=np.intp)
    parts = grouped_folds(group_numbers, 2, seed=seed)
    if parts:
        half[parts[1]] = 1
    return half


def compare_candidates(
    table: ScoreTable,
    candidates: Mapping[str, Predict],
    halves: Places,
    *,
    folds: int = 4,
    permutations: int = 2000,
    seed: int = 0,
) -> AlignmentResult:
    """Compares candidates with the judge as it is, and decides whether one is adopted.

    Each half is dealt into folds of whole groups. A fold's choice is made on the other folds of its half, by inner
    folds: answers of the other half may have been scored with examples from this fold. What is said of the choice
    comes from there.

    The candidate that agrees best on all answers is adopted where its choice agrees with the ratings beyond chance and
    either Spearman is higher than that of the judge as it is, or not seen to be lower and the squared error smaller.
    All candidates and both ways are one family of tests: the signs of whole groups are flipped for all at once, and the
    largest studentised statistic counts (`sign_flip_max_t`: Westfall and Young, 1993), so that where no candidate is
    better one is adopted in at most 5%.

    Returns:
        The rows and the decision.
    """
    ratings = table.mean_rating
    shares = (ratings - table.rating_min) / (table.rating_max - table.rating_min)
    out_of_fold = {name: np.full(len(ratings), np.nan) for name in candidates}
    nested = np.full(len(ratings), np.nan)
    everything = np.arange(len(ratings))
    for half in (0, 1):
        places = np.flatnonzero(halves == half)
        for part in grouped_folds(table.group_numbers[places], folds, seed=seed):
            held_out = places[part]
            training = np.setdiff1d(everything, held_out)
            for name, predict in candidates.items():
                out_of_fold[name][held_out] = predict(training, held_out)
            own_half = np.setdiff1d(places, held_out)
            name = _choose(table, candidates, own_half, training, folds=folds, seed=seed)
            nested[held_out] = out_of_fold[name][held_out]

    def rho(values: Floats) -> Estimate:
        scored = np.flatnonzero(~np.isnan(values))
        if len(scored) < 5 or np.ptp(values[scored]) == 0:
            return Estimate(None, n=len(scored), problem="too few scores, or all are equal")
        groups = [table.groups[place] for place in scored]
        return estimate(mean_spearman(values[scored][:, None], ratings[scored]), groups, scale="fisher")

    def compare_with_first(name: str, values: Floats) -> Comparison:
        return compare(
            table,
            (name, values[:, None]),
            (AS_IT_IS, out_of_fold[AS_IT_IS][:, None]),
            permutations=permutations,
            seed=seed,
        )

    rows = tuple(
        CandidateRow(
            name,
            rho(values),
            None if name == AS_IT_IS else compare_with_first(name, values).difference,
            _mean_error(values, shares),
        )
        for name, values in out_of_fold.items()
    )
    chosen = max(rows, key=lambda row: -2 if row.spearman.value is None else round(row.spearman.value, 9)).name
    comparison = compare_with_first(chosen, nested)
    change = _error_change(nested, out_of_fold[AS_IT_IS], shares)
    p_values = _p_values(table, out_of_fold, shares, permutations=permutations, seed=seed).get(chosen)
    agreement = rho(nested)
    is_adopted, reason = _decide(chosen, agreement, comparison, p_values)
    gain = _correct_gain(comparison.difference) if is_adopted else comparison.difference
    p = None if p_values is None else min(p_values)
    return AlignmentResult(rows, chosen, agreement, comparison, gain, change, p, is_adopted, reason)


def _choose(
    table: ScoreTable,
    candidates: Mapping[str, Predict],
    own_half: Places,
    training: Places,
    *,
    folds: int,
    seed: int,
) -> str:
    """The candidate that agrees best on `own_half`, each answer scored by fits without its group."""
    parts = grouped_folds(table.group_numbers[own_half], folds, seed=seed + 1)
    reached = {}
    for name, predict in candidates.items():
        values = np.full(len(own_half), np.nan)
        for part in parts:
            others = own_half[part]
            values[part] = predict(np.setdiff1d(training, others), others)
        known = ~np.isnan(values)
        ratings = table.mean_rating[own_half]
        reached[name] = float(column_spearmans(values[known][:, None], ratings[known])[0]) if known.sum() > 2 else -1.0
    return max(reached, key=lambda name: round(reached[name], 9))


def _mean_error(values: Floats, shares: Floats) -> float | None:
    known = ~np.isnan(values)
    return float(((values - shares)[known] ** 2).mean()) if known.any() else None


def _error_change(values: Floats, others: Floats, shares: Floats) -> float | None:
    """The change of the mean squared error on the items that both scored."""
    known = ~np.isnan(values) & ~np.isnan(others)
    if not known.any():
        return None
    return float(((values - shares) ** 2 - (others - shares) ** 2)[known].mean())


def _p_values(
    table: ScoreTable, out_of_fold: Mapping[str, Floats], shares: Floats, *, permutations: int, seed: int
) -> dict[str, tuple[float, float]]:
    """By candidate, the p-values of its higher Spearman and of its smaller error, corrected for all of both.

    A group adds to the difference of Spearman the sum of its ratings' ranks times the difference of the two ranks.
    """
    groups = table.group_numbers
    count = int(groups.max()) + 1
    columns, sizes = [], []
    before = out_of_fold[AS_IT_IS]
    names = [name for name in out_of_fold if name != AS_IT_IS]
    for name in names:
        known = np.flatnonzero(~np.isnan(before) & ~np.isnan(out_of_fold[name]))
        after, old, rating = (values[known] for values in (out_of_fold[name], before, table.mean_rating))
        size = np.bincount(groups[known], minlength=count).astype(float)
        ranks = [_standard_ranks(values) for values in (after, old, rating)]
        errors = (old - shares[known]) ** 2 - (after - shares[known]) ** 2
        for parts in (ranks[2] * (ranks[0] - ranks[1]), errors):
            columns.append(np.bincount(groups[known], weights=parts, minlength=count))
            sizes.append(size)
    if not columns:
        return {}
    p_values = sign_flip_max_t(
        np.column_stack(columns), np.column_stack(sizes), permutations=permutations, seed=seed
    ).tolist()
    return {name: (p_values[2 * place], p_values[2 * place + 1]) for place, name in enumerate(names)}


def _standard_ranks(values: Floats) -> Floats:
    """Ranks with mean 0 and spread 1; 0 where the values do not vary."""
    ranks = rankdata(values) - (len(values) + 1) / 2
    standard: Floats = ranks / (ranks.std() or 1.0)
    return standard


def _correct_gain(gain: Estimate) -> Estimate:
    """The gain, corrected for being shown only where its interval lies above 0."""
    half = gain.half_width
    if half is None or gain.low is None or gain.low <= 0:
        return gain
    return estimate_winner(gain, quoted=(half, 1.0), level=0.95)


def _decide(
    chosen: str, agreement: Estimate, comparison: Comparison, p_values: tuple[float, float] | None
) -> tuple[bool, str]:
    if chosen == AS_IT_IS or p_values is None:
        return False, "nothing follows your ratings better than the judge as it is"
    if agreement.value is None or agreement.low is None or agreement.low <= 0:
        return False, "the best candidate does not follow your ratings beyond chance"
    difference = comparison.difference
    if difference.value is None or difference.low is None or difference.high is None:
        return False, f"the candidates cannot be compared: {comparison.problem or difference.problem}"
    p_higher, p_nearer = p_values
    if p_higher <= _ERROR:
        return (
            True,
            f"{chosen} follows your ratings better than the judge as it is, beyond noise ({format_p(p_higher)})",
        )
    if p_nearer <= _ERROR and difference.high >= 0:
        return (
            True,
            f"{chosen} is not seen to follow your ratings less than the judge as it is, and its scores lie nearer to "
            f"them, beyond noise ({format_p(p_nearer)})",
        )
    return False, f"{chosen} looks best, but your ratings cannot tell it from the judge as it is ({format_p(p_higher)})"
