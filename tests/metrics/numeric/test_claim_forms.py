"""Forms of claims that a bot makes about a table, each with the verdict of every number in it, worked out by hand."""

from contextlib import suppress
from typing import Any

import pytest
from case_files import cases_beside

from assay.metrics import Grid, NumericTable, check_claims, table_of, unit_and_power

CASES = cases_beside(__file__)

S, C, U = "supported", "contradicted", "unverifiable"


def read_cell(text: str) -> Any:
    with suppress(ValueError):
        return float(text) if "." in text else int(text)
    return None if text == "-" else text


def read_tables() -> dict[str, NumericTable]:
    tables = {}
    for block in CASES["tables"].strip().replace("\n  ", "\t").splitlines():
        head, *lines = block.split("\t")
        name, units = head.split(":")
        columns = {column: [*map(read_cell, cells.split())] for column, cells in (line.split(" = ") for line in lines)}
        tables[name] = table_of(Grid(name, columns, dict(pair.split() for pair in units.split(",") if pair)))
    return tables


TABLES = read_tables()


@pytest.mark.parametrize(("language", "tables", "claim", "verdicts"), CASES["claims"])
def test_claims(language, tables, claim, verdicts):
    checks = check_claims([claim], [TABLES[name] for name in tables.split("+")], language)
    assert "".join(checked.verdict[0] for checked in checks).upper() == verdicts, [check.reason for check in checks]


def test_a_change_is_measured_from_what_was_said():
    claims = ["In April there were 30 overtime hours.", "A month later there were 15 overtime hours."]
    assert [checked.verdict for checked in check_claims(claims, [TABLES["payroll"]], "en")] == [S, S]
    (checked,) = check_claims(["Gross pay rose by 60% from January to June."], [TABLES["payroll"]], "en")
    assert checked.verdict == S
    assert checked.evidence()["compared"] == "2025-01-01..2025-01-31"


@pytest.mark.parametrize(
    ("question", "answer", "verdict"),
    [
        ("In how many months were there more than 10 orders?", "That happened in three months.", S),  # 11, 12, 13
        ("In how many months were there more than 10 orders?", "That happened in four months.", C),
        ("How did we do?", "That happened in four months.", U),
    ],
)
def test_how_often_what_was_asked_was_so(question, answer, verdict):
    (checked,) = check_claims([answer], [TABLES["months"]], "en", question)
    assert checked.verdict == verdict, checked.reason


def test_values_of_days_scales_and_what_a_number_is_of():
    days = [f"2025-03-{day:02}" for day in range(3, 17)]  # two weeks from a Monday
    visits = [10, 10, 10, 10, 10, 30, 40, 10, 10, 10, 10, 10, 50, 60]
    museum = table_of(Grid("museum", {"day": days, "visits (n)": visits}))
    water = table_of(Grid("water", {"year": ["2022", "2023", "2024"], "supplied (million m3)": [75.5, 78.3, 76.0]}))
    gifts = table_of(
        Grid("gifts", {"quarter": ["2023-Q1", "2023-Q2", "2024-Q1", "2024-Q2"], "donations (£k)": [100, 100, 110, 107]})
    )
    claims = [
        ("Saturdays and Sundays averaged 40 visits a day.", museum, [C]),
        ("On 8 March there were 30 visits, three times as many as on 7 March.", museum, [S, S]),
        ("In 2023 78.3 million m3 was supplied.", water, [S]),
        ("Donations in 2024 added up to £217,000, an increase of 8.5% on 2023.", gifts, [S, S]),  # 217 / 200
        ("Of the donations in 2024, £60,000 came from legacies.", gifts, [U]),
    ]
    for claim, table, verdicts in claims:
        checks = check_claims([claim], [table], "en")
        assert [checked.verdict for checked in checks] == verdicts, [checked.reason for checked in checks]


@pytest.mark.parametrize(
    ("written", "held"),
    [("EUR thousand", ("EUR", 3)), ("x 1.000 EUR", ("EUR", 3)), ("€ mln", ("EUR", 6)), ("€ per maand", ("EUR", 0))],
)
def test_a_scale_beside_a_currency(written, held):
    assert unit_and_power(written) == held
