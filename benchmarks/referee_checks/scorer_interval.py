"""The interval of a predicted rating holds 90%: of all ratings, of those predicted lowest, and of the lowest.

A scorer is fitted as `assay meta --save` fits one, on few answers, and tried on many new ones. The lowest fifths are
those of the new answers' predictions and ratings (those not rated 5, where 75% or more are). Where 81% or 90% are rated
5, a judge that is noisier on the others is tried too.
"""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import AgreementRecord, Places, build_scorer

from .measurement import Measurement, average
from .populations import build_table, clustered_normal, follow, number_groups, rate

CASES = {
    "60 answers, weak scorer": ([1] * 60, 0.4, "mostly 5"),
    "60 answers in 15 groups": ([4] * 15, 0.6, "even"),
    "120 answers in 30 groups": ([4] * 30, 0.6, "mostly 5"),
    "102 answers in 18 unequal groups": ([1, 1, 2, 3, 4, 5, 8, 12, 15] * 2, 0.8, "mostly 5"),
    "250 answers, weak scorer": ([1] * 250, 0.4, "even"),
    "240 answers in 12 groups, strong scorer": ([20] * 12, 0.8, "even"),
    "60 answers": ([1] * 60, 0.6, "81% 5"),
    "240 answers": ([1] * 240, 0.6, "81% 5"),
    "240 answers, noisy below 5": ([1] * 240, None, "81% 5"),
    "60 answers with a tenth below 5, noisy there": ([1] * 60, None, "90% 5"),
    "240 answers, weak scorer": ([1] * 240, 0.4, "90% 5"),
    "240 answers with a tenth below 5, noisy there": ([1] * 240, None, "90% 5"),
    "120 answers in 30 groups, a tenth below 5": ([4] * 30, 0.6, "90% 5"),
}
LOWEST = {"even": 1, "mostly 5": 4, "81% 5": 4, "90% 5": 4}
"""The highest rating of the lowest fifth, quarter or tenth."""
SHARED = 0.3
POPULATION = 1000
AGREEMENT = AgreementRecord(items=0, groups=0, spearman=0.0, ratings="")


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Fits a scorer of one metric per repeat."""
    for number, (case, (sizes, correlation, cuts)) in enumerate(CASES.items()):
        generator = np.random.default_rng([seed, number])
        groups = number_groups(sizes)
        overall, predicted_low, rated_low, widths = [], [], [], []
        for repeat in range(repeats):
            scores, ratings = _draw(generator, groups, correlation, cuts)
            scorer = build_scorer(build_table(scores, ratings, groups), "subset", AGREEMENT, seed=repeat)
            new_scores, new_ratings = _draw(generator, np.arange(POPULATION), correlation, cuts)
            rows = [scorer.predict({"m0": float(score)}) for score in new_scores[:, 0]]
            predicted, low, high = np.array([(row.predicted, row.low, row.high) for row in rows]).T
            inside = (low <= new_ratings) & (new_ratings <= high)
            overall.append(float(inside.mean()))
            predicted_low.append(float(inside[predicted <= np.quantile(predicted, 0.2)].mean()))
            rated_low.append(float(inside[new_ratings <= LOWEST[cuts]].mean()))
            widths.append(float((high - low).mean()))
        follows = "" if correlation is None else f", rho {correlation:g}"
        name = f"{case}{follows}, {cuts}"
        yield average(name, "90% interval holds, all answers", overall, low=0.88, high=1.0)
        yield average(name, "90% interval holds, lowest fifth of predictions", predicted_low, low=0.85, high=1.0)
        yield average(name, "90% interval holds, lowest fifth of ratings", rated_low, low=0.85, high=1.0)
        yield average(name, "width of the interval, of a scale of 4", widths, low=0.0, high=4.0)


def _draw(
    generator: np.random.Generator, groups: Places, correlation: float | None, cuts: str
) -> tuple[np.ndarray, np.ndarray]:
    """Scores (items, 1) that follow the quality, or the rating with ten times the noise below 5, and ratings."""
    drawn = clustered_normal(generator, groups, 2, SHARED)
    ratings = rate(drawn[:, 0], cuts)
    if correlation is None:
        return ratings[:, None] + np.where(ratings < 5, 3.0, 0.3)[:, None] * drawn[:, 1:], ratings
    return follow(drawn[:, :1], drawn[:, 1:], correlation), ratings
