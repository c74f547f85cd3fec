"""Annotators' sheets written and read, their agreement, and which pairs are accepted."""

import csv
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from assay.errors import InputError
from assay.eval_sets import Sample, load_set, write_set
from assay.generation import Review, assign_samples, measure_agreement, read_sheet, summarise_reviews, write_sheet
from assay.meta_eval import estimate_proportion

HOSTILE = '=HYPERLINK("http://evil.example";"klik")'


@pytest.fixture
def samples() -> list[Sample]:
    """Five pairs; the first is hostile, also in its id."""
    names = ["=1+1.md#000:L1", "b", "c", "d", "e"]
    return [
        Sample(
            id=name,
            user_input=HOSTILE if place == 0 else f"Vraag {name}?",
            response="",
            reference="@SUM(A1)" if place == 0 else f"Antwoord {name}.",
            retrieved_contexts=("+31 of -1",),
            language="nl",
            metadata={"section": f"doc#{place}"},
        )
        for place, name in enumerate(names)
    ]


def mark(path: Path, marks: dict[int, dict[str, str]]) -> None:
    """Fills in a sheet as an annotator does: row (from 0) -> heading -> cell."""
    if path.suffix == ".xlsx":
        book = load_workbook(path)
        headings = [cell.value for cell in book.active[1]]
        for row, cells in marks.items():
            for heading, text in cells.items():
                book.active.cell(row + 2, headings.index(heading) + 1, text)
        book.save(path)
        return
    rows = list(csv.DictReader(path.open(encoding="utf-8-sig", newline="")))
    for row, cells in marks.items():
        rows[row] |= cells
    with path.open("w", encoding="utf-8", newline="") as file:  # as a Dutch Excel saves it
        table = csv.DictWriter(file, list(rows[0]), delimiter=";")
        table.writeheader()
        table.writerows(rows)


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_a_sheet_is_read_with_its_marks(samples, tmp_path, suffix):
    path = tmp_path / f"an{suffix}"
    write_sheet(samples, path)
    mark(path, {0: {"antwoord juist": "x"}, 1: {"antwoord fout": "X", "opmerking": "Klopt niet."}})
    reviews = read_sheet(path, samples)
    assert [review.sample for review in reviews] == [sample.id for sample in samples]
    assert reviews[0] == Review("=1+1.md#000:L1", "an", frozenset({"correct"}))
    assert reviews[1] == Review("b", "an", frozenset({"wrong"}), "Klopt niet.")
    assert not reviews[2].is_filled_in


def test_no_cell_is_a_formula(samples, tmp_path):
    write_sheet(samples, tmp_path / "s.xlsx")
    cells = [cell for row in load_workbook(tmp_path / "s.xlsx").active.iter_rows() for cell in row if cell.value]
    assert {cell.data_type for cell in cells} == {"s"}
    assert HOSTILE in {cell.value for cell in cells}
    write_sheet(samples, tmp_path / "s.csv")
    with (tmp_path / "s.csv").open(encoding="utf-8-sig", newline="") as file:
        written = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in written if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_bad_sheets_are_errors(samples, tmp_path):
    path = tmp_path / "an.csv"
    write_sheet(samples, path)
    mark(path, {1: {"antwoord juist": "misschien"}})
    with pytest.raises(InputError, match=r"an\.csv, line 5, column antwoord juist: 'misschien' is no mark"):
        read_sheet(path, samples)
    with pytest.raises(InputError, match="no sample of the set has the id"):
        read_sheet(path, samples[2:])
    path.write_text("id,juist\nb,x\n", encoding="utf-8")
    with pytest.raises(InputError, match="correct answer"):
        read_sheet(path, samples)
    (tmp_path / "an.xlsx").write_text("no workbook", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read as an Excel sheet"):
        read_sheet(tmp_path / "an.xlsx", samples)


def review(sample: str, annotator: str, *options: Any, comment: str = "") -> Review:
    return Review(sample, annotator, frozenset(options), comment)


def test_agreement_counts_couples_of_reviews():
    """Three pairs are reviewed twice: alike, in part alike, not alike. d has one review, e an empty second one."""
    reviews = [
        review("a", "an", "correct"), review("a", "bo", "correct"),
        review("b", "an", "correct", "too_specific"), review("b", "bo", "too_specific"),
        review("c", "an", "wrong"), review("c", "bo", "correct"),
        review("d", "an", "correct"),
        review("e", "an", "irrelevant"), review("e", "bo"),
    ]  # fmt: skip
    agreement = measure_agreement(reviews)
    assert (agreement.samples, agreement.full, agreement.partial, agreement.none) == (3, 1, 1, 1)
    # correct: an 1 1 0, bo 1 0 1 over a b c; 6 values, 4 ones, 2 zeros; observed disagreement 2 of 3 pairs,
    # expected 2 * 4 * 2 / (6 * 5) = 8/15; alpha = 1 - (2/3) / (8/15)
    assert agreement.alpha["correct"] == pytest.approx(1 - (2 / 3) / (8 / 15))
    assert agreement.alpha["incomplete"] is None  # nobody marked it: there is nothing to agree on
    assert agreement.alpha["irrelevant"] is None  # marked only where nobody else reviewed


def test_only_pairs_marked_correct_are_accepted(samples):
    first = samples[0].id
    reviews = [
        review(first, "an", "correct"), review(first, "bo", "correct", comment="mooi"),
        review("b", "an", "correct"), review("b", "bo", "wrong"),  # no option in common
        review("c", "an", "correct", "too_specific"), review("c", "bo", "too_specific"),
        review("d", "an", comment="vreemde vraag"),
    ]  # fmt: skip
    summary = summarise_reviews(samples, reviews)
    assert [sample.id for sample in summary.accepted] == [first]
    assert summary.accepted[0].metadata["reviews"][1] == {"annotator": "bo", "options": ["correct"], "comment": "mooi"}
    assert (summary.judged, summary.disagreed, summary.other, summary.not_reviewed) == (3, 1, 1, 1)
    assert summary.disagreed_wrong == 1  # b
    assert summary.counts == {"irrelevant": 0, "too_specific": 1, "wrong": 0, "incomplete": 0, "correct": 2}
    assert summary.shares["relevant"].value == 1


def test_shares_have_the_papers_intervals():
    """Of 473 judged pairs 278 are correct; Wilson: (p + z²/2n ± z√(p(1-p)/n + z²/4n²)) / (1 + z²/n)."""
    n, z = 473, 1.959964
    p = 278 / n
    middle, half = p + z * z / (2 * n), z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    expected = (p, (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n))
    share = estimate_proportion(278, n)
    assert (share.value, share.low, share.high) == pytest.approx(expected)
    assert estimate_proportion(0, 0).value is None


def test_annotators_get_equal_shares_and_some_pairs_twice(samples):
    assigned = assign_samples(samples * 4, ["an", "bo", "cas"], 0.25, seed=2)
    assert sum(map(len, assigned.values())) == 20 + 5
    assert min(map(len, assigned.values())) >= 6
    assert assigned == assign_samples(samples * 4, ["an", "bo", "cas"], 0.25, seed=2)
    assert sum(map(len, assign_samples(samples, ["an"], 1.0).values())) == 5  # nobody else to double for


def test_review_on_the_command_line(assay, samples, tmp_path):
    write_set(samples, tmp_path / "set.jsonl")
    done = assay(
        "sets", "generate", "review", "set.jsonl", "-o", "sheet.xlsx", "--annotators", "an,bo", "--double-share", 1
    )
    assert (done.code, done.out) == (0, "5 pairs are in sheet-an.xlsx\n5 pairs are in sheet-bo.xlsx\n")
    for name, marks in {
        "an": {0: "antwoord juist", 1: "antwoord juist"},
        "bo": {0: "antwoord juist", 1: "antwoord fout"},
    }.items():
        mark(tmp_path / f"sheet-{name}.xlsx", {row: {heading: "x"} for row, heading in marks.items()})
    done = assay(
        "sets", "generate", "review", "set.jsonl", "sheet-an.xlsx", "sheet-bo.xlsx", "-o", "kept.jsonl", code=0
    )
    shown = " ".join(done.out.split())
    assert "annotators agree in 50.0%, in part in 0.0%, not in 50.0%" in shown
    assert "2 pairs judged, shares of 1" in shown
    left_out = "the shares leave out 1 pair whose annotators have no option in common; somebody marked 1 of them wrong"
    assert left_out in shown
    assert [sample.id for sample in load_set(tmp_path / "kept.jsonl")] == [samples[0].id]
    shown = assay("sets", "generate", "review", "set.jsonl", "sheet-an.xlsx", "-o", "kept.jsonl", "--json").json
    assert (shown["kept"], shown["judged"], shown["agreement"]["full"]) == (2, 2, 0)
    assert assay("sets", "generate", "review", "set.jsonl", "-o", "an.csv").code == 0
    unmarked = assay("sets", "generate", "review", "set.jsonl", "an.csv", "-o", "none.jsonl", code=2)
    assert "nobody marked a pair correct" in unmarked.err
    assert not (tmp_path / "none.jsonl").exists()
    assert assay("sets", "generate", "review", "set.jsonl", "-o", "an.ods").code == 2
