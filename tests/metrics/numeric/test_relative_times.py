"""Times as people say them: days without a month, the same quarter of another year, so many weeks."""

import pytest
from case_files import cases_beside

from assay.metrics import Grid, check_claims, table_of

CASES = cases_beside(__file__)

WEEKS = ["02-03", "02-10", "02-17", "02-24", "03-03", "03-10", "03-17", "03-24", "03-31", "04-07", "04-14", "04-21"]
ORDERS = [60, 50, 40, 30, 20, 30, 40, 50, 60, 70, 80, 90]
QUARTERS = [f"{year}-Q{quarter}" for year in (2023, 2024) for quarter in (1, 2, 3, 4)]
MONTHS = [f"{year}-{month:02d}" for year in (2023, 2024) for month in range(1, 13)]
YEAR, MBPS = [f"2025-{month:02d}" for month in range(1, 13)], [100, 125, *[130] * 10]
GRIDS = {
    "days": Grid("desk", {"date": [f"2025-04-{day:02d}" for day in range(1, 31)], "calls": [*range(100, 130)]}),
    "weeks": Grid("shop", {"week starting": [f"2025-{week}" for week in WEEKS], "orders": ORDERS}),
    "quarters": Grid("library", {"quarter": QUARTERS, "visitors": [*range(100, 180, 10)]}),
    "months": Grid("energy", {"month": MONTHS, "gas": [*range(10, 250, 10)]}, {"gas": "m3"}),
    "network": Grid("network", {"month": [*YEAR, "2026-01", "2026-02"], "throughput (Mbps)": [*MBPS, 110, 135]}),
    "regions": Grid("calls by region, April 2025", {"region": ["North", "South"], "calls": [40, 50]}),
}
"""100 calls on 1 April, one more each day; 100 visitors in 2023's first quarter, 10 more in each; so with gas.

The network had 127.1 Mbps on average in 2025.
"""
TABLES = {name: table_of(grid) for name, grid in GRIDS.items()}


@pytest.mark.parametrize(("table", "language", "claim", "verdict"), CASES["claims"])
def test_a_time_is_that_of_the_table_or_the_claim_is_not_read(table, language, claim, verdict):
    verdicts = [checked.verdict for checked in check_claims([claim], [TABLES[table]], language)]
    assert set(verdicts) == {verdict} or (verdict == "contradicted" and verdict in verdicts)


def test_a_season_in_the_question_sets_no_time():
    asked = "How was the summer of 2024?"
    (checked,) = check_claims(["There were 160 visitors on average."], [TABLES["quarters"]], "en", question=asked)
    assert "2024" not in str(checked.evidence()["window"])
