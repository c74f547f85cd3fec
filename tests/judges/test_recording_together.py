"""Nothing that was returned is lost, whoever is killed and however many record into one cassette at once."""

import asyncio
import errno
import os
import subprocess
from io import FileIO
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.judges import Cassette, RawReply, Recording, format_line


def recording(key: str) -> Recording:
    return Recording(key.rjust(32, "0"), "p.en@0", "s", {}, "Claims", "u", "a", RawReply(model="m", text="Yes"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.jsonl"


def test_what_a_killed_process_of_an_earlier_version_left_is_named_with_the_cure(path):
    path.with_name("a.jsonl.99999.recording").write_bytes(format_line(recording("1")))
    with pytest.raises(InputError, match=r"99999\.recording: holds replies .* append its lines to .*a\.jsonl"):
        Cassette(path, "auto")


RECORDS_BESIDE_ANOTHER = """
import sys
from pathlib import Path
from assay.judges import Cassette, RawReply
from assay.judges.cassette import Recording

path, name = Path(sys.argv[1]), sys.argv[2]
sys.stdin.readline()
for session in range(25):
    with Cassette(path, "auto") as cassette:
        for number in range(8):
            key = f"{name}{session:04}{number:04}".rjust(32, "0")
            reply = RawReply(model="m", text=name)
            cassette.put(Recording(key, "p.en@0", "s", {}, "Claims", "u", "a", reply))
"""


def test_processes_that_record_into_one_cassette_at_once_lose_nothing(warm_python, path):
    """Three processes, each 25 times opening, recording 8 and closing: closings meet openings and each other."""
    names = ["a", "b", "c"]
    running = [
        warm_python.start("-c", RECORDS_BESIDE_ANOTHER, path, name, stdin=subprocess.PIPE, stdout=None, stderr=None)
        for name in names
    ]
    for process in running:
        assert process.stdin
        process.stdin.write(b"go\n")
        process.stdin.flush()
    assert [process.wait(60) for process in running] == [0, 0, 0]
    for process in running:
        assert process.stdin
        process.stdin.close()
    wanted = [
        f"{name}{session:04}{number:04}".rjust(32, "0")
        for name in names
        for session in range(25)
        for number in range(8)
    ]
    with Cassette(path, "auto") as cassette:
        assert [each.key for each in cassette.recordings()] == sorted(wanted)
    assert list(path.parent.iterdir()) == [path]


def test_a_torn_line_does_not_swallow_the_next(path, monkeypatch):
    """A disk that is full takes half a line; when there is room again, the recording goes on."""
    write = FileIO.write

    class FullDisk(FileIO):
        def write(self, line):
            write(self, line[: len(line) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

    def open_full(path, mode, **_):
        return FullDisk(path, mode)

    with Cassette(path, "auto") as cassette:
        cassette.put(recording("1"))
        with monkeypatch.context() as full:
            full.setattr(Path, "open", open_full)
            with pytest.raises(InputError, match=r"a\.jsonl: replies cannot be recorded: No space left on device"):
                cassette.put(recording("2"))
        cassette.put(recording("3"))
    assert path.read_bytes() == format_line(recording("1")) + format_line(recording("3"))
    assert list(path.parent.iterdir()) == [path]


def test_when_the_file_cannot_be_sorted_it_stays_with_all_replies(path, monkeypatch):
    def disk_is_full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    cassette = Cassette(path, "auto")
    cassette.put(recording("2"))
    cassette.put(recording("1"))
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", disk_is_full)
        with pytest.raises(InputError, match=r"No space left on device.* No reply is lost: all are in .*a\.jsonl"):
            cassette.close()
    assert list(path.parent.iterdir()) == [path], "no draft, no lock"
    with Cassette(path, "auto") as later:
        assert later.get(recording("1").key) == recording("1")
    assert path.read_bytes() == format_line(recording("1")) + format_line(recording("2"))
    assert list(path.parent.iterdir()) == [path]


def test_what_cannot_be_kept_is_not_asked(tmp_path, openai_server, judge, ask):
    (tmp_path / "file").write_text("", encoding="utf-8")
    asking = judge(cassette=tmp_path / "file" / "a.jsonl", mode="auto")
    with pytest.raises(InputError, match="cannot be recorded"):
        asyncio.run(asking.ask(ask("One")))
    assert openai_server.requests == []
