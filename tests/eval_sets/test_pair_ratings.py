"""Pairs that lost their other answer: their ratings are of no answer, and are not used."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from assay.eval_sets import Sample, load_set, read_samples
from assay.runs import evaluate

# above 0 the other answer is better; the second and the fourth row lost it
OTHERS = ("No.", "", "No.", "")
RATINGS = (-2, -1, 1, 2)
ONLY_PAIRS = [-2, None, 1, None]
NOTE = (
    "2 rows have a rating that says which of two answers is better and no other_response, so that they are not used "
    "(the first is {}); fill other_response, or remove the rating"
)


def make_rows(others: tuple[str, ...] = OTHERS, low: int = -2) -> list[dict[str, Any]]:
    return [
        {"id": f"p{n}", "user_input": "Is it free?", "response": f"Yes {n}.", "other_response": other,
         "rating": rating, "rating_min": low, "rating_max": 2, "language": "en"}
        for n, (other, rating) in enumerate(zip(others, RATINGS, strict=True))
    ]  # fmt: skip


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def ratings_of(samples: list[Sample]) -> list[float | None]:
    return [sample.human_rating for sample in samples]


@pytest.mark.parametrize("order", [1, -1], ids=["pair first", "lost row first"])
def test_a_row_of_a_file_of_pairs_that_lost_its_other_answer_has_no_rating(tmp_path, order):
    path = write_jsonl(tmp_path / "pairs.jsonl", make_rows()[::order])
    notes: list[str] = []
    assert ratings_of(load_set(path, notes=notes)) == ONLY_PAIRS[::order]
    first = f"{path}, line {2 if order == 1 else 1}"
    assert notes == [f"{path}: {NOTE.format(first)}"]


def test_ratings_by_raters_are_left_out_too_and_a_limit_changes_nothing(tmp_path):
    rows = [row | {"rating": None, "ratings": {"ann": row["rating"], "bob": row["rating"]}} for row in make_rows()]
    path = write_jsonl(tmp_path / "pairs.jsonl", rows[1:2] + rows[:1])
    assert ratings_of(load_set(path)) == [None, -2]
    assert ratings_of(load_set(path, limit=1)) == [None], "the pair comes after what is read"
    alone = write_jsonl(tmp_path / "answers.jsonl", make_rows(("", "", "", "")))
    notes: list[str] = []
    assert ratings_of(load_set(alone, notes=notes)) == [*RATINGS]
    assert notes == []


def test_answers_on_a_scale_without_sides_keep_their_ratings_beside_pairs(tmp_path):
    rows = make_rows()
    rows[1] |= {"rating": 4, "rating_min": 1, "rating_max": 5}
    path = write_jsonl(tmp_path / "mixed.jsonl", rows)
    notes: list[str] = []
    assert ratings_of(load_set(path, notes=notes)) == [-2, 4, 1, None]
    assert notes == [
        f"{path}: 1 row has a rating that says which of two answers is better and no other_response, so that it is not "
        f"used ({path}, line 4); fill other_response, or remove the rating"
    ]


def test_rows_frames_and_samples_of_a_program_are_read_so_too(caplog):
    pandas = pytest.importorskip("pandas")
    rows = make_rows()
    samples = [Sample(**row) for row in rows]
    places = {"the list": "index 1", "the DataFrame": "iloc 1"}
    for data, name in ((rows, "the list"), (samples, "the list"), (pandas.DataFrame(rows), "the DataFrame")):
        notes: list[str] = []
        assert ratings_of(list(read_samples(data, notes=notes))) == ONLY_PAIRS
        assert f"{name}: {NOTE.format(f'{name}, {places[name]}')}" in notes
    with caplog.at_level(logging.WARNING, logger="assay"):
        results = evaluate(samples, "token_overlap", progress=False)
    assert ratings_of(list(results.samples.values())) == ONLY_PAIRS
    assert caplog.text.count("fill other_response") == 1
