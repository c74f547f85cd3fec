"""Counts what commands do with a store of 60 answers: statements, readings, and the files in which a function runs.

    python benchmarks/command_counts.py

Each figure is of one process, in which `assay` runs under a profile: SQL statements, answers parsed from their JSON,
plans parsed, how often ratings are joined, and the files of the package in which a function is called that is not
called by an import. The store has two runs of 60 rated answers each, two versions, and a queue of the
second.
"""

import inspect
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_table
from thread_profile import profiled

ROOT = str(Path(__file__).resolve().parents[1]) + os.sep
ANSWERS = 60
COUNTED = {
    "SQL statements": (("runs/store/database.py", "execute"), ("runs/store/database.py", "executemany")),
    "answers parsed": (("runs/store/sample_content.py", "read"),),
    "plans parsed": (("runs/store/store.py", "_read_plan"),),
    "ratings joined": (("runs/answers/rating_join.py", "join_ratings"),),
}
"""What is counted, and the functions whose calls are it."""
FILES = "files that run"
COMMANDS = (
    ("run", "run answers_b.csv --quiet"),
    ("show RUN", "show last"),
    ("show RUN --json", "show last --json"),
    ("decide", "decide a=RUN_A b=RUN_B"),
    ("rate", "rate last --raters ada,bob --port 0"),
    ("watch --once", "watch watch.yaml --once --quiet"),
)
"""The commands whose figures are printed; in their own words RUN_A and RUN_B are the runs of the two versions."""
_WATCH = "source: otel:traces.json\nmetric: answer_length\nevery: 15m\nbounds: [{bad_share: 0.2}]\npush: false\n"


class CallCounter:
    """The calls of the package's functions while a profile is on, but for those within an import."""

    def __init__(self) -> None:
        self.calls = Counter[tuple[str, str]]()
        self._imports = 0

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Counts in this thread and in those that begin in the block."""
        with profiled(self._note):
            yield

    def _note(self, frame: Any, event: str, _argument: Any) -> None:
        if event not in {"call", "return"}:
            return
        code = frame.f_code
        if code.co_name == "<module>":
            self._imports += 1 if event == "call" else -1
        is_function = event == "call" and code.co_flags & inspect.CO_NEWLOCALS  # and no body of a class
        if is_function and not self._imports and code.co_filename.startswith(ROOT):
            self.calls[code.co_filename.removeprefix(ROOT), code.co_name] += 1

    def figures(self) -> dict[str, int]:
        """How often what `COUNTED` names was called, and in how many files of the package a function ran."""
        counts = {label: sum(self.calls[place] for place in places) for label, places in COUNTED.items()}
        files = {file for file, _ in self.calls if not file.startswith(("benchmarks/", "tests/", ".venv/"))}
        return counts | {FILES: len(files)}


def count(work: Callable[[], object]) -> CallCounter:
    """Counts the calls of some work."""
    counter = CallCounter()
    with counter.counting():
        work()
    return counter


def make_store(folder: Path) -> None:
    """Makes two runs of 60 rated answers, and a queue of the second of which two raters rated 30."""
    from assay.runs import Plan, RunOptions, Store, find_source, open_queue, run_plan
    from assay.runs.ratings import QueueSettings

    store = Store(folder / ".assay")
    try:
        for version in ("a", "b"):
            write_answers(folder / f"answers_{version}.csv", 7 if version == "a" else 5)
            plan = Plan(sets=(str(folder / f"answers_{version}.csv"),), metrics=("token_overlap",))
            run = run_plan(plan, store, RunOptions()).run
        settings = QueueSettings(raters=("ada", "bob"), repeat_share=0.0)
        queue = open_queue(store, find_source(store, run), settings, guideline=None)
        for turn in range(ANSWERS):
            rater = settings.raters[turn % 2]
            open_answer = queue.next_item(rater)
            assert open_answer is not None
            queue.save(rater, open_answer.sample.id, 1 + turn // 2 % 5)
    finally:
        store.close()
    (folder / "watch.yaml").write_text(_WATCH, encoding="utf-8")
    spans = [_span(number, time.time_ns() - 60 * 10**9) for number in range(ANSWERS)]
    traces = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": spans}]}]}
    (folder / "traces.json").write_text(json.dumps(traces), encoding="utf-8")


def _span(number: int, start: int) -> dict[str, Any]:
    texts = {"input.value": f"How do I reach item {number}?", "output.value": f"Choose item {number} of the menu."}
    return {
        "traceId": f"{number + 1:032x}",
        "spanId": f"{number + 1:016x}",
        "name": "chat",
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 10**9),
        "attributes": [{"key": key, "value": {"stringValue": text}} for key, text in texts.items()],
    }


def write_answers(path: Path, pages: int) -> None:
    """Writes 60 rated answers that differ with the number of pages."""
    rows = ["id,user_input,response,retrieved_contexts,rating"]
    for n in range(ANSWERS):
        answer = f"Open page {n % pages} of the menu and choose item {n}."
        rows.append(f"q{n},How do I reach item {n}?,{answer},Item {n} is on page {n % 5} of the menu.,{1 + n % 5}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def count_command(command: str) -> CallCounter:
    """Counts what one command does, in this process and the present folder; a page is opened by nobody."""
    from unittest import mock

    from assay.cli import cli
    from assay.runs import RunWriter
    from assay.web import server_settings

    def end_at_once(_app: object, _site: object, _port: int, print_links: Callable[[str], None]) -> None:
        print_links("http://127.0.0.1")

    with (
        mock.patch.object(sys.modules[server_settings.__module__], "serve", end_at_once),
        # scores are written by their number alone: how fast the machine is changes no count
        mock.patch.object(sys.modules[RunWriter.__module__], "_BATCH_SECONDS", math.inf),
    ):
        return count(lambda: cli(command.split(), standalone_mode=False))


def main() -> None:
    """Prints one row per command."""
    if sys.argv[1:2] == ["--one"]:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            counter = count_command(" ".join(sys.argv[2:]))
        print(json.dumps(counter.figures()))
        return
    rows = []
    for label, command in COMMANDS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make_store(folder)
            figures = json.loads(_typed([sys.executable, __file__, "--one", *_words(command, folder)], folder))
        rows.append((label, *figures.values()))
    print_table("What commands do", ("", *COUNTED, FILES), rows)


def _words(command: str, folder: Path) -> list[str]:
    listed = json.loads(_typed([sys.executable, "-m", "assay", "show", "runs", "--json"], folder))
    newest, earlier = (run["run"] for run in listed["runs"])
    return command.replace("RUN_A", earlier).replace("RUN_B", newest).split()


def _typed(command: list[str], folder: Path) -> str:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
