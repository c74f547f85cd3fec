"""People's preferences between versions' answers: how much more often each is preferred to the one in use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ...eval_sets.preference import Preference
from ...text.wording import count_of
from ..arrays import Floats, Places
from ..groups import FEWEST_GROUPS
from .version_difference import PairDifference, estimate_difference
from .version_table import VersionQuestions, VersionTable, mean_by


@dataclass(frozen=True, eq=False)
class PreferenceTable:
    """Comparisons of versions, one row per preference."""

    versions: tuple[str, ...]  # the name of each version, as in the table of answers
    first: Places  # one version, as its place in `versions`, (preferences,)
    second: Places  # the other, (preferences,)
    choice: Floats  # 1 where the second is better, -1 where the first is, 0 for a tie, (preferences,)
    question: Places  # the question as a number, (preferences,): the table's number of it where it has the question
    group: Places  # the group of the question as a number, (preferences,): the table's where it has the question

    def choices_of(self, version: int) -> Floats:
        """The choices between a version and the one in use: 1 where the version is better; NaN of other versions."""
        is_forward = (self.first == 0) & (self.second == version)
        is_backward = (self.first == version) & (self.second == 0)
        return np.where(is_forward, self.choice, np.where(is_backward, -self.choice, np.nan))


def make_preference_table(
    preferences: Sequence[Preference], table: VersionTable, questions: Mapping[str, Sequence[int]]
) -> PreferenceTable:
    """Brings preferences to the numbers of a table of answers; those between other versions are left out.

    Args:
        questions: The numbers in the table of what a preference may call a question: its id, or its text. A preference
            on a question that is not among them counts too; it has its own group, or that of its label.

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
    new_questions: dict[str, int] = {}
    new_groups: dict[tuple[str, str], int] = {}
    rows = []
    for preference in preferences:
        if preference.first not in place or preference.second not in place:
            continue
        named = [number for number in questions.get(preference.question, ()) if number in group_of]
        if not named:
            number = new_questions.setdefault(preference.question, next_question + len(new_questions))
            label = ("group", preference.group) if preference.group else ("question", preference.question)
            group = new_groups.setdefault(label, next_group + len(new_groups))
        else:
            number, group = named[0], group_of[named[0]]
        rows.append((place[preference.first], place[preference.second], preference.value, number, group))
    columns = np.array(rows, dtype=np.intp).reshape(len(rows), 5).T
    first, second, choice, question, group_column = columns
    return PreferenceTable(table.versions, first, second, choice.astype(float), question, group_column)


def estimate_net_wins(table: VersionTable, preferences: PreferenceTable) -> dict[tuple[int, int], PairDifference]:
    """Estimates by how much each version's net share of wins over the version in use, in [-1, 1], exceeds another's.

    A comparison is 1 where the version is preferred, -1 where the one in use is, 0 for a tie; several raters' choices
    on one question are averaged first. Questions that both answer alike are ties that nobody needs to be asked for: the
    share is that of the compared questions, times the share of questions that have another answer. Comparisons of two
    other versions say nothing of the one in use and do not count. Errors come from leaving out one group at a time.
    Returns the differences of all pairs, without those of a version that is compared with the one in use on fewer than
    five groups.

    Example:
        Ten questions: new is better on seven, old on two, and one is a tie: (7 - 2) / 10.

        >>> count = np.arange(10)
        >>> choice = np.array([1.0] * 7 + [-1] * 2 + [0])
        >>> nothing = np.full(20, np.nan)
        >>> table = VersionTable(("old", "new"), np.repeat([0, 1], 10), np.tile(count, 2), np.tile(count, 2), nothing,
        ...                      nothing, np.arange(20))
        >>> wins = estimate_net_wins(table, PreferenceTable(("old", "new"), 0 * count, 1 + 0 * count, choice, count,
        ...                                                 count))
        >>> one = wins[0, 1]
        >>> one.value, round(one.error, 3), one.degrees
        (0.5, 0.269, 9.0)
    """
    answers = VersionQuestions.of_table(table)
    numbers = np.union1d(answers.question, preferences.question)
    asked, of_choice = (np.searchsorted(numbers, one) for one in (answers.question, preferences.question))
    rivals = range(1, len(table.versions))
    wins = [mean_by(of_choice, preferences.choices_of(version), len(numbers)) for version in rivals]
    ratings = np.column_stack([np.where(np.isnan(wins).all(axis=0), np.nan, 0.0), *wins])
    label = np.zeros(len(numbers), np.intp)
    label[of_choice], label[asked] = preferences.group, answers.label
    has, first, last = (np.zeros((len(numbers), len(table.versions)), np.intp) for _ in range(3))
    first[:], last[:] = -1 - np.arange(len(table.versions)), -1 - np.arange(len(table.versions))  # all differ
    has[asked], first[asked], last[asked] = answers.has, answers.first_text, answers.last_text
    answered = (has > 0) | ~np.isnan(ratings)
    compared = replace(
        answers,
        question=numbers,
        label=label,
        has=answered,
        answers=answered.astype(float),
        rated=(~np.isnan(ratings)).astype(float),
        first_text=first,
        last_text=last,
        ratings=ratings,
        scores=np.zeros_like(ratings),
        group=np.unique(label, return_inverse=True)[1].ravel(),
    )
    pairs = {
        pair: estimate_difference(compared, *pair, width=1.0) for pair in combinations(range(len(table.versions)), 2)
    }
    few = {other for (first, other), one in pairs.items() if not first and one.groups < FEWEST_GROUPS}
    return {pair: one for pair, one in pairs.items() if not few & set(pair)}


def describe_choices(preferences: PreferenceTable, *, decides: bool) -> str:
    """Says what people preferred to the version in use, and whether that decides."""
    in_use, *others = preferences.versions
    said = []
    for version, name in enumerate(others, start=1):
        won, lost, ties = (int((preferences.choices_of(version) == choice).sum()) for choice in (1, -1, 0))
        said.append(f"{won:,} for {name}, {lost:,} for {in_use}, {count_of(ties, 'tie')}")
    rule = "decide" if decides else "do not decide"
    return f"The choices between two answers {rule}: {'; '.join(said)}."
