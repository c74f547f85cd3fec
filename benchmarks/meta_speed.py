"""Measures the time of a meta-evaluation: 12 metrics, all 4,095 subsets, 2,000 group bootstraps, 10 x 5 nested folds.

    python benchmarks/meta_speed.py

Prints wall and processor seconds of each part and of the whole on 250 items; the time of all subsets if each
correlation were computed alone (scipy's spearmanr, timed here and multiplied); and how the time grows with the number
of items (with fewer resamples, so that it ends soon).
"""

import argparse
import time
from collections.abc import Callable

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from scipy.stats import spearmanr

from assay.meta_eval.agreement import metric_agreements
from assay.meta_eval.evaluation import evaluate_table
from assay.meta_eval.selection import select
from assay.meta_eval.table import ScoreTable

METRICS = 12


def made_up(items: int, seed: int) -> ScoreTable:
    """Ratings 1 to 5, two metrics that follow them and ten of noise, two items a group."""
    generator = np.random.default_rng(seed)
    ratings = generator.integers(1, 6, items).astype(float)
    scores = generator.normal(size=(items, METRICS))
    scores[:, :2] += 0.3 * ratings[:, None]
    return ScoreTable(
        tuple(f"i{number}" for number in range(items)),
        tuple(f"m{number}" for number in range(METRICS)),
        scores,
        ratings[:, None],
        groups=tuple(f"g{number // 2}" for number in range(items)),
    )


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the clock and of the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


def main() -> None:
    """Prints the two tables and the naive cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=250)
    parser.add_argument("--bootstrap", type=int, default=2000)
    parser.add_argument("--growth", type=int, nargs="*", default=[250, 500, 1000, 2000, 4000])
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print_machine()
    table, drawn = made_up(options.items, options.seed), options.bootstrap
    evaluate_table(made_up(40, 0), bootstrap=20, permutations=20, repeats=1)  # what is imported once is not counted
    works: dict[str, Callable[[], object]] = {
        "each metric, six measures": lambda: metric_agreements(table, permutations=drawn),
        "all subsets, nested, and combiners": lambda: select(table, resamples=drawn, permutations=drawn),
        "everything": lambda: evaluate_table(table, bootstrap=drawn, permutations=drawn),
    }
    rows = [[name, *timed(work)] for name, work in works.items()]
    title = f"{options.items} items, {METRICS} metrics, {drawn} bootstraps, 10 x 5 folds"
    print_table(title, ["part", "seconds", "processor"], rows)
    column, ratings = table.scores[:, 0], table.mean_rating
    one = timed(lambda: [spearmanr(column, ratings) for _ in range(300)])[1] / 300
    tables = drawn + 50 * 6 + drawn  # resamples, outer and inner training parts, shuffled ratings
    hours = one * (2**METRICS - 1) * tables / 3600
    print(f"one by one: {one * 1000:.2f} ms x {2**METRICS - 1:,} subsets x {tables:,} tables = {hours:.1f} hours")
    rows = []
    for items in options.growth:
        grown = made_up(items, options.seed)
        clock, processor = timed(lambda grown=grown: evaluate_table(grown, bootstrap=200, permutations=200, repeats=2))
        rows.append([items, clock, processor, 1000 * processor / items])
    print_table("growth: 200 bootstraps, 2 x 5 folds", ["items", "seconds", "processor", "ms an item"], rows)


if __name__ == "__main__":
    main()
