"""PDF to sections, on real files: the bundled leaflets, and small ones that fpdf2 writes."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.generation import Section, pdf_blocks, read_document
from assay.generation.leaflets import leaflets

fpdf = pytest.importorskip("fpdf")
pytest.importorskip("pdfplumber")

LEAFLETS = sorted(path.stem for path in leaflets().glob("*.md"))
SENTENCE = "De verpleegkundige legt u uit wat er gaat gebeuren en blijft bij u. "


def sections(path: Path) -> list[Section]:
    return read_document(path, path.name)


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


@pytest.mark.parametrize("name", LEAFLETS)
def test_a_leaflet_has_the_same_sections_as_pdf_and_as_markdown(name):
    """Running header and footer, two columns, sections over pages, bullets and ruled tables are all in these PDFs."""
    as_pdf = sections(leaflets() / "pdf" / f"{name}.pdf")
    as_markdown = sections(leaflets() / f"{name}.md")
    assert [(s.title, letters(s.text)) for s in as_pdf] == [(s.title, letters(s.text)) for s in as_markdown]


def test_bullets_and_tables_become_markdown():
    by_heading = {s.heading: s.text for s in sections(leaflets() / "pdf" / "nl-staaroperatie.pdf")}
    assert "- Zwem de eerste 2 weken niet.\n- Til" in by_heading["Leefregels na een staaroperatie"]
    assert "| Week | Middel | Hoe vaak |\n| --- | --- | --- |\n| 1 | Dexamethason |" in by_heading["Druppelschema"]


Typeset = Callable[..., Any]


@pytest.fixture
def typeset_lines(tmp_path: Path) -> Typeset:
    """Writes lines (text, size, bold) below each other into a PDF and returns the file; None starts a page."""

    def typeset(*lines: tuple[str, float, bool] | None) -> Path:
        page = fpdf.FPDF()
        page.set_margins(20, 20)
        page.add_page()
        for line in lines:
            if line is None:
                page.add_page()
                continue
            text, size, bold = line
            page.set_font("Helvetica", "B" if bold else "", size)
            page.multi_cell(0, 0.5 * size, text, align="L", new_x="LMARGIN", new_y="NEXT")
            page.ln(2)
        page.output(str(tmp_path / "typeset.pdf"))
        return tmp_path / "typeset.pdf"

    return typeset


def test_a_paragraph_in_large_type_is_text(typeset_lines):
    """Appendix A, step 4: its lines are no headings, so that it belongs to the section before."""
    path = typeset_lines(
        ("Titel", 20, True), (SENTENCE * 2, 10, False), (SENTENCE * 6, 13, False), (SENTENCE * 6, 10, False)
    )
    (only,) = sections(path)
    assert only.heading == "Titel"
    assert only.text.count("legt u uit") == 14


def test_a_heading_of_two_lines_is_one(typeset_lines):
    long = "Wat u moet weten voordat u naar het ziekenhuis komt voor een onderzoek van uw maag en darmen"
    path = typeset_lines((long, 18, True), (SENTENCE * 3, 10, False))
    assert [s.heading for s in sections(path)] == [long]


def test_a_bold_line_in_the_texts_size_is_a_heading_and_a_bold_word_is_not(typeset_lines):
    path = typeset_lines(
        ("Titel", 20, True),
        (SENTENCE * 3, 10, False),
        ("Voorbereiding", 10, True),
        (SENTENCE * 3, 10, False),
        ("Let op.", 10, True),
        (SENTENCE, 10, False),
    )
    assert [s.heading for s in sections(path)] == ["Titel", "Voorbereiding"]


def test_a_sentence_goes_on_over_the_page(typeset_lines):
    path = typeset_lines(
        ("Titel", 20, True), ("Een zin die op de eerste bladzijde", 10, False), None, ("begint.", 10, False)
    )
    (only,) = sections(path)
    assert (only.text, only.page, only.last_page) == ("Een zin die op de eerste bladzijde begint.", 1, 2)


@pytest.mark.parametrize("date", ["11/29/26, 5:08 PM", "29-11-2026 17:08", "29.11.26, 17:08"])
def test_the_date_at_which_a_browser_printed_one_page_is_no_section(tmp_path, date):
    """Short paragraphs below large headings: the date's line is no further from the text than the lines are."""
    page = fpdf.FPDF(unit="pt")
    page.add_page()
    page.set_font("Helvetica", "", 8)
    page.text(24, 22, date)
    page.text(300, 22, "Afval in Lindenbeek")
    for number, heading in enumerate(("Ophaaldagen", "Grof vuil", "Milieustraat")):
        page.set_font("Helvetica", "B", 18)
        page.text(34, 55 + 70 * number, heading)
        page.set_font("Helvetica", "", 12)
        page.text(34, 90 + 70 * number, SENTENCE)
    page.output(str(tmp_path / "printed.pdf"))
    assert [s.heading for s in sections(tmp_path / "printed.pdf")] == ["Ophaaldagen", "Grof vuil", "Milieustraat"]


def test_a_table_of_contents_is_left_out(typeset_lines):
    entries = [(f"Hoofdstuk {n} {'. ' * 30}{n}", 10.0, False) for n in range(1, 5)]
    path = typeset_lines(
        ("Titel", 20, True),
        (SENTENCE, 10, False),
        ("Inhoud", 16, True),
        *entries,
        None,
        ("Hoofdstuk 1", 16, True),
        (SENTENCE, 10, False),
    )
    assert [s.heading for s in sections(path)] == ["Titel", "Hoofdstuk 1"]


def test_the_error_of_a_scan_names_the_remedy(tmp_path):
    page = fpdf.FPDF()
    page.add_page()
    page.output(str(tmp_path / "scan.pdf"))
    with pytest.raises(InputError, match="has no text, only images; run it through OCR"):
        pdf_blocks(tmp_path / "scan.pdf")
