"""Choosing among all ways of combining metrics inside repeated, grouped, nested cross-validation.

No figure comes from the answers that chose it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from .arrays import Bools, Floats, Places
from .combiners import (
    COMBINERS,
    DIGITS,
    SUBSET,
    Combiner,
    ScaledScores,
    Scaling,
    all_subsets,
    best_of_each_size,
    fit_combiner,
    place_among,
    scaling_of,
    subset_correlations,
)
from .groups import grouped_folds
from .ranks import column_spearmans, mean_ranks

Rule = Callable[["FoldScores"], int]
"""Chooses a way from what each reaches on answers that were left out: the way's number."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to make one score of several metrics, fitted anew to every training part."""

    kind: str  # `subset` (the best subset, its ranks or values summed), or the combiner of all metrics
    size: int  # the number of metrics of the subset, or of all


@dataclass(frozen=True, eq=False)
class CombinationTask:
    """What is combined."""

    # scores of the candidate metrics on the rated items, more being better, (items, metrics); NaN missing
    scores: Floats
    ratings: Floats  # the mean rating of each item, (items,)
    group_numbers: Places  # the group of each item as a number, (items,)
    middle: float
    subsets: Floats  # the subsets to choose from, (subsets, metrics) of 0 and 1, the small ones first
    sizes: Places  # how many metrics each subset holds, (subsets,)
    combiners: tuple[Combiner, ...]
    ways: tuple[Way, ...] = field(init=False)
    _prepared: dict[Scaling, ScaledScores] = field(init=False, default_factory=dict)
    _places: dict[int, Floats] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        by_size = [Way(SUBSET, size) for size in range(1, self.largest + 1)]
        all_metrics = [Way(kind, self.scores.shape[1]) for kind in self.combiners]
        object.__setattr__(self, "ways", (*by_size, *all_metrics))

    @classmethod
    def build(
        cls,
        scores: Floats,
        ratings: Floats,
        group_numbers: Places,
        *,
        middle: float,
        largest: int,
    ) -> "CombinationTask":
        """Builds the task of choosing among all subsets of up to `largest` metrics, and the combiners of all."""
        subsets = all_subsets(scores.shape[1], largest)
        combiners = COMBINERS if scores.shape[1] > 1 else ()
        sizes = subsets.sum(axis=1).astype(np.intp)
        return cls(scores, ratings, group_numbers, middle, subsets, sizes, combiners)

    def prepared(self, how: Scaling) -> ScaledScores:
        """The scores of all items on a scale that they were brought to once.

        A scale learned anew in each training part would set tied scores apart by the fold that they are in.
        """
        if how not in self._prepared:
            self._prepared[how] = ScaledScores(self.scores, how)
        return self._prepared[how]

    @property
    def scaled(self) -> Floats:
        """The scores of all items on the scale of the subsets, (items, metrics)."""
        return self.prepared("ranks").values

    def place_subset(self, row: int) -> Floats:
        """The place of each item's sum over a subset among those of all items, (items,)."""
        if row not in self._places:
            sums = mean_ranks((self.scaled @ self.subsets[row]).round(DIGITS))
            self._places[row] = (sums - 0.5) / len(sums) - 0.5
        return self._places[row]

    @property
    def largest(self) -> int:
        """The size of the largest subset."""
        return int(self.sizes[-1])


@dataclass(frozen=True, eq=False)
class FittedWays:
    """All ways of a task, fitted to its items at some places."""

    rows: Places  # the row of `task.subsets` of each way that is a subset
    predict: Callable[[Floats], Floats]  # maps scores (others, metrics) to predictions (others, ways)
    predict_known: Callable[[Places], Floats]  # the same of items of the task, by their places
    complexity: Floats  # how many metrics each way takes, and a little more where it learns weights, (ways,)

    def is_single(self, way: int) -> bool:
        """Whether a way takes one metric as it is."""
        return way < len(self.rows) and bool(self.complexity[way] == 1)


@dataclass(frozen=True, eq=False)
class FoldScores:
    """What each way reaches on answers that were left out, and what a rule may weigh against it."""

    pooled: Floats  # Spearman over all answers, the mean over repeats, (ways,)
    by_fold: Floats  # Spearman within each part that was left out, (ways, repeats x folds)
    folds: int
    complexity: Floats  # as in `FittedWays`


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Predictions of every rated item by ways that did not see its group."""

    predictions: Floats  # predictions of each way, (ways, items, repeats)
    # by rule, predictions where the way is chosen inside the training part too, (items, repeats)
    chosen: dict[str, Floats]
    scores: FoldScores  # what each way reaches on the parts that were left out
    repeats: int


def best_subsets(task: CombinationTask, places: Places) -> Places:
    """Finds the best subset of each size on the items at `places`: one row of `task.subsets` per size, (sizes,).

    Best is the highest correlation of its sum with the ratings.
    """
    correlations = subset_correlations(task.scaled[places], mean_ranks(task.ratings[places])[:, None], task.subsets)[
        :, 0
    ].round(DIGITS)
    return best_of_each_size(correlations, task.sizes)


def fit_ways(task: CombinationTask, training: Places) -> FittedWays:
    """Fits every way of a task to its items at `training`."""
    rows = best_subsets(task, training)
    fitted = [
        fit_combiner(
            kind, task.prepared(scaling_of(kind)), task.ratings[:, None], middle=task.middle, training=training
        )
        for kind in task.combiners
    ]

    def predict(others: Floats) -> Floats:
        weights = task.subsets[rows].T
        # sums find their places among those of the task's items, so that a subset keeps its order whatever the fold
        subsets = place_among(task.scaled @ weights, task.prepared("ranks").scale(others) @ weights)
        return np.hstack([subsets, *(combiner.predict(others) for combiner in fitted)])

    def predict_known(places: Places) -> Floats:
        columns = [task.place_subset(row)[places, None] for row in rows.tolist()]
        return np.hstack([*columns, *(combiner.predict_known(places) for combiner in fitted)])

    # where two ways take equally many metrics, the one whose weights are equal is simpler
    learns = [0.1 * (1 + number) for number in range(len(task.combiners))]
    complexity = np.concatenate([task.sizes[rows], task.scores.shape[1] + np.array(learns)])
    return FittedWays(rows, predict, predict_known, complexity)


def choose_best(scores: FoldScores) -> int:
    """The way that agrees best on answers that were left out; of equals the simplest."""
    return int(np.lexsort((scores.complexity, -scores.pooled.round(9)))[0])


def choose_simple(scores: FoldScores) -> int:
    """The simplest way within one standard error of the best; of equally simple ones the better."""
    return int(np.lexsort((-scores.pooled, scores.complexity, ~_within_one_error(scores)))[0])


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
    predictions = np.full((len(task.ways), items, repeats), np.nan)
    chosen = {rule: np.full((items, repeats), np.nan) for rule in RULES}
    by_fold: list[Floats] = []
    number_of_folds = 0
    for repeat in range(repeats):
        parts = grouped_folds(task.group_numbers, folds, seed=seed + repeat)
        if not parts:
            return None
        number_of_folds = len(parts)
        has_choice = len(parts) > 2 and len(task.ways) > 1
        inner = _without_two(task, parts) if has_choice else {}
        for place, held_out in enumerate(parts):
            fitted = fit_ways(task, np.setdiff1d(everything, held_out))
            predicted = fitted.predict_known(held_out)
            predictions[:, held_out, repeat] = predicted.T
            by_fold.append(column_spearmans(predicted, task.ratings[held_out]))
            choice = _inner_scores(task, parts, place, inner, fitted=fitted) if has_choice else None
            for rule, column in chosen.items():
                column[held_out, repeat] = predicted[:, RULES[rule](choice) if choice else 0]
    overall = fit_ways(task, everything)
    pooled = np.mean([column_spearmans(predictions[:, :, repeat].T, task.ratings) for repeat in range(repeats)], axis=0)
    scores = FoldScores(pooled, np.array(by_fold).T, number_of_folds, overall.complexity)
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
    *,
    fitted: FittedWays,
) -> FoldScores:
    """What each way reaches on the parts but one, for choosing a way without the part that is held out."""
    others = [place for place in range(len(parts)) if place != held_out]
    own = [predictions[place, held_out] for place in others]
    ratings = [task.ratings[parts[place]] for place in others]
    by_fold = np.array([column_spearmans(*part) for part in zip(own, ratings, strict=True)])
    pooled = column_spearmans(np.concatenate(own), np.concatenate(ratings))
    return FoldScores(pooled, by_fold.T, len(others), fitted.complexity)
