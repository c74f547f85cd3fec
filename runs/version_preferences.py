"""What people prefer between versions: chosen side by side on the page, and read from files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..eval_sets.opening_question import opening_question
from ..eval_sets.preference import Preference
from ..eval_sets.preference_reading import read_preferences
from ..text.wording import count_of, verb_of
from .ratings.pair_source import name_versions
from .ratings.rated_pairs import store_preferences
from .version_answers import AnswerSource
from .version_pairing import PairedAnswer

if TYPE_CHECKING:
    from .database import Database


def find_preferences(
    sources: Sequence[AnswerSource], database: "Database | None", files: Sequence[Path], by: str = ""
) -> tuple[list[Preference], tuple[str, ...]]:
    """Finds the preferences between versions, and says where they are from.

    Args:
        sources: The versions, the one in use today first.
        database: Where the choices of the rating page are; None where there are none.
        files: Files of preferences, which name versions by their names or by the ids of their runs.
        by: The field that parts one run into the versions; "" where each is a run or set of its own.

    Raises:
        InputError: A file cannot be read, or compares none of the versions.
    """
    names = {source.name: source.name for source in sources}
    if not by:
        names |= {source.run.id: source.name for source in sources if source.run is not None}
    of_page = [] if database is None else store_preferences(database, name_versions(sources, by or None))
    on_page = set(map(_comparison, of_page))
    preferences, counts, notes = list(of_page), {"the rating page": len(of_page)}, list[str]()
    for file in files:
        rows = read_preferences(file, versions=tuple(names), notes=notes)
        named = [replace(row, first=names[row.first], second=names[row.second]) for row in rows]
        further = [row for row in named if _comparison(row) not in on_page]
        counts[str(file)] = len(further)
        preferences += further
        if repeated := len(named) - len(further):
            are = verb_of(repeated, "is one", "are some")
            notes.append(f"{count_of(repeated, 'choice')} of {file} {are} of the rating page already: counted once.")
    known = {name for source in sources for one in source.samples for name in (one.id, opening_question(one))}
    unknown = sum(row.question not in known for row in preferences)
    listed = ", ".join(f"{count:,} of {place}" for place, count in counts.items() if count)
    if listed:
        notes.append(f"{count_of(len(preferences), 'choice')} between two answers: {listed}.")
    if unknown:
        answered = verb_of(unknown, "is on a question that", "are on questions that")
        notes.append(
            f"{count_of(unknown, 'choice')} between two answers {answered} no version answered here: "
            f"{verb_of(unknown, 'it counts', 'they count')}, as to how the versions compare; check that the questions "
            "are named as in the runs, by id or text."
        )
    return [row for row in preferences if row.first != row.second], tuple(notes)


def _comparison(row: Preference) -> tuple[str, str, tuple[tuple[str, int], ...]]:
    """Who chose what, whichever version is named first."""
    return row.question, row.rater, tuple(sorted([(row.first, -row.value), (row.second, row.value)]))


def number_questions(answers: Sequence[PairedAnswer]) -> dict[str, int]:
    """Numbers questions by what a preference may call them: the id in any version, or the text.

    What is another question in another version is that of the version in use.

    Args:
        answers: The answers that take part.
    """
    numbers: dict[str, int] = {}
    for answer in sorted(answers, key=lambda answer: answer.version):
        numbers.setdefault(answer.sample.id, answer.question)
    for answer in answers:
        numbers.setdefault(opening_question(answer.sample), answer.question)
    return numbers
