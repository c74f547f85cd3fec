"""Table V of 001 as a policy: what a threshold sends to the customer, holds back, or leaves to a person."""

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
    """Thresholds on predicted ratings (an item each, out of fold) of the table's rated items.

    Answers at or above `send_at` go straight to the customer: the lowest threshold at which the one-sided
    Clopper-Pearson bound on the share of bad answers among those sent is at most `bound`. Answers below `hold_below`
    are held back: the highest at which that of good answers among those held is. The rest is left to a person. What
    these do is told by choosing anew without each fold and applying to it. `minutes` is what a person spends on an
    answer; only sent answers save it, since one held back must still be written.
    """
    bad, good = rated.mean_rating < rated.middle, rated.mean_rating > rated.middle
    groups = rated.group_numbers
    sent, held = np.zeros(len(bad), bool), np.zeros(len(bad), bool)
    for held_out in grouped_folds(groups, folds, seed=seed):
        training = np.setdiff1d(np.arange(len(bad)), held_out)
        part = rated.take(training)
        send_at, hold_below = _choose(part, predicted[training], bound, confidence)
        sent[held_out] = predicted[held_out] >= send_at if send_at is not None else False
        held[held_out] = predicted[held_out] < hold_below if hold_below is not None else False
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
        sent=int(sent.sum()),
        sent_bad=int((sent & bad).sum()),
        held=int(held.sum()),
        held_good=int((held & good).sum()),
        to_person=int((~sent & ~held).sum()),
        wrong_rate=share(bad[sent], groups[sent], confidence),
        right_held_rate=share(good[held], groups[held], confidence),
        hours_saved=_hours(sent, minutes),
        problem=_why_none(bad, bound, confidence) if send_at is None else "",
    )


def _why_none(bad: Bools, bound: float, confidence: float) -> str:
    fewest = math.ceil(math.log(1 - confidence) / math.log(1 - bound))
    return (
        f"no threshold keeps wrong answers among those sent to at most {bound:.0%} with {confidence:.0%} confidence: "
        f"{int(bad.sum())} of {len(bad)} rated answers are bad, and {fewest} sent without one would be needed"
    )


def _hours(sent: Bools, minutes: float) -> float:
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
        upper = share(bad[above], groups[above], 2 * confidence - 1).high
        if upper is not None and upper <= bound:
            send_at = at
            break
    for at in reversed(thresholds):
        below = predicted < at
        upper = share(good[below], groups[below], 2 * confidence - 1).high
        if upper is not None and upper <= bound and (send_at is None or at <= send_at):
            hold_below = at
            break
    return send_at, hold_below


def _threshold(rated: ScoreTable, predicted: Floats, at: float, *, confidence: float, minutes: float) -> Threshold:
    bad, good, sent = rated.mean_rating < rated.middle, rated.mean_rating > rated.middle, predicted >= at
    return Threshold(
        at,
        sent=int(sent.sum()),
        sent_bad=int((sent & bad).sum()),
        sent_good=int((sent & good).sum()),
        held=int((~sent).sum()),
        held_bad=int((~sent & bad).sum()),
        held_good=int((~sent & good).sum()),
        wrong_rate=share(bad[sent], rated.group_numbers[sent], confidence),
        hours_saved=_hours(sent, minutes),
    )


def share(holds: Bools, groups: Places, level: float = 0.95) -> Estimate:
    """A share with its two-sided Clopper-Pearson interval, for grouped items (Korn and Graubard, 1998).

    The exact binomial interval at the effective size n / deff, deff the variance of the share over groups divided by
    that of independent answers, and at least 1.
    """
    n = len(holds)
    if n == 0:
        return Estimate(None, problem="no answers")
    p = float(holds.mean())
    size = n / max(1.0, _design_effect(np.asarray(holds, float), groups))
    reached, tail = p * size, (1 - level) / 2
    low = float(stats.beta.ppf(tail, reached, size - reached + 1)) if reached > 0 else 0.0
    high = float(stats.beta.ppf(1 - tail, reached + 1, size - reached)) if reached < size else 1.0
    return Estimate(p, low, high)


def _design_effect(values: Floats, groups: Places) -> float:
    if np.ptp(values) == 0 or len(np.unique(groups)) < 2:
        return 1.0
    return variance_of_mean(values, groups) / (float(values.var(ddof=1)) / len(values))


def variance_of_mean(values: Floats, groups: Places) -> float:
    """The variance of a mean when items come in groups: G / (G - 1) sum over groups of (sum of deviations)^2, / n^2."""
    group_of = np.unique(groups, return_inverse=True)[1]
    count = int(group_of.max()) + 1
    sums = np.bincount(group_of, weights=values - values.mean(), minlength=count)
    return float(count / (count - 1) * (sums**2).sum() / len(values) ** 2)
