"""The answers of a chatbot in production up to one look, as arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...errors import UsageError
from ...text.wording import count_of
from ..arrays import Floats, Places


@dataclass(frozen=True, eq=False)
class ProductionAnswers:
    """All answers that were pulled up to one look, in the order of their times, (n,) each.

    Raises:
        UsageError: The lengths differ, a day or a group is no whole number, a chance is not in (0, 1], a rating is not
            on the scale, a score is infinite, or the scale has no ends or no bad answers.
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

    def __post_init__(self) -> None:
        names = ("groups", "cheap", "judge_chance", "judged", "rating_chance", "ratings")
        lengths = {name: len(getattr(self, name)) for name in names}
        lengths |= {f"segments[{name!r}]": len(values) for name, values in self.segments.items()}
        for name, length in lengths.items():
            if length != len(self.days):
                raise UsageError(
                    f"{name} has {count_of(length, 'value')} and days {len(self.days)}: give one per answer"
                )
        for name in ("days", "groups"):
            if not np.issubdtype(np.asarray(getattr(self, name)).dtype, np.integer):
                raise UsageError(f"{name} must be an array of whole numbers")
        if not np.isfinite([self.rating_min, self.rating_max]).all():
            raise UsageError(
                f"rating_min and rating_max must be finite, not {self.rating_min:g} and {self.rating_max:g}"
            )
        if not self.rating_min < self.bad_below <= self.rating_max:
            raise UsageError(
                f"bad_below must be above rating_min and at most rating_max, not {self.bad_below:g} on a scale of "
                f"{self.rating_min:g} to {self.rating_max:g}"
            )
        for name in ("judge_chance", "rating_chance"):
            self._check(name, ~((getattr(self, name) > 0) & (getattr(self, name) <= 1)), "above 0 and at most 1")
        outside = (self.ratings < self.rating_min) | (self.ratings > self.rating_max)
        self._check("ratings", outside, f"from {self.rating_min:g} to {self.rating_max:g}")
        for name in ("cheap", "judged"):
            self._check(name, np.isinf(getattr(self, name)), "finite")
        if len(self.days) and int(self.days.min()) < 0:
            raise UsageError("days must be counted from 0")

    def _check(self, name: str, is_wrong: "np.ndarray[tuple[int], np.dtype[np.bool_]]", wanted: str) -> None:
        values = getattr(self, name)
        places = np.flatnonzero(is_wrong & ~np.isnan(values))
        if len(places):
            raise UsageError(f"{name} must be {wanted}: answer {int(places[0])} (from 0) has {values[places[0]]:g}")
