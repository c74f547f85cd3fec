"""Ctrl-C, once and twice, and kill -9 at each change of a file: nothing is lost, doubled or half-written."""

import itertools
import json
import shutil
import sqlite3
import subprocess
import sys
from bisect import bisect_left

import pytest
from interrupted_runs import count_bodies, scores
from stop_points import stop_at_change, stop_at_every_change

from assay.atomic_files import replace_file
from assay.judges import Cassette, RawReply, Recording, format_line

RECORDS = """
import sys
from assay.judges import Cassette, RawReply
from assay.judges.cassette import Recording

for session in "ab":
    with Cassette("a.jsonl", "auto") as cassette:
        for number in "12":
            key = (session + number).rjust(32, "0")
            cassette.put(Recording(key, "p.en@0", "s", {}, "Claims", "u", "a", RawReply("m", "Yes")))
            print(key, flush=True)
"""


def recording(key):
    return Recording(key.rjust(32, "0"), "p.en@0", "s", {}, "Claims", "u", "a", RawReply("m", "Yes"))


def test_no_reply_that_was_recorded_is_lost(light_python, tmp_path):
    """The killed process records and sorts twice, beside this process, which records into the same cassette."""
    for number in itertools.count(1):
        path = tmp_path / str(number) / "a.jsonl"
        path.parent.mkdir()
        with Cassette(path, "auto") as beside:
            beside.put(recording("c1"))
            stopped = stop_at_change(light_python, path.parent, number, program=RECORDS)
            beside.put(recording("c2"))
        returned = {*stopped.out.split(), recording("c1").key, recording("c2").key}
        with Cassette(path, "auto") as cassette:
            assert [key for key in returned if cassette.get(key) is None] == []
            cassette.put(recording("d1"))
        assert list(path.parent.iterdir()) == [path], "neither drafts nor locks are left behind"
        lines = path.read_bytes().splitlines()
        assert lines == sorted(set(lines))
        if not stopped.is_reached:
            assert (len(returned), stopped.code) == (6, 0)
            break
        assert stopped.code == -9, stopped.err
    assert number > 10


@pytest.mark.parametrize("cut", [1, 5, 9, 10, 40, 60, 200])
def test_a_file_that_is_cut_anywhere_loses_only_the_line_that_was_cut(tmp_path, cut):
    path = tmp_path / "a.jsonl"
    with Cassette(path, "auto") as cassette:
        for number in range(3):
            cassette.put(recording(str(number)))
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:-1]) + whole[-1][:cut])
    with Cassette(path, "replay") as cassette:
        kept = [cassette.get(recording(str(number)).key) for number in range(3)]
    assert kept == [recording("0"), recording("1"), None]
    with Cassette(path, "auto") as cassette:
        cassette.put(recording("3"))
    assert path.read_bytes() == b"".join([*whole[:-1], format_line(recording("3"))])
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]


REPLACES = """
from pathlib import Path
from assay.atomic_files import replace_file

with replace_file(Path("scores.csv")) as file:
    file.write("new")
"""


def test_a_file_is_as_it_was_or_whole(light_python, tmp_path):
    target = tmp_path / "work" / "scores.csv"
    target.parent.mkdir()
    target.write_text("old")
    contents = list[str]()
    for stopped in stop_at_every_change(light_python, target.parent, program=REPLACES):
        contents.append(target.read_text())
        assert stopped.code in {0, -9}, stopped.err
        target.write_text("old")
    assert contents == sorted(contents, reverse=True), "old before the draft takes its place, new after"
    assert set(contents) == {"old", "new"}


@pytest.mark.parametrize("step", [17, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"])
def test_a_run_that_was_killed_is_resumed(*, assay, set_file, judge_file, openai_server, warm_python, tmp_path, step):
    """Each question is paid for once, apart from the one that was on its way."""
    words = ["run", set_file(3), "--judge", judge_file(concurrency=1), "--metrics", "faithfulness:claims=judge"]
    assert assay(*words, "--store", "whole").code == 0
    whole, asked = scores(tmp_path, store="whole"), count_bodies(openai_server)
    for number in itertools.count(1, step):
        openai_server.forget()
        folder, store = tmp_path / "killed", tmp_path / "killed" / ".assay"
        folder.mkdir()
        stopped = stop_at_change(warm_python, folder, number, *words)
        assert stopped.code == (-9 if stopped.is_reached else 0), stopped.err
        done = assay(*words, "--store", store, "--resume", "last")
        if "no run to resume" in done.err:
            done = assay(*words, "--store", store)
        assert done.code == 0, done.err
        assert scores(folder) == whole
        assert count_bodies(openai_server).keys() == asked.keys()
        assert len(openai_server.requests) <= asked.total() + stopped.is_reached
        if not stopped.is_reached:
            break
        shutil.rmtree(folder)
    assert number > 10


def test_a_decision_that_was_killed_counts_one_look(assay, light_python, tmp_path):
    """B is rated one higher than A on 20 of 24 questions: typed again after the kill, the decision is the same."""
    for version, higher in (("a", 0), ("b", 1)):
        rows = [f"q{n},Question {n}?,Answer {n} of {version},{min(5, 1 + n % 5 + higher)}" for n in range(24)]
        (tmp_path / f"{version}.csv").write_text("\n".join(["id,question,answer,rating", *rows]))
        assay("run", f"{version}.csv", "--metrics", "answer_length", code=0)
    shutil.copytree(".assay", "fresh")
    words = ("decide", "last~1", "last", "--json")
    whole = assay(*words, code=0).json
    assert whole["verdict"] == "ship"
    for number in itertools.count(1):
        folder = tmp_path / "killed"
        shutil.copytree("fresh", folder / ".assay")
        stopped = stop_at_change(light_python, folder, number, *words)
        assert stopped.code == (-9 if stopped.is_reached else 0), stopped.err
        assert assay(*words, "--store", folder / ".assay", code=0).json == whole
        shutil.rmtree(folder)
        if not stopped.is_reached:
            break
    assert number > 3


WRITES = """
import sys
from pathlib import Path
from assay.atomic_files import replace_file

with replace_file(Path(sys.argv[1])) as file:
    file.write("half of it")
    file.flush()
    print("begun", flush=True)
    sys.stdin.read()
"""


def begin_to_write(python, target):
    process = python.start("-c", WRITES, target, stdin=subprocess.PIPE, encoding="utf-8")
    assert process.stdout.readline() == "begun\n"
    return process


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there")
def test_the_draft_of_a_killed_process_is_removed_by_the_next_one(light_python, tmp_path):
    target, other = tmp_path / "scores.csv", tmp_path / ".scores.csv.notes.part.txt"
    target.write_text("as it was", encoding="utf-8")
    other.write_text("somebody else's", encoding="utf-8")
    process = begin_to_write(light_python, target)
    (draft,) = tmp_path.glob(".scores.csv.*.part")
    with replace_file(target) as file:  # the other one still writes: its draft stays
        file.write("the second")
    assert draft.exists() and target.read_text(encoding="utf-8") == "the second"
    process.kill()
    process.communicate()
    assert target.read_text(encoding="utf-8") == "the second"
    with replace_file(target) as file:
        file.write("the third")
    assert sorted(tmp_path.iterdir()) == [other, target]
    assert target.read_text(encoding="utf-8") == "the third"


def test_a_draft_that_somebody_else_writes_is_left_alone(tmp_path):
    """Its lock tells, whichever process or machine holds it: two writers at once each have their own draft."""
    target = tmp_path / "scores.csv"
    with replace_file(target) as outer:
        with replace_file(target) as inner:
            inner.write("inner")
        assert target.read_text() == "inner"
        outer.write("outer")
    assert (target.read_text(), [*tmp_path.iterdir()]) == ("outer", [target])


ROWS = 12
# (what is typed, the step between the changes of files at which it is stopped)
COMMANDS = {
    "run": (["run", "set.csv", "--metrics", "token_overlap,rouge_l_precision", "--out", "scores.jsonl"], 11),
    "demo": (["demo"], 31),
    "suite": (["suite", "suite.yaml"], 53),
}


def prepare(folder):
    folder.mkdir()
    rows = "".join(f"How do I do step {n}?,Open menu {n}.,Open menu {n} or press button {n}.\n" for n in range(ROWS))
    (folder / "set.csv").write_text("question,answer,context\n" + rows)
    suite = {"sets": ["set.csv"], "metrics": ["token_overlap"], "outputs": {"json": "r.json", "site": "site"}}
    (folder / "suite.yaml").write_text(json.dumps(suite))


def check_files(folder):
    """Every file under its final name is whole; drafts have names of their own."""
    for path in folder.rglob("*"):
        if path.suffix == ".jsonl":
            for line in path.read_text().splitlines():
                json.loads(line)
        elif path.suffix == ".json":
            json.loads(path.read_text())
        elif path.suffix == ".html":
            assert path.read_text().rstrip().endswith("</html>"), path
        elif path.suffix == ".sqlite":
            with sqlite3.connect(path) as database:
                assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT reaches no single process there")
@pytest.mark.parametrize("signals", ["INT", "INT,INT", "KILL"])
@pytest.mark.parametrize(
    ("command", "every"),
    [("run", False), ("suite", False), *(pytest.param(name, True, marks=pytest.mark.slow) for name in COMMANDS)],
)
def test_a_command_is_stopped_at_its_changes_of_files(light_python, tmp_path, command, signals, every):
    """The demo's changes are those of runs: only the slow walk stops it."""
    words, step = COMMANDS[command]
    for number in itertools.count(1, 1 if every else step):
        folder = tmp_path / str(number)
        prepare(folder)
        stopped = stop_at_change(light_python, folder, number, *words, signals=signals)
        assert "Traceback" not in stopped.err, stopped.err
        assert "KeyboardInterrupt" not in stopped.out + stopped.err
        check_files(folder)
        if not stopped.is_reached:
            break
        assert stopped.code in ({-9} if signals == "KILL" else {0, 130}), stopped.err
        if number > step and not every:
            return
    assert stopped.code == 0, stopped.err
    assert every and number > step


def last_night(folder):
    """How its newest nightly run ended, as its store and its report say; nothing of one that has no store yet."""
    store, report = folder / ".assay/runs.sqlite", folder / "r.json"
    if not store.exists():
        return "", ""
    with sqlite3.connect(store) as database:
        ((status,),) = database.execute("SELECT status FROM nightly_runs").fetchall() or [("",)]
    return status, json.loads(report.read_text())["verdict"] if report.exists() else ""


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there")
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"])
def test_a_suite_that_is_stopped_before_its_reports_are_written_writes_them_when_it_is_resumed(
    *, assay, light_python, tmp_path, monkeypatch, step
):
    """Stopped at changes between the commit of its result and its last file: no night is judged anew."""
    words, most = COMMANDS["suite"]

    def stop(number, signals="KILL"):
        folder = tmp_path / str(number)
        shutil.rmtree(folder, ignore_errors=True)
        prepare(folder)
        stopped = stop_at_change(light_python, folder, number, *words, signals=signals)
        return folder, stopped, *last_night(folder)

    numbers = range(most - 24, most)
    first = numbers[bisect_left(numbers, True, key=lambda number: stop(number)[2] == "passed")]
    for number, signals in zip(itertools.count(first, step), itertools.cycle(["TERM", "KILL", "KILL"])):
        folder, stopped, ended, reported = stop(number, signals)
        if not stopped.is_reached:
            break
        assert ended == "passed" and stopped.code == (-9 if signals == "KILL" else 130)
        if signals == "TERM":
            said = stopped.out.split()
            assert ("suite: interrupted" in stopped.out, said[-1]) == (True, "--resume"), stopped.out
        monkeypatch.chdir(folder)
        resumed = assay(*words, "--resume", "--json", code=0)
        assert "had ended (passed); its reports are written again" in resumed.err
        assert last_night(folder) == ("passed", "passed") and reported in {"running", "passed"}
        night = resumed.json["nightly_run"]
        assert {path.name for path in folder.glob("site/*")} == {"index.html", f"{night}.html"}
        assert not [*folder.rglob("*.part")]
    assert number > first + 10


@pytest.mark.parametrize("ignored", [False, True])
def test_a_program_that_imports_the_package_keeps_its_own_control_c(ignored):
    handler = "signal.signal(signal.SIGINT, signal.SIG_IGN); " if ignored else ""
    code = f"import signal; {handler}before = signal.getsignal(signal.SIGINT); import assay; assay.load_set"
    check = "assert signal.getsignal(signal.SIGINT) is before"
    subprocess.run([sys.executable, "-c", f"{code}; {check}"], check=True)
    (words,) = [["-m", "assay", "--version"]]
    starter = (
        f"import signal, subprocess, sys; {handler}sys.exit(subprocess.run([sys.executable, *{words}]).returncode)"
    )
    subprocess.run([sys.executable, "-c", starter], check=True, stdout=subprocess.DEVNULL)


def test_a_process_in_the_background_goes_on(light_python, tmp_path):
    """A shell starts `assay run ... &` with Ctrl-C ignored: what is meant for the foreground does not end it."""
    prepare(tmp_path / "work")
    ignores = """
import runpy, signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
runpy.run_module("assay", run_name="__main__", alter_sys=True)
"""
    words, _ = COMMANDS["run"]
    stopped = stop_at_change(light_python, tmp_path / "work", 1, *words, program=ignores, signals="INT,INT,INT")
    assert (stopped.code, stopped.is_reached) == (0, True), stopped.err
    assert len((tmp_path / "work" / "scores.jsonl").read_text().splitlines()) >= ROWS
