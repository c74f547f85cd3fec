"""Choosing among all ways of combining metrics inside repeated, grouped, nested cross-validation.

No figure comes from the answers that chose it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from .arrays import Bools, Floats, Places
from .groups import grouped_folds
from .ranks import column_spearmans, mean_ranks
from .subsets import DIGITS, RankedScores, all_subsets, best_of_each_size, place_among, subset_correlations

Rule = Callable[["FoldScores"], int]
"""Chooses a size of subset from what the best of each size reaches on answers that were left out: its place."""


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
        """Builds the task of choosing among all subsets of up to `largest` metrics, and all metrics together."""
        subsets = all_subsets(scores.shape[1], largest)
        return cls(ratings, group_numbers, subsets, subsets.sum(axis=1).astype(np.intp), RankedScores(scores))

    @property
    def scaled(self) -> Floats:
        """The ranks of all items, (items, metrics)."""
        return self.ranked.values

    def place_subset(self, row: int) -> Floats:
        """The place of each item's sum over a subset among those of all items, (items,)."""
        if row not in self._places:
            sums = mean_ranks((self.scaled @ self.subsets[row]).round(DIGITS))
            self._places[row] = (sums - 0.5) / len(sums) - 0.5
        return self._places[row]


@dataclass(frozen=True, eq=False)
class BestSubsets:
    """The best subset of each size, chosen on a task's items at some places."""

    task: CombinationTask
    rows: Places  # of `task.subsets`, the small ones first, (sizes,)

    @property
    def sizes(self) -> Places:
        """How many metrics each holds, (sizes,)."""
        return self.task.sizes[self.rows]

    def predict(self, others: Floats) -> Floats:
        """Maps scores (others, metrics) to predictions, (others, sizes).

        Sums find their places among those of the task's items, so that a subset keeps its order whatever the fold.
        """
        weights = self.task.subsets[self.rows].T
        return place_among(self.task.scaled @ weights, self.task.ranked.rank(others) @ weights)

    def predict_known(self, places: Places) -> Floats:
        """The same of items of the task, by their places."""
        return np.column_stack([self.task.place_subset(row)[places] for row in self.rows.tolist()])


@dataclass(frozen=True, eq=False)
class FoldScores:
    """What the best subset of each size reaches on answers that were left out, and what a rule may weigh against it."""

    pooled: Floats  # Spearman over all answers, the mean over repeats, (sizes,)
    by_fold: Floats  # Spearman within each part that was left out, (sizes, repeats x folds)
    folds: int


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Predictions of every rated item by subsets that were chosen without its group."""

    predictions: Floats  # of the best subset of each size, (sizes, items, repeats)
    # by rule, predictions where the size is chosen inside the training part too, (items, repeats)
    chosen: dict[str, Floats]
    scores: FoldScores
    repeats: int


def best_subsets(task: CombinationTask, places: Places) -> BestSubsets:
    """Finds the best subset of each size on the items at `places`: the highest correlation of its sum with ratings."""
    correlations = subset_correlations(task.scaled[places], mean_ranks(task.ratings[places])[:, None], task.subsets)[
        :, 0
    ].round(DIGITS)
    return BestSubsets(task, best_of_each_size(correlations, task.sizes))


def choose_best(scores: FoldScores) -> int:
    """The size that agrees best on answers that were left out; of equals the smallest."""
    return int(np.argmax(scores.pooled.round(9)))


def choose_simple(scores: FoldScores) -> int:
    """The smallest size within one standard error of the best."""
    return int(np.argmax(_within_one_error(scores)))


def _within_one_error(scores: FoldScores) -> Bools:
    """Whether each size is within one standard error of the best, (sizes,).

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
    """Repeats the choice of subsets, and of their size, in grouped folds; None where there are not two."""
    items, everything = len(task.ratings), np.arange(len(task.ratings))
    overall = best_subsets(task, everything)
    predictions = np.full((len(overall.rows), items, repeats), np.nan)
    chosen = {rule: np.full((items, repeats), np.nan) for rule in RULES}
    by_fold: list[Floats] = []
    number_of_folds = 0
    for repeat in range(repeats):
        parts = grouped_folds(task.group_numbers, folds, seed=seed + repeat)
        if not parts:
            return None
        number_of_folds = len(parts)
        has_choice = len(parts) > 2 and len(overall.rows) > 1
        inner = _without_two(task, parts) if has_choice else {}
        for place, held_out in enumerate(parts):
            predicted = best_subsets(task, np.setdiff1d(everything, held_out)).predict_known(held_out)
            predictions[:, held_out, repeat] = predicted.T
            by_fold.append(column_spearmans(predicted, task.ratings[held_out]))
            choice = _inner_scores(task, parts, place, inner) if has_choice else None
            for rule, column in chosen.items():
                column[held_out, repeat] = predicted[:, RULES[rule](choice) if choice else 0]
    pooled = np.mean([column_spearmans(predictions[:, :, repeat].T, task.ratings) for repeat in range(repeats)], axis=0)
    scores = FoldScores(pooled, np.array(by_fold).T, number_of_folds)
    return OutOfFold(predictions, chosen, scores, repeats)


def _without_two(task: CombinationTask, parts: list[Places]) -> dict[tuple[int, int], Floats]:
    """Predictions of a part by subsets chosen without it and a second part, by (the part, the second part).

    One choice serves both: for the choice that is made without the one, the other is held out of it.
    """
    everything, predictions = np.arange(len(task.ratings)), {}
    for first, second in combinations(range(len(parts)), 2):
        chosen = best_subsets(task, np.setdiff1d(everything, np.concatenate([parts[first], parts[second]])))
        predictions[first, second] = chosen.predict_known(parts[first])
        predictions[second, first] = chosen.predict_known(parts[second])
    return predictions


def _inner_scores(
    task: CombinationTask,
    parts: list[Places],
    held_out: int,
    predictions: dict[tuple[int, int], Floats],
) -> FoldScores:
    """What each size reaches on the parts but one, for choosing a size without the part that is held out."""
    others = [place for place in range(len(parts)) if place != held_out]
    own = [predictions[place, held_out] for place in others]
    ratings = [task.ratings[parts[place]] for place in others]
    by_fold = np.array([column_spearmans(*part) for part in zip(own, ratings, strict=True)])
    pooled = column_spearmans(np.concatenate(own), np.concatenate(ratings))
    return FoldScores(pooled, by_fold.T, len(others))
