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
    """What is combined: rated items with candidate metrics (NaN missing), the ratings, and the groups."""

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
        """All subsets of up to `largest` metrics are the choices."""
        subsets = all_subsets(scores.shape[1], largest)
        return cls(scores, ratings, group_numbers, middle, how, subsets, subsets.sum(axis=1).astype(np.intp))

    @property
    def largest(self) -> int:
        """The size of the largest subset."""
        return int(self.sizes[-1])


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Predictions of every rated item by models that did not see its group, a column a repeat.

    `by_size`: (sizes, items, repeats) of the best subset of each size; `chosen`: (items, repeats) with the size chosen
    too; `fitted`: those of each combiner. `fold_scores`: (sizes, repeats x folds), Spearman within the held-out parts.
    """

    by_size: Floats
    chosen: Floats
    fitted: dict[Combiner, Floats]
    fold_scores: Floats
    repeats: int
    folds: int


def best_subsets(task: CombinationTask, places: Places) -> Places:
    """The best subset of each size on these items: the highest correlation of its sum with the ratings' ranks."""
    scores = task.scores[places]
    x = fit_scale(scores, task.how)(scores)
    found = subset_correlations(x, rankdata(task.ratings[places])[:, None], task.subsets)[:, 0]
    return best_of_each_size(found, task.sizes)


def predict_subsets(task: CombinationTask, rows: Places, training: Places, others: Floats) -> Floats:
    """The sums of the subsets (others' items x rows), scaled as the training items say, over their training spread."""
    scale = fit_scale(task.scores[training], task.how)
    weights = task.subsets[rows].T
    spread = (scale(task.scores[training]) @ weights).std(axis=0)
    return (scale(others) @ weights) / np.where(spread > 0, spread, 1.0)


def simplest_size(fold_scores: Floats, folds: int) -> int:
    """The smallest size whose mean is within one standard error of the best (Breiman et al., 1984); from 1.

    fold_scores: (sizes, repeats x folds). The standard error is over the folds of one repeat: repeating does not make
    more items.
    """
    means = fold_scores.mean(axis=1)
    best = int(np.argmax(means))
    error = float(fold_scores[best].std(ddof=1)) / np.sqrt(folds) if folds > 1 else 0.0
    return int(np.argmax(means >= means[best] - error)) + 1


def cross_validate(
    task: CombinationTask, *, repeats: int, folds: int, seed: int, fitted: bool = True
) -> OutOfFold | None:
    """Repeated grouped cross-validation of the whole choice; None where the groups do not make two folds."""
    items, everything = len(task.ratings), np.arange(len(task.ratings))
    by_size = np.full((task.largest, items, repeats), np.nan)
    chosen = np.full((items, repeats), np.nan)
    of_combiners: dict[Combiner, Floats] = {kind: np.full((items, repeats), np.nan) for kind in COMBINERS if fitted}
    fold_scores: list[Floats] = []
    number = 0
    for repeat in range(repeats):
        parts = grouped_folds(task.group_numbers, folds, seed=seed + repeat)
        if not parts:
            return None
        number = len(parts)
        for held_out in parts:
            training = np.setdiff1d(everything, held_out)
            predicted = predict_subsets(task, best_subsets(task, training), training, task.scores[held_out])
            by_size[:, held_out, repeat] = predicted.T
            fold_scores.append(column_spearmans(predicted, task.ratings[held_out]))
            inner = list(_inner_scores(task, training, folds, seed + repeat))
            size = simplest_size(np.array(inner).T, len(inner)) if inner else 1
            chosen[held_out, repeat] = predicted[:, size - 1]
            for kind, column in of_combiners.items():
                model = fit_combiner(
                    kind,
                    task.scores[training],
                    task.ratings[training],
                    middle=task.middle,
                    seed=seed + repeat,
                )
                column[held_out, repeat] = model(task.scores[held_out])
    return OutOfFold(by_size, chosen, of_combiners, np.array(fold_scores).T, repeats, number)


def _inner_scores(task: CombinationTask, training: Places, folds: int, seed: int) -> Iterator[Floats]:
    for part in grouped_folds(task.group_numbers[training], folds, seed=seed):
        held_out = training[part]
        inner = np.setdiff1d(training, held_out)
        predicted = predict_subsets(task, best_subsets(task, inner), inner, task.scores[held_out])
        yield column_spearmans(predicted, task.ratings[held_out])


def column_spearmans(predicted: Floats, ratings: Floats) -> Floats:
    """Spearman of each column with the ratings; 0 where one of them does not vary."""
    x = rankdata(predicted, axis=0)
    x = x - x.mean(axis=0)
    y = rankdata(ratings)
    y = y - y.mean()
    size = np.sqrt((x**2).sum(axis=0) * (y**2).sum())
    found: Floats = np.divide(y @ x, size, out=np.zeros_like(size), where=size > 1e-12)
    return found
