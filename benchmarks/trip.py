"""Counts through how many files of the package one claim goes, and how often the path changes from file to file.

    python benchmarks/trip.py

One claim is decided by a judge's recorded reply (faithfulness, in replay), the other by a number computed from a table.
A file counts where a function of it runs; a jump is a call of a function in another file than that called before.
"""

import asyncio
import itertools
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_table
from thread_profile import profiled

import assay
from assay import Sample
from assay.judges import LiteLLMJudge
from assay.metrics import Faithfulness, Metric, NumericClaims

FOLDER = Path(assay.__file__).parents[1]
OWN_FILES = (sys.prefix, str(FOLDER / "benchmarks"))
PROBE = {"name": "probe", "columns": {"speed": [40.0, 41.0, 42.0, 50.0]}, "units": {"speed": "Mbps"}}


def samples_of(kind: str) -> tuple[Sample, Sample]:
    """The sample that is counted, after one that goes before it."""
    both = {
        "judged": ("A visit costs 5 euros.", "The desk opens at 9."),
        "computed": ("The average speed was 43.3 Mbps.", "The highest speed was 50 Mbps."),
    }[kind]
    tables = [PROBE] if kind == "computed" else []
    first, second = (
        Sample(id=said, user_input="What?", response=said, retrieved_contexts=(said,), tables=tables, language="en")
        for said in both
    )
    return first, second


def files_of_calls(work: Callable[[], object], before: Callable[[], object]) -> list[str]:
    """The files of the package's functions that some work calls, in all threads, in the order of the calls."""
    files = list[str]()

    def note(frame: Any, event: str, _argument: object) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(str(FOLDER)) and not file.startswith(OWN_FILES):
            files.append(str(Path(file).relative_to(FOLDER)))

    before()  # what it loads, it loads without a profile, which takes several times as long
    with profiled(note):
        before()
        files.clear()
        work()
    return files


def count_jumps(files: list[str]) -> int:
    """How often a call is of a function in another file than the call before it."""
    return sum(earlier != later for earlier, later in itertools.pairwise(files))


def count_trip(metric: Metric, kind: str) -> list[str]:
    """The files that one claim goes through."""

    def score(sample: Sample) -> None:
        assert asyncio.run(metric.assess(sample)).value == 1.0

    first, second = samples_of(kind)
    return files_of_calls(lambda: score(second), before=lambda: score(first))


def count_trips(folder: Path) -> dict[str, list[str]]:
    """The files that each of the two claims goes through."""

    def judge() -> LiteLLMJudge:
        return LiteLLMJudge(lambda _: '{"1": "Yes"}', cassette=folder / "replies.jsonl", model="yes")

    recording = judge()
    for sample in samples_of("judged"):
        asyncio.run(Faithfulness(recording).assess(sample))
    recording.close()
    return {
        "faithfulness, in replay": count_trip(Faithfulness(judge()), "judged"),
        "numeric_claims": count_trip(NumericClaims(), "computed"),
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        trips = count_trips(Path(folder))
    rows = []
    for name, files in trips.items():
        lines = sum(len((FOLDER / file).read_bytes().splitlines()) for file in {*files})
        rows.append((name, len({*files}), lines, count_jumps(files), len(files)))
    print_table("one claim", ("claim through", "files", "lines", "jumps", "calls"), rows)


if __name__ == "__main__":
    main()
