"""Table V of Lassche et al. (2024) as a policy: what a threshold sends, holds back, or leaves to a person."""

import math

import numpy as np
from scipy import stats

from .arrays import Bools, Floats, Places
from .estimate import Estimate
from .folds import grouped_folds
from .results import Policy, Threshold
from .table import ScoreTable

BOUND = 0.1
MINUTES = 5.0
_MOST_THRESHOLDS = 60


def triage_policy(
    rated: ScoreTable,
    predicted: Floats,
    *,
    bound: float = BOUND,
    confidence: float = 0.95,
    minutes: float = MINUTES,
    folds: int = 5,
    seed: int = 0,
) -> Policy:
    """Chooses thresholds on predicted ratings: which answers to send, to hold back, or to leave to a person.

    Answers at or above `send_at` go straight to the customer: the lowest threshold at which the one-sided
    Clopper-Pearson bound on the share of bad answers among those sent is at most `bound`. Answers below `hold_below`
    are held back: the highest threshold at which that of good answers among those held is. The rest is left to a
    person. The counts are out of fold: each fold's answers are treated by thresholds that were chosen without them.

    Args:
        rated: A table whose items are all rated; bad is below the middle of its scale, good above it.
        predicted: The predicted rating of each item, out of fold, (items,).
        bound: The largest share of bad answers among those sent (and of good ones among those held), in (0, 1].
        confidence: The confidence with which the bound must hold, in (0, 1).
        minutes: What a person spends on one answer. Only sent answers save it: one held back must still be written.
        folds: Number of folds of whole groups.
        seed: Seed of the folds.

    Returns:
        The thresholds and what they do; `problem` says why no answer can be sent, where none can.

    Source: Lassche et al., 2024, Table V; Clopper and Pearson (1934).

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
    return Policy(
        thresholds=tuple(
            _threshold(rated, predicted, at, confidence=confidence, minutes=minutes) for at in _thresholds(predicted)
        ),
        bound=bound,
        confidence=confidence,
        minutes=minutes,
        send_at=send_at,
        hold_below=hold_below,
        n=len(bad),
        bad=int(bad.sum()),
        good=int(good.sum()),
        sent=int(is_sent.sum()),
        sent_bad=int((is_sent & bad).sum()),
        held=int(is_held.sum()),
        held_good=int((is_held & good).sum()),
        to_person=int((~is_sent & ~is_held).sum()),
        wrong_rate=estimate_share(bad[is_sent], groups[is_sent], confidence),
        right_held_rate=estimate_share(good[is_held], groups[is_held], confidence),
        hours_saved=_hours_saved(is_sent, minutes),
        problem=_problem(bad, bound, confidence) if send_at is None else "",
    )


def _problem(bad: Bools, bound: float, confidence: float) -> str:
    fewest = math.ceil(math.log(1 - confidence) / math.log(1 - bound))
    return (
        f"no threshold keeps the share of bad answers among those sent at {bound:.0%} or less with {confidence:.0%} "
        f"confidence: {int(bad.sum())} of {len(bad)} rated answers are bad, and at least {fewest} answers must be sent "
        "without a bad one among them"
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
    send_at = hold_below = None
    for at in thresholds:
        above = predicted >= at
        upper = estimate_share(bad[above], groups[above], 2 * confidence - 1).high
        if upper is not None and upper <= bound:
            send_at = at
            break
    for at in reversed(thresholds):
        below = predicted < at
        upper = estimate_share(good[below], groups[below], 2 * confidence - 1).high
        if upper is not None and upper <= bound and (send_at is None or at <= send_at):
            hold_below = at
            break
    return send_at, hold_below


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

    The exact binomial interval at the effective size n / deff, where deff, at least 1, is the variance of the share
    over groups divided by that of independent items (Korn and Graubard, 1998).

    Args:
        holds: Whether each item counts, (items,).
        groups: The group of each item as a number, (items,).
        level: Confidence level, in (0, 1).

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
    size = n / max(1.0, _design_effect(np.asarray(holds, float), groups))
    return Estimate(share, *clopper_pearson(share, size, level), n=n, groups=len(np.unique(groups)))


def clopper_pearson(share: float, size: float, level: float = 0.95) -> tuple[float, float]:
    """Computes the two-sided interval of a binomial share (Clopper and Pearson, 1934), never of width 0.

    Args:
        share: The share, in [0, 1].
        size: The number of items, or an effective one (Korn and Graubard, 1998).
        level: Confidence level, in (0, 1).
    """
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

    Args:
        values: The values, (items,).
        groups: The group of each item as a number, (items,); at least two groups.

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
