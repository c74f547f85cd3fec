"""Ctrl-C, once and twice, and kill -9: no traceback, the exit code 130, and no file that is half-written."""

import itertools
import json
import sqlite3
import subprocess
import sys

import pytest
from stop_points import stop_at_change

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
