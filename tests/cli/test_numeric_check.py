"""`assay numeric check`: what it prints, and the picture of a claim's words."""

import re
from pathlib import Path

import pytest

from assay.cli.word_picture import draw_words
from assay.metrics.numeric.parse.explanation import ClaimPart


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "kpi.csv"
    path.write_text("depot,parcels\nBreda,60\nDelft,20\nZwolle,10\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("code", ["fr", "xx"])
@pytest.mark.parametrize("command", [("check", "Breda had 60 parcels."), ("facts",)])
def test_a_language_without_words_is_refused(assay, table, code, command):
    done = assay("numeric", command[0], table, *command[1:], "--language", code)
    assert (done.code, done.out) == (2, "")
    assert f" {code}" in done.err and "Dutch (nl)" in done.err


def test_a_language_may_have_a_region(assay, table):
    assert "supported" in assay("numeric", "check", table, "Breda had 60 parcels.", "--language", "en-GB").out


def test_a_long_claim_is_cut_to_the_width():
    words = [
        piece
        for place in range(30)
        for piece in (ClaimPart("blah "), ClaimPart(f"{place}", "number", f"{place}"), ClaimPart(" "))
    ]
    lines = draw_words(words, 40)
    assert max(map(len, lines)) <= 40 + len("number: 29")
    marked = re.findall(r"number: (\d+)", "\n".join(lines))
    assert sorted(map(int, marked)) == list(range(30))


def test_a_hostile_claim_cannot_obey_the_terminal(assay, table):
    out = assay("numeric", "check", table, "Breda had 60 \x1b]0;t\x07 \x9b2J parcels \x1b[31m", "--explain").out
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", out)
