"""The answers of a chatbot in production up to one look, and for how many of all the judged and the rated stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...errors import UsageError
from ..arrays import Bools, Floats, Places

_LEAST_CHANCE = 1e-30  # so that weights and their cubes stay numbers


@dataclass(frozen=True, eq=False)
class ProductionAnswers:
    """All answers that were pulled up to one look, in the order of their times, (n,) each.

    Raises:
        UsageError: A chance is not in (0, 1], or a rating is not on the scale.
    """

    days: Places  # the day of each answer, counted from 0 at the first
    groups: Places  # the session of each as a number: answers of one session are not independent
    cheap: Floats  # the score that costs nothing; NaN where it is missing
    # the probability with which the answer was drawn for the judge, in (0, 1]; NaN of one that was never in a draw.
    judge_chance: Floats
    judged: Floats  # the judge's score; NaN where it was not drawn or has none
    # the probability with which the answer was drawn for the raters, given all before; NaN of one that was never in a
    # draw.
    rating_chance: Floats
    ratings: Floats  # the mean of its raters' ratings; NaN where there is none
    # field (language, topic, model, prompt_version) -> the value of each answer; None where it has none
    segments: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    rating_min: float = 1  # the lowest rating
    rating_max: float = 5  # the highest
    bad_below: float = 3  # an answer with a lower rating is bad
    # whether the answer was drawn for raters whose rating is still to come; None where nobody knows
    is_awaited: Bools | None = None

    def __post_init__(self) -> None:
        low, high, ratings = self.rating_min, self.rating_max, self.ratings
        self._check("ratings", (ratings < low) | (ratings > high), f"from {low:g} to {high:g}")
        for name in ("judge_chance", "rating_chance"):
            chance = getattr(self, name)
            self._check(name, (chance <= 0) | (chance > 1), "above 0 and at most 1")

    def _check(self, name: str, is_wrong: Bools, wanted: str) -> None:
        if is_wrong.any():
            place = int(np.flatnonzero(is_wrong)[0])
            raise UsageError(f"{name} must be {wanted}: answer {place} (from 0) has {getattr(self, name)[place]:g}")


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
