"""What stands around the numbers of a table: its title and its scale."""

import pytest

from assay.metrics.numeric.numeric_claims import check_claims
from assay.metrics.numeric.tables.grids import Grid, grids_in_text
from assay.metrics.numeric.tables.sample_tables import table_of
from assay.metrics.numeric.tables.table import NumericTable

STATEMENT = """Balance sheet (in thousands)

|  | 2019 | 2018 | % change |
|---|---|---|---|
| Liquid means: |  |  |  |
| Cash | 400 | 300 | 33 |
| Total assets | 1000 | 800 | 25 |
"""


def verdicts(claim: str, table: NumericTable, language: str = "en", question: str = "") -> list[str]:
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
    assert verdicts(answer, statement(), question=question) == [verdict]


def test_scales_and_names_around_a_number():
    table = table_of(Grid("Revenue", {"year": ["2018", "2019"], "revenue": [14212, 15100]}))

    assert verdicts("Revenue was 14,212 thousand in 2018.", table) == ["unverifiable"]
    assert verdicts("Revenue was 14,999 thousand in 2018.", table) == ["contradicted"]
    assert verdicts("Revenue was 14,212 in 2018.", table) == ["supported"]
    table = table_of(Grid("Seats", {"name": ["Ashby", "Borne"], "number of voters (2009)": [300, 200]}))

    assert verdicts("Ashby has more voters than Borne.", table) == ["supported"]
    table = table_of(Grid("Cup", {"team": ["Peru", "Chile"], "points": [52, 12]}))

    assert verdicts("The team of Peru has 40 more points than the team of Chile.", table) == ["supported"]
