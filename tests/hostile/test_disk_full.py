"""What cannot be kept is found out before it is paid for, where it can be; what was paid for is never lost."""

import os
import subprocess

import pytest

from assay.judges import Cassette

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
