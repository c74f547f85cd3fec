"""A store that is damaged, locked, read-only or no folder: no score is lost, no command ends in a traceback."""

import sqlite3

import pytest
from special_files import make_special_file

from assay.runs import Store


@pytest.mark.parametrize("place", ["header", "pages", "cut", "plan", "sample", "score", "text"])
def test_a_damaged_store_is_told_in_one_sentence(assay, set_file, tmp_path, place):
    assert assay("run", set_file(200), "--metrics", "token_overlap").code == 0
    file = tmp_path / ".assay" / "runs.sqlite"
    run = Store(tmp_path / ".assay").run("last").id
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    for beside in tmp_path.glob(".assay/runs.sqlite-*"):
        beside.unlink()
    content = bytearray(file.read_bytes())
    if place == "header":
        content[:100] = b"x" * 100
    elif place == "pages":
        content[4096:] = b"\xff" * (len(content) - 4096)
    elif place == "cut":
        del content[len(content) // 2 :]
    if place == "text":
        with sqlite3.connect(file) as database:
            database.execute("UPDATE scores SET value = 'high' WHERE sample = 's1' AND metric = 'token_overlap'")
        database.close()
    elif place in {"plan", "sample", "score"}:
        column = {"plan": "runs SET plan", "sample": "samples SET content", "score": "scores SET evidence"}[place]
        with sqlite3.connect(file) as database:
            database.execute(f"UPDATE {column} = '{{'")
        database.close()
    else:
        file.write_bytes(content)
    for words in (
        ("show", "last"),
        ("show", "changes", "last", "last"),
        ("traces", "push", "last"),
        ("show", run, "s1"),
        ("show", "last", "--json"),
        ("run", "--resume", "last"),
    ):
        result = assay(*words)
        assert "Traceback" not in result.err, result.err
        if result.code:
            assert (result.code in {1, 2}, result.err.count("\n")) == (True, 1), result.err
            assert "make room" not in result.err
    if place in {"pages", "cut"}:
        assert "the file is damaged: restore it from a backup" in assay("show", run).err
    if place == "text":
        assert (
            "sample = 's1' AND metric = 'token_overlap' cannot be read (must be real number, not str)"
            in assay("show", run).err
        )
    if place == "plan":
        assert f"row of runs with id = '{run}' cannot be read" in assay("show", "last").err
        assert assay("run", set_file(2), "--metrics", "token_overlap").code == 0, "another run begins"
        assert assay("show", "last").code == 0


def test_samples_removed_from_a_set_do_not_count_after_resume(assay, set_file, tmp_path):
    path = set_file(6)
    first = assay("run", path, "--metrics", "token_overlap", "--json").json
    assert first["metrics"]["token_overlap"]["n"] == 6
    rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(rows[:2] + rows[4:]), encoding="utf-8")
    resumed = assay("run", path, "--metrics", "token_overlap", "--resume", "last", "--json").json
    assert (resumed["run"], resumed["metrics"]["token_overlap"]["n"]) == (first["run"], 4)
    shown = assay("show", "last", "--json").json
    assert {score["sample"] for score in shown["scores"]} == {"s0", "s1", "s4", "s5"}


def test_a_store_that_another_process_holds_is_told_with_a_cure(assay, set_file, tmp_path):
    assert assay("run", set_file(2), "--metrics", "token_overlap").code == 0
    store = Store(tmp_path / ".assay", wait=0.1)
    holder = sqlite3.connect(tmp_path / ".assay" / "runs.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    assert assay("show", "last").code == 0, "it can be read all the same"
    with pytest.raises(Exception, match="locked; wait until the process that holds it has ended"):
        store.begin(store.run("last").plan)
    holder.execute("ROLLBACK")
    holder.close()


def make(kind, path):
    if kind == "file":
        path.write_text("{}\n", encoding="utf-8")
    else:
        make_special_file(kind, path)


@pytest.mark.parametrize("kind", ["file", "pipe", "device"])
@pytest.mark.parametrize("options", [["--check"], [], ["--resume"]])
def test_a_suite_says_which_line(assay, set_file, tmp_path, options, kind):
    make(kind, tmp_path / "ok.jsonl")
    lines = [f"sets: {set_file(2).name}", "metrics: token_overlap", "store: ok.jsonl", "outputs: {summary: s.md}"]
    (tmp_path / "nightly.yaml").write_text("\n".join(lines), encoding="utf-8")
    done = assay("suite", "nightly.yaml", *options)
    place = f"nightly.yaml, line 3, store: {tmp_path / 'ok.jsonl'}: is a {kind}, not a folder; "
    assert (done.code, place in done.err) == (1, True), done.err
    assert not (tmp_path / "s.md").exists()
