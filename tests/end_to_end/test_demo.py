"""The demo, and the commands that it names next, typed from a wheel in an empty folder."""

import os
import re
import shlex
import subprocess
import sys
import zipfile

import pytest

pytestmark = pytest.mark.timeout(400)
PROGRESS = re.compile(r"assay: \d+ of \d+ samples, .*\n")  # on a slow machine


@pytest.fixture(scope="module")
def packages(wheel, tmp_path_factory):
    """The wheel, unpacked: what a user has who has no checkout."""
    folder = tmp_path_factory.mktemp("packages")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def place(packages, tmp_path_factory):
    """One empty folder, and an environment with the wheel's package and neither key nor terminal."""
    inherited = {"OPENAI_API_KEY", "ASSAY_STORE", "COLUMNS"}
    environment = {name: value for name, value in os.environ.items() if name not in inherited}
    return {"cwd": tmp_path_factory.mktemp("empty"), "env": environment | {"PYTHONPATH": str(packages)}}


@pytest.fixture(scope="module")
def typed(place):
    """Types `assay ...` there, in a process of its own from the beginning."""

    def type_words(*words):
        command = [sys.executable, "-m", "assay", *words]
        return subprocess.run(command, **place, capture_output=True, text=True, check=False)

    return type_words


@pytest.fixture(scope="module")
def demo(typed):
    """What `assay demo` prints."""
    done = typed("demo")
    assert (done.returncode, PROGRESS.sub("", done.stderr)) == (0, "")
    return done.stdout


def test_the_demo_fits_a_small_terminal_and_begins_with_the_verdict(demo):
    lines = demo.splitlines()
    assert len(lines) <= 48
    assert max(map(len, lines[4:])) <= 80  # the verdict is wrapped on a terminal alone
    assert lines[0].startswith("Your chatbot  ") and "weakest_claim, moderately" in lines[1]


def next_commands(demo):
    """The commands under `Next:`."""
    listed = demo[demo.index("Next:") :].splitlines()[1:]
    return [re.split(r"\s{2,}", line.strip())[0] for line in listed]


def test_the_commands_that_the_demo_names_next_work(demo, typed):
    commands = next_commands(demo)
    assert [command for command in commands if "last" in command and "rate" not in command] == (
        ["assay show last en-029", "assay meta last --report report.html"]
    )
    assert "weakest_claim: 0.467" in typed(*shlex.split(commands[0])[1:]).stdout
    meta = typed("meta", "last", "--report", "report.html")
    assert meta.returncode == 0, meta.stderr
    assert meta.stdout.startswith("Your chatbot")
    assert "The whole report: report.html" in meta.stdout
