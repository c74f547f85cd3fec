"""How Lassche et al. (2024, V-B) choose features, beside what that gives on data that did not choose."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from .agreement_statistics import mean_spearman
from .arrays import Floats, Places
from .correlation import correlation_problem
from .estimate import Estimate, estimate
from .folds import grouped_folds
from .results import PaperProcedure, PaperStep
from .subsets import fit_scale
from .table import ScoreTable

_LARGEST_P = 0.10
_FEWEST_AT_AN_END = 5


@dataclass(frozen=True, slots=True)
class _Choice:
    steps: tuple[PaperStep, ...]
    places: tuple[int, ...]


def paper_procedure(
    table: ScoreTable, *, repeats: int = 10, folds: int = 5, level: float = 0.95, seed: int = 0
) -> PaperProcedure | None:
    """Keeps the metrics that correlate or separate true from untrue answers, then ablates them (Lassche et al., V-B).

    A metric correlates where rho > 0 and p < 0.10. It separates where the five or more answers at its low end are all
    untrue (rated below the middle), or those at its high end all true. Ablation drops each metric by itself from the
    normalised sum of all that came so far, and keeps it if the correlation falls. Baselines take no part.

    Returns:
        The steps, what is kept, and its correlation in sample and out of fold; None without metrics or varied ratings.
    """
    rated = table.rated()
    names = tuple(name for name in rated.metrics if name not in rated.baselines)
    if not names or len(rated.items) < _FEWEST_AT_AN_END or float(np.ptp(rated.mean_rating)) == 0:
        return None
    scores = rated.only(names).oriented
    choice = _choose(names, scores, rated.mean_rating, rated.middle)
    rho, p = _sum_correlation(scores, choice.places, rated.mean_rating)
    predictions = np.zeros((len(rated.items), repeats))
    for repeat in range(repeats):
        for held_out in grouped_folds(rated.group_numbers, folds, seed=seed + repeat):
            training = np.setdiff1d(np.arange(len(rated.items)), held_out)
            places = _choose(names, scores[training], rated.mean_rating[training], rated.middle).places
            predictions[held_out, repeat] = _held_out_sum(scores, list(places), training, held_out)
    if (np.ptp(predictions, axis=0) == 0).any():
        out_of_fold = Estimate(None, problem="it keeps nothing in some part of the data")
    else:
        statistic = mean_spearman(predictions, rated.mean_rating)
        out_of_fold = estimate(statistic, rated.groups, scale="fisher", level=level)
    return PaperProcedure(choice.steps, tuple(names[place] for place in choice.places), rho, p, out_of_fold)


def _choose(names: tuple[str, ...], scores: Floats, ratings: Floats, middle: float) -> _Choice:
    correlations = [_correlation(column, ratings) for column in scores.T]
    reasons = [
        "correlation"
        if rho is not None and rho > 0 and p is not None and p < _LARGEST_P
        else "separates"
        if is_separating(column, ratings, middle)
        else ""
        for (rho, p), column in zip(correlations, scores.T, strict=True)
    ]
    candidates = tuple(place for place, reason in enumerate(reasons) if reason)
    with_all, _ = _sum_correlation(scores, candidates, ratings)
    without: dict[int, float | None] = {}
    for place in candidates:
        others = tuple(other for other in candidates if other != place)
        without[place] = _sum_correlation(scores, others, ratings)[0] if others else 0.0
    places = tuple(place for place in candidates if (without[place] or 0.0) < (with_all or 0.0))
    steps = tuple(
        PaperStep(name, *correlations[place], reasons[place], without.get(place), place in places)
        for place, name in enumerate(names)
    )
    return _Choice(steps, places)


def is_separating(values: Floats, ratings: Floats, middle: float) -> bool:
    """Whether at least five answers at the low end are all untrue, or at the high end all true (Lassche et al., V-B).

    Examples:
        The five lowest values are all of answers rated 1, and the next of one rated 5:

        >>> is_separating(np.arange(8.0), np.array([1.0, 1, 1, 1, 1, 5, 1, 5]), 3)
        True
        >>> is_separating(np.arange(8.0), np.array([1.0, 1, 1, 1, 5, 1, 1, 5]), 3)
        False
    """
    is_scored = ~np.isnan(values)
    x, y = values[is_scored], ratings[is_scored]
    if len(x) < _FEWEST_AT_AN_END or np.ptp(x) == 0:
        return False
    lowest_not_untrue = np.min(x[y >= middle], initial=np.inf)
    highest_not_true = np.max(x[y <= middle], initial=-np.inf)
    return bool((x < lowest_not_untrue).sum() >= _FEWEST_AT_AN_END or (x > highest_not_true).sum() >= _FEWEST_AT_AN_END)


def _correlation(values: Floats, ratings: Floats) -> tuple[float | None, float | None]:
    is_scored = ~np.isnan(values)
    x, y = values[is_scored], ratings[is_scored]
    if correlation_problem(x, y):
        return None, None
    result = stats.spearmanr(x, y)
    return float(result.statistic), float(result.pvalue)


def _sum_correlation(scores: Floats, places: tuple[int, ...], ratings: Floats) -> tuple[float | None, float | None]:
    if not places:
        return None, None
    columns = scores[:, list(places)]
    return _correlation(fit_scale(columns, "sum")(columns).sum(axis=1), ratings)


def _held_out_sum(scores: Floats, places: list[int], training: Places, held_out: Places) -> Floats:
    if not places:
        return np.zeros(len(held_out))
    scale = fit_scale(scores[training][:, places], "sum")
    spread = float(scale(scores[training][:, places]).sum(axis=1).std()) or 1.0
    sums: Floats = scale(scores[held_out][:, places]).sum(axis=1) / spread
    return sums
