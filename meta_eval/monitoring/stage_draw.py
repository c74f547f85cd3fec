"""How many rated groups a draw is worth, by its chances: however few of the answers with small chances it brought."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats
from .production_answers import ProductionAnswers
from .sampling_design import SamplingDesign

_LEAST_CHANCE = 1e-30


@dataclass(frozen=True, eq=False)
class StageDraw:
    """What a draw brings on average, per answer that could be drawn; 0 for the others, (n,) each.

    A draw that by chance brought no answer with a small chance, which would stand for many, looks like one that is
    sure of itself: all its weights are equal. So its worth is taken from the chances of all that could be drawn.
    """

    share: Floats  # what the answer adds to the sum of weights on average, in any unit
    square: Floats
    chance: Floats
    is_there: Floats  # 1 where it was drawn and has an outcome

    @property
    def columns(self) -> tuple[Floats, Floats, Floats, Floats]:
        """What is summed over answers to know `draws_worth`."""
        return self.share, self.square, self.chance, self.is_there


def stage_draws(answers: ProductionAnswers, design: SamplingDesign) -> tuple[StageDraw, StageDraw]:
    """Returns the draws for the judge and for the raters; the latter from those that the judge scored, where nested."""
    judge, rating = (np.maximum(chance, _LEAST_CHANCE) for chance in (answers.judge_chance, answers.rating_chance))
    ones = np.ones(len(judge))
    is_rated = design.rating_weight > 0
    if not design.is_nested:
        nobody = np.zeros(len(judge), dtype=bool)
        return _draw(nobody, ones, judge, nobody), _draw(design.is_counted, ones, rating, is_rated)
    is_judged = design.judge_weight > 0
    could_be_rated = is_judged & ~np.isnan(answers.rating_chance)
    return (
        _draw(design.is_counted, ones, judge, is_judged),
        _draw(could_be_rated, 1 / judge, rating, is_rated),
    )


def _draw(could_be: Bools, share: Floats, chance: Floats, is_there: Bools) -> StageDraw:
    columns = (share, share**2 / chance, chance, np.asarray(is_there, float))
    return StageDraw(*(np.where(could_be, column, 0.0) for column in columns))


def draws_worth(sums: Sequence[Floats]) -> list[Floats]:
    """Says how many equally weighted answers each of some draws, made one from another, is worth at most.

    Returns per draw the number for each period; infinite where the draw has no chances.

    Example:
        Of 1,000 answers with chance .01 and 10 with chance 1, 20 are drawn on average: worth 1010^2 / 100,010 = 10.2.
        Ten of these are rated, by equal chances: worth half of that at most.

        >>> judged = np.array([[1010.0], [100_010.0], [20.0], [20.0]])
        >>> rated = np.array([[1010.0], [50_000.0], [10.0], [10.0]])
        >>> [round(float(number[0]), 1) for number in draws_worth([judged, rated])]
        [10.2, 5.1]
    """
    numbers = list[Floats]()
    before: tuple[Floats, Floats] | None = None
    for share, square, chance, count in sums:
        has_draw = (square > 0) & (chance > 0)
        own = share**2 / np.where(has_draw, square, 1.0)
        own = own * count / np.where(has_draw, chance, 1.0)  # not all that are drawn have an outcome
        if before is not None:
            is_limited = np.isfinite(before[0])
            limit = np.where(is_limited, before[0], 0.0) * count / np.maximum(before[1], 1.0)
            own = np.where(is_limited, np.minimum(own, limit), own)
        numbers.append(np.asarray(np.where(has_draw, own, np.inf)))
        before = (numbers[-1], count)
    return numbers
