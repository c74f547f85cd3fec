"""Ctrl-C at any moment, once and twice: no traceback, the exit code 130, and no file that is half-written."""

import json
import os
import random
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# (what is typed, about how many seconds it takes where nothing else runs)
COMMANDS = {
    "--help": (["--help"], 0.5),
    "run": (["run", "set.csv", "--metrics", "token_overlap,rouge_l_precision", "--out", "scores.jsonl"], 1.6),
    "demo": (["demo"], 3.0),
    "suite": (["suite", "suite.yaml"], 1.8),
}
SHORT, LONG = range(2), range(2, 15)
INTERRUPTED = (130, -signal.SIGINT)  # by Python's own default while it starts or ends: a shell calls it 130 too


def prepare(folder: Path) -> None:
    rows = "".join(f"How do I do step {n}?,Open menu {n}.,Open menu {n} or press button {n}.\n" for n in range(300))
    (folder / "set.csv").write_text("question,answer,context\n" + rows)
    suite = {"sets": ["set.csv"], "metrics": ["token_overlap"], "outputs": {"json": "r.json", "site": "site"}}
    (folder / "suite.yaml").write_text(json.dumps(suite))


def check_files(folder: Path) -> None:
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
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("seed", [*SHORT, *(pytest.param(seed, marks=pytest.mark.slow) for seed in LONG)])
def test_control_c_at_a_random_moment(seed: int, command: str, times: int, tmp_path: Path) -> None:
    words, seconds = COMMANDS[command]
    prepare(tmp_path)
    draw = random.Random(f"{seed} {command} {times}")
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", *words], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True, env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    with process:
        for moment in range(times):
            time.sleep(draw.uniform(0, seconds) if not moment else draw.uniform(0, 0.3))
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the processes that it began get it too
        out, err = process.communicate(timeout=120)
    if "Traceback" in err and f"{ROOT}/" not in err.replace(f"{sys.prefix}/", ""):  # .venv may stand in the checkout
        pytest.skip("Python itself was still starting, or ending: nothing of Assay was loaded")
    assert "Traceback" not in err and "KeyboardInterrupt" not in out + err, err
    assert process.returncode in (0, *INTERRUPTED), err
    check_files(tmp_path)


def test_control_c_while_the_command_ends() -> None:
    """After its last `except`, before Ctrl-C ends the process at once."""
    program = """
import signal, sys
import assay.__main__ as command
command.end_at_once = lambda: signal.raise_signal(signal.SIGINT)
sys.argv = ["assay", "--version"]
command.main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (130, "")
    assert done.stdout.startswith("assay")


def test_control_c_while_the_database_adds_up() -> None:
    """SQLite calls back into Python there, and makes an error of its own of whatever that raises."""
    code = """if True:
        import os, pathlib, signal, tempfile
        from assay import interruption
        from assay.runs import sqlite
        interruption.raise_error()
        sqlite._ExactSum.step = lambda *_: os.kill(os.getpid(), signal.SIGINT)
        database = sqlite._connect(pathlib.Path(tempfile.mkdtemp()) / "runs.sqlite", 1)
        database.execute("SELECT exact_sum(1.5)")
    """
    process = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (process.returncode, process.stderr) == (INTERRUPTED[0], "")


@pytest.mark.parametrize("ignored", [False, True])
def test_a_program_that_imports_the_package_keeps_its_own_control_c(*, ignored: bool) -> None:
    handler = "signal.signal(signal.SIGINT, signal.SIG_IGN); " if ignored else ""
    code = f"import signal; {handler}before = signal.getsignal(signal.SIGINT); import assay; assay.load_set"
    check = "assert signal.getsignal(signal.SIGINT) is before"
    subprocess.run([sys.executable, "-c", f"{code}; {check}"], check=True)
    (words,) = [["-m", "assay", "--version"]]
    starter = (
        f"import signal, subprocess, sys; {handler}sys.exit(subprocess.run([sys.executable, *{words}]).returncode)"
    )
    subprocess.run([sys.executable, "-c", starter], check=True, stdout=subprocess.DEVNULL)


def test_a_process_in_the_background_goes_on(tmp_path: Path) -> None:
    """A shell starts `assay run ... &` with Ctrl-C ignored: what is meant for the foreground does not end it."""
    prepare(tmp_path)
    process = subprocess.Popen(
        ["sh", "-c", f"trap '' INT; {shlex.join([sys.executable, '-m', 'assay', *COMMANDS['run'][0]])}"], cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, start_new_session=True, env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    with process:
        for _ in range(5):
            time.sleep(0.1)
            os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert len((tmp_path / "scores.jsonl").read_text().splitlines()) >= 300
