"""Cassettes merged; the bundled ones."""

from pathlib import Path

import pytest

from assay.errors import InputError, UsageError
from assay.judges import Cassette, RawReply, Recording


def recording(number: int, text: str = "yes", model: str = "m", prompt: str = "claims.en@1") -> Recording:
    reply = RawReply(model=model, text=text, seconds=number)
    return Recording(f"{number:032x}", prompt, f"s{number}", {}, "Claims", "u", "about", reply)


def cassette(path: Path, *recordings: Recording) -> Path:
    with Cassette(path, "record") as out:
        for each in recordings:
            out.put(each)
    return path


def texts(path: Path) -> dict[str, str]:
    return {each.sample: each.reply.text for each in Cassette(path, "replay").recordings()}


def test_merging_two(assay, tmp_path):
    one = cassette(tmp_path / "one.jsonl", recording(1), recording(2))
    two = cassette(tmp_path / "two.jsonl", recording(2), recording(3))
    done = assay("cassettes", "merge", "all.jsonl", one, two, "--json")
    assert (done.code, done.json) == (0, {"recordings": 3})
    assert texts(tmp_path / "all.jsonl") == {"s1": "yes", "s2": "yes", "s3": "yes"}
    assert assay("cassettes", "merge", "all.jsonl", cassette(tmp_path / "x.jsonl", recording(4)), "--json").json == {
        "recordings": 4
    }


def test_where_two_differ_somebody_has_to_choose(assay, tmp_path):
    one = cassette(tmp_path / "one.jsonl", recording(1, "yes"))
    two = cassette(tmp_path / "two.jsonl", recording(1, "no"))
    result = assay("cassettes", "merge", "all.jsonl", one, two)
    assert (result.code, "claims.en@1, sample s1" in result.err, "--prefer" in result.err) == (2, True, True)
    assert not (tmp_path / "all.jsonl").exists()
    for prefer, text in (("first", "yes"), ("last", "no")):
        assert assay("cassettes", "merge", f"{prefer}.jsonl", one, two, "--prefer", prefer).code == 0
        assert texts(tmp_path / f"{prefer}.jsonl") == {"s1": text}


NAME = "bundled:helpdesk.qwen1.5b.jsonl"


def test_a_bundled_cassette_is_only_replayed():
    assert Cassette(NAME, "auto").mode == "replay"
    with pytest.raises(UsageError, match="only replayed; record into a file of your own"):
        Cassette(NAME, "record")


def test_a_missing_reply_names_the_cassette_as_it_was_typed(assay, set_file):
    done = assay("run", set_file(1), "--judge", "qwen1.5b", "--cassette", NAME, "--metrics", "judge_truthfulness")
    assert f"no recording in {NAME}" in " ".join(done.out.split())


def test_nothing_is_dropped_from_a_bundled_cassette(assay):
    before = Cassette(NAME).path.read_bytes()
    done = assay("cassettes", "prune", NAME)
    assert (done.code, "a bundled cassette is only replayed" in done.err) == (2, True)
    assert Cassette(NAME).path.read_bytes() == before


@pytest.mark.parametrize("name", ["bundled:none.jsonl", "bundled:../judges/qwen1.5b.yaml", "bundled:/etc/passwd"])
def test_another_name_is_refused_with_the_known_ones(name):
    with pytest.raises(InputError, match=r"no such cassette is bundled; the bundled ones are citations\."):
        Cassette(name)


def test_a_bundled_judge_without_its_model_says_how_to_get_it_or_what_to_use(assay, set_file, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    done = assay("run", set_file(3), "--judge", "qwen1.5b", "--metrics", "faithfulness", code=1)
    (line,) = done.err.splitlines()
    for words in (
        "curl -L",
        "resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        "openai/gpt-4o-mini",
        "assay demo",
    ):
        assert words in line
