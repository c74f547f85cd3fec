"""Forms of plain claims that a bot makes: what is left out, told by another time, apposed, ranked, missing, shared."""

import pytest

from assay.metrics.numeric.numeric_claims import check_claims
from assay.metrics.numeric.tables.grids import Grid
from assay.metrics.numeric.tables.sample_tables import table_of

S, C, U = "supported", "contradicted", "unverifiable"
MONTHS = [f"2025-0{month}" for month in range(1, 7)]
TABLES = {
    "payroll": table_of(
        Grid(
            "payroll",
            {
                "month": MONTHS,
                "employees": [10, 12, 12, 13, 15, 16],
                "overtime_hours": [20, 25, None, 30, 15, 10],
                "gross_pay": [1000, 1200, 1300, 1250, 1500, 1600],
            },
            {"overtime_hours": "h", "gross_pay": "EUR"},
        )
    ),
    "regions": table_of(
        Grid(
            "regions",
            {"region": ["North", "South", "East"], "calls": [30, 20, 10], "wait_time_min": [5, 8, 2]},
            {"wait_time_min": "min"},
        )
    ),
    "tickets": table_of(
        Grid(
            "tickets",
            {
                "week": ["2026-01-05", "2026-01-12", "2026-01-19", "2026-01-26"],
                "tickets_opened": [10, 20, 30, 40],
                "tickets_closed": [12, 18, 25, 41],
            },
        )
    ),
    "pool": table_of(
        Grid(
            "pool",
            {
                "date": ["2025-07-01", "2025-07-02", "2025-07-03"],
                "visitors": [900, 400, 650],
                "air_temp": [31.5, 19, 24],
                "avg_wait_min": [6, 2, 4],
                "waste_kg": [12, 30, 18],
            },
            {"air_temp": "°C"},
        )
    ),
    "complexes": table_of(
        Grid(
            "complexes",
            {
                "complex": ["Linden", "Meadow", "Harbour"],
                "label": ["A", "B", "A"],
                "nr_apart": [48, 36, 112],
                "avg_rent": [600, 700, 800],
            },
            {"avg_rent": "EUR/month"},
        )
    ),
    "quarters": table_of(
        Grid(
            "quarters",
            {
                "quarter": [f"{year} Q{quarter}" for year in (2023, 2024) for quarter in range(1, 5)],
                "revenue [TEUR]": [2000, 3000, 3500, 2500, 2200, 3100, 3900, 2800],  # 11,000 and 12,000 a year
            },
        )
    ),
    "loon": table_of(
        Grid(
            "loon",
            {"maand": MONTHS, "medewerkers": [10, 12, 12, 13, 15, 16], "overuren": [20, 25, None, 30, 15, 10]},
            {"overuren": "h"},
        )
    ),
}

CLAIMS = [
    # a year of quarters is their sum, and T is a thousand
    ("quarters", "Revenue rose from 11.0 million euros in 2023 to 12.0 million euros in 2024.", [S, S, S]),
    ("quarters", "Revenue rose from 11.0 million euros in 2023 to 12.5 million euros in 2024.", [S, C, S]),
    # an adjective is said of one quantity: the coldest of the temperature, the heaviest of the waste
    ("pool", "The coldest day was 2 July at 19 degrees.", [S, S]),
    ("pool", "The hottest day was 3 July at 31.5 degrees.", [S, C]),
    ("pool", "The heaviest day was 2 July with 30 kilograms of waste.", [S, S]),
    ("pool", "The coldest day was 2 July with 400 visitors.", [U]),
    # (6 + 2 + 4) / 3 = 4: means are not added up
    ("pool", "The wait over the three days was 4 minutes.", [S]),
    ("pool", "The waste on 2 July was 30,000 grams.", [S]),
    ("pool", "The waste on 2 July was 30 grams.", [C]),
    # abbreviations of columns, cells of one letter, money a month
    ("complexes", "Harbour has 112 apartments.", [S]),
    ("complexes", "The complexes with label A have 160 apartments in total.", [S]),  # 48 + 112
    ("complexes", "The complexes with label B have 160 apartments in total.", [C]),
    ("complexes", "The rent in Meadow is 700 euros.", [S]),
    ("complexes", "Harbour has 112 apartments, 64 more than Linden.", [S, S]),  # 112 - 48
    ("complexes", "Harbour has 112 apartments, 60 more than Linden.", [S, C]),
    # (20 + 25 + 30 + 15) / 4 = 22.5 without June; (... + 10) / 5 = 20 with it
    ("payroll", "Leaving out June, overtime was 22.5 hours on average.", [S]),
    ("payroll", "Leaving out June, overtime was 20 hours on average.", [C]),
    ("loon", "Met uitzondering van juni waren er gemiddeld 22,5 overuren.", [S]),
    ("payroll", "Except for June, overtime hours stayed above 14 every month.", [S]),
    ("payroll", "Gross pay rose by 250 euros in May compared with the month before.", [S]),  # 1500 - 1250
    ("payroll", "Employees rose from 10 in January to 16 in June, an increase of 6.", [S, S, S, S]),
    ("payroll", "Employees rose from 10 in January to 16 in June, an increase of 5.", [S, S, S, C]),
    ("payroll", "There is no figure for overtime hours in March.", [S]),
    ("payroll", "There is no figure for overtime hours in April.", [C]),
    ("loon", "De overuren van maart ontbreken.", [S]),
    ("payroll", "Gross pay per employee was 100 euros in January.", [S]),  # 1000 / 10
    ("payroll", "Gross pay per employee was 120 euros in January.", [C]),
    ("regions", "North took 30 calls, more than any other region.", [S, S]),
    ("regions", "South took 20 calls, more than any other region.", [S, C]),
    ("regions", "50% of the calls came from North.", [S]),  # 30 of 60
    ("regions", "South comes second with 20 calls.", [S, S]),
    ("regions", "East comes second with 10 calls.", [C, S]),
    ("regions", "Two regions had a wait time of more than 4 minutes.", [S]),
    ("tickets", "More tickets were opened than closed: 100 against 96.", [S, S, S]),
    ("tickets", "In the week of 12 January 20 tickets came in.", [S]),
    ("tickets", "In 2 of the 4 weeks more tickets were opened than closed.", [S]),  # the second and the third
    ("tickets", "In 3 of the 4 weeks more tickets were opened than closed.", [C]),
    ("tickets", "Tickets opened stayed between 5 and 50.", [S, S]),  # bounds that hold, 10 to 40
    ("tickets", "Tickets opened stayed between 5 and 30.", [S, C]),
    ("tickets", "Tickets opened ranged from 10 to 40.", [S, S]),
    ("tickets", "Tickets opened ranged from 5 to 40.", [C, S]),
    # a year of a table without times is no value
    ("regions", "Calls peaked in 2024.", [U]),
    ("regions", "In 2023 we had 60 calls.", [U]),
    ("regions", "The 2024 report says there were 60 calls.", [U]),
]


@pytest.mark.parametrize(("table", "claim", "verdicts"), CLAIMS, ids=[claim for _, claim, _ in CLAIMS])
def test_plain_claims(table: str, claim: str, verdicts: list[str]) -> None:
    language = "nl" if table == "loon" else "en"
    assert [checked.verdict for checked in check_claims([claim], [TABLES[table]], language)] == verdicts


def test_a_month_later_is_reckoned_from_the_sentence_before() -> None:
    claims = ["In April there were 30 overtime hours.", "A month later there were 15 overtime hours."]
    assert [checked.verdict for checked in check_claims(claims, [TABLES["payroll"]], "en")] == [S, S]


NOT_GUESSED = [
    ("payroll", "The average overtime in Amsterdam was 20 hours."),  # a place that no column has
    ("regions", "In the busiest region the wait time was 8 minutes."),  # busiest by calls, not by waiting
    ("payroll", "Overtime came to 20 hours per week on average."),  # the rows are months
    ("regions", "250% of the calls were answered."),  # calls are no percentage
    ("payroll", "Some 16 employees defected in June."),  # an unknown verb says which employees
]


@pytest.mark.parametrize(("table", "claim"), NOT_GUESSED, ids=[claim for _, claim in NOT_GUESSED])
def test_what_may_mean_something_else_is_not_checked(table: str, claim: str) -> None:
    assert {checked.verdict for checked in check_claims([claim], [TABLES[table]], "en")} == {U}


def test_what_a_change_is_measured_from_is_in_the_evidence() -> None:
    (checked,) = check_claims(["Gross pay rose by 60% from January to June."], [TABLES["payroll"]], "en")
    assert checked.verdict == S
    assert checked.evidence()["compared"] == "2025-01-01..2025-01-31"


PARTS = [  # 30, 20 and 10 of 60 calls: 50%, 33.3%, 16.7%
    ("A third of the calls came from South.", S),
    ("One in three calls came from South.", S),
    ("About a fifth of the calls came from East.", U),  # more than 12% below 20, less than 18%
    ("Two thirds of the calls came from South.", C),
    ("A quarter of the calls came from East.", C),
    ("A quarter of the calls came from South.", C),
    ("South took a third fewer calls than North.", S),  # 20 against 30
]


@pytest.mark.parametrize(("claim", "verdict"), PARTS, ids=[claim for claim, _ in PARTS])
def test_a_part_in_words_is_a_round_share(claim: str, verdict: str) -> None:
    assert [checked.verdict for checked in check_claims([claim], [TABLES["regions"]], "en")] == [verdict]
