"""Whether a saved scorer still holds on new ratings: agreement then and now, calibration, and what to do."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from ..errors import UsageError
from ..shell_words import quote_word
from ..text.wording import count_of
from .agreement_statistics import mean_spearman
from .arrays import Floats
from .correlation import estimate_correlation
from .estimate import OF_CORRELATIONS, Estimate, estimate_share
from .groups import FEWEST_TO_CHOOSE, LEVEL
from .scorer import Scorer, fingerprint_ratings
from .table import ScoreTable

Advice = Literal["keep", "refit", "rate more"]
_WIDEST = 0.2  # half the widest interval of the difference that still says that nothing changed
_BINS = 5


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Answers with similar predictions."""

    n: int
    predicted: float  # their mean predicted rating
    rating: float  # their mean rating


@dataclass(frozen=True, slots=True)
class ScorerCheck:
    """What new ratings say of a scorer."""

    n: int
    before: Estimate  # Spearman's rho out of fold, when the scorer was fitted
    now: Estimate
    change: Estimate  # `now` less `before`, with its interval
    coverage: Estimate
    # predicted and real mean ratings in five bins of the prediction, lowest first
    calibration: tuple[CalibrationBin, ...]
    seen: int  # how many of the rated answers the scorer was fitted on; they check nothing, and are left out
    same_ratings: bool  # whether these are all of them, so that nothing is checked
    advice: Advice  # `keep` it, `refit` it, or `rate more` answers before deciding
    more_ratings: int  # how many more to rate, for `rate more`
    reason: str


def check_scorer(
    scorer: Scorer, table: ScoreTable, answers: Mapping[str, tuple[str, str]] | None = None
) -> ScorerCheck:
    """Holds a scorer against ratings that it was not fitted on.

    The interval of the change treats the two correlations as independent: its standard error is the root of the sum
    of their squared standard errors, which follow from their 95% intervals.
    """
    if absent := [metric for metric in scorer.metrics if metric not in table.metrics]:
        raise UsageError(
            f"the run has no scores of {', '.join(absent)}, which the scorer needs; run it with --metrics "
            f"{quote_word(','.join(scorer.metrics))}"
        )
    if (table.rating_min, table.rating_max) != (scorer.rating_min, scorer.rating_max):
        raise UsageError(
            f"the ratings are on the scale {table.rating_min:g}-{table.rating_max:g}, the scorer was fitted on "
            f"{scorer.rating_min:g}-{scorer.rating_max:g}; fit it again"
        )
    rated = table.rated().only(scorer.metrics)
    if not len(rated.items):
        raise UsageError("none of the answers is rated; rate some (assay rate RUN --raters ...)")
    seen = [scorer.was_fitted_on(*answers[item]) for item in rated.items] if answers else [False] * len(rated.items)
    knows = bool(answers) and scorer.answers is not None
    same = all(seen) if knows else fingerprint_ratings(rated) == scorer.agreement.ratings
    if not same:
        rated = rated.take([place for place, is_seen in enumerate(seen) if not is_seen])
    predictions = [
        scorer.predict(
            {name: None if np.isnan(value) else float(value) for name, value in zip(rated.metrics, row, strict=True)}
        )
        for row in rated.scores
    ]
    predicted = np.array([prediction.predicted for prediction in predictions])
    ratings = rated.mean_rating
    inside = np.array(
        [
            prediction.low - 1e-9 <= rating <= prediction.high + 1e-9
            for prediction, rating in zip(predictions, ratings, strict=True)
        ]
    )
    now = _agreement(predicted, ratings, rated.groups)
    before = Estimate(scorer.agreement.spearman, scorer.agreement.low, scorer.agreement.high, n=scorer.agreement.items)
    change = _change(before, now)
    coverage = estimate_share(inside, rated.group_numbers, LEVEL)
    advice, more, reason = _advise(scorer, len(predicted), change, coverage, same=same)
    return ScorerCheck(
        n=len(predicted),
        before=before,
        now=now,
        change=change,
        coverage=coverage,
        calibration=calibration(predicted, ratings),
        seen=len(seen) if same else sum(seen),
        same_ratings=same,
        advice=advice,
        more_ratings=more,
        reason=reason,
    )


def _agreement(predicted: Floats, ratings: Floats, groups: tuple[str, ...]) -> Estimate:
    if np.ptp(predicted) == 0 or np.ptp(ratings) == 0:
        return Estimate(None, n=len(ratings), problem="the predictions or the ratings are all equal")
    return estimate_correlation(mean_spearman, predicted[:, None], ratings, groups)


def calibration(predicted: Floats, ratings: Floats) -> tuple[CalibrationBin, ...]:
    """Mean prediction and mean rating in up to five bins of about equal size, lowest predictions first.

    Example:
        >>> [(one.n, one.predicted, one.rating) for one in calibration(np.array([1., 2., 3., 4., 5.]), np.full(5, 3.))]
        [(1, 1.0, 3.0), (1, 2.0, 3.0), (1, 3.0, 3.0), (1, 4.0, 3.0), (1, 5.0, 3.0)]
    """
    order = np.argsort(predicted, kind="stable")
    return tuple(
        CalibrationBin(len(places), float(predicted[places].mean()), float(ratings[places].mean()))
        for places in np.array_split(order, _BINS)
        if len(places)
    )


def _change(before: Estimate, now: Estimate) -> Estimate:
    if now.value is None or before.value is None:
        return Estimate(None, problem=now.problem or before.problem)
    difference = now.value - before.value
    errors = [_standard_error(before), _standard_error(now)]
    if None in errors:
        return Estimate(difference, problem="too few groups for an interval")
    away = NormalDist().inv_cdf((1 + LEVEL) / 2) * math.hypot(*(error for error in errors if error is not None))
    low, high = OF_CORRELATIONS
    return Estimate(difference, max(difference - away, low), min(difference + away, high))


def _standard_error(one: Estimate) -> float | None:
    if one.low is None or one.high is None:
        return None
    return (one.high - one.low) / (2 * NormalDist().inv_cdf((1 + LEVEL) / 2))


def _advise(scorer: Scorer, n: int, change: Estimate, coverage: Estimate, *, same: bool) -> tuple[Advice, int, str]:
    more, reason = _more_ratings(n, change, same=same)
    if same or n < FEWEST_TO_CHOOSE:
        return "rate more", more, reason
    if change.high is not None and change.high < 0:
        return "refit", 0, "it agrees with the new ratings less than it did when it was fitted, beyond chance"
    if coverage.high is not None and coverage.high < scorer.level:
        return "refit", 0, f"its {scorer.level:.0%} interval holds fewer of the new ratings than it promises"
    return ("rate more", more, reason) if more else ("keep", 0, "the new ratings give no sign that it agrees less")


def _more_ratings(n: int, change: Estimate, *, same: bool) -> tuple[int, str]:
    """How many more ratings it takes to decide, and why; 0 where these are enough."""
    if same:
        return FEWEST_TO_CHOOSE, "the scorer was fitted on all these answers: they cannot check it"
    if n < FEWEST_TO_CHOOSE:
        return (
            FEWEST_TO_CHOOSE - n,
            f"only {count_of(n, 'answer is', 'answers are')} rated; at least {FEWEST_TO_CHOOSE} are needed",
        )
    half = change.half_width
    if half is None or change.low is None:
        return n, f"whether it changed cannot be told: {change.problem}"
    if half <= _WIDEST or change.low >= -_WIDEST:
        return 0, ""
    # an interval narrows with the root of the number of ratings
    return math.ceil(
        n * ((half / _WIDEST) ** 2 - 1)
    ), f"a fall of {_WIDEST} would not be seen with {count_of(n, 'rating')}"
