"""Forms of claims that set things in relation: streaks, shares, gaps, adjectives, the same of both, what was asked."""

import pytest

from assay.metrics.numeric.numeric_claims import check_claims
from assay.metrics.numeric.tables.grids import Grid
from assay.metrics.numeric.tables.sample_tables import table_of

S, C, U = "supported", "contradicted", "unverifiable"
MONTHS = [f"2025-{month:02}" for month in range(1, 9)]
ORDERS, COSTS, STAFF = [9, 10, 8, 9, 10, 11, 12, 13], [5, 6, 7, 6, 5, 4, 3, 2], [20, 20, 21, 22, 22, 24, 25, 26]
CALLS, WAIT, FEE = [30, 20, 10], [5, 8, 2], [12.5, 20, 7.5]


TABLES = {
    "en": [
        table_of(Grid("2025", {"month": MONTHS, "orders (n)": ORDERS, "costs (EUR)": COSTS, "staff (n)": STAFF})),
        table_of(
            Grid(
                "regions",
                {
                    "region": ["North", "South", "East"],
                    "calls (n)": CALLS,
                    "missed calls (n)": [3, 2, 5],
                    "wait (min)": WAIT,
                    "fee (EUR)": FEE,
                },
            )
        ),
    ],
    "nl": [
        table_of(
            Grid("2025", {"maand": MONTHS, "bestellingen (n)": ORDERS, "kosten (EUR)": COSTS, "medewerkers (n)": STAFF})
        ),
        table_of(
            Grid(
                "filialen",
                {
                    "filiaal": ["Noord", "Zuid", "Oost"],
                    "klachten (n)": CALLS,
                    "wachttijd (min)": WAIT,
                    "tarief (EUR)": FEE,
                },
            )
        ),
    ],
}

CLAIMS = [
    # streaks: orders rise from March to August, five times; costs fall as often
    ("en", 0, "Orders have grown five months in a row.", [S]),
    ("en", 0, "Orders have grown six months in a row.", [C]),
    ("en", 0, "Costs have now fallen for the fifth consecutive month.", [S]),
    ("en", 0, "Since May, orders have risen three months running.", [S]),
    ("nl", 0, "Al vijf maanden achter elkaar loopt het aantal bestellingen op.", [S]),
    ("nl", 0, "De kosten dalen inmiddels zes maanden op rij.", [C]),
    # parts of a whole: 10 of 60 missed; 5 of the 10 missed were in the East
    ("en", 1, "East accounts for 17% of all calls.", [S]),
    ("nl", 1, "Een derde van de klachten kwam uit Zuid.", [S]),
    ("nl", 1, "Driekwart van de klachten kwam uit Zuid.", [C]),
    ("en", 0, "49% of all orders in 2025 came in between May and August.", [C]),  # 46 of 82 are 56%
    # how far the extremes are apart: 8 - 2, 30 - 10
    ("en", 1, "There is a gap of 6 minutes between the shortest and the longest wait.", [S]),
    ("nl", 1, "Tussen het drukste en het rustigste filiaal zit een verschil van 20 klachten.", [S]),
    ("nl", 1, "Tussen het drukste en het rustigste filiaal zit een verschil van 15 klachten.", [C]),
    # adjectives: cheaper is of money, better the shorter wait
    ("en", 1, "East is 5 euros cheaper than North.", [S]),
    ("en", 1, "South is cheaper than North.", [C]),
    ("en", 1, "The wait at East is better than at North.", [S]),
    ("nl", 1, "Het goedkoopst is Oost, met 7,50 euro.", [S, S]),
    ("nl", 1, "Zuid is duurder dan Noord.", [S]),
    ("nl", 1, "In Noord waren er drie keer zoveel klachten als in Oost.", [S]),
    ("nl", 1, "Zuid had 10 klachten minder dan Noord.", [S]),
    # the same of both, another series the same way, back to a bound for the first time
    ("en", 0, "Orders were above 10 for the first time in June.", [S]),
    ("en", 0, "Orders were above 10 for the first time in July.", [C]),
    ("en", 0, "Orders have not fallen below 8 in any month.", [S]),
    ("en", 0, "Orders have not fallen below 9 in any month.", [C]),
    # over several rows: above the largest it is the sum (82), else the mean (10.25)
    ("en", 0, "In 2025 there were 82 orders.", [S]),
    ("en", 0, "In August orders were up 8% on July.", [S]),
    ("en", 1, "Missed calls averaged 3.3 per region.", [S]),
    ("en", 1, "The longest and the shortest wait are 6 minutes apart.", [S]),
    ("en", 1, "The longest and the shortest wait are 5 minutes apart.", [C]),
    ("en", 0, "Orders have risen every month since March.", [S]),
    ("en", 0, "Orders have risen every month since January.", [C]),
    ("nl", 0, "De kosten dalen sinds maart maand na maand.", [S]),
]


@pytest.mark.parametrize(("language", "table", "claim", "verdicts"), CLAIMS, ids=[claim[2] for claim in CLAIMS])
def test_forms(language: str, table: int, claim: str, verdicts: list[str]) -> None:
    checks = check_claims([claim], [TABLES[language][table]], language)
    assert [checked.verdict for checked in checks] == verdicts, [checked.reason for checked in checks]


@pytest.mark.parametrize(
    ("question", "answer", "verdict"),
    [
        ("In how many months were there more than 10 orders?", "That happened in three months.", S),  # 11, 12, 13
        ("In how many months were there more than 10 orders?", "That happened in four months.", C),
        ("How did we do?", "That happened in four months.", U),
    ],
)
def test_how_often_what_was_asked_was_so(question: str, answer: str, verdict: str) -> None:
    (checked,) = check_claims([answer], [TABLES["en"][0]], "en", question)
    assert checked.verdict == verdict, checked.reason


@pytest.mark.parametrize(
    "claim",
    [
        "The quietest was South, with 20 calls and an unclear smallest.",
        "Orders stood at 9 after the storm.",
        "Of the missed calls, 3 were due to the strike.",
        "In North 5 waits were reported.",  # so many of what is measured in minutes
        "In North the average review rate was 4.2.",
    ],
)
def test_what_restricts_and_is_not_understood_keeps_it_unread(claim: str) -> None:
    assert {checked.verdict for checked in check_claims([claim], TABLES["en"], "en")} == {U}


def test_values_of_days_scales_and_what_a_number_is_of() -> None:
    days = [f"2025-03-{day:02}" for day in range(3, 17)]  # two weeks from a Monday
    visits = [10, 10, 10, 10, 10, 30, 40, 10, 10, 10, 10, 10, 50, 60]
    museum = table_of(Grid("museum", {"day": days, "visits (n)": visits}))
    water = table_of(Grid("water", {"year": ["2022", "2023", "2024"], "supplied (million m3)": [75.5, 78.3, 76.0]}))
    gifts = table_of(
        Grid("gifts", {"quarter": ["2023-Q1", "2023-Q2", "2024-Q1", "2024-Q2"], "donations (£k)": [100, 100, 110, 107]})
    )
    claims = [
        ("Saturdays and Sundays averaged 45 visits a day.", museum, [S]),  # (30 + 40 + 50 + 60) / 4
        ("Saturdays and Sundays averaged 40 visits a day.", museum, [C]),
        ("On 8 March there were 30 visits, three times as many as on 7 March.", museum, [S, S]),
        ("In 2023 78.3 million m3 was supplied.", water, [S]),
        ("Donations in 2024 added up to £217,000, an increase of 8.5% on 2023.", gifts, [S, S]),  # 217 / 200
        ("Donations in 2024 added up to £217,000, an increase of 7.5% on 2023.", gifts, [S, C]),
        ("Of the donations in 2024, £60,000 came from legacies.", gifts, [U]),
    ]
    for claim, table, verdicts in claims:
        checks = check_claims([claim], [table], "en")
        assert [checked.verdict for checked in checks] == verdicts, [checked.reason for checked in checks]


def test_a_participle_is_the_column_called_after_it() -> None:
    table = table_of(
        Grid("treinen", {"maand": MONTHS[:3], "treinen (n)": [400, 410, 407], "uitgevallen (n)": [4, 6, 29]})
    )
    (checked,) = check_claims(["In maart zijn er 29 treinen uitgevallen."], [table], "nl")
    assert checked.verdict == S
