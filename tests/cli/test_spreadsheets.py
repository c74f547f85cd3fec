"""A workbook of a support lead: an explanation first, headers in Dutch, empty cells, ratings chosen from a list."""

from pathlib import Path

import pytest
from openpyxl import Workbook

ANSWERS = [
    ("Hoe annuleer ik een bestelling?", "Open Bestellingen.", "Open Bestellingen en kies Annuleren.", "2 - matig"),
    ("Levert u in België?", "Ja, dat doen wij.", "Wij leveren in Nederland en België.", "5 (uitstekend)"),
    ("Kan ik achteraf betalen?", "Nee.", None, "1: slecht"),
    ("Waar is mijn pakket?", "Volg de link in de mail.", "Volg uw pakket via de link in de mail.", None),
    ("Hoe lang is de garantie?", "De garantie is twee jaar.", "U heeft twee jaar garantie.", "4 - goed"),
]


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    book = Workbook()
    explanation, answers, ratings = book.active, book.create_sheet("Antwoorden"), book.create_sheet("Cijfers")
    explanation.title = "Uitleg"
    for row in (("Uitleg",), ("Kies een cijfer uit de lijst",)):
        explanation.append(row)
    answers.append(("Vraag", "Antwoord", "Bron", "Beoordeling", "Opmerking"))
    ratings.append(("id", "An"))
    for number, row in enumerate(ANSWERS, 1):
        answers.append((*row, None))
        ratings.append((f"team-{number}", row[3]))
    path = tmp_path / "team.xlsx"
    book.save(path)
    return path


def test_the_answers_are_read_and_it_says_how(assay, workbook):
    done = assay("run", workbook, "--sheet", "Antwoorden", "--json", code=0)
    assert (
        "read Vraag as user_input, Antwoord as response, Bron as retrieved_contexts, Beoordeling as rating from 1 to 5"
        in done.err
    )
    overlap = done.json["metrics"]["token_overlap"]
    assert (overlap["n"], overlap["scored"], overlap["skipped"]) == (5, 4, 1)  # one answer has no source
    shown = assay("show", "last", "--json").json["scores"]
    assert [score["rating"] for score in shown if score["metric"] == "answer_length"] == [2, 5, 1, None, 4]


def test_without_a_choice_the_sheets_are_named(assay, workbook):
    done = assay("run", workbook, code=1)
    assert "has the sheets `Uitleg`, `Antwoorden`, `Cijfers`; choose one (--sheet NAME)" in done.err


def test_a_column_that_only_mentions_the_field_is_proposed(assay):
    Path("team.csv").write_text("Vraag uit chat;Tekst bot\nHoe?;Zo.\n", encoding="utf-8")
    done = assay("run", "team.csv", code=1)
    assert "map 'Vraag uit chat=user_input' and map 'Tekst bot=response'" in done.err
    mapped = ("--map", "Vraag uit chat=user_input", "--map", "Tekst bot=response")
    assert assay("run", "team.csv", *mapped, "--metrics", "answer_length").code == 0
