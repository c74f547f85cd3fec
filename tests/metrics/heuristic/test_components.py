"""Which menus, buttons and settings a text names, and which of them nobody specified."""

import json
from pathlib import Path

import pytest

from assay.languages import load_language
from assay.metrics.heuristic.components_defined import components_defined, unspecified_components
from assay.text.components import find_components, normal_name

DUTCH = load_language("nl")
ENGLISH = load_language("en")


def names(text: str, language: str) -> set[str]:
    return {component.name for component in find_components(text, load_language(language))}


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Ga naar Salaris / Loonruns en klik op Nieuwe loonrun.", "nl", {"Salaris", "Loonruns", "Nieuwe loonrun"}),
        ("Klik op **Opslaan** of op “Annuleren”.", "nl", {"Opslaan", "Annuleren"}),
        ("Druk op de Opslaan-knop.", "nl", {"Opslaan"}),
        ("Open het tabblad 'Mijn gegevens'.", "nl", {"Mijn gegevens"}),
        ("Go to Settings > Payroll, then click Save.", "en", {"Settings", "Payroll", "Save"}),
        ("Press the Calculate button.", "en", {"Calculate"}),
    ],
)
def test_the_ways_to_name_a_component(text, language, expected):
    assert names(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Klik op de medewerker.", "nl"),
        ("**Let op:** dit duurt een dag.", "nl"),
        ("U krijgt de melding “Het bestand is te groot. Kies een ander bestand.”", "nl"),
        ("Select the employee and enter the amount.", "en"),
        ("5 > 3 and 1/2 of the hours and/or days.", "en"),
        ("", "en"),
    ],
)
def test_what_is_no_component(text, language):
    assert names(text, language) == set()


def test_which_components_nobody_specified():
    assert normal_name("“Loonstroken”", DUTCH) == normal_name("loonstrook", DUTCH)
    assert normal_name("Settings…", ENGLISH) == normal_name("setting", ENGLISH)
    answer = "Ga naar: Salaris / Loonstrook. Klik op: Publiceren. Klik op: Verzenden."
    texts = ["Waar is de knop Verzenden?", "Open salaris > loonstroken en kies 'publiceren'."]
    assert unspecified_components(answer, texts, DUTCH) == []
    assert unspecified_components(answer, texts[1:], DUTCH) == ["Verzenden"]
    assert unspecified_components("Klik op: Loon.", ["Open de Loonrun."], DUTCH) == ["Loon"], "part of a word"
    invented = unspecified_components("Klik op Rechten synchroniseren.", ["Uw rechten zijn actief."], DUTCH)
    assert invented == ["Rechten synchroniseren"], "it begins with a known word"
    assert (
        unspecified_components("Klik op Opslaan rechts bovenin.", ["Klik op: Opslaan."], DUTCH) == []
    )  # words after it
    assert components_defined(4, 1) == 3 / 4
    assert components_defined(0, 0) == 1


@pytest.mark.parametrize("language", ["nl", "en"])
def test_on_sentences_that_no_pattern_was_written_from(language):
    """`benchmarks/heuristic_components.py` reports precision and recall; this only keeps them from falling far."""
    lines = (Path(__file__).parent / "components.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["language"] == language]
    assert len(rows) >= 40
    right = wrong = missed = 0
    for row in rows:
        assert all(name in row["text"] for name in row["components"])
        labelled = {normal_name(name, load_language(language)) for name in row["components"]}
        reached = set()
        for component in find_components(row["text"], load_language(language)):
            forms = {normal_name(form, load_language(language)) for form in (component.name, *component.shorter)}
            reached |= forms & labelled
            wrong += not forms & labelled
        right += len(reached)
        missed += len(labelled - reached)
    assert right / (right + wrong) > 0.85
    assert right / (right + missed) > 0.65
