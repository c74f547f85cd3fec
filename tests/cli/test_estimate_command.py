"""`assay estimate`, as people type it."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """40 answers with a cheap score; the judge scored 30 by the rating; 20 of these are rated 1 to 5."""
    path = tmp_path / "scores.jsonl"
    rows = [
        {"id": f"a{n}", "cheap": n % 2, "judge": 1 + n % 5 if n < 30 else None, "rating": 1 + n % 5 if n < 20 else None}
        for n in range(40)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_where_all_are_rated_their_own_mean_is_said(assay, tmp_path):
    path = tmp_path / "scores.jsonl"
    rows = [{"id": f"a{n}", "cheap": n % 2, "judge": n % 3, "rating": 1 + n % 5} for n in range(20)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    shown = assay("estimate", "--scores", path, "--cheap", "cheap", "--judged", "judge").out
    assert "All are rated: 3.00 is their own mean. The interval is for more answers like these." in " ".join(
        shown.split()
    )


def test_a_metric_that_is_missing_and_a_budget_that_is_too_small(assay, scores):
    typed = ("estimate", "--scores", scores, "--cheap", "cheap")
    assert "name the metric that scored a part" in assay(*typed).err
    assert "no metric 'other'" in assay(*typed, "--judged", "other").err
    assert "does not pay for 10 rated answers" in assay(*typed, "--judged", "judge", "--budget", "2").err


def test_what_was_drawn_is_json_for_programs(assay, set_file):
    run = assay("run", set_file(8), "--metrics", "token_overlap", "--json").json["run"]
    draw = ("estimate", "last", "--cheap", "token_overlap", "--draw", "4", "--out", "drawn.jsonl", "--strata", "2")
    assert assay(*draw, "--json").json == {
        "file": "drawn.jsonl",
        "run": run,
        "drawn": 4,
        "answers": 8,
        "cheap": "token_overlap",
        "strata": 2,
        "seed": 0,
        "level": None,
    }
    assert "assay rate last --store .assay" in assay(*draw, "--store", ".assay").out
