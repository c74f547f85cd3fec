"""No text in a CSV file becomes a formula of a spreadsheet, and none is changed by that."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Sample, load_set, write_set
from assay.eval_sets.csv_cells import escape_formula, unescape_formula

FORMULAS = ["=1+1", "+1 day", "-cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''=1"]


@given(st.text(st.sampled_from("='+-@\t\r 1a,e."), max_size=6))
def test_law_a_cell_is_read_as_the_text_that_was_written(text):
    cell = escape_formula(text)
    assert unescape_formula(cell) == text
    assert not cell.startswith(("=", "@", "\t", "\r"))


@pytest.mark.parametrize("number", ["-1", "+2.5", "-0,5", "-1e-05"])
def test_numbers_stay_numbers(number):
    assert escape_formula(number) == number == unescape_formula(number)


def test_a_set_is_the_same_after_csv_and_no_cell_begins_as_a_formula(tmp_path):
    samples = [
        Sample(id=f"{text}{number}", user_input=f"{text} question", response=f"{text} answer", rating=3)
        for number, text in enumerate(FORMULAS)
    ]
    write_set(samples, tmp_path / "set.csv")
    with (tmp_path / "set.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert [(each.id, each.response) for each in load_set(tmp_path / "set.csv")] == [
        (sample.id, sample.response) for sample in samples
    ]
