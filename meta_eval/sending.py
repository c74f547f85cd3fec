"""Table V of Lassche et al. (2024) as a policy: what a threshold sends, holds back, or leaves to a person."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..text.wording import count_of
from .arrays import Bools, Floats, Places, shortest_cut
from .estimate import Estimate, estimate_share, p_of_share
from .groups import LEVEL, grouped_folds, intraclass_correlation
from .table import ScoreTable

BOUND = 0.1
_MOST_THRESHOLDS = 60
_STEP = 1.15  # the next threshold that is tested acts on so many times as many answers
_CHECK_FOLDS = 20
_CHANCE = 0.05  # of finding bad answers by chance


@dataclass(frozen=True, slots=True)
class Policy:
    """Table V of Lassche et al. (2024) as a policy: two thresholds, and a person for what lies between.

    The counts are those of the thresholds that stand, on the rated answers. What is promised of new answers rests on
    the check, out of fold: there each fold's answers are treated by thresholds that were chosen without them.
    """

    bound: float  # the aim: the largest share of bad answers among those sent
    confidence: float
    # answers at or above it are sent; chosen on all rated items. None where no threshold keeps the bound, or where the
    # check found more bad answers than the bound.
    send_at: float | None
    # answers below it are held back; None where no threshold keeps the bound, or the check broke it
    hold_below: float | None
    n: int
    bad: int
    good: int
    sent: int
    sent_bad: int
    held: int
    held_good: int
    to_person: int
    checked_sent: int  # those sent in the check
    checked_sent_bad: int
    wrong_rate: Estimate  # in the check, the share of bad answers among those sent
    right_held_rate: Estimate  # in the check, the share of good answers among those held back
    problem: str = ""
    unscored: int = 0  # the answers without a score, of those left to a person

    @property
    def finds_bad_ones(self) -> bool:
        """Whether what the check did not send holds more bad answers than as many drawn at random (Fisher, 1935)."""
        from scipy.stats import hypergeom

        kept, kept_bad = self.n - self.checked_sent, self.bad - self.checked_sent_bad
        return kept > 0 and float(hypergeom.sf(kept_bad - 1, self.n, self.bad, kept)) <= _CHANCE


def triage_policy(
    rated: ScoreTable,
    predicted: Floats,
    *,
    bound: float = BOUND,
    folds: int = _CHECK_FOLDS,
    seed: int = 0,
) -> Policy:
    """Chooses thresholds on predicted ratings: which answers to send, to hold back, or to leave to a person.

    Answers at or above `send_at` go straight to the customer, those below `hold_below` are held back, the rest is left
    to a person, as are answers without a prediction (NaN). Thresholds are tested in a fixed order, the strictest first
    that could be accepted at all, then those that send at least 15% more answers each; the last one before the first
    that fails is chosen. With a probability of 95% its share of bad answers among those sent (good ones among those
    held back) is then at most `bound`: no correction for the number of thresholds is needed (Learn then Test:
    Angelopoulos, Bates, Candes, Jordan and Lei, 2021, fixed-sequence testing). The test of one threshold is
    `p_of_share`, with the correlation of answers of one group estimated on all rated answers.

    The check treats each fold's answers by thresholds that were chosen without them. A threshold is offered only where
    the share of wrong answers in the check is within the bound too. Returns the thresholds and what they do; `problem`
    says why no answer can be sent, where none can. Source: Lassche et al., 2024, Table V.

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
        send_at, hold_below = _choose(part, predicted[training], bound)
        is_sent[held_out] = predicted[held_out] >= send_at if send_at is not None else False
        is_held[held_out] = predicted[held_out] < hold_below if hold_below is not None else False
    send_at, hold_below = _choose(rated, predicted, bound)
    checked_sent, checked_sent_bad = int(is_sent.sum()), int((is_sent & bad).sum())
    problem = _failed_check("sent", "bad", checked_sent, checked_sent_bad, bound)
    if send_at is None:
        problem = _problem(bad, bound)
    send_at = None if problem or send_at is None else shortest_cut(predicted, send_at)
    if hold_below is not None:
        failed = _failed_check("held back", "good", int(is_held.sum()), int((is_held & good).sum()), bound)
        hold_below = None if failed else shortest_cut(predicted, hold_below)
    sent = predicted >= (np.inf if send_at is None else send_at)
    held = predicted < (-np.inf if hold_below is None else hold_below)
    return Policy(
        bound=bound,
        confidence=LEVEL,
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
        checked_sent=checked_sent,
        checked_sent_bad=checked_sent_bad,
        wrong_rate=estimate_share(bad[is_sent], groups[is_sent]),
        right_held_rate=estimate_share(good[is_held], groups[is_held]),
        problem=problem,
        unscored=int(np.isnan(predicted).sum()),
    )


def _problem(bad: Bools, bound: float) -> str:
    # so many answers without a bad one rule out a larger share
    fewest = math.ceil(math.log(1 - LEVEL) / math.log(1 - bound)) if bound < 1 else 1
    return (
        f"no threshold keeps the share of bad answers among those sent at {bound:.0%} or less with {LEVEL:.0%} "
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


def _thresholds(predicted: Floats) -> list[float]:
    known = predicted[~np.isnan(predicted)]
    values = np.unique(known)
    if len(values) > _MOST_THRESHOLDS:
        values = np.unique(np.quantile(known, np.linspace(0, 1, _MOST_THRESHOLDS), method="nearest"))
    return [float(value) for value in values]


def _choose(part: ScoreTable, predicted: Floats, bound: float) -> tuple[float | None, float | None]:
    bad, good, groups = part.mean_rating < part.middle, part.mean_rating > part.middle, part.group_numbers
    thresholds = _thresholds(predicted)
    send_at = _test_in_order(bad, groups, [(at, predicted >= at) for at in reversed(thresholds)], bound, 1 - LEVEL)
    hold_below = _test_in_order(
        good,
        groups,
        [(at, predicted < at) for at in thresholds if send_at is None or at <= send_at],
        bound,
        1 - LEVEL,
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
