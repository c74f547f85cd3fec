"""Odd tables: dates without end, numbers too large, scales in headers, totals, one row, cells that are no numbers."""

from typing import Any

import pytest

from assay.metrics.numeric.compute.facts import facts_of
from assay.metrics.numeric.numeric_claims import check_claims
from assay.metrics.numeric.tables.grids import Grid
from assay.metrics.numeric.tables.sample_tables import table_of

MONTHS = ["2025-01", "2025-02", "2025-03", "2025-04", "2025-05", "2025-06"]


def verdicts(columns: dict[str, list[Any]], claim: str, language: str = "en") -> set[str]:
    table = table_of(Grid("t", columns, language=language))
    return {claim.verdict for claim in check_claims([claim], [table], language)}


@pytest.mark.parametrize("day", ["9999-12-31", "9998-06-30", "0001-01-01"])
@pytest.mark.parametrize("claim", ["Revenue was 7 on 31 December.", "Revenue was 7 last year.", "Revenue was 7 now."])
def test_a_date_at_an_end_of_the_calendar_is_no_time(day, claim):
    assert "contradicted" not in verdicts({"date": ["2025-12-30", day], "revenue": [5, 7]}, claim)
    assert "contradicted" not in verdicts({"date": [day, day], "revenue": [5, 7]}, claim)


@pytest.mark.parametrize("value", [1e308, "1" + 400 * "0", 10**400, float("inf")])
def test_numbers_too_large_are_not_read(value):
    assert verdicts({"month": MONTHS[:4], "revenue": [value] * 4}, "Total revenue was 5.") == {"unverifiable"}


@pytest.mark.parametrize("scale", ["in thousands", "thousands"])
def test_a_scale_in_a_header(scale):
    columns = {"month": MONTHS[:3], f"revenue ({scale})": [1, 2, 3]}
    assert verdicts(columns, "Revenue was 2,000 in February.") == {"supported"}
    assert verdicts(columns, "Revenue was 3,000 in February.") == {"contradicted"}


@pytest.mark.parametrize("time", ["month 2", "month 13", "week 60 of 2025"])
def test_a_number_of_a_period_is_no_value(time):
    columns = {"month": MONTHS[:3], "revenue (EUR)": [10.5, 12.0, 9.0]}
    assert verdicts(columns, f"Revenue was 12 in {time}.") == {"unverifiable"}


def test_totals_and_cells_that_are_no_numbers():
    days = ["2024-01-02", "2024-01-03", "2024-01-04", "Gesamt"]
    columns = {"Datum": days, "umsatz": ["960.393", "42.514", "97.093", "1.100.000"]}
    assert verdicts(columns, "Am 3. Januar lag der Umsatz bei 42.514 €.", "de") == {"supported"}
    facts = facts_of(
        table_of(Grid("t", {"month": MONTHS[:4], "x": ["NaN", "inf", "-Infinity", "5"], "y": ["NaN"] * 4}))
    )
    assert facts["notes"] == ["'x' is no series: most cells are no numbers, as 'inf' in row 2", "'y' has no values"]
    columns = {"month": MONTHS, "score": ["10", "DNF", "12", "20", "21", "22"]}
    assert verdicts(columns, "The score was 12 in March.") == {"supported"}
    assert verdicts(columns, "The score was 13 in March.") == {"contradicted"}
    assert verdicts(columns, "The score was 12 in February.") == {"unverifiable"}
    assert verdicts({"revenue": ["5"]}, "Revenue was 5.") == {"supported"}, "a table of one row"
    assert verdicts({"revenue": ["5"]}, "Revenue was 6.") == {"contradicted"}
