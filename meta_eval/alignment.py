"""Does a judge that learned from ratings agree better? Candidates compared out of fold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..presentation.figure import format_p
from .arrays import Floats
from .correlation import FEWEST_ITEMS, estimate_correlation, estimate_rho_difference
from .estimate import Estimate
from .groups import Predict, grouped_folds
from .randomisation import sign_flip_max_t
from .ranks import mean_spearman, standard_ranks
from .table import ScoreTable
from .winner_estimate import estimate_winner

AS_IT_IS = "as it is"
_FEWEST_CALIBRATED = 10  # answers from which a calibration is fitted
_FOLDS = 4
_ERROR = 0.05  # how often a candidate is adopted that is no better, over both ways to be adopted


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """What one candidate reaches on answers that it did not learn from, not corrected for the choice among them."""

    name: str
    spearman: Estimate
    difference: Estimate | None  # rho less that of the judge as it is; None for that one
    squared_error: float | None  # mean squared difference between score and rating, both as shares of their scale


@dataclass(frozen=True, slots=True)
class AlignmentResult:
    """Which candidate to adopt, if any."""

    rows: tuple[CandidateRow, ...]  # each candidate out of fold, the judge as it is first
    chosen: str  # the candidate that agrees best; the judge as it is where none is better
    # how much better the adopted candidate agrees than the judge as it is, corrected for being shown only then
    # (`estimate_winner`). None where nothing is adopted, or for nearer scores.
    gain: Estimate | None
    # how often chance makes any candidate agree as much better than the judge as it is, or lie as much nearer to the
    # ratings, as the chosen one; one-sided, all candidates counted. None where none is better.
    p: float | None
    is_adopted: bool
    reason: str  # why, or why not, in a sentence


def fit_calibration(log_odds: Floats, targets: Floats, weights: Floats) -> tuple[float, float] | None:
    """Fits a map from log odds to the log odds of targets in [0, 1]: logistic regression (Platt, 1999).

    A target between 0 and 1 counts as a yes of that weight and a no of the rest. A slope that comes out below 0 is 0:
    the map never falls. Intercept and slope; None with fewer than ten answers, or where log odds or targets do not
    vary.
    """
    if len(log_odds) < _FEWEST_CALIBRATED or float(np.ptp(log_odds)) == 0 or float(np.ptp(targets)) == 0:
        return None
    from sklearn.linear_model import LogisticRegression  # takes a second to import

    fit = LogisticRegression(C=1e6, tol=1e-10, max_iter=5000)  # newton-cholesky warns where the targets are separated
    fit.fit(
        np.tile(log_odds, 2)[:, None],
        np.repeat([1, 0], len(targets)),
        np.r_[targets * weights, (1 - targets) * weights],
    )
    if (slope := float(fit.coef_[0, 0])) >= 0:
        return float(fit.intercept_[0]), slope
    share = float(targets @ weights / weights.sum())
    return float(np.log(share / (1 - share))), 0.0


def compare_candidates(
    table: ScoreTable, candidates: Mapping[str, Predict], *, permutations: int = 2000, seed: int = 0
) -> AlignmentResult:
    """Compares candidates with the judge as it is, and decides whether one is adopted.

    Whole groups are dealt into two halves, and each half into four folds; a candidate scores a fold, in [0, 1] with NaN
    for what it cannot score, after it learned from all other answers.
    The one that agrees best is adopted where it agrees with the ratings beyond chance and, beyond noise, either its
    Spearman is higher than that of the judge as it is or its squared error smaller. All candidates and both ways are
    one family of tests: the signs of whole groups are flipped for all at once, and the largest studentised statistic
    counts (`sign_flip_max_t`: Westfall and Young, 1993), so that where no candidate is better one is adopted in at most
    5%.
    """
    ratings = table.mean_rating
    shares = (ratings - table.rating_min) / (table.rating_max - table.rating_min)
    out_of_fold = {name: np.full(len(ratings), np.nan) for name in candidates}
    everything = np.arange(len(ratings))
    for half in grouped_folds(table.group_numbers, 2, seed=seed):
        for part in grouped_folds(table.group_numbers[half], _FOLDS, seed=seed):
            held_out = half[part]
            training = np.setdiff1d(everything, held_out)
            for name, predict in candidates.items():
                out_of_fold[name][held_out] = predict(training, held_out)
    before = out_of_fold[AS_IT_IS]
    rows = tuple(
        CandidateRow(
            name,
            _agreement(table, [values]),
            None if name == AS_IT_IS else _agreement(table, [values, before]),
            _mean_error(values, shares),
        )
        for name, values in out_of_fold.items()
    )
    chosen = max(rows, key=lambda row: -2 if row.spearman.value is None else round(row.spearman.value, 9))
    p_values = _p_values(table, out_of_fold, shares, permutations=permutations, seed=seed).get(chosen.name)
    is_adopted, reason = _decide(chosen, p_values)
    is_higher = is_adopted and p_values is not None and p_values[0] <= _ERROR
    gain = chosen.difference if is_higher else None
    if gain is not None and gain.half_width is not None:  # as a rule it is shown only where its interval lies above 0
        gain = estimate_winner(gain, quoted=(gain.half_width, 1.0))
    return AlignmentResult(rows, chosen.name, gain, min(p_values) if p_values else None, is_adopted, reason)


def _agreement(table: ScoreTable, columns: Sequence[Floats]) -> Estimate:
    """Spearman's rho of scores with the ratings, or of the first scores less that of the second, where all are."""
    scored = np.flatnonzero(~np.isnan(np.column_stack(columns)).any(axis=1))
    if len(scored) < FEWEST_ITEMS or any(np.ptp(values[scored]) == 0 for values in columns):
        return Estimate(None, n=len(scored), problem="too few scores, or all are equal")
    ratings, groups = table.mean_rating[scored], [table.groups[place] for place in scored]
    first, *others = [values[scored][:, None] for values in columns]
    if not others:
        return estimate_correlation(mean_spearman, first, ratings, groups)
    return estimate_rho_difference(first, others[0], ratings, groups)


def _mean_error(values: Floats, shares: Floats) -> float | None:
    known = ~np.isnan(values)
    return float(((values - shares)[known] ** 2).mean()) if known.any() else None


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
        ranks = [standard_ranks(values) for values in (after, old, rating)]
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


def _decide(chosen: CandidateRow, p_values: tuple[float, float] | None) -> tuple[bool, str]:
    if chosen.name == AS_IT_IS or p_values is None:
        return False, "nothing follows your ratings better than the judge as it is"
    if chosen.spearman.low is None or chosen.spearman.low <= 0:
        return False, "the best candidate does not follow your ratings beyond chance"
    p_higher, p_nearer = p_values
    if p_higher <= _ERROR:
        better = "follows your ratings better than the judge as it is"
        return True, f"{chosen.name} {better}, beyond noise ({format_p(p_higher)})"
    if p_nearer <= _ERROR:
        nearer = "follows your ratings no less than the judge as it is, and its scores lie nearer to them"
        return True, f"{chosen.name} {nearer}, beyond noise ({format_p(p_nearer)})"
    unsure = "looks best, but your ratings cannot tell it from the judge as it is"
    return False, f"{chosen.name} {unsure} ({format_p(p_higher)})"
