"""`assay metrics` as typed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.errors import UsageError

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
    done = CliRunner().invoke(cli, ["metrics", *words], catch_exceptions=False, standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.output


def test_explain_with_other_rules_and_a_longer_sum(samples):
    output = json.loads(typed("explain", samples, "s1", "--rules", "paper", "--beyond", "general_answer", "--json"))
    assert output["message_type"]["pattern"] == "how "
    assert "general_answer" in output["features"]
    assert "general_answer" not in output["beyond"]
    with pytest.raises(UsageError, match="beyond is 'all' or some of"):
        typed("explain", samples, "s1", "--beyond", "hal")


def test_an_absent_sample_is_told(samples):
    with pytest.raises(UsageError, match="s2"):
        typed("explain", samples, "s2")
