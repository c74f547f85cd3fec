"""A guide is verbatim only when every step is the context's; which components nobody specified."""

import math

import pytest

from assay.languages import load_language
from assay.metrics import components_defined, step_cosine
from assay.metrics.heuristic import VerbatimGuide
from assay.text import find_components, find_guides, normal_name, unspecified_components

GUIDE = ["Ga naar: Medewerkers / Dienstverband.", "Selecteer de medewerker.", "Klik op: Uit dienst melden."]


def numbered(steps: list[str]) -> str:
    return "\n".join(f"{place}. {step}" for place, step in enumerate(steps, start=1))


def verbatim(answer: str, context: str = numbered(GUIDE)) -> float | None:
    return VerbatimGuide().score(user_input="Hoe?", response=answer, retrieved_contexts=[context], language="nl").value


def test_a_cosine_by_hand():
    # (1 + 1) / sqrt(3 * 2)
    assert step_cosine(["open", "file", "now"], ["open", "file"]) == pytest.approx(2 / math.sqrt(6))
    assert step_cosine([], []) == 1
    assert step_cosine([], ["open"]) == 0


SAME = {
    "as it is": numbered(GUIDE),
    "bullets": "Zo doet u dat:\n\n" + "\n\n".join(f"- {step}" for step in GUIDE) + "\n\nVeel succes!",
    "in one line": "Zo: 1. ga naar Medewerkers / Dienstverband. 2. selecteer de medewerker. 3. klik op: Uit dienst "
    "melden.",
    "without colons": numbered([step.replace(":", "") for step in GUIDE]),
    "a function word more": numbered([GUIDE[0], "Selecteer daar de medewerker.", GUIDE[2]]),
}
OTHER = {
    "missing": GUIDE[:2],
    "swapped": [GUIDE[1], GUIDE[0], GUIDE[2]],
    "changed": ["Ga naar: Medewerkers / Overzicht.", *GUIDE[1:]],
    "added": [*GUIDE, "Klik op: Bevestigen."],
    "denied": [*GUIDE[:2], "Klik niet op: Uit dienst melden."],
}


@pytest.mark.parametrize("name", [*SAME, *OTHER])
def test_the_same_guide_in_another_dress_is_verbatim_and_one_with_another_step_is_not(name):
    assert verbatim(SAME.get(name) or numbered(OTHER[name])) == (name in SAME)


def test_one_changed_word_or_number_is_a_changed_step():
    # Its cosine is 8/9, above the threshold: the reader still does something else.
    long = "Vul laatste werkdag, reden, afdeling, functie, rooster, locatie, kostenplaats in."
    changed = long.replace("laatste", "eerste")
    assert verbatim(numbered([*GUIDE, long]), numbered([*GUIDE, long])) == 1
    assert verbatim(numbered([*GUIDE, changed]), numbered([*GUIDE, long])) == 0
    step = "Kies in het venster de termijn van {} dagen voor de nieuwe aanvraag van verlof."
    for other in (step.format(14), step.replace("{} ", "")):
        assert verbatim(numbered([*GUIDE, step.format(30)]), numbered([*GUIDE, other])) == 0
    assert verbatim("Dat kan bij Medewerkers / Dienstverband.") == 0, "no guide at all"


def test_guides_are_told_apart_and_one_step_or_a_bullet_below_is_none():
    text = "1. A\n2. B\n\nOr:\n\n1. C\n   more of C\n2. D\n3. E\n\n- F\n\nEnd.\n\n1. G"
    assert find_guides(text, load_language("en")) == (("A", "B"), ("C", "D", "E"))
    assert find_guides("1. A\n   - x\n   - y\n2. B", load_language("en")) == (("A", "B"),)


DUTCH = load_language("nl")
ENGLISH = load_language("en")


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Ga naar Salaris / Loonruns en klik op Nieuwe loonrun.", "nl", {"Salaris", "Loonruns", "Nieuwe loonrun"}),
        ("Klik op **Opslaan** of op “Annuleren”.", "nl", {"Opslaan", "Annuleren"}),
        ("Druk op de Opslaan-knop.", "nl", {"Opslaan"}),
        ("Open het tabblad 'Mijn gegevens'.", "nl", {"Mijn gegevens"}),
        ("Go to Settings > Payroll, then click Save.", "en", {"Settings", "Payroll", "Save"}),
        ("Press the Calculate button.", "en", {"Calculate"}),
        # what is no component
        ("Klik op de medewerker.", "nl", set()),
        ("**Let op:** dit duurt een dag.", "nl", set()),
        ("U krijgt de melding “Het bestand is te groot. Kies een ander bestand.”", "nl", set()),
        ("Select the employee and enter the amount.", "en", set()),
        ("5 > 3 and 1/2 of the hours and/or days.", "en", set()),
        ("", "en", set()),
    ],
)
def test_the_ways_to_name_a_component_and_what_is_none(text, language, expected):
    assert {component.name for component in find_components(text, load_language(language))} == expected


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
