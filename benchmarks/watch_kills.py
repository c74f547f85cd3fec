"""Kills `assay watch` at random moments, and counts the scores that are lost or doubled in a real Phoenix.

    python benchmarks/watch_kills.py [--kills 20] [--traces 400] [--longest 45] [--seed 0]

It needs a Phoenix server (`pip install arize-phoenix`; the variable ASSAY_PHOENIX names its command) and takes about
ten minutes. The judge is the tests' server, which replies after 0.3 s. Each watcher is ended by SIGKILL at a random
moment, at most `--longest` seconds after its start, while more traces come; then one is run to its end. What is
counted:

1. Lost scores: answers that the judge scored by the store, without an annotation in Phoenix.
2. Doubled scores: annotations of one trace and metric beyond the first.
3. Answers that were pulled twice, and traces that were not pulled.
4. Requests that the judge got more than once: their reply was under way at a kill, and could not be kept.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table
from local_judge import LocalJudge, local_judge

from assay.runs import Store

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "traces" / "phoenix"))
from phoenix_server import PhoenixServer, find_phoenix

PROJECT = "support"
_MORE_TRACES = 20  # that come between two kills


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--traces", type=int, default=400)
    parser.add_argument(
        "--longest", type=float, default=45.0, help="seconds after which a watcher is killed at the latest"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if find_phoenix() is None:
        raise SystemExit("there is no Phoenix server: pip install arize-phoenix, or name its command in ASSAY_PHOENIX")
    print_machine()
    with tempfile.TemporaryDirectory() as folder, local_judge(latency=0.3) as judge:
        (Path(folder) / "phoenix").mkdir()
        server = PhoenixServer(Path(folder) / "phoenix")
        try:
            kill_watchers(Path(folder), server, judge, options)
        finally:
            server.stop()


def kill_watchers(folder: Path, server: PhoenixServer, judge: LocalJudge, options: argparse.Namespace) -> None:
    """Kills the watchers, runs one to its end, and prints what is lost and doubled."""
    draw = random.Random(options.seed)
    begin = datetime.now(UTC) - timedelta(hours=2)
    traces = server.fill(PROJECT, options.traces, begin=begin)
    file = write_watch(folder, server, judge)
    moments: list[float] = []
    for number in range(options.kills):
        moments.append(draw.uniform(0.5, options.longest))
        ended = kill_one(file, moments[-1])
        if ended is not None:
            raise SystemExit(f"a watcher ended by itself:\n{ended}")
        first = options.traces + number * _MORE_TRACES
        traces += server.fill(PROJECT, _MORE_TRACES, begin=datetime.now(UTC) - timedelta(minutes=2), first=first)
        print(f"kill {number + 1} after {moments[-1]:.1f} s: {describe(folder)}", flush=True)
    for _ in range(5):
        done = run_once(file)
        if not (done["step"]["waiting"] or done["step"]["undrawn"] or done["step"]["pulled"]):
            break
    report(folder, server, judge, traces, options.kills)


def write_watch(folder: Path, server: PhoenixServer, judge: LocalJudge) -> Path:
    """Writes the files of judge and watch."""
    (folder / "judge.yaml").write_text(
        json.dumps(
            {
                "model": "openai/local",
                "api_base": judge.api_base,
                "structured": "schema",
                "price": {"input": 1, "output": 1},
            }
        )
    )
    watch = {
        "source": server.address(PROJECT),
        "metric": "faithfulness",
        "judge": "judge.yaml",
        "every": "1s",
        "sample": {"share": 0.8},
        "budget": {"judged_per_day": 100_000},
        "ratings": {"raters": ["ada"], "per_day": 200},
        "concurrency": 4,
    }
    file = folder / "watch.yaml"
    file.write_text(json.dumps(watch))
    return file


def command(file: Path, *options: str) -> tuple[list[str], dict[str, Any]]:
    """The command of a watcher, and how it is started."""
    words = [sys.executable, "-m", "assay", "watch", str(file), "--store", str(file.parent / "store"), *options]
    return words, {"cwd": file.parent, "env": os.environ | {"NO_PROXY": "127.0.0.1"}}


def kill_one(file: Path, seconds: float) -> str | None:
    """Starts a watcher and kills it after so many seconds; returns what it wrote where it ended before."""
    words, how = command(file)
    with (file.parent / "log.txt").open("wb") as log:
        watcher = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, **how)
        try:
            watcher.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            watcher.send_signal(signal.SIGKILL)
            watcher.wait()
            return None
    return (file.parent / "log.txt").read_text()


def run_once(file: Path) -> dict[str, Any]:
    """Takes one whole step."""
    words, how = command(file, "--once", "--json")
    ended = subprocess.run(words, capture_output=True, text=True, check=False, **how)
    if not ended.stdout:
        raise SystemExit(ended.stderr)
    values: dict[str, Any] = json.loads(ended.stdout)
    return values


def describe(folder: Path) -> str:
    """What the store holds after a kill."""
    states = Counter(status for _, _, status in read_items(folder))
    pushed = len(query(folder, "SELECT score FROM pushed_scores"))
    return ", ".join(f"{count} {status}" for status, count in sorted(states.items())) + f"; {pushed} noted as pushed"


def read_items(folder: Path) -> list[tuple[str, str, str]]:
    """(sample, trace, status) of all answers in the store."""
    return query(folder, "SELECT sample, trace, status FROM watch_items")


def query(folder: Path, sql: str) -> list[Any]:
    """The rows of a question to the store."""
    store = Store(folder / "store")
    try:
        rows: list[Any] = store.database.execute(sql).fetchall()
        return rows
    finally:
        store.close()


def report(folder: Path, server: PhoenixServer, judge: LocalJudge, traces: list[str], kills: int) -> None:
    """Prints what is lost and doubled."""
    items = read_items(folder)
    scored = {trace for _, trace, status in items if status == "scored"}
    annotations = server.annotations(PROJECT)
    counts = Counter((one.trace, one.name) for one in annotations)
    requests = Counter(json.dumps(body, sort_keys=True) for body in judge.bodies())
    pulled = Counter(trace for _, trace, _ in items)
    rows: list[list[object]] = [
        ["kills", kills],
        ["traces", len(traces)],
        ["traces that were not pulled", len(set(traces) - set(pulled))],
        ["traces that were pulled twice", sum(count - 1 for count in pulled.values())],
        ["answers that the judge scored", len(scored)],
        ["scores lost in Phoenix", sum((trace, "faithfulness") not in counts for trace in scored)],
        ["scores doubled in Phoenix", sum(count - 1 for count in counts.values())],
        ["scores of traces that were not judged", sum(trace not in scored for trace, _ in counts)],
        ["requests of the judge", sum(requests.values())],
        ["of these made again after a kill", sum(count - 1 for count in requests.values())],
    ]
    print_table("after the kills and one run to the end", ["", "count"], rows)


if __name__ == "__main__":
    started = time.monotonic()
    main()
    print(f"{time.monotonic() - started:.0f} s")
