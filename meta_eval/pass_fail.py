"""Pass and fail: each metric at its threshold against people."""

from dataclasses import dataclass

import numpy as np

from ..text.wording import count_of
from .arrays import Bools, Floats, Places
from .correlation import FEWEST_ITEMS, estimate_correlation
from .estimate import Estimate, estimate_share
from .groups import Statistic, cross_predict
from .table import ScoreTable

_FOLDS = 5
_MOST_THRESHOLDS = 50


@dataclass(frozen=True, slots=True)
class PassFail:
    """A metric that passes answers or fails them, beside people: those rated below the middle fail."""

    # the metric passes what is at or above it (at or below it where lower is better); None where it cannot be told
    threshold: float | None
    n: int
    true_positive: int  # people and the metric pass them
    false_positive: int  # the metric passes them, and people do not
    false_negative: int  # people pass them, and the metric does not
    true_negative: int
    sensitivity: Estimate  # the share that the metric passes of what people pass
    specificity: Estimate  # the share that it fails of what people fail
    precision: Estimate  # the share that people pass of what it passes
    kappa: Estimate  # Cohen's kappa: agreement beyond chance, 0 of a metric that says the same of every answer
    problem: str = ""


def pass_fail_agreement(table: ScoreTable, *, seed: int = 0) -> dict[str, PassFail]:
    """Compares each metric at its threshold with people, on the rated answers that it scored.

    Of a metric with two values the threshold lies between them. One that says the same of every answer has kappa 0. Of
    others it is the one with the highest kappa: each
    fold of groups is judged by the threshold of the others, so that no figure is of answers that chose it; what stands
    as the threshold is that of all answers.
    """
    rated = table.rated()
    return {name: _compare(rated, name, seed) for name in rated.metrics}


def _compare(rated: ScoreTable, name: str, seed: int) -> PassFail:
    values = rated.column(name)
    places = np.flatnonzero(~np.isnan(values))
    part, values = rated.take(places), values[places]
    passes, groups = part.mean_rating >= part.middle, part.group_numbers
    levels = len(np.unique(values))
    if problem := _problem(passes, levels):
        missing = Estimate(None, n=len(places), problem=problem)
        return PassFail(None, len(places), 0, 0, 0, 0, missing, missing, missing, missing, problem)
    # what says the same of every answer passes all of them, but for a check that says 0
    same = 0.5 if values[0] in {0.0, 1.0} else float(values[0])
    threshold = choose_threshold(values, passes) if levels > 1 else same
    is_passed = values >= threshold
    if levels > 2:

        def choose(training: Places, others: Places) -> Floats:
            return np.full(len(others), choose_threshold(values[training], passes[training]))

        chosen = cross_predict(choose, groups, _FOLDS, seed=seed)
        is_passed = values >= np.where(np.isnan(chosen), threshold, chosen)  # of one group there is no other to choose

    def share(of: Bools, holds: Bools) -> Estimate:
        return estimate_share(holds[of], groups[of])

    return PassFail(
        threshold if rated.directions[name] else -threshold,
        len(values),
        int((is_passed & passes).sum()),
        int((is_passed & ~passes).sum()),
        int((~is_passed & passes).sum()),
        int((~is_passed & ~passes).sum()),
        sensitivity=share(passes, is_passed),
        specificity=share(~passes, ~is_passed),
        precision=share(is_passed, passes),
        kappa=estimate_correlation(cohen_kappa, is_passed.astype(float)[:, None], passes.astype(float), part.groups),
    )


def _problem(passes: Bools, levels: int) -> str:
    """Why there is no threshold; empty where there is one."""
    if len(passes) < FEWEST_ITEMS:
        return f"only {count_of(len(passes), 'rated score')}"
    if levels > 2 and (passes.all() or not passes.any()):
        return f"people {'pass' if passes.any() else 'fail'} all answers, so that there is no threshold to choose"
    return ""


def choose_threshold(values: Floats, passes: Bools) -> float:
    """Finds the threshold with the highest kappa, half-way between two values; the lowest of equals.

    Examples:
        >>> choose_threshold(np.array([0.1, 0.2, 0.6, 0.9]), np.array([False, False, True, True]))
        0.4
    """
    levels = np.unique(values)
    if len(levels) > _MOST_THRESHOLDS:
        levels = np.unique(np.quantile(values, np.linspace(0, 1, _MOST_THRESHOLDS), method="nearest"))
    if len(levels) < 2:
        return float(levels[0])
    thresholds = (levels[1:] + levels[:-1]) / 2
    is_passed = values[:, None] >= thresholds
    share, of_people = is_passed.mean(axis=0), passes.mean()
    observed = (is_passed == passes[:, None]).mean(axis=0)
    expected = share * of_people + (1 - share) * (1 - of_people)
    kappas = np.divide(observed - expected, 1 - expected, out=np.zeros(len(share)), where=expected < 1)
    return float(thresholds[np.argmax(kappas.round(9))])


def cohen_kappa(x: Floats, y: Floats) -> Statistic:
    """Prepares Cohen's kappa, (p_o - p_e) / (1 - p_e), of 0 and 1 (items, 1) with 0 and 1 (items,)."""
    first, same = x[:, 0], (x[:, 0] == y).astype(float)

    def kappas(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        observed, one, other = same @ weights / total, first @ weights / total, y @ weights / total
        expected = one * other + (1 - one) * (1 - other)
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Floats = np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)
        return result

    return kappas
