"""Which runs a nightly run is compared with: those accepted together, and the finished nightly runs since."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assay.runs import History, Ledger, Store, read_history

Make = Callable[..., Any]


@pytest.fixture
def nightly(assay: Make, set_file: Make, tmp_path: Path) -> Make:
    """Runs the suite on so many samples, and returns its run."""
    set_file(6)

    def run(**keys: Any) -> str:
        content = {"name": "desk", "sets": ["set.jsonl"], "metrics": ["token_overlap"]} | keys
        (tmp_path / "nightly.yaml").write_text(json.dumps(content), encoding="utf-8")
        done = assay("suite", "nightly.yaml", "--json")
        assert done.code == 0, done
        (report,) = done.json["runs"]
        return str(report["run"])

    return run


def history(tmp_path: Path, run: str) -> tuple[int, int]:
    """How many accepted runs and nightly runs the newest run has behind it."""
    store = Store(tmp_path / ".assay")
    ledger = Ledger(store)
    rows = ledger.nightly_runs("desk")[1:]
    read: History = read_history(store, rows, judge="no judge", run=run, baseline=ledger.baseline("desk", "no judge"))
    return len(read.accepted), len(read.nights)


def test_runs_since_the_baseline_count(assay: Make, nightly: Make, tmp_path: Path) -> None:
    runs = [nightly() for _ in range(3)]
    assert history(tmp_path, runs[-1]) == (0, 2)
    assert assay("accept", *runs[:2], "--json").json["runs"] == runs[:2]
    assert history(tmp_path, nightly()) == (2, 0)  # the third began before they were accepted
    assert history(tmp_path, nightly()) == (2, 1)
    assay("accept", "last")  # evidence starts anew
    assert history(tmp_path, nightly()) == (1, 0)


def test_other_metrics_and_unfinished_runs_do_not_count(assay: Make, nightly: Make, tmp_path: Path) -> None:
    nightly()
    assay("accept", "last")
    nightly(metrics=["token_overlap", "answer_length"])
    store = Store(tmp_path / ".assay")
    Ledger(store).begin("desk")  # and was killed
    assert history(tmp_path, nightly()) == (1, 0)
    assert history(tmp_path, nightly()) == (1, 1)


def test_an_old_store_has_one_accepted_run(nightly: Make, tmp_path: Path) -> None:
    """A former version wrote the time in whole seconds, one run at a time."""
    first, second = nightly(), nightly()
    store = Store(tmp_path / ".assay")
    ledger = Ledger(store)
    with store.database.transaction():
        for number, (run, at) in enumerate(
            [(first, "2026-01-01T01:00:00+00:00"), (second, "2026-01-02T01:00:00+00:00")]
        ):
            store.database.execute("INSERT INTO accepted VALUES ('desk', 'no judge', ?, ?, ?)", (run, at, number))
    baseline = ledger.baseline("desk", "no judge")
    assert baseline is not None
    assert (baseline.runs, ledger.accepted("desk", "no judge")) == ((second,), second)
    assert ledger.accepted_runs("desk") == {second}


def test_runs_of_two_suites_are_not_one_baseline(assay: Make, nightly: Make) -> None:
    runs = [nightly(), nightly(name="other")]
    refused = assay("accept", *runs)
    assert (refused.code, "one suite and one judge" in refused.err) == (2, True)


def test_a_replayed_run_counts_once(
    *, assay: Make, nightly: Make, judge_file: Make, openai_server: Any, tmp_path: Path
) -> None:
    """The same replies again are no second look at the system."""
    judge_file()
    keys = {"judges": ["local.yaml"], "metrics": ["faithfulness:claims=judge"], "cassette": "replies.jsonl"}
    *nights, run = [nightly(**keys) for _ in range(4)]
    assert openai_server.requests
    store = Store(tmp_path / ".assay")
    rows = Ledger(store).nightly_runs("desk")[1:]
    assert read_history(store, rows, judge="local.yaml", run=run, baseline=None) == History()
    with store.database.transaction():  # the last two a day later than the others
        for name in (nights[2], run):
            later = (datetime.fromisoformat(store.run(name).created) + timedelta(days=1)).isoformat()
            store.database.execute("UPDATE runs SET created = ? WHERE id = ?", (later, name))
    read = read_history(store, rows, judge="local.yaml", run=run, baseline=None)
    assert (len(read.nights), read.distinct_nights) == (1, [])  # two nights, with one look at the system
