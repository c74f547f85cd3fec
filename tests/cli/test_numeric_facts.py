"""`assay metrics facts`, `check` and `explain`: what they compute and print."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.errors import UsageError

CSV = "date,x_mbps,y_mbps,z\n" + "".join(f"2026-03-{day:02},{day},{2 * day},5\n" for day in range(1, 10))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "kpi.csv"
    path.write_text(CSV.replace("2026-03-04,4,", "2026-03-04,,"), encoding="utf-8")
    return path


def test_facts_of_a_series_and_a_pair(assay, table):
    done = assay("metrics", "facts", table, "--json", code=0)
    (facts,) = done.json["tables"]
    assert (facts["table"], facts["rows"], facts["from"], facts["to"]) == ("kpi", 9, "2026-03-01", "2026-03-09")
    x, y, _ = facts["series"]
    # 1, 2, 3, 5, ..., 9: sum 41 of 8 values
    assert (x["n"], x["missing"], x["sum"], x["mean"], x["median"]) == (8, 1, 41, 5.125, 5.5)
    assert (x["minimum"], x["minimum_at"], x["maximum_at"]) == (1, ["2026-03-01"], ["2026-03-09"])
    assert (x["first"], x["last"], x["change"], x["percent_change"]) == (1, 9, 8, 800)
    assert (y["trend"]["slope"], y["trend"]["step"], y["trend"]["direction"]) == (pytest.approx(2), "day", "up")
    assert [each["method"] for each in y["anomalies"]] == ["robust z-score", "distance from the trend (Theil-Sen)"]
    pair = facts["pairs"][0]
    assert (pair["n"], pair["mean_difference"], pair["second_higher"], pair["ratio_of_means"]) == (8, -5.125, 8, 0.5)
    assert pair["correlation"] == pytest.approx(1)
    assert facts["pairs"][1]["mean_difference"] is None  # Mbps and no unit
    assert facts["pairs"][1]["correlation"] is None  # z never changes


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("none.csv",), 1, "none.csv: cannot be read"),
        (("kpi.csv", "--sheet", "w"), 2, "has no table 'w'; it has kpi"),
        (("kpi.pdf",), 1, "no table is read from `.pdf`"),
        (("empty.md",), 1, "holds no table"),
    ],
)
def test_what_goes_wrong_is_one_line(assay, table, words, code, says):
    (table.parent / "empty.md").write_text("Nothing here.")
    done = assay("metrics", "facts", *words)
    assert (done.code, done.out, says in done.err) == (code, "", True)
    assert done.err.count("\n") == 1


def test_texts_of_a_table_do_not_break_the_terminal(assay, tmp_path):
    (tmp_path / "t.csv").write_text("[bold]x\x1b[31m,y\n1,2\n3,4\n", encoding="utf-8")
    done = assay("metrics", "facts", "t.csv", code=0)
    assert "\x1b" not in done.out
    assert "[bold]x" in done.out


@pytest.fixture
def depots(tmp_path: Path) -> Path:
    path = tmp_path / "kpi.csv"
    path.write_text("depot,parcels\nBreda,60\nDelft,20\nZwolle,10\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("code", ["fr", "xx"])
@pytest.mark.parametrize("command", [("check", "Breda had 60 parcels."), ("facts",)])
def test_a_language_without_words_is_refused(assay, depots, code, command):
    done = assay("metrics", command[0], depots, *command[1:], "--language", code)
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
