"""How much more often people prefer each version to the one in use than the other way round."""

import numpy as np

from ...text.wording import count_of, list_first
from ..arrays import Bools, Floats, Places
from ..groups import t_quantile
from .preference_table import PreferenceTable
from .version_means import FEWEST_RATED_GROUPS, VersionMeans, changed_answers
from .version_table import VersionTable


def estimate_net_wins(table: VersionTable, preferences: PreferenceTable) -> VersionMeans:
    """Estimates each version's net share of wins over the version in use, in [-1, 1]; that of the latter is 0.

    A comparison is 1 where the version is preferred, -1 where the one in use is, 0 for a tie; several raters' choices
    on one question are averaged first. Questions that both answer alike are ties that nobody needs to be asked for: the
    share is that of the compared questions, times the share of questions that have another answer. Comparisons of two
    other versions say nothing of the one in use and do not count. Errors come from leaving out one group at a time.

    Returns:
        The shares; NaN for a version that is compared with the one in use on fewer than five groups.

    Example:
        Ten questions: new is better on seven, old on two, and one is a tie: (7 - 2) / 10.

        >>> count = np.arange(10)
        >>> choice = np.array([1.0] * 7 + [-1] * 2 + [0])
        >>> nothing = np.full(20, np.nan)
        >>> table = VersionTable(("old", "new"), np.repeat([0, 1], 10), np.tile(count, 2), np.tile(count, 2), nothing,
        ...                      nothing, np.arange(20))
        >>> wins = estimate_net_wins(table, PreferenceTable(("old", "new"), 0 * count, 1 + 0 * count, choice, count,
        ...                                                 count))
        >>> wins.means.tolist(), [round(number, 3) for number in wins.difference(0, 1)]
        ([0.0, 0.5], [0.5, 0.269, 9.0])
    """
    labels, versions = np.union1d(table.group, preferences.group), len(table.versions)
    means, replicates = np.full(versions, np.nan), np.full((len(labels), versions), np.nan)
    counted = np.zeros((len(labels), versions))
    means[0], replicates[:, 0] = 0.0, 0.0
    for version in range(1, versions):
        asked, changed, compared, value = _sum_groups(table, preferences, version, labels)
        if (compared > 0).sum() < FEWEST_RATED_GROUPS:
            continue
        counted[:, version] = compared
        shares = [
            _divide(part(changed), part(asked)) * part(value) / part(compared) for part in (_total, _without_each)
        ]
        means[version], replicates[:, version] = shares[0][0], shares[1]
    counted[:, 0] = counted.sum(axis=1)
    return VersionMeans(means, replicates, counted)


def describe_net_wins(preferences: PreferenceTable, wins: VersionMeans, *, decides: bool) -> list[str]:
    """Says what people preferred, with 95% intervals for a single look, and whether it decides."""
    in_use, *others = preferences.versions
    said = []
    for version, name in enumerate(others, start=1):
        if np.isnan(wins.means[version]):
            said.append(f"{name} is compared with {in_use} on fewer than {FEWEST_RATED_GROUPS} groups of questions")
            continue
        value, error, degrees = wins.difference(0, version)
        away = t_quantile(0.975, degrees) * error if degrees > 0 else np.inf
        low, high = max(value - away, -1.0), min(value + away, 1.0)
        likely = f"likely {low:+.2f} to {high:+.2f}; " if error > 0 else ""
        won, lost, ties = (int((_oriented(preferences, version) == one).sum()) for one in (1, -1, 0))
        counts = f"{won:,} for {name}, {lost:,} for {in_use}, {count_of(ties, 'tie')}"
        said.append(f"{name} over {in_use} {value:+.2f} ({likely}{counts})")
    if unused := int(((preferences.first > 0) & (preferences.second > 0)).sum()):
        said.append(f"{count_of(unused, 'choice')} between other versions do not count")
    rule = "The choices between two answers decide" if decides else "The choices between two answers do not decide"
    return [f"{rule}. Net share of wins: {list_first(said)}."]


def _sum_groups(
    table: VersionTable, preferences: PreferenceTable, version: int, labels: Places
) -> tuple[Floats, Floats, Floats, Floats]:
    """By group: questions that both answered, those with another answer, questions compared, and their mean values."""
    questions, row = np.unique(np.concatenate([table.question, preferences.question]), return_inverse=True)
    of_answer, of_preference = np.split(row.ravel(), [len(table.question)])
    group = np.zeros(len(questions), np.intp)
    group[of_preference] = np.searchsorted(labels, preferences.group)
    group[of_answer] = np.searchsorted(labels, table.group)
    has = [np.bincount(of_answer[table.version == one], minlength=len(questions)) > 0 for one in (0, version)]
    asked = has[0] & has[1]
    rows = changed_answers(table, (0, version))
    changed = asked & (np.bincount(of_answer[rows], minlength=len(questions)) > 0)
    choice = _oriented(preferences, version)
    known = ~np.isnan(choice)
    counts = np.bincount(of_preference[known], minlength=len(questions)).astype(float)
    sums = np.asarray(np.bincount(of_preference[known], weights=choice[known], minlength=len(questions)), float)
    compared = (counts > 0) & ~(asked & ~changed)
    value = np.where(compared, _divide(sums, counts), 0.0)

    def by_group(column: Floats | Bools) -> Floats:
        return np.asarray(np.bincount(group, weights=column.astype(float), minlength=len(labels)), float)

    return by_group(asked), by_group(changed), by_group(compared), by_group(value)


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
