"""The paper's way of choosing features (001, V-B), as it stands, beside what it gives on data that did not choose."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from .arrays import Floats, Places
from .bootstrap_statistics import mean_spearman
from .estimate import Estimate, estimate
from .folds import grouped_folds
from .results import PaperProcedure, PaperStep
from .subsets import fit_scale
from .table import ScoreTable

_MOST_P = 0.10
_FEWEST_AT_AN_END = 5


@dataclass(frozen=True, slots=True)
class _Choice:
    steps: tuple[PaperStep, ...]
    kept: tuple[int, ...]


def paper_procedure(
    table: ScoreTable, *, repeats: int = 10, folds: int = 5, resamples: int, level: float = 0.95, seed: int = 0
) -> PaperProcedure | None:
    """Features that correlate (rho > 0, p < 0.10) or separate some true from untrue answers, then ablation.

    A feature separates some when the five or more answers at its low end are all untrue (rated below the middle), or
    those at its high end all true. Ablation drops each feature by itself from the normalised sum of all that came
    so far, and keeps it if the correlation falls. Baselines take no part. None without metrics or varied ratings.
    """
    rated = table.rated()
    names = tuple(name for name in rated.metrics if name not in rated.baselines)
    if not names or len(rated.items) < _FEWEST_AT_AN_END or float(np.ptp(rated.mean_rating)) == 0:
        return None
    scores = rated.only(names).oriented
    choice = _choose(names, scores, rated.mean_rating, rated.middle)
    rho, p = _sum_against(scores, choice.kept, rated.mean_rating)
    predicted = np.zeros((len(rated.items), repeats))
    for repeat in range(repeats):
        for held_out in grouped_folds(rated.group_numbers, folds, seed=seed + repeat):
            training = np.setdiff1d(np.arange(len(rated.items)), held_out)
            kept = list(_choose(names, scores[training], rated.mean_rating[training], rated.middle).kept)
            predicted[held_out, repeat] = _held_out_sum(scores, kept, training, held_out)
    if (np.ptp(predicted, axis=0) == 0).any():
        told = Estimate(None, problem="it keeps nothing in some part of the data")
    else:
        statistic = mean_spearman(predicted, rated.mean_rating)
        told = estimate(statistic, rated.groups, resamples=resamples, level=level, seed=seed)
    return PaperProcedure(choice.steps, tuple(names[place] for place in choice.kept), rho, p, told)


def _choose(names: tuple[str, ...], scores: Floats, ratings: Floats, middle: float) -> _Choice:
    found = [_correlates(column, ratings) for column in scores.T]
    reasons = [
        "correlation"
        if rho is not None and rho > 0 and p is not None and p < _MOST_P
        else "separates"
        if separates(column, ratings, middle)
        else ""
        for (rho, p), column in zip(found, scores.T, strict=True)
    ]
    entered = tuple(place for place, reason in enumerate(reasons) if reason)
    together, _ = _sum_against(scores, entered, ratings)
    ablated: dict[int, float | None] = {}
    for place in entered:
        others = tuple(other for other in entered if other != place)
        ablated[place] = _sum_against(scores, others, ratings)[0] if others else 0.0
    kept = tuple(place for place in entered if (ablated[place] or 0.0) < (together or 0.0))
    steps = tuple(
        PaperStep(name, *found[place], reasons[place], ablated.get(place), place in kept)
        for place, name in enumerate(names)
    )
    return _Choice(steps, kept)


def separates(values: Floats, ratings: Floats, middle: float) -> bool:
    """Whether at least five answers at the low end are all untrue, or at the high end all true."""
    scored = ~np.isnan(values)
    x, y = values[scored], ratings[scored]
    if len(x) < _FEWEST_AT_AN_END or np.ptp(x) == 0:
        return False
    first_not_untrue = np.min(x[y >= middle], initial=np.inf)
    last_not_true = np.max(x[y <= middle], initial=-np.inf)
    return bool((x < first_not_untrue).sum() >= _FEWEST_AT_AN_END or (x > last_not_true).sum() >= _FEWEST_AT_AN_END)


def _correlates(values: Floats, ratings: Floats) -> tuple[float | None, float | None]:
    scored = ~np.isnan(values)
    x, y = values[scored], ratings[scored]
    if len(x) < _FEWEST_AT_AN_END or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None, None
    found = stats.spearmanr(x, y)
    return float(found.statistic), float(found.pvalue)


def _sum_against(scores: Floats, kept: tuple[int, ...], ratings: Floats) -> tuple[float | None, float | None]:
    if not kept:
        return None, None
    columns = scores[:, list(kept)]
    return _correlates(fit_scale(columns, "sum")(columns).sum(axis=1), ratings)


def _held_out_sum(scores: Floats, kept: list[int], training: Places, held_out: Places) -> Floats:
    if not kept:
        return np.zeros(len(held_out))
    scale = fit_scale(scores[training][:, kept], "sum")
    spread = float(scale(scores[training][:, kept]).sum(axis=1).std()) or 1.0
    found: Floats = scale(scores[held_out][:, kept]).sum(axis=1) / spread
    return found
