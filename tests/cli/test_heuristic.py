"""`assay heuristic` as typed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.errors import InputError, UsageError

SAMPLE = {
    "id": "s1",
    "user_input": "How do I import hours?",
    "response": "Go to Hours > Import and click **Load all**.",
    "retrieved_contexts": ["1. Go to: Hours > Import.\n2. Click **Choose file**."],
    "language": "en",
}


@pytest.fixture
def samples(tmp_path: Path) -> str:
    """A set of one sample with an invented button."""
    file = tmp_path / "set.jsonl"
    file.write_text(json.dumps(SAMPLE) + "\n", encoding="utf-8")
    return str(file)


def typed(*words: str) -> str:
    done = CliRunner().invoke(cli, ["heuristic", *words], catch_exceptions=False, standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.output


def test_explain_as_json_has_all_that_the_page_has(samples: str) -> None:
    output = json.loads(typed("explain", samples, "s1", "--json"))
    assert output["score"]["value"] == 1
    assert output["features"]["components_defined"]["evidence"]["unspecified"] == ["Load all"]
    assert [step["node"] for step in output["path"]] == ["contradiction", "error", "components"]
    assert len(output["features"]) == 7


def test_the_tree_is_drawn_with_the_way(samples: str) -> None:
    assert "class contradiction,error,components,invented way" in typed("explain", samples, "s1", "--draw", "mermaid")
    assert typed("explain", samples, "s1", "--draw", "dot").startswith("digraph")


def test_explain_with_other_rules_and_a_longer_sum(samples: str) -> None:
    output = json.loads(typed("explain", samples, "s1", "--rules", "paper", "--beyond", "general_answer", "--json"))
    assert output["message_type"]["pattern"] == "how "
    assert "general_answer" in output["features"]
    assert "general_answer" not in output["beyond"]
    with pytest.raises(UsageError, match="beyond is 'all' or some of"):
        typed("explain", samples, "s1", "--beyond", "hal")


def test_an_absent_sample_is_told(samples: str) -> None:
    with pytest.raises(UsageError, match="s2"):
        typed("explain", samples, "s2")


def test_a_vocabulary_of_a_folder(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "runs.md").write_text("De loonrun en de loonaangifte van de medewerker.", encoding="utf-8")
    (docs / "more.html").write_text("<p class='kolomkop'>De loonrun is klaar</p>", encoding="utf-8")
    (docs / "picture.png").write_bytes(b"\x89PNG")
    out = tmp_path / "terms.txt"
    typed("vocabulary", str(docs), "-o", str(out), "--language", "nl")
    assert out.read_text(encoding="utf-8").splitlines()[1:] == ["loonrun", "loonaangifte"]


def test_documentation_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="absent"):
        typed("vocabulary", str(tmp_path / "absent"))
    with pytest.raises(InputError, match="no documentation"):
        typed("vocabulary", str(tmp_path))
