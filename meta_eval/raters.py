"""How far the raters agree, whether too few answers have two ratings to tell, and whether a metric could stand in."""

import math

import numpy as np

from ..presentation.figure import Figure
from ..text.wording import count_of
from .arrays import Floats, Places
from .correlation import FEWEST_ITEMS
from .estimate import Estimate, estimate, variance_of_group_mean
from .folds import grouped_folds
from .gwet import ordinal_ac2
from .jackknife import FEWEST_GROUPS
from .krippendorff import ordinal_alpha
from .rater_ceiling import estimate_ceiling, rater_ceilings
from .results import AlternativeAnnotator, RaterPair, Raters, RaterVerdict
from .table import ScoreTable

SLIGHT_AGREEMENT = 0.2  # up to here Landis and Koch (1977) call agreement slight
MODERATE_AGREEMENT = 0.4  # from here on they call it moderate
_FEWEST_TELLING = 15  # with fewer answers that are not all rated alike, alpha's interval is too short
_LARGEST_ALPHA = 0.999  # Fisher's z of 1 is infinite
_MOST_LEVELS = 100
_FEWEST_ITEMS_FOR_TEST = 30  # Calderon et al. ask for 30 items per rater
_FEWEST_RATERS_FOR_TEST = 3  # and for three raters: of two, neither can be called the better
_NO_SPREAD = 1e-15
_EXPERT_EPSILON = 0.2  # their cost-benefit allowance where the raters are experts


def agreement_of_raters(table: ScoreTable, *, level: float = 0.95, seed: int = 0) -> Raters | None:
    """Computes how far the raters of a table agree with each other, and which metrics could replace one.

    They hardly agree where the evidence says so: Krippendorff's alpha is below 0.2 (slight, as Landis and Koch, 1977,
    call it) and the upper end of its interval below 0.4 (moderate), with 15 or more shared items that have a rating
    other than the most common one. They agree where alpha is 0.2 or more and its interval above 0. Everything else is
    too few shared items to tell. Where nearly all ratings are alike alpha is low although raters agree on nearly every
    item (the paradox of Feinstein and Cicchetti, 1990): the 15 items keep that from being called disagreement, and
    Gwet's AC2 stands beside alpha.

    Returns:
        The two coefficients, the verdict, Cohen's kappas, the ceiling and the alternative-annotator test; None where
        fewer than five items have two ratings.
    """
    rated = table.rated()
    has_two = (~np.isnan(rated.ratings)).sum(axis=1) >= 2
    if int(has_two.sum()) < FEWEST_ITEMS:
        return None
    shared = rated.take(np.flatnonzero(has_two))
    levels = rating_levels(shared.ratings, table.rating_min, table.rating_max)
    alpha, ac2 = (
        estimate(statistic, shared.groups, scale="fisher", level=level)
        for statistic in (ordinal_alpha(shared.ratings), ordinal_ac2(shared.ratings, levels))
    )
    by_rater, one_rater = rater_ceilings(shared, level=level)
    verdict, more_answers, problem = _judge_agreement(shared.ratings, alpha, ac2)
    return Raters(
        count=len(table.raters),
        items_rated_twice=len(shared.items),
        alpha=alpha,
        ac2=ac2,
        verdict=verdict,
        more_answers=more_answers,
        problem=problem,
        ceiling=estimate_ceiling(rated, level=level),
        one_rater=one_rater,
        by_rater=by_rater,
        pairs=tuple(_rater_pairs(shared)),
        alternatives=tuple(alternative_annotator(shared, name, seed=seed) for name in table.metrics),
    )


def _judge_agreement(ratings: Floats, alpha: Estimate, ac2: Estimate) -> tuple[RaterVerdict, int | None, str]:
    """The verdict, how many more items would tell, and what to say of it."""
    values, counts = np.unique(ratings[~np.isnan(ratings)], return_counts=True)
    common = float(values[counts.argmax()])
    items, telling = len(ratings), int((~np.isnan(ratings) & (ratings != common)).any(axis=1).sum())
    shown = f"alpha {Figure.from_estimate('rho', alpha)} on {count_of(items, 'answer')}"
    # as many as have 15 with other ratings, at the share so far (Laplace's rule, so that it is never 0)
    needed = _FEWEST_TELLING * (items + 2) / (telling + 1) if telling < _FEWEST_TELLING else items
    if alpha.value is not None and alpha.low is not None and alpha.high is not None:
        if alpha.value >= SLIGHT_AGREEMENT and alpha.low > 0:
            return "agree", None, ""
        if alpha.value < SLIGHT_AGREEMENT and alpha.high < MODERATE_AGREEMENT and telling >= _FEWEST_TELLING:
            if ac2.value is not None and ac2.value >= MODERATE_AGREEMENT:
                shown += f"; Gwet's AC2 is {Figure('rho', ac2.value)} because most ratings are {common:g}"
            return "hardly agree", None, f"raters hardly agree ({shown}): no metric can be validated here"
        needed = max(needed, items * _times_for_verdict(alpha.value, alpha.low, alpha.high))
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


def rating_levels(ratings: Floats, lowest: float, highest: float) -> Floats:
    """Lists the levels of a rating scale: whole ones from lowest to highest, or those that occur and the two ends.

    Returns:
        The levels, ascending.

    Examples:
        >>> rating_levels(np.array([2.0, 4.0, np.nan]), 1, 5).tolist(), rating_levels(np.array([2.5]), 1, 5).tolist()
        ([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.5, 5.0])
    """
    values = ratings[~np.isnan(ratings)]
    is_whole = bool((values == np.round(values)).all() and float(lowest).is_integer())
    if is_whole and highest - lowest <= _MOST_LEVELS:
        return np.arange(lowest, highest + 1, dtype=float)
    return np.unique(np.concatenate([values, [lowest, highest]]))


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
    levels = rating_levels(np.concatenate([x, y]), lowest, highest)
    number_of = {level: number for number, level in enumerate(levels.tolist())}
    first, second = [number_of[value] for value in x.tolist()], [number_of[value] for value in y.tolist()]
    labels = list(range(len(levels)))
    plain = cohen_kappa_score(first, second, labels=labels)
    return float(plain), float(cohen_kappa_score(first, second, labels=labels, weights="quadratic"))


def alternative_annotator(
    table: ScoreTable, metric: str, *, epsilon: float = _EXPERT_EPSILON, q: float = 0.05, seed: int = 0
) -> AlternativeAnnotator:
    """Tests whether a metric could replace a rater: the alternative-annotator test, which a constant cannot pass.

    Each rater in turn is left out: on each of its items, is the metric as close to the other raters as this rater is,
    by root mean squared difference? A one-sided t-test asks whether the metric wins more often than the rater less
    epsilon (Calderon, Reichart and Dror, 2025). Where raters agree little a constant in the middle passes that; so the
    metric must also be closer than the mean and than the median rating, both out of fold, on average over the same
    items and by one-sided t-tests. A rater's p-value is the largest of the three (Berger, 1982, intersection-union
    tests); Benjamini-Yekutieli corrects for the number of raters. All tests are by group (`variance_of_group_mean`).
    The metric is brought to the rating scale by `to_rating_scale`. Items without a score are left out.

    Returns:
        The winning rate and the mean advantage; without them, and with `problem`, where fewer than three raters share
        thirty items each.
    """
    from scipy.stats import false_discovery_control

    rescaled = to_rating_scale(table, table.column(metric), seed=seed)
    if rescaled is None:
        return AlternativeAnnotator(metric, 0, None, None, False, "too few scored answers")
    constants = _constant_ratings(table, seed=seed)
    p_values, advantages = [], []
    for left_out in range(len(table.raters)):
        others = np.delete(table.ratings, left_out, axis=1)
        own = table.ratings[:, left_out]
        is_used = ~np.isnan(own) & ~np.isnan(rescaled) & ~np.isnan(others).all(axis=1)
        if int(is_used.sum()) < _FEWEST_ITEMS_FOR_TEST:
            continue
        metric_error, rater_error, *constant_errors = (
            np.sqrt(np.nanmean((values[is_used, None] - others[is_used]) ** 2, axis=1))
            for values in (rescaled, own, *constants)
        )
        metric_wins, rater_wins = metric_error <= rater_error, rater_error <= metric_error
        advantages.append(float(metric_wins.mean()))
        gaps = [rater_wins.astype(float) - metric_wins - epsilon, *(metric_error - one for one in constant_errors)]
        p_values.append(max(_p_below_zero(gap, table.group_numbers[is_used]) for gap in gaps))
    if len(p_values) < _FEWEST_RATERS_FOR_TEST:
        problem = (
            f"needs {count_of(_FEWEST_RATERS_FOR_TEST, 'rater')} with "
            f"{count_of(_FEWEST_ITEMS_FOR_TEST, 'shared answer')} each; "
            f"{len(p_values)} have them"
        )
        return AlternativeAnnotator(metric, len(p_values), None, None, False, problem)
    rate = float(np.mean(false_discovery_control(p_values, method="by") <= q))
    return AlternativeAnnotator(metric, len(p_values), rate, float(np.mean(advantages)), rate >= 0.5)


def _constant_ratings(table: ScoreTable, *, seed: int) -> tuple[Floats, Floats]:
    """The mean rating and the median rating of the other folds of groups, (items,) each."""
    means, medians = np.full((2, len(table.items)), np.nan)
    for held_out in grouped_folds(table.group_numbers, 5, seed=seed):
        training = np.setdiff1d(np.arange(len(table.items)), held_out)
        means[held_out] = table.mean_rating[training].mean()
        medians[held_out] = np.nanmedian(table.ratings[training])
    return means, medians


def _p_below_zero(gaps: Floats, groups: Places) -> float:
    """The one-sided p-value that values in groups have a mean below 0; 1 where they do not vary, unless they are."""
    from scipy.special import stdtr

    numbers, sizes = np.unique(groups, return_inverse=True, return_counts=True)[1:]
    sums = np.asarray(np.bincount(numbers, weights=gaps), float)
    variance, degrees = variance_of_group_mean(sums, sizes) if len(sizes) > 1 else (0.0, 1.0)
    mean = float(gaps.mean())
    if variance <= _NO_SPREAD:
        return float(len(sizes) < FEWEST_GROUPS or mean >= -_NO_SPREAD)
    return float(stdtr(degrees, mean / math.sqrt(variance)))


def to_rating_scale(table: ScoreTable, values: Floats, *, seed: int = 0) -> Floats | None:
    """Brings values to the rating scale by isotonic regression on the mean rating, each fold of groups by the others.

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
