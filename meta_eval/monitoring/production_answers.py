"""The answers of a chatbot in production up to one look, as arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..arrays import Floats, Places


@dataclass(frozen=True, eq=False)
class ProductionAnswers:
    """All answers that were pulled up to one look, in the order of their times, (n,) each.

    Attributes:
        days: The day of each answer, counted from 0 at the first.
        groups: The session of each as a number: answers of one session are not independent.
        cheap: The score that costs nothing; NaN where it is missing.
        judge_chance: The probability with which the answer was drawn for the judge, in (0, 1]; NaN of one that was
            never in a draw.
        judged: The judge's score; NaN where it was not drawn or has none.
        rating_chance: The probability with which the answer was drawn for the raters, given all before; NaN of one that
            was never in a draw.
        ratings: The mean of its raters' ratings; NaN where there is none.
        segments: Field (language, topic, model, prompt_version) -> the value of each answer; None where it has none.
        rating_min: The lowest rating.
        rating_max: The highest.
        bad_below: An answer with a lower rating is bad.
    """

    days: Places
    groups: Places
    cheap: Floats
    judge_chance: Floats
    judged: Floats
    rating_chance: Floats
    ratings: Floats
    segments: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    rating_min: float = 1
    rating_max: float = 5
    bad_below: float = 3
