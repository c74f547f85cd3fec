"""Every column and cell of a set is accounted for: read as what, kept, empty, or no rating."""

import pytest

from assay.eval_sets import load_set, read_samples
from assay.runs import Plan


def test_two_files_may_number_their_rows_alike(tmp_path):
    for name in ("jan", "feb"):
        (tmp_path / f"{name}.csv").write_text("nr,question,answer\n1,a,b\n2,c,d\n", encoding="utf-8")
    plan = Plan(sets=(str(tmp_path / "jan.csv"), str(tmp_path / "feb.csv")), metrics=("token_overlap",))
    assert [sample.id for sample in plan.samples()] == ["jan-1", "jan-2", "feb-1", "feb-2"]


@pytest.mark.parametrize("title", [["Ratings of March"], ["Ratings of March", "Ann", "2026"]])
def test_a_title_above_the_names_of_the_columns(tmp_path, title):
    from openpyxl import Workbook

    book = Workbook()
    for row in (title, ["question", "answer", "rating"], ["q", "a", 4]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    notes: list[str] = []
    [sample] = load_set(tmp_path / "a.xlsx", notes=notes)
    assert (sample.user_input, sample.response, sample.rating) == ("q", "a", 4)
    assert notes[0] == f"{tmp_path / 'a.xlsx'}: row 2 names the columns; 1 row above it left out"


def test_a_named_index_is_a_column():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"ticket": ["T7", "T8"], "question": ["a", "c"], "answer": ["b", "d"]})
    assert [sample.id for sample in read_samples(frame.set_index("ticket"))] == ["T7", "T8"]
    two = frame.assign(team="x").set_index(["team", "ticket"])
    assert [(sample.id, sample.metadata) for sample in read_samples(two)] == [
        ("T7", {"team": "x"}),
        ("T8", {"team": "x"}),
    ]
