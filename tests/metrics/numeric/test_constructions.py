"""How a clause is matched to constructions, and which of several readings counts."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from assay.metrics.numeric.checking import check as check_claim
from assay.metrics.numeric.numeric_claims import check_claims
from assay.metrics.numeric.parse.checks import check
from assay.metrics.numeric.parse.clause import Clause, read_clause
from assay.metrics.numeric.parse.construction import (
    ClauseReading,
    Construction,
    ConstructionMatch,
    Slot,
    construction,
    interpret,
)
from assay.metrics.numeric.parse.selection import CONSTRUCTIONS, combined_tiers, interpretations
from assay.metrics.numeric.parse.sentence_reading import PartReading, scene_of
from assay.metrics.numeric.specification import Hedge, Specification, Statistic
from assay.metrics.numeric.tables.grids import Grid
from assay.metrics.numeric.tables.sample_tables import table_of
from assay.metrics.numeric.tables.table import NumericTable


@pytest.fixture(scope="module")
def depots() -> NumericTable:
    """Mean 30, median 20, maximum 60 of the parcels."""
    columns = {"depot": ["Breda", "Delft", "Zwolle"], "parcels": [60, 20, 10], "vans": [6, 4, 2]}
    return table_of(Grid("depots", columns))


def clause_in(text: str, table: NumericTable) -> Clause:
    scene = scene_of([table], "en")
    return read_clause(text, scene.views[0], "en", scene.context)


def names(text: str, table: NumericTable, constructions: tuple[Construction, ...] = CONSTRUCTIONS) -> list[str]:
    made = interpretations(clause_in(text, table), frozenset(), constructions)
    return [interpretation.construction.name for interpretation in made]


def claiming(statistic: Statistic, number: float) -> Callable[[ConstructionMatch], ClauseReading | None]:
    return lambda match: ClauseReading((check([Specification(statistic, "parcels", value=number)]),))


MEAN = replace(
    construction(Slot.words("mean"), Slot.value())(claiming(Statistic.MEAN, 30)), name="mean"
)  # holds of the depots


def test_a_construction_needs_its_head_and_its_slots(depots: NumericTable) -> None:
    assert names("The average of the parcels was 30", depots, (MEAN,)) == ["mean"]
    assert names("The number of parcels was 30", depots, (MEAN,)) == []  # no head
    assert names("The average of the parcels was high", depots, (MEAN,)) == []  # no value
    assert names("The average of the parcels was 30, not 40", depots, (MEAN,)) == []  # two values


def test_every_word_that_may_matter_is_accounted_for(depots: NumericTable) -> None:
    """No construction names "highest" as what it cannot take: a word that is left over is enough."""
    assert names("The average highest parcels was 30", depots, (MEAN,)) == []
    with_highest = replace(MEAN, optional=("maximum",))
    assert names("The average highest parcels was 30", depots, (with_highest,)) == ["mean"]


def test_the_order_of_the_constructions_means_nothing(depots: NumericTable) -> None:
    for text in ("Breda had 60 parcels", "The highest number of parcels was 60, in Breda", "On average 30 parcels"):
        forwards, backwards = names(text, depots), names(text, depots, CONSTRUCTIONS[::-1])
        assert sorted(forwards) == sorted(backwards) != [], text


def test_the_more_specific_of_two_readings_counts(depots: NumericTable) -> None:
    bare = replace(MEAN, name="bare", slots=MEAN.slots[1:], optional=("mean",), build=claiming(Statistic.MEDIAN, 30))
    assert names("The average of the parcels was 30", depots, (bare, MEAN)) == ["mean"]


def test_two_readings_as_good_that_differ_in_verdict_are_unverifiable(depots: NumericTable) -> None:
    clause = clause_in("The average of the parcels was 30", depots)
    other = replace(MEAN, name="median", build=claiming(Statistic.MEDIAN, 30))  # the median is 20

    def verdict(*constructions: Construction) -> str:
        (tiers,) = combined_tiers(interpretations(clause, frozenset(), constructions))
        return check_claim("", PartReading(clause.text, tiers), "grammar").verdict

    assert verdict(MEAN, other) == "unverifiable"
    alike = replace(MEAN, name="maximum", build=claiming(Statistic.MAXIMUM, 60))  # holds as well
    assert verdict(MEAN, alike) == "supported"
    impossible = replace(MEAN, name="elsewhere", build=claiming(Statistic.VALUE_AT, 30))  # three rows: no one value
    assert verdict(impossible, MEAN) == "supported"


def test_matching_changes_nothing(depots: NumericTable) -> None:
    clause = clause_in("The highest number of parcels was 60, in Breda", depots)
    before = [vars(mark).copy() for mark in clause.marks]
    for one in CONSTRUCTIONS:
        interpret(one, clause)
    after = [{key: vars(mark)[key] for key in fields} for mark, fields in zip(clause.marks, before, strict=True)]
    assert after == before


def test_names_are_unique() -> None:
    listed = [one.name for one in CONSTRUCTIONS]
    assert len(set(listed)) == len(listed)


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
def test_what_each_word_was_taken_for(text: str, roles: str, depots: NumericTable) -> None:
    (checked,) = check_claims([text], [depots], "en")
    assert "".join(word.text for word in checked.words) == text
    assert "; ".join(f"{word.role}: {word.text} = {word.meaning}" for word in checked.words if word.role) == roles


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Breda had a shade under 62 parcels"),
        ("nl", "Breda had een fractie onder 62 parcels"),
        ("de", "Breda hatte einen Hauch unter 62 parcels"),
    ],
)
def test_a_shade_under_is_nearly(language: str, text: str, depots: NumericTable) -> None:
    (checked,) = check_claims([text], [depots], language)
    assert (checked.verdict, checked.specification and checked.specification.hedge) == ("supported", Hedge.NEARLY)


def test_a_rounded_value_of_a_named_row_is_that_value(depots: NumericTable) -> None:
    """Not a search for a row with exactly 60: "had" may introduce both."""
    weights = table_of(Grid("weights", {"depot": ["Breda", "Delft"], "tonnes": [60.4, 20.0]}))
    (checked,) = check_claims(["Breda had 60 tonnes"], [weights], "en")
    assert (checked.verdict, checked.specification and checked.specification.statistic) == ("supported", "value_at")
