"""Sets the bundled leaflets as PDF (needs fpdf2, of the extra `dev`).

    python benchmarks/leaflet_pdfs.py FOLDER

Every leaflet has a running header and numbered pages; those in two columns, and those whose sections go on over a page,
are there to try the reading of PDF on.
"""

import argparse
import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import checkout  # noqa: F401

from assay.generation.documents.block import Block
from assay.generation.documents.markdown import markdown_blocks
from assay.generation.leaflets import leaflets

_TWO_COLUMNS = ("nl-mri-scan", "nl-gipsverband", "en-childbirth")
_SMALL_PAGES = ("nl-knieprothese", "nl-parkeren-en-route", "en-medical-records")
_BODY, _HEADING, _TITLE = 10, 12.5, 20


def write_pdfs(target: Path) -> None:
    """Writes one PDF per leaflet into a folder; the same bytes each time."""
    target.mkdir(exist_ok=True)
    for path in sorted(leaflets().glob("*.md")):
        typeset(markdown_blocks(path), path.stem).output(str(target / f"{path.stem}.pdf"))


def typeset(blocks: Sequence[Block], name: str) -> Any:
    """A leaflet as an fpdf2 document."""
    from fpdf import FPDF

    class Leaflet(FPDF):  # type: ignore[misc]
        """A page with the hospital's name above and its number below."""

        def header(self) -> None:
            """The running header."""
            self.set_font("Helvetica", size=8)
            self.cell(0, 5, "Ziekenhuis De Linde", align="R", new_x="LMARGIN", new_y="NEXT")
            self.ln(4)

        def footer(self) -> None:
            """The running footer."""
            self.set_y(-12)
            self.set_font("Helvetica", size=8)
            self.cell(0, 5, f"{name} - pagina {self.page_no()} van {{nb}}", align="C")

    page = Leaflet(format=(148, 210) if name in _SMALL_PAGES else "A4")
    page.set_creation_date(datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC))
    page.set_margins(18, 14)
    page.set_auto_page_break(True, margin=18)
    page.add_page()
    title, *rest = blocks
    page.set_font("Helvetica", "B", _TITLE)
    page.multi_cell(0, 9, title.text, new_x="LMARGIN", new_y="NEXT")
    page.ln(3)
    if name in _TWO_COLUMNS:
        with page.text_columns(ncols=2, gutter=8, text_align="L") as columns:
            for block in rest:
                _in_column(page, columns, block)
    else:
        for block in rest:
            _across(page, block)
    return page


def _in_column(page: Any, columns: Any, block: Block) -> None:
    bold = block.kind == "heading"
    page.set_font("Helvetica", "B" if bold else "", _HEADING if bold else _BODY)
    for line in _lines(block):
        with columns.paragraph(top_margin=3 if bold else 0, bottom_margin=1.5) as paragraph:
            paragraph.write(line)


def _across(page: Any, block: Block) -> None:
    if block.kind == "table":
        page.set_font("Helvetica", size=_BODY)
        rows = [[cell.strip() for cell in row.strip("| ").split("|")] for row in block.text.splitlines()]
        with page.table(width=100, align="LEFT", line_height=6) as table:
            for row in [rows[0], *rows[2:]]:
                table.row(row)
        page.ln(3)
        return
    if block.kind == "heading":
        page.ln(3)
        page.set_font("Helvetica", "B", _HEADING)
        page.multi_cell(0, 7, block.text, new_x="LMARGIN", new_y="NEXT")
        return
    page.set_font("Helvetica", size=_BODY)
    for line in _lines(block):
        page.multi_cell(0, 5, line, align="L", new_x="LMARGIN", new_y="NEXT")
    page.ln(2)


def _lines(block: Block) -> list[str]:
    """A paragraph's text, or a list's items with a bullet that the font has."""
    if not block.text.startswith("- "):
        return [" ".join(block.text.split())]
    return [f"\u00b7 {line.removeprefix('- ')}" for line in block.text.splitlines()]


def main() -> None:
    """Writes the PDFs into the folder on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="generation/leaflets/pdf holds the bundled ones")
    write_pdfs(parser.parse_args().folder)


if __name__ == "__main__":
    main()
