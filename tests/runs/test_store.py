"""The store: what goes in comes out, in the set's order, and from two processes at once."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from assay.errors import InputError, UsageError
from assay.eval_sets import Sample, load_set, turn_samples
from assay.judges import JudgeSettings, RawReply, Recording, Usage
from assay.metrics import Score
from assay.runs import Ledger, Plan, Results, RunWriter, Store, migrate

ROOT = Path(__file__).parents[2]
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


def sample(name, **fields):
    return Sample(id=name, user_input="Q", response="A", **fields)


@pytest.fixture(params=["a folder", "PostgreSQL"])
def where(request, tmp_path):
    """Where a store is: what stands in it is the same."""
    return tmp_path if request.param == "a folder" else request.getfixturevalue("postgres_url")


def test_what_goes_in_comes_out(where):
    store = Store(where)
    run = store.begin(PLAN)
    writer = RunWriter(store, run)
    whole = sample("s1", rating=4, metadata={"a": [1, None, "é"]})
    for _ in range(2):  # the second time it replaces the first
        writer.add(whole, SCORES | {"broken": Score(None, "skipped", "half a reply\0")})
        writer.flush()
    recording = Recording("k1", "p@0", "s1", {}, "Claims", "u", "a", RawReply(model="m", text="é\ud83d"))
    for _ in range(2):
        writer.put(recording)
    store.end(run, "done")
    store.close()
    again = Store(where)
    stored = {metric: score for _, metric, score in again.scores(run)}
    assert stored.pop("broken").reason in {"half a reply\0", "half a reply\ufffd"}  # PostgreSQL has no NUL
    assert stored == SCORES  # all digits of 1/3
    assert again.sample(run, "s1") == whole
    assert RunWriter(again, run).get("k1") == recording
    assert RunWriter(again, run).finished_metrics(whole) == {"faithfulness", "relevance", "broken"}
    assert (again.run("last").status, again.run(run).plan) == ("done", PLAN)
    assert again.failures(run) == {"s1": "the judge broke"}
    assert "secret" not in again.path


def test_samples_stand_in_the_sets_order_and_not_in_that_of_their_end(tmp_path):
    store = Store(tmp_path)
    run = store.begin(PLAN)
    writer = RunWriter(store, run)
    drawn = list(writer.number_samples([sample(f"s{n}") for n in (3, 1, 2)]))
    for done in (drawn[1], drawn[0]):
        writer.add(done, SCORES)
    writer.flush()
    resumed = RunWriter(store, run)
    drawn = list(resumed.number_samples(drawn))
    for done in (drawn[2], drawn[1]):  # the last sample, and one once more
        resumed.add(done, SCORES)
    resumed.flush()
    assert [each.id for each in store.samples(run)] == ["s3", "s1", "s2"]
    assert list(dict.fromkeys(name for name, _, _ in store.scores(run))) == ["s3", "s1", "s2"]
    assert list(Results.from_store(store, run).worst(5, "faithfulness").samples) == ["s3", "s1", "s2"]  # a tie


def test_a_reply_is_on_disk_at_once_and_scores_with_their_batch(tmp_path):
    store = Store(tmp_path)
    writer = RunWriter(store, store.begin(PLAN))
    reply = RawReply(model="m", text='{"a": "é"}', tokens_in=3, logprobs=({"a": -0.1},))
    recording = Recording("k1", "claims.en@0", "s1", {}, "Claims", "u", "about", reply)
    writer.put(recording)
    with sqlite3.connect(tmp_path / "runs.sqlite") as other:
        assert other.execute("SELECT key FROM replies").fetchall() == [("k1",)]
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert writer.get("k1") == recording
    assert writer.get("k2") is None
    assert RunWriter(store, store.begin(PLAN)).get("k1") is None  # another run's replies are not this one's


def test_runs_are_found_by_id_beginning_or_last(tmp_path):
    store = Store(tmp_path)
    first, second = store.begin(PLAN), store.begin(PLAN)
    assert first != second
    assert store.run(first).id == first
    assert store.run("last").id == second
    assert (store.run("last~0").id, store.run("last~1").id) == (second, first)
    with pytest.raises(UsageError, match="no run is called 'last~2'"):
        store.run("last~2")
    with pytest.raises(UsageError, match="several runs begin with '20'"):
        store.run("20")
    with pytest.raises(UsageError, match=f"no run is called 'x'.*{second}"):
        store.run("x")
    with pytest.raises(UsageError, match=r"there are no runs .* yet: assay run FILE makes one"):
        Store(tmp_path / "new").run("last")


def test_a_plan_says_what_determines_its_scores():
    def identity(**changes):
        return PLAN.model_copy(update=changes).identity

    assert identity(limit=5) != identity(limit=6) != PLAN.identity
    assert len({identity(metrics=("a",)), identity(language="nl"), identity(embedder="st:x"), PLAN.identity}) == 4


def test_what_is_no_store_is_told(tmp_path):
    (tmp_path / "runs.sqlite").write_text("This is a letter, and long enough to be none of SQLite's own." * 50)
    with pytest.raises(UsageError, match="not a store of runs"):
        Store(tmp_path)
    (tmp_path / "runs.sqlite").write_text(json.dumps({"runs": []}) * 100)
    with pytest.raises(UsageError, match=r"runs.sqlite: the store cannot be opened: file is not a database; .*move it"):
        Store(tmp_path)
    (tmp_path / "other").mkdir()
    with sqlite3.connect(tmp_path / "other" / "runs.sqlite") as database:
        database.execute("CREATE TABLE books (title)")
    database.close()
    with pytest.raises(UsageError, match=r"runs.sqlite: not a store of runs .*move it away, or name another --store"):
        Store(tmp_path / "other")
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"the store cannot be opened: .*, or name another --store"):
        Store(tmp_path / "file")
    with pytest.raises(UsageError, match="run `assay run` first"):
        Store(tmp_path / "nothing", must_exist=True)
    assert not (tmp_path / "nothing").exists()


def test_a_full_disk_stops_the_run_with_a_cure(tmp_path):
    store = Store(tmp_path)
    run = store.begin(PLAN)
    writer = RunWriter(store, run)
    pages = store.database.execute("PRAGMA page_count").fetchone()[0]
    store.database.execute(f"PRAGMA max_page_count = {pages}")  # SQLite's own way to have no room left
    writer.add(sample("s1", reference="x" * 100_000), SCORES)
    with pytest.raises(InputError, match=f"make room on the disk, then go on with --resume {run}"):
        writer.flush()
    store.database.execute("PRAGMA max_page_count = 100000")
    writer.flush()  # nothing was lost
    assert len(list(store.scores(run))) == 3


def test_two_processes_share_a_store(tmp_path, set_file, warm_python):
    sets = [set_file(200, "a.jsonl"), set_file(300, "b.jsonl")]
    command = ("-m", "assay", "run", "--metrics", "token_overlap", "--json", "--store", "shared")
    running = [warm_python.start(*command, path, cwd=tmp_path) for path in sets]
    outputs = [process.communicate() for process in running]
    assert [(process.returncode, err) for process, (_, err) in zip(running, outputs, strict=True)] == [
        (0, b""),
        (0, b""),
    ]
    runs = [json.loads(out)["run"] for out, _ in outputs]
    store = Store(tmp_path / "shared")
    for run, path in zip(runs, sets, strict=True):
        assert [each.id for each in store.samples(run)] == [each.id for each in load_set(path)]
        assert sum(1 for _ in store.scores(run)) == 3 * len(load_set(path))
        assert store.run(run).status == "done"


def test_a_store_gets_the_migrations_after_its_own_version(tmp_path, where):
    """One more migration than there are today; what is in the store stays."""
    store = Store(where)
    run = store.begin(PLAN)
    Ledger(store).accept("desk", "j", run)
    folder = tmp_path / "schema"
    shutil.copytree(ROOT / "runs" / "store" / "schema", folder)
    next_version = (store.database.version() or 0) + 1
    (folder / f"{next_version:04}_notes.sql").write_text(
        "ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT 'none'; CREATE TABLE notes (id TEXT);", encoding="utf-8"
    )
    for _ in range(2):  # the second time there is nothing left to do
        migrate(store.database, folder)
    assert store.database.version() == next_version
    assert store.database.execute("SELECT id, note FROM runs").fetchall() == [(run, "none")]
    assert store.database.execute("SELECT count(*) FROM notes").fetchone() == (0,)
    assert Ledger(store).baseline("desk", "j").runs[-1] == run
    wrong = shutil.copytree(folder, tmp_path / "wrong")
    (wrong / f"{next_version + 1:04}_wrong.sql").write_text(
        "CREATE TABLE more (id TEXT); CREATE TABLE notes (id TEXT);", encoding="utf-8"
    )
    with pytest.raises(Exception, match="notes"):
        migrate(store.database, wrong)
    assert store.database.version() == next_version  # all of a migration or nothing
    store.database.execute("CREATE TABLE more (id TEXT)")


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (0, "not a store .* of version 0, .*move it away, or name another --store"),
        (7, "written by Assay 0.1; run it again with another --store"),
        (12, "written by Assay 0.1; run it again with another --store"),
        (99, "not a store .* of version 99, .*update assay"),
    ],
)
def test_a_store_of_another_version_is_refused(where, tmp_path, version, message):
    store = Store(where)
    store.begin(PLAN)
    store.database.set_version(version)
    with pytest.raises(UsageError, match=message if where != tmp_path else rf"runs\.sqlite: {message}"):
        Store(where)


def test_last_is_the_run_that_began_last(tmp_path):
    """Many in one second, and one while the clock was wrong."""
    store = Store(tmp_path)
    runs = [store.begin(PLAN) for _ in range(12)]
    assert len({*runs}) == 12
    assert store.run("last").id == runs[-1]
    assert store.newest_run_of(PLAN.identity).id == runs[-1]
    store.database.execute("UPDATE runs SET created = '2000-01-01T00:00:00+00:00' WHERE id = ?", (runs[-1],))
    assert store.run("last").id == runs[-1]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00", store.run(runs[0]).created)


def test_one_damaged_row_is_named_and_the_others_are_read(tmp_path):
    store = Store(tmp_path)
    good, bad = store.begin(PLAN), store.begin(PLAN)
    writer = RunWriter(store, good)
    for name in ("s1", "s2"):
        writer.add(sample(name), SCORES)
    writer.flush()
    store.database.execute("UPDATE runs SET plan = '{\"sets\": 5}' WHERE id = ?", (bad,))
    assert store.run(good).plan == PLAN
    with pytest.raises(InputError, match=rf"row of runs with id = '{bad}' cannot be read \(sets: .*Name another run"):
        store.run("last")
    store.database.execute("UPDATE scores SET evidence = '{' WHERE sample = 's2' AND metric = 'rating'")
    assert {metric for _, metric, _ in store.scores(good, "s1")} == {*SCORES}
    row = f"run = '{good}' AND sample = 's2' AND metric = 'rating'"
    with pytest.raises(InputError, match=f"DELETE FROM scores WHERE {row}"):
        list(store.scores(good))
    store.database.execute("UPDATE samples SET content = 'x' WHERE id = 's2'")
    assert store.sample(good, "s1").id == "s1"
    with pytest.raises(InputError, match=rf"row of samples with run = '{good}' AND id = 's2' cannot be read"):
        list(store.samples(good))
    writer.put(Recording("k1", "p@0", "s1", {}, "Claims", "u", "a", RawReply("m", "Yes")))
    store.database.execute("UPDATE replies SET line = ?", (b'{"key": 5}',))
    reply = f"run = '{good}' AND key = 'k1'"
    with pytest.raises(InputError, match=rf"row of replies with {reply} cannot be read \(key: .*{reply}"):
        writer.replies()


READS_AND_WRITES = """
import os, sys
from assay.errors import AssayError
from assay.runs import Store

def read_and_write(folder):
    store = Store(folder)
    run = store.run("last")
    print(len(list(store.samples(run.id))), len(list(store.scores(run.id))))
    try:
        store.begin(run.plan)
    except AssayError as error:
        print(error)

closed, writable = sys.argv[1:]
read_and_write(writable)  # imports all that it takes: the other user may not be able to read this checkout
os.setuid(65534)
read_and_write(closed)
"""


@pytest.fixture
def open_folder():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for inner in folder.iterdir():
            inner.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="another user is needed, who may not write")
@pytest.mark.parametrize("is_closed", [True, False], ids=["closed", "with a writer's last changes beside it"])
def test_a_store_that_cannot_be_written_to_can_be_read(open_folder, tmp_path, is_closed):
    store = Store(open_folder / "runs")
    run = store.begin(PLAN)
    writer = RunWriter(store, run)
    writer.add(sample("s1"), SCORES)
    writer.flush()
    if is_closed:
        store.close()
    else:
        assert (open_folder / "runs" / "runs.sqlite-wal").stat().st_size > 0
    for file in (open_folder / "runs").iterdir():
        file.chmod(0o444)
    (open_folder / "runs").chmod(0o555)
    before = {file.name: file.read_bytes() for file in (open_folder / "runs").iterdir()}
    writable = shutil.copytree(open_folder / "runs", tmp_path / "runs")
    for path in (writable, *writable.iterdir()):
        path.chmod(0o755)
    command = [sys.executable, "-c", READS_AND_WRITES, str(open_folder / "runs"), str(writable)]
    read = subprocess.run(command, capture_output=True, text=True, check=False)
    assert read.stderr == ""
    assert read.stdout.splitlines()[:2] == ["1 3", "1 3"]
    assert re.search("lock: cannot be written: .*can be written to, or name another --store", read.stdout)
    assert {file.name: file.read_bytes() for file in (open_folder / "runs").iterdir()} == before


def test_a_content_stays_as_long_as_something_refers_to_it(where):
    """Two runs of a conversation of two turns: the conversation itself is no sample of the second, whose turns are."""
    messages = [{"role": role, "content": text} for role, text in zip(("user", "assistant") * 2, "AaBb", strict=True)]
    chat = Sample.model_validate({"id": "chat", "messages": messages})
    turns, alone = turn_samples(chat), sample("s")
    store = Store(where)

    def score(run, samples, kept):
        writer = RunWriter(store, run)
        for one in writer.number_samples(samples):
            if one in kept:
                writer.add(one, {"faithfulness": Score(None, "skipped", "")})
        writer.flush()
        return writer

    def count_contents():
        return store.database.execute("SELECT count(*) FROM contents").fetchone()[0]

    first, second = store.begin(PLAN), store.begin(PLAN)
    score(first, [chat, *turns, alone], [chat, alone])
    writer = score(second, [chat, *turns, alone], [*turns, alone])
    assert count_contents() == 4
    store.remove_if_empty(first)
    assert store.run_ids() == [second]
    assert list(store.samples(second)) == [*turns, alone]
    changed = alone.model_copy(update={"response": "B"})
    assert writer.finished_metrics(changed) == set()
    writer.add(changed, {"faithfulness": Score(None, "skipped", "")})
    writer.flush()
    assert (store.sample(second, "s"), count_contents()) == (changed, 4)
    writer.remove_samples_except({turns[1].id})
    assert (list(store.samples(second)), count_contents()) == ([turns[1]], 2)
    writer.remove_samples_except(())
    assert count_contents() == 0
    store.close()


PLANS = {
    # computed by version 0.1.0, before a plan was taken apart into what is scored and how it is carried out
    "459cc68dc061": Plan(sets=("helpdesk_en",), metrics=("faithfulness",)),
    "e8108820d1df": Plan(
        sets=("helpdesk_en",),
        metrics=('predicate:"The answer is polite"',),
        judge=JudgeSettings(model="openai/gpt-4o-mini", decide="listed", parameters={"temperature": 0}),
    ),
    "fa3d5a2c822e": Plan(
        sets=("/data/a.csv",),
        metrics=("scorer:/data/s.json", "my.py:is_short:limit=80", "ragas:faithfulness"),
        judge=JudgeSettings(model="openai/gpt-4o-mini"),
        embedder="st:x",
        mapping={"vraag": "user_input"},
        language="nl",
        split="test",
        limit=5,
        prompts="/data/prompts",
    ),
    "63cc44ea5b42": Plan(
        sets=("/data/a.xlsx",), metrics=("token_overlap",), sheet="2024", directions={"token_overlap": True}
    ),
}


@pytest.mark.parametrize("identity", PLANS)
def test_the_identity_is_that_of_runs_already_stored(identity):
    assert PLANS[identity].identity == identity


def test_the_record_has_the_fields_of_runs_already_stored():
    """In the order in which they are written, since the identity is a hash of the text."""
    record = json.loads(PLANS["459cc68dc061"].model_dump_json())
    assert list(record) == [
        *("sets", "metrics", "judge", "embedder", "mapping", "language", "split", "sheet"),
        *("header_row", "scale", "limit", "prompts"),
        *("directions", "turns", "conversation_metrics", "has_default_metrics"),
    ]


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_plan_is_read_back_from_its_record(plan):
    assert Plan.model_validate_json(plan.model_dump_json()) == plan
