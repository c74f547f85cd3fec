"""A full disk, a damaged, locked or read-only store: what was paid for is never lost, and nothing is a traceback."""

import os
import re
import sqlite3
import subprocess

import pytest
from special_files import make_special_file

from assay.judges import Cassette
from assay.runs import Store

METRICS = "faithfulness:claims=judge"
SAMPLES, CALLS = 6, 12


@pytest.fixture
def words(set_file, judge_file):
    return [str(set_file(SAMPLES)), "--judge", str(judge_file()), "--metrics", METRICS]


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 3 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder, leave):
    """Fills a disk but for so many bytes."""
    filler = folder / "filler"
    free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
    filler.write_bytes(b"\0" * (free - leave))
    return filler


def test_an_out_that_cannot_be_written_is_found_before_the_first_call(assay, words, openai_server, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for out, problem in (
        ("nowhere/out.csv", "there is no folder nowhere; make it first"),
        ("folder.csv", "is a folder, not a file; name a file in it"),
        ("/proc/out.csv", "/proc/out.csv: is a device, not a file"),
    ):
        done = assay("run", *words, "--out", out)
        assert (done.code, problem in done.err, done.err.count("\n")) == (2, True, 1), done.err
    report = assay(
        "judges", "compare", *words[:3], "--judge", words[2], "--metric", METRICS, "--report", "nowhere/report.html"
    )
    assert (report.code, "there is no folder nowhere" in report.err) == (2, True)
    assert openai_server.requests == []


def test_an_out_that_cannot_be_written_in_the_end_loses_nothing(assay, words, openai_server, tmp_path):
    """Its folder is removed while the judge answers."""
    (tmp_path / "results").mkdir()

    def remove_folder(request):
        if request.number == CALLS:
            (tmp_path / "results").rmdir()

    openai_server.script = remove_folder
    done = assay("run", *words, "--out", "results/out.csv", "--json")
    assert (done.code, done.json["metrics"][METRICS]["scored"]) == (1, SAMPLES), "the results are printed all the same"
    assert "results/out.csv: there is no folder results; make it first. The scores are kept" in done.err
    assert len(openai_server.requests) == CALLS
    (tmp_path / "results").mkdir()
    again = assay(*done.err.split("asking anybody: assay ")[1].split())
    assert (again.code, len(openai_server.requests)) == (0, CALLS)
    assert len((tmp_path / "results" / "out.csv").read_text(encoding="utf-8").splitlines()) > SAMPLES
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["out.csv"]


def test_a_cassette_that_cannot_be_written_is_found_before_the_first_call(assay, words, openai_server):
    for mode in ("auto", "record"):
        done = assay("run", *words, "--cassette", "/proc/replies.jsonl", "--mode", mode)
        assert (done.code, "/proc/replies.jsonl: replies cannot be recorded" in done.err) == (1, True), done.err
        assert "Traceback" not in done.err
    assert openai_server.requests == []


def test_a_full_disk_is_found_before_the_first_call(assay, words, openai_server, small_disk):
    fill(small_disk, leave=100_000)
    done = assay("run", *words, "--cassette", small_disk / "replies.jsonl")
    assert (done.code, "less than 1 MB is free on the disk" in done.err) == (1, True), done.err
    done = assay("run", *words, "--out", small_disk / "out.csv")
    assert (done.code, "less than 1 MB is free on the disk" in done.err) == (2, True), done.err
    (small_disk / "filler").unlink()
    fill(small_disk, leave=0)
    done = assay("run", *words, "--store", small_disk / "runs")
    assert (done.code, "make room on the disk" in done.err) == (2, True), done.err
    assert openai_server.requests == []
    assert {path.name for path in small_disk.iterdir()} <= {"filler", "runs"}, "no draft, no journal, no lock"


@pytest.mark.parametrize("cassette", [True, False], ids=["cassette", "store"])
def test_a_disk_that_fills_up_loses_no_reply(assay, words, openai_server, small_disk, cassette):
    """The disk fills after some replies; with room again, the run goes on with what it has."""
    place = ["--cassette", str(small_disk / "replies.jsonl")] if cassette else ["--store", str(small_disk / "runs")]

    def fill_up(request):
        if request.number == 6:
            fill(small_disk, leave=0)

    openai_server.script = fill_up
    full = assay("run", *words, *place, "--concurrency", "1", code=1)
    assert "Traceback" not in full.err
    assert "No space left on device" in full.err or "make room on the disk" in full.err
    request_count = len(openai_server.requests)
    assert request_count < CALLS, "nothing is asked that cannot be kept"
    openai_server.script = None
    (small_disk / "filler").unlink()
    done = assay("run", *words, *place, "--concurrency", "1", "--json")
    assert (done.code, done.json["metrics"][METRICS]["scored"]) == (0, SAMPLES)
    if cassette:
        assert len(openai_server.requests) <= CALLS + 1, "only the reply that found no room is asked for again"
        with Cassette(small_disk / "replies.jsonl") as recorded:
            assert len(list(recorded.recordings())) == CALLS
        assert [path.name for path in small_disk.iterdir()] == ["replies.jsonl"]


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
        damaged = r"\.assay/runs\.sqlite: .*malformed; the file is damaged: restore it from a backup"
        assert re.search(damaged, assay("show", run).err)
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
    left = ["s0", "s1", "s4", "s5"]
    assert {score["sample"] for score in shown["scores"]} == {*left}
    store = Store(tmp_path / ".assay")
    assert [sample.id for sample in store.samples(first["run"])] == left
    assert {name for name, _, _ in store.scores(first["run"], fields=())} == {*left}


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
