"""`assay cassettes`, and the modes of `assay run`, against a cassette that is recorded here from the local server."""

import json

import pytest

from assay.judges import RawReply, Recording, format_line
from assay.prompts import BUNDLED

METRICS = "faithfulness:claims=judge,judge_truthfulness"
SAMPLES, CALLS = 4, 12


@pytest.fixture
def words(set_file, judge_file):
    """A set with a judge and metrics, as typed after `run` or `cassettes check PATH`."""
    return [str(set_file(SAMPLES)), "--judge", str(judge_file()), "--metrics", METRICS]


@pytest.fixture
def recorded(assay, words, openai_server, tmp_path):
    """A cassette of a whole run."""
    path = tmp_path / "replies.jsonl"
    assert assay("run", *words, "--cassette", path, "--mode", "record").code == 0
    openai_server.forget()
    return path


def entries(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def stale(of="gone", key="0" * 32, prompt="claims.en@000000000000"):
    reply = RawReply(model="openai/test", text="[]")
    return Recording(key, prompt, of, {}, "Claims", "u", "about", reply)


def test_a_prompt_composed_of_two_is_stale_when_one_has_changed(assay, tmp_path):
    support, listed = (BUNDLED.load(name, "en").identity for name in ("support", "listed"))
    prompts = [f"{support}+{listed}", f"{support}+listed.en@000000000000", f"support.en@000000000000+{listed}"]
    path = tmp_path / "composed.jsonl"
    path.write_bytes(b"".join(format_line(stale(key=str(n) * 32, prompt=each)) for n, each in enumerate(prompts)))
    assert assay("cassettes", "check", path, "--json").json["stale"] == ["1" * 32, "2" * 32]


def test_check_and_prune_what_is_stale(assay, words, recorded):
    recorded.write_bytes(format_line(stale()) + recorded.read_bytes())
    assert assay("cassettes", "check", recorded, "--json", code=1).json == {"stale": ["0" * 32]}
    assert "stale    000000000000 claims.en@000000000000 gone" in assay("cassettes", "check", recorded).out
    assert assay("cassettes", "prune", recorded, "--json").json == {"dropped": 1}
    assert len(entries(recorded)) == CALLS
    assert assay("cassettes", "check", recorded, code=0).out == "0 stale\n"


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
