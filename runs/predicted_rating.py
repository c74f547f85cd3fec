"""The rating that the team would give on average: a saved scorer's predictions, corrected by the ratings at hand."""

from typing import TYPE_CHECKING

from pydantic import BaseModel

from ..metrics.specification import parse_specification
from ..presentation.figure import Figure
from .ratings.rated_set import replace_ratings

if TYPE_CHECKING:
    from .store import Store


class PredictedRating(BaseModel):
    """The mean rating of a run's answers, as a scorer predicts it.

    Attributes:
        metric: The scorer.
        mean: The mean rating; `low` and `high` are its 95% interval, None with too few groups.
        predicted: The mean of the predictions, uncorrected.
        n: Answers with a prediction.
        rated: How many of them are rated.
        corrected: Whether the ratings correct the predictions (prediction-powered inference).
    """

    metric: str
    mean: float
    low: float | None
    high: float | None
    predicted: float
    n: int
    rated: int
    corrected: bool

    @property
    def sentence(self) -> str:
        """The figure in one sentence.

        Example:
            >>> PredictedRating(metric="scorer:t.yaml", mean=3.4, low=3.2, high=3.6, predicted=3.5, n=200, rated=40,
            ...                 corrected=True).sentence
            'Mean predicted rating: 3.40 [3.20, 3.60], of 200 answers, corrected by the 40 ratings at hand.'
        """
        mean = Figure("mean", self.mean, self.low, self.high)
        how = f"corrected by the {self.rated} ratings at hand" if self.corrected else "not corrected: rate at least 10"
        return f"Mean predicted rating: {mean}, of {self.n} answers, {how}."


def predict_mean_rating(store: "Store", run: str) -> PredictedRating | None:
    """Estimates the mean rating of a run's answers from the predictions of its first scorer.

    With ten or more rated and two or more unrated answers the predictions are corrected by the ratings (PPI++); the
    rated answers must be a random part. Where all are rated, the mean is that of the ratings.

    Args:
        store: Where the run is.
        run: The run's id.

    Returns:
        The estimate; None where the run has no scorer, or no prediction.
    """
    metric = next((name for name in store.run(run).plan.metrics if parse_specification(name).is_scorer), None)
    if metric is None:
        return None
    import numpy as np

    from ..meta_eval.estimate import estimate_mean
    from ..meta_eval.mean_rating import estimate_mean_rating
    from ..meta_eval.table import ScoreTable

    values = {sample: score.value for sample, name, score in store.scores(run) if name == metric}
    samples = {sample.id: sample for sample in store.samples(run) if values.get(sample.id) is not None}
    samples = replace_ratings(store.database, samples)
    if not samples:
        return None
    predicted = np.array([values[sample] for sample in samples], float)
    first = next(iter(samples.values()))
    rows = list(samples.values())
    ratings = [np.nan if row.human_rating is None else row.human_rating for row in rows]
    table = ScoreTable(
        items=tuple(samples),
        metrics=(metric,),
        scores=predicted[:, None],
        ratings=np.array(ratings)[:, None],
        rating_min=first.rating_min,
        rating_max=first.rating_max,
        groups=tuple(row.source for row in rows),
    )
    mean = estimate_mean(predicted, table.groups)
    rated = table.rated()
    count = len(rated.items)
    corrected = None
    if count == len(rows):
        corrected = estimate_mean(rated.mean_rating, table.groups)
    elif (powered := estimate_mean_rating(table, (metric,))) is not None:
        corrected = powered.mean
    chosen = mean if corrected is None else corrected
    return PredictedRating(
        metric=metric,
        mean=chosen.value or 0.0,
        low=chosen.low,
        high=chosen.high,
        predicted=float(predicted.mean()),
        n=len(rows),
        rated=count,
        corrected=corrected is not None,
    )
