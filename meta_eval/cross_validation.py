"""Choosing among all ways of combining metrics inside repeated, grouped, nested cross-validation.

No figure comes from the answers that chose it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from .arrays import Bools, Floats, Places
from .combinations import (
    DIGITS,
    RankedScores,
    all_subsets,
    best_of_each_size,
    place_all,
    place_among,
    subset_correlations,
    weigh,
)
from .groups import grouped_folds
from .ranks import column_spearmans, mean_ranks

Rule = Callable[["FoldScores"], int]
"""Chooses a way to combine from what each reaches on answers that were left out: its place."""


@dataclass(frozen=True, eq=False)
class CombinationTask:
    """What is combined."""

    ratings: Floats  # the mean rating of each item, (items,)
    group_numbers: Places  # the group of each item as a number, (items,)
    subsets: Floats  # the subsets to choose from, (subsets, metrics) of 0 and 1, the small ones first
    sizes: Places  # how many metrics each subset holds, (subsets,)
    # the scores of all items as ranks: ranked anew in each training part, tied scores would be set apart by their fold
    ranked: RankedScores
    _places: dict[int, Floats] = field(init=False, default_factory=dict)

    @classmethod
    def build(
        cls,
        scores: Floats,
        ratings: Floats,
        group_numbers: Places,
        *,
        largest: int,
    ) -> "CombinationTask":
        """Builds the task of choosing among all subsets of up to `largest` metrics, all together, and all weighed."""
        subsets = all_subsets(scores.shape[1], largest)
        return cls(ratings, group_numbers, subsets, subsets.sum(axis=1).astype(np.intp), RankedScores(scores))

    @property
    def has_several(self) -> bool:
        """Whether there are metrics to weigh."""
        return bool(self.subsets.shape[1] > 1)

    @property
    def scaled(self) -> Floats:
        """The ranks of all items, (items, metrics)."""
        return self.ranked.values

    def place_subset(self, row: int) -> Floats:
        """The place of each item's sum over a subset among those of all items, (items,)."""
        if row not in self._places:
            self._places[row] = place_all((self.scaled @ self.subsets[row])[:, None])[:, 0]
        return self._places[row]


@dataclass(frozen=True, eq=False)
class FittedWays:
    """The ways to combine, the simple ones first, chosen and fitted on a task's items at some places.

    They are the best subset of each size, the last one of all metrics, and then all metrics weighed (not of one alone).
    """

    task: CombinationTask
    rows: Places  # the subsets, of `task.subsets`
    weighed: Floats  # the weights of all metrics, (metrics, 1), or (1, 0) of one

    def predict(self, others: Floats) -> Floats:
        """Maps scores (others, metrics) to predictions, (others, ways).

        Sums find their places among those of the task's items, so that a subset keeps its order whatever the fold.
        """
        weights = np.hstack([self.task.subsets[self.rows].T, self.weighed])
        return place_among(self.task.scaled @ weights, self.task.ranked.rank(others) @ weights)

    def predict_known(self, places: Places) -> Floats:
        """The same of items of the task, by their places."""
        subsets = [self.task.place_subset(row)[places] for row in self.rows.tolist()]
        return np.column_stack([*subsets, place_all(self.task.scaled @ self.weighed)[places]])


@dataclass(frozen=True, eq=False)
class FoldScores:
    """What each way reaches on answers that were left out."""

    pooled: Floats  # Spearman over all answers, the mean over repeats, (ways,)
    by_fold: Floats  # Spearman within each part that was left out, (ways, repeats x folds)
    folds: int


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Predictions of every rated item by ways that did not see its group."""

    predictions: Floats  # of each way, (ways, items, repeats)
    # by rule, predictions where the way is chosen inside the training part too, (items, repeats)
    chosen: dict[str, Floats]
    scores: FoldScores
    repeats: int


def fit_ways(task: CombinationTask, training: Places) -> FittedWays:
    """Finds the best subset of each size on the items at `training`, and the weights of all metrics.

    Best is the highest correlation of its sum with the ratings.
    """
    ranks = mean_ranks(task.ratings[training])[:, None]
    correlations = subset_correlations(task.scaled[training], ranks, task.subsets)[:, 0].round(DIGITS)
    weighed = weigh(task.scaled, task.ratings[:, None], training) if task.has_several else np.empty((1, 0))
    return FittedWays(task, best_of_each_size(correlations, task.sizes), weighed)


def choose_best(scores: FoldScores) -> int:
    """The way that agrees best on answers that were left out; of equals the simplest."""
    return int(np.argmax(scores.pooled.round(9)))


def choose_simple(scores: FoldScores) -> int:
    """The simplest way within one standard error of the best."""
    return int(np.argmax(_within_one_error(scores)))


def _within_one_error(scores: FoldScores) -> Bools:
    """Whether each way is within one standard error of the best, (ways,).

    The standard error is that of the folds of one repeat, because repeating does not make more items. Source: the
    one-standard-error rule of Breiman, Friedman, Olshen and Stone (1984).
    """
    best, means = choose_best(scores), scores.by_fold.mean(axis=1)
    error = float(scores.by_fold[best].std(ddof=1)) / np.sqrt(scores.folds) if scores.folds > 1 else 0.0
    within: Bools = means >= means[best] - error
    within[best] = True
    return within


RULES: dict[str, Rule] = {"best": choose_best, "simple": choose_simple}


def cross_validate(task: CombinationTask, *, repeats: int, folds: int, seed: int) -> OutOfFold | None:
    """Repeats every way of combining, and the choice of a way, in grouped folds; None where there are not two."""
    items, everything = len(task.ratings), np.arange(len(task.ratings))
    ways = len(np.unique(task.sizes)) + task.has_several
    predictions = np.full((ways, items, repeats), np.nan)
    chosen = {rule: np.full((items, repeats), np.nan) for rule in RULES}
    by_fold: list[Floats] = []
    number_of_folds = 0
    for repeat in range(repeats):
        parts = grouped_folds(task.group_numbers, folds, seed=seed + repeat)
        if not parts:
            return None
        number_of_folds = len(parts)
        has_choice = len(parts) > 2 and ways > 1
        inner = _without_two(task, parts) if has_choice else {}
        for place, held_out in enumerate(parts):
            predicted = fit_ways(task, np.setdiff1d(everything, held_out)).predict_known(held_out)
            predictions[:, held_out, repeat] = predicted.T
            by_fold.append(column_spearmans(predicted, task.ratings[held_out]))
            choice = _inner_scores(task, parts, place, inner) if has_choice else None
            for rule, column in chosen.items():
                column[held_out, repeat] = predicted[:, RULES[rule](choice) if choice else 0]
    pooled = np.mean([column_spearmans(predictions[:, :, repeat].T, task.ratings) for repeat in range(repeats)], axis=0)
    scores = FoldScores(pooled, np.array(by_fold).T, number_of_folds)
    return OutOfFold(predictions, chosen, scores, repeats)


def _without_two(task: CombinationTask, parts: list[Places]) -> dict[tuple[int, int], Floats]:
    """Predictions of a part by ways that saw neither it nor a second part, by (the part, the second part).

    One fit serves both: for the choice that is made without the one, the other is held out of it.
    """
    everything, predictions = np.arange(len(task.ratings)), {}
    for first, second in combinations(range(len(parts)), 2):
        fitted = fit_ways(task, np.setdiff1d(everything, np.concatenate([parts[first], parts[second]])))
        predictions[first, second] = fitted.predict_known(parts[first])
        predictions[second, first] = fitted.predict_known(parts[second])
    return predictions


def _inner_scores(
    task: CombinationTask,
    parts: list[Places],
    held_out: int,
    predictions: dict[tuple[int, int], Floats],
) -> FoldScores:
    """What each way reaches on the parts but one, for choosing a way without the part that is held out."""
    others = [place for place in range(len(parts)) if place != held_out]
    own = [predictions[place, held_out] for place in others]
    ratings = [task.ratings[parts[place]] for place in others]
    by_fold = np.array([column_spearmans(*part) for part in zip(own, ratings, strict=True)])
    pooled = column_spearmans(np.concatenate(own), np.concatenate(ratings))
    return FoldScores(pooled, by_fold.T, len(others))
