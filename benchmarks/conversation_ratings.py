"""How well the metrics of a conversation follow its rating, alone and in a fitted scorer, beside baselines.

    python benchmarks/conversation_ratings.py --data ../shared/data/rated

Every metric that asks nobody, and the numbers in its evidence, on tau_airline (an airline's agent; the
rating is computed from the final database; groups are tasks) and on simulatorarena (people who wrote a text with a
chatbot and rated it). The fitted scorers are out of fold: groups are dealt into folds, and the choice of metrics is
made inside them. `tool_calls` compares with the calls that a task needs, which nobody knows in production; so each
scorer is fitted with it and without it. Intervals (95%) are over groups.
"""

import argparse
import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from rated_agreement import row, score_samples

from assay import Sample, load_set
from assay.meta_eval import ScoreTable, compare_metrics, select
from assay.metrics import Metric, Score, load_metric
from assay.presentation import Figure

SETS = ("tau_airline", "simulatorarena")
BASELINES = ("conversation_turns", "conversation_length", "thanks_at_end")
ORACLE = "tool_calls"
WITHOUT_JUDGE = ("effort", "handover", ORACLE)
PARTS: Mapping[str, Mapping[str, bool]] = {
    "effort": {"turns": False, "repeated": False, "asked_again": False},
    "handover": {"happened": True},
    ORACLE: {"precision": True, "recall": True, "in_order": True},
}
"""The numbers in the evidence that stand for themselves, and whether more is better; of a handover nobody knows."""
HANDED_OVER = "handover.happened"
FEWEST_FOR_SCORERS = 100
NAN = float("nan")


def count_evidence(score: Score, key: str) -> float:
    """The number in a score's evidence: of a list its length; NaN where there is none."""
    value = score.evidence.get(key)
    if isinstance(value, list | tuple):
        return float(len(value))
    return float(value) if isinstance(value, bool | int | float) else NAN


def tabulate(
    samples: Sequence[Sample], metrics: Iterable[Metric], scores: Mapping[str, Mapping[str, Score]]
) -> ScoreTable:
    """The metrics' values and the numbers of their evidence beside the ratings, without columns that hold nothing."""
    columns: dict[str, list[float]] = {}
    directions: dict[str, bool] = {}
    for metric in metrics:
        own = [scores[metric.name][sample.id] for sample in samples]
        columns[metric.name] = [NAN if score.value is None else score.value for score in own]
        directions[metric.name] = metric.higher_is_better
        for key, is_better in PARTS.get(metric.name, {}).items():
            name = f"{metric.name}.{key}"
            columns[name], directions[name] = [count_evidence(score, key) for score in own], is_better
    names = [name for name, values in columns.items() if not np.isnan(values).all()]
    ratings = [NAN if sample.human_rating is None else sample.human_rating for sample in samples]
    return ScoreTable(
        items=tuple(sample.id for sample in samples),
        metrics=tuple(names),
        scores=np.array([columns[name] for name in names]).T,
        ratings=np.array(ratings)[:, None],
        directions={name: directions[name] for name in names},
        rating_min=samples[0].rating_min,
        rating_max=samples[0].rating_max,
        groups=tuple(sample.source for sample in samples),
    )


def predict_out_of_fold(table: ScoreTable, names: Sequence[str], seed: int) -> dict[str, float | None]:
    """Each item's score by a combination of these columns that did not see its group; empty where there is none.

    The baselines of a conversation are renamed: under their own names they are never part of a combination.
    """
    part = table.only(names)
    part = replace(part, metrics=tuple(f"of {name}" for name in names), scores=part.oriented, directions={})
    selected = select(part, permutations=99, seed=seed)
    if selected is None:
        return {}
    means = selected[1].chosen.mean(axis=1)
    return {item: float(mean) for item, mean in zip(part.rated().items, means, strict=True)}


def fitted_columns(table: ScoreTable) -> dict[str, list[str]]:
    """The columns of each scorer: baselines, metrics without the oracle, these and baselines, metrics with it."""
    baselines = [name for name in table.metrics if name in (*BASELINES, HANDED_OVER)]
    production = [name for name in table.metrics if name.partition(".")[0] not in (*BASELINES, ORACLE)]
    oracle = [name for name in table.metrics if name.partition(".")[0] == ORACLE]
    columns = {
        "baselines": baselines,
        f"metrics without {ORACLE}": production,
        f"metrics without {ORACLE}, and baselines": [
            *production,
            *(name for name in baselines if name not in production),
        ],
    }
    return columns | ({f"metrics with {ORACLE} (oracle)": [*production, *oracle]} if oracle else {})


def agreement_rows(table: ScoreTable, samples: list[Sample]) -> list[list[object]]:
    """One row per column: metric, n, Spearman, AUROC; higher is better in all."""
    rows = []
    for name in table.metrics:
        column = table.column(name)
        values = {
            item: None if np.isnan(value) else float(value) for item, value in zip(table.items, column, strict=True)
        }
        label = name if table.directions[name] else f"{name} (less is better)"
        rows.append(row(label, values, samples)[:4])
    return rows


def predict_by_scorers(table: ScoreTable, seed: int) -> dict[str, dict[str, float | None]]:
    """The predictions of each fitted scorer that makes some, by its columns; all ways to combine them are tried."""
    predictions = {
        title: predict_out_of_fold(table, names, seed) if names else {}
        for title, names in fitted_columns(table).items()
    }
    return {name: values for name, values in predictions.items() if values}


def fitted_rows(predictions: Mapping[str, dict[str, float | None]], samples: list[Sample]) -> list[list[object]]:
    """The same of the fitted scorers."""
    return [
        row(f"scorer of {title}: chosen in the folds", values, samples)[:4] for title, values in predictions.items()
    ]


def describe_gain(predictions: Mapping[str, dict[str, float | None]], table: ScoreTable) -> str:
    """Says how much more the scorer of the metrics agrees than that of the baselines, both chosen in the folds."""
    first, second = (predictions.get(title, {}) for title in (f"metrics without {ORACLE}", "baselines"))
    columns = [[values.get(item, NAN) for item in table.items] for values in (first, second)]
    pair = replace(table, metrics=("first", "second"), scores=np.array(columns, float).T, directions={})
    comparison = compare_metrics(pair, "first", "second")
    difference = Figure.from_estimate("correlation", comparison.difference)
    return f"its Spearman less the other's: {difference} (n = {comparison.n})"


async def rate_by_rules(name: str, samples: list[Sample], seed: int) -> None:
    """Prints the agreement of everything that asks nobody, and where there are enough conversations of the scorers."""
    metrics = [load_metric(metric, None) for metric in (*WITHOUT_JUDGE, *BASELINES)]
    scores = {metric.name: await score_samples(samples, metric, 1) for metric in metrics}
    table = tabulate(samples, metrics, scores)
    rows = agreement_rows(table, samples)
    predictions = predict_by_scorers(table, seed) if len(samples) >= FEWEST_FOR_SCORERS else {}
    rows += fitted_rows(predictions, samples)
    groups = len({sample.source for sample in samples})
    title = f"{name}: {len(samples)} conversations in {groups} groups, no judge"
    is_binary = {sample.rating_share for sample in samples} <= {0.0, 1.0}  # so that an area needs no threshold
    header = ["metric", "n", "Spearman", "AUROC"][: 4 if is_binary else 3]
    print_table(title, header, [cells[: len(header)] for cells in rows])
    if predictions:
        print(f"scorer of metrics without {ORACLE}, beside that of baselines: {describe_gain(predictions, table)}")
    for metric in metrics:
        if reasons := [score.reason for score in scores[metric.name].values() if score.status != "scored"]:
            print(f"{metric.name} has no score of {len(reasons)}: {min(reasons)}")


async def main() -> None:
    """Prints one table per set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/rated"), help="folder of the rated sets")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print_machine()
    for name in SETS:
        await rate_by_rules(name, load_set(options.data / f"{name}.jsonl"), options.seed)


if __name__ == "__main__":
    asyncio.run(main())
