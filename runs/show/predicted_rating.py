"""The rating that the team would give on average: a saved scorer's predictions, corrected by the ratings at hand."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import BaseModel

from ...metrics.specification import parse_specification
from ...presentation.figure import Figure, format_rating
from ...text.wording import count_of, verb_of

if TYPE_CHECKING:
    from .results import Results

ENOUGH_RATED = 30
"""So many ratings, with a standard deviation of a quarter of the scale, put their mean within a tenth of the scale:
(1.96 * 0.25 / 0.1)^2 = 24, and some more where answers come in groups."""


class PredictedRating(BaseModel):
    """The mean rating of a run's answers, as a scorer predicts it."""

    metric: str
    mean: float  # the mean rating; `low` and `high` are its 95% interval, None unless ratings correct the predictions
    low: float | None
    high: float | None
    predicted: float  # the mean of the predictions, uncorrected
    n: int
    rated: int  # how many of them are rated, without those of `fitted`
    fitted: int = 0  # how many the scorer was fitted on, whose ratings its predictions only repeat
    corrected: bool  # whether the ratings correct the predictions (prediction-powered inference)
    problem: str = ""
    rating_min: float
    rating_max: float

    @property
    def sentence(self) -> str:
        """The figure in one sentence.

        Without ratings there is no interval: how far the predictions are off on these answers, only ratings of them
        can say.

        Example:
            >>> rating = PredictedRating(metric="scorer:t.yaml", mean=3.4, low=3.2, high=3.6, predicted=3.5, n=200,
            ...                          rated=40, corrected=True, rating_min=1, rating_max=5)
            >>> rating.sentence
            'Mean predicted rating: 3.40 of 5 (likely 3.20 to 3.60), 200 answers, corrected by the 40 that are rated.'
            >>> rating.model_copy(update={"rated": 0, "corrected": False}).sentence
            'Mean predicted rating: 3.40 of 5, no interval: none of these 200 answers is rated; rate about 30 more.'
        """
        low, high = Figure("mean", self.low), Figure("mean", self.high)
        mean = format_rating(self.mean, self.rating_min, self.rating_max, "mean")
        if not self.corrected:
            return f"Mean predicted rating: {mean}, no interval: {self._missing_ratings}."
        how = f"corrected by the {self.rated} that are rated" if self.rated < self.n else "all of them rated"
        if self.fitted:
            how = f"corrected by {count_of(self.rated, 'other rated answer')}; {self._fitted_clause}"
        interval = f" (likely {low} to {high})" if self.low is not None else ""
        no_interval = f"; no interval: {self.problem}" if self.problem else ""
        return f"Mean predicted rating: {mean}{interval}, {count_of(self.n, 'answer')}, {how}{no_interval}."

    @property
    def _fitted_clause(self) -> str:
        """Says that ratings which the scorer was fitted on correct nothing."""
        return f"{self.fitted:,} of these answers it was fitted on, and their ratings do not count here"

    @property
    def _missing_ratings(self) -> str:
        """Why there are too few ratings for an interval, and how many more to rate."""
        others = self.n - self.fitted
        rate = min(ENOUGH_RATED, others) - self.rated
        fitted = f"{self._fitted_clause}; " if self.fitted else ""
        of_others = f"of the other {others:,}" if self.fitted else f"of these {count_of(others, 'answer')}"
        rated = f"only {self.rated}" if self.rated else "none"
        return f"{fitted}{rated} {of_others} {verb_of(self.rated or 1, 'is', 'are')} rated; rate about {rate} more"


def predict_mean_rating(results: "Results", metrics: Sequence[str]) -> PredictedRating | None:
    """Estimates the mean rating of a run's answers from the predictions of its first scorer.

    With ten or more rated and two or more unrated answers the predictions are corrected by the ratings (PPI++,
    `prediction_powered_mean`); the rated answers must be a random part. Where all are rated, the mean is that of the
    ratings. Otherwise it is that of the predictions, without an interval: what the scorer gets wrong on these answers
    is not in the spread of its predictions.

    Returns:
        The estimate; None where the run has no scorer, or no prediction.
    """
    metric = next((name for name in metrics if parse_specification(name).is_scorer), None)
    if metric is None:
        return None
    import numpy as np

    from ...meta_eval.estimate import Estimate, estimate_mean
    from ...meta_eval.prediction_powered import estimate_mean_rating
    from ...meta_eval.table import ScoreTable

    answers = results.rated if results.rated.values(metric) else results  # a scorer of conversations has none of turns
    values = answers.values(metric)
    fitted_on = answers.fitted(metric) & values.keys()
    rows = [answers.samples[name] for name in values]
    if not rows:
        return None
    predicted = np.array([*values.values()], float)
    # a scorer repeats the ratings that it was fitted to: how far it is off elsewhere, these do not say
    ratings = [np.nan if row.human_rating is None or row.id in fitted_on else row.human_rating for row in rows]
    table = ScoreTable(
        items=tuple(values),
        metrics=(metric,),
        scores=predicted[:, None],
        ratings=np.array(ratings)[:, None],
        rating_min=rows[0].rating_min,
        rating_max=rows[0].rating_max,
        groups=tuple(answers.groups[name] for name in values),
    )
    rated = table.rated()
    count = len(rated.items)
    corrected = None
    if count >= len(rows) - 1 and count:
        corrected = estimate_mean(rated.mean_rating, rated.groups)
    elif (powered := estimate_mean_rating(table, (metric,))) is not None:
        corrected = powered.mean
    mean = float(predicted.mean())
    if corrected is None or corrected.value is None:
        corrected = Estimate(None, problem="fewer than ten answers are rated")
    return PredictedRating(
        metric=metric,
        mean=mean if corrected.value is None else corrected.value,
        low=corrected.low,
        high=corrected.high,
        predicted=mean,
        n=len(rows),
        rated=count,
        fitted=len(fitted_on),
        corrected=corrected.value is not None,
        problem=corrected.problem,
        rating_min=rows[0].rating_min,
        rating_max=rows[0].rating_max,
    )
