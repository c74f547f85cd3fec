"""Measures how far the heuristic score and each heuristic agree with ratings, beside token overlap.

    python benchmarks/heuristic_agreement.py --data ../shared/data/rated
    python benchmarks/heuristic_agreement.py --translated cassettes/helpdesk_nl.english.qwen1.5b.jsonl

For the bundled helpdesk sets: Tables IV and V of the paper (Spearman of score and plain sum on the binary and
instruction messages, the types as predicted; margin-1 accuracy and shares of scores by rating). Their ratings are
constructed, so these figures show which planted defects the heuristics notice, not how far they agree with people.
For rated sets (mtrag_faithfulness, clapnq_human): Spearman with all types scored and 95% intervals over groups, also of
each heuristic alone; and how much more the score and `hal` agree than token overlap. A table
has 13 rows: even if no heuristic were related to the ratings, about one interval in twenty would not contain 0.
Needs the extra `heuristic`; no judge and no network.
With --translated also helpdesk_nl with the starred features on English text, replayed from that cassette, which

    assay run helpdesk_nl --metrics heuristic:translate=judge --judge qwen1.5b --cassette FILE

records (types that are not scored need `--metrics heuristic:all_types=True`).
The Dutch pipeline is that of ASSAY_SPACY_NL, if set; the output names the pipelines.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from rated_agreement import score_all

from assay import Sample, load_set
from assay.judges import LiteLLMJudge
from assay.languages import packs_with
from assay.meta_eval import ScoreTable, compare_metrics, spearman
from assay.metrics import Metric, Score, find_pipeline, load_metric, metric_names

HELPDESK = ("helpdesk_nl", "helpdesk_en")
RATED = ("mtrag_faithfulness", "clapnq_human")
TYPED = ("heuristic", "heuristic:overrides=False")
WHOLE = ("heuristic:all_types=True", "heuristic:all_types=True:overrides=False")
BASELINE = "token_overlap"


def main() -> None:
    """Prints the tables, a set at a time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the rated sets")
    parser.add_argument("--translated", type=Path, metavar="FILE", help="cassette of helpdesk_nl in English")
    parser.add_argument("--judge", default="qwen1.5b", help="who translated")
    options = parser.parse_args()
    print_machine()
    names = (f"{each.code} {find_pipeline(each).name or None}" for each in packs_with("words"))
    print(f"pipelines: {', '.join(names)}")
    features = [name for name in metric_names() if name.startswith("heuristic.")]
    for name in (*HELPDESK, *(RATED if options.data else ())):
        samples = list(load_set(name if name in HELPDESK else str(options.data / f"{name}.jsonl")))
        wholes = (*TYPED, *WHOLE) if name in HELPDESK else WHOLE
        metrics = [load_metric(each) for each in (*wholes, *features, BASELINE)]
        scores = _print_agreement(name, samples, metrics)
        if name in HELPDESK:
            _print_deviations(name, samples, scores["heuristic"])
        else:
            _print_differences(name, samples, scores)
    if options.translated:
        judge = LiteLLMJudge(options.judge, cassette=options.translated, mode="replay")
        samples = list(load_set("helpdesk_nl"))
        metrics = [load_metric(f"{each}:translate=judge", judge) for each in (*TYPED, *WHOLE)]
        scores = _print_agreement("helpdesk_nl translated", samples, metrics)
        _print_deviations("helpdesk_nl translated", samples, scores["heuristic:translate=judge"])


def _print_agreement(name: str, samples: Sequence[Sample], metrics: Sequence[Metric]) -> dict[str, dict[str, Score]]:
    """Prints Table IV, and each heuristic alone."""
    scores = asyncio.run(score_all(samples, metrics, 16))
    if failures := [score.reason for each in scores.values() for score in each.values() if score.status == "failed"]:
        sys.exit(f"{name}: {len(failures)} scores failed; the first: {failures[0]}")
    rows = [_agreement(metric.name, samples, scores[metric.name]) for metric in metrics]
    header = ["metric", "n", "Spearman", "low", "high", "stars"]
    print_table(f"{name}: {len(samples)} answers, {len({s.source for s in samples})} groups", header, rows)
    return scores


def _print_differences(name: str, samples: Sequence[Sample], scores: dict[str, dict[str, Score]]) -> None:
    """Spearman of the score and of `hal` less that of token overlap, on the answers that both scored."""
    rated = [sample for sample in samples if sample.human_rating is not None]
    columns = ("heuristic:all_types=True", "heuristic.hal", BASELINE)
    values = np.array([[scores[column][sample.id].value for column in columns] for sample in rated], float)
    ratings = np.array([[sample.human_rating] for sample in rated], float)
    groups = tuple(sample.source for sample in rated)
    table = ScoreTable(tuple(sample.id for sample in rated), columns, values, ratings, groups=groups)
    rows = [
        (column, estimate.n, estimate.groups, estimate.value, estimate.low, estimate.high)
        for column in columns[:-1]
        for estimate in (compare_metrics(table, column, BASELINE).difference,)
    ]
    print_table(
        f"{name}: Spearman less that of {BASELINE}", ["metric", "n", "groups", "difference", "low", "high"], rows
    )


def _rated(samples: Sequence[Sample], scores: dict[str, Score]) -> list[tuple[Sample, float, float]]:
    return [
        (sample, value, rating)
        for sample in samples
        if (value := scores[sample.id].value) is not None and (rating := sample.human_rating) is not None
    ]


def _agreement(name: str, samples: Sequence[Sample], scores: dict[str, Score]) -> list[object]:
    rated = _rated(samples, scores)
    estimate = spearman([v for _, v, _ in rated], [r for _, _, r in rated], [s.source for s, _, _ in rated])
    stars = "" if estimate.p is None else "**" if estimate.p < 0.01 else "*" if estimate.p < 0.05 else ""
    return [name, estimate.n, estimate.value, estimate.low, estimate.high, stars]


def _print_deviations(name: str, samples: Sequence[Sample], scores: dict[str, Score]) -> None:
    """Table V: by rating, the share of scores within 1 of it, and of scores at or beyond 1, 3 and 5."""
    rated = _rated(samples, scores)
    kinds = {
        "margin 1": lambda value, rating: abs(value - rating) <= 1,
        "score == 1": lambda value, _: value == 1,
        "score < 3": lambda value, _: value < 3,
        "score > 3": lambda value, _: value > 3,
        "score == 5": lambda value, _: value == 5,
    }
    rows: list[list[object]] = []
    for kind, holds in kinds.items():
        row: list[object] = [kind]
        for star in range(1, 6):
            its = [(value, rating) for _, value, rating in rated if round(rating) == star]
            row.append(f"{sum(holds(*pair) for pair in its) / len(its):.0%} of {len(its)}" if its else None)
        rows.append(row)
    print_table(f"{name}: by rating (Table V)", ["", *(f"rated {star}" for star in range(1, 6))], rows)


if __name__ == "__main__":
    main()
