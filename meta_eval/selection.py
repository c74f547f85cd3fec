"""Which combination to take: in sample beside out of fold, by size and by combiner, and what chance would give."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.stats import rankdata

from .arrays import Floats
from .bootstrap_statistics import mean_spearman
from .combiners import COMBINERS, fit_combiner
from .cross_validation import (
    CombinationTask,
    best_subsets,
    column_spearmans,
    cross_validate,
    predict_subsets,
    simplest_size,
)
from .estimate import Estimate, estimate
from .permutation import shuffle_by_group
from .results import Combination, Selection
from .subsets import fit_scale, largest_size, members, resampled_winners, subset_correlations
from .table import ScoreTable

Combine = Literal["subsets", "sum", "mean-rank", "ridge", "logistic", "tree"]
_LEAST_COVERAGE = 0.5
_FEWEST_ITEMS = 20
_SUBSET = "subset"
_CELLS_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class Predictions:
    """The chosen way's scores: of the rated items out of fold (items, repeats), beside those of the best single metric.

    `unrated` are the scores that the choice on all rated items gives to the others, in the table's order.
    """

    chosen: Floats
    single: Floats
    unrated: Floats


def select(
    table: ScoreTable,
    *,
    combine: Combine = "subsets",
    max_metrics: int | None = None,
    repeats: int = 10,
    folds: int = 5,
    resamples: int,
    permutations: int,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[Selection, Predictions] | None:
    """Chooses among the combinations of the table's metrics, baselines apart; None with too few rated items or metrics.

    A metric is a candidate where its values vary and it scored at least half of the rated items; an item that it did
    not score stands at its middle. `combine`: `subsets` sums ranks and `sum` the paper's normalised values over the
    best subset; `mean-rank`, `ridge`, `logistic` and `tree` take all candidates.
    """
    rated = table.rated()
    names, left_out = _candidates(rated)
    if not names or len(rated.items) < _FEWEST_ITEMS or float(np.ptp(rated.mean_rating)) == 0:
        return None
    scores = rated.only(names).oriented
    task = CombinationTask.build(
        scores,
        rated.mean_rating,
        rated.group_numbers,
        middle=table.middle,
        how="sum" if combine == "sum" else "ranks",
        largest=largest_size(len(names), max_metrics),
    )
    found = cross_validate(task, repeats=repeats, folds=folds, seed=seed)
    if found is None:
        return None

    def told(predicted: Floats) -> Estimate:
        statistic = mean_spearman(predicted, rated.mean_rating)
        return estimate(statistic, rated.groups, resamples=resamples, level=level, seed=seed)

    everything = np.arange(len(rated.items))
    best = best_subsets(task, everything)
    in_sample = column_spearmans(predict_subsets(task, best, everything, scores), task.ratings)
    rows = [
        _combination(
            _SUBSET, members(task.subsets[row], names), float(rho), told(predicted), int((task.sizes == size).sum())
        )
        for size, (row, rho, predicted) in enumerate(zip(best, in_sample, found.by_size, strict=True), 1)
    ]
    size = simplest_size(found.fold_scores, found.folds)
    combiners = {kind: fit_combiner(kind, scores, task.ratings, middle=task.middle, seed=seed) for kind in COMBINERS}
    for kind, model in combiners.items():
        rho = float(column_spearmans(model(scores)[:, None], task.ratings)[0])
        rows.append(_combination(kind, names, rho, told(found.fitted[kind]), 1))
    unrated = table.only(names).oriented[np.isnan(table.mean_rating)]
    if combine == "subsets" or combine == "sum":  # noqa: PLR1714 (mypy narrows only so)
        place, predicted = size - 1, found.chosen
        others = predict_subsets(task, best[[place]], everything, unrated)[:, 0]
        chosen = _combination(
            _SUBSET, rows[place].metrics, float(in_sample[place]), told(found.chosen), len(task.subsets), chosen=True
        )
    else:
        place = task.largest + COMBINERS.index(combine)
        predicted, others = found.fitted[combine], combiners[combine](unrated)
        chosen = replace(rows[place], chosen=True)
    rows[place] = replace(rows[place], chosen=True)
    by_chance, best_in_sample, p = best_by_chance(task, permutations=permutations, seed=seed)
    if chosen.kind != _SUBSET:
        p = p_of_predictions(task, predicted, permutations=permutations, seed=seed)
    selection = Selection(
        combine=combine,
        combinations=tuple(rows),
        chosen=chosen,
        best_by_chance=by_chance,
        best_in_sample=best_in_sample,
        p_of_selection=p,
        stability=_stability(task, names, rated.groups, resamples=resamples, seed=seed),
        left_out=left_out,
        repeats=found.repeats,
        folds=found.folds,
    )
    return selection, Predictions(predicted, found.by_size[0], others)


def _candidates(rated: ScoreTable) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    names, left_out = [], []
    for name in rated.metrics:
        values = rated.column(name)
        scored = values[~np.isnan(values)]
        if name in rated.baselines:
            left_out.append((name, "a baseline, to be beaten and not to be joined"))
        elif len(scored) < _LEAST_COVERAGE * len(values):
            left_out.append((name, f"scored {len(scored)} of {len(values)} rated answers, less than half"))
        elif not len(scored) or np.ptp(scored) == 0:
            left_out.append((name, "all values are equal"))
        else:
            names.append(name)
    return tuple(names), tuple(left_out)


def _combination(
    kind: str, metrics: Sequence[str], in_sample: float, out_of_fold: Estimate, candidates: int, *, chosen: bool = False
) -> Combination:
    optimism = None if out_of_fold.value is None else in_sample - out_of_fold.value
    return Combination(kind, len(metrics), tuple(metrics), in_sample, out_of_fold, optimism, candidates, chosen)


def best_by_chance(task: CombinationTask, *, permutations: int, seed: int) -> tuple[float, float, float]:
    """Spearman of the best subset on shuffled ratings (mean), on the real ones, and how often chance reaches it.

    The whole choice among all subsets is made anew for each shuffling: this is the permutation test of the selection,
    p = (b + 1) / (m + 1).
    """
    x, ranks = fit_scale(task.scores, task.how)(task.scores), rankdata(task.ratings)
    width = max(1, _CELLS_AT_ONCE // len(task.subsets))

    def of_best(ratings: Floats) -> Floats:  # (items, shufflings) -> Spearman of the subset that each would choose
        parts = (ratings[:, first : first + width] for first in range(0, ratings.shape[1], width))
        rows = np.concatenate([np.argmax(subset_correlations(x, part, task.subsets), axis=0) for part in parts])
        chosen, place = np.unique(rows, return_inverse=True)
        sums = rankdata(x @ task.subsets[chosen].T, axis=0) - (len(x) + 1) / 2
        spread = np.sqrt((sums**2).sum(axis=0) * ((ranks - ranks.mean()) ** 2).sum())
        joint = np.einsum("ij,ij->j", sums[:, place], ratings)
        found: Floats = np.divide(joint, spread[place], out=np.zeros_like(joint), where=spread[place] > 1e-12)
        return found

    real = float(of_best(ranks[:, None])[0])
    blocks = shuffle_by_group(ranks, task.group_numbers, permutations=permutations, seed=seed)
    chance = np.concatenate([of_best(block) for block in blocks])
    return float(chance.mean()), real, (float((chance >= real - 1e-9).sum()) + 1) / (permutations + 1)


def p_of_predictions(task: CombinationTask, predicted: Floats, *, permutations: int, seed: int) -> float:
    """How often predictions out of fold (items, repeats) agree as well with shuffled ratings; p = (b + 1) / (m + 1)."""
    x = rankdata(predicted, axis=0).mean(axis=1)
    x, y = x - x.mean(), rankdata(task.ratings)
    real, reached = float(x @ y), 0
    for block in shuffle_by_group(y, task.group_numbers, permutations=permutations, seed=seed):
        reached += int((x @ block >= real - 1e-9).sum())
    return (reached + 1) / (permutations + 1)


def _stability(
    task: CombinationTask, names: tuple[str, ...], groups: tuple[str, ...], *, resamples: int, seed: int
) -> tuple[tuple[str, float], ...]:
    """How often each metric is in the best of all subsets when the groups are drawn again."""
    x = fit_scale(task.scores, task.how)(task.scores)
    winners = resampled_winners(x, rankdata(task.ratings), groups, task.subsets, resamples=resamples, seed=seed)
    shares = task.subsets[winners].mean(axis=0)
    return tuple((name, float(share)) for name, share in zip(names, shares, strict=True))
