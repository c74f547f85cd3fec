"""How strong versions are by preferences between them: the model of Bradley and Terry, with ties and intervals."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...text.wording import count_of, list_first
from ..arrays import Bools, Floats, Places
from ..jackknife import FEWEST_GROUPS
from ..student import effective_degrees, t_quantile
from .preference_table import PreferenceTable

_HALF = 0.5  # a win for each side, added to every pair that is compared
_MOST_PARTS = 200  # with more groups, parts of several groups are left out
_MOST_STEPS = 10_000
_TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True)
class PairStrength:
    """How likely the second of two versions is preferred to the first.

    Attributes:
        first: The first version's name.
        second: The second's.
        wins_first: How many preferences are for the first.
        wins_second: How many are for the second.
        ties: How many are for neither.
        probability: How likely the second is preferred, a tie counting half, in (0, 1), by all comparisons, also with
            other versions; None where nothing connects the two.
        low: Lower end of its 95% interval; None without one.
        high: Its upper end.
    """

    first: str
    second: str
    wins_first: int
    wins_second: int
    ties: int
    probability: float | None
    low: float | None
    high: float | None

    def describe(self) -> str:
        """Says how likely the second is preferred, and what was counted.

        Example:
            >>> PairStrength("old", "new", 18, 32, 10, 0.615, 0.49, 0.73).describe()
            'new to old in 62% (likely 49% to 73%; 32 for new, 18 for old, 10 ties)'
        """
        ties = count_of(self.ties, "tie")
        wins = f"{self.wins_second:,} for {self.second}, {self.wins_first:,} for {self.first}, {ties}"
        likely = "" if self.low is None or self.high is None else f"likely {self.low:.0%} to {self.high:.0%}; "
        return f"{self.second} to {self.first} in {self.probability or 0:.0%} ({likely}{wins})"


@dataclass(frozen=True, eq=False)
class BradleyTerry:
    """The strengths of versions.

    Attributes:
        versions: Their names.
        strengths: Their strengths, (versions,): the second of two is preferred with probability
            1 / (1 + exp(first - second)). Their mean is 0 among those that comparisons connect; NaN for a version
            without any.
        replicates: The strengths without one group of comparisons at a time (of more than 200 groups, one of 200
            parts), (groups, versions).
        components: Which versions comparisons connect, (versions,): those with one number.
        pairs: Every pair of versions.
        notes: What a reader should know, each a sentence.
    """

    versions: tuple[str, ...]
    strengths: Floats
    replicates: Floats
    components: Places
    pairs: tuple[PairStrength, ...]
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """How likely each version is preferred to each other one; "" where nothing connects any two."""
        parts = [pair.describe() for pair in self.pairs if pair.probability is not None]
        return f"preferred, a tie counting half: {list_first(parts)}" if parts else ""


def fit_bradley_terry(table: PreferenceTable, *, level: float = 0.95) -> BradleyTerry:
    """Estimates the strengths of versions from preferences (Bradley and Terry, 1952).

    A tie is half a win for each side, as on Chatbot Arena (Chiang et al., 2024): in the model with ties of Davidson
    (1970) the wins and half of the ties are all that the data say of the strengths. Half a win for each side is added
    to every pair that is compared (Haldane, 1956), which keeps the strength of a version that won every time finite and
    takes the bias out of few comparisons. `choix` finds the maximum of the likelihood (Maystre and Grossglauser, 2015).

    Intervals come from leaving out one group of questions at a time, with Student's t of the effective number of groups
    less one; raters are taken as they are. A version that never lost to another has no finite strength beside it: its
    probability to be preferred has the interval of Clopper and Pearson (1934) over the groups that compare the two, or
    none where only third versions connect them.

    Args:
        table: The preferences.
        level: The confidence level, in (0, 1).

    Example:
        Ten questions: new is better on seven, old on two, and one is a tie: (7.5 + 0.5) / (7.5 + 2.5 + 1):

        >>> count = np.arange(10)
        >>> choice = np.array([1.0] * 7 + [-1] * 2 + [0])
        >>> table = PreferenceTable(("old", "new"), 0 * count, 1 + 0 * count, choice, count, count)
        >>> fitted = fit_bradley_terry(table)
        >>> [round(number, 3) for number in (fitted.pairs[0].probability, fitted.pairs[0].low, fitted.pairs[0].high)]
        [0.727, 0.381, 0.92]
    """
    count = len(table.versions)
    group = _parts_of_groups(table.group)
    groups = int(group.max()) + 1 if len(group) else 0
    wins = np.zeros((groups, count, count))  # of row over column, by group
    share = (1 + table.choice) / 2
    np.add.at(wins, (group, table.second, table.first), share)
    np.add.at(wins, (group, table.first, table.second), 1 - share)
    total = wins.sum(axis=0)
    compared = (total + total.T) > 0
    components = connected_parts(compared)
    strengths = np.full(count, np.nan)
    replicates = np.full((groups, count), np.nan)
    for number in np.unique(components):
        members = np.flatnonzero(components == number)
        if len(members) < 2:
            continue
        inside = np.ix_(members, members)
        added = _HALF * compared[inside]
        strengths[members] = fitted = _maximise(total[inside] + added, None)
        for place in range(groups):
            replicates[place, members] = _maximise(total[inside] - wins[place][inside] + added, fitted)
    reached = _reached(total > 0)
    pairs = tuple(
        _compare(table, (first, second), np.vstack([strengths, replicates]), reached, level)
        for first, second in combinations(range(count), 2)
    )
    notes = tuple(_notes(table, components, reached, pairs))
    return BradleyTerry(table.versions, strengths, replicates, components, pairs, notes)


def _parts_of_groups(group: Places) -> Places:
    """The group of each comparison from 0 on; of more than 200 groups, that of one of 200 parts."""
    labels, place = np.unique(group, return_inverse=True)
    parts = min(len(labels), _MOST_PARTS)
    return np.asarray(place.ravel() * parts // max(len(labels), 1))


def _maximise(wins: Floats, start: Floats | None) -> Floats:
    """The strengths of highest likelihood, with mean 0; `wins[i, j]` is how often i won against j."""
    from choix import ilsr_pairwise_dense

    fitted = ilsr_pairwise_dense(wins, initial_params=start, max_iter=_MOST_STEPS, tol=_TOLERANCE)
    return np.asarray(fitted - fitted.mean())


def _reached(arrows: Bools) -> Bools:
    """Which versions a path of arrows leads to from each, (versions, versions); each reaches itself."""
    reached = arrows | np.eye(len(arrows), dtype=bool)
    for _ in range(len(arrows)):
        reached = (reached.astype(int) @ reached.astype(int)) > 0
    return reached


def connected_parts(compared: Bools) -> Places:
    """The number of the part that each version is in: the first version that comparisons connect it with."""
    return np.asarray(_reached(compared).argmax(axis=1))


def _compare(
    table: PreferenceTable, pair: tuple[int, int], strengths: Floats, reached: Bools, level: float
) -> PairStrength:
    """Compares two versions by their strengths, (1 + groups, versions): of all comparisons, and without each group."""
    first, second = pair
    is_forward = (table.first == first) & (table.second == second)
    is_pair = is_forward | ((table.first == second) & (table.second == first))
    choice = np.where(is_forward, table.choice, -table.choice)[is_pair]
    probability, low, high = None, None, None
    parts = connected_parts(reached | reached.T)
    if parts[first] == parts[second]:
        differences = strengths[:, second] - strengths[:, first]
        difference, probability = float(differences[0]), _to_probability(float(differences[0]))
        is_part = (parts[table.first] == parts[first]).astype(float)
        sizes = np.bincount(_parts_of_groups(table.group), weights=is_part).astype(float)
        without, sizes = differences[1:][sizes > 0], sizes[sizes > 0]
        if not (reached[first, second] and reached[second, first]):
            low, high = _one_sided(choice, len(np.unique(table.group[is_pair])), level)
        elif len(sizes) >= FEWEST_GROUPS:
            error = np.sqrt((len(sizes) - 1) * np.var(without))
            away = t_quantile((1 + level) / 2, effective_degrees(sizes)) * float(error)
            low, high = _to_probability(difference - away), _to_probability(difference + away)
    wins_first, wins_second, ties = (int((choice == outcome).sum()) for outcome in (-1, 1, 0))
    names = table.versions[first], table.versions[second]
    return PairStrength(*names, wins_first, wins_second, ties, probability, low, high)


def _one_sided(choice: Floats, groups: int, level: float) -> tuple[float | None, float | None]:
    """The interval where one version always won: that many groups without an exception (Clopper and Pearson, 1934)."""
    if not groups:
        return None, None
    bound = ((1 - level) / 2) ** (1 / groups)
    return (bound, 1.0) if choice.sum() > 0 else (0.0, 1 - bound)


def _to_probability(difference: float) -> float:
    return float(1 / (1 + np.exp(-difference)))


def _notes(table: PreferenceTable, components: Places, reached: Bools, pairs: tuple[PairStrength, ...]) -> list[str]:
    notes = []
    names = np.array(table.versions, dtype=object)
    parts = [names[components == number].tolist() for number in np.unique(components)]
    if len(parts) > 1:
        listed = "; ".join(list_first(part) for part in parts)
        notes.append(f"no preferences connect these versions, so that nobody can compare them by preferences: {listed}")
    for number, name in enumerate(table.versions):
        others = np.flatnonzero((components == components[number]) & (np.arange(len(names)) != number))
        if not len(others):
            continue
        if reached[number, others].all() and not reached[others, number].any():
            notes.append(f"{name} was never behind: its strength has no upper end; half a win a pair keeps it finite")
        elif len(others) > 1 and reached[others, number].all() and not reached[number, others].any():
            notes.append(f"{name} was never ahead: its strength has no lower end; half a win a pair keeps it finite")
    bare = [f"{pair.first} and {pair.second}" for pair in pairs if pair.low is None and pair.probability is not None]
    if bare:
        why = "their comparisons are of fewer than five groups, or one never lost and was compared with others only"
        notes.append(f"no interval for {list_first(bare)}: {why}")
    return notes
