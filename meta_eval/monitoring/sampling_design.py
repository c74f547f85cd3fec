"""With which weights the judged and the rated answers stand for all answers."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats
from .production_answers import ProductionAnswers

LARGEST_WEIGHT = 25.0
"""A rated answer stands for at most so many times as many answers as the median one."""


@dataclass(frozen=True, eq=False)
class SamplingDesign:
    """How the judged and the rated answers were drawn.

    Attributes:
        is_counted: Whether the answer is one of those that the figures are about: it was in a draw, (n,).
        is_nested: Whether the raters' answers were drawn from the judged ones; otherwise from all.
        judge_weight: 1 / the chance of being judged; 0 of an answer that is not judged, or drawn by no known chance.
        rating_weight: 1 / the chance of being judged and rated (where not nested: of being rated); 0 of an answer that
            has no rating, or was drawn by no known chance.
        unused_ratings: Ratings that no known chance brought: they say nothing of the other answers.
        clipped: Rated answers whose weight is more than `LARGEST_WEIGHT` times the median, and counts as that.
        clipped_share: The share of the weight that was cut so.
    """

    is_counted: Bools
    is_nested: bool
    judge_weight: Floats
    rating_weight: Floats
    unused_ratings: int
    clipped: int
    clipped_share: float

    @classmethod
    def of_answers(cls, answers: ProductionAnswers) -> "SamplingDesign":
        """Reads the design from the chances of the draws.

        The draws are nested where most answers that the judge did not score were in no draw for the raters.

        Example:
            Four answers, two judged with chance 1/2, one of these rated with chance 1/2: it stands for four.

            >>> nan = np.nan
            >>> design = SamplingDesign.of_answers(ProductionAnswers(
            ...     np.zeros(4, int), np.arange(4), np.full(4, nan), np.full(4, 0.5), np.array([3.0, 4, nan, nan]),
            ...     np.array([0.5, 0.5, nan, nan]), np.array([4.0, nan, nan, nan])))
            >>> design.is_nested, design.judge_weight.tolist(), design.rating_weight.tolist()
            (True, [2.0, 2.0, 0.0, 0.0], [4.0, 0.0, 0.0, 0.0])
        """
        in_judge_draw, in_rating_draw = ~np.isnan(answers.judge_chance), ~np.isnan(answers.rating_chance)
        is_judged, is_rated = in_judge_draw & ~np.isnan(answers.judged), ~np.isnan(answers.ratings)
        unjudged = in_judge_draw & ~is_judged
        is_nested = bool(is_judged.any() and in_rating_draw[unjudged].sum() <= unjudged.sum() / 2)
        judge_weight = np.where(is_judged, 1 / np.where(is_judged, answers.judge_chance, 1.0), 0.0)
        is_used = is_rated & in_rating_draw & (is_judged if is_nested else True)
        rating_weight = np.where(is_used, 1 / np.where(is_used, answers.rating_chance, 1.0), 0.0)
        if is_nested:
            rating_weight = rating_weight * judge_weight
        largest = LARGEST_WEIGHT * float(np.median(rating_weight[is_used])) if is_used.any() else np.inf
        cut = np.minimum(rating_weight, largest)
        total = float(rating_weight.sum())
        return cls(
            is_counted=in_judge_draw if is_nested else in_rating_draw,
            is_nested=is_nested,
            judge_weight=judge_weight,
            rating_weight=cut,
            unused_ratings=int((is_rated & ~is_used).sum()),
            clipped=int((rating_weight > largest).sum()),
            clipped_share=1 - float(cut.sum()) / total if total else 0.0,
        )
