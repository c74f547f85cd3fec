"""What people prefer between versions: chosen side by side on the page, and read from files."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...eval_sets.opening_question import opening_question
from ...eval_sets.preference import Preference
from ...eval_sets.preference_reading import read_preferences
from ...eval_sets.version_column import question_id
from ...text.wording import count_of, verb_of
from ..answers.pairing import PairedAnswer
from ..answers.rating_join import rater_key
from ..answers.table import AnswerTable
from ..ratings.rated_pairs import SAME_ANSWER, store_preferences
from .pair_source import name_versions

if TYPE_CHECKING:
    from ..store.database import Database

_PAGE = "the rating page"


def find_preferences(
    sources: Sequence[AnswerTable],
    database: "Database | None",
    files: Sequence[Path],
    questions: Mapping[str, tuple[int, ...]],
    by: str = "",
) -> tuple[list[Preference], tuple[str, ...]]:
    """Finds the preferences between versions, and says where they are from.

    Of the choices of one rater between the same answers those count that are newest: those of the rating page, as what
    is exported from it is never newer, else those of the file that is named last.
    """
    names = {source.name: source.name for source in sources}
    if not by:
        names |= {source.run: source.name for source in sources if source.run is not None}
    by_place, notes = dict[str, list[Preference]](), list[str]()
    if database is not None:
        by_place[_PAGE] = store_preferences(database, name_versions(sources, by or None))
    # questions that not every version answered are these versions' too
    known_questions = questions.keys() | {name for source in sources for name in source.samples}
    for file in dict.fromkeys(files):
        rows = read_preferences(file, versions=tuple(names), questions=known_questions, notes=notes)
        by_place[str(file)] = [replace(row, first=names[row.first], second=names[row.second]) for row in rows]
    known: set[Hashable] = set()
    order = list(by_place)
    for place in sorted(order, key=lambda place: (place == _PAGE, order.index(place)), reverse=True):
        of_place = by_place[place]
        keys = [_key(row, questions) for row in of_place]
        by_place[place] = [row for row, key in zip(of_place, keys, strict=True) if key is None or key not in known]
        if again := len(of_place) - len(by_place[place]):
            verb = verb_of(again, "does", "do")
            notes.append(
                f"{count_of(again, 'choice')} of {place} {verb} not count: a newer one is of the same rater between "
                "the same answers."
            )
        known.update(keys)
    preferences = [row for of_place in by_place.values() for row in of_place]
    listed = ", ".join(f"{len(of_place):,} of {place}" for place, of_place in by_place.items() if of_place)
    if listed:
        notes.append(f"{count_of(len(preferences), 'choice')} between two answers: {listed}.")
    return [row for row in preferences if row.first != row.second], tuple(notes)


def _key(row: Preference, questions: Mapping[str, tuple[int, ...]]) -> Hashable:
    """What is the same of one rater's choices between the same answers; None where nobody knows who chose."""
    if not row.rater and row.reason != SAME_ANSWER:
        return None
    return questions.get(row.question, row.question), frozenset((row.first, row.second)), rater_key(row.rater)


def number_questions(answers: Sequence[PairedAnswer], names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Numbers questions by what a preference may call them: the id in any version, or the text.

    What is another question in another version is that of the version in use. A text may be of several questions.
    """
    numbers: dict[str, tuple[int, ...]] = {}
    for answer in sorted(answers, key=lambda answer: answer.version):
        numbers.setdefault(answer.sample.id, (answer.question,))
        numbers.setdefault(question_id(answer.sample.id, names[answer.version]), (answer.question,))
    by_text: dict[str, dict[int, None]] = {}
    for answer in answers:
        asked = opening_question(answer.sample)
        for text in (asked, " ".join(asked.split())):
            by_text.setdefault(text, {})[answer.question] = None
    return {text: tuple(questions) for text, questions in by_text.items()} | numbers
