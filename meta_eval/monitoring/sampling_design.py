"""With which weights the judged and the rated answers stand for all answers."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats
from .production_answers import ProductionAnswers

HEAVY = 25.0
"""A rated answer that stands for so many times as many answers as the median one is said: the figures rest on few."""

_LEAST_CHANCE = 1e-30  # so that weights and their cubes stay numbers


@dataclass(frozen=True, eq=False)
class SamplingDesign:
    """How the judged and the rated answers were drawn."""

    is_counted: Bools  # whether the answer is one of those that the figures are about: it was in a draw, (n,)
    is_nested: bool  # whether the raters' answers were drawn from the judged ones; otherwise from all
    # 1 / the chance of being judged, in units of the median; 0 of an answer that is not judged, or drawn by no known
    # chance
    judge_weight: Floats
    # 1 / the chance of being judged and rated (where not nested: of being rated), in units of the median; 0 of an
    # answer that has no rating, or was drawn by no known chance
    rating_weight: Floats
    unused_ratings: int  # ratings that no known chance brought: they say nothing of the other answers
    # which rated answers weigh more than `HEAVY` times the median, (n,). They count in full: cut weights would leave
    # out the days and hours with most answers, of which so few can be rated.
    heavy: Bools

    @classmethod
    def of_answers(cls, answers: ProductionAnswers) -> "SamplingDesign":
        """Reads the design from the chances of the draws.

        The draws are nested where most answers that the judge did not score were in no draw for the raters.

        Example:
            Six answers, three judged, one of these with chance 1/4, and two rated: the latter stands for twice as many.

            >>> nan = np.nan
            >>> design = SamplingDesign.of_answers(ProductionAnswers(
            ...     np.zeros(6, int), np.arange(6), np.full(6, nan), np.array([0.5, 0.5, 0.25, 0.5, 0.5, 0.5]),
            ...     np.array([3.0, 4, 4, nan, nan, nan]), np.array([0.5, 0.5, 0.5, nan, nan, nan]),
            ...     np.array([nan, 4.0, 2, nan, nan, nan])))
            >>> design.is_nested, design.judge_weight[:3].tolist(), (1.5 * design.rating_weight[:3]).tolist()
            (True, [1.0, 1.0, 2.0], [0.0, 1.0, 2.0])
        """
        in_judge_draw, in_rating_draw = ~np.isnan(answers.judge_chance), ~np.isnan(answers.rating_chance)
        is_judged, is_rated = in_judge_draw & ~np.isnan(answers.judged), ~np.isnan(answers.ratings)
        unjudged = in_judge_draw & ~is_judged
        is_nested = bool(is_judged.any() and in_rating_draw[unjudged].sum() <= unjudged.sum() / 2)
        judge_weight = _weigh(is_judged, answers.judge_chance)
        is_used = is_rated & in_rating_draw & (is_judged if is_nested else True)
        rating_weight = _weigh(is_used, answers.rating_chance, judge_weight if is_nested else None)
        return cls(
            is_counted=in_judge_draw if is_nested else in_rating_draw,
            is_nested=is_nested,
            judge_weight=judge_weight,
            rating_weight=rating_weight,
            unused_ratings=int((is_rated & ~is_used).sum()),
            heavy=rating_weight > HEAVY,
        )


def _weigh(is_drawn: Bools, chance: Floats, before: Floats | None = None) -> Floats:
    """1 / chance, times the weight before, in units of the median."""
    weights = np.zeros(len(chance))
    weights[is_drawn] = 1 / np.maximum(chance[is_drawn], _LEAST_CHANCE)
    if before is not None:
        weights *= before
    if is_drawn.any():
        weights /= float(np.median(weights[is_drawn]))
    return weights
