"""The store: what goes in comes out, in the set's order, and from two processes at once."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError, UsageError
from assay.eval_sets import Sample, load_set
from assay.judges import RawReply, Usage
from assay.judges.recording import Recording
from assay.metrics import Score
from assay.runs import Plan, RunKeeper, Store, migrations
from assay.runs.nightly.ledger import Ledger

PLAN = Plan(sets=("set.jsonl",), metrics=("faithfulness",))
SCORES = {
    "faithfulness": Score(
        1 / 3,
        "scored",
        "1 of 3, “so”\u2028",
        {"claims": [{"text": "é\x1b[31m", "place": None, "probability": 0.1}], "ratio": 1e-300},
        Usage(3, 1, 10, 20, 5, None, 0.25),
    ),
    "relevance": Score(None, "skipped", "nothing to measure"),
    "rating": Score(None, "failed", "the judge broke", {"raw": "{"}),
}


def sample(name: str, **fields: Any) -> Sample:
    return Sample(id=name, user_input="Q", response="A", **fields)


def test_scores_come_back_as_they_went_in(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = store.begin(PLAN)
    keeper = RunKeeper(store, run)
    keeper.keep(sample("s1", rating=4, metadata={"a": [1, None, "é"]}), SCORES)
    keeper.flush()
    store.end(run, "done")
    store.close()
    again = Store(tmp_path)
    assert {metric: score for _, metric, score in again.scores(run)} == SCORES
    assert again.sample(run, "s1") == sample("s1", rating=4, metadata={"a": [1, None, "é"]})
    assert again.run("last").status == "done"
    assert again.run(run).plan == PLAN


def test_samples_stand_in_the_sets_order_and_not_in_that_of_their_end(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = store.begin(PLAN)
    keeper = RunKeeper(store, run)
    drawn = list(keeper.drawn([sample(f"s{n}") for n in (3, 1, 2)]))
    for done in (drawn[1], drawn[0]):
        keeper.keep(done, SCORES)
    keeper.flush()
    resumed = RunKeeper(store, run)
    drawn = list(resumed.drawn(drawn))
    for done in (drawn[2], drawn[1]):  # the last sample, and one once more
        resumed.keep(done, SCORES)
    resumed.flush()
    assert [each.id for each in store.samples(run)] == ["s3", "s1", "s2"]
    assert list(dict.fromkeys(name for name, _, _ in store.scores(run))) == ["s3", "s1", "s2"]
    assert [each.id for each, _ in store.worst(run, "faithfulness", 5)] == ["s3", "s1", "s2"]  # a tie


def test_a_reply_is_on_disk_at_once_and_scores_with_their_batch(tmp_path: Path) -> None:
    store = Store(tmp_path)
    keeper = RunKeeper(store, store.begin(PLAN))
    reply = RawReply(model="m", text='{"a": "é"}', tokens_in=3, logprobs=({"a": -0.1},))
    recording = Recording("k1", "claims.en@0", "s1", {}, "Claims", "u", "about", reply)
    keeper.put(recording)
    with sqlite3.connect(tmp_path / "runs.sqlite") as other:
        assert other.execute("SELECT key FROM replies").fetchall() == [("k1",)]
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert keeper.get("k1") == recording
    assert keeper.get("k2") is None
    assert RunKeeper(store, store.begin(PLAN)).get("k1") is None  # another run's replies are not this one's


def test_finished_metrics_are_those_of_the_very_same_sample(tmp_path: Path) -> None:
    store = Store(tmp_path)
    keeper = RunKeeper(store, store.begin(PLAN))
    keeper.keep(sample("s1"), SCORES)
    keeper.flush()
    assert keeper.finished_metrics(sample("s1")) == {"faithfulness", "relevance"}  # what failed is tried again
    assert keeper.finished_metrics(sample("s1", reference="changed")) == set()
    assert keeper.finished_metrics(sample("s2")) == set()


def test_runs_are_found_by_id_beginning_or_last(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, second = store.begin(PLAN), store.begin(PLAN)
    assert first != second
    assert store.run(first).id == first
    assert store.run("last").id == second
    with pytest.raises(UsageError, match="several runs begin with '20'"):
        store.run("20")
    with pytest.raises(UsageError, match=f"no run is called 'x'.*{second}"):
        store.run("x")
    with pytest.raises(UsageError, match="none yet"):
        Store(tmp_path / "new").run("last")


def test_a_plan_says_what_determines_its_scores() -> None:
    def identity(**changes: Any) -> str:
        return PLAN.model_copy(update=changes).identity

    assert identity(limit=5) != identity(limit=6) != PLAN.identity
    assert len({identity(metrics=("a",)), identity(language="nl"), identity(embedder="st:x"), PLAN.identity}) == 4


def test_what_is_no_store_is_told(tmp_path: Path) -> None:
    (tmp_path / "runs.sqlite").write_text("This is a letter, and long enough to be none of SQLite's own." * 50)
    with pytest.raises(UsageError, match="not a store of runs"):
        Store(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="name another --store"):
        Store(tmp_path / "file")
    with pytest.raises(UsageError, match="run `assay run` first"):
        Store(tmp_path / "nothing", must_exist=True)
    assert not (tmp_path / "nothing").exists()


def test_a_store_of_another_version_is_not_touched(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        db.execute("CREATE TABLE runs (id TEXT)")
    with pytest.raises(UsageError, match="tables are of version 0"):
        Store(tmp_path)


def test_a_full_disk_stops_the_run_with_a_cure(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = store.begin(PLAN)
    keeper = RunKeeper(store, run)
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages}")  # SQLite's own way to have no room left
    keeper.keep(sample("s1", reference="x" * 100_000), SCORES)
    with pytest.raises(InputError, match=f"make room on the disk, then go on with --resume {run}"):
        keeper.flush()
    store._db.execute("PRAGMA max_page_count = 100000")
    keeper.flush()  # nothing was lost
    assert len(list(store.scores(run))) == 3


def test_two_processes_share_a_store(tmp_path: Path, set_file: Callable[..., Path]) -> None:
    sets = [set_file(200, "a.jsonl"), set_file(300, "b.jsonl")]
    command = [sys.executable, "-m", "assay", "run", "--metrics", "token_overlap", "--json", "--store", "shared"]
    running = [
        subprocess.Popen([*command, path], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for path in sets
    ]
    told = [process.communicate() for process in running]
    assert [(process.returncode, err) for process, (_, err) in zip(running, told, strict=True)] == [(0, b""), (0, b"")]
    runs = [json.loads(out)["run"] for out, _ in told]
    store = Store(tmp_path / "shared")
    for run, path in zip(runs, sets, strict=True):
        assert [each.id for each in store.samples(run)] == [each.id for each in load_set(path)]
        assert sum(1 for _ in store.scores(run)) == 3 * len(load_set(path))
        assert store.run(run).status == "done"


def test_a_store_of_version_2_gets_the_later_tables(tmp_path: Path) -> None:
    """The tables as they were before nights; what is in them stays."""
    old = (Path(migrations.__file__).parent / "0002_runs.sql").read_text(encoding="utf-8")
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        db.executescript(old)
        row = ("r1", "2026-11-01T02:00:00+00:00", PLAN.model_dump_json(), PLAN.identity, "done")
        db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", row)
        db.execute("PRAGMA user_version = 2")
    store = Store(tmp_path)
    assert store.run("last").id == "r1"
    Ledger(store).accept("nights", "j", "r1")
    assert Ledger(Store(tmp_path)).accepted("nights", "j") == "r1"
    store.database.set_version(99)
    with pytest.raises(UsageError, match=r"of version 99.*update assay"):
        Store(tmp_path)
