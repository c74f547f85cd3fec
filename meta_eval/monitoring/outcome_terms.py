"""What each answer adds to a mean that is predicted from scores and corrected by ratings."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Places
from .production_answers import ProductionAnswers, SamplingDesign

FEWEST_TO_FIT = 20  # ratings of earlier days: with fewer a slope would be mostly noise
_LONGEST_MEMORY = 90  # days that a fit looks back
_NO_SPREAD = 1e-12


@dataclass(frozen=True, eq=False)
class TermStage:
    """One stage of the estimate: a weighted mean of terms."""

    weight: Floats  # the weight of each answer, (n,); 0 of one that is not in this stage
    term: Floats  # its term; 0 where the weight is


@dataclass(frozen=True, eq=False)
class OutcomeTerms:
    """The terms of the mean of an outcome, such as the rating or whether it is bad.

    The mean over some answers is the sum of three weighted means: of predictions from the cheap score over all, of
    what predictions from the judge's score add over those judged, and of what the ratings add over those rated.
    """

    day: Places  # the place of each answer's day among those that have answers, (n,)
    day_numbers: Places
    group: Places  # the group of each answer as a number from 0, (n,)
    stages: tuple[TermStage, ...]  # the stages, that of all answers first and that of the ratings last
    extent: tuple[float, float]

    @property
    def width(self) -> float:
        """From the lowest to the highest outcome."""
        return self.extent[1] - self.extent[0]

    @cached_property
    def is_rated(self) -> Bools:
        """Which answers are in the last stage, (n,)."""
        return np.asarray(self.stages[-1].weight > 0)


def corrected_terms(
    answers: ProductionAnswers, design: SamplingDesign, outcome: Floats, *, extent: tuple[float, float], rises: bool
) -> OutcomeTerms:
    """Predicts an outcome from the scores, by slopes that ratings of earlier days gave, and corrects it by the ratings.

    The prediction of a day is the least-squares line through the ratings of the 90 days before it, with a slope of 0
    until there are 20 of them, and where it would have the wrong sign. So the terms of a day are right on average
    whatever the scores are worth: nothing in them was fitted to that day.
    """
    day, day_numbers, group = _number(answers)
    is_rated = design.rating_weight > 0
    start = _first_mean(outcome[is_rated], day[is_rated], default=(extent[0] + extent[1]) / 2)
    lines = [
        np.clip(_predict(score, outcome, (is_rated, day, day_numbers), start, rises=rises), *extent)
        for score in (_to_unit(answers.cheap), _to_unit(answers.judged))
    ]
    of_cheap, of_judge = lines
    if not design.is_nested:  # what the judge said of some answers is part of what predicts the ratings of all
        of_cheap = np.where(np.isnan(answers.judged), of_cheap, of_judge)
        of_judge = of_cheap
    judge_weight = design.judge_weight if design.is_nested else np.zeros(len(of_cheap))
    rest = np.where(is_rated, outcome, 0.0) - of_judge
    stages = (
        _stage(np.asarray(design.is_counted, float), of_cheap),
        _stage(judge_weight, of_judge - of_cheap),
        _stage(design.rating_weight, rest),
    )
    return OutcomeTerms(day, day_numbers, group, stages, extent)


def judge_terms(answers: ProductionAnswers, design: SamplingDesign) -> OutcomeTerms:
    """Takes the judge's scores on their own scale, predicted from the cheap score by one line through all of them.

    One line for all days: how a score is read must not change between the days that are compared. Returns the terms,
    without a stage of ratings; their extent is that of the scores so far.
    """
    score, judged = _to_unit(answers.cheap), answers.judged
    is_judged = design.judge_weight > 0
    extent = (float(judged[is_judged].min()), float(judged[is_judged].max())) if is_judged.any() else (0.0, 0.0)
    is_fit = is_judged & ~np.isnan(score)
    if is_fit.sum() >= FEWEST_TO_FIT:
        intercept, slope = _line(score[is_fit], judged[is_fit])
        of_cheap = intercept + slope * np.where(np.isnan(score), float(score[is_fit].mean()), score)
    else:
        of_cheap = np.full(len(score), float(judged[is_judged].mean()) if is_judged.any() else 0.0)
    of_cheap, of_judge = np.clip(of_cheap, *extent), np.where(is_judged, judged, 0.0)
    in_draw = np.asarray(~np.isnan(answers.judge_chance), float)
    stages = (_stage(in_draw, of_cheap), _stage(design.judge_weight, of_judge - of_cheap))
    return OutcomeTerms(*_number(answers), stages, extent)


def _number(answers: ProductionAnswers) -> tuple[Places, Places, Places]:
    """(the place of each answer's day among those that have answers; these days; the group of each answer from 0)."""
    day_numbers, day = np.unique(answers.days, return_inverse=True)
    return day.ravel(), day_numbers, np.unique(answers.groups, return_inverse=True)[1].ravel()


def _to_unit(score: Floats) -> Floats:
    """The score divided by its largest size, so that squares of any score are numbers."""
    largest = float(np.nanmax(np.abs(score))) if not np.isnan(score).all() else 0.0
    return score / largest if largest > 0 else score


def _stage(weight: Floats, term: Floats) -> TermStage:
    return TermStage(weight, np.where(weight > 0, term, 0.0))


def _line(score: Floats, outcome: Floats) -> tuple[float, float]:
    """(intercept, slope) of the least-squares line."""
    deviations = score - score.mean()
    spread = float(deviations @ deviations)
    slope = float(deviations @ outcome) / spread if spread > _NO_SPREAD else 0.0
    return float(outcome.mean()) - slope * float(score.mean()), slope


def _first_mean(outcome: Floats, day: Places, default: float) -> float:
    """The mean of the first days that have ratings enough: what days without a fit predict of every answer."""
    if not len(outcome):
        return default
    counts = np.cumsum(np.bincount(day))
    last = min(int(np.searchsorted(counts, FEWEST_TO_FIT)), len(counts) - 1)
    return float(outcome[day <= last].mean())


def _predict(
    score: Floats, outcome: Floats, rows: tuple[Bools, Places, Places], start: float, *, rises: bool
) -> Floats:
    """The prediction of each answer's outcome from a score, by the line through the ratings before its day."""
    is_rated, day, day_numbers = rows
    is_fit = is_rated & ~np.isnan(score)
    centre = float(score[is_fit].mean()) if is_fit.any() else 0.0  # so that squares keep their digits
    x, y, at = score[is_fit] - centre, outcome[is_fit], day[is_fit]
    first = np.searchsorted(day_numbers, day_numbers - _LONGEST_MEMORY)
    up_to = (sums_up_to(at, values, len(day_numbers)) for values in (np.ones(len(x)), x, y, x * x, x * y))
    count, of_x, of_y, of_xx, of_xy = (sums[:-1] - sums[first] for sums in up_to)  # before each day
    filled = np.maximum(count, 1)
    spread = of_xx - of_x**2 / filled
    slope = np.where(spread > _NO_SPREAD, (of_xy - of_x * of_y / filled) / np.maximum(spread, _NO_SPREAD), 0.0)
    is_enough = count >= FEWEST_TO_FIT
    slope = np.where(is_enough & ((slope > 0) == rises), slope, 0.0)
    mean = np.where(is_enough, of_y / filled, start)
    offset = np.where(np.isnan(score), (of_x / filled)[day], score - centre) - (of_x / filled)[day]
    return np.asarray(mean[day] + slope[day] * offset)


def sums_up_to(day: Places, values: Floats, days: int) -> Floats:
    """The sums of values over the days before each day and over all, (days + 1,)."""
    return np.concatenate([[0.0], np.cumsum(np.bincount(day, weights=values, minlength=days))])
