"""What a saved scorer is worth on answers that people rated: fitted on half of the groups, tried on the other half.

    python benchmarks/scorer_rated.py --data ../shared/data/rated
    python benchmarks/scorer_rated.py --data ../shared/data/rated --judge qwen1.5b --cassette FILE --judged faithfulness

Per set, over 20 random halves of whole groups: Spearman of the predicted rating on the half that it was not fitted on,
beside its best single part (the one that agreed best on the fitted half) and token overlap there, and how many of the
other half's ratings lie in the 90% interval: of all answers, of the fifth that is predicted lowest, and of the fifth
(more, where ratings are equal) that is rated lowest. Then the fit on shuffled ratings (groups of equal size trade
places): how often it says that nothing agrees. Without a judge the parts are token overlap, ROUGE-L precision and
heuristic features; judged metrics are replayed from a cassette, on the answers that it holds.
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from scipy.stats import spearmanr

from assay import Sample, load_set
from assay.errors import UsageError
from assay.judges import LiteLLMJudge
from assay.meta_eval.evaluation import evaluate_table
from assay.meta_eval.permutation import shuffle_by_group
from assay.meta_eval.scorer import Scorer
from assay.meta_eval.scorer_fit import fit_scorer
from assay.meta_eval.table import ScoreTable
from assay.metrics import Metric, Score
from assay.metrics.catalogue import load_metric
from assay.metrics.specification import BASELINES
from assay.runs.execute import execute

SETS = ("mtrag_faithfulness", "clapnq_human", "begin_wow")
FEATURES = ("heuristic.hal", "heuristic.off_context", "heuristic.prompt_overlap")
NAN = float("nan")


@dataclass(frozen=True)
class Trial:
    """On the half that was not fitted: Spearman, the shares in the interval, and its width.

    Attributes:
        figures: Spearman of scorer, best part and token overlap; the share of ratings in the interval of all, of the
            answers predicted lowest, and of those rated lowest; the interval's mean width as a share of the scale.
        metrics: The scorer's parts.
    """

    figures: tuple[float, ...]
    metrics: tuple[str, ...]


async def score_all(samples: Sequence[Sample], metrics: Sequence[Metric]) -> dict[str, dict[str, float | None]]:
    """Each metric's values by sample id."""
    values: dict[str, dict[str, float | None]] = {metric.name: {} for metric in metrics}

    def keep(sample: Sample, scores: dict[str, Score]) -> None:
        for name, score in scores.items():
            values[name][sample.id] = score.value

    await execute(samples, metrics, keep, concurrency=4)
    return values


def make_table(samples: Sequence[Sample], judged: Sequence[str], judge: LiteLLMJudge | None) -> ScoreTable:
    """The metrics' scores beside the mean rating of each answer; with judged metrics the answers that have them."""
    names = (*BASELINES, *FEATURES, *judged)
    columns = asyncio.run(score_all(samples, [load_metric(name, judge) for name in names]))
    columns = {name: values for name, values in columns.items() if any(value is not None for value in values.values())}
    if judged:
        samples = [sample for sample in samples if all(columns[name].get(sample.id) is not None for name in judged)]
    values = [[columns[name].get(sample.id) for name in columns] for sample in samples]
    ratings = [NAN if sample.human_rating is None else sample.human_rating for sample in samples]
    return ScoreTable(
        items=tuple(sample.id for sample in samples),
        metrics=tuple(columns),
        scores=np.array([[NAN if value is None else float(value) for value in row] for row in values]),
        ratings=np.array(ratings)[:, None],
        rating_min=samples[0].rating_min,
        rating_max=samples[0].rating_max,
        groups=tuple(sample.source for sample in samples),
    )


def fit(table: ScoreTable, seed: int) -> Scorer | None:
    """The scorer of a table, with fewer resamples than the command; None where it says that nothing agrees."""
    evaluation = evaluate_table(table, bootstrap=200, permutations=200, repeats=1, seed=seed, by=())
    try:
        return fit_scorer(table, evaluation)
    except UsageError:
        return None


def try_half(table: ScoreTable, seed: int) -> Trial | None:
    """Fits on a random half of the groups and tries on the other; None where nothing agrees on the fitted half."""
    numbers = table.group_numbers
    groups = np.random.default_rng(seed).permutation(np.unique(numbers))
    is_fitted = np.isin(numbers, groups[: len(groups) // 2])
    fitted, other = table.take(np.flatnonzero(is_fitted)), table.take(np.flatnonzero(~is_fitted))
    scorer = fit(fitted, seed)
    if scorer is None:
        return None
    predictions = [
        scorer.predict(
            {name: None if np.isnan(value) else float(value) for name, value in zip(other.metrics, row, strict=True)}
        )
        for row in other.scores
    ]
    ratings = other.mean_rating
    predicted, low, high = np.array([(row.predicted, row.low, row.high) for row in predictions]).T
    inside = (low <= ratings) & (ratings <= high)
    best = max(scorer.metrics, key=lambda name: agreement(fitted.column(name), fitted.mean_rating))
    figures = (
        agreement(predicted, ratings),
        agreement(other.column(best), ratings),
        agreement(other.column("token_overlap"), ratings),
        inside.mean(),
        inside[predicted <= np.quantile(predicted, 0.2)].mean(),
        inside[ratings <= np.quantile(ratings, 0.2)].mean(),
        (high - low).mean() / (table.rating_max - table.rating_min),
    )
    return Trial(tuple(map(float, figures)), scorer.metrics)


def agreement(values: np.ndarray, ratings: np.ndarray) -> float:
    """Spearman where both are known; 0 where one does not vary."""
    known = ~np.isnan(values)
    if known.sum() < 3 or np.ptp(values[known]) == 0 or np.ptp(ratings[known]) == 0:
        return 0.0
    return float(spearmanr(values[known], ratings[known]).statistic)


def count_refusals(table: ScoreTable, shuffles: int) -> int:
    """How often the fit on shuffled ratings says that nothing agrees."""
    refused = 0
    for seed in range(shuffles):
        (block,) = shuffle_by_group(table.mean_rating, table.group_numbers, permutations=1, seed=seed)
        refused += fit(replace(table, ratings=block), seed) is None
    return refused


def main() -> None:
    """Prints one row per set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the rated sets")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--judge")
    parser.add_argument("--cassette", type=Path, help="replies of the judge; nothing is asked")
    parser.add_argument("--judged", nargs="*", default=[], help="judged metrics, replayed from the cassette")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--shuffles", type=int, default=40)
    options = parser.parse_args()
    print_machine()
    rows: list[list[object]] = []
    for name in options.sets:
        judge = LiteLLMJudge(options.judge, cassette=options.cassette, mode="replay") if options.judge else None
        table = make_table(load_set(options.data / f"{name}.jsonl"), options.judged, judge)
        trials = [try_half(table, seed) for seed in range(options.splits)]
        done = [trial for trial in trials if trial is not None]
        refused = count_refusals(table, options.shuffles)
        means = np.array([trial.figures for trial in done]).mean(axis=0) if done else [NAN] * 7
        spread = float(np.std([trial.figures[0] - trial.figures[1] for trial in done])) if done else NAN
        chosen = max({t.metrics for t in done}, key=[t.metrics for t in done].count) if done else ()
        rows.append(
            [
                name,
                len(table.items),
                len(set(table.groups)),
                f"{len(done)}/{len(trials)}",
                *map(float, means[:2]),
                spread,
                *map(float, means[2:]),
                f"{refused}/{options.shuffles}",
                " + ".join(chosen),
            ]
        )
        header = ["set", "n", "groups", "fitted", "scorer", "best part", "sd of difference", "overlap", "in interval"]
        header += ["predicted lowest", "rated lowest", "width"]
        print_table("on the half that was not fitted", [*header, "refused on shuffled", "most often"], rows)


if __name__ == "__main__":
    main()
