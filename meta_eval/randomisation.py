"""What chance alone would give: ratings shuffled over the answers, group by group."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from .arrays import Floats, Places
from .groups import FEWEST_GROUPS
from .ranks import standard_ranks
from .table import ScoreTable

_CELLS_PER_BLOCK = 4_000_000
_PILOT, _NEAREST = 1000, 50  # reorderings from which the strength of the groups is read
_CANDIDATES = 5  # reorderings of which the one whose groups are most like the observed ones is taken
_STRONGEST = 0.99
_ROUNDING = 1e-9  # what is nearer is equal but for rounding
_FLIPS = 9_999
_MOST_ENUMERATED = 12  # groups of which all signs are gone through


def shuffle_by_group(values: Floats, group_numbers: Places, *, permutations: int, seed: int) -> Iterator[Floats]:
    """Shuffles values over items so that items of one group stay as alike as they are, one block at a time.

    Groups of equal size (single items among them) change places as wholes, and the items within them too: an exact
    permutation of exchangeable blocks (Winkler et al., 2015).

    Groups of unequal size cannot change places. There the values are dealt out again in the order of latent normal
    variables, of which a share is common to each group. The share is drawn for each shuffling: from 1,000 reorderings
    with shares from 0 to 0.99, those 50 count whose observed values have a share between groups nearest to that of the
    real ones (approximate Bayesian computation: Beaumont, Zhang and Balding, 2002). Of five such reorderings the one
    that is nearest again is taken, which conditions on what is unknown (Lindqvist and Taraldsen, 2005). So every
    shuffling holds exactly the values that there are, as much alike within groups as the real ones, and says nothing.
    Yields blocks (items, shufflings of the block).

    Examples:
        >>> values, groups = np.array([1.0, 2.0, 8.0, 9.0]), np.array([0, 0, 1, 1])
        >>> block = next(shuffle_by_group(values, groups, permutations=50, seed=0))
        >>> block.shape, {tuple(sorted(column[:2].tolist())) for column in block.T} == {(1.0, 2.0), (8.0, 9.0)}
        ((4, 50), True)
    """
    if len(values) * permutations <= _CELLS_PER_BLOCK:  # the tests of one table look at the same shufflings
        yield _only_block(values.tobytes(), group_numbers.tobytes(), permutations, seed)
    else:
        yield from _blocks(values, group_numbers, permutations, seed)


@lru_cache(maxsize=1)
def _only_block(values: bytes, group_numbers: bytes, permutations: int, seed: int) -> Floats:
    [block] = _blocks(np.frombuffer(values), np.frombuffer(group_numbers, np.intp), permutations, seed)
    block.flags.writeable = False
    return block


def _blocks(values: Floats, group_numbers: Places, permutations: int, seed: int) -> Iterator[Floats]:
    generator = np.random.default_rng(seed)
    groups = _Groups(group_numbers)
    strengths = None if groups.are_equal else _likely_strengths(values, groups, generator)
    width = max(1, _CELLS_PER_BLOCK // max(len(values), 1))
    for first in range(0, permutations, width):
        size = min(width, permutations - first)
        if strengths is None:
            yield _exchange(values, groups, size, generator)
        else:
            yield _reorder_alike(values, groups, strengths[generator.integers(0, len(strengths), size)], generator)


class _Groups:
    """The groups of the items, prepared once."""

    def __init__(self, numbers: Places) -> None:
        self.numbers = numbers
        self.sizes = np.bincount(numbers)
        self._order = np.argsort(numbers, kind="stable")
        self._starts = np.cumsum(self.sizes) - self.sizes

    @property
    def are_equal(self) -> bool:
        return len(set(self.sizes.tolist())) <= 1

    def sums(self, values: Floats) -> Floats:
        """Sums values (items, columns) by group, (groups, columns)."""
        totals: Floats = np.add.reduceat(values[self._order], self._starts, axis=0)
        return totals

    def shared_part(self, values: Floats) -> Floats:
        """The share of the variance of values (items, columns) that groups have in common, (columns,); at most 1.

        From the variance of the groups' means, each counting alike, and the variance within groups (unweighted
        analysis of variance: Searle, Casella and McCulloch, 1992). 0 where each item is its own group.
        """
        count, items = len(self.sizes), len(self.numbers)
        if count == items or count < 2:
            return np.zeros(values.shape[1])
        sizes = self.sizes[:, None]
        means = self.sums(values) / sizes
        within = ((values**2).sum(axis=0) - (sizes * means**2).sum(axis=0)) / (items - count)
        between = means.var(axis=0, ddof=1) - within * float((1 / self.sizes).mean())
        shares: Floats = between / np.maximum(between + within, 1e-12)
        return shares


def _exchange(values: Floats, groups: _Groups, size: int, generator: np.random.Generator) -> Floats:
    """Groups of one size change places, the items within them in random order, (items, size)."""
    block = np.empty((len(values), size))
    group_order = generator.random((2, len(groups.sizes), size)).argsort(axis=1).argsort(axis=1)
    targets, sources = (
        np.argsort(group_order[side][groups.numbers] + generator.random((len(values), size)), axis=0) for side in (0, 1)
    )
    np.put_along_axis(block, targets, values[sources], axis=0)
    return block


def _reorder(values: Floats, groups: _Groups, shares: Floats, generator: np.random.Generator) -> Floats:
    """The values in the order of latent normal variables of which these shares are common to a group."""
    of_group = generator.normal(size=(len(shares), len(groups.sizes)))[:, groups.numbers]
    latent = np.sqrt(1 - shares)[:, None] * generator.normal(size=(len(shares), len(values)))
    latent += np.sqrt(shares)[:, None] * of_group
    block = np.empty_like(latent)
    np.put_along_axis(block, latent.argsort(axis=1), np.sort(values)[None, :], axis=1)
    return block.T


def _likely_strengths(values: Floats, groups: _Groups, generator: np.random.Generator) -> Floats:
    """Shares common to a group, in the latent variable, that give observed values like the real ones."""
    shares = np.linspace(0, _STRONGEST, _PILOT)
    distances = np.empty(_PILOT)
    real = groups.shared_part(values[:, None])[0]
    width = max(1, _CELLS_PER_BLOCK // len(values))
    for first in range(0, _PILOT, width):
        part = slice(first, first + width)
        distances[part] = np.abs(groups.shared_part(_reorder(values, groups, shares[part], generator)) - real)
    nearest: Floats = shares[np.argsort(distances, kind="stable")[:_NEAREST]]
    return nearest


def _reorder_alike(values: Floats, groups: _Groups, shares: Floats, generator: np.random.Generator) -> Floats:
    """For each share, the one of some reorderings whose groups are as much alike as the real ones, (items, shares)."""
    real = groups.shared_part(values[:, None])[0]
    best, least = np.empty((len(values), len(shares))), np.full(len(shares), np.inf)
    for _ in range(_CANDIDATES):
        block = _reorder(values, groups, shares, generator)
        distance = np.abs(groups.shared_part(block) - real)
        is_nearer = distance < least
        best[:, is_nearer] = block[:, is_nearer]
        least = np.minimum(least, distance)
    return best


def max_t(table: ScoreTable, *, permutations: int, seed: int = 0) -> tuple[list[float], list[float]]:
    """Computes two-sided permutation p-values of each metric's rank correlation, alone and corrected for all metrics.

    The statistic is sqrt((n - 1) / d) |rho|, with rho Pearson's correlation of the metric's ranks with the ranks of the
    ratings on the n items that it scored. d is the variance of rho beside that of n independent items (Moulton, 1990):
    1 + r sum_{i != j of one group} x_i x_j / n, with x the standardised ranks of the metric and r the part of the
    variance of the ratings' ranks that groups share, both worked out anew in every shuffling, so that how strongly the
    shuffling keeps groups together is divided out (DiCiccio and Romano, 2017). The correction is the single-step max-T
    of Westfall and Young (1993): how often the largest statistic of all metrics reaches this one. p = (b + 1) / (m +
    1), so that it is never 0 (Phipson and Smyth, 2010). Returns one p-value per metric alone, and one per metric
    corrected; in (0, 1].
    """
    is_scored = ~np.isnan(table.oriented)
    ranks = np.zeros_like(table.oriented)
    for number in range(len(table.metrics)):
        ranks[is_scored[:, number], number] = standard_ranks(table.oriented[is_scored[:, number], number])
    rating_ranks = standard_ranks(table.mean_rating)
    mask, counts = is_scored.astype(float), is_scored.sum(axis=0)
    groups = _Groups(table.group_numbers)
    shared_scores = (groups.sums(ranks) ** 2).sum(axis=0) / np.maximum((ranks**2).sum(axis=0), 1e-12) - 1

    def statistics(ratings: Floats) -> Floats:
        """Maps ratings (items, permutations) to statistics (metrics, permutations)."""
        mean = mask.T @ ratings / counts[:, None]
        spread = np.sqrt(np.maximum(mask.T @ ratings**2 / counts[:, None] - mean**2, 1e-12))
        rho = ranks.T @ ratings / counts[:, None] / spread
        inflation = 1 + shared_scores[:, None] * np.clip(groups.shared_part(ratings), 0, _STRONGEST)
        values: Floats = np.abs(rho) * np.sqrt((counts - 1)[:, None] / np.maximum(inflation, 1 - _STRONGEST))
        return values

    observed = statistics(rating_ranks[:, None])[:, 0]
    reached_alone, reached_by_max = np.zeros(len(observed)), np.zeros(len(observed))
    for block in shuffle_by_group(rating_ranks, table.group_numbers, permutations=permutations, seed=seed):
        by_chance = statistics(block) + 1e-9  # so that statistics that are equal but for rounding reach each other
        reached_alone += (by_chance >= observed[:, None]).sum(axis=1)
        reached_by_max += (by_chance.max(axis=0) >= observed[:, None]).sum(axis=1)
    return _p_values(reached_alone, permutations), _p_values(reached_by_max, permutations)


def p_of_signs(sums: Floats) -> float:
    """The p-value by the signs of few groups that differ: at least 2^(1 - k) of k groups. 0 where they are many.

    It is the share of all ways to give these sums signs in which the total is as far from 0 (Fisher's randomisation
    test). With few groups that differ, the t test finds more than that; with many the two hardly differ.

    Example:
        Four groups of one sign: two ways of 16. Seven of eight: the 2 x (1 + 8) of 256 with seven alike or more.

        >>> p_of_signs(np.ones(4)), p_of_signs(np.array([1.0] * 7 + [-1])), p_of_signs(np.ones(40))
        (0.125, 0.0703125, 0.0)
    """
    differing = sums[np.abs(sums) > _ROUNDING]
    if not 0 < len(differing) <= _MOST_ENUMERATED:
        return 0.0
    totals = np.zeros(1)
    for one in differing:
        totals = np.concatenate([totals + one, totals - one])
    return float((np.abs(totals) >= abs(totals[0]) - _ROUNDING).mean())


def sign_flip_max_t(sums: Floats, sizes: Floats, *, permutations: int, seed: int = 0) -> Floats:
    """Tests which of several columns of sums by group are higher than chance makes them, all columns counted.

    The signs of a group flip in all columns together. Each total is divided by its cluster-robust standard error in
    every flip, so that the test also holds where sums are only nearly independent, as those of ranks are (Hemerik,
    Goeman and Finos, 2020). The p-value of a column is how often the largest studentised
    total of all reaches its own: the single-step max-T of Westfall and Young (1993); (b + 1) / (m + 1), one-sided.

    Examples:
        >>> sums = np.column_stack([[2.0, 1, 3, 2, 1, 2, 3, 2], [1.0, -1, 1, -1, 1, -1, 1, -1]])
        >>> first, second = sign_flip_max_t(sums, np.ones((8, 2)), permutations=999)
        >>> bool(first < 0.02), bool(second > 0.5)
        (True, True)
    """
    statistic = _flip_statistic(sums, sizes)
    observed = statistic(np.ones((1, len(sums))))[0]
    slack = np.array([_slack(one) for one in observed])
    reached = np.zeros(len(observed))
    for signs in _sign_flips(len(sums), permutations, seed):
        reached += (statistic(signs).max(axis=1)[:, None] >= observed - slack).sum(axis=0)
    return (reached + 1) / (permutations + 1)


def labels_above_zero(
    gaps: Floats, labels: Sequence[str], units: Sequence[object], *, error: float
) -> list[tuple[str, float, int]]:
    """Finds the labels whose gaps are above 0 on average beyond chance: each with its mean gap and their number.

    The signs of a unit flip together, all labels counted (`sign_flip_max_t`), at an `error` for all of them. A label
    needs gaps of five units. `gaps`, `labels` and `units` are as long as each other.

    Example:
        >>> gaps = np.array([2.0, 1, 3, 2, 1, 2, 3, 2, 1, -1, 1, -1, 1, -1])
        >>> labels_above_zero(gaps, ["returns"] * 8 + ["prices"] * 6, range(14), error=0.05)
        [('returns', 2.0, 8)]
    """
    counts = Counter(label for label, _ in {*zip(labels, units, strict=True)})
    places = [place for place, label in enumerate(labels) if counts[label] >= FEWEST_GROUPS]
    if not places:
        return []
    names, columns = np.unique([labels[place] for place in places], return_inverse=True)
    rows = np.unique([str(units[place]) for place in places], return_inverse=True)[1]
    sums, sizes = np.zeros((2, int(rows.max()) + 1, len(names)))
    np.add.at(sums, (rows, columns), gaps[places])
    np.add.at(sizes, (rows, columns), 1)
    p_values = sign_flip_max_t(sums, sizes, permutations=_FLIPS)
    found = zip(names.tolist(), p_values, sums.sum(axis=0), sizes.sum(axis=0), strict=True)
    return [(name, float(total / size), int(size)) for name, p, total, size in found if p <= error]


def _sign_flips(groups: int, permutations: int, seed: int) -> Iterator[Floats]:
    """Blocks of signs, (flips of the block, groups)."""
    generator = np.random.default_rng(seed)
    width = max(1, _CELLS_PER_BLOCK // max(groups, 1))
    for first in range(0, permutations, width):
        flips = generator.integers(0, 2, (min(width, permutations - first), groups), dtype=np.int8)
        yield np.where(flips == 0, -1.0, 1.0)


def _slack(observed: float) -> float:
    """How near statistics are that are equal but for rounding."""
    return 1e-9 * max(1.0, abs(observed))


def _flip_statistic(sums: Floats, sizes: Floats) -> Callable[[Floats], Floats]:
    """Maps signs (flips, groups) to the total of each column of flipped sums over its standard error, (flips, columns).

    The error is cluster-robust: the root of the sum over groups of (sum - share of the items * total)^2 / (1 - share).
    """
    parts = sums / np.maximum(np.abs(sums).sum(axis=0), np.finfo(float).tiny)
    shares = sizes / np.maximum(sizes.sum(axis=0), 1)
    weights = np.divide(1, 1 - shares, out=np.zeros_like(shares), where=shares < 1)
    crossing, squares = parts * shares * weights, (parts**2 * weights).sum(axis=0)
    share_squares = (shares**2 * weights).sum(axis=0)

    def studentised(signs: Floats) -> Floats:
        total = signs @ parts
        variance = squares - 2 * total * (signs @ crossing) + total**2 * share_squares
        values: Floats = total / np.sqrt(np.maximum(variance, 1e-18))
        return values

    return studentised


def _p_values(reached: Floats, permutations: int) -> list[float]:
    return [(float(count) + 1) / (permutations + 1) for count in reached]
