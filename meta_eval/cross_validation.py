"""Choosing a combination inside repeated, grouped, nested cross-validation: no figure comes from what chose it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from .arrays import Floats, Places
from .combiners import COMBINERS, Combiner, fit_combiner
from .folds import grouped_folds
from .subsets import Scaling, all_subsets, best_of_each_size, fit_scale, subset_correlations


@dataclass(frozen=True, eq=False)
class CombinationTask:
    """What is combined.

    Attributes:
        scores: Scores of the candidate metrics on the rated items, more being better, (items, metrics); NaN missing.
        ratings: The mean rating of each item, (items,).
        group_numbers: The group of each item as a number, (items,).
        middle: The middle of the rating scale.
        how: How columns are brought to one scale before they are summed.
        subsets: The subsets to choose from, (subsets, metrics) of 0 and 1, the small ones first.
        sizes: How many metrics each subset holds, (subsets,).
    """

    scores: Floats
    ratings: Floats
    group_numbers: Places
    middle: float
    how: Scaling
    subsets: Floats
    sizes: Places

    @classmethod
    def build(
        cls, scores: Floats, ratings: Floats, group_numbers: Places, *, middle: float, how: Scaling, largest: int
    ) -> "CombinationTask":
        """Builds the task of choosing among all subsets of up to `largest` metrics."""
        subsets = all_subsets(scores.shape[1], largest)
        return cls(scores, ratings, group_numbers, middle, how, subsets, subsets.sum(axis=1).astype(np.intp))

    @property
    def largest(self) -> int:
        """The size of the largest subset."""
        return int(self.sizes[-1])


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Predictions of every rated item by models that did not see its group.

    Attributes:
        by_size: Predictions of the best subset of each size, (sizes, items, repeats).
        chosen: Predictions where the size is chosen inside the training part too, (items, repeats).
        fitted: Predictions of each combiner, (items, repeats).
        fold_scores: Spearman within each held-out part, (sizes, repeats x folds).
        repeats: How often the folds were dealt.
        folds: How many folds were made.
    """

    by_size: Floats
    chosen: Floats
    fitted: dict[Combiner, Floats]
    fold_scores: Floats
    repeats: int
    folds: int


def best_subsets(task: CombinationTask, places: Places) -> Places:
    """Finds the best subset of each size on the items at `places`: the highest correlation of its sum with the ratings.

    Returns:
        One row of `task.subsets` per size, (sizes,).
    """
    scores = task.scores[places]
    x = fit_scale(scores, task.how)(scores)
    correlations = subset_correlations(x, rankdata(task.ratings[places])[:, None], task.subsets)[:, 0]
    return best_of_each_size(correlations, task.sizes)


def predict_subsets(task: CombinationTask, rows: Places, training: Places, others: Floats) -> Floats:
    """Sums the metrics of subsets for other items, on the scale of the training items and over their spread.

    Args:
        task: The task.
        rows: Rows of `task.subsets`, (subsets,).
        training: The places of the items that the scale is learnt from.
        others: Scores of the items to predict, (others, metrics).

    Returns:
        The predictions, (others, subsets).
    """
    scale = fit_scale(task.scores[training], task.how)
    weights = task.subsets[rows].T
    spread = (scale(task.scores[training]) @ weights).std(axis=0)
    return (scale(others) @ weights) / np.where(spread > 0, spread, 1.0)


def simplest_size(fold_scores: Floats, folds: int) -> int:
    """Chooses the smallest size whose mean score is within one standard error of the best.

    The standard error is that of the folds of one repeat, because repeating does not make more items.

    Args:
        fold_scores: Scores by size, (sizes, repeats x folds).
        folds: How many folds one repeat has.

    Returns:
        The size, from 1.

    Source: the one-standard-error rule of Breiman, Friedman, Olshen and Stone (1984).

    Examples:
        Size 2 is best with mean 0.55 and standard error 0.07 / sqrt(2) = 0.05; size 1 with 0.52 is within it.

        >>> simplest_size(np.array([[0.5, 0.54], [0.5, 0.6]]), 2)
        1
        >>> simplest_size(np.array([[0.1, 0.14], [0.5, 0.6]]), 2)
        2
    """
    means = fold_scores.mean(axis=1)
    best = int(np.argmax(means))
    error = float(fold_scores[best].std(ddof=1)) / np.sqrt(folds) if folds > 1 else 0.0
    return int(np.argmax(means >= means[best] - error)) + 1


def cross_validate(
    task: CombinationTask, *, repeats: int, folds: int, seed: int, fitted: bool = True
) -> OutOfFold | None:
    """Repeats the whole choice of a combination in grouped cross-validation.

    Args:
        task: The task.
        repeats: How often the groups are dealt into folds.
        folds: How many folds to make.
        seed: Seed of the folds and of the tree combiner.
        fitted: Whether to fit the combiners of all metrics too.

    Returns:
        Predictions out of fold; None where the groups do not make two folds.
    """
    items, everything = len(task.ratings), np.arange(len(task.ratings))
    by_size = np.full((task.largest, items, repeats), np.nan)
    chosen = np.full((items, repeats), np.nan)
    by_combiner: dict[Combiner, Floats] = {kind: np.full((items, repeats), np.nan) for kind in COMBINERS if fitted}
    fold_scores: list[Floats] = []
    number_of_folds = 0
    for repeat in range(repeats):
        parts = grouped_folds(task.group_numbers, folds, seed=seed + repeat)
        if not parts:
            return None
        number_of_folds = len(parts)
        for held_out in parts:
            training = np.setdiff1d(everything, held_out)
            predictions = predict_subsets(task, best_subsets(task, training), training, task.scores[held_out])
            by_size[:, held_out, repeat] = predictions.T
            fold_scores.append(column_spearmans(predictions, task.ratings[held_out]))
            inner_scores = list(_inner_scores(task, training, folds, seed + repeat))
            size = simplest_size(np.array(inner_scores).T, len(inner_scores)) if inner_scores else 1
            chosen[held_out, repeat] = predictions[:, size - 1]
            for kind, column in by_combiner.items():
                predict = fit_combiner(
                    kind,
                    task.scores[training],
                    task.ratings[training],
                    middle=task.middle,
                    seed=seed + repeat,
                )
                column[held_out, repeat] = predict(task.scores[held_out])
    return OutOfFold(by_size, chosen, by_combiner, np.array(fold_scores).T, repeats, number_of_folds)


def _inner_scores(task: CombinationTask, training: Places, folds: int, seed: int) -> Iterator[Floats]:
    """Spearman by size of each fold of a training part, for choosing the size without the outer held-out part."""
    for part in grouped_folds(task.group_numbers[training], folds, seed=seed):
        held_out = training[part]
        inner = np.setdiff1d(training, held_out)
        predictions = predict_subsets(task, best_subsets(task, inner), inner, task.scores[held_out])
        yield column_spearmans(predictions, task.ratings[held_out])


def column_spearmans(predictions: Floats, ratings: Floats) -> Floats:
    """Computes Spearman's rank correlation of each column with the ratings.

    Args:
        predictions: Predictions in columns, (items, columns).
        ratings: The ratings, (items,).

    Returns:
        The correlations, (columns,); 0 where a column or the ratings do not vary.

    Examples:
        >>> predictions = np.array([[1.0, 5.0, 2.0], [2.0, 4.0, 2.0], [3.0, 3.0, 2.0]])
        >>> column_spearmans(predictions, np.array([1.0, 2.0, 4.0])).tolist()
        [1.0, -1.0, 0.0]
    """
    x = rankdata(predictions, axis=0)
    x = x - x.mean(axis=0)
    y = rankdata(ratings)
    y = y - y.mean()
    size = np.sqrt((x**2).sum(axis=0) * (y**2).sum())
    correlations: Floats = np.divide(y @ x, size, out=np.zeros_like(size), where=size > 1e-12)
    return correlations
