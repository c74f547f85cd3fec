"""Measures how many answers per second metrics without a judge score: the heuristic, and numerical claims.

    python benchmarks/metric_speed.py [--data ../shared/data/rated] [--answers 2000] [--rounds 5] [--rows 100000]

The heuristic (with --data): English answers of the rated sets, all message types, 16 samples at once as a run does. The
sets have some 900 answers; after that an answer is used again with its sentences in another order: a new text with a
context that was parsed before, as when several answers share a help page. Needs the extra `heuristic`.

Numerical claims: every sentence of every answer of the bundled sets kpi_nl and kpi_en, with the tables read anew in
each round, as in a run. Then one table of many rows (a CSV file, one row per minute): reading the file, making series
of it, its facts, and single claims about it: the first of each kind (which sorts, indexes and decomposes the series,
once) and the next one. Needs the extra `numeric`.

Seconds are processor time, so that other work on the machine has little effect.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table

from assay import Sample, load_set
from assay.languages import load_language
from assay.metrics import check_claims, facts_of, tables_of_file, tables_of_sample
from assay.metrics.heuristic import Heuristic
from assay.runs import execute
from assay.text import sentences

RATED_SETS = ("mtrag_faithfulness", "clapnq_human", "begin_wow", "ragchecker_pairwise")
CLAIMS = (
    "The average throughput was 50.1 Mbps.",
    "The highest latency was 39.9 ms.",
    "The average throughput on 10 January 2026 was 50.1 Mbps.",
    "Throughput was above 90 Mbps 10,012 times.",
    "Latency shows an upward trend.",
    "The median latency in February was 25.0 ms.",
)


def main() -> None:
    """Prints answers per second of the heuristic, claims per second, and the time of each step on a large table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the rated sets; without it the heuristic is left out")
    parser.add_argument("--answers", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args()
    print_machine()
    if options.data:
        print_table("The heuristic", ["answers", "answers/s"], [_heuristic(options.data, options.answers)])
    print_table("The kpi sets", ["set", "sentences", "checked", "sentences/s", "least", "most"], _sets(options.rounds))
    with tempfile.TemporaryDirectory() as folder:
        print_table(f"One table of {options.rows:,} rows", ["step", "seconds"], _large(Path(folder), options.rows))


def _heuristic(data: Path, count: int) -> list[object]:
    pool = [sample for name in RATED_SETS for sample in load_set(str(data / f"{name}.jsonl"))]
    whole = [sample for sample in pool if sample.response.strip() and sample.retrieved_contexts]
    samples = [_turn_sentences(whole[n % len(whole)], n // len(whole)) for n in range(count)]
    metric = Heuristic(all_types=True)

    def score(part: Sequence[Sample]) -> None:
        asyncio.run(execute(part, [metric], lambda sample, scores: None, concurrency=16))

    score(whole[-5:])  # loads the pipeline, the lemmas and the word list
    start = time.process_time()
    score(samples)
    return [count, count / (time.process_time() - start)]


def _turn_sentences(sample: Sample, by: int) -> Sample:
    """The sample with its answer's sentences turned round by so many places."""
    parts = sample.response.split(". ")
    place = by % len(parts)
    response = ". ".join(parts[place:] + parts[:place]) + " " * (by // len(parts))
    return sample.model_copy(update={"id": f"{sample.id}-{by}", "response": response})


def _sets(rounds: int) -> list[list[object]]:
    sets = {name: load_set(name) for name in ("kpi_nl", "kpi_en")}
    counts = {name: _judge(samples) for name, samples in sets.items()}  # loads libraries and words
    speeds: dict[str, list[float]] = {name: [] for name in sets}
    for _ in range(rounds):
        for name, samples in sets.items():  # the sets take turns, so that no clause is still remembered
            start = time.process_time()
            _judge(samples)
            speeds[name].append(counts[name][0] / (time.process_time() - start))
    return [[name, *counts[name], statistics.median(of), min(of), max(of)] for name, of in speeds.items()]


def _judge(samples: Sequence[Sample]) -> tuple[int, int]:
    """How many sentences were judged, and how many claims in them were checked."""
    count = checked = 0
    for sample in samples:
        language = sample.language or "en"
        answer_sentences = sentences(sample.response, load_language(language))
        anew = sample.model_copy(update={"tables": tuple(table.model_copy() for table in sample.tables)})
        checks = check_claims(answer_sentences, tables_of_sample(anew), language, sample.user_input)
        count, checked = count + len(answer_sentences), checked + sum(claim.checkable for claim in checks)
    return count, checked


def _large(folder: Path, rows: int) -> list[list[object]]:
    rng = random.Random(0)
    start = datetime(2026, 1, 1)
    lines = ["time,throughput_mbps,latency_ms,site"]
    for number in range(rows):
        moment = start + timedelta(minutes=number)
        lines.append(f"{moment:%Y-%m-%d %H:%M},{100 * rng.random():.2f},{10 + 30 * rng.random():.2f},s{number % 7}")
    file = folder / "large.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    table_rows: list[list[object]] = []
    (table,) = _timed("read the file, make series", table_rows, lambda: tables_of_file(file, "en"))
    for claim in CLAIMS:
        for which in ("first", "again"):
            checks = _timed(f"{claim} ({which})", table_rows, lambda claim=claim: check_claims([claim], [table], "en"))
        table_rows[-1][0] = f"{table_rows[-1][0]} -> {checks[0].verdict}"
    _timed("all facts", table_rows, lambda: facts_of(table))
    return table_rows


def _timed(step: str, table_rows: list[list[object]], work: Callable[[], Any]) -> Any:
    start = time.process_time()
    result = work()
    table_rows.append([step, time.process_time() - start])
    return result


if __name__ == "__main__":
    main()
