"""Table V of Lassche et al. (2024) as a policy: what a threshold sends, holds back, or leaves to a person."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from ..text.wording import count_of
from .arrays import Bools, Floats, Places
from .estimate import Estimate
from .folds import grouped_folds
from .results import Policy, Threshold
from .table import ScoreTable

BOUND = 0.1
MINUTES = 5.0
_MOST_THRESHOLDS = 60
_STEP = 1.15  # the next threshold that is tested acts on so many times as many answers
_CHECK_FOLDS = 20


def triage_policy(
    rated: ScoreTable,
    predicted: Floats,
    *,
    bound: float = BOUND,
    confidence: float = 0.95,
    minutes: float = MINUTES,
    folds: int = _CHECK_FOLDS,
    seed: int = 0,
) -> Policy:
    """Chooses thresholds on predicted ratings: which answers to send, to hold back, or to leave to a person.

    Answers at or above `send_at` go straight to the customer, those below `hold_below` are held back, the rest is left
    to a person. Thresholds are tested in a fixed order, the strictest first that could be accepted at all, then those
    that send at least 15% more answers each; the last one before the first that fails is chosen. With probability
    `confidence` its share of bad answers among those sent (good ones among those held back) is then at most `bound`:
    no correction for the number of thresholds is needed (Learn then Test: Angelopoulos, Bates, Candes, Jordan and Lei,
    2021, fixed-sequence testing). The test of one threshold is `p_of_share`, with the correlation of answers of one
    group estimated on all rated answers.

    The check treats each fold's answers by thresholds that were chosen without them. A threshold is offered only where
    the share of wrong answers in the check is within the bound too.

    Returns:
        The thresholds and what they do; `problem` says why no answer can be sent, where none can.

    Source: Lassche et al., 2024, Table V.

    Examples:
        60 answers, half rated 5 and half 1, with predictions that tell them apart. 29 answers without a bad one among
        them rule out a share of 10% with 95% confidence (0.9^29 = 0.047), and 30 are sent:

        >>> ratings = np.repeat([5.0, 1.0], 30)
        >>> names = tuple(str(number) for number in range(60))
        >>> table = ScoreTable(names, ("score",), ratings[:, None], ratings[:, None])
        >>> policy = triage_policy(table, ratings, folds=60)
        >>> policy.send_at, policy.sent, policy.sent_bad
        (5.0, 30, 0)
    """
    bad, good = rated.mean_rating < rated.middle, rated.mean_rating > rated.middle
    groups = rated.group_numbers
    is_sent, is_held = np.zeros(len(bad), bool), np.zeros(len(bad), bool)
    for held_out in grouped_folds(groups, folds, seed=seed):
        training = np.setdiff1d(np.arange(len(bad)), held_out)
        part = rated.take(training)
        send_at, hold_below = _choose(part, predicted[training], bound, confidence)
        is_sent[held_out] = predicted[held_out] >= send_at if send_at is not None else False
        is_held[held_out] = predicted[held_out] < hold_below if hold_below is not None else False
    send_at, hold_below = _choose(rated, predicted, bound, confidence)
    sent, sent_bad = int(is_sent.sum()), int((is_sent & bad).sum())
    held, held_good = int(is_held.sum()), int((is_held & good).sum())
    problem = _failed_check("sent", "bad", sent, sent_bad, bound)
    if send_at is None:
        problem = _problem(bad, bound, confidence)
    if _failed_check("held back", "good", held, held_good, bound):
        hold_below = None
    return Policy(
        thresholds=tuple(
            _threshold(rated, predicted, at, confidence=confidence, minutes=minutes) for at in _thresholds(predicted)
        ),
        bound=bound,
        confidence=confidence,
        minutes=minutes,
        send_at=None if problem else send_at,
        hold_below=hold_below,
        n=len(bad),
        bad=int(bad.sum()),
        good=int(good.sum()),
        sent=sent,
        sent_bad=sent_bad,
        held=held,
        held_good=held_good,
        to_person=int((~is_sent & ~is_held).sum()),
        wrong_rate=estimate_share(bad[is_sent], groups[is_sent], confidence),
        right_held_rate=estimate_share(good[is_held], groups[is_held], confidence),
        hours_saved=0.0 if problem else _hours_saved(is_sent, minutes),
        problem=problem,
    )


def fewest_to_send(bound: float, confidence: float) -> int:
    """Computes how many answers without a bad one rule out a share of bad ones above the bound.

    Example:
        >>> fewest_to_send(0.1, 0.95)
        29
    """
    return math.ceil(math.log(1 - confidence) / math.log(1 - bound)) if bound < 1 else 1


def _problem(bad: Bools, bound: float, confidence: float) -> str:
    fewest = fewest_to_send(bound, confidence)
    return (
        f"no threshold keeps the share of bad answers among those sent at {bound:.0%} or less with {confidence:.0%} "
        f"confidence: {int(bad.sum())} of {count_of(len(bad), 'rated answer')} are bad, and at least "
        f"{count_of(fewest, 'answer')} must be sent "
        "without a bad one among them (more where answers come in groups)"
    )


def _failed_check(action: str, wrong: str, count: int, wrong_count: int, bound: float) -> str:
    """Why a threshold is not offered: the check found too many wrong answers, or none to look at."""
    if not count:
        return f"a threshold that was chosen without an answer's group was too strict for any answer to be {action}"
    if wrong_count <= bound * count:
        return ""
    return (
        f"in the check {wrong_count} of {count_of(count, 'answer')} {action} were {wrong}, which is more than "
        f"{bound:.0%}"
    )


def _hours_saved(sent: Bools, minutes: float) -> float:
    return float(sent.mean()) * 1000 * minutes / 60 if len(sent) else 0.0


def _thresholds(predicted: Floats) -> list[float]:
    values = np.unique(predicted)
    if len(values) > _MOST_THRESHOLDS:
        values = np.unique(np.quantile(predicted, np.linspace(0, 1, _MOST_THRESHOLDS), method="nearest"))
    return [float(value) for value in values]


def _choose(part: ScoreTable, predicted: Floats, bound: float, confidence: float) -> tuple[float | None, float | None]:
    bad, good, groups = part.mean_rating < part.middle, part.mean_rating > part.middle, part.group_numbers
    thresholds = _thresholds(predicted)
    send_at = _test_in_order(bad, groups, [(at, predicted >= at) for at in reversed(thresholds)], bound, 1 - confidence)
    hold_below = _test_in_order(
        good,
        groups,
        [(at, predicted < at) for at in thresholds if send_at is None or at <= send_at],
        bound,
        1 - confidence,
    )
    return send_at, hold_below


def _test_in_order(
    wrong: Bools, groups: Places, options: Sequence[tuple[float, Bools]], bound: float, level: float
) -> float | None:
    """Tests thresholds, the strictest first, until one fails; the last one that held, None where there is none.

    A threshold is skipped where it acts on too few answers to be accepted even if none of them were wrong: the order
    looks at the predictions alone, so that it is fixed before any rating is.
    """
    correlation = intraclass_correlation(wrong.astype(float), groups)
    accepted, tested = None, 0
    for at, selected in options:
        count, is_last = int(selected.sum()), at == options[-1][0]
        if not tested and p_of_share(np.zeros(count, bool), groups[selected], bound, correlation) > level:
            continue
        if tested and count < _STEP * tested and not is_last:
            continue
        if p_of_share(wrong[selected], groups[selected], bound, correlation) > level:
            break
        accepted, tested = at, count
    return accepted


def p_of_share(wrong: Bools, groups: Places, bound: float, correlation: float) -> float:
    """Computes the p-value of the hypothesis that the share of wrong items is above a bound.

    The exact binomial test (Clopper and Pearson, 1934) at the effective size n / (1 + (m - 1) rho), where m is the
    mean size of the group of an item (Kish, 1965).

    Example:
        None of 29 is wrong: 0.9^29 = 0.047. In one group, with correlation 1, they count as one: 0.9.

        >>> none = np.zeros(29, dtype=bool)
        >>> round(p_of_share(none, np.arange(29), 0.1, 0.5), 3)
        0.047
        >>> round(p_of_share(none, np.zeros(29, dtype=int), 0.1, 1.0), 3)
        0.9
    """
    n = len(wrong)
    if not n:
        return 1.0
    mean_size = float((np.bincount(groups) ** 2).sum()) / n
    size = n / (1 + (mean_size - 1) * correlation)
    count = float(wrong.mean()) * size
    return float(stats.beta.sf(bound, count + 1, size - count)) if count < size else 1.0


def intraclass_correlation(values: Floats, groups: Places) -> float:
    """Estimates how much items of one group are alike, on the safe side: the estimate plus half its standard error.

    The analysis-of-variance estimate (Donner and Koval, 1980), with the standard error of Swiger et al. (1964). With
    few groups the estimate alone is often near 0 by chance, and a share that rests on it is thought too certain.

    Returns:
        The correlation in [0, 1]; 0 where each item is its own group, 1 where all are one group.

    Example:
        Two groups of two, alike within: the estimate is 1 and cannot rise.

        >>> intraclass_correlation(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1]))
        1.0
    """
    group_of, sizes = np.unique(groups, return_inverse=True, return_counts=True)[1:]
    n, count = len(values), len(sizes)
    if n == count:
        return 0.0
    if count < 2:
        return 1.0
    means = np.bincount(group_of, weights=values) / sizes
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (count - 1)
    within = float(((values - means[group_of]) ** 2).sum()) / (n - count)
    typical_size = (n - float((sizes**2).sum()) / n) / (count - 1)
    total = between + (typical_size - 1) * within
    estimate = min(1.0, max(0.0, (between - within) / total)) if total > 0 else 0.0
    spread = math.sqrt(2 * (n - 1) / (typical_size**2 * (n - count) * (count - 1)))
    error = (1 - estimate) * (1 + (typical_size - 1) * estimate) * spread
    return min(1.0, estimate + error / 2)


def _threshold(rated: ScoreTable, predicted: Floats, at: float, *, confidence: float, minutes: float) -> Threshold:
    bad, good, is_sent = rated.mean_rating < rated.middle, rated.mean_rating > rated.middle, predicted >= at
    return Threshold(
        at,
        sent=int(is_sent.sum()),
        sent_bad=int((is_sent & bad).sum()),
        sent_good=int((is_sent & good).sum()),
        held=int((~is_sent).sum()),
        held_bad=int((~is_sent & bad).sum()),
        held_good=int((~is_sent & good).sum()),
        wrong_rate=estimate_share(bad[is_sent], rated.group_numbers[is_sent], confidence),
        hours_saved=_hours_saved(is_sent, minutes),
    )


def estimate_share(holds: Bools, groups: Places, level: float = 0.95) -> Estimate:
    """Estimates a share of grouped items with its two-sided Clopper-Pearson interval.

    The exact binomial interval at the effective size (n / deff) (t(n - 1) / t(G - 1))^2, where deff, at least 1, is the
    variance of the share over the G groups divided by that of independent items, and t are Student's quantiles (Korn
    and Graubard, 1998).

    Returns:
        The share in [0, 1] with its interval; no value without items.

    Examples:
        None of 29 independent items: the upper end solves (1 - p)^29 = 0.025, so p = 1 - 0.025^(1/29) = 0.119.

        >>> result = estimate_share(np.zeros(29, dtype=bool), np.arange(29))
        >>> result.value, result.low, round(result.high, 3)
        (0.0, 0.0, 0.119)
    """
    n = len(holds)
    if n == 0:
        return Estimate(None, n=0, groups=0, problem="no answers")
    share = float(holds.mean())
    number_of_groups, tail = len(np.unique(groups)), (1 - level) / 2
    size = n / max(1.0, _design_effect(np.asarray(holds, float), groups))
    if 1 < number_of_groups < n:
        size *= float(stats.t.ppf(tail, n - 1) / stats.t.ppf(tail, number_of_groups - 1)) ** 2
    return Estimate(share, *clopper_pearson(share, size, level), n=n, groups=number_of_groups)


def clopper_pearson(share: float, size: float, level: float = 0.95) -> tuple[float, float]:
    """Computes the two-sided interval of a binomial share (Clopper and Pearson, 1934), never of width 0."""
    count, tail = share * size, (1 - level) / 2
    low = float(stats.beta.ppf(tail, count, size - count + 1)) if share > 0 else 0.0
    high = float(stats.beta.ppf(1 - tail, count + 1, size - count)) if share < 1 else 1.0
    return low, high


def _design_effect(values: Floats, groups: Places) -> float:
    if np.ptp(values) == 0 or len(np.unique(groups)) < 2:
        return 1.0
    return variance_of_mean(values, groups) / (float(values.var(ddof=1)) / len(values))


def variance_of_mean(values: Floats, groups: Places) -> float:
    """Computes the variance of a mean when items come in groups.

    G / (G - 1) times the sum over the G groups of (sum of the group's deviations from the mean)^2, divided by n^2: the
    cluster-robust variance of an intercept (Liang and Zeger, 1986; statsmodels' `cov_cluster` gives the same number).

    Returns:
        The variance, in the values' unit squared.

    Examples:
        Values 1, 3 in one group and 5, 7 in another, mean 4: group sums of deviations -4 and 4, so 2/1 * 32 / 16 = 4.

        >>> variance_of_mean(np.array([1.0, 3.0, 5.0, 7.0]), np.array([0, 0, 1, 1]))
        4.0
    """
    group_of = np.unique(groups, return_inverse=True)[1]
    count = int(group_of.max()) + 1
    sums = np.bincount(group_of, weights=values - values.mean(), minlength=count)
    return float(count / (count - 1) * (sums**2).sum() / len(values) ** 2)
