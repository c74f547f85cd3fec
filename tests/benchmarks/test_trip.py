"""The way of one claim through the package: through how many files, and how often from one to another."""

import asyncio

import pytest
import trip

from assay.metrics import NumericClaims

MOST = {"faithfulness, in replay": (18, 58), "numeric_claims": (20, 130)}
"""Files and jumps. Fewer are welcome: write them here; more are a step back."""


@pytest.fixture(scope="module")
def trips(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What is loaded and compiled is loaded before a profile makes it slow."""
    asyncio.run(NumericClaims().assess(trip.samples_of("computed")[0]))
    return trip.count_trips(tmp_path_factory.mktemp("trip"))


@pytest.mark.parametrize("claim", MOST)
def test_a_claim_goes_through_few_files(claim: str, trips: dict[str, list[str]]) -> None:
    files = trips[claim]
    assert len({*files}) <= MOST[claim][0], sorted({*files})
    assert trip.count_jumps(files) <= MOST[claim][1]
