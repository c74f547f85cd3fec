"""Do two groups of raters follow different rules? Agreement within and between groups, and the items that part them."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..presentation.figure import Figure, format_p
from .arrays import Floats
from .groups import FEWEST_TO_CHOOSE
from .ranks import standard_ranks
from .table import ScoreTable

_MOST_RATERS = 10
_LEAST_DIFFERENCE = 0.2
_SHUFFLES = 200
_MOST_ITEMS = 5


@dataclass(frozen=True, slots=True)
class RaterGroups:
    """Two groups of raters."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    within: float
    between: float
    p: float  # how often raters who are exchangeable part as far, over all ways to part them
    items: tuple[str, ...]  # the items on which the groups' means differ most, the largest difference first

    @property
    def sentence(self) -> str:
        """What to tell the team."""
        within, between = Figure("rho", self.within), Figure("rho", self.between)
        return (
            f"Your raters may follow two rules: {', '.join(self.first)} agree with each other at {within} and "
            f"with {', '.join(self.second)} at {between} ({format_p(self.p)}); settle it on "
            f"{', '.join(self.items)} first, or align to one group (--rating)"
        )


def find_rater_groups(table: ScoreTable, *, seed: int = 0) -> RaterGroups | None:
    """Finds the two groups of raters that differ most from each other.

    The statistic is the mean correlation of pairs within groups less that of pairs between groups, for the best of all
    ways to part the raters. Its p-value shuffles each item's ratings among those who rated it. Returns the groups; None
    with fewer than three raters or twenty items that all rated, more than ten raters, or where they part less than 0.2
    or no further than chance.
    """
    is_rated = ~np.isnan(table.ratings)
    shared = np.flatnonzero(is_rated.all(axis=1))
    count = len(table.raters)
    if not 3 <= count <= _MOST_RATERS or len(shared) < FEWEST_TO_CHOOSE:
        return None
    ratings = table.ratings[shared]
    partings = [
        frozenset(part)
        for size in range(2, count)
        for part in combinations(range(count), size)
        if _is_named_first(part, count)
    ]
    statistic, first, within, between = _best(ratings, partings)
    if statistic < _LEAST_DIFFERENCE:
        return None
    generator = np.random.default_rng(seed)
    reached = sum(_best(generator.permuted(ratings, axis=1), partings)[0] >= statistic - 1e-9 for _ in range(_SHUFFLES))
    p = (reached + 1) / (_SHUFFLES + 1)
    if p >= 0.05:
        return None
    second = [rater for rater in range(count) if rater not in first]
    apart = np.abs(ratings[:, sorted(first)].mean(axis=1) - ratings[:, second].mean(axis=1))
    order = np.argsort(-apart, kind="stable")[:_MOST_ITEMS]
    return RaterGroups(
        tuple(table.raters[rater] for rater in sorted(first)),
        tuple(table.raters[rater] for rater in second),
        within,
        between,
        p,
        tuple(table.items[int(shared[place])] for place in order),
    )


def _is_named_first(part: tuple[int, ...], count: int) -> bool:
    """Whether this half names the parting: the larger one, of equals the one with the first rater."""
    return 2 * len(part) > count or (2 * len(part) == count and 0 in part)


def _best(ratings: Floats, partings: list[frozenset[int]]) -> tuple[float, frozenset[int], float, float]:
    ranks = standard_ranks(ratings)
    correlations = ranks.T @ ranks / len(ranks)
    pairs = list(combinations(range(ratings.shape[1]), 2))
    best = (-2.0, partings[0], 0.0, 0.0)
    for part in partings:
        same = [correlations[a, b] for a, b in pairs if (a in part) == (b in part)]
        other = [correlations[a, b] for a, b in pairs if (a in part) != (b in part)]
        within, between = float(np.mean(same)), float(np.mean(other))
        if within - between > best[0]:
            best = (within - between, part, within, between)
    return best
