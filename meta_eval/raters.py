"""How far the raters agree: what a metric can reach at best, and whether one could stand in for a rater."""

import numpy as np

from .arrays import Floats, Places
from .bootstrap import Statistic
from .bootstrap_statistics import spearman
from .estimate import Estimate, estimate
from .folds import grouped_folds
from .results import AlternativeAnnotator, RaterCeiling, RaterPair, Raters
from .table import ScoreTable

FEWEST_SHARED = 5
HARDLY = 0.2  # below it Landis and Koch (1977) call agreement slight
_FEWEST_FOR_TEST = 30  # Calderon et al. ask 30 instances of a rater
_FEWEST_RATERS = 3  # and three raters: with two, neither is better than the other
_EPSILON = 0.2  # their cost-benefit allowance where the raters are experts


def agreement_of_raters(table: ScoreTable, *, resamples: int, level: float = 0.95, seed: int = 0) -> Raters | None:
    """Krippendorff's alpha, kappas, the human ceiling and the alternative-annotator test; None without two raters."""
    rated = table.rated()
    twice = (~np.isnan(rated.ratings)).sum(axis=1) >= 2
    if int(twice.sum()) < FEWEST_SHARED:
        return None
    shared = rated.take(np.flatnonzero(twice))

    def told(statistic: Statistic) -> Estimate:
        return estimate(statistic, shared.groups, resamples=resamples, level=level, seed=seed)

    alpha, others = told(ordinal_alpha(shared.ratings)), means_of_others(shared.ratings)
    by_rater = tuple(
        _against_the_others(rater, shared.ratings[:, place], others[:, place])
        for place, rater in enumerate(shared.raters)
    )
    counting = [place for place, rater in enumerate(by_rater) if rater.rho is not None]
    ceiling = (
        told(_mean_ceiling(shared.ratings[:, counting], others[:, counting]))
        if counting
        else Estimate(None, problem=f"no rater shares {FEWEST_SHARED} answers with others")
    )
    problem = _too_little(alpha)
    return Raters(
        count=len(table.raters),
        items_rated_twice=len(shared.items),
        alpha=alpha,
        ceiling=ceiling,
        by_rater=by_rater,
        pairs=tuple(_pairs(shared)),
        alternatives=tuple(alternative_annotator(shared, name, seed=seed) for name in table.metrics),
        validates=not problem,
        problem=problem,
    )


def _too_little(alpha: Estimate) -> str:
    if alpha.value is None:
        return f"no metric can be validated here: the raters' agreement is {alpha.problem}"
    if alpha.value < HARDLY or (alpha.low is not None and alpha.low <= 0):
        interval = "" if alpha.low is None else f" [{alpha.low:.2f}, {alpha.high:.2f}]"
        return f"raters hardly agree (alpha {alpha.value:.2f}{interval}): no metric can be validated here"
    return ""


def ordinal_alpha(ratings: Floats) -> Statistic:
    """Krippendorff's alpha for ordinal data (items x raters, NaN missing): 1 - D_o / D_e.

    The squared difference of levels c < k is (n_c / 2 + n_between + n_k / 2)^2, n the ratings at a level
    (Krippendorff, 2011, "Computing Krippendorff's Alpha-Reliability"): the squared distance of the levels' mean
    ranks, from which both sums follow without a matrix of levels. By hand, because the package `krippendorff` is
    GPL-3 and takes no weights.
    """
    levels = np.unique(ratings[~np.isnan(ratings)])
    counts = (ratings[:, :, None] == levels).sum(axis=1).astype(float)  # items x levels
    of_item = counts.sum(axis=1)
    counts = counts * (of_item >= 2)[:, None]
    share = 1 / np.maximum(of_item - 1, 1)

    def alphas(weights: Floats) -> Floats:
        at_level = counts.T @ weights
        ranks = np.cumsum(at_level, axis=0) - at_level / 2
        total = at_level.sum(axis=0)
        squares = (at_level * ranks**2).sum(axis=0)
        within = (weights * share[:, None] * ((counts @ ranks) ** 2 - counts @ ranks**2)).sum(axis=0)
        observed = squares - within
        expected = total * squares - ((at_level * ranks).sum(axis=0)) ** 2
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = np.where(expected > 1e-9, 1 - (total - 1) * observed / expected, np.nan)
        return found

    return alphas


def means_of_others(ratings: Floats) -> Floats:
    """For each rating, the mean of the other raters' of the same item (items x raters); NaN without another."""
    given = ~np.isnan(ratings)
    filled = np.where(given, ratings, 0.0)
    others = given.sum(axis=1, keepdims=True) - given
    rest = filled.sum(axis=1, keepdims=True) - filled
    found = np.full(ratings.shape, np.nan)
    np.divide(rest, others, out=found, where=others > 0)
    return found


def _against_the_others(rater: str, own: Floats, others: Floats) -> RaterCeiling:
    both = ~np.isnan(own) & ~np.isnan(others)
    number = int(both.sum())
    if number < FEWEST_SHARED:
        return RaterCeiling(rater, number, None)
    rho = float(spearman(own[both], others[both])(np.ones((number, 1)))[0])
    return RaterCeiling(rater, number, None if np.isnan(rho) else rho)


def _mean_ceiling(ratings: Floats, others: Floats) -> Statistic:
    """The mean over raters of Spearman between each and the mean of the others."""
    parts: list[tuple[Places, Statistic]] = []
    for own, rest in zip(ratings.T, others.T, strict=True):
        both = ~np.isnan(own) & ~np.isnan(rest)
        parts.append((np.flatnonzero(both), spearman(own[both], rest[both])))

    def means(weights: Floats) -> Floats:
        found: Floats = np.mean([of_rater(weights[places]) for places, of_rater in parts], axis=0)
        return found

    return means


def _pairs(table: ScoreTable) -> list[RaterPair]:
    found = []
    for first, name in enumerate(table.raters):
        for second in range(first + 1, len(table.raters)):
            both = ~np.isnan(table.ratings[:, [first, second]]).any(axis=1)
            if not both.any():
                continue
            x, y = table.ratings[both][:, first], table.ratings[both][:, second]
            plain, squared = kappas(x, y, table.rating_min, table.rating_max)
            found.append(RaterPair(name, table.raters[second], len(x), plain, squared))
    return found


def kappas(x: Floats, y: Floats, lowest: float, highest: float) -> tuple[float | None, float | None]:
    """Cohen's kappa and the quadratic-weighted one (scikit-learn's); None where too few or undefined.

    Whole ratings count as levels of the scale from lowest to highest, others as the levels that occur.
    """
    from sklearn.metrics import cohen_kappa_score

    if len(x) < FEWEST_SHARED or (np.ptp(x) == 0 and np.ptp(y) == 0):
        return None, None
    values = np.concatenate([x, y])
    whole = bool((values == np.round(values)).all() and float(lowest).is_integer())
    levels = np.arange(lowest, highest + 1) if whole and highest - lowest <= 100 else np.unique(values)
    place = {level: number for number, level in enumerate(levels.tolist())}
    a, b = [place[value] for value in x.tolist()], [place[value] for value in y.tolist()]
    known = list(range(len(levels)))
    plain = cohen_kappa_score(a, b, labels=known)
    return float(plain), float(cohen_kappa_score(a, b, labels=known, weights="quadratic"))


def alternative_annotator(
    table: ScoreTable, metric: str, *, epsilon: float = _EPSILON, q: float = 0.05, seed: int = 0
) -> AlternativeAnnotator:
    """The alternative-annotator test (Calderon, Reichart and Dror, 2025): could the metric replace a rater?

    Each rater in turn is left out: on each of its items, is the metric as close to the other raters as it is, by root
    mean squared difference? A one-sided t-test asks whether the metric wins more often than the rater less epsilon
    (0.2, raters being experts); Benjamini-Yekutieli over the raters at q. The metric is brought to the rating scale by
    isotonic regression on the mean rating, each fold of groups by the others. Items without a score are left out.
    """
    from scipy.stats import false_discovery_control, ttest_1samp

    told = to_rating_scale(table, table.column(metric), seed=seed)
    if told is None:
        return AlternativeAnnotator(metric, 0, None, None, False, "too few scored answers")
    p_values, advantages = [], []
    for left_out in range(len(table.raters)):
        others = np.delete(table.ratings, left_out, axis=1)
        own = table.ratings[:, left_out]
        used = ~np.isnan(own) & ~np.isnan(told) & ~np.isnan(others).all(axis=1)
        if int(used.sum()) < _FEWEST_FOR_TEST:
            continue
        by_metric, by_rater = (
            np.sqrt(np.nanmean((values[used, None] - others[used]) ** 2, axis=1)) for values in (told, own)
        )
        metric_wins, rater_wins = by_metric <= by_rater, by_rater <= by_metric
        advantages.append(float(metric_wins.mean()))
        gap = rater_wins.astype(float) - metric_wins
        same = bool(np.ptp(gap) == 0)
        p_values.append(
            float(gap[0] >= epsilon) if same else float(ttest_1samp(gap, epsilon, alternative="less").pvalue)
        )
    if len(p_values) < _FEWEST_RATERS:
        problem = (
            f"needs {_FEWEST_RATERS} raters with {_FEWEST_FOR_TEST} shared answers each; {len(p_values)} have them"
        )
        return AlternativeAnnotator(metric, len(p_values), None, None, False, problem)
    rate = float(np.mean(false_discovery_control(p_values, method="by") <= q))
    return AlternativeAnnotator(metric, len(p_values), rate, float(np.mean(advantages)), rate >= 0.5)


def to_rating_scale(table: ScoreTable, values: Floats, *, seed: int = 0) -> Floats | None:
    """Values brought to the rating scale by isotonic regression, each fold of groups by the others; NaN stays.

    None where fewer than two folds of rated values can be made.
    """
    from sklearn.isotonic import IsotonicRegression

    scored = np.flatnonzero(~np.isnan(values))
    folds = grouped_folds(table.group_numbers[scored], 5, seed=seed)
    if len(folds) < 2:
        return None
    found = np.full(len(values), np.nan)
    for held_out in folds:
        training = np.setdiff1d(scored, scored[held_out])
        fitted = IsotonicRegression(y_min=table.rating_min, y_max=table.rating_max, out_of_bounds="clip")
        fitted.fit(values[training], table.mean_rating[training])
        found[scored[held_out]] = fitted.predict(values[scored[held_out]])
    return found
