"""Measures scoring by shards: answers per second and memory, as the number of answers grows.

    python benchmarks/shard_scale.py [--n 10000 100000] [--engines shards ray nodes] [--metrics token_overlap]
    python benchmarks/shard_scale.py --n 1000000 --engines shards ray nodes   # the whole table; about an hour

The answers are those of the bundled sets, each with its number in question and answer, so that no two are alike. The
engines: `shards`, one process; `ray`, Ray on this machine with one worker; `nodes`, a Ray cluster of two nodes with one
processor each, on loopback. Each run is a process of its own. Memory is the largest of that process and, with Ray, of
its processes together. Start-up is until the first piece is done, with that of Ray. `--metrics heuristic` needs the
extra `heuristic`; `--cassette` with `--judge` replays. Processor seconds leave out Ray's workers. The last columns are
processor seconds of `assay show RUN`, of `assay show RUN ANSWER` (both beyond those of `assay --version`, the least of
three) and of a page of `assay view`, sorted by rating. `--rated 0.001` says how many of the answers are rated.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
import psutil
import pyarrow
from benchmark_output import print_machine, print_table
from pyarrow import parquet

from assay.eval_sets import load_set
from assay.judges import load_settings
from assay.runs import Plan, RunOptions, Store
from assay.runs.answer_index import AnswerIndex, AnswerQuery
from assay.runs.shards import ShardOptions, run_shards

ROWS_PER_FILE = 20_000
NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 100 * 2**20}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, nargs="+", default=[10_000, 100_000], help="numbers of answers")
    parser.add_argument("--engines", nargs="+", choices=("shards", "ray", "nodes"), default=["shards"])
    parser.add_argument("--metrics", default="token_overlap", help="names, with commas")
    parser.add_argument("--judge", help="with --cassette: whose replies are replayed")
    parser.add_argument("--cassette", help="bundled:NAME or a file")
    parser.add_argument("--rated", type=float, default=0.001, help="share of the answers with a rating")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments, Path(arguments.one))))
        return
    print_machine()
    rows = []
    for n in arguments.n:
        with tempfile.TemporaryDirectory() as folder:
            write_answers(Path(folder) / "in", n, arguments.rated)
            for engine in arguments.engines:
                words = [*sys.argv[1:], "--n", str(n), "--engines", engine, "--one", folder]
                done = subprocess.run([sys.executable, __file__, *words], capture_output=True, text=True, check=False)
                if done.returncode:
                    raise SystemExit(done.stderr)
                figures = json.loads(done.stdout.splitlines()[-1])
                rows.append((engine, n, *figures.values()))
    header = ("engine", "answers", "seconds", "start-up", "answers/s", "processor s", "MB", "show", "show one", "page")
    print_table(f"{arguments.metrics}, by shards of 1,000", header, rows)


def write_answers(folder: Path, n: int, rated: float) -> None:
    """Writes answers of the bundled sets that differ by a number, three to a group."""
    folder.mkdir()
    draw = random.Random(0)
    samples = [*load_set("helpdesk_en"), *load_set("helpdesk_nl")]
    for start in range(0, n, ROWS_PER_FILE):
        rows = [
            {
                "id": f"a{number}",
                "user_input": f"{sample.user_input} (case {number})",
                "response": f"{sample.response} ({number})",
                "retrieved_contexts": list(sample.retrieved_contexts),
                "language": sample.language,
                "group": f"g{number // 3}",
                "rating": sample.rating if draw.random() < rated else None,
            }
            for number in range(start, min(n, start + ROWS_PER_FILE))
            for sample in [samples[number % len(samples)]]
        ]
        parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"{start:08}.parquet")


def measure(arguments: argparse.Namespace, folder: Path) -> dict[str, float]:
    """Scores the answers of a folder with one engine, in this process."""
    (engine,), (n,) = arguments.engines, arguments.n
    store, out = Store(folder / engine / ".assay"), folder / engine / "out"
    plan = Plan(
        sets=(str(folder / "in" / "*.parquet"),),
        metrics=tuple(arguments.metrics.split(",")),
        judge=load_settings(arguments.judge) if arguments.judge else None,
    )
    options = RunOptions(
        cassette=Path(arguments.cassette) if arguments.cassette else None,
        mode="replay" if arguments.cassette else "auto",
    )
    first: list[float] = []
    with cluster(engine) as (address, start_up), peak_memory() as peak:
        started = time.perf_counter()
        done = run_shards(
            plan,
            store,
            options,
            ShardOptions(
                out=out,
                engine="shards" if engine == "shards" else "ray",
                workers={"shards": None, "ray": 1, "nodes": 2}[engine],
                address=address,
            ),
            on_progress=lambda progress: first.append(time.perf_counter()) if progress.samples else None,
        )
        seconds, first_shard = time.perf_counter() - started, first[0] - started
    if store.count_samples(done.run) != n:
        raise SystemExit(f"{store.count_samples(done.run)} answers in the results in place of {n}")
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    run_store = str(folder / engine / ".assay")
    middle = next(iter(store.tables(done.run).execute("SELECT id FROM samples WHERE place = ?", (n // 2,))))[0]
    show = [processor_of_command("show", done.run, *words, "--store", run_store) for words in ((), (middle,))]
    empty = processor_of_command("--version")
    started = time.process_time()
    AnswerIndex(Store(run_store).tables(done.run)).search(done.run, AnswerQuery(sort="rating"))
    return {
        "seconds": seconds,
        "start-up": start_up + first_shard,
        "answers/s": n / seconds,
        "processor": sum(one.ru_utime + one.ru_stime for one in usage),
        "MB": peak[0] / 2**20,
        "show": show[0] - empty,
        "show one": show[1] - empty,
        "page": time.process_time() - started,
    }


def processor_of_command(*words: str) -> float:
    """The processor seconds of a command of Assay, in a process of its own: the least of three."""
    seconds = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "assay", *words], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(seconds)


@contextmanager
def cluster(engine: str) -> Iterator[tuple[str | None, float]]:
    """A Ray for the engine: none, one here, or a cluster of two nodes; with the seconds that its start took."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    started = time.perf_counter()
    if engine == "shards":
        yield None, 0.0
    elif engine == "ray":
        import ray

        ray.init(**NODE, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
        yield None, time.perf_counter() - started
        ray.shutdown()
    else:
        from ray.cluster_utils import Cluster

        nodes = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
        nodes.add_node(**NODE)
        yield nodes.address, time.perf_counter() - started
        nodes.shutdown()


@contextmanager
def peak_memory() -> Iterator[list[int]]:
    """The largest memory (bytes, in a list) of this process and those below it together."""
    peak, ended = [0], threading.Event()

    def watch() -> None:
        while not ended.wait(0.5):
            total = 0
            for process in (own := psutil.Process(), *own.children(recursive=True)):
                try:
                    total += process.memory_info().rss
                except psutil.NoSuchProcess:
                    continue
            peak[0] = max(peak[0], total)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        ended.set()
        thread.join()


if __name__ == "__main__":
    main()
