"""What may be claimed of a choice among measures: which of them is shown beyond chance, and how far it agrees.

One error in a hundred for everything that could be claimed, by gatekeeping (Dmitrienko and Tamhane, 2007). The gate is
one test of two: of the measures that no rating chose or fitted (each metric alone, their mean rank, their normalised
sum), all at once, with four fifths of the error, and of the best of all subsets with one fifth. Only where it shows
that anything agrees may a measure be claimed, and only if it passes the test of its own kind, in which its choice or
its fit is repeated for each shuffling of the ratings. Where all is noise, a claim is made as often as the gate errs,
whatever comes after it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import cast

import numpy as np

from .arrays import Floats
from .chance import BEYOND_CHANCE, Chance, OnProgress, chance_of_any, chance_of_best, chance_of_fit, chance_of_measures
from .combiners import SUBSET, UNFITTED, Combiner
from .cross_validation import CombinationTask, FittedWays, OutOfFold, column_spearmans
from .estimate import Estimate
from .winner_estimate import believable_error, estimate_winner, winning_limits

_LARGEST_RHO = 0.9999
_SHARES_OF_GATE = (0.8, 0.2)
"""Of the test of the measures that nobody fitted, and of that of the best subset (simulated: docs/meta.md)."""
_REPEATS_OF_FIT, _SHUFFLINGS_OF_FIT = 2, 199  # a p-value of 1 / 200 is enough for a claim
_SPREAD_OF_FITS = 1.2
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
    is_choice: bool  # whether metrics and combinations are chosen from; else one combiner was asked for
    permutations: int
    seed: int  # seed of the shuffling, and of the folds in `out_of_fold`
    level: float  # confidence level
    on_progress: OnProgress | None = None

    def choose(self, preferred: int, predictions: Floats) -> TestedChoice:
        """Claims the preferred way, or else the metric, or the combiner without a fit, that is shown beyond chance.

        Returns the claim. Where nothing is shown, it is that of the preferred way, with its p-value and its estimate
        out of fold: nothing is claimed, so that nothing has to be corrected for it.
        """
        first = self._test(preferred, predictions)
        if first.p <= BEYOND_CHANCE or not self.is_choice:
            return first
        singles = [way for way in range(len(self.fitted.rows)) if self._is_single(way)][:1]
        fallbacks = [way for way in (*singles, *self._unfitted) if self.out_of_fold.scores.eligible[way]]
        claims = (self._test(way, self.out_of_fold.predictions[way]) for way in fallbacks)
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
        measures = self._columns[:, self._unfitted]
        if self.is_choice:
            measures = np.hstack([self.task.scaled, measures])
        return chance_of_measures(self.task, measures, permutations=self.permutations, seed=self.seed)

    @property
    def _unfitted(self) -> list[int]:
        """The ways that learn nothing from ratings; of one combiner that was asked for, itself."""
        eligible = self.out_of_fold.scores.eligible
        return [
            number
            for number, way in enumerate(self.task.ways)
            if way.kind in UNFITTED and (self.is_choice or eligible[number])
        ]

    @cached_property
    def _columns(self) -> Floats:
        """What each way predicts of the items that it was fitted to, (items, ways)."""
        return self.fitted.predict_known(np.arange(len(self.task.ratings)))

    def _is_single(self, way: int) -> bool:
        return way < len(self.fitted.rows) and self.task.sizes[self.fitted.rows[way]] == 1

    def _test(self, way: int, predictions: Floats) -> TestedChoice:
        """Tests a way whose predictions out of fold are these, and estimates how far it agrees if it passes."""
        kind, column, plain = self.task.ways[way].kind, self._columns[:, [way]], self.estimate_rho(predictions)
        if kind not in {SUBSET, *UNFITTED}:
            chance = self._chance_of_fit(cast("Combiner", kind))
            rho = float(chance.reached[0])
        else:
            chance = self.best_subset if kind == SUBSET and not self._is_single(way) else self._simple
            rho = float(column_spearmans(column, self.task.ratings)[0])
        p = chance.p(rho)
        if self.is_choice:
            p = max(p, self._gate.p(float(self._gate.reached[0])))
        if p > BEYOND_CHANCE or plain.value is None:
            return TestedChoice(way, p, plain)
        least = chance.critical_rho(self._error_of(chance))
        largest = believable_error(column[:, 0], self.task.ratings, self.task.group_numbers)
        correct = partial(estimate_winner, largest_error=largest, level=self.level)
        if self._is_single(way):
            rivals = self._rivals(way)
            low, high = winning_limits(column[:, 0], rivals, self.task.ratings, self.task.group_numbers)
            plain, quoted = self.estimate_rho(column), (max(least, low), high)
            return TestedChoice(way, p, correct(plain, quoted=quoted, rivals=rivals.shape[1]))
        # the choice is made inside the folds, so that only the test remains to be corrected for: what is quoted lies as
        # far above the least that would be as the tested rho does
        z, tested, critical = np.arctanh(np.clip([plain.value, rho, least], -_LARGEST_RHO, _LARGEST_RHO))
        quoted = (float(np.tanh(z - max(tested - critical, 0.0))), 1.0)
        return TestedChoice(way, p, correct(plain, quoted=quoted, widening=_SPREAD_OF_FITS))

    def _error_of(self, chance: Chance) -> float:
        """The p-value at which a test shows something, all else equal: less than the whole where it opens the gate."""
        if not self.is_choice or chance not in (self._simple, self.best_subset):
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
            on_progress=self.on_progress,
        )

    def _rivals(self, way: int) -> Floats:
        """The other metrics alone, where the way is the best of all, (items, metrics)."""
        own = int(self.fitted.rows[way])
        rho = column_spearmans(self.task.scaled, self.task.ratings)
        return np.delete(self.task.scaled, own, axis=1)[:, : None if rho[own] >= rho.max() - 1e-9 else 0]
