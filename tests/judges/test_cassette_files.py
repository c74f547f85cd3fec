"""The bundled cassettes."""

import pytest

from assay.errors import InputError, UsageError
from assay.judges import Cassette

NAME = "bundled:helpdesk.qwen1.5b.jsonl"


def test_a_bundled_cassette_is_only_replayed():
    assert Cassette(NAME, "auto").mode == "replay"
    with pytest.raises(UsageError, match="only replayed; record into a file of your own"):
        Cassette(NAME, "record")


def test_a_missing_reply_names_the_cassette_as_it_was_typed(assay, set_file):
    done = assay("run", set_file(1), "--judge", "qwen1.5b", "--cassette", NAME, "--metrics", "judge_truthfulness")
    assert f"no recording in {NAME}" in " ".join(done.out.split())


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
