"""Claims about groups of rows: the zone with the most of all months, the month with the highest mean of all zones."""

import math

import pytest

from assay.metrics.numeric.numeric_claims import check_claims
from assay.metrics.numeric.tables.grids import Grid
from assay.metrics.numeric.tables.sample_tables import table_of
from assay.metrics.numeric.tables.views import View, group_rows

S, C = "supported", "contradicted"
ZONES = table_of(
    Grid(
        "network",
        {
            "zone": ["Ashby", "Ashby", "Linden", "Linden", "Carrow", "Carrow"],
            "month": ["2025-05", "2025-06"] * 3,
            # Ashby 30, Linden 24, Carrow 26; May 43, June 37; the highest single row is Linden's of May
            "complaints": [14, 16, 20, 4, 9, 17],
            # means: Ashby 16, Linden 12, Carrow 20; May 17, June 15
            "leakage_pct": [15, 17, 14, 10, 22, 18],
        },
    )
)


@pytest.mark.parametrize(
    ("claim", "verdicts"),
    [
        ("Ashby had the most complaints of all zones.", [S]),
        ("Linden had the most complaints of all zones.", [C]),  # 20 is the most of a month, 24 the fewest of a zone
        ("Linden has the fewest complaints of all zones, 24 in total.", [S, S]),
        ("Carrow comes second for complaints, with 26.", [S, S]),
        ("Complaints were highest in May, at 43.", [S, S]),
        ("Complaints were highest in June.", [C]),
        ("Average leakage is highest in Carrow, at 20%, and lowest in Linden, at 12%.", [S, S, S, S]),
        ("Average leakage is highest in Ashby.", [C]),
        # one row is meant, and no group
        ("In May, Linden had the most complaints of all zones.", [S]),
    ],
)
def test_groups_are_ranked_by_their_sums_and_levels_by_their_means(claim: str, verdicts: list[str]) -> None:
    claims = check_claims([claim], [ZONES], "en")
    assert [checked.verdict for checked in claims] == verdicts, [checked.reason for checked in claims]


def test_the_reason_says_what_a_row_is() -> None:
    (checked,) = check_claims(["Linden had the most complaints of all zones."], [ZONES], "en")
    assert checked.reason == (
        "the claim says Linden, it is Ashby: maximum of complaints = 30, in Ashby (n=3); a row is the sum by zone"
    )


def test_a_group_without_a_value_has_none_and_rows_without_a_group_are_left_out() -> None:
    table = table_of(Grid("teams", {"team": ["A", "B", "A", None, "B"], "hours": [1, None, 2, 50, None]}))
    by_team = group_rows(View(table), "team", "sum").table
    assert by_team.labels["team"].tolist() == ["A", "B"]
    first, second = by_team.series("hours").tolist()
    assert first == 3
    assert math.isnan(second)
    assert by_team.rows_are == "sum by team"


def test_a_group_with_a_cell_that_cannot_be_read_cannot_be_computed() -> None:
    table = table_of(Grid("games", {"team": ["A", "B", "A"], "points": ["3", "4", "DNF"]}))
    assert group_rows(View(table), "team", "mean").table.unreadable == {"points": (0,)}
