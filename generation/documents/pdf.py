"""PDF as blocks: headings by type and spacing, paragraphs, lists and tables, across columns and pages."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...errors import InputError
from .block import Block, markdown_table
from .pdf_headings import PdfLine, body_size, find_contents, find_headings, heading_levels, usual_gap
from .pdf_margins import remove_margins
from .pdf_order import find_gutters, order_rows
from .pdf_page import Fragment, RuledTable, find_ruled_tables, read_fragments

_BULLET = re.compile(r"([•●▪■◦○‣∙·►▶➢✓✔\uf0b7\uf0a7\uf0d8\u2043\u2212–-]|o(?=\s))\s+")
_HYPHENATED = re.compile(r"\w[-\xad\u2010]$")
_NUMBERED = re.compile(r"\(?(?:\d{1,2}|[a-z])[.)]\s+\S")


def pdf_blocks(path: Path) -> list[Block]:
    """Reads the blocks of a PDF with a text layer in reading order, across columns and pages; at least one."""
    from pdfminer.pdfexceptions import PDFException
    from pdfplumber import open as open_pdf
    from pdfplumber.utils.exceptions import PdfminerException

    try:
        with open_pdf(path) as document:
            lines, tables = _lines(document.pages)
    except (PDFException, PdfminerException, OSError) as error:
        raise InputError(
            f"{path}: cannot be read as PDF ({error}); open it in a viewer: it may be damaged or have a password"
        ) from error
    if not lines and not tables:
        raise InputError(f"{path}: has no text, only images; run it through OCR first (for example: ocrmypdf)")
    return list(_blocks(lines, tables))


def _lines(document_pages: Sequence[Any]) -> tuple[list[PdfLine], dict[int, list[tuple[int, RuledTable]]]]:
    """Returns all lines in reading order, and the ruled tables by the index of the line that they precede."""
    pages: dict[int, list[Fragment]] = {}
    heights: dict[int, float] = {}
    ruled: dict[int, list[RuledTable]] = {}
    for number, page in enumerate(document_pages, 1):
        heights[number] = page.height
        pages[number] = read_fragments(page)
        ruled[number] = find_ruled_tables(page)
        page.close()  # pdfplumber keeps what it has read of a page
    free = {
        number: [f for f in fragments if not any(table.contains(f) for table in ruled[number])]
        for number, fragments in remove_margins(pages, heights).items()
    }
    known = {gutter for fragments in free.values() for gutter in find_gutters(fragments)}
    lines: list[PdfLine] = []
    tables: dict[int, list[tuple[int, RuledTable]]] = {}
    for number, fragments in free.items():
        waiting = list(ruled[number])
        for line in _page_lines(order_rows(fragments, known)):
            while waiting and line.baseline > waiting[0].top and line.left < waiting[0].right:
                tables.setdefault(len(lines), []).append((number, waiting.pop(0)))
            lines.append(line)
        for table in waiting:
            tables.setdefault(len(lines), []).append((number, table))
    return lines, tables


def _page_lines(rows: Sequence[Sequence[Fragment]]) -> Iterator[PdfLine]:
    before: Fragment | None = None
    for row in rows:
        longest = max(row, key=lambda fragment: len(fragment.text))
        gap = None if before is None else row[0].baseline - before.baseline
        yield PdfLine(
            " ".join(fragment.text for fragment in row),
            row[0].page,
            row[0].left,
            row[-1].right,
            row[0].baseline,
            longest.size,
            longest.bold,
            longest.monospace,
            gap if gap is None or gap > 0 else None,
            tuple(row),
        )
        before = row[0]


def _blocks(lines: Sequence[PdfLine], tables: dict[int, list[tuple[int, RuledTable]]]) -> Iterator[Block]:
    headings = find_headings(lines)
    contents = find_contents(lines)
    level = heading_levels(lines, [index for index in headings if index not in contents])
    gap = usual_gap(lines, body_size(lines))
    paragraph: list[PdfLine] = []
    index = 0
    while index <= len(lines):
        for page, table in tables.get(index, ()):
            yield from _text(paragraph)
            paragraph = []
            yield Block("table", table.markdown, page=page)
        if index == len(lines):
            break
        line, count = lines[index], headings.get(index, 0)
        if index in contents:
            count = 1
        elif count:
            yield from _text(paragraph)
            paragraph = []
            run = lines[index : index + count]
            yield Block("heading", _join_lines(run, "\n" if line.monospace else " "), level[line.style], line.page)
        else:
            if paragraph and _starts_block(paragraph[-1], line, gap):
                yield from _text(paragraph)
                paragraph = []
            paragraph.append(line)
        index += count or 1
    yield from _text(paragraph)


def _starts_block(before: PdfLine, line: PdfLine, gap: float) -> bool:
    """Returns whether a line starts a new paragraph, item or table."""
    if (len(before.cells) > 1) != (len(line.cells) > 1) or before.monospace != line.monospace:
        return True
    if _BULLET.match(line.text) or _NUMBERED.match(line.text):
        return True
    if line.gap is None:  # the next column or page: a sentence without an end goes on
        return bool(re.search(r"[.!?:;]\W?$", before.text))
    return line.gap > 1.35 * max(gap, 1.15 * line.size) or abs(before.size - line.size) > 0.15 * line.size


def _text(lines: Sequence[PdfLine]) -> Iterator[Block]:
    if not lines:
        return
    pages = lines[0].page, lines[-1].page
    if len(lines) > 1 and _is_aligned(lines):
        yield Block("table", markdown_table([[_plain(cell.text) for cell in line.cells] for line in lines]), 0, *pages)
    elif lines[0].monospace:
        yield Block("paragraph", _join_lines(lines, "\n"), 0, *pages)
    elif bullet := _BULLET.match(lines[0].text):
        yield Block("item", "- " + _join_lines(lines, " ")[bullet.end() :], 0, *pages)
    else:
        text = _join_lines(lines, "\n" if len(lines[0].cells) > 1 else " ")
        yield Block("item" if _NUMBERED.match(text) else "paragraph", text, 0, *pages)


def _is_aligned(lines: Sequence[PdfLine]) -> bool:
    """Returns whether the cells of the rows are below each other: a table without ruled lines."""
    first = lines[0].cells
    return len(first) > 1 and all(
        len(line.cells) == len(first)
        and all(
            abs(cell.left - above.left) < 4 or abs(cell.right - above.right) < 4
            for cell, above in zip(line.cells, first, strict=True)
        )
        for line in lines
    )


def _join_lines(lines: Sequence[PdfLine], separator: str) -> str:
    text = lines[0].text
    for line in lines[1:]:
        if _HYPHENATED.search(text):
            # "stap-voor-" keeps its hyphen, since the word has one already
            last = text.split()[-1]
            text = text[:-1] + ("-" if "-" in last[:-1] or not line.text[:1].islower() else "") + line.text
        else:
            text += separator + line.text
    return _plain(text)


def _plain(text: str) -> str:
    return text.replace("\xa0", " ").replace("\xad", "")
