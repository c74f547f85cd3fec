"""Which lines of a PDF are headings, by size, style and spacing (Appendix A of the Twente paper)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .pdf_page import Fragment

# "written in a larger-than-average font": beyond what rounding and small differences of families make
_LARGER = 1.07
# Headings are short: longer ones are paragraphs in large or bold type
_LINES = 3
_CHARACTERS = 220
_LINES_OF_BOLD_TITLES = 5
_CHARACTERS_OF_BOLD_TITLES = 330
_BOLD_CHARACTERS = 110
_NEXT_LINE = 1.65
_LETTERS = re.compile(r"[^\W\d_]{2}|[^\W\d_]\b.*[^\W\d_]")
_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}|(?:·\s?){4,}")
# An entry of a table of contents without dots, such as a chapter's
_ENTRY = re.compile(r"[^\W\d_].*\s(?:\d{1,3}|[ivxl]+)$")
_FEWEST_ENTRIES = 3
_SENTENCE_END = re.compile(r"[.;,!]$|[.;,]\W$")


class Style(NamedTuple):
    """The size (in half points) and weight of a line, which decide a heading's level."""

    size: float
    bold: bool


class PdfLine(NamedTuple):
    """A row of a page in reading order. Lengths are in points."""

    text: str
    page: int  # the page, from 1
    left: float
    right: float
    baseline: float
    size: float
    bold: bool
    monospace: bool
    gap: float | None  # the distance to the line before it in its column; None for a column's first line
    cells: tuple[Fragment, ...]

    @property
    def style(self) -> Style:
        """Size (in half points) and weight."""
        return Style(round(self.size * 2) / 2, self.bold)


def body_size(lines: Sequence[PdfLine]) -> float:
    """Returns the size in points of most of the document's characters; 0 without lines."""
    sizes = Counter[float]()
    for line in lines:
        sizes[line.style.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def usual_gap(lines: Sequence[PdfLine], body: float) -> float:
    """Returns the most frequent distance in points between lines of a paragraph.

    Returns:
        The distance; 1.2 times the body's size where no lines follow each other.
    """
    gaps = [line.gap for line in lines if line.gap and abs(line.size - body) < 1]
    near = [gap for gap in gaps if gap <= _NEXT_LINE * body] or gaps
    return Counter(round(gap) for gap in near).most_common(1)[0][0] if near else 1.2 * body


def find_contents(lines: Sequence[PdfLine]) -> set[int]:
    """Finds the lines of tables of contents: dots that lead to page numbers, the lines between, and the heading."""
    leaders = [index for index, line in enumerate(lines) if _LEADERS.search(line.text)]
    contents: set[int] = set()
    for page in {lines[index].page for index in leaders}:
        entries = [index for index in leaders if lines[index].page == page]
        if len(entries) < _FEWEST_ENTRIES:
            continue
        first, last = entries[0], entries[-1]
        while first > 0 and lines[first - 1].page == page and _ENTRY.search(lines[first - 1].text):
            first -= 1
        while last + 1 < len(lines) and lines[last + 1].page == page and _ENTRY.search(lines[last + 1].text):
            last += 1
        if first > 0 and lines[first - 1].page == page and lines[first - 1].size > 1.07 * lines[entries[0]].size:
            first -= 1
        contents |= set(range(first, last + 1))
    return contents


def find_headings(lines: Sequence[PdfLine]) -> dict[int, int]:
    """Finds the headings.

    Consecutive lines in one large size are one heading; more lines than a heading has are a paragraph in large type.

    Returns:
        The number of lines of each heading, by the index of its first line.
    """
    body = body_size(lines)
    gap = usual_gap(lines, body)
    headings: dict[int, int] = {}
    index = 0
    while index < len(lines):
        end = index + 1
        if _may_be_heading(lines[index], body):
            while end < len(lines) and _continues(lines[end - 1], lines[end]):
                end += 1
            run = lines[index:end]
            following = lines[end] if end < len(lines) else None
            if _is_short(run, body) and (_is_large(run[0], body) or _is_set_apart(run, following, gap)):
                headings[index] = end - index
        index = end
    return headings


def heading_levels(lines: Sequence[PdfLine], headings: Iterable[int]) -> dict[Style, int]:
    """Returns the level of each style: larger ones are above smaller ones, bold ones above light ones."""
    styles = sorted({lines[index].style for index in headings}, reverse=True)
    return {style: place for place, style in enumerate(styles, 1)}


def _far_larger(line: PdfLine, body: float) -> bool:
    return line.size > 1.35 * body


def _may_be_heading(line: PdfLine, body: float) -> bool:
    if line.monospace or len(line.cells) > 1 or not _LETTERS.search(line.text) or _LEADERS.search(line.text):
        return False
    return _is_large(line, body) or (line.bold and line.size >= 0.95 * body)


def _is_large(line: PdfLine, body: float) -> bool:
    return line.size > _LARGER * body


def _continues(line: PdfLine, following: PdfLine) -> bool:
    """Returns whether the next line belongs to the same heading: the same style, as near as lines of a heading are."""
    return (
        following.style == line.style
        and following.page == line.page
        and len(following.cells) == 1
        and following.gap is not None
        and following.gap <= _NEXT_LINE * line.size
    )


def _is_short(run: Sequence[PdfLine], body: float) -> bool:
    text = " ".join(line.text for line in run)
    most, lines = (_CHARACTERS if _is_large(run[0], body) else _BOLD_CHARACTERS), _LINES
    if run[0].bold and _far_larger(run[0], body):
        most, lines = _CHARACTERS_OF_BOLD_TITLES, _LINES_OF_BOLD_TITLES
    if len(text) > most or len(run) > lines:
        return False
    # a sentence that is hardly larger than the rest is a note; only a title may end as a sentence does
    return not _SENTENCE_END.search(text) or _far_larger(run[0], body)


def _is_set_apart(run: Sequence[PdfLine], following: PdfLine | None, gap: float) -> bool:
    """Returns whether bold lines in the body's size have space above and text below that is not bold."""
    before = run[0].gap
    return (before is None or before > 1.15 * gap) and following is not None and following.style != run[0].style
