"""What people prefer between versions: chosen side by side on the page, and read from files."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...eval_sets.conversation import opening_question
from ...eval_sets.items import question_id
from ...eval_sets.preference import Choice, Preference
from ...eval_sets.preference_reading import read_preferences
from ...text.wording import count_of, verb_of
from ..answers.rating_join import rater_key
from ..answers.table import AnswerTable
from ..ratings.answer_pair import ComparedVersion
from ..ratings.judgement import queue_ids
from ..ratings.rating_progress import SAME_ANSWER, queue_choices
from ..ratings.rating_queue import RatingQueue
from ..store.database import Database
from .versions import VersionReading

_SWAPPED: dict[Choice, Choice] = {"first": "second", "tie": "tie", "second": "first"}


def find_preferences(reading: VersionReading, files: Sequence[Path]) -> tuple[tuple[Preference, ...], tuple[str, ...]]:
    """Finds the preferences between versions, and says where they are from.

    Of the choices of one rater between the same answers those count that are newest: those of the rating page, as what
    is exported from it is never newer, else those of the file that is named last.
    """
    if not files and (reading.database is None or not queue_ids(reading.database, has_pairs=True)):
        return (), ()
    sources, by, questions = reading.sources, reading.options.version_field, number_questions(reading)
    names = {source.name: source.name for source in sources}
    if not by:
        names |= {source.run: source.name for source in sources if source.run is not None}
    places, notes = list[tuple[str, list[Preference]]](), list[str]()  # the newest last
    # questions that not every version answered are these versions' too
    known_questions = questions.keys() | {name for source in sources for name in source.samples}
    sheet = reading.options.reading.get("sheet")
    for file in dict.fromkeys(files):
        rows = read_preferences(file, versions=tuple(names), questions=known_questions, sheet=sheet, notes=notes)
        places.append((str(file), [replace(row, first=names[row.first], second=names[row.second]) for row in rows]))
    if reading.database is not None:
        places.append(("the rating page", store_preferences(reading.database, name_versions(sources, by))))
    known: set[Hashable] = set()
    preferences: list[Preference] = []
    for place, rows in reversed(places):
        keys = [_key(row, questions) for row in rows]
        newest = [row for row, key in zip(rows, keys, strict=True) if key is None or key not in known]
        if again := len(rows) - len(newest):
            verb = verb_of(again, "does", "do")
            notes.append(
                f"{count_of(again, 'choice')} of {place} {verb} not count: a newer one is of the same rater between "
                "the same answers."
            )
        if newest:
            notes.append(f"{count_of(len(newest), 'choice')} between two answers, of {place}.")
        preferences = [*newest, *preferences]
        known.update(keys)
    return tuple(row for row in preferences if row.first != row.second), tuple(notes)


def _key(row: Preference, questions: Mapping[str, tuple[int, ...]]) -> Hashable:
    """What is the same of one rater's choices between the same answers; None where nobody knows who chose."""
    if not row.rater and row.reason != SAME_ANSWER:
        return None
    return questions.get(row.question, row.question), frozenset((row.first, row.second)), rater_key(row.rater)


def number_questions(reading: VersionReading) -> dict[str, tuple[int, ...]]:
    """Numbers questions by what a preference may call them: the id in any version, or the text.

    What is another question in another version is that of the version in use. A text may be of several questions.
    """
    numbers: dict[str, tuple[int, ...]] = {}
    for answer in sorted(reading.answers, key=lambda answer: answer.version):
        numbers.setdefault(answer.sample.id, (answer.question,))
        numbers.setdefault(question_id(answer.sample.id, reading.names[answer.version]), (answer.question,))
    by_text: dict[str, dict[int, None]] = {}
    for answer in reading.answers:
        asked = opening_question(answer.sample)
        for text in (asked, " ".join(asked.split())):
            by_text.setdefault(text, {})[answer.question] = None
    return {text: tuple(questions) for text, questions in by_text.items()} | numbers


def name_versions(sources: Sequence[AnswerTable], field: str) -> tuple[ComparedVersion, ...]:
    """Names versions as a queue keeps them, and as `store_preferences` knows them again."""
    return tuple(
        ComparedVersion(name=source.name, source=source.run or next(iter(source.sets), ""), field=field)
        for source in sources
    )


def store_preferences(database: Database, versions: Sequence[ComparedVersion]) -> list[Preference]:
    """What people chose between versions in a store, in the present series of all queues.

    A version is known by its source (and by its name where a field of metadata tells it apart), whatever it is called
    there. Of two choices by one rater on one pair of answers the newer counts. `first` comes before `second` in
    `versions`; `question` is the id in the earlier, or in the first of all where the queue has it.
    """
    keys = [_version_key(version) for version in versions]
    newest: dict[tuple[str, str, str, str], Preference] = {}
    for name in queue_ids(database, has_pairs=True):
        queue = RatingQueue(database, name)
        compared = queue.comparison.versions
        places = {version.name: keys.index(key) for version in compared if (key := _version_key(version)) in keys}
        if len(places) < 2:
            continue
        has_first = _version_key(compared[0]) == keys[0]
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


def _version_key(version: ComparedVersion) -> tuple[str, str, str]:
    return version.source, version.field, version.name if version.field else ""
