"""What chance alone would give: ratings shuffled over the answers, group by group."""

from collections.abc import Iterator

import numpy as np

from .arrays import Floats, Places
from .table import ScoreTable

_CELLS_PER_BLOCK = 4_000_000


def shuffle_by_group(values: Floats, group_numbers: Places, *, permutations: int, seed: int) -> Iterator[Floats]:
    """Permutes values by whole groups, one block of permutations at a time.

    The items are listed group by group twice, with the groups and the items within them in random order, and the first
    list takes the values of the second. With groups of equal size whole groups change places (exchangeable blocks;
    Winkler et al., 2015); with unequal sizes neighbours stay together except at the groups' edges. Where each item is
    its own group this is the ordinary permutation.

    Args:
        values: The values to permute, (items,).
        group_numbers: The group of each item as a number from 0, (items,).
        permutations: How many permutations to make.
        seed: Seed of the shuffling.

    Yields:
        Blocks (items, permutations of the block).

    Examples:
        >>> values, groups = np.array([1.0, 2.0, 8.0, 9.0]), np.array([0, 0, 1, 1])
        >>> block = next(shuffle_by_group(values, groups, permutations=50, seed=0))
        >>> block.shape, {tuple(sorted(column[:2].tolist())) for column in block.T} == {(1.0, 2.0), (8.0, 9.0)}
        ((4, 50), True)
    """
    generator = np.random.default_rng(seed)
    count = int(group_numbers.max(initial=-1)) + 1
    width = max(1, _CELLS_PER_BLOCK // max(len(values), 1))
    for first in range(0, permutations, width):
        size = min(width, permutations - first)
        block = np.empty((len(values), size))
        group_order = (generator.random((2, count, size)).argsort(axis=1)).argsort(axis=1)
        targets, sources = (
            np.argsort(group_order[side][group_numbers] + generator.random((len(values), size)), axis=0)
            for side in (0, 1)
        )
        np.put_along_axis(block, targets, values[sources], axis=0)
        yield block


def max_t(table: ScoreTable, *, permutations: int, seed: int = 0) -> tuple[list[float], list[float]]:
    """Computes two-sided permutation p-values of each metric's rank correlation, alone and corrected for all metrics.

    The statistic is sqrt(n - 1) |rho|, with rho Pearson's correlation of the metric's ranks with the ranks of the
    ratings on the n items that it scored. The correction is the single-step max-T of Westfall and Young (1993): how
    often the largest statistic of all metrics reaches this one. p = (b + 1) / (m + 1), so that it is never 0 (Phipson
    and Smyth, 2010).

    Args:
        table: The rated items with the metrics to test.
        permutations: How many times m the ratings are shuffled by whole groups.
        seed: Seed of the shuffling.

    Returns:
        One p-value per metric alone, and one per metric corrected; in (0, 1].

    Examples:
        A metric that orders eight answers as the ratings do, and one that says nothing:

        >>> ratings = np.array([[1.0], [1], [2], [2], [4], [4], [5], [5]])
        >>> scores = np.column_stack([ratings[:, 0], [1.0, 2, 1, 2, 1, 2, 1, 2]])
        >>> table = ScoreTable(tuple("abcdefgh"), ("good", "noise"), scores, ratings)
        >>> alone, corrected = max_t(table, permutations=999)
        >>> alone[0] <= corrected[0] < 0.05, alone[1] == corrected[1] == 1.0
        (True, True)
    """
    from scipy.stats import rankdata

    is_scored = ~np.isnan(table.oriented)
    ranks = np.zeros_like(table.oriented)
    for number in range(len(table.metrics)):
        column = rankdata(table.oriented[is_scored[:, number], number])
        ranks[is_scored[:, number], number] = (column - column.mean()) / (column.std() or 1.0)
    rating_ranks = rankdata(table.mean_rating)
    rating_ranks = (rating_ranks - rating_ranks.mean()) / (rating_ranks.std() or 1.0)
    mask, counts = is_scored.astype(float), is_scored.sum(axis=0)

    def statistics(ratings: Floats) -> Floats:
        """Maps ratings (items, permutations) to statistics (metrics, permutations)."""
        mean = mask.T @ ratings / counts[:, None]
        spread = np.sqrt(np.maximum(mask.T @ ratings**2 / counts[:, None] - mean**2, 1e-12))
        rho = ranks.T @ ratings / counts[:, None] / spread
        values: Floats = np.abs(rho) * np.sqrt(counts - 1)[:, None]
        return values

    observed = statistics(rating_ranks[:, None])[:, 0]
    reached_alone, reached_by_max = np.zeros(len(observed)), np.zeros(len(observed))
    for block in shuffle_by_group(rating_ranks, table.group_numbers, permutations=permutations, seed=seed):
        by_chance = statistics(block) + 1e-9  # so that statistics that are equal but for rounding reach each other
        reached_alone += (by_chance >= observed[:, None]).sum(axis=1)
        reached_by_max += (by_chance.max(axis=0) >= observed[:, None]).sum(axis=1)
    return _p_values(reached_alone, permutations), _p_values(reached_by_max, permutations)


def _p_values(reached: Floats, permutations: int) -> list[float]:
    return [(float(count) + 1) / (permutations + 1) for count in reached]
