"""How much more often people prefer each version to the one in use than the other way round."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from ...text.wording import count_of, list_first
from ..arrays import Bools, Floats, Places
from ..groups import effective_degrees, t_quantile
from .preference_table import PreferenceTable
from .version_difference import FEWEST_RATED_GROUPS, PairDifference
from .version_questions import VersionQuestions
from .version_table import VersionTable


def estimate_net_wins(table: VersionTable, preferences: PreferenceTable) -> dict[tuple[int, int], PairDifference]:
    """Estimates by how much each version's net share of wins over the version in use, in [-1, 1], exceeds another's.

    A comparison is 1 where the version is preferred, -1 where the one in use is, 0 for a tie; several raters' choices
    on one question are averaged first. Questions that both answer alike are ties that nobody needs to be asked for: the
    share is that of the compared questions, times the share of questions that have another answer. Comparisons of two
    other versions say nothing of the one in use and do not count. Errors come from leaving out one group at a time.

    Returns:
        The differences of all pairs, without those of a version that is compared with the one in use on fewer than five
        groups.

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
    labels, versions, questions = (
        np.union1d(table.group, preferences.group),
        len(table.versions),
        VersionQuestions.of_table(table),
    )
    known = {0: (0.0, np.zeros(len(labels)), np.zeros(len(labels)), 0, 0, 0)}
    for version in range(1, versions):
        asked, changed, compared, value, number = _sum_groups(questions, preferences, version, labels)
        if (compared > 0).sum() < FEWEST_RATED_GROUPS:
            continue
        shares = [
            _divide(part(changed), part(asked)) * part(value) / part(compared) for part in (_total, _without_each)
        ]
        count = len(labels)
        influence = (shares[1] - shares[1].mean()) * np.sqrt((count - 1) / count)
        figures = int(asked.sum()), max(int(changed.sum()), number), number
        known[version] = float(shares[0][0]), influence, compared, *figures
    pairs = {}
    for first, second in combinations(sorted(known), 2):
        one, other = known[first], known[second]
        compared = one[2] + other[2]
        pairs[first, second] = PairDifference(
            other[0] - one[0],
            other[1] - one[1],
            effective_degrees(compared),
            groups=int((other[2] > 0).sum()),
            questions=max(other[3], other[5]),
            changed=other[4],
            rated=other[5],
        )
    return pairs


def describe_net_wins(
    preferences: PreferenceTable, wins: Mapping[tuple[int, int], PairDifference], *, decides: bool
) -> list[str]:
    """Says what people preferred, with 95% intervals for a single look, and whether it decides."""
    in_use, *others = preferences.versions
    said = []
    for version, name in enumerate(others, start=1):
        one = wins.get((0, version))
        if one is None:
            said.append(f"{name} is compared with {in_use} on fewer than {FEWEST_RATED_GROUPS} groups of questions")
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


def _sum_groups(
    answers: VersionQuestions, preferences: PreferenceTable, version: int, labels: Places
) -> tuple[Floats, Floats, Floats, Floats, int]:
    """By group: questions that both answered, those with another answer, questions compared, and their mean values; and
    how many questions are compared."""
    questions, row = np.unique(np.concatenate([answers.question, preferences.question]), return_inverse=True)
    of_answers, of_preference = np.split(row.ravel(), [len(answers.question)])
    group = np.zeros(len(questions), np.intp)
    group[of_preference] = np.searchsorted(labels, preferences.group)
    group[of_answers] = np.searchsorted(labels, answers.label)
    asked, changed = np.zeros(len(questions), bool), np.zeros(len(questions), bool)
    asked[of_answers] = answers.has[:, 0] & answers.has[:, version]
    changed[of_answers] = asked[of_answers] & ~answers.is_alike(0, version)
    choice = _oriented(preferences, version)
    known = ~np.isnan(choice)
    counts = np.bincount(of_preference[known], minlength=len(questions)).astype(float)
    sums = np.asarray(np.bincount(of_preference[known], weights=choice[known], minlength=len(questions)), float)
    compared = (counts > 0) & ~(asked & ~changed)
    value = np.where(compared, _divide(sums, counts), 0.0)

    def by_group(column: Floats | Bools) -> Floats:
        return np.asarray(np.bincount(group, weights=column.astype(float), minlength=len(labels)), float)

    return by_group(asked), by_group(changed), by_group(compared), by_group(value), int(compared.sum())


def _oriented(preferences: PreferenceTable, version: int) -> Floats:
    """The choices between a version and the one in use: 1 where the version is better; NaN of other versions."""
    is_forward = (preferences.first == 0) & (preferences.second == version)
    is_backward = (preferences.first == version) & (preferences.second == 0)
    return np.where(is_forward, preferences.choice, np.where(is_backward, -preferences.choice, np.nan))


def _total(column: Floats) -> Floats:
    return np.asarray(column.sum(keepdims=True))


def _without_each(column: Floats) -> Floats:
    return np.asarray(column.sum() - column)


def _divide(above: Floats, below: Floats) -> Floats:
    """One by the other; 1 where nothing is below: no question is known to have the same answer in both versions."""
    return np.asarray(np.divide(above, below, out=np.ones(len(above)), where=below > 0))
