"""What people chose between two answers of a queue, as preferences."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from ...eval_sets.preference import Preference, write_preferences
from .answer_pair import PairedQuestion
from .rating_queue import RatingQueue

SAME_ANSWER = "the same answer"
"""The reason of a tie that nobody was asked about."""


@dataclass(frozen=True, slots=True)
class PairChoice:
    """A choice with what was asked."""

    asked: PairedQuestion
    preference: Preference
    shown_first: str | None  # the version whose answer stood first (left); None where nobody was asked


def queue_choices(queue: RatingQueue, series: int | None = None) -> list[PairChoice]:
    """The choices of a queue, without hidden repeats and "can't tell".

    Questions to which two versions gave the same answer are ties of nobody (`rater` is empty), as many as the draw came
    across before the last pair that was compared: they then have the share that they have among all questions.
    """
    by_pair = queue.ratings_by_item(series)
    names = queue.names()
    rated = [place for place, name in enumerate(names) if name in by_pair]
    end = len(names) if len(rated) == len(names) else max(rated, default=-1)
    choices = [
        PairChoice(asked, asked.preference(0, reason=SAME_ANSWER), None)
        for place, asked in queue.comparison.same
        if place <= end
    ]
    for name in (names[place] for place in rated):
        asked = queue.question(name)
        choices += (
            PairChoice(asked, asked.preference(one.value, rater=one.rater, reason=one.reason), one.shown_first)
            for one in by_pair[name]
            if one.value is not None
        )
    return choices


def write_choices(choices: Sequence[PairChoice], target: Path) -> None:
    """Writes choices to a .jsonl or .csv file, one row per choice: the preference and what stood left."""
    if not choices:
        raise UsageError("nothing was chosen in this series yet; there are no choices to write")
    shown_first = [choice.shown_first for choice in choices]
    write_preferences([choice.preference for choice in choices], target, {"shown_first": shown_first})
