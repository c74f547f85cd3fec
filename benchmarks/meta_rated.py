"""What the meta-evaluation says of answers that people rated: published scores, baselines and heuristic features.

    python benchmarks/meta_rated.py --data ../shared/data/rated

For mtrag_faithfulness and clapnq_human (each rated 1 to 4 by three people): the sentence, each metric beside the
baselines, combinations by size and by combiner, what the paper's procedure keeps, the raters, and the policy.
No judge, no network. Published scores are those in the set's own metadata. A heuristic that says nothing about an
answer leaves its place empty there.
"""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from benchmark_output import print_machine, print_table

from assay import Sample, load_set
from assay.meta_eval.evaluation import evaluate_table
from assay.meta_eval.recommendation import format_estimate
from assay.meta_eval.results import MetaEvaluation
from assay.meta_eval.table import ScoreTable
from assay.metrics import Metric, Score
from assay.metrics.catalogue import BASELINES, load_metric, metric_names
from assay.runs.execute import execute

SETS = ("mtrag_faithfulness", "clapnq_human")
NAN = float("nan")


async def scores_of(samples: Sequence[Sample], metrics: Sequence[Metric]) -> dict[str, dict[str, float | None]]:
    """Each metric's values by sample id."""
    found: dict[str, dict[str, float | None]] = {metric.name: {} for metric in metrics}

    def keep(sample: Sample, scores: dict[str, Score]) -> None:
        for name, score in scores.items():
            found[name][sample.id] = score.value

    await execute(samples, metrics, keep, concurrency=8)
    return found


def table_of(samples: Sequence[Sample]) -> ScoreTable:
    """Published scores, baselines and heuristic features beside all ratings."""
    features = [name for name in metric_names() if name.startswith("heuristic.")]
    columns = asyncio.run(scores_of(samples, [load_metric(name) for name in (*BASELINES, *features)]))
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


def print_found(name: str, found: MetaEvaluation) -> None:
    """The sentence, then the tables behind it."""
    print(f"\n{name}: {found.settings.rated} answers, {found.settings.groups} groups")
    print(f"{found.recommendation}\n{found.explanation}")
    rows: list[list[object]] = [
        [
            each.name,
            each.n,
            format_estimate(each.spearman),
            format_estimate(each.auroc_bad),
            each.p_grouped,
            each.p_max_t,
        ]
        for each in sorted(found.metrics, key=lambda each: -(each.spearman.value or -1.0))
    ]
    print_table("metrics", ["metric", "n", "Spearman", "AUROC bad", "p by group", "max-T"], rows)
    if found.selection:
        rows = [
            [
                each.kind,
                each.size,
                "*" if each.chosen else "",
                each.in_sample,
                format_estimate(each.out_of_fold),
                ", ".join(each.metrics[:4]),
            ]
            for each in found.selection.combinations
        ]
        print_table("combinations", ["kind", "metrics", "", "in sample", "out of fold", "first four"], rows)
        chance = found.selection
        print(
            f"best of {chance.chosen.candidates:,} in sample {chance.best_in_sample:.2f}, on shuffled ratings "
            f"{chance.best_by_chance:.2f} (p = {chance.p_of_selection:.3g})"
        )
    if found.paper_procedure:
        paper = found.paper_procedure
        print(
            f"the paper's procedure keeps {', '.join(paper.metrics) or 'nothing'}: in sample {paper.rho or 0.0:.2f}, ",
            end="",
        )
        print(f"out of fold {format_estimate(paper.out_of_fold)}")
    if found.raters:
        print(f"raters: alpha {format_estimate(found.raters.alpha)}, ceiling {format_estimate(found.raters.ceiling)}")
    if found.policy:
        policy = found.policy
        print(
            f"policy: {policy.sent} of {policy.n} sent, of which wrong {format_estimate(policy.wrong_rate)}; "
            f"{policy.held} held, {policy.to_person} to a person. {policy.problem}"
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
        table = table_of(load_set(options.data / f"{name}.jsonl"))
        print_found(name, evaluate_table(table, bootstrap=options.bootstrap, seed=options.seed))


if __name__ == "__main__":
    main()
