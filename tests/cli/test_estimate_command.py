"""`assay estimate`, as people type it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.eval_sets import load_set

Make = Callable[..., Any]


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


def test_the_estimate_and_its_plan(assay: Make, scores: Path) -> None:
    typed = ("estimate", "--scores", scores, "--cheap", "cheap", "--judged", "judge")
    done = assay(*typed, "--budget", "30", "--json")
    assert (done.code, done.err) == (0, "")
    mean = done.json["mean_rating"]
    # the judge says the rating, so that the mean of the 30 judged answers is known: 3.0
    assert (mean["answers"], mean["judged"], mean["rated"]) == (40, 30, 20)
    assert mean["mean"]["value"] == pytest.approx(3.0)
    assert done.json["plan"]["cost"] <= 30
    shown = assay(*typed)
    assert "Mean rating of all 40 answers: 3.00 [" in shown.out
    assert "on 1-5" in shown.out and "All are rated" not in shown.out


def test_where_all_are_rated_their_own_mean_is_said(assay: Make, tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    rows = [{"id": f"a{n}", "cheap": n % 2, "judge": n % 3, "rating": 1 + n % 5} for n in range(20)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    shown = assay("estimate", "--scores", path, "--cheap", "cheap", "--judged", "judge").out
    assert "All are rated: 3.00 is their own mean. The interval is for more answers like these." in " ".join(
        shown.split()
    )


def test_a_metric_that_is_missing_and_a_budget_that_is_too_small(assay: Make, scores: Path) -> None:
    typed = ("estimate", "--scores", scores, "--cheap", "cheap")
    assert "name the metric that scored a part" in assay(*typed).err
    assert "no metric 'other'" in assay(*typed, "--judged", "other").err
    assert "does not pay for 10 rated answers" in assay(*typed, "--judged", "judge", "--budget", "2").err


def test_a_draw_is_a_set_of_the_run_s_answers(assay: Make, tmp_path: Path) -> None:
    assert assay("run", "helpdesk_en", "--metrics", "token_overlap").code == 0
    out = tmp_path / "to_judge.jsonl"
    done = assay("estimate", "last", "--cheap", "token_overlap", "--draw", "12", "--out", out)
    assert (done.code, done.err) == (0, "")
    drawn, everything = load_set(out), {sample.id: sample for sample in load_set("helpdesk_en")}
    assert len(drawn) == 12
    assert all(everything[sample.id].response == sample.response for sample in drawn)
    assert "--out FILE" in assay("estimate", "last", "--cheap", "token_overlap", "--draw", "12").err
    missing = assay("estimate", "last", "--cheap", "faithfulness", "--draw", "12", "--out", out).err
    assert "score every answer with it first" in missing


def test_what_was_drawn_is_json_for_programs(assay: Make, set_file: Make) -> None:
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
