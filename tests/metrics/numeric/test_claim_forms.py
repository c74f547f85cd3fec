"""Forms of claims that a bot makes about a table, each with the verdict of every number in it, worked out by hand."""

from contextlib import suppress

import pytest
from case_files import cases_beside

from assay.metrics import Grid, check_claims, table_of, unit_and_power

CASES = cases_beside(__file__)

S, C, U = "supported", "contradicted", "unverifiable"


def read_cell(text):
    with suppress(ValueError):
        return float(text) if "." in text else int(text)
    return None if text == "-" else text


def read_tables():
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


PLANS = table_of(
    Grid("plans", {"plan": ["Family", "Pro"], "speed (Mbps)": [400, 1000], "price per month (EUR)": [41.0, 57.75]})
)
PAKKETTEN = table_of(
    Grid("pakketten", {"Pakket": ["Film", "Sport"], "Zenders": [75, 60], "Prijs per maand (euro)": [14.95, 19.95]})
)
COST, KOST = "What does it cost?", "Wat kost het?"


@pytest.mark.parametrize(
    ("table", "language", "question", "claim", "verdict"),
    [
        (PLANS, "en", "", "Pro costs 57.75 euros per year.", C),
        (PLANS, "en", "", "Pro costs 57.75 euros/year.", C),
        (PLANS, "en", "", "Pro costs 693 euros per year.", S),  # 12 * 57.75
        (PLANS, "en", "", "Pro costs 57.75 euros per month.", S),
        (PLANS, "en", "", "Pro costs 57.75 euros per week.", U),  # a month has no whole weeks
        (PLANS, "en", "", "Pro costs 201 euros more per year than Family.", S),  # 12 * 16.75
        (PAKKETTEN, "nl", "", "Film kost 14,95 euro per jaar.", C),
        (PAKKETTEN, "nl", "", "Film kost 179,40 euro per jaar.", S),  # 12 * 14.95
        (PAKKETTEN, "nl", "", "Film kost 14,95 euro per maand.", S),
        (PLANS, "en", COST, "Pro is 1.4 times as expensive as Family.", S),  # 57.75 / 41
        (PLANS, "en", COST, "Pro is 1.4 times as fast as Family.", U),
        (PLANS, "en", COST, "Pro is 1.4 times as popular as Family.", U),
        (PLANS, "en", COST, "Family is faster than Pro.", U),
        (PLANS, "en", COST, "Pro is bigger than Family.", U),
        (PLANS, "en", COST, "Pro is heavier than Family.", U),
        (PLANS, "en", "What is its speed?", "Pro is 2.5 times as fast as Family.", S),
        (PAKKETTEN, "nl", KOST, "Sport is 1,3 keer zo duur als Film.", S),  # 19.95 / 14.95
        (PAKKETTEN, "nl", KOST, "Sport is 1,3 keer zo snel als Film.", U),
        (PAKKETTEN, "nl", KOST, "Sport is groter dan Film.", U),
        (PAKKETTEN, "nl", KOST, "Sport is zwaarder dan Film.", U),
    ],
)
def test_an_amount_has_a_period_and_an_adjective_a_property(table, language, question, claim, verdict):
    (checked,) = check_claims([claim], [table], language, question)
    assert checked.verdict == verdict, checked.reason


@pytest.mark.parametrize(
    ("language", "claim", "verdict"),
    [
        ("nl", "De doorvoer was 374 Mbps in maart 2026.", S),
        ("nl", "De uploaddoorvoer was 374 Mbps in maart 2026.", U),
        ("nl", "De doorvoerkosten waren 374 in maart 2026.", U),
        ("en", "The upload throughput was 374 Mbps in March 2026.", U),
    ],
)
def test_a_compound_with_another_property_is_not_the_series(language, claim, verdict):
    network = table_of(Grid("netwerk", {"maand": ["2026-03", "2026-04"], "doorvoer (Mbps)": [374, 398]}))
    (checked,) = check_claims([claim], [network], language)
    assert checked.verdict == verdict, checked.reason


MARCH = [f"2025-{month:02}-{day:02}" for month in (3, 4) for day in range(1, 31)]
BIKES = table_of(Grid("bikes", {"date": MARCH, "rides": [*range(60)]}))
CITIES = ["Middelburg", "Zwolle", "Arnhem"]
HOURS = {
    "city": CITIES * 2,
    "month": ["2025-01"] * 3 + ["2025-02"] * 3,
    "hours": [120, 60, 70, 101, 97, 40],
    "calls": [3, 2, 1, 3, 2, 1],
}


@pytest.mark.parametrize(
    ("language", "question", "claim", "verdict"),
    [
        ("en", "How many rides were there at the beginning of March?", "There were 0 rides.", U),
        ("en", "How many rides were there in early March?", "There were 0 rides.", U),
        ("nl", "Hoeveel rides waren er begin april?", "Er waren 30 rides.", U),
        ("en", "", "At the end of March there were 29 rides.", U),
        ("en", "", "Rides rose steadily from the start of March to the end of April.", S),
        ("en", "", "Rides rose from 0 at the start of March to 59 at the end of April.", U),
        ("en", "", "Since the beginning of April there have been 1,335 rides.", S),
    ],
)
def test_a_vague_part_of_a_month_is_no_row(language, question, claim, verdict):
    checked = check_claims([claim], [BIKES], language, question)
    assert {one.verdict for one in checked} == {verdict}, [one.reason for one in checked]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("April had the most rides.", U),
        ("March had the most rides.", U),
        ("The busiest day was in April.", S),
        ("The busiest day was in March.", C),
    ],
)
def test_the_most_of_a_month_is_not_that_of_its_highest_day(claim, verdict):
    (checked,) = check_claims([claim], [BIKES], "en", "How many rides were there?")
    assert checked.verdict == verdict, checked.reason


@pytest.mark.parametrize(
    ("claim", "verdicts"),
    [
        ("Middelburg had 101 hours in February, more than any other city.", [S, S]),
        ("Zwolle had 97 hours in February, more than any other city.", [S, C]),
        ("Middelburg had 101 hours in February, more than in any other month.", [S, C]),
        ("Zwolle had 60 hours in January and 97 in February.", [S, S]),
        ("Zwolle had 60 hours in January and 101 in February.", [S, C]),
        ("The three cities worked 488 hours in total.", [S]),
        ("Zwolle took the most calls over the two months.", [C]),
    ],
)
def test_rows_of_a_city_and_a_month(claim, verdicts):
    checked = check_claims([claim], [table_of(Grid("hours", HOURS, {"hours": "h"}))], "en")
    assert sorted(one.verdict for one in checked) == sorted(verdicts), [one.reason for one in checked]


@pytest.mark.parametrize(
    ("written", "held"),
    [("EUR thousand", ("EUR", 3)), ("x 1.000 EUR", ("EUR", 3)), ("€ mln", ("EUR", 6)), ("€ per maand", ("EUR", 0))],
)
def test_a_scale_beside_a_currency(written, held):
    assert unit_and_power(written) == held
