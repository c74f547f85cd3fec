"""Scores beside the ratings of the same answers: agreement, difference, combination, ceiling, calibration."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ...eval_sets import Sample
from ...meta_eval.agreement_statistics import mean_spearman
from ...meta_eval.comparison import compare
from ...meta_eval.correlation import FEWEST_ITEMS, auroc, correlation_problem, estimate_correlation, spearman
from ...meta_eval.cross_validation import CombinationTask, cross_validate
from ...meta_eval.estimate import Estimate, estimate
from ...meta_eval.pass_fail import pass_fail_agreement
from ...meta_eval.raters import estimate_ceiling, rater_ceilings
from ...meta_eval.table import RATER, ScoreTable
from ...text.wording import count_of
from .judge_card import Calibration, CardAgreement, CardPassFail, ScoreBin

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats

REPEATS, FOLDS = 10, 5
FEWEST_COMBINED = 20  # as `assay meta` asks for: with fewer a fold has three answers
_FITTED = "no interval of what is fitted"
_COMBINERS: Final = ("mean-rank", "ridge")  # the second alone turns noise around: its weights are those of other folds
_BINS = 5
_NO_RATER = "the answers have no ratings by two raters or more"


@dataclass(frozen=True, eq=False)
class RatedScores:
    """The scores of one judge, or of whatever scores answers, beside the ratings."""

    samples: tuple[Sample, ...]
    # scores by name and sample's id, higher for better answers; a sample may be missing
    values: Mapping[str, Mapping[str, float]]
    judge: str  # the name of the judge's scores in `values`
    seed: int = 0

    @classmethod
    def of_judge(
        cls, samples: Sequence[Sample], judge: str, values: Mapping[str, Mapping[str, float]], seed: int = 0
    ) -> "RatedScores":
        """Those of the samples that are rated and that the judge scored: all figures are of the same answers."""
        rated = tuple(s for s in samples if s.rating_share is not None and s.id in values[judge])
        return cls(rated, values, judge, seed)

    @property
    def ratings(self) -> "Floats":
        """Each sample's rating as a share of its scale."""
        return np.array([sample.rating_share for sample in self.samples], float)

    @property
    def groups(self) -> list[str]:
        """What each sample is resampled with."""
        return [sample.source for sample in self.samples]

    def column(self, name: str) -> "Floats":
        """Scores of the samples, (samples,); NaN where one is missing."""
        return np.array([self.values[name].get(sample.id, np.nan) for sample in self.samples], float)

    def agreement(self, name: str, *, shown: str = "", source: str = "") -> CardAgreement:
        """The agreement of one name's scores with the ratings, on the samples that it scored."""
        return self._agreement(shown or name, self.column(name), source)

    def _agreement(self, name: str, values: "Floats", source: str = "") -> CardAgreement:
        places = np.flatnonzero(~np.isnan(values))
        x, y, groups = values[places], self.ratings[places], [self.groups[place] for place in places]
        rho = spearman(x.tolist(), y.tolist(), groups)
        area = auroc(x, y > 0.5, groups)
        if problem := correlation_problem(x, y):
            area = Estimate(None, n=len(x), groups=len(set(groups)), problem=problem)
        return CardAgreement(name=name, spearman=rho, auroc=area, source=source)

    def pass_fail(self) -> CardPassFail | None:
        """How the judge passes and fails answers at its threshold, beside people; None without a threshold."""
        table = replace(self._table(), metrics=(self.judge,), scores=self.column(self.judge)[:, None], directions={})
        [one] = pass_fail_agreement(table, seed=self.seed).values()
        if one.threshold is None:
            return None
        return CardPassFail(**{name: getattr(one, name) for name in CardPassFail.model_fields})

    def difference(self, other: str) -> Estimate:
        """Spearman of the judge less that of another name, on the answers that both scored."""
        if other not in self.values:
            return Estimate(None, problem=f"{other} scores none of these answers")
        return self.compare(*((name, self.column(name)[:, None]) for name in (self.judge, other)))

    def compare(self, first: "tuple[str, Floats]", second: "tuple[str, Floats]") -> Estimate:
        """Spearman of the first scores less that of the second, (samples, repeats) each, on the samples with both."""
        return compare(self._table(), first, second).difference

    def combined(self, other: str) -> tuple[CardAgreement, Estimate]:
        """The agreement of the judge and another name together (`predict_together`).

        Spearman is the mean over the repeats, AUROC that of the mean prediction. There is no interval and no p-value:
        those at hand take the predictions as fixed, though other answers would have given other weights, and leave out
        0 too often where both are noise (`benchmarks/card_simulation.py`).

        Returns:
            The agreement of both together, and how much its Spearman is more than that of the other name alone.
        """
        name, predictions = f"{self.judge} + {other}", self.predict_together(other)
        if isinstance(predictions, str):
            missing = Estimate(None, n=len(self.samples), problem=predictions)
            return CardAgreement(name=name, spearman=missing, auroc=missing), missing
        rho = estimate_correlation(mean_spearman, predictions, self.ratings, self.groups)
        area = self._agreement(name, predictions.mean(axis=1)).auroc
        gain = self.compare((name, predictions), (other, self.column(other)[:, None]))
        rho, area, gain = map(_without_interval, (rho, area, gain))
        return CardAgreement(name=name, spearman=rho, auroc=area), gain

    def predict_together(self, other: str) -> "Floats | str":
        """Predicts out of fold by the judge and another name: the mean of their ranks, or ridge regression on them.

        Which of the two, and its weights, are chosen anew on the other folds of groups: nothing is shown on the answers
        that chose it. The folds are dealt ten times.

        Returns:
            The predictions, (samples, repeats), or why there are none.
        """
        if other not in self.values:
            return f"{other} scores none of these answers"
        scores = np.column_stack([self.column(self.judge), self.column(other)])
        ratings = self.ratings
        if len(ratings) < FEWEST_COMBINED:
            return f"only {count_of(len(ratings), 'rated score')}; weights are fitted to {FEWEST_COMBINED} or more"
        if np.ptp(ratings) == 0:
            return "all ratings are equal"
        if any(np.isnan(column).all() or np.nanmin(column) == np.nanmax(column) for column in scores.T):
            return "all values of one of them are equal"
        task = CombinationTask.build(
            scores,
            ratings,
            np.unique(np.asarray(self.groups), return_inverse=True)[1].astype(np.intp),
            middle=0.5,
            how="ranks",
            largest=1,
            combiners=_COMBINERS,
        )
        eligible = np.array([way.kind in _COMBINERS for way in task.ways])
        out_of_fold = cross_validate(
            task, repeats=REPEATS, folds=FOLDS, seed=self.seed, rules=("best",), eligible=eligible
        )
        return "the groups do not make two folds" if out_of_fold is None else out_of_fold.chosen["best"]

    def _table(self) -> ScoreTable:
        return _rating_table(self.samples, (RATER,), self.ratings[:, None])

    def calibration(self) -> Calibration:
        """How far the judge's scores, which lie in [0, 1], are the ratings as shares of the scale.

        The scores are put into five bins of equal width. In each bin the mean score less the mean rating; the error
        is the mean of its size over the bins, weighted by answers as Naeini, Cooper and Hauskrecht (2015) have it. It
        is above 0 for a perfect judge too, because few answers in a bin differ by chance. The interval takes the outer
        ends of two, one symmetric in the error and one in its log odds: each alone leaves the truth out too often on
        one side.
        """
        scores, ratings = self.column(self.judge), self.ratings
        if not len(scores):
            return Calibration(error=Estimate(None, n=0, groups=0, problem="no rated scores"))
        numbers = np.minimum((scores * _BINS).astype(int), _BINS - 1)
        members = np.array([numbers == number for number in range(_BINS)], float)
        gaps = scores - ratings

        def errors(weights: "Floats") -> "Floats":
            result: Floats = np.abs(members @ (gaps[:, None] * weights)).sum(axis=0) / weights.sum(axis=0)
            return result

        error = estimate(errors, self.groups, bounds=(0, 1))
        wider = estimate(errors, self.groups, scale="logit")
        if error.low is not None and error.high is not None:
            # where most scores are in one bin the plain interval lies too low; where chance adds to the error the other
            # one lies too high: benchmarks/card_simulation.py
            low = error.low if wider.low is None else min(error.low, wider.low)
            high = error.high if wider.high is None else max(error.high, wider.high)
            error = replace(error, low=low, high=high)
        bins = [
            ScoreBin(
                low=number / _BINS,
                high=(number + 1) / _BINS,
                n=int(inside.sum()),
                score=float(scores[inside].mean()),
                rating=float(ratings[inside].mean()),
            )
            for number in range(_BINS)
            if (inside := numbers == number).any()
        ]
        return Calibration(error=error, bins=tuple(bins))


def _without_interval(fitted: Estimate) -> Estimate:
    if fitted.value is None:
        return fitted
    return Estimate(fitted.value, n=fitted.n, groups=fitted.groups, problem=_FITTED)


def rater_ceilings_of(samples: Sequence[Sample]) -> tuple[Estimate, Estimate]:
    """Estimates the best that any measure could reach with the ratings, and what one rater reaches against the others.

    Returns:
        Two rank correlations with the mean rating (`estimate_ceiling`, `rater_ceilings`); without a value where fewer
        than five samples have two ratings.
    """
    rated = [sample for sample in samples if sample.ratings]
    raters = tuple(dict.fromkeys(rater for sample in rated for rater in sample.ratings))
    ratings = np.array([[_share(sample, rater) for rater in raters] for sample in rated], float)
    shared = np.flatnonzero((~np.isnan(ratings.reshape(len(rated), len(raters)))).sum(axis=1) >= 2)
    if len(shared) < FEWEST_ITEMS:
        has_two = count_of(len(shared), "scored answer has", "scored answers have")
        problem = _NO_RATER if not len(shared) else f"only {has_two} ratings by two raters"
        if not samples:
            problem = "no rated answer has a score"
        missing = Estimate(None, n=len(shared), problem=problem)
        return missing, missing
    table = _rating_table(rated, raters, ratings)
    return estimate_ceiling(table), rater_ceilings(table.take(shared))[1]


def _rating_table(samples: Sequence[Sample], raters: tuple[str, ...], ratings: "Floats") -> ScoreTable:
    """A table of ratings as shares of the scale, (samples, raters), that has no metric."""
    return ScoreTable(
        items=tuple(sample.id for sample in samples),
        metrics=(),
        scores=np.empty((len(samples), 0)),
        ratings=ratings,
        raters=raters,
        rating_min=0.0,
        rating_max=1.0,
        groups=tuple(sample.source for sample in samples),
    )


def _share(sample: Sample, rater: str) -> float:
    rating = sample.ratings.get(rater)
    return math.nan if rating is None else sample.share_of_scale(rating)
