"""What the best of several measures, or a fit, reaches on shuffled ratings: the choice, or fit, is repeated on them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arrays import Floats
from .combinations import place_all, subset_correlations, weigh
from .cross_validation import CombinationTask
from .groups import grouped_folds
from .randomisation import shuffle_by_group
from .ranks import standard_ranks

BEYOND_CHANCE = 0.01
"""A claim is made where chance alone would do as well once in a hundred times: a scorer decides every night on it."""


_CELLS_PER_BLOCK = 1_000_000
_CELLS_PER_FIT = 50_000
_DIGITS = 9
_ROUNDING = 10.0**-_DIGITS  # figures that are equal but for rounding reach each other


@dataclass(frozen=True, eq=False)
class Chance:
    """What measures reach on the ratings, beside what the best of them reaches on shuffled ones."""

    reached: Floats  # Spearman's rho of each measure on the ratings as they are, (measures,)
    by_chance: Floats  # the largest of all measures for each shuffling of the ratings, (permutations,)

    def p(self, rho: float) -> float:
        """One-sided p-value of a measure's rho, all measures counted: (b + 1) / (m + 1) (Phipson and Smyth, 2010).

        b of the m shufflings have a largest rho that reaches this one (max-T; Westfall and Young, 1993).
        """
        return (float((self.by_chance >= rho - _ROUNDING).sum()) + 1) / (len(self.by_chance) + 1)

    def critical_rho(self, significance: float) -> float:
        """The rho above which `p` is at most `significance`; 1 where there are too few shufflings for that."""
        may_reach = int(significance * (len(self.by_chance) + 1) + _ROUNDING) - 1
        return 1.0 if may_reach < 0 else float(np.sort(self.by_chance)[-1 - may_reach])


def chance_of_any(chances: Sequence[Chance], shares: Sequence[float]) -> Chance:
    """Joins tests on the same shufflings into one test that any of them has something to show.

    Each test's p-value is divided by its share, and the smallest of these counts, of the ratings as they are and of
    each shuffling (min-P; Westfall and Young, 1993): the larger a test's share, the less it loses by the others. Tests
    that move together lose less than by splitting the error among them. Returns less the smallest p-value over its
    share, on the ratings and by chance.
    """
    weighted = []
    for chance, share in zip(chances, shares, strict=True):
        largest = np.r_[chance.reached.max(), chance.by_chance].round(_DIGITS)
        reaching = len(largest) - np.searchsorted(np.sort(largest), largest)
        weighted.append(reaching / len(largest) / share)
    smallest = -np.min(weighted, axis=0)
    return Chance(smallest[:1], smallest[1:])


def chance_of_measures(task: CombinationTask, measures: Floats, *, permutations: int, seed: int) -> Chance:
    """Tests measures that no rating chose, all at once: Spearman of each, and the largest of them by chance."""
    y = standard_ranks(task.ratings)
    x = standard_ranks(measures) / len(y)
    blocks = shuffle_by_group(y, task.group_numbers, permutations=permutations, seed=seed)
    return Chance(x.T @ y, np.concatenate([(x.T @ block).max(axis=0) for block in blocks]))


def chance_of_best(task: CombinationTask, *, permutations: int, seed: int) -> Chance:
    """Tests the choice of the best subset: how well would it do on shuffled ratings?

    The whole choice among all subsets is repeated for each shuffling by groups. Spearman of the best subset on the
    ratings, and on each shuffling.
    """
    x, ranks = task.scaled, standard_ranks(task.ratings)
    width = max(1, _CELLS_PER_BLOCK // len(task.subsets))

    def best_spearman(ratings: Floats) -> Floats:
        """Maps ratings (items, shufflings) to Spearman of the subset that each would choose (shufflings,)."""
        blocks = (ratings[:, first : first + width] for first in range(0, ratings.shape[1], width))
        rows = np.concatenate([np.argmax(subset_correlations(x, block, task.subsets), axis=0) for block in blocks])
        chosen, place = np.unique(rows, return_inverse=True)
        sums = standard_ranks(x @ task.subsets[chosen].T)
        spearmans: Floats = np.einsum("ij,ij->j", sums[:, place], ratings) / len(x)
        return spearmans

    blocks = shuffle_by_group(ranks, task.group_numbers, permutations=permutations, seed=seed)
    return Chance(best_spearman(ranks[:, None]), np.concatenate([best_spearman(block) for block in blocks]))


def chance_of_weights(task: CombinationTask, *, repeats: int, folds: int, permutations: int, seed: int) -> Chance:
    """Tests all metrics weighed: the fit in every fold is repeated for each shuffling.

    Predictions out of fold that are held against shuffled ratings without a new fit vary less than they do by chance: a
    fold's fit knows what is left for the fold that it predicts (Ojala and Garriga, 2010, test 1). Spearman out of fold,
    the mean over repeats, and the same for each shuffling.
    """
    everything, width = np.arange(len(task.ratings)), max(1, _CELLS_PER_FIT // len(task.ratings))
    levels, ranks = np.unique(task.ratings), standard_ranks(task.ratings)
    levels_of_ranks = np.unique(ranks)
    dealt = [grouped_folds(task.group_numbers, folds, seed=seed + repeat) for repeat in range(repeats)]

    def spearmans(shuffled: Floats) -> Floats:
        """Maps ranks of ratings (items, shufflings) to Spearman out of fold (shufflings,)."""
        ratings, total = levels[np.searchsorted(levels_of_ranks, shuffled)], np.zeros(shuffled.shape[1])
        for parts in dealt:
            predictions = np.empty_like(shuffled)
            for held_out in parts:
                weights = weigh(task.scaled, ratings, np.setdiff1d(everything, held_out))
                predictions[held_out] = place_all(task.scaled @ weights)[held_out]
            total += np.einsum("ij,ij->j", standard_ranks(predictions), shuffled)
        return total / len(ratings) / repeats

    by_chance = [
        spearmans(block[:, first : first + width])
        for block in shuffle_by_group(ranks, task.group_numbers, permutations=permutations, seed=seed)
        for first in range(0, block.shape[1], width)
    ]
    return Chance(spearmans(ranks[:, None]), np.concatenate(by_chance))
