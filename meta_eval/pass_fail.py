"""Pass and fail: each metric at its threshold against people, and how often repeated trials of a question pass."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..text.wording import count_of
from .arrays import Bools, Floats, Places, shortest_cut
from .correlation import FEWEST_ITEMS, estimate_correlation
from .estimate import Estimate, estimate_mean_of_groups, estimate_share
from .groups import FEWEST_GROUPS, Statistic, cross_predict
from .table import ScoreTable

_FOLDS = 5
_MOST_THRESHOLDS = 50
_SHARES = 3  # of the figures: sensitivity, specificity, precision
_MOST_TRIALS = 8  # pass^k is told up to so many trials


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
    kappa: Estimate  # Cohen's kappa, out of fold: agreement beyond chance, 0 where the metric says the same of all
    ac2: Estimate  # Gwet's AC2, out of fold, which stays high where people pass nearly all
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Trials:
    """How often repeated trials pass: the answers of one version to one question, asked again and again."""

    version: str  # "" where there is one only
    by: str  # what says whether an answer passes: `ratings`, or a metric at its threshold
    questions: int  # how many questions have two trials or more
    trials: int  # how many answers these are
    pass_rate: Estimate  # the share of trials that pass, each question counting alike
    # by k, pass^k: the chance that k trials of a question all pass, over the questions with as many
    pass_all: dict[int, Estimate]


def pass_fail_agreement(table: ScoreTable, *, seed: int = 0) -> dict[str, PassFail]:
    """Compares each metric at its threshold with people, on the rated answers that it scored.

    Of a metric with two values the threshold lies between them. One that says the same of every answer has kappa 0. Of
    others it is the one with the highest kappa on all answers. Counts and shares are those at the threshold. Kappa and
    AC2, which it was chosen for, would look too high: each fold of groups is judged by the threshold of the others.
    Thresholds may lie far apart where scores say little, so that an interval reaches as far as that of the figure at
    the threshold, and as that out of fold.
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
        return PassFail(None, len(places), 0, 0, 0, 0, missing, missing, missing, missing, missing, problem)
    # what says the same of every answer passes all of them, but for a check that says 0
    same = 0.5 if values[0] in {0.0, 1.0} else float(values[0])
    threshold = shortest_cut(values, choose_threshold(values, passes) if levels > 1 else same)
    is_passed = values >= threshold
    figures = _figures(is_passed, passes, part)
    if levels > 2:

        def choose(training: Places, others: Places) -> Floats:
            return np.full(len(others), choose_threshold(values[training], passes[training]))

        chosen = cross_predict(choose, groups, _FOLDS, seed=seed)
        by_others = values >= np.where(np.isnan(chosen), threshold, chosen)  # of one group there is no other to choose
        out_of_fold = _figures(by_others, passes, part)
        shares = map(_extend, figures[:_SHARES], out_of_fold)
        figures = [*shares, *map(_extend, out_of_fold[_SHARES:], figures[_SHARES:])]
    sensitivity, specificity, precision, kappa, ac2 = figures
    return PassFail(
        threshold if rated.directions[name] else -threshold,
        len(values),
        int((is_passed & passes).sum()),
        int((is_passed & ~passes).sum()),
        int((~is_passed & passes).sum()),
        int((~is_passed & ~passes).sum()),
        sensitivity,
        specificity,
        precision,
        kappa,
        ac2,
    )


def _figures(is_passed: Bools, passes: Bools, part: ScoreTable) -> list[Estimate]:
    """Sensitivity, specificity, precision, kappa and AC2 of a metric that passes some answers, beside people."""
    groups = part.group_numbers
    shares = ((passes, is_passed), (~passes, ~is_passed), (is_passed, passes))
    own, of_people = is_passed.astype(float)[:, None], passes.astype(float)
    return [
        *(estimate_share(holds[of], groups[of]) for of, holds in shares),
        *(estimate_correlation(one, own, of_people, part.groups) for one in (cohen_kappa, gwet_ac2)),
    ]


def _extend(figure: Estimate, other: Estimate) -> Estimate:
    """A figure whose interval, and p, reach as far as those of another; where one has none, it stays as it is."""
    if figure.low is None or figure.high is None or other.low is None or other.high is None:
        return figure
    p = None if figure.p is None or other.p is None else max(figure.p, other.p)
    return replace(figure, low=min(figure.low, other.low), high=max(figure.high, other.high), p=p)


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
    """Prepares Cohen's kappa of 0 and 1 (items, 1) with 0 and 1 (items,), whose chance is that of both shares."""
    return _beyond_chance(x[:, 0], y, lambda one, other: one * other + (1 - one) * (1 - other))


def gwet_ac2(x: Floats, y: Floats) -> Statistic:
    """Prepares Gwet's AC2 of 0 and 1, which is his AC1: its chance falls to 0 where nearly all are alike.

    Source: Gwet (2008), "Computing inter-rater reliability and its variance in the presence of high agreement".
    """
    return _beyond_chance(x[:, 0], y, lambda one, other: (one + other) * (1 - (one + other) / 2))


def _beyond_chance(x: Floats, y: Floats, by_chance: Callable[[Floats, Floats], Floats]) -> Statistic:
    """Prepares (p_o - p_e) / (1 - p_e), p_e being worked out from the two shares of 1; NaN where p_e is 1."""
    same = (x == y).astype(float)

    def coefficients(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        observed, expected = same @ weights / total, by_chance(x @ weights / total, y @ weights / total)
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Floats = np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)
        return result

    return coefficients


def repeated_trials(table: ScoreTable, agreement: dict[str, PassFail]) -> tuple[Trials, ...]:
    """Finds how often repeated trials pass, by version: by people's ratings, and by each metric at its threshold.

    Rows of one question and one version are trials of it, unless all have the same answer. pass^k is the chance that k
    of them all pass: of a question of whose n trials c pass, the share C(c, k) / C(n, k) of all sets of k, and of all
    questions their mean (Yao and others, 2024, "tau-bench"). What is not known is left out. Returns one row per version
    and judge of the trials; empty where fewer than five questions have two trials.
    """
    passing = {"ratings": (table.mean_rating, table.middle)}
    for name, one in agreement.items():
        if one.threshold is not None and name not in table.baselines:
            passing[name] = (table.column(name), one.threshold if table.directions[name] else -one.threshold)
    once = table.answered_once
    pairs = zip(table.items, table.questions, strict=True)
    is_trial = np.array([question != "" and item not in once for item, question in pairs], bool)
    versions = np.asarray(table.versions, dtype=object)
    return tuple(
        trials
        for version in sorted(set(table.versions))
        for by, (values, threshold) in passing.items()
        for known in [np.flatnonzero((versions == version) & ~np.isnan(values) & is_trial)]
        for trials in _trials(table, version, by, known, values[known] >= threshold)
    )


def _trials(table: ScoreTable, version: str, by: str, places: Places, passes: Bools) -> Iterator[Trials]:
    """The trials among these places; none of too few questions with two to say how much questions differ."""
    _, first, number = np.unique(np.array(table.questions)[places], return_index=True, return_inverse=True)
    counts, passed = np.bincount(number), np.bincount(number, weights=passes)
    group_of = table.group_numbers[places][first]

    def mean(shares: Floats, chosen: Bools) -> Estimate:
        groups = np.unique(group_of[chosen], return_inverse=True)[1]
        sums = np.asarray(np.bincount(groups, weights=shares[chosen]), float)
        return estimate_mean_of_groups(sums, np.bincount(groups), bounds=(0.0, 1.0))

    repeated = counts >= 2
    if repeated.sum() < FEWEST_GROUPS:
        return
    pass_all, shares = {}, passed / counts
    for k in range(2, min(int(counts.max()), _MOST_TRIALS) + 1):
        # C(c, k) / C(n, k) from that of k - 1
        shares = shares * np.maximum(passed - k + 1, 0) / np.maximum(counts - k + 1, 1)
        pass_all[k] = mean(shares, counts >= k)
    pass_rate = mean(passed / counts, repeated)
    yield Trials(version, by, int(repeated.sum()), int(counts[repeated].sum()), pass_rate, pass_all)
