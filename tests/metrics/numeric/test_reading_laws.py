"""Laws of checking a claim: written from a computed fact it holds; moved beyond its precision it does not."""

from datetime import date, timedelta
from statistics import mean, median

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.numeric.numeric_claims import check_claims
from assay.metrics.numeric.tables.grids import Grid
from assay.metrics.numeric.tables.sample_tables import table_of
from assay.metrics.numeric.tables.table import NumericTable

# tenths, so that a stated decimal is exact and no rounding stands between the fact and the claim
VALUES = st.lists(st.integers(10, 999_999).map(lambda tenths: tenths / 10), min_size=4, max_size=12, unique=True)
FACTS = {
    "highest": (max, "The highest throughput was {} Mbps.", "De hoogste doorvoer was {} Mbps."),
    "lowest": (min, "The lowest throughput was {} Mbps.", "De laagste doorvoer was {} Mbps."),
    "average": (mean, "The average throughput was {} Mbps.", "De gemiddelde doorvoer was {} Mbps."),
    "median": (median, "The median throughput was {} Mbps.", "De mediaan van de doorvoer was {} Mbps."),
    "total": (sum, "The total throughput was {} Mbps.", "De totale doorvoer was {} Mbps."),
    "last": (
        lambda values: values[-1],
        "The latest throughput was {} Mbps.",
        "De laatst gemeten doorvoer was {} Mbps.",
    ),
}
laws = settings(max_examples=25)


def table(values: list[float]) -> NumericTable:
    days = [(date(2026, 3, 1) + timedelta(days=day)).isoformat() for day in range(len(values))]
    columns = {"date": days, "throughput_mbps": values, "latency_ms": [20.0] * len(values)}
    return table_of(Grid("network", columns, {"throughput_mbps": "Mbps", "latency_ms": "ms"}))


def english(value: float) -> str:
    return f"{value:,.2f}"


def dutch(value: float) -> str:
    return english(value).translate(str.maketrans(",.", ".,"))


def verdict(values: list[float], claim: str, language: str) -> str:
    (checked,) = check_claims([claim], [table(values)], language)
    return checked.verdict


@laws
@given(VALUES, st.sampled_from(sorted(FACTS)))
def test_a_claim_written_from_a_computed_fact_is_supported_in_both_notations(values, fact):
    computed, in_english, in_dutch = FACTS[fact]
    value = float(computed(values))
    assert verdict(values, in_english.format(english(value)), "en") == "supported"
    assert verdict(values, in_dutch.format(dutch(value)), "nl") == "supported"


@laws
@given(VALUES, st.sampled_from(sorted(FACTS)), st.integers(1, 50), st.sampled_from([-1, 1]))
def test_moved_beyond_its_precision_it_is_contradicted(values, fact, steps, sign):
    computed, in_english, in_dutch = FACTS[fact]
    # stated to two decimals: one hundredth further than half a hundredth is beyond them
    moved = float(computed(values)) + sign * (0.0051 + steps / 100)
    if moved <= 0:
        return
    assert verdict(values, in_english.format(english(moved)), "en") == "contradicted"
    assert verdict(values, in_dutch.format(dutch(moved)), "nl") == "contradicted"


@laws
@given(VALUES, st.sampled_from(sorted(FACTS)), st.sampled_from([10, 100, 1000]), st.integers(-30, 30))
def test_scaling_the_table_and_the_claim_together_changes_no_verdict(values, fact, scale, steps):
    computed, in_english, _ = FACTS[fact]
    stated = max(float(computed(values)) + steps / 10, 1.0)
    # hedged, so that the tolerance is a share of the value and scales with it
    claim = in_english.replace("was", "was about")
    scaled = [round(value * scale, 6) for value in values]
    before = verdict(values, claim.format(english(round(stated, 1))), "en")
    assert verdict(scaled, claim.format(english(round(stated, 1) * scale)), "en") == before


@laws
@given(VALUES)
def test_the_day_of_the_extreme(values):
    top = values.index(max(values))
    right, wrong = (date(2026, 3, 1) + timedelta(days=day) for day in (top, (top + 1) % len(values)))
    assert verdict(values, f"The throughput was highest on {right.day} March.", "en") == "supported"
    assert verdict(values, f"De doorvoer was het hoogst op {wrong.day} maart.", "nl") == "contradicted"
