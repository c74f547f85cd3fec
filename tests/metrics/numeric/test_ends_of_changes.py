"""Where a change began, where an extreme was, and which number is of which series; expectations by hand."""

import pytest

from assay.metrics.numeric.numeric_claims import check_claims
from assay.metrics.numeric.tables.grids import Grid
from assay.metrics.numeric.tables.sample_tables import table_of

S, C, U = "supported", "contradicted", "unverifiable"
MONTHS = [f"2025-0{month}" for month in range(1, 5)]
TABLES = {
    "sales": table_of(Grid("sales", {"month": MONTHS, "revenue": [10, 12, 17, 19]})),
    "shop": table_of(Grid("shop", {"month": MONTHS, "revenue": [10, 12, 9, 14], "users": [100, 150, 120, 90]})),
    "loss": table_of(Grid("loss", {"month": MONTHS, "profit": [-10, -15, -20, -18]})),
    "zones": table_of(
        Grid(
            "zones",
            {  # Portside 63, Hilltop 43
                "month": ["2025-01", "2025-01", "2025-02", "2025-02"],
                "zone": ["Portside", "Hilltop"] * 2,
                "complaints": [31, 21, 32, 22],
            },
        )
    ),
    "post": table_of(Grid("post", {"month": MONTHS[:2], "parcels delivered": [1000, 1100], "late parcels": [50, 44]})),
}


@pytest.mark.parametrize(
    ("language", "table", "claim", "verdicts"),
    [
        ("en", "sales", "Revenue was 19 in April, up from 17 in March.", [S, S, S]),
        ("en", "sales", "Revenue was 19 in April, up from 5 in March.", [S, C, S]),
        ("en", "sales", "Revenue was 19 in April, down from 12 in February.", [S, S, C]),
        ("en", "sales", "Revenue was 12 in February, up from 10 the month before.", [S, S, S]),
        ("en", "sales", "Revenue was 19 in April, up from 17.", [U]),
        ("nl", "sales", "De omzet was 19 in april, gestegen van 17 in maart.", [S, S, S]),
        ("nl", "sales", "De omzet was 19 in april, een stijging van 2.", [S, S]),
        ("en", "sales", "Revenue was 19 in April, up 2 from March.", [S, S]),
        ("en", "sales", "Revenue was 19 in April, up 5 from March.", [S, C]),
        ("en", "sales", "Revenue was 19 in April, an increase of 7 from February.", [S, S]),
        ("en", "zones", "The fewest complaints were in Hilltop, 43.", [S, S]),
        ("en", "zones", "The most complaints came from Portside: 96.", [C, S]),
        ("nl", "zones", "De minste complaints waren er in Hilltop, 43.", [S, S]),
        ("en", "zones", "The highest number of complaints in Hilltop was 22.", [S]),
        ("en", "sales", "March had the second-highest revenue.", [S]),  # 19, then 17
        ("en", "sales", "April had the second-highest revenue.", [C]),
        ("en", "loss", "Profit was negative in three of the four months.", [U]),  # in four; no value of the series
        ("en", "loss", "In three months the profit was negative.", [U]),
        ("nl", "loss", "In drie van de vier maanden was de winst negatief.", [U]),
        ("en", "post", "5% of the parcels came late in January.", [S]),
        ("en", "post", "4% of the parcels arrived late in January.", [C]),
        ("en", "shop", "Revenue was 12 (users: 150) in February.", [S, S]),
        ("en", "shop", "Revenue was 12 and users 120 in February.", [S, C]),
        ("en", "loss", "Profit rose by 50% in February.", [U]),
        ("en", "loss", "Profit rose by 5 in February.", [U]),
        ("en", "loss", "Profit rose by 30% in February.", [C]),
        ("en", "loss", "Profit fell by 50% in February.", [S]),
    ],
)
def test_ends(language: str, table: str, claim: str, verdicts: list[str]) -> None:
    claims = check_claims([claim], [TABLES[table]], language)
    assert [checked.verdict for checked in claims] == verdicts, [checked.reason for checked in claims]
