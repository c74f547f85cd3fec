"""Processes that record are killed at any moment, alone and beside each other: nothing that was returned is lost."""

import random
import time
from pathlib import Path
from typing import Any

import pytest
from warm_python import WarmPython

from assay.judges import Cassette
from assay.judges.journal import find_journals

RECORDS = """
import sys
from assay.judges import Cassette, RawReply
from assay.judges.recording import Recording

path, name = sys.argv[1:]
for session in range(1_000_000):
    with Cassette(path, "auto") as cassette:
        for number in range(5):
            key = f"{name}{session:06}{number:02}".rjust(32, "0")
            recording = Recording(key, "p.en@0", "s", {}, "Claims", "u", "a", RawReply("m", "A reply. " * 50))
            cassette.put(recording)
            print(key, flush=True)
"""


def record_until_killed(python: WarmPython, path: Path, name: str) -> Any:
    return python.start("-c", RECORDS, path, name, stderr=None, encoding="utf-8")


@pytest.mark.parametrize(
    ("kills", "seed"), [(3, 0), pytest.param(60, 1, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])]
)
def test_kill_9_at_any_moment_loses_nothing(warm_python: WarmPython, tmp_path: Path, kills: int, seed: int) -> None:
    """Two processes record and merge in turn; each is killed after some milliseconds and begun again."""
    path, returned, drawn = tmp_path / "a.jsonl", set[str](), random.Random(seed)
    for round_number in range(kills):
        processes = [record_until_killed(warm_python, path, f"{letter}{round_number:03}") for letter in "ab"]
        for process in processes:
            assert process.stdout
            returned.add(process.stdout.readline().strip())
        time.sleep(drawn.uniform(0, 0.3))
        for process in drawn.sample(processes, 2):
            process.kill()
            out, _ = process.communicate()
            returned |= {line for line in out.splitlines() if len(line) == 32}
    with Cassette(path, "replay") as cassette:
        assert [key for key in returned if cassette.get(key) is None] == []
    with Cassette(path, "auto") as cassette:
        cassette.drop({"0" * 32})  # merges what the killed ones left
    assert find_journals(path) == []
    with Cassette(path, "replay") as cassette:
        assert returned <= {recording.key for recording in cassette.recordings()}


@pytest.mark.parametrize("cut", [1, 5, 9, 10, 40, 60, 200])
def test_a_journal_that_is_cut_anywhere_loses_only_the_line_that_was_cut(
    warm_python: WarmPython, tmp_path: Path, cut: int
) -> None:
    path = tmp_path / "a.jsonl"
    process = record_until_killed(warm_python, path, "a")
    assert process.stdout
    keys = [process.stdout.readline().strip() for _ in range(2)]
    process.kill()
    keys += [line for line in process.communicate()[0].splitlines() if len(line) == 32]
    with Cassette(path, "auto"):
        pass
    whole = path.read_bytes().splitlines(keepends=True)
    path.unlink()
    path.with_name("a.jsonl.1-0.recording").write_bytes(b"".join(whole[:-1]) + whole[-1][:cut])
    with Cassette(path, "auto"):
        pass
    assert path.read_bytes() == b"".join(whole[:-1])
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]
