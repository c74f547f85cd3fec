"""A real Ray: the budget of all workers, workers and nodes that are killed, a driver that is killed."""

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pyarrow
import pytest
from interrupted_runs import command_at_request
from openai_server import Answer, OpenAIServer, Request
from pyarrow import parquet
from warm_python import WarmPython

from assay.judges import Budget, load_settings
from assay.runs import Plan, RunOptions, Store
from assay.runs.shards import ShardOptions, run_shards

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
pytestmark = [pytest.mark.extras("ray"), pytest.mark.timeout(600)]

Make = Callable[..., Any]
NODE = {"num_cpus": 1, "object_store_memory": 100 * 2**20, "include_dashboard": False}


def write_answers(folder: Path, count: int, per_file: int) -> str:
    """Writes Parquet files with answers that differ; returns their pattern."""
    folder.mkdir()
    rows = [
        {
            "id": f"s{number}",
            "user_input": f"How do I do step {number}?",
            "response": f"Open menu {number}. Press button {number}.",
            "retrieved_contexts": [f"Open menu {number}. It is stored as file {number}."],
            "language": "en",
        }
        for number in range(count)
    ]
    for start in range(0, count, per_file):
        parquet.write_table(pyarrow.Table.from_pylist(rows[start : start + per_file]), folder / f"{start:06}.parquet")
    return str(folder / "*.parquet")


def ids_of(store: Store, run: str) -> list[str]:
    return sorted((sample.id for sample in store.samples(run)), key=lambda name: int(name[1:]))


@pytest.fixture(scope="module")
def key_of_workers() -> Iterator[None]:
    """The environment that workers inherit when Ray starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
        patch.setenv("NO_PROXY", "127.0.0.1")
        yield


@pytest.fixture(scope="module")
def local_ray(key_of_workers: None) -> Iterator[None]:
    """One Ray on this machine for the module, with one processor and nothing but loopback."""
    import ray

    ray.init(**NODE, _node_ip_address="127.0.0.1", log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.usefixtures("local_ray")
def test_the_budget_holds_for_all_workers_and_the_run_goes_on_after_it(
    tmp_path: Path, judge_file: Make, openai_server: OpenAIServer
) -> None:
    """6 answers in shards of 2 and 4 calls: what was asked is not asked again."""
    plan = Plan(
        sets=(write_answers(tmp_path / "in", 6, 3),),
        metrics=("judge_truthfulness",),
        judge=load_settings(str(judge_file(concurrency=2))),
    )
    store, options = Store(tmp_path / ".assay"), ShardOptions(out=tmp_path / "out", engine="ray", shard_rows=2)
    stopped = run_shards(plan, store, RunOptions(budget=Budget(calls=4)), options)
    assert (stopped.ending, len(openai_server.requests)) == ("budget", 4)
    assert "the budget of 4 calls is reached" in stopped.message
    done = run_shards(plan, store, RunOptions(), options, resume=stopped.run)
    assert (done.ending, done.usage.calls - done.usage.from_cassette) == ("done", 2)
    assert len(openai_server.requests) == 6
    assert ids_of(store, done.run) == [f"s{number}" for number in range(6)]
    assert store.failed_samples(done.run) == []


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_a_killed_worker_is_replaced_and_no_shard_but_its_own_is_asked_again(
    tmp_path: Path, judge_file: Make, openai_server: OpenAIServer
) -> None:
    """Killed at the eighth request: one of a shard of 3, of which at most 3 are asked again."""
    plan = Plan(
        sets=(write_answers(tmp_path / "in", 12, 12),),
        metrics=("judge_truthfulness",),
        judge=load_settings(str(judge_file(concurrency=1))),
    )

    def kill_at_the_eighth(request: Request) -> Answer | None:
        if request.number == 8:
            for process in psutil.Process().children(recursive=True):
                if "RayWorker" in process.name() or any("RayWorker" in word for word in process.cmdline()):
                    process.kill()
        return None

    openai_server.script = kill_at_the_eighth
    store, options = Store(tmp_path / ".assay"), ShardOptions(out=tmp_path / "out", engine="ray", shard_rows=3)
    done = run_shards(plan, store, RunOptions(), options)
    assert ids_of(store, done.run) == [f"s{number}" for number in range(12)]
    assert 12 < len(openai_server.requests) <= 12 + 3


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_a_node_is_killed_twenty_times_and_every_answer_is_scored_once(
    tmp_path: Path, judge_file: Make, openai_server: OpenAIServer
) -> None:
    """Two nodes on loopback; the second one is killed and replaced while the run goes on.

    ASSAY_KILLS sets another number of kills.
    """
    import ray
    from ray.cluster_utils import Cluster

    kills, shard_rows = int(os.environ.get("ASSAY_KILLS", "20")), 5
    ray.shutdown()
    cluster = Cluster(initialize_head=True, head_node_args=NODE)
    node = cluster.add_node(**{name: value for name, value in NODE.items() if name != "include_dashboard"})
    openai_server.latency = 0.2
    count = 100 * (kills + 1)
    plan = Plan(
        sets=(write_answers(tmp_path / "in", count, 50),),
        metrics=("judge_truthfulness",),
        judge=load_settings(str(judge_file(concurrency=2))),
    )
    store, ends = Store(tmp_path / ".assay"), []
    options = ShardOptions(
        out=tmp_path / "out", engine="ray", shard_rows=shard_rows, workers=2, address=cluster.address
    )

    def run() -> None:
        own = Store(tmp_path / ".assay")
        ends.append(run_shards(plan, own, RunOptions(), options))

    thread = threading.Thread(target=run)
    thread.start()
    done_kills = 0
    try:
        for kill in range(kills):
            target = (kill + 1) * count // (kills + 2)
            while thread.is_alive() and len(openai_server.requests) < target:
                time.sleep(0.2)
            if not thread.is_alive():
                break
            cluster.remove_node(node, allow_graceful=False)
            done_kills += 1
            node = cluster.add_node(**{name: value for name, value in NODE.items() if name != "include_dashboard"})
        thread.join()
        (done,) = ends
        assert done.ending == "done"
        assert done_kills == kills
        assert ids_of(store, done.run) == [f"s{number}" for number in range(count)]
        assert len(openai_server.requests) <= count + kills * shard_rows
        print(f"kills {done_kills}, answers {count}, requests {len(openai_server.requests)}")
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.mark.slow
def test_a_killed_driver_goes_on_where_it_ended(
    tmp_path: Path, judge_file: Make, openai_server: OpenAIServer, warm_python: WarmPython, assay: Make
) -> None:
    pattern = write_answers(tmp_path / "in", 12, 12)
    words = ["run", pattern, "--judge", str(judge_file(concurrency=1)), "--metrics", "judge_truthfulness"]
    words += ["--engine", "ray", "--workers", "1", "--out", "out", "--shard-rows", "3"]
    with command_at_request(warm_python, tmp_path, openai_server, words, 8) as process:
        process.kill()
        process.communicate()
    done = assay(*words, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["metrics"]["judge_truthfulness"]["scored"] == 12
    assert len(openai_server.requests) <= 12 + 3
