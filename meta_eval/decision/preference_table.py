"""What a decision between versions reads of preferences: who is compared on which question, and which is better."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...eval_sets.preference import Preference
from ..arrays import Floats, Places
from .version_table import VersionTable


@dataclass(frozen=True, eq=False)
class PreferenceTable:
    """Comparisons of versions, one row per preference.

    Raises:
        InputError: Columns differ in length, a place is none of a version, a version is compared with itself, or a
            choice is none of -1, 0 and 1.
    """

    versions: tuple[str, ...]  # the name of each version, as in the table of answers
    first: Places  # one version, as its place in `versions`, (preferences,)
    second: Places  # the other, (preferences,)
    choice: Floats  # 1 where the second is better, -1 where the first is, 0 for a tie, (preferences,)
    question: Places  # the question as a number, (preferences,): the table's number of it where it has the question
    group: Places  # the group of the question as a number, (preferences,): the table's where it has the question

    def __post_init__(self) -> None:
        columns = (self.first, self.second, self.choice, self.question, self.group)
        if len(lengths := {len(column) for column in columns}) != 1:
            raise InputError(f"the columns of a table of preferences differ in length: {sorted(lengths)}")
        places = np.concatenate([self.first, self.second])
        if len(places) and not 0 <= places.min() <= places.max() < len(self.versions):
            raise InputError("a preference is between two of the versions; a place in the table is of none")
        if (self.first == self.second).any():
            raise InputError("a preference is between two versions; one in the table compares a version with itself")
        if not np.isin(self.choice, (-1.0, 0.0, 1.0)).all():
            raise InputError("a choice is -1 (first), 0 (tie) or 1 (second); another one is in the table")


def make_preference_table(
    preferences: Sequence[Preference], table: VersionTable, questions: Mapping[str, Sequence[int]]
) -> PreferenceTable:
    """Brings preferences to the numbers of a table of answers; those between other versions are left out.

    Args:
        preferences: The preferences.
        table: The answers of the versions.
        questions: The numbers in the table of what a preference may call a question: its id, or its text. Of a text
            that is of several questions, the choices of a rater are on one after the other. A preference on a question
            that is not among them counts too; it has its own group, or that of its label.

    Example:
        Question q1 is number 5 of the table, in group 2; q9 is not in it:

        >>> numbers = np.array([5, 5])
        >>> empty = np.full(2, np.nan)
        >>> table = VersionTable(("old", "new"), np.array([0, 1]), numbers, np.array([2, 2]), empty, empty, numbers)
        >>> asked = [Preference("q1", "new", "old", "first", "ada"), Preference("q9", "old", "new", "tie", "ada")]
        >>> made = make_preference_table(asked, table, {"q1": [5]})
        >>> made.first.tolist(), made.choice.tolist(), made.question.tolist(), made.group.tolist()
        ([1, 0], [-1.0, 0.0], [5, 6], [2, 3])
    """
    place = {name: number for number, name in enumerate(table.versions)}
    group_of = dict(zip(table.question.tolist(), table.group.tolist(), strict=True))
    next_question, next_group = int(table.question.max()) + 1, int(table.group.max()) + 1
    times = Counter[Hashable]()
    new_questions: dict[str, int] = {}
    new_groups: dict[tuple[str, str], int] = {}
    rows = []
    for preference in preferences:
        if preference.first not in place or preference.second not in place:
            continue
        named = [number for number in questions.get(preference.question, ()) if number in group_of]
        asked = (preference.question, frozenset((preference.first, preference.second)), preference.rater)
        number = named[times[asked] % len(named)] if named else -1
        times[asked] += 1
        if not named:
            number = new_questions.setdefault(preference.question, next_question + len(new_questions))
            label = ("group", preference.group) if preference.group else ("question", preference.question)
            group = new_groups.setdefault(label, next_group + len(new_groups))
        else:
            group = group_of[number]
        rows.append((place[preference.first], place[preference.second], preference.value, number, group))
    columns = np.array(rows, dtype=np.intp).reshape(len(rows), 5).T
    first, second, choice, question, group_column = columns
    return PreferenceTable(table.versions, first, second, choice.astype(float), question, group_column)
