"""Runs the meta-evaluation on answers that people rated: published scores, baselines and heuristic features.

    python benchmarks/meta_rated.py --data ../shared/data/rated

For mtrag_faithfulness and clapnq_human (each rated 1 to 4 by three people): the recommendation, each metric beside the
baselines, combinations by size and by combiner, the raters, and the policy. Published scores are those in the set's
metadata. A heuristic without a value for an answer counts as missing there. Needs the extra `heuristic`; no judge and
no network.
"""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table

from assay import Sample, load_set
from assay.meta_eval.evaluation import evaluate_table
from assay.meta_eval.results import MetaEvaluation
from assay.meta_eval.table import ScoreTable
from assay.metrics import Metric, Score
from assay.metrics.catalogue import load_metric, metric_names
from assay.metrics.specification import BASELINES
from assay.presentation.figure import Figure
from assay.runs.execute import execute

SETS = ("mtrag_faithfulness", "clapnq_human")
NAN = float("nan")


async def score_samples(samples: Sequence[Sample], metrics: Sequence[Metric]) -> dict[str, dict[str, float | None]]:
    """Each metric's values by sample id."""
    values: dict[str, dict[str, float | None]] = {metric.name: {} for metric in metrics}

    def keep(sample: Sample, scores: dict[str, Score]) -> None:
        for name, score in scores.items():
            values[name][sample.id] = score.value

    await execute(samples, metrics, keep, concurrency=8)
    return values


def build_table(samples: Sequence[Sample]) -> ScoreTable:
    """Published scores, baselines and heuristic features beside all ratings."""
    features = [name for name in metric_names() if name.startswith("heuristic.")]
    columns = asyncio.run(score_samples(samples, [load_metric(name) for name in (*BASELINES, *features)]))
    published = sorted({name for sample in samples for name in sample.metadata.get("published_metrics", {})})
    for name in published:
        columns[name] = {sample.id: sample.metadata.get("published_metrics", {}).get(name) for sample in samples}
    raters = sorted({rater for sample in samples for rater in sample.ratings})
    values = [[columns[name].get(sample.id) for name in columns] for sample in samples]
    return ScoreTable(
        items=tuple(sample.id for sample in samples),
        metrics=tuple(columns),
        scores=np.array([[NAN if value is None else float(value) for value in row] for row in values]),
        ratings=np.array([[sample.ratings.get(rater, NAN) for rater in raters] for sample in samples]),
        raters=tuple(raters),
        rating_min=samples[0].rating_min,
        rating_max=samples[0].rating_max,
        groups=tuple(sample.source for sample in samples),
    )


def print_evaluation(name: str, evaluation: MetaEvaluation) -> None:
    """The sentence, then the tables behind it."""
    print(f"\n{name}: {evaluation.settings.rated} answers, {evaluation.settings.groups} groups")
    print(f"{evaluation.recommendation}\n{evaluation.explanation}")
    rows: list[list[object]] = [
        [
            each.name,
            each.n,
            str(Figure.from_estimate("rho", each.spearman)),
            str(Figure.from_estimate("rho", each.auroc_bad)),
            each.p_grouped,
            each.p_max_t,
        ]
        for each in sorted(evaluation.metrics, key=lambda each: -(each.spearman.value or -1.0))
    ]
    print_table("metrics", ["metric", "n", "Spearman", "AUROC bad", "p by group", "max-T"], rows)
    if evaluation.selection:
        rows = [
            [
                each.kind,
                each.size,
                "*" if each.chosen else "",
                each.in_sample,
                str(Figure.from_estimate("rho", each.out_of_fold)),
                ", ".join(each.metrics[:4]),
            ]
            for each in evaluation.selection.combinations
        ]
        print_table("combinations", ["kind", "metrics", "", "in sample", "out of fold", "first four"], rows)
        chance = evaluation.selection
        print(
            f"best of {chance.chosen.candidates:,} in sample {chance.best_in_sample:.2f}, on shuffled ratings "
            f"{chance.best_by_chance:.2f} (p = {chance.p_of_selection:.3g})"
        )
    if evaluation.raters:
        print(
            f"raters: alpha {Figure.from_estimate('rho', evaluation.raters.alpha)}, "
            f"ceiling {Figure.from_estimate('rho', evaluation.raters.ceiling)}"
        )
    if evaluation.policy:
        policy = evaluation.policy
        print(
            f"policy: {policy.sent} of {policy.n} sent, of which wrong "
            f"{Figure.from_estimate('rho', policy.wrong_rate)}; {policy.held} held, {policy.to_person} to a person. "
            f"{policy.problem}"
        )


def main() -> None:
    """Evaluates each set and prints what it found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the rated sets")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--bootstrap", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print_machine()
    for name in options.sets:
        table = build_table(load_set(options.data / f"{name}.jsonl"))
        print_evaluation(name, evaluate_table(table, bootstrap=options.bootstrap, seed=options.seed))


if __name__ == "__main__":
    main()
