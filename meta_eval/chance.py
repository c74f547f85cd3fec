"""What may be claimed of a choice among measures: which of them is shown beyond chance, and how far it agrees.

A chance repeats the whole choice, or fit, on shuffled ratings. One error in a hundred counts for everything that could
be claimed, by gatekeeping (Dmitrienko and Tamhane, 2007). The gate is one test of two: of the measures that no rating
chose or fitted (each metric alone, their mean rank, their normalised sum), all at once, with four fifths of the error,
and of the best of all subsets with one fifth. Only where it shows that anything agrees may a measure be claimed, and
only if it passes the test of its own kind, in which its choice or its fit is repeated for each shuffling of the
ratings. Where all is noise, a claim is made as often as the gate errs, whatever comes after it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import cast

import numpy as np

from .arrays import Floats
from .combiners import SUBSET, UNFITTED, Combiner, fit_combiner, scaling_of, subset_correlations
from .cross_validation import CombinationTask, FittedWays, OutOfFold
from .estimate import Estimate
from .groups import grouped_folds
from .randomisation import shuffle_by_group
from .ranks import column_spearmans, standard_ranks
from .winner_estimate import LARGEST_RHO, believable_error, estimate_winner, winning_limits

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


def chance_of_fit(
    task: CombinationTask, kind: Combiner, *, repeats: int, folds: int, permutations: int, seed: int
) -> Chance:
    """Tests a combiner that is fitted to ratings: the fit in every fold is repeated for each shuffling.

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
        ratings = levels[np.searchsorted(levels_of_ranks, shuffled)]
        total, scaled = np.zeros(shuffled.shape[1]), task.prepared(scaling_of(kind))
        for parts in dealt:
            predictions = np.empty_like(shuffled)
            for held_out in parts:
                training = np.setdiff1d(everything, held_out)
                fitted = fit_combiner(kind, scaled, ratings, middle=task.middle, training=training)
                predictions[held_out] = fitted.predict_known(held_out)
            total += np.einsum("ij,ij->j", standard_ranks(predictions), shuffled)
        return total / len(ratings) / repeats

    by_chance = [
        spearmans(block[:, first : first + width])
        for block in shuffle_by_group(ranks, task.group_numbers, permutations=permutations, seed=seed)
        for first in range(0, block.shape[1], width)
    ]
    return Chance(spearmans(ranks[:, None]), np.concatenate(by_chance))


_SHARES_OF_GATE = (0.8, 0.2)
"""Of the test of the measures that nobody fitted, and of that of the best subset (simulated: docs/meta.md)."""
_REPEATS_OF_FIT, _SHUFFLINGS_OF_FIT = 2, 199  # a p-value of 1 / 200 is enough for a claim
SPREAD_OF_FITS = 1.2
"""How much more a figure out of fold varies than with the folds' fits taken as given (simulated)."""


@dataclass(frozen=True, slots=True)
class TestedChoice:
    """What may be claimed of one way of combining."""

    way: int
    p: float  # the one-sided p-value of its agreement, with all counted that it was chosen from
    agreement: Estimate  # how far it agrees, given that it was chosen and that the claim is made


@dataclass(frozen=True, eq=False)
class ChoiceTests:
    """The tests behind a claim."""

    task: CombinationTask
    fitted: FittedWays
    out_of_fold: OutOfFold  # what the ways predict of items that they were not fitted to
    # estimates Spearman's rho of values (items, repeats), with its usual interval
    estimate_rho: Callable[[Floats], Estimate]
    permutations: int
    seed: int  # seed of the shuffling, and of the folds in `out_of_fold`

    def choose(self, preferred: int, predictions: Floats) -> TestedChoice:
        """Claims the preferred way, or else the metric, or the combiner without a fit, that is shown beyond chance.

        Returns the claim. Where nothing is shown, it is that of the preferred way, with its p-value and its estimate
        out of fold: nothing is claimed, so that nothing has to be corrected for it.
        """
        first = self._test(preferred, predictions)
        if first.p <= BEYOND_CHANCE:
            return first
        singles = [way for way in range(len(self.fitted.rows)) if self.fitted.is_single(way)][:1]
        claims = (self._test(way, self.out_of_fold.predictions[way]) for way in (*singles, *self._unfitted))
        return next((claim for claim in claims if claim.p <= BEYOND_CHANCE), first)

    @cached_property
    def best_subset(self) -> Chance:
        """The test of the best of all subsets."""
        return chance_of_best(self.task, permutations=self.permutations, seed=self.seed)

    @cached_property
    def _gate(self) -> Chance:
        """The test that any measure or any subset agrees with the ratings."""
        return chance_of_any([self._simple, self.best_subset], _SHARES_OF_GATE)

    @cached_property
    def _simple(self) -> Chance:
        """The test of all measures that no rating chose or fitted."""
        measures = np.hstack([self.task.scaled, self._columns[:, self._unfitted]])
        return chance_of_measures(self.task, measures, permutations=self.permutations, seed=self.seed)

    @property
    def _unfitted(self) -> list[int]:
        """The combiners that learn nothing from ratings."""
        return [number for number, way in enumerate(self.task.ways) if way.kind in UNFITTED]

    @cached_property
    def _columns(self) -> Floats:
        """What each way predicts of the items that it was fitted to, (items, ways)."""
        return self.fitted.predict_known(np.arange(len(self.task.ratings)))

    def _test(self, way: int, predictions: Floats) -> TestedChoice:
        """Tests a way whose predictions out of fold are these, and estimates how far it agrees if it passes."""
        kind, column, plain = self.task.ways[way].kind, self._columns[:, [way]], self.estimate_rho(predictions)
        if kind not in {SUBSET, *UNFITTED}:
            chance = self._chance_of_fit(cast("Combiner", kind))
            rho = float(chance.reached[0])
        else:
            chance = self.best_subset if kind == SUBSET and not self.fitted.is_single(way) else self._simple
            rho = float(column_spearmans(column, self.task.ratings)[0])
        p = max(chance.p(rho), self._gate.p(float(self._gate.reached[0])))
        if p > BEYOND_CHANCE or plain.value is None:
            return TestedChoice(way, p, plain)
        least = chance.critical_rho(self._error_of(chance))
        largest = believable_error(column[:, 0], self.task.ratings, self.task.group_numbers)
        correct = partial(estimate_winner, largest_error=largest)
        if self.fitted.is_single(way):
            rivals = self._rivals(way)
            low, high = winning_limits(column[:, 0], rivals, self.task.ratings, self.task.group_numbers)
            plain, quoted = self.estimate_rho(column), (max(least, low), high)
            return TestedChoice(way, p, correct(plain, quoted=quoted, rivals=rivals.shape[1]))
        # the choice is made inside the folds, so that only the test remains to be corrected for: what is quoted lies as
        # far above the least that would be as the tested rho does
        z, tested, critical = np.arctanh(np.clip([plain.value, rho, least], -LARGEST_RHO, LARGEST_RHO))
        quoted = (float(np.tanh(z - max(tested - critical, 0.0))), 1.0)
        return TestedChoice(way, p, correct(plain, quoted=quoted, widening=SPREAD_OF_FITS))

    def _error_of(self, chance: Chance) -> float:
        """The p-value at which a test shows something, all else equal: less than the whole where it opens the gate."""
        if chance not in (self._simple, self.best_subset):
            return BEYOND_CHANCE
        largest_p = -self._gate.critical_rho(BEYOND_CHANCE)
        for other, share in zip((self.best_subset, self._simple), reversed(_SHARES_OF_GATE), strict=True):
            if other is not chance and other.p(float(other.reached.max())) / share < largest_p:
                return BEYOND_CHANCE
        own = _SHARES_OF_GATE[0 if chance is self._simple else 1]
        return min(BEYOND_CHANCE, own * largest_p)

    def _chance_of_fit(self, kind: Combiner) -> Chance:
        return chance_of_fit(
            self.task,
            kind,
            repeats=min(self.out_of_fold.repeats, _REPEATS_OF_FIT),
            folds=self.out_of_fold.scores.folds,
            # one fit per shuffling, where ridge regression fits many at once
            permutations=min(self.permutations, _SHUFFLINGS_OF_FIT) if kind == "logistic" else self.permutations,
            seed=self.seed,
        )

    def _rivals(self, way: int) -> Floats:
        """The other metrics alone, where the way is the best of all, (items, metrics)."""
        own = int(self.fitted.rows[way])
        rho = column_spearmans(self.task.scaled, self.task.ratings)
        return np.delete(self.task.scaled, own, axis=1)[:, : None if rho[own] >= rho.max() - 1e-9 else 0]
