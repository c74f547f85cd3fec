"""Referees the statistics: simulates populations whose truth is known, and prints how often Assay tells it.

    python benchmarks/referee.py [--only intervals claims ...] [--repeats 400] [--jobs 2] [--markdown]

Each module of `referee_checks` is one promise: what an interval, a p-value, an alarm or a sentence must hold, with few
groups and unequal ones. The table says what came out, its Monte Carlo error, and whether the promise holds.
`--markdown` prints the tables of docs/statistics.md.
"""

import argparse
import importlib
import os
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table
from referee_checks.measurement import Measurement

NOT_CHECKS = {"__init__", "measurement", "populations"}
CHECKS = sorted(
    path.stem for path in (Path(__file__).parent / "referee_checks").glob("*.py") if path.stem not in NOT_CHECKS
)


def run_check(name: str, repeats: int, seed: int) -> tuple[list[Measurement], float]:
    """Runs one simulation: its measurements, and the seconds that it took."""
    started = time.perf_counter()
    check = importlib.import_module(f"referee_checks.{name}")
    return list(check.measure(repeats, seed)), time.perf_counter() - started


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints one table per promise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=CHECKS, metavar="NAME", help=f"of {', '.join(CHECKS)}")
    parser.add_argument("--repeats", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    options = parser.parse_args(arguments)
    print_machine()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one simulation per core
    names = options.only or CHECKS
    with ProcessPoolExecutor(options.jobs) as pool:
        running = {name: pool.submit(run_check, name, options.repeats, options.seed) for name in names}
        for name in names:
            measurements, seconds = running[name].result()
            promise = (importlib.import_module(f"referee_checks.{name}").__doc__ or "").partition("\n")[0]
            rows = [
                [one.case, one.figure, f"{one.value:.3f} +- {one.error:.3f}", f"{one.low:g}-{one.high:g}", one.verdict]
                for one in measurements
            ]
            header = ["population", "what", "measured", "must hold", "verdict"]
            if options.markdown:
                lines = [header, ["---"] * len(header), *rows]
                print(f"**{name}**: {promise}\n", *(f"| {' | '.join(line)} |" for line in lines), sep="\n", end="\n\n")
            else:
                print_table(f"{name}: {promise} ({options.repeats} repeats, {seconds:.0f} s)", header, rows)


if __name__ == "__main__":
    main()
