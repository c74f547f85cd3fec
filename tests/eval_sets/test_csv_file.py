"""CSV and its relatives; no text in a cell becomes a formula of a spreadsheet."""

import csv
import sys

import pytest
from hypothesis import given, strategies as st

from assay import Sample, write_set
from assay.eval_sets import escape_formula, load_set, unescape_formula


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "CSV"])
def test_the_delimiter_is_found_out(file, delimiter, suffix):
    lines = [["id", "user_input", "response"], ["a", "vraag", "antwoord"]]
    [sample] = load_set(file(f"set.{suffix}", "\n".join(delimiter.join(line) for line in lines)), language="nl")
    assert (sample.id, sample.user_input, sample.response) == ("a", "vraag", "antwoord")


def test_two_rows_go_through_few_files(file):
    """One way in: the files of this folder in which a function is called until two rows are samples."""
    path = file("set.csv", "question,answer,rating\nIs it free?,Yes it is.,4\nWhen does it open?,At nine.,2\n")
    load_set(path, notes=[])  # what is loaded late is loaded now
    called = set[str]()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: called.add(frame.f_code.co_filename) if event == "call" else None)
    try:
        load_set(path, notes=[])
    finally:
        sys.setprofile(before)
    assert len([name for name in called if "/eval_sets/" in name and "/tests/" not in name]) <= 11


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


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("title", ["Report of September\n\n", "Ratings, of September\n"])
def test_the_delimiter_is_that_of_the_header_below_a_title(tmp_path, delimiter, title):
    path = tmp_path / "a.csv"
    for names, row in (("question answer", None), ("q a", title.count("\n") + 1)):
        lines = [delimiter.join(names.split()), f"Free?{delimiter}Yes, it is."]
        path.write_text(title + "\n".join(lines), encoding="utf-8")
        mapping = {} if row is None else {"q": "user_input", "a": "response"}
        (sample,) = load_set(path, header_row=row, mapping=mapping)
        assert (sample.user_input, sample.response) == ("Free?", "Yes, it is.")
