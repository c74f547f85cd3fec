"""`assay cassettes`, and the modes of `assay run`, against a cassette that is recorded here from the local server."""

import json

import pytest

from assay.judges import RawReply, Recording, format_line

METRICS = "faithfulness:claims=judge,judge_truthfulness"
SAMPLES = 4


@pytest.fixture
def words(set_file, judge_file):
    """A set with a judge and metrics, as typed after `run`."""
    return [str(set_file(SAMPLES)), "--judge", str(judge_file()), "--metrics", METRICS]


@pytest.fixture
def recorded(assay, words, openai_server, tmp_path):
    """A cassette of a whole run."""
    path = tmp_path / "replies.jsonl"
    assert assay("run", *words, "--cassette", path, "--mode", "record").code == 0
    openai_server.forget()
    return path


def test_a_replay_names_what_is_missing(assay, words, recorded):
    lines = recorded.read_bytes().splitlines(keepends=True)
    ratings = [line for line in lines if json.loads(line)["prompt"].startswith("rating.")]
    recorded.write_bytes(b"".join(line for line in lines if line != ratings[0]))
    done = assay("run", *words, "--cassette", recorded, "--mode", "replay", "--json", code=4)
    assert done.json["metrics"]["judge_truthfulness"]["failed"] == 1
    assert "no recording in" in done.err


def test_hostile_replies_are_shown_as_text(assay, tmp_path):
    hostile = "\x1b[2J[red]x[/red]"
    reply = RawReply(model=hostile, text=hostile)
    line = format_line(Recording("a" * 32, f"p{hostile}", hostile, {}, "Claims", "u", hostile, reply))
    (tmp_path / "hostile.jsonl").write_bytes(line)
    for more in ([], ["a" * 32], ["--json"]):
        shown = assay("cassettes", "show", "hostile.jsonl", *more, code=0)
        assert "\x1b" not in shown.out
        assert "[red]x[/red]" in shown.out
