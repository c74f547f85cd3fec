"""What people chose between two answers of a queue: the choices, and whether raters agree."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...eval_sets.preference import Preference, write_preferences
from ...presentation.figure import Figure
from ...text.wording import count_of
from .answer_pair import PairedQuestion
from .rating_progress import rating_matrix
from .rating_queue import RatingQueue

if TYPE_CHECKING:
    from ...meta_eval.estimate import Estimate


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


_FEWEST_PAIRS = 5  # with two choices, for agreement to be said


@dataclass(frozen=True, slots=True)
class VersionCounts:
    """How often each of two versions was chosen."""

    first: str
    second: str
    first_better: int  # choices of the first
    ties: int
    second_better: int  # choices of the second
    same_answers: int  # ties that nobody was asked about, since both gave the same answer

    def __str__(self) -> str:
        """The counts in a sentence."""
        same = f"; the same answer {_times(self.same_answers)}" if self.same_answers else ""
        return (
            f"better: {self.first} {_times(self.first_better)}, {self.second} {_times(self.second_better)}; about the "
            f"same {_times(self.ties)}{same}"
        )


def _times(count: int) -> str:
    return count_of(count, "time")


@dataclass(frozen=True, slots=True)
class ChoiceAgreement:
    """How far raters agree on pairs that two of them compared."""

    pairs: int  # how many pairs have two choices or more
    same: float  # the share of pairs of raters who chose the same, in [0, 1]
    alpha: "Estimate"  # Krippendorff's alpha, with a tie in the middle between the two versions

    def __str__(self) -> str:
        """The agreement in a sentence."""
        return (
            f"two raters chose the same in {Figure('share', self.same)} of the cases, on "
            f"{count_of(self.pairs, 'pair')} with two choices or more; Krippendorff's alpha "
            f"{Figure.from_estimate('rho', self.alpha)}"
        )


@dataclass(frozen=True, slots=True)
class PairProgress:
    """What the choices of the present series show."""

    versions: tuple[VersionCounts, ...]  # the counts of each pair of versions, in the order of the queue's versions
    agreement: ChoiceAgreement | None  # None before five pairs have choices of two raters


def pair_progress(queue: RatingQueue) -> PairProgress:
    """Computes what the choices of the present series show."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for choice in queue_choices(queue):
        one = choice.preference
        counts[one.first, one.second][one.choice if one.rater else "same"] += 1
    names = [version.name for version in queue.comparison.versions]
    versions = tuple(
        VersionCounts(*pair, *(counts[pair][kind] for kind in ("first", "tie", "second", "same")))
        for pair in combinations(names, 2)
        if pair in counts
    )
    return PairProgress(versions, choice_agreement(queue))


def choice_agreement(queue: RatingQueue) -> ChoiceAgreement | None:
    """Computes how far the raters of the present series agree; None before five pairs have choices of two."""
    from ...meta_eval.estimate import estimate
    from ...meta_eval.raters import ordinal_alpha

    shared = [ratings for ratings in queue.ratings_by_item(has_unsure=False).values() if len(ratings) > 1]
    if len(shared) < _FEWEST_PAIRS:
        return None
    asked = [queue.question(ratings[0].sample) for ratings in shared]
    alpha = estimate(
        ordinal_alpha(rating_matrix(queue, shared)), [one.group or one.question for one in asked], scale="fisher"
    )
    twos = [one.value == other.value for ratings in shared for one, other in combinations(ratings, 2)]
    return ChoiceAgreement(len(shared), sum(twos) / len(twos), alpha)
