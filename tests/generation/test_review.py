"""Annotators' sheets there and back, their agreement by hand, and what goes on."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from assay.errors import InputError
from assay.eval_sets import Sample, load_set, write_set
from assay.generation.review import Review, agreement, assign, share, summarise_reviews
from assay.generation.review_sheet import read_sheet, write_sheet

Typing = Callable[..., Any]
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
            for heading, said in cells.items():
                book.active.cell(row + 2, headings.index(heading) + 1, said)
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
def test_a_sheet_comes_back_with_its_marks(samples: list[Sample], tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"an{suffix}"
    write_sheet(samples, path)
    mark(path, {0: {"antwoord juist": "x"}, 1: {"antwoord fout": "X", "opmerking": "Klopt niet."}})
    reviews = read_sheet(path, samples)
    assert [review.sample for review in reviews] == [sample.id for sample in samples]
    assert reviews[0] == Review("=1+1.md#000:L1", "an", frozenset({"correct"}))
    assert reviews[1] == Review("b", "an", frozenset({"wrong"}), "Klopt niet.")
    assert not reviews[2].given


def test_no_cell_is_a_formula(samples: list[Sample], tmp_path: Path) -> None:
    write_sheet(samples, tmp_path / "s.xlsx")
    cells = [cell for row in load_workbook(tmp_path / "s.xlsx").active.iter_rows() for cell in row if cell.value]
    assert {cell.data_type for cell in cells} == {"s"}
    assert HOSTILE in {cell.value for cell in cells}
    write_sheet(samples, tmp_path / "s.csv")
    with (tmp_path / "s.csv").open(encoding="utf-8-sig", newline="") as file:
        written = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in written if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_bad_sheets_are_told(samples: list[Sample], tmp_path: Path) -> None:
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


def said(sample: str, annotator: str, *options: Any, comment: str = "") -> Review:
    return Review(sample, annotator, frozenset(options), comment)


def test_agreement_by_hand() -> None:
    """Three pairs twice: the same, in part the same, nothing in common. d has one review, e an empty second one."""
    reviews = [
        said("a", "an", "correct"), said("a", "bo", "correct"),
        said("b", "an", "correct", "too_specific"), said("b", "bo", "too_specific"),
        said("c", "an", "wrong"), said("c", "bo", "correct"),
        said("d", "an", "correct"),
        said("e", "an", "irrelevant"), said("e", "bo"),
    ]  # fmt: skip
    found = agreement(reviews)
    assert (found.samples, found.full, found.partial, found.none) == (3, 1, 1, 1)
    # correct: an 1 1 0, bo 1 0 1 over a b c; 6 values, 4 ones, 2 zeros; observed disagreement 2 of 3 pairs,
    # expected 2 * 4 * 2 / (6 * 5) = 8/15; alpha = 1 - (2/3) / (8/15)
    assert found.alpha["correct"] == pytest.approx(1 - (2 / 3) / (8 / 15))
    assert found.alpha["incomplete"] is None  # nobody chose it: there is nothing to agree on
    assert found.alpha["irrelevant"] is None  # chosen only where nobody else reviewed


def test_only_what_is_marked_correct_goes_on(samples: list[Sample]) -> None:
    first = samples[0].id
    reviews = [
        said(first, "an", "correct"), said(first, "bo", "correct", comment="mooi"),
        said("b", "an", "correct"), said("b", "bo", "wrong"),  # no option in common
        said("c", "an", "correct", "too_specific"), said("c", "bo", "too_specific"),
        said("d", "an", comment="vreemde vraag"),
    ]  # fmt: skip
    found = summarise_reviews(samples, reviews)
    assert [sample.id for sample in found.kept] == [first]
    assert found.kept[0].metadata["reviews"][1] == {"annotator": "bo", "options": ["correct"], "comment": "mooi"}
    assert (found.judged, found.disagreed, found.other, found.not_reviewed) == (3, 1, 1, 1)
    assert found.counts == {"irrelevant": 0, "too_specific": 1, "wrong": 0, "incomplete": 0, "correct": 2}
    assert found.shares["relevant"][0] == 1


def test_the_papers_intervals() -> None:
    """Of 490 less 17 in disagreement, 278 correct; Wilson: (p + z²/2n ± z√(p(1-p)/n + z²/4n²)) / (1 + z²/n)."""
    n, z = 473, 1.959964
    p = 278 / n
    middle, half = p + z * z / (2 * n), z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    expected = (p, (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n))
    assert share(278, n) == pytest.approx(expected)
    assert share(0, 0) == (0, 0, 1)


def test_annotators_get_equal_shares_and_some_pairs_twice(samples: list[Sample]) -> None:
    given = assign(samples * 4, ["an", "bo", "cas"], 0.25, seed=2)
    assert sum(map(len, given.values())) == 20 + 5
    assert min(map(len, given.values())) >= 6
    assert given == assign(samples * 4, ["an", "bo", "cas"], 0.25, seed=2)
    assert sum(map(len, assign(samples, ["an"], 1.0).values())) == 5  # nobody else to double for


def test_review_as_typed(assay: Typing, samples: list[Sample], tmp_path: Path) -> None:
    write_set(samples, tmp_path / "set.jsonl")
    done = assay("generate", "review", "set.jsonl", "-o", "sheet.xlsx", "--annotators", "an,bo", "--double-share", 1)
    assert (done.code, done.out) == (0, "5 pairs are in sheet-an.xlsx\n5 pairs are in sheet-bo.xlsx\n")
    for name, marks in {
        "an": {0: "antwoord juist", 1: "antwoord juist"},
        "bo": {0: "antwoord juist", 1: "antwoord fout"},
    }.items():
        mark(tmp_path / f"sheet-{name}.xlsx", {row: {heading: "x"} for row, heading in marks.items()})
    done = assay("generate", "review", "set.jsonl", "sheet-an.xlsx", "sheet-bo.xlsx", "-o", "kept.jsonl")
    assert done.code == 0, done.err
    assert "annotators agree in 50.0%, in part in 0.0%, not in 50.0%" in done.out
    assert [sample.id for sample in load_set(tmp_path / "kept.jsonl")] == [samples[0].id]
    shown = assay("generate", "review", "set.jsonl", "sheet-an.xlsx", "-o", "kept.jsonl", "--json").json
    assert (shown["kept"], shown["judged"], shown["agreement"]["full"]) == (2, 2, 0)


def test_nothing_marked_correct_is_no_set(assay: Typing, samples: list[Sample], tmp_path: Path) -> None:
    write_set(samples, tmp_path / "set.jsonl")
    assert assay("generate", "review", "set.jsonl", "-o", "an.csv").code == 0
    told = assay("generate", "review", "set.jsonl", "an.csv", "-o", "kept.jsonl")
    assert told.code == 2
    assert "nobody marked a pair correct" in told.err
    assert not (tmp_path / "kept.jsonl").exists()
    assert assay("generate", "review", "set.jsonl", "-o", "an.ods").code == 2
