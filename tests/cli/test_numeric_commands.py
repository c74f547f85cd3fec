"""`assay metrics check` and `explain`: what they compute and print."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.errors import UsageError


@pytest.fixture
def depots(tmp_path: Path) -> Path:
    path = tmp_path / "kpi.csv"
    path.write_text("depot,parcels\nBreda,60\nDelft,20\nZwolle,10\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("code", ["fr", "xx"])
def test_a_language_without_words_is_refused(assay, depots, code):
    done = assay("metrics", "check", depots, "Breda had 60 parcels.", "--language", code)
    assert (done.code, done.out) == (2, "")
    assert f" {code}" in done.err and "Dutch (nl)" in done.err


def test_a_hostile_claim_cannot_obey_the_terminal(assay, depots):
    out = assay("metrics", "check", depots, "Breda had 60 \x1b]0;t\x07 \x9b2J parcels \x1b[31m").out
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", out)


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


def test_explain_with_other_rules(samples):
    output = json.loads(typed("explain", samples, "s1", "--rules", "paper", "--json"))
    assert output["message_type"]["pattern"] == "how "


def test_an_absent_sample_is_told(samples):
    with pytest.raises(UsageError, match="s2"):
        typed("explain", samples, "s2")
