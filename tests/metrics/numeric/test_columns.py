"""Tables: columns of cells, titles and scales around numbers, odd tables."""

import json
from typing import Any

import pytest
from call_counts import count_once

from assay import Sample
from assay.metrics import (
    Grid,
    NumericTable,
    Period,
    check_claims,
    grids_in_text,
    header_unit,
    read_cell,
    read_numbers,
    read_times,
    table_of,
    tables_of_sample,
)
from assay.text import NumberFormat

POINT, COMMA = NumberFormat.POINT, NumberFormat.COMMA


@pytest.mark.parametrize(
    ("cell", "value"),
    [("$(2,227)", -2227), ("5-", -5), ("−7,5", -7.5), ("1\u2009234,5", 1234.5), ("€ 3,50", 3.5), ("1.2M", 1.2e6)],
)
def test_a_cell_is_read(cell, value):
    reading = read_cell(cell)
    assert value in reading.values.values()


@pytest.mark.parametrize("cell", ["DNF", "2 - 0", "w 126 - 113", "1 march", "4:30", "twelve"])
def test_a_cell_that_is_no_number(cell):
    assert read_cell(cell) is None


def values(cells: list[str], form: NumberFormat) -> list[float]:
    column = read_numbers(cells)
    return list(column.values[form])


def test_which_notation_a_column_has():
    assert values(["1.234", "2.345,5"], POINT) == [1234, 2345.5]
    assert values(["1,234", "2,345.5"], COMMA) == [1234, 2345.5]
    assert values(["1.234", "5.678"], POINT) == [1.234, 5.678]
    assert values(["1.234", "5.678"], COMMA) == [1234, 5678]
    table = table_of(Grid("t", {"x": ["1.234", "5.678"]}))
    assert [list(reading.frame["x"]) for reading in table.readings] == [[1.234, 5.678], [1234, 5678]]
    table = table_of(Grid("t", {"x": ["1.234", "5.678"], "y": ["0,5", "0,25"]}))
    assert table.others == ()
    assert list(table.frame["x"]) == [1234, 5678]
    table = table_of(Grid("t", {"x": ["1,234.5", "2.345,5", "1.234"]}))
    assert list(table.frame["x"])[:2] == [1234.5, 2345.5]
    assert table.unreadable == {"x": (2,)}


def test_missing_cells_and_texts_among_numbers():
    table = table_of(Grid("t", {"x": ["12", "n/a", "DNF", "–", "7"]}))
    assert table.unreadable == {"x": (2,)}
    assert table.frame["x"].isna().tolist() == [False, True, True, True, False]
    assert table.labels["x"][2] == "DNF"
    assert read_numbers(["Zwolle", "Assen", "7"]) is None  # a column of texts


def test_units_of_names_cells_and_the_table():
    assert header_unit("load (%)") == "%"
    assert header_unit("throughput_mbps") == "Mbps"
    assert header_unit("salary [EUR]") == "EUR"
    assert header_unit("team_a") is None
    columns = {"price": ["€ 5", "€ 6"], "tax (%)": ["1", "2"], "n": ["1", "2"]}
    assert table_of(Grid("t", columns, {"n": "ms"})).units == {"price": "EUR", "tax (%)": "%", "n": "ms"}


@pytest.mark.parametrize(
    ("cells", "period", "first"),
    [
        (["2026-03-01", "2026-03-02"], Period.DAY, "2026-03-01"),
        (["2026-03-01 10:00", "2026-03-01 11:00"], Period.MOMENT, "2026-03-01 10:00"),
        (["Mar 1, 2026", "March 2nd, 2026"], Period.DAY, "2026-03-01"),
        (["2026-03", "2026-04"], Period.MONTH, "2026-03-01"),
        (["Q1 2026", "2026-Q2"], Period.QUARTER, "2026-01-01"),
        (["2026-W10", "week 11 2026"], Period.WEEK, "2026-03-02"),
        (["2024", "2025"], Period.YEAR, "2024-01-01"),
        (["2026-03-01", "13/03/2026", "14 maart 2026"], Period.DAY, "2026-03-01"),  # three formats
    ],
)
def test_dates_in_many_formats(cells, period, first):
    times = read_times("date", cells, day_first=False)
    assert (times.period, str(times.times[0])[: len(first)], times.other) == (period, first, None)


def test_the_order_of_day_and_month():
    def read(cells: list[str], day_first: bool = False) -> list[str]:
        times = read_times("date", cells, day_first)
        readings = [times.times, *([] if times.other is None else [times.other])]
        return [str(reading[0])[:10] for reading in readings]

    assert read(["03/04/2026", "13/04/2026"]) == ["2026-04-03"]  # 13 is no month
    assert read(["03/04/2026", "04/13/2026"]) == ["2026-03-04"]
    assert read(["12/01/2025", "01/01/2026", "02/01/2026"]) == ["2025-12-01"]  # only so are the steps regular
    assert read(["2/1/2026", "3/1/2026", "4/1/2026"]) == ["2026-01-02", "2026-02-01"]  # days or months: open
    assert read(["03/04/2026", "07/08/2026"]) == ["2026-04-03", "2026-03-04"]  # open: both
    assert read(["03/04/2026", "07/08/2026"], day_first=True) == ["2026-04-03"]  # a Dutch table


def test_what_is_no_column_of_times():
    assert read_times("races", ["18", "2007", "12"], False) is None
    assert read_times("date", ["april 17", "april 19"], False) is None  # no year
    assert read_times("date", ["2026-02-30", "2026-02-31"], False) is None


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


STATEMENT = """Balance sheet (in thousands)

|  | 2019 | 2018 | % change |
|---|---|---|---|
| Liquid means: |  |  |  |
| Cash | 400 | 300 | 33 |
| Total assets | 1000 | 800 | 25 |
"""


def verdicts_on(claim: str, table: NumericTable, language: str = "en", question: str = "") -> list[str]:
    return [checked.verdict for checked in check_claims([claim], [table], language, question)]


def statement() -> NumericTable:
    (grid,) = grids_in_text(STATEMENT, "en", "context 1")
    return table_of(grid)


@pytest.mark.parametrize(
    ("question", "answer", "verdict"),
    [
        # the column of changes is no year, so that it leaves the years alone
        ("What was the average cash in 2018 and 2019?", "350 thousand", "supported"),
        ("What was cash as a percentage of total assets in 2019?", "40%", "supported"),
    ],
)
def test_rows_of_a_statement_by_year(question, answer, verdict):
    assert verdicts_on(answer, statement(), question=question) == [verdict]


def test_scales_and_names_around_a_number():
    table = table_of(Grid("Revenue", {"year": ["2018", "2019"], "revenue": [14212, 15100]}))

    assert verdicts_on("Revenue was 14,212 thousand in 2018.", table) == ["unverifiable"]
    assert verdicts_on("Revenue was 14,999 thousand in 2018.", table) == ["contradicted"]
    assert verdicts_on("Revenue was 14,212 in 2018.", table) == ["supported"]
    table = table_of(Grid("Seats", {"name": ["Ashby", "Borne"], "number of voters (2009)": [300, 200]}))

    assert verdicts_on("Ashby has more voters than Borne.", table) == ["supported"]
    table = table_of(Grid("Cup", {"team": ["Peru", "Chile"], "points": [52, 12]}))

    assert verdicts_on("The team of Peru has 40 more points than the team of Chile.", table) == ["supported"]


MONTHS = ["2025-01", "2025-02", "2025-03", "2025-04", "2025-05", "2025-06"]


def verdicts_of_columns(columns: dict[str, list[Any]], claim: str, language: str = "en") -> set[str]:
    table = table_of(Grid("t", columns, language=language))
    return {claim.verdict for claim in check_claims([claim], [table], language)}


@pytest.mark.parametrize("day", ["9999-12-31", "9998-06-30", "0001-01-01"])
@pytest.mark.parametrize("claim", ["Revenue was 7 on 31 December.", "Revenue was 7 last year.", "Revenue was 7 now."])
def test_a_date_at_an_end_of_the_calendar_is_no_time(day, claim):
    assert "contradicted" not in verdicts_of_columns({"date": ["2025-12-30", day], "revenue": [5, 7]}, claim)
    assert "contradicted" not in verdicts_of_columns({"date": [day, day], "revenue": [5, 7]}, claim)


@pytest.mark.parametrize("value", [1e308, "1" + 400 * "0", 10**400, float("inf")])
def test_numbers_too_large_are_not_read(value):
    assert verdicts_of_columns({"month": MONTHS[:4], "revenue": [value] * 4}, "Total revenue was 5.") == {
        "unverifiable"
    }


@pytest.mark.parametrize("scale", ["in thousands", "thousands"])
def test_a_scale_in_a_header(scale):
    columns = {"month": MONTHS[:3], f"revenue ({scale})": [1, 2, 3]}
    assert verdicts_of_columns(columns, "Revenue was 2,000 in February.") == {"supported"}
    assert verdicts_of_columns(columns, "Revenue was 3,000 in February.") == {"contradicted"}


@pytest.mark.parametrize("time", ["month 2", "month 13", "week 60 of 2025"])
def test_a_number_of_a_period_is_no_value(time):
    columns = {"month": MONTHS[:3], "revenue (EUR)": [10.5, 12.0, 9.0]}
    assert verdicts_of_columns(columns, f"Revenue was 12 in {time}.") == {"unverifiable"}


def test_totals_and_cells_that_are_no_numbers():
    days = ["2024-01-02", "2024-01-03", "2024-01-04", "Gesamt"]
    columns = {"Datum": days, "umsatz": ["960.393", "42.514", "97.093", "1.100.000"]}
    assert verdicts_of_columns(columns, "Am 3. Januar lag der Umsatz bei 42.514 €.", "de") == {"supported"}
    table = table_of(Grid("t", {"month": MONTHS[:4], "x": ["NaN", "inf", "-Infinity", "5"], "y": ["NaN"] * 4}))
    assert table.columns == ()
    columns = {"month": MONTHS, "score": ["10", "DNF", "12", "20", "21", "22"]}
    assert verdicts_of_columns(columns, "The score was 12 in March.") == {"supported"}
    assert verdicts_of_columns(columns, "The score was 13 in March.") == {"contradicted"}
    assert verdicts_of_columns(columns, "The score was 12 in February.") == {"unverifiable"}
    assert verdicts_of_columns({"revenue": ["5"]}, "Revenue was 5.") == {"supported"}, "a table of one row"
    assert verdicts_of_columns({"revenue": ["5"]}, "Revenue was 6.") == {"contradicted"}


@pytest.mark.parametrize("text", ["order {} had a wrong total", "ORD-{:07d}", "{} orders were late"])
def test_a_table_of_texts_takes_calls_by_its_rows(text):
    """A cell is read once, and each row that a word for totals names is held against sums that are taken once."""

    def calls(first, rows):
        texts = [text.format(number) for number in range(first, first + rows)]
        return count_once(lambda: table_of(Grid("t", {"text": texts, "amount": [*range(rows)]})))

    calls(0, 200)
    few, many = calls(1_000, 1_000), calls(10_000, 4_000)
    assert few < 300 * 1_000
    assert many < 4.4 * few
