"""Forms of claims that a bot makes about a table, each with the verdict of every number in it, worked out by hand."""

from contextlib import suppress

import pytest
from case_files import cases_beside

from assay.metrics import Grid, check_claims, table_of, unit_and_power

CASES = cases_beside(__file__)


def read_cell(text):
    with suppress(ValueError):
        return float(text) if "." in text else int(text)
    return None if text == "-" else text.replace("_", " ")


def read_tables():
    tables = {}
    for block in CASES["tables"].strip().replace("\n  ", "\t").splitlines():
        head, *lines = block.split("\t")
        name, units = head.split(":")
        columns = {column: [*map(read_cell, cells.split())] for column, cells in (line.split(" = ") for line in lines)}
        tables[name] = table_of(Grid(name, columns, dict(pair.split() for pair in units.split(",") if pair)))
    return tables


TABLES = read_tables()


@pytest.mark.parametrize("case", CASES["claims"], ids=lambda case: " ".join(case[:3]))
def test_claims(case):
    language, tables, said, verdicts, *question = case
    checks = check_claims(said.split(" | "), [TABLES[name] for name in tables.split("+")], language, *question)
    assert "".join(checked.verdict[0] for checked in checks).upper() == verdicts, [check.reason for check in checks]


def test_what_a_change_is_measured_from_stands_in_its_evidence():
    (checked,) = check_claims(["Gross pay rose by 60% from January to June."], [TABLES["payroll"]], "en")
    assert (checked.verdict, checked.evidence()["compared"]) == ("supported", "2025-01-01..2025-01-31")


@pytest.mark.parametrize(
    ("written", "held"),
    [("EUR thousand", ("EUR", 3)), ("x 1.000 EUR", ("EUR", 3)), ("€ mln", ("EUR", 6)), ("€ per maand", ("EUR", 0))],
)
def test_a_scale_beside_a_currency(written, held):
    assert unit_and_power(written) == held
