"""What chance alone would give: ratings shuffled over the answers, group by group."""

from collections.abc import Iterator

import numpy as np

from .arrays import Floats, Places
from .table import ScoreTable

_CELLS_AT_ONCE = 4_000_000


def shuffled(values: Floats, group_numbers: Places, *, permutations: int, seed: int) -> Iterator[Floats]:
    """The values permuted by whole groups, (items, permutations), a block of permutations at a time.

    The items are listed group by group twice, with groups and the items within them in random order, and the first
    list takes the values of the second. With groups of equal size whole groups change places (exchangeable blocks;
    Winkler et al., 2015); with unequal sizes neighbours stay together but for the groups' edges. Without groups it is
    the ordinary permutation.
    """
    generator = np.random.default_rng(seed)
    count = int(group_numbers.max(initial=-1)) + 1
    at_once = max(1, _CELLS_AT_ONCE // max(len(values), 1))
    for first in range(0, permutations, at_once):
        size = min(at_once, permutations - first)
        found = np.empty((len(values), size))
        of_group = (generator.random((2, count, size)).argsort(axis=1)).argsort(axis=1)
        places, sources = (
            np.argsort(of_group[side][group_numbers] + generator.random((len(values), size)), axis=0) for side in (0, 1)
        )
        np.put_along_axis(found, places, values[sources], axis=0)
        yield found


def max_t(table: ScoreTable, *, permutations: int, seed: int = 0) -> tuple[list[float], list[float]]:
    """Two-sided permutation p-values of each metric's rank correlation: alone, and with all of the metrics counted.

    The statistic is sqrt(n - 1) times Pearson's correlation of the metric's ranks with the ranks of the ratings, on the
    items that it scored. The second list is Westfall and Young's (1993) single-step max-T: how often the largest
    statistic of all metrics reaches this one. p = (b + 1) / (m + 1) (Phipson and Smyth, 2010).
    """
    from scipy.stats import rankdata

    scored = ~np.isnan(table.oriented)
    ranks = np.zeros_like(table.oriented)
    for number in range(len(table.metrics)):
        own = rankdata(table.oriented[scored[:, number], number])
        ranks[scored[:, number], number] = (own - own.mean()) / (own.std() or 1.0)
    rating_ranks = rankdata(table.mean_rating)
    rating_ranks = (rating_ranks - rating_ranks.mean()) / (rating_ranks.std() or 1.0)
    inside, of_items = scored.astype(float), scored.sum(axis=0)

    def statistics(ratings: Floats) -> Floats:  # (items, permutations) -> (metrics, permutations)
        mean = inside.T @ ratings / of_items[:, None]
        spread = np.sqrt(np.maximum(inside.T @ ratings**2 / of_items[:, None] - mean**2, 1e-12))
        rho = ranks.T @ ratings / of_items[:, None] / spread
        found: Floats = np.abs(rho) * np.sqrt(of_items - 1)[:, None]
        return found

    observed = statistics(rating_ranks[:, None])[:, 0]
    alone, together = np.zeros(len(observed)), np.zeros(len(observed))
    for block in shuffled(rating_ranks, table.group_numbers, permutations=permutations, seed=seed):
        by_chance = statistics(block) + 1e-9  # equal statistics reach each other
        alone += (by_chance >= observed[:, None]).sum(axis=1)
        together += (by_chance.max(axis=0) >= observed[:, None]).sum(axis=1)
    return [[(float(reached) + 1) / (permutations + 1) for reached in counts] for counts in (alone, together)]  # type: ignore[return-value]
