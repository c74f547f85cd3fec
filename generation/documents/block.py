"""What every format's reader returns: headings and the text between them, in reading order."""

from collections.abc import Sequence
from typing import Literal, NamedTuple


class Block(NamedTuple):
    """A heading, or a piece of text as Markdown."""

    kind: Literal["heading", "paragraph", "item", "table"]  # `heading`, or what the text is. Code is a paragraph.
    text: str  # the heading's words, or the Markdown
    level: int = 0  # A heading's level, from 1 (the outermost); 0 for text
    page: int | None = None  # the page on which the block starts, from 1; None where the format has no pages
    last_page: int | None = None  # the page on which it ends, where that is another


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    r"""Formats rows as a Markdown table whose head is the first row.

    Example:
        >>> print(markdown_table([["Week", "Visits"], ["1", "4 | 5"], ["2"]]))
        | Week | Visits |
        | --- | --- |
        | 1 | 4 \| 5 |
        | 2 |  |
    """
    width = max(len(row) for row in rows)
    filled = [[*row, *[""] * (width - len(row))] for row in rows]
    lines = [f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in row)} |" for row in filled]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])
