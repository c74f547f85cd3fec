"""How much more often people prefer each version to the one in use than the other way round."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from ...text.wording import count_of, list_first
from ..arrays import Floats
from ..groups import FEWEST_GROUPS, t_quantile
from .preference_table import PreferenceTable
from .version_difference import PairDifference, estimate_difference
from .version_questions import VersionQuestions
from .version_table import VersionTable


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
    answers, wins = VersionQuestions.of_table(table), []
    numbers = np.union1d(answers.question, preferences.question)
    asked, of_choice = (np.searchsorted(numbers, one) for one in (answers.question, preferences.question))
    for version in range(1, len(table.versions)):
        choice = _oriented(preferences, version)
        known = ~np.isnan(choice)
        counts = np.bincount(of_choice[known], minlength=len(numbers))
        sums = np.bincount(of_choice[known], weights=choice[known], minlength=len(numbers))
        wins.append(np.divide(sums, counts, out=np.full(len(numbers), np.nan), where=counts > 0))
    ratings = np.column_stack([np.where(np.isnan(wins).all(axis=0), np.nan, 0.0), *wins])
    label = np.zeros(len(numbers), np.intp)
    label[of_choice], label[asked] = preferences.group, answers.label
    has, first, last = (np.zeros((len(numbers), len(table.versions)), np.intp) for _ in range(3))
    first[:], last[:] = -1 - np.arange(len(table.versions)), -1 - np.arange(len(table.versions))  # all differ
    has[asked], first[asked], last[asked] = answers.has, answers.first_text, answers.last_text
    compared = replace(
        answers,
        question=numbers,
        label=label,
        has=(has > 0) | ~np.isnan(ratings),
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


def describe_net_wins(
    preferences: PreferenceTable, wins: Mapping[tuple[int, int], PairDifference], *, decides: bool
) -> list[str]:
    """Says what people preferred, with 95% intervals for a single look, and whether it decides."""
    in_use, *others = preferences.versions
    said = []
    for version, name in enumerate(others, start=1):
        one = wins.get((0, version))
        if one is None:
            said.append(f"{name} is compared with {in_use} on fewer than {FEWEST_GROUPS} groups of questions")
            continue
        away = t_quantile(0.975, one.degrees) * one.error
        low, high = max(one.value - away, -1.0), min(one.value + away, 1.0)
        likely = f"likely {low:+.2f} to {high:+.2f}; " if away > 0 else ""
        won, lost, ties = (int((_oriented(preferences, version) == choice).sum()) for choice in (1, -1, 0))
        counts = f"{won:,} for {name}, {lost:,} for {in_use}, {count_of(ties, 'tie')}"
        said.append(f"{name} over {in_use} {one.value:+.2f} ({likely}{counts})")
    if unused := int(((preferences.first > 0) & (preferences.second > 0)).sum()):
        said.append(f"{count_of(unused, 'choice')} between other versions do not count")
    rule = "The choices between two answers decide" if decides else "The choices between two answers do not decide"
    return [f"{rule}. Net share of wins: {list_first(said)}."]


def _oriented(preferences: PreferenceTable, version: int) -> Floats:
    """The choices between a version and the one in use: 1 where the version is better; NaN of other versions."""
    is_forward = (preferences.first == 0) & (preferences.second == version)
    is_backward = (preferences.first == version) & (preferences.second == 0)
    return np.where(is_forward, preferences.choice, np.where(is_backward, -preferences.choice, np.nan))
