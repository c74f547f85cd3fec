"""Tables in files that a sample names: relative to the set, never outside its folder."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from assay import load_set
from assay.errors import InputError
from assay.eval_sets import read_table_file

CSV = "date;x\n2026-03-01;1,5\n2026-03-02;\n"


def set_with(folder: Path, tables: Any) -> Path:
    path = folder / "set.jsonl"
    path.write_text(json.dumps({"id": "a", "user_input": "?", "response": "!", "tables": tables}), encoding="utf-8")
    return path


@pytest.mark.parametrize("tables", ["kpi.csv", ["kpi.csv"], ["deep/../kpi.csv"]])
def test_a_sample_names_a_file(tmp_path, tables):
    (tmp_path / "deep").mkdir()
    (tmp_path / "kpi.csv").write_text(CSV, encoding="utf-8")
    (sample,) = load_set(set_with(tmp_path, tables))
    assert sample.tables[0].name == "kpi"
    assert sample.tables[0].columns == {"date": ["2026-03-01", "2026-03-02"], "x": ["1,5", ""]}


@pytest.mark.parametrize("name", ["../kpi.csv", "/etc/passwd", "link.csv", "folder/kpi.csv", "none.csv", "a\0b.csv"])
def test_no_file_outside_the_folder(tmp_path, name):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "kpi.csv").write_text(CSV, encoding="utf-8")
    (inside / "link.csv").symlink_to(tmp_path / "kpi.csv")
    (inside / "folder").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(InputError, match=r"line 1, field tables: .*(outside|no file beside|NUL)"):
        load_set(set_with(inside, [name]))


def test_excel_a_table_a_sheet(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "May"
    for row in (["date", "x"], [date(2026, 5, 1), 1.5], [date(2026, 5, 2), None]):
        book.active.append(row)
    book.create_sheet("empty")
    book.create_sheet("June").append(["date", "x"])
    book["June"].append([date(2026, 6, 1), 3])
    book.save(tmp_path / "kpi.xlsx")
    may, june = read_table_file(tmp_path / "kpi.xlsx")
    assert (may.name, may.columns) == ("May", {"date": ["2026-05-01", "2026-05-02"], "x": [1.5, None]})
    assert june.columns == {"date": ["2026-06-01"], "x": [3]}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("kpi.csv", "date,x\n2026-03-01,1\n2026-03-02\n", "line 3: the row has 1 cell, the header 2"),
        ("kpi.csv", "x,x\n1,2\n", "stands twice"),
        ("kpi.csv", "x\n", "has no rows"),
        ("kpi.pdf", "x", "no table is read from `.pdf`"),
        ("kpi.xlsx", "no workbook", "no readable Excel file"),
        ("kpi.json", '[{"x": {"y": 1}}]', "write one value per cell"),
    ],
)
def test_a_bad_file_says_what_and_where(tmp_path, name, text, says):
    if name.endswith("xlsx"):
        pytest.importorskip("openpyxl")
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        read_table_file(tmp_path / name)


def test_a_changed_file_is_read_again(tmp_path):
    file = tmp_path / "kpi.csv"
    file.write_text("x\n1\n", encoding="utf-8")
    assert read_table_file(file) is read_table_file(file)  # a table many samples name is one object
    file.write_text("x\n10\n", encoding="utf-8")
    assert read_table_file(file)[0].columns == {"x": ["10"]}
