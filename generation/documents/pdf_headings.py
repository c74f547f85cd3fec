"""Which lines of a PDF are headings, told by size, style and spacing (Appendix A of the Twente paper)."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from .pdf_fragments import Fragment

# "written in a larger-than-average font": beyond what rounding and small differences of families make
_LARGER = 1.07
# Headings are short: what is longer is a paragraph in large or bold type
_LINES = 3
_CHARACTERS = 220
_LINES_OF_BOLD_TITLES = 5
_CHARACTERS_OF_BOLD_TITLES = 330
_BOLD_CHARACTERS = 110
_NEXT_LINE = 1.65
_LETTERS = re.compile(r"[^\W\d_]{2}|[^\W\d_]\b.*[^\W\d_]")
_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}|(?:·\s?){4,}")
# An entry of a table of contents without dots: a chapter's
_ENTRY = re.compile(r"[^\W\d_].*\s(?:\d{1,3}|[ivxl]+)$")
_FEWEST_ENTRIES = 3
_SENTENCE_END = re.compile(r"[.;,!]$|[.;,]\W$")


class Style(NamedTuple):
    """What a heading's level is told by."""

    size: float
    bold: bool


class Line(NamedTuple):
    """A row of a page in reading order; `gap` is the distance in points to the line before it in its column."""

    text: str
    page: int
    left: float
    right: float
    baseline: float
    size: float
    bold: bool
    monospace: bool
    gap: float | None
    cells: tuple[Fragment, ...]

    @property
    def style(self) -> Style:
        """Size (in half points) and weight."""
        return Style(round(self.size * 2) / 2, self.bold)


def body_size(lines: Sequence[Line]) -> float:
    """The size in points in which most characters of the document are set."""
    sizes = Counter[float]()
    for line in lines:
        sizes[line.style.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def usual_gap(lines: Sequence[Line], body: float) -> float:
    """The most frequent distance in points from line to line in the body's size; spaces between paragraphs aside."""
    gaps = [line.gap for line in lines if line.gap and abs(line.size - body) < 1]
    near = [gap for gap in gaps if gap <= _NEXT_LINE * body] or gaps
    return Counter(round(gap) for gap in near).most_common(1)[0][0] if near else 1.2 * body


def contents(lines: Sequence[Line]) -> set[int]:
    """The indexes of a table of contents' lines: dots that lead to page numbers, what is between, and its heading."""
    found = [index for index, line in enumerate(lines) if _LEADERS.search(line.text)]
    listed: set[int] = set()
    for page in {lines[index].page for index in found}:
        here = [index for index in found if lines[index].page == page]
        if len(here) < _FEWEST_ENTRIES:
            continue
        first, last = here[0], here[-1]
        while first > 0 and lines[first - 1].page == page and _ENTRY.search(lines[first - 1].text):
            first -= 1
        while last + 1 < len(lines) and lines[last + 1].page == page and _ENTRY.search(lines[last + 1].text):
            last += 1
        if first > 0 and lines[first - 1].page == page and lines[first - 1].size > 1.07 * lines[here[0]].size:
            first -= 1
        listed |= set(range(first, last + 1))
    return listed


def headings(lines: Sequence[Line]) -> dict[int, int]:
    """Index of each heading's first line -> number of its lines.

    A run of lines in one large size is one heading; a run that is longer than headings are is a paragraph in large
    type, and its lines stay text.
    """
    body = body_size(lines)
    gap = usual_gap(lines, body)
    found: dict[int, int] = {}
    index = 0
    while index < len(lines):
        end = index + 1
        if _may_be_heading(lines[index], body):
            while end < len(lines) and _goes_on(lines[end - 1], lines[end]):
                end += 1
            run = lines[index:end]
            following = lines[end] if end < len(lines) else None
            if _is_short(run, body) and (_is_large(run[0], body) or _stands_alone(run, following, gap)):
                found[index] = end - index
        index = end
    return found


def levels(lines: Sequence[Line], found: dict[int, int]) -> dict[Style, int]:
    """The level (from 1) of each heading's style: larger before smaller, bold before light."""
    styles = sorted({lines[index].style for index in found}, reverse=True)
    return {style: place for place, style in enumerate(styles, 1)}


def _far_larger(line: Line, body: float) -> bool:
    return line.size > 1.35 * body


def _may_be_heading(line: Line, body: float) -> bool:
    if line.monospace or len(line.cells) > 1 or not _LETTERS.search(line.text) or _LEADERS.search(line.text):
        return False
    return _is_large(line, body) or (line.bold and line.size >= 0.95 * body)


def _is_large(line: Line, body: float) -> bool:
    return line.size > _LARGER * body


def _goes_on(line: Line, following: Line) -> bool:
    """Whether the following line is of the same heading: its style, and at the distance of a next line."""
    return (
        following.style == line.style
        and following.page == line.page
        and len(following.cells) == 1
        and following.gap is not None
        and following.gap <= _NEXT_LINE * line.size
    )


def _is_short(run: Sequence[Line], body: float) -> bool:
    text = " ".join(line.text for line in run)
    most, lines = (_CHARACTERS if _is_large(run[0], body) else _BOLD_CHARACTERS), _LINES
    if run[0].bold and _far_larger(run[0], body):
        most, lines = _CHARACTERS_OF_BOLD_TITLES, _LINES_OF_BOLD_TITLES
    if len(text) > most or len(run) > lines:
        return False
    # a sentence that is hardly larger than the rest is a note; a title may end with an exclamation mark
    return not _SENTENCE_END.search(text) or _far_larger(run[0], body)


def _stands_alone(run: Sequence[Line], following: Line | None, gap: float) -> bool:
    """Whether bold lines in the body's size are apart from what precedes, with text that is not bold below."""
    before = run[0].gap
    return (before is None or before > 1.15 * gap) and following is not None and following.style != run[0].style
