"""What pdfplumber reads on a page: fragments of text with their place, size and style, and tables with ruled lines."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

from .block import markdown_table

_BOLD = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
_MONOSPACE = re.compile(r"mono|courier|consol|typewriter|cmtt", re.IGNORECASE)
_NO_LETTER = re.compile(r"\(cid:\d+\)")  # a sign of a font that does not say which letter it is
_SPACE = 0.15  # times the type's size; a wider gap parts two words
_WIDE_GAP = 1.5  # a wider gap is no space between words
_NEARLY_ALL = 0.9  # of the characters: one bold word at the start does not make a bold line
_CELLS_WITH_TEXT = 0.5


@dataclass(frozen=True, slots=True)
class Fragment:
    """Characters on one line without a wide gap. Lengths are in points. Frozen."""

    text: str
    page: int  # the page, from 1
    left: float
    right: float
    baseline: float
    size: float
    bold: bool = False
    monospace: bool = False  # whether nearly all of them are of a font of equal widths

    def join(self, other: "Fragment", separator: str) -> "Fragment":
        """Joins this fragment with one to its right.

        Returns:
            A fragment with the size of the longer one, bold where both are. A mark of one or two characters (a
            bullet, an icon) takes the other's style.
        """
        shorter, longer = sorted((self, other), key=lambda fragment: len(fragment.text))
        is_mark = len(shorter.text) <= 2
        return replace(
            longer,
            text=f"{self.text}{separator}{other.text}",
            left=min(self.left, other.left),
            right=max(self.right, other.right),
            baseline=self.baseline,
            bold=longer.bold and (is_mark or shorter.bold),
            monospace=longer.monospace and (is_mark or shorter.monospace),
        )


class RuledTable(NamedTuple):
    """A table with ruled lines as Markdown, and its edges in points from the page's left and top."""

    markdown: str
    left: float
    top: float
    right: float
    bottom: float

    def contains(self, fragment: Fragment) -> bool:
        """Returns whether a fragment is inside."""
        middle = (fragment.left + fragment.right) / 2
        return self.left <= middle <= self.right and self.top <= fragment.baseline <= self.bottom + 1


def read_fragments(page: Any) -> list[Fragment]:
    """Reads the fragments of a page, in the order of the file's text."""
    words = page.extract_words(
        x_tolerance_ratio=_SPACE, use_text_flow=True, extra_attrs=["fontname"], return_chars=True
    )
    return [_fragment(run, page) for run in _runs(words)]


def find_ruled_tables(page: Any) -> list[RuledTable]:
    """Finds the tables of two or more rows and columns with ruled lines on a page, from top to bottom."""
    tables = []
    for table in page.find_tables():
        rows = [[cell or "" for cell in row] for row in table.extract()]
        rows = [row for row in rows if any(row)]
        cells = [cell for row in rows for cell in row]
        if len(rows) > 1 and max(map(len, rows)) > 1 and sum(map(bool, cells)) >= _CELLS_WITH_TEXT * len(cells):
            tables.append(RuledTable(_readable(markdown_table(rows)), *table.bbox))
    return sorted(tables, key=lambda table: table.top)


def _runs(words: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Puts words on one line without a wide gap between them together."""
    run: list[dict[str, Any]] = []
    for word in words:
        if run:
            size = run[-1]["chars"][-1]["size"]
            gap = word["x0"] - run[-1]["x1"]
            is_on_line = abs(_baseline(word) - _baseline(run[-1])) <= 0.3 * size
            if not is_on_line or not -size <= gap <= _WIDE_GAP * size:
                yield run
                run = []
        run.append(word)
    if run:
        yield run


def _baseline(word: dict[str, Any]) -> float:
    """Where a word stands, upwards from the page's bottom."""
    return float(word["chars"][0]["matrix"][5])


def _fragment(run: list[dict[str, Any]], page: Any) -> Fragment:
    characters = [character for word in run for character in word["chars"]]
    text = run[0]["text"]
    for before, word in pairwise(run):
        is_apart = word["x0"] - before["x1"] > 0.5 * _SPACE * before["chars"][-1]["size"]
        text += " " * (is_apart or before["chars"][-1]["fontname"] == word["fontname"]) + word["text"]
    bold = sum(_BOLD.search(character["fontname"]) is not None for character in characters)
    monospace = sum(_MONOSPACE.search(character["fontname"]) is not None for character in characters)
    return Fragment(
        _readable(text),
        page.page_number,
        run[0]["x0"],
        run[-1]["x1"],
        page.height - _baseline(run[0]),
        Counter(round(character["size"], 1) for character in characters).most_common(1)[0][0],
        bold > _NEARLY_ALL * len(characters),
        monospace > _NEARLY_ALL * len(characters),
    )


def _readable(text: str) -> str:
    return _NO_LETTER.sub("\ufffd", text)
