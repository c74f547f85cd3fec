"""Measures what `import assay` and the commands that only look take, and the memory of a long run in replay.

    python benchmarks/startup.py [--repeats 10] [--samples 10000 20000]

Each figure is of a separate process: processor time (user and system) and the modules that it imported, beside those of
the bare interpreter; the largest resident memory as the system reports it. `show runs` and `show` read a store
with one run of helpdesk_en, replayed. The long runs are `assay run` with faithfulness and answer relevance on generated
samples, all different, from a cassette that the same command recorded before (from the tests' server).
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table
from local_judge import helpdesk, local_judge

from assay import write_set

ASSAY = [sys.executable, "-m", "assay"]
ROOT = Path(__file__).resolve().parents[1]


def processor_seconds(command: Sequence[str], folder: Path, repeats: int) -> list[float]:
    """Processor seconds of `repeats` processes, sorted; one before them fills the caches."""
    usages = [measured(command, folder)[1] for _ in range(repeats + 1)]
    return sorted(usage.ru_utime + usage.ru_stime for usage in usages[1:])


def count_modules(command: Sequence[str], folder: Path) -> tuple[int, int]:
    """Counts the modules that a command imports, and those of them that are Assay's."""
    timed = [command[0], "-X", "importtime", *command[1:]]
    report = subprocess.run(timed, cwd=folder, capture_output=True, text=True, check=True).stderr
    names = [line.rpartition("|")[2].strip() for line in report.splitlines() if line.startswith("import time:")][1:]
    return len(names), sum(name.partition(".")[0] == "assay" for name in names)


def measured(command: Sequence[str], folder: Path) -> tuple[float, resource.struct_rusage]:
    """Seconds, and what the system counted for this one process. Raises when it fails."""
    begun = time.perf_counter()
    with (folder / "out").open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out, cwd=folder) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begun
    if process.returncode:
        output = (folder / "out").read_text()[-2000:]
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{output}")
    return seconds, usage


def start_up(repeats: int) -> None:
    """The first table."""
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import assay": [sys.executable, "-c", "import assay"],
        "assay --help": [*ASSAY, "--help"],
        "assay show runs": [*ASSAY, "show", "runs"],
        "assay show last": [*ASSAY, "show", "last"],
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cassette = ["--cassette", str(ROOT / "cassettes" / "helpdesk.qwen1.5b.jsonl"), "--mode", "replay"]
        measured([*ASSAY, "run", "helpdesk_en", "--judge", "qwen1.5b", *cassette], folder)
        rows = []
        for label, command in commands.items():
            seconds = processor_seconds(command, folder, repeats)
            figures = (statistics.median(seconds), seconds[0], seconds[-1])
            rows.append((label, *(f"{1000 * figure:.0f}" for figure in figures), *count_modules(command, folder)))
    header = ("", "median", "lowest", "highest", "modules", "of Assay")
    print_table(f"Start, ms of the processor, n = {repeats} processes each", header, rows)


def long_runs(counts: Sequence[int]) -> None:
    """The second table."""
    rows: list[tuple[Any, ...]] = []
    with tempfile.TemporaryDirectory() as name, local_judge() as server:
        folder = Path(name)
        settings = {"model": "openai/local", "structured": "schema", "api_base": server.api_base, "concurrency": 16}
        (folder / "judge.yaml").write_text(json.dumps(settings))  # JSON is YAML
        for count in counts:
            write_set(helpdesk(count), folder / f"{count}.jsonl")
            cassette = folder / f"{count}.cassette.jsonl"
            command = [*ASSAY, "run", f"{count}.jsonl", "--judge", "judge.yaml", "--cassette", cassette.name, "--json"]
            command += ["--metrics", "faithfulness,answer_relevance"]
            measured([*command, "--mode", "record", "--store", "recorded"], folder)
            seconds, usage = measured([*command, "--mode", "replay", "--store", f"store-{count}"], folder)
            megabytes = cassette.stat().st_size / 1e6
            rows.append((f"{count:,} samples", usage.ru_maxrss / 1024, megabytes, seconds, count / seconds))
    header = ("assay run, replay", "highest MiB", "cassette MB", "seconds", "samples/s")
    print_table("Memory of a long run (faithfulness, answer relevance, three baselines)", header, rows)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--samples", type=int, nargs="*", default=[10_000, 20_000])
    options = parser.parse_args()
    print_machine()
    start_up(options.repeats)
    long_runs(options.samples)


if __name__ == "__main__":
    main()
