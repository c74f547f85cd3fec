"""Tables in texts, and the tables of a sample."""

import json

import pytest

from assay import Sample
from assay.metrics.numeric.tables.grids import grids_in_text
from assay.metrics.numeric.tables.sample_tables import tables_of_sample

MARKDOWN = """## Latency\n
| date | **latency** (ms) |
|------|---:|
| 2026-03-01 | 12 |
| 2026-03-02 | 1.013 |
"""


@pytest.mark.parametrize(
    "text",
    [
        MARKDOWN,
        "Latency\ndate,latency (ms)\n2026-03-01,12\n2026-03-02,1.013\n\nThat is all, for now, of this.",
        "Latency\ndate;latency (ms)\n2026-03-01;12\n2026-03-02;1.013",
        "Latency\ndate\tlatency (ms)\n2026-03-01\t12\n2026-03-02\t1.013",
        "Latency\ndate | latency (ms)\n2026-03-01 | 12\n2026-03-02 | 1.013",
        "Here:\n```csv\ndate,latency (ms)\n2026-03-01,12\n2026-03-02,1.013\n```\n",
        json.dumps([{"date": "2026-03-01", "latency (ms)": 12}, {"date": "2026-03-02", "latency (ms)": "1.013"}]),
        json.dumps({"date": ["2026-03-01", "2026-03-02"], "latency (ms)": [12, "1.013"]}),
        json.dumps({"header": ["date", "latency (ms)"], "rows": [["2026-03-01", 12], ["2026-03-02", "1.013"]]}),
        json.dumps({"name": "t", "columns": {"date": ["2026-03-01", "2026-03-02"], "latency (ms)": [12, "1.013"]}}),
    ],
    ids=["markdown", "csv", "semicolons", "tsv", "pipes", "fence", "objects", "lists", "header", "columns"],
)
def test_a_table_in_a_text(text):
    (grid,) = grids_in_text(text)
    assert list(grid.columns) == ["date", "latency (ms)"]
    assert [str(cell) for cell in grid.columns["latency (ms)"]] == ["12", "1.013"]


@pytest.mark.parametrize(
    "text", ["Dear John, I am, as ever, yours.\nSo, well, bye.\nOne, two, three.", "", "{oops", "a | b"]
)
def test_prose_is_no_table(text):
    assert grids_in_text(text) == []


def test_torn_rows_headers_of_two_rows_and_names_that_stand_twice():
    (grid,) = grids_in_text("day,a,b\nmon,1,2\ntue,3\nwed,5,6\nthu,7,8\nfri,9,10\nsat,1,1")
    assert grid.torn == (1,)
    (grid,) = grids_in_text(" | 2019 | 2018\n | £000 | £000\nAudit fees | 1,092 | 823\nOther fees | 598 | 281")
    assert list(grid.columns) == ["column 1", "2019 £000", "2018 £000"]
    (grid,) = grids_in_text("x,x (2),x\n1,2,3\n4,5,6")
    assert dict(grid.columns) == {"x": ["1", "4"], "x (2)": ["2", "5"], "x (3)": ["3", "6"]}


def test_a_sample_has_its_own_tables_and_those_of_its_contexts():
    sample = Sample.model_validate(
        {
            "id": "s",
            "user_input": "?",
            "response": "!",
            "language": "nl",
            "tables": [{"name": "t", "columns": {"day": ["2026-03-01"], "x": [1.5]}, "units": {"x": "Mbps"}}],
            "retrieved_contexts": [MARKDOWN, "| day | x |\n|---|---|\n| 2026-03-01 | 1,5 |", "No table here."],
        }
    )
    tables = tables_of_sample(sample)
    assert [table.name for table in tables] == ["t", "Latency"]  # the second context shows the sample's own again
    assert tables[0].units == {"x": "Mbps"}
    assert list(tables[1].frame["latency (ms)"]) == [12, 1013]  # Dutch: thousands come first
    assert [list(other.frame["latency (ms)"]) for other in tables[1].others] == [[12, 1.013]]


def test_two_tables_of_one_name_and_a_scale_in_a_caption():
    table = {"name": "t", "columns": {"x": [1, 2]}}
    sample = Sample.model_validate({"id": "s", "user_input": "", "response": "!", "tables": [table, table]})
    assert [table.name for table in tables_of_sample(sample)] == ["t", "t (2)"]
    text = "Fees (in millions)\nname | 2019\na | 12\nb | 13"
    sample = Sample.model_validate({"id": "s", "user_input": "", "response": "!", "retrieved_contexts": [text]})
    assert tables_of_sample(sample)[0].power == 6
