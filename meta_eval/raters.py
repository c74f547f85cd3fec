"""How far the raters agree: what a metric can reach at best, and whether one could stand in for a rater."""

import numpy as np

from ..presentation.figure import Figure
from .arrays import Floats, Places
from .bootstrap_statistics import spearman
from .correlation import FEWEST_ITEMS
from .estimate import Estimate, estimate
from .folds import grouped_folds
from .jackknife import Statistic
from .krippendorff import ordinal_alpha
from .results import AlternativeAnnotator, RaterCeiling, RaterPair, Raters
from .table import ScoreTable

SLIGHT_AGREEMENT = 0.2  # up to here Landis and Koch (1977) call agreement slight
_FEWEST_ITEMS_FOR_TEST = 30  # Calderon et al. ask for 30 items per rater
_FEWEST_RATERS_FOR_TEST = 3  # and for three raters: of two, neither can be called the better
_EXPERT_EPSILON = 0.2  # their cost-benefit allowance where the raters are experts


def agreement_of_raters(table: ScoreTable, *, level: float = 0.95, seed: int = 0) -> Raters | None:
    """Computes how far the raters of a table agree with each other, and which metrics could replace one.

    Args:
        table: Items with ratings by several raters.
        level: Confidence level, in (0, 1).
        seed: Seed of all randomness.

    Returns:
        Krippendorff's alpha, Cohen's kappas, the human ceiling and the alternative-annotator test; None where fewer
        than five items have two ratings.
    """
    rated = table.rated()
    has_two = (~np.isnan(rated.ratings)).sum(axis=1) >= 2
    if int(has_two.sum()) < FEWEST_ITEMS:
        return None
    shared = rated.take(np.flatnonzero(has_two))

    def with_interval(statistic: Statistic) -> Estimate:
        return estimate(statistic, shared.groups, scale="fisher", level=level)

    alpha, others = with_interval(ordinal_alpha(shared.ratings)), means_of_others(shared.ratings)
    by_rater = tuple(
        _rater_ceiling(rater, shared.ratings[:, place], others[:, place]) for place, rater in enumerate(shared.raters)
    )
    places = [place for place, rater in enumerate(by_rater) if rater.rho is not None]
    if places:
        ceiling = with_interval(_mean_ceiling(shared.ratings[:, places], others[:, places]))
    else:
        ceiling = Estimate(None, problem=f"no rater shares {FEWEST_ITEMS} answers with others")
    problem = _agreement_problem(alpha)
    return Raters(
        count=len(table.raters),
        items_rated_twice=len(shared.items),
        alpha=alpha,
        ceiling=ceiling,
        by_rater=by_rater,
        pairs=tuple(_rater_pairs(shared)),
        alternatives=tuple(alternative_annotator(shared, name, seed=seed) for name in table.metrics),
        validates=not problem,
        problem=problem,
    )


def _agreement_problem(alpha: Estimate) -> str:
    if alpha.value is None:
        return f"no metric can be validated here: the raters' agreement is {alpha.problem}"
    if alpha.value < SLIGHT_AGREEMENT or (alpha.low is not None and alpha.low <= 0):
        return f"raters hardly agree (alpha {Figure.from_estimate('rho', alpha)}): no metric can be validated here"
    return ""


def means_of_others(ratings: Floats) -> Floats:
    """Computes, for each rating, the mean of the other raters' ratings of the same item.

    Args:
        ratings: Ratings, (items, raters); NaN where one is missing.

    Returns:
        The means, (items, raters); NaN where no other rater rated the item.

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
    rho = float(spearman(own[has_both], others[has_both])(np.ones((n, 1)))[0])
    return RaterCeiling(rater, n, None if np.isnan(rho) else rho)


def _mean_ceiling(ratings: Floats, others: Floats) -> Statistic:
    """Prepares the mean over raters of Spearman between each and the mean of the others."""
    parts: list[tuple[Places, Statistic]] = []
    for own, rest in zip(ratings.T, others.T, strict=True):
        has_both = ~np.isnan(own) & ~np.isnan(rest)
        parts.append((np.flatnonzero(has_both), spearman(own[has_both], rest[has_both])))

    def means(weights: Floats) -> Floats:
        values: Floats = np.mean([statistic(weights[places]) for places, statistic in parts], axis=0)
        return values

    return means


def _rater_pairs(table: ScoreTable) -> list[RaterPair]:
    pairs = []
    for first, name in enumerate(table.raters):
        for second in range(first + 1, len(table.raters)):
            has_both = ~np.isnan(table.ratings[:, [first, second]]).any(axis=1)
            if not has_both.any():
                continue
            x, y = table.ratings[has_both][:, first], table.ratings[has_both][:, second]
            plain, quadratic = kappas(x, y, table.rating_min, table.rating_max)
            pairs.append(RaterPair(name, table.raters[second], len(x), plain, quadratic))
    return pairs


def kappas(x: Floats, y: Floats, lowest: float, highest: float) -> tuple[float | None, float | None]:
    """Computes Cohen's kappa, (p_o - p_e) / (1 - p_e), and the quadratic-weighted one (scikit-learn's).

    Whole ratings count as levels of the scale from lowest to highest, others as the levels that occur.

    Args:
        x: One rater's ratings, (items,).
        y: The other rater's ratings of the same items, (items,).
        lowest: The worst rating of the scale.
        highest: The best rating of the scale.

    Returns:
        kappa and quadratic-weighted kappa, both at most 1; None with fewer than five items, or where neither varies.

    Examples:
        Of six items five agree (p_o = 5/6); the shares of the levels 1 and 5 are 1/2, 1/2 and 2/3, 1/3, so p_e = 1/2
        and kappa = (5/6 - 1/2) / (1/2) = 2/3. With two levels the weights change nothing:

        >>> plain, quadratic = kappas(np.array([1.0, 1, 1, 5, 5, 5]), np.array([1.0, 1, 1, 1, 5, 5]), 1, 5)
        >>> round(plain, 4), round(quadratic, 4)
        (0.6667, 0.6667)
    """
    from sklearn.metrics import cohen_kappa_score

    if len(x) < FEWEST_ITEMS or (np.ptp(x) == 0 and np.ptp(y) == 0):
        return None, None
    values = np.concatenate([x, y])
    is_whole = bool((values == np.round(values)).all() and float(lowest).is_integer())
    levels = np.arange(lowest, highest + 1) if is_whole and highest - lowest <= 100 else np.unique(values)
    number_of = {level: number for number, level in enumerate(levels.tolist())}
    first, second = [number_of[value] for value in x.tolist()], [number_of[value] for value in y.tolist()]
    labels = list(range(len(levels)))
    plain = cohen_kappa_score(first, second, labels=labels)
    return float(plain), float(cohen_kappa_score(first, second, labels=labels, weights="quadratic"))


def alternative_annotator(
    table: ScoreTable, metric: str, *, epsilon: float = _EXPERT_EPSILON, q: float = 0.05, seed: int = 0
) -> AlternativeAnnotator:
    """Tests whether a metric could replace a rater: the alternative-annotator test.

    Each rater in turn is left out: on each of its items, is the metric as close to the other raters as this rater is,
    by root mean squared difference? A one-sided t-test asks whether the metric wins more often than the rater less
    epsilon; Benjamini-Yekutieli corrects for the number of raters (Calderon, Reichart and Dror, 2025). The metric is
    brought to the rating scale by `to_rating_scale`. Items without a score are left out.

    Args:
        table: Items with ratings by several raters.
        metric: The metric's name.
        epsilon: The allowance for what a metric saves; 0.2 where the raters are experts.
        q: The false discovery rate.
        seed: Seed of the folds that bring the metric to the rating scale.

    Returns:
        The winning rate and the mean advantage; without them, and with `problem`, where fewer than three raters share
        thirty items each.
    """
    from scipy.stats import false_discovery_control, ttest_1samp

    rescaled = to_rating_scale(table, table.column(metric), seed=seed)
    if rescaled is None:
        return AlternativeAnnotator(metric, 0, None, None, False, "too few scored answers")
    p_values, advantages = [], []
    for left_out in range(len(table.raters)):
        others = np.delete(table.ratings, left_out, axis=1)
        own = table.ratings[:, left_out]
        is_used = ~np.isnan(own) & ~np.isnan(rescaled) & ~np.isnan(others).all(axis=1)
        if int(is_used.sum()) < _FEWEST_ITEMS_FOR_TEST:
            continue
        metric_error, rater_error = (
            np.sqrt(np.nanmean((values[is_used, None] - others[is_used]) ** 2, axis=1)) for values in (rescaled, own)
        )
        metric_wins, rater_wins = metric_error <= rater_error, rater_error <= metric_error
        advantages.append(float(metric_wins.mean()))
        gap = rater_wins.astype(float) - metric_wins
        if np.ptp(gap) == 0:  # a t-test of values that are all equal is undefined
            p_values.append(float(gap[0] >= epsilon))
        else:
            p_values.append(float(ttest_1samp(gap, epsilon, alternative="less").pvalue))
    if len(p_values) < _FEWEST_RATERS_FOR_TEST:
        problem = (
            f"needs {_FEWEST_RATERS_FOR_TEST} raters with {_FEWEST_ITEMS_FOR_TEST} shared answers each; "
            f"{len(p_values)} have them"
        )
        return AlternativeAnnotator(metric, len(p_values), None, None, False, problem)
    rate = float(np.mean(false_discovery_control(p_values, method="by") <= q))
    return AlternativeAnnotator(metric, len(p_values), rate, float(np.mean(advantages)), rate >= 0.5)


def to_rating_scale(table: ScoreTable, values: Floats, *, seed: int = 0) -> Floats | None:
    """Brings values to the rating scale by isotonic regression on the mean rating, each fold of groups by the others.

    Args:
        table: A table whose items are all rated.
        values: The values to bring to the scale, more being better, (items,); NaN where an item has none.
        seed: Seed of the five folds.

    Returns:
        Expected ratings, (items,), NaN where the value was; None where the groups do not make two folds.
    """
    from sklearn.isotonic import IsotonicRegression

    scored = np.flatnonzero(~np.isnan(values))
    folds = grouped_folds(table.group_numbers[scored], 5, seed=seed)
    if len(folds) < 2:
        return None
    rescaled = np.full(len(values), np.nan)
    for held_out in folds:
        training = np.setdiff1d(scored, scored[held_out])
        regression = IsotonicRegression(y_min=table.rating_min, y_max=table.rating_max, out_of_bounds="clip")
        regression.fit(values[training], table.mean_rating[training])
        rescaled[scored[held_out]] = regression.predict(values[scored[held_out]])
    return rescaled
