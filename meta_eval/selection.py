"""Which combination to take: in sample beside out of fold, by size and by combiner, and what chance would give."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.stats import rankdata

from .arrays import Floats
from .bootstrap_statistics import mean_spearman
from .combiners import COMBINERS, Combiner, Predictor, fit_combiner
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
from .subsets import fit_scale, largest_size, resampled_winners, subset_correlations, subset_names
from .table import ScoreTable

Combine = Literal["subsets", "sum", "mean-rank", "ridge", "logistic", "tree"]
_LEAST_COVERAGE = 0.5
_FEWEST_ITEMS = 20
_SUBSET = "subset"
_CELLS_PER_BLOCK = 1_000_000


@dataclass(frozen=True, eq=False)
class Predictions:
    """The scores that the chosen combination gives.

    Attributes:
        chosen: Of the rated items, out of fold, (items, repeats).
        single: The same of the best single metric, chosen in the folds too, (items, repeats).
        unrated: Of the unrated items, by the choice on all rated ones, in the table's order, (unrated,).
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
    """Chooses among the combinations of the table's metrics, baselines apart.

    A metric is a candidate where its values vary and it scored at least half of the rated items; an item that it did
    not score stands at its middle.

    Args:
        table: Scores and ratings.
        combine: `subsets` sums ranks and `sum` the paper's normalised values over the best subset; `mean-rank`,
            `ridge`, `logistic` and `tree` combine all candidates.
        max_metrics: The largest subset; None for as many metrics as leave 4,095 subsets.
        repeats: How often the groups are dealt into folds.
        folds: How many folds.
        resamples: Number of bootstrap resamples.
        permutations: How often the ratings are shuffled.
        level: Confidence level, in (0, 1).
        seed: Seed of all randomness.

    Returns:
        The selection and the predictions behind it; None with fewer than twenty rated items, no candidate, ratings that
        are all equal, or one group only.

    Examples:
        One metric that equals the rating and one that says nothing: the first is chosen alone.

        >>> ratings = np.arange(40.0) % 5 + 1
        >>> scores = np.column_stack([ratings, np.arange(40.0) // 5])
        >>> table = ScoreTable(tuple(map(str, range(40))), ("good", "noise"), scores, ratings[:, None])
        >>> selection, _ = select(table, repeats=2, resamples=100, permutations=99)
        >>> selection.chosen.metrics, selection.chosen.out_of_fold.value > 0.95, selection.p_of_selection
        (('good',), True, 0.01)
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
    out_of_fold = cross_validate(task, repeats=repeats, folds=folds, seed=seed)
    if out_of_fold is None:
        return None

    def with_interval(predictions: Floats) -> Estimate:
        statistic = mean_spearman(predictions, rated.mean_rating)
        return estimate(statistic, rated.groups, resamples=resamples, level=level, seed=seed)

    everything = np.arange(len(rated.items))
    best = best_subsets(task, everything)
    in_sample = column_spearmans(predict_subsets(task, best, everything, scores), task.ratings)
    combinations = [
        _combination(
            _SUBSET,
            subset_names(task.subsets[row], names),
            float(rho),
            with_interval(predictions),
            int((task.sizes == size).sum()),
        )
        for size, (row, rho, predictions) in enumerate(zip(best, in_sample, out_of_fold.by_size, strict=True), 1)
    ]
    predictors: dict[Combiner, Predictor] = {}
    for kind in COMBINERS:
        predictors[kind] = fit_combiner(kind, scores, task.ratings, middle=task.middle, seed=seed)
        rho = float(column_spearmans(predictors[kind](scores)[:, None], task.ratings)[0])
        combinations.append(_combination(kind, names, rho, with_interval(out_of_fold.fitted[kind]), 1))
    unrated_scores = table.only(names).oriented[np.isnan(table.mean_rating)]
    best_by_chance, best_in_sample, p = chance_of_best(task, permutations=permutations, seed=seed)
    if combine == "subsets" or combine == "sum":  # noqa: PLR1714 (mypy narrows only so)
        place = simplest_size(out_of_fold.fold_scores, out_of_fold.folds) - 1
        rated_predictions = out_of_fold.chosen
        unrated_predictions = predict_subsets(task, best[[place]], everything, unrated_scores)[:, 0]
        estimate_of_choice = with_interval(rated_predictions)
        metrics, rho, candidates = combinations[place].metrics, float(in_sample[place]), len(task.subsets)
        chosen = _combination(_SUBSET, metrics, rho, estimate_of_choice, candidates, chosen=True)
    else:
        place = task.largest + COMBINERS.index(combine)
        rated_predictions, unrated_predictions = out_of_fold.fitted[combine], predictors[combine](unrated_scores)
        chosen = replace(combinations[place], chosen=True)
        p = p_of_predictions(task, rated_predictions, permutations=permutations, seed=seed)
    combinations[place] = replace(combinations[place], chosen=True)
    selection = Selection(
        combine=combine,
        combinations=tuple(combinations),
        chosen=chosen,
        best_by_chance=best_by_chance,
        best_in_sample=best_in_sample,
        p_of_selection=p,
        stability=_stability(task, names, rated.groups, resamples=resamples, seed=seed),
        left_out=left_out,
        repeats=out_of_fold.repeats,
        folds=out_of_fold.folds,
    )
    return selection, Predictions(rated_predictions, out_of_fold.by_size[0], unrated_predictions)


def _candidates(rated: ScoreTable) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The metrics that may be combined, and the others with the reason why not."""
    names, left_out = [], []
    for name in rated.metrics:
        values = rated.column(name)
        scored = values[~np.isnan(values)]
        if name in rated.baselines:
            left_out.append((name, "a baseline, which metrics should beat"))
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


def chance_of_best(task: CombinationTask, *, permutations: int, seed: int) -> tuple[float, float, float]:
    """Tests the choice of the best subset: how well would it do on shuffled ratings?

    The whole choice among all subsets is repeated for each shuffling by groups; p = (b + 1) / (m + 1).

    Args:
        task: The task.
        permutations: How often m the ratings are shuffled.
        seed: Seed of the shuffling.

    Returns:
        Spearman of the best subset on shuffled ratings (mean), the same on the real ones, and the p-value.
    """
    x, ranks = fit_scale(task.scores, task.how)(task.scores), rankdata(task.ratings)
    width = max(1, _CELLS_PER_BLOCK // len(task.subsets))

    def best_spearman(ratings: Floats) -> Floats:
        """Maps ratings (items, shufflings) to Spearman of the subset that each would choose (shufflings,)."""
        blocks = (ratings[:, first : first + width] for first in range(0, ratings.shape[1], width))
        rows = np.concatenate([np.argmax(subset_correlations(x, block, task.subsets), axis=0) for block in blocks])
        chosen, place = np.unique(rows, return_inverse=True)
        sums = rankdata(x @ task.subsets[chosen].T, axis=0) - (len(x) + 1) / 2
        spread = np.sqrt((sums**2).sum(axis=0) * ((ranks - ranks.mean()) ** 2).sum())
        joint = np.einsum("ij,ij->j", sums[:, place], ratings)
        spearmans: Floats = np.divide(joint, spread[place], out=np.zeros_like(joint), where=spread[place] > 1e-12)
        return spearmans

    real = float(best_spearman(ranks[:, None])[0])
    blocks = shuffle_by_group(ranks, task.group_numbers, permutations=permutations, seed=seed)
    by_chance = np.concatenate([best_spearman(block) for block in blocks])
    return float(by_chance.mean()), real, (float((by_chance >= real - 1e-9).sum()) + 1) / (permutations + 1)


def p_of_predictions(task: CombinationTask, predictions: Floats, *, permutations: int, seed: int) -> float:
    """Tests predictions out of fold: how often do they agree as well with shuffled ratings?

    Args:
        task: The task.
        predictions: Predictions of the rated items, (items, repeats).
        permutations: How often m the ratings are shuffled by groups.
        seed: Seed of the shuffling.

    Returns:
        The one-sided p-value (b + 1) / (m + 1).
    """
    x = rankdata(predictions, axis=0).mean(axis=1)
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
