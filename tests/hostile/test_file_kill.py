"""A process is killed while it writes a file: the file is as it was, and the next one to write it leaves no draft."""

import os
import subprocess
import sys
import time

import pytest

from assay.atomic_files import replace_file

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


def make_old(draft):
    two_hours_ago = time.time() - 7200
    os.utime(draft, (two_hours_ago, two_hours_ago))


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there")
def test_the_draft_of_a_killed_process_is_removed_by_the_next_one(light_python, tmp_path):
    target, other = tmp_path / "scores.csv", tmp_path / ".scores.csv.notes.part.txt"
    target.write_text("as it was", encoding="utf-8")
    other.write_text("somebody else's", encoding="utf-8")
    process = begin_to_write(light_python, target)
    (draft,) = tmp_path.glob(".scores.csv.*.part")
    make_old(draft)
    with replace_file(target) as file:  # the other one still writes: its draft stays, however old
        file.write("the second")
    assert draft.exists() and target.read_text(encoding="utf-8") == "the second"
    process.kill()
    process.communicate()
    assert target.read_text(encoding="utf-8") == "the second"
    with replace_file(target) as file:
        file.write("the third")
    assert sorted(tmp_path.iterdir()) == [other, target]
    assert target.read_text(encoding="utf-8") == "the third"


def test_a_fresh_draft_is_left_alone(tmp_path):
    """It may be another machine's, on a shared disk: whether its process runs cannot be seen here."""
    draft = tmp_path / ".scores.csv.1.part"
    draft.touch()
    with replace_file(tmp_path / "scores.csv") as file:
        file.write("whole")
    assert draft.exists()
