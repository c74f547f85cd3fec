"""Times as people say them: holidays, days without a month, the same quarter of another year, so many weeks."""

from calendar import isleap
from datetime import date, timedelta

import pytest

from assay.metrics import Grid, NumericTable, check_claims, table_of

S, C, U = "supported", "contradicted", "unverifiable"
WEEKS = ["02-03", "02-10", "02-17", "02-24", "03-03", "03-10", "03-17", "03-24", "03-31", "04-07", "04-14", "04-21"]
TABLES = {
    # 100 calls on 1 April, one more each day
    "days": table_of(
        Grid("desk", {"date": [f"2025-04-{d:02d}" for d in range(1, 31)], "calls": list(range(100, 130))})
    ),
    "weeks": table_of(
        Grid(
            "shop",
            {"week starting": [f"2025-{w}" for w in WEEKS], "orders": [60, 50, 40, 30, 20, 30, 40, 50, 60, 70, 80, 90]},
        )
    ),
    "quarters": table_of(
        Grid(
            "library",
            {
                "quarter": [f"{y}-Q{k}" for y in (2023, 2024) for k in (1, 2, 3, 4)],
                "visitors": list(range(100, 180, 10)),
            },
        )
    ),
    # 10 m3 in January 2023, 10 more each month
    "months": table_of(
        Grid(
            "energy",
            {"month": [f"{y}-{k:02d}" for y in (2023, 2024) for k in range(1, 13)], "gas": list(range(10, 250, 10))},
            {"gas": "m3"},
        )
    ),
    "regions": table_of(Grid("calls by region, April 2025", {"region": ["North", "South"], "calls": [40, 50]})),
}

CLAIMS = [
    ("days", "en", "On the 18th there were 117 calls.", S),
    ("days", "en", "From Monday 14 to Wednesday 16 April there were 342 calls in total.", S),  # 113 + 114 + 115
    ("days", "nl", "Op Tweede Paasdag waren er 120 calls.", S),  # Easter Sunday is 20 April 2025
    ("days", "en", "On Easter Monday, 22 April, there were 121 calls.", U),  # it was on the 21st
    ("days", "nl", "Op Koningsdag waren er 125 calls.", S),  # the 27th is a Sunday
    ("days", "en", "Since Easter Monday there have been 1,245 calls in total.", S),  # 120 to 129: 10 * 124.5
    ("days", "nl", "In heel april waren er 3.435 calls.", S),  # 30 * 114.5
    ("days", "en", "In the summer there were 117 calls.", U),
    ("weeks", "nl", "In de vier weken van februari waren er 180 orders.", S),  # 60 + 50 + 40 + 30
    ("weeks", "en", "There were more orders in the last four weeks than in the first four.", S),  # 300 against 180
    ("weeks", "en", "In the week of Easter Monday there were 90 orders.", S),
    ("weeks", "nl", "Het aantal orders ligt nu 50% hoger dan in de eerste week.", S),
    ("quarters", "en", "In Q4 2024 there were 170 visitors, 40 more than in the same quarter of 2023.", S),
    ("quarters", "en", "In Q4 2024 there were 170 visitors, 30 more than in the same quarter of 2023.", C),
    ("quarters", "en", "In the final quarter of 2023 there were 130 visitors.", S),
    ("quarters", "en", "In the third half of 2024 there were 310 visitors.", U),
    ("quarters", "en", "In the first quarter of 2024 there were 30 visitors fewer than in the fourth.", S),
    ("days", "en", "In the fifth week of April there were 257 calls.", U),  # weeks of a month have no numbers
    ("months", "en", "Gas use was 120 m3 higher in February 2024 than in the same month of 2023.", S),
    ("months", "en", "In February 2024 gas use was 120 m3 higher than in February of the previous year.", U),
    ("months", "en", "In the same period gas use was 420 m3.", U),
    ("regions", "en", "In April 2025 North took 40 calls.", S),
    ("regions", "nl", "Vorig jaar kwamen er 40 calls uit North.", U),
    # beside another time
    ("days", "en", "In the week after Easter Monday there were 868 calls.", U),  # 22 to 28 April, or 28 April to 4 May
    ("days", "en", "The day after Easter Monday there were 121 calls.", S),
    ("days", "nl", "Met Pasen waren er 119 calls.", U),  # one day or two
    ("weeks", "en", "The week before, there were 80 orders.", U),  # before what, it does not say
    ("weeks", "en", "In the week ending 2 March there were 30 orders.", S),
    ("days", "en", "99999999 years later there were 120 calls.", U),
]


@pytest.mark.parametrize(("table", "language", "claim", "verdict"), CLAIMS, ids=[claim for _, _, claim, _ in CLAIMS])
def test_a_time_is_that_of_the_table_or_the_claim_is_not_read(table, language, claim, verdict):
    verdicts = [checked.verdict for checked in check_claims([claim], [TABLES[table]], language)]
    assert set(verdicts) == {verdict} or (verdict == C and C in verdicts)


def day_numbers(year: int) -> NumericTable:
    """A table of a year's days in which each has its number as its orders: 1 on 1 January."""
    days = [date(year, 1, 1) + timedelta(days=number) for number in range(365 + isleap(year))]
    return table_of(Grid("shop", {"date": [str(day) for day in days], "orders": list(range(1, len(days) + 1))}))


YEARS = {year: day_numbers(year) for year in (2010, 2024)}
HOLIDAYS = [
    # Easter is 31 March 2024, day 91
    (2024, "en", "On Good Friday there were 89 orders.", S),
    (2024, "en", "On New Year’s Eve there were 366 orders.", S),
    (2024, "en", "On Labor Day there were 246 orders.", S),  # 2 September
    (2024, "en", "On Black Friday there were 334 orders.", S),  # 29 November
    (2024, "en", "On the Summer Bank Holiday there were 218 orders.", S),  # the Scottish one, 5 August
    (2024, "en", "On Mother's Day there were 133 orders.", U),  # 12 May, but 10 March in Britain
    (2024, "en", "On May Day there were 122 orders.", U),  # 1 May, or the first Monday
    (2024, "nl", "Op koningsdag waren er 118 orders.", S),  # 27 April
    (2010, "nl", "Op Koninginnedag waren er 120 orders.", S),  # 30 April
    (2010, "nl", "Op Koningsdag waren er 117 orders.", U),  # none before 2014
    (2024, "de", "Am Rosenmontag gab es 43 orders.", S),  # 12 February
    (2024, "de", "An Mariä Himmelfahrt gab es 228 orders.", S),  # 15 August
]


@pytest.mark.parametrize(
    ("year", "language", "claim", "verdict"), HOLIDAYS, ids=[f"{year}: {claim}" for year, _, claim, _ in HOLIDAYS]
)
def test_holidays_are_those_of_the_calendars_that_the_language_names(year, language, claim, verdict):
    assert {checked.verdict for checked in check_claims([claim], [YEARS[year]], language)} == {verdict}


def test_a_season_in_the_question_sets_no_time():
    asked = "How was the summer of 2024?"
    (checked,) = check_claims(["There were 160 visitors on average."], [TABLES["quarters"]], "en", question=asked)
    assert "2024" not in str(checked.evidence()["window"])
