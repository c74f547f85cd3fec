"""Rows from CSV and its relatives: the delimiter is found out, quoted line breaks and a byte order mark are read."""

import csv
import re
from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import Path

from ..errors import InputError
from .csv_cells import unescape_formula
from .rows import BadRow, Row, Rows
from .text_lines import decode_line, read_raw_lines

DELIMITERS = (",", ";", "\t", "|")
_SEP_LINE = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # Excel's own way to name the delimiter
# csv's limit of 131,072 characters a cell would refuse a long answer; it can only be lifted for the whole process
_LONGEST_CELL = 2**30


def open_csv(path: Path, name: str, known: Collection[str]) -> Rows:
    """The rows of a delimited file, streamed. `known` column names help to tell the delimiter.

    Raises `InputError` when the file is empty, is not UTF-8, or its header names a column twice.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    records = _Records(path, name, known)
    columns = records.header()
    return Rows(name, path.stem, _rows(records, columns, name), columns, textual=True)


def find_delimiter(header: str, known: Collection[str]) -> str:
    """The delimiter under which a header line gives most known names, then most names."""

    def found(delimiter: str) -> tuple[int, int]:
        cells = next(csv.reader([header], delimiter=delimiter), [])
        return sum(cell.strip() in known for cell in cells), len(cells)

    return max(DELIMITERS, key=found)


class _Records:
    """The records of one file: each with the line on which it begins. The first is the header."""

    def __init__(self, path: Path, name: str, known: Collection[str]) -> None:
        self.path, self.name, self.known = path, name, known
        self.delimiter = ","
        self._line = 0

    def header(self) -> tuple[str, ...]:
        record = next(iter(self), None)
        if record is None:
            raise InputError(f"{self.name}: the file is empty; its first line should name the columns")
        line, cells, error = record
        if error:
            raise InputError(f"{self.name}, line {line}: the header cannot be read: {error}")
        columns = tuple(cell.strip() or f"column {place}" for place, cell in enumerate(cells, 1))
        for column in columns:
            if columns.count(column) > 1:
                raise InputError(f"{self.name}, line {line}: the column `{column}` stands twice; rename one of them")
        return columns

    def __iter__(self) -> Iterator[tuple[int, list[str], str | None]]:
        """(line, cells, None), or (line, [], what is wrong) for a record that cannot be taken apart."""
        lines = self._lines()
        named = None
        first = ""
        for first in lines:
            if match := _SEP_LINE.fullmatch(first):
                named = match[1]
            elif first.strip():
                break
        else:
            return
        self.delimiter = named or find_delimiter(first, self.known)
        yield from self._parsed(chain([first], lines))

    def _parsed(self, lines: Iterator[str]) -> Iterator[tuple[int, list[str], str | None]]:
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        before = self._line - 1
        while True:
            begins = before + reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                if "unexpected end" in str(error):
                    raise InputError(
                        f"{self.name}, line {begins}: a quote opened in this row is never closed, so that the rest of "
                        'the file is taken for one cell; close it, and write a quote inside a cell as ""'
                    ) from None
                yield begins, [], str(error)
                continue
            if any(cells):
                yield begins, cells, None

    def _lines(self) -> Iterator[str]:
        for number, raw in read_raw_lines(self.path, self.name):
            self._line = number
            yield decode_line(raw, f"{self.name}, line {number}", self.path)


def _rows(records: _Records, columns: tuple[str, ...], name: str) -> Iterator[Row | BadRow]:
    entries = iter(records)
    next(entries)
    for number, (line, cells, error) in enumerate(entries, 1):
        wrong = error or _misshapen(cells, columns, records.delimiter)
        if wrong:
            yield BadRow(number, InputError(f"{name}, line {line}: {wrong}"))
        else:
            yield Row(number, f"line {line}", dict(zip(columns, map(unescape_formula, cells), strict=False)))


def _misshapen(cells: list[str], columns: tuple[str, ...], delimiter: str) -> str | None:
    if len(cells) < len(columns) or any(cells[len(columns) :]):
        return (
            f"the row has {len(cells)} cells, the header {len(columns)}; put quotes around a cell that holds the "
            f"delimiter {delimiter!r} or a line break"
        )
    for column, cell in zip(columns, cells, strict=False):
        if "\0" in cell:
            return f"field {column}: the cell holds a NUL byte; remove it, or find out what wrote it"
    return None
