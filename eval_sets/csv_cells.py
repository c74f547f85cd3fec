"""Cells of a CSV file that a spreadsheet opens as text, whatever they begin with.

A spreadsheet takes a cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return for a formula and may run
what is in it. An apostrophe before it makes it text; reading takes the apostrophe away again.
"""

import csv
import re
from collections.abc import Iterable
from typing import IO, Any

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


def escape_formula(text: str) -> str:
    """Returns a text as it is safe in a cell; a number stays a number.

    Example:
        >>> [escape_formula(text) for text in ("=1+1", "-0.5", "- no", "'=1", "a=b")]
        ["'=1+1", '-0.5', "'- no", "''=1", 'a=b']
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unescape_formula(cell: str) -> str:
    """Returns the text that `escape_formula` made a cell of; any other cell as it is.

    Example:
        >>> [unescape_formula(cell) for cell in ("'=1+1", "-0.5", "''=1", "'s avonds")]
        ['=1+1', '-0.5', "'=1", "'s avonds"]
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


class CsvWriter:
    """Writes the rows of every CSV file of this package: no text in them becomes a formula."""

    def __init__(self, file: IO[str]) -> None:
        self._writer = csv.writer(file)

    def write_row(self, cells: Iterable[Any]) -> None:
        """Writes one row; None is an empty cell."""
        self._writer.writerow(escape_formula(cell) if isinstance(cell, str) else cell for cell in cells)
