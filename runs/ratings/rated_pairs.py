"""What people chose between two answers, as preferences: of one queue, or of the versions that are compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import UsageError
from ...eval_sets.preference import Choice, Preference, write_preferences
from ..store.database import Database
from .answer_pair import ComparedVersion, PairedQuestion
from .rating_queue import RatingQueue, queue_ids

SAME_ANSWER = "the same answer"
"""The reason of a tie that nobody was asked about."""
_SWAPPED: dict[Choice, Choice] = {"first": "second", "tie": "tie", "second": "first"}


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


def store_preferences(database: Database, versions: Sequence[ComparedVersion]) -> list[Preference]:
    """What people chose between versions in a store, in the present series of all queues.

    A version is known by its source (and by its name where a field of metadata tells it apart), whatever it is called
    there. Of two choices by one rater on one pair of answers the newer counts. `first` comes before `second` in
    `versions`; `question` is the id in the earlier, or in the first of all where the queue has it.
    """
    keys = [_key(version) for version in versions]
    newest: dict[tuple[str, str, str, str], Preference] = {}
    for name in queue_ids(database, "pairs"):
        queue = RatingQueue(database, name)
        compared = queue.comparison.versions
        places = {version.name: keys.index(_key(version)) for version in compared if _key(version) in keys}
        if len(places) < 2:
            continue
        has_first = _key(compared[0]) == keys[0]
        for choice in queue_choices(queue):
            asked = choice.asked
            if asked.first not in places or asked.second not in places:
                continue
            one, other = places[asked.first], places[asked.second]
            question = asked.question if has_first else asked.ids[0 if one < other else 1]
            preference = replace(
                choice.preference,
                question=question,
                first=versions[min(one, other)].name,
                second=versions[max(one, other)].name,
                choice=choice.preference.choice if one < other else _SWAPPED[choice.preference.choice],
            )
            newest.setdefault((question, preference.first, preference.second, preference.rater), preference)
    return list(newest.values())


def _key(version: ComparedVersion) -> tuple[str, str, str]:
    return version.source, version.field, version.name if version.field else ""
