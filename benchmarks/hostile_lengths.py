"""Time against length of every deterministic metric, on texts that repeat one of 78 adversarial patterns.

    python benchmarks/hostile_lengths.py [--most 100000] [--metrics heuristic,declined] [--patterns capitals,spaces]

Each text is both the answer and, reversed, its context and its question, beside a table of 30 days. Per metric the
slowest patterns are printed, with the processor's seconds at each length and the growth: how many times longer it takes
for four times the length (4 is linear, 16 quadratic).
"""

import argparse
import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import checkout  # noqa: F401
from benchmark_output import print_machine

from assay.eval_sets import Sample
from assay.metrics import Metric, load_metric

PATTERNS = Path(__file__).parent / "hostile_patterns.json"
METRICS = (
    *("heuristic:all_types=True:beyond=all", "numeric_claims", "declined", "factoid"),
    *("token_overlap", "rouge_l_precision", "rouge_l", "rouge_1", "bleu", "answer_length"),
)
SHOWN = 5  # patterns per metric
KPI = {
    "name": "kpi",
    "columns": {
        "date": [f"2026-03-{day:02}" for day in range(1, 31)],
        "throughput_mbps": [40 + day for day in range(30)],
    },
    "units": {"throughput_mbps": "Mbps"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=100_000, help="characters of the longest text")
    parser.add_argument("--metrics", default=",".join(METRICS))
    parser.add_argument("--patterns", default="", help="names of patterns; all if not given")
    options = parser.parse_args()
    units = {pattern["name"]: pattern["unit"] for pattern in json.loads(PATTERNS.read_text(encoding="utf-8"))}
    chosen = options.patterns.split(",") if options.patterns else list(units)
    lengths = [options.most // 16, options.most // 4, options.most]
    metrics = options.metrics.split(",")
    print_machine()
    print(f"{len(chosen)} patterns; processor seconds at {', '.join(f'{length:,}' for length in lengths)} characters")
    for name in metrics:
        metric = load_metric(name)
        measure_seconds(metric, "Click Save. It costs 5 euros.")  # patterns are compiled before the clock runs
        texts = {pattern: [repeat(units[pattern], length) for length in lengths] for pattern in chosen}
        print_slowest(
            name, {pattern: [measure_seconds(metric, text) for text in own] for pattern, own in texts.items()}
        )


def repeat(unit: str, length: int) -> str:
    """A text of exactly so many characters that repeats a unit."""
    return (unit * (length // len(unit) + 1))[:length]


def measure_seconds(metric: Metric, text: str) -> float:
    """The processor's seconds that a metric takes for a sample made of one text."""
    backwards = text[::-1]
    sample = Sample.model_validate(
        {"id": "s", "language": "en", "user_input": backwards, "response": text, "reference": backwards}
        | {"retrieved_contexts": (backwards,), "tables": [KPI]}
    )
    begun = time.process_time()
    asyncio.run(metric.assess(sample))
    return time.process_time() - begun


def print_slowest(metric: str, rows: Mapping[str, Sequence[float]]) -> None:
    """Prints the patterns that took a metric longest, slowest first."""
    slowest = sorted(rows.items(), key=lambda row: -row[1][-1])[:SHOWN]
    print(f"\n{metric}: {sum(sum(row) for row in rows.values()):.1f} s in all")
    for pattern, seconds in slowest:
        growth = seconds[-1] / seconds[-2] if seconds[-2] > 0.01 else float("nan")
        listed = " ".join(f"{each:8.2f}" for each in seconds)
        print(f"  {pattern:<30} {listed}   x{growth:.1f}", flush=True)


if __name__ == "__main__":
    main()
