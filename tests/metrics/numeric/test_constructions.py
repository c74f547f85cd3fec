"""How a clause is matched to constructions, and which of several readings counts."""

import pytest

from assay.metrics.numeric.numeric_claims import check_claims
from assay.metrics.numeric.specification import Hedge
from assay.metrics.numeric.tables.grids import Grid
from assay.metrics.numeric.tables.sample_tables import table_of
from assay.metrics.numeric.tables.table import NumericTable


@pytest.fixture(scope="module")
def depots() -> NumericTable:
    """Mean 30, median 20, maximum 60 of the parcels."""
    columns = {"depot": ["Breda", "Delft", "Zwolle"], "parcels": [60, 20, 10], "vans": [6, 4, 2]}
    return table_of(Grid("depots", columns))


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        (
            "The average of the parcels was about 30",
            "statistic: average = mean; series: parcels = parcels; hedge: about = about; number: 30 = 30",
        ),
        ("Breda had 60 parcels", "row: Breda = depot = Breda; number: 60 = 60; series: parcels = parcels"),
        (
            "Breda blorped 60 parcels",
            "row: Breda = depot = Breda; left out: blorped = ; number: 60 = 60; series: parcels = parcels",
        ),
        (
            "Breda blorped glimly in zandar 60 parcels",
            "row: Breda = depot = Breda; unread: blorped = ; unread: glimly = ; unread: zandar = ; number: 60 = 60; "
            "series: parcels = parcels",
        ),
    ],
)
def test_what_each_word_was_taken_for(text, roles, depots):
    (checked,) = check_claims([text], [depots], "en")
    assert "".join(word.text for word in checked.words) == text
    assert "; ".join(f"{word.role}: {word.text} = {word.meaning}" for word in checked.words if word.role) == roles


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "Breda had a shade under 62 parcels"), ("de", "Breda hatte einen Hauch unter 62 parcels")],
)
def test_a_shade_under_is_nearly(language, text, depots):
    (checked,) = check_claims([text], [depots], language)
    assert (checked.verdict, checked.specification and checked.specification.hedge) == ("supported", Hedge.NEARLY)


def test_a_rounded_value_of_a_named_row_is_that_value(depots):
    """Not a search for a row with exactly 60: "had" may introduce both."""
    weights = table_of(Grid("weights", {"depot": ["Breda", "Delft"], "tonnes": [60.4, 20.0]}))
    (checked,) = check_claims(["Breda had 60 tonnes"], [weights], "en")
    assert (checked.verdict, checked.specification and checked.specification.statistic) == ("supported", "value_at")
