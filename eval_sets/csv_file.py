"""Rows from CSV and its relatives: encoding and delimiter are found out, quoted line breaks are read; its writer."""

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from ..errors import InputError
from ..text.wording import count_of
from .column_table import usual_name
from .logs.test_runs import promptfoo_cure
from .rows import (
    MOST_COLUMNS,
    MOST_TITLES,
    BadRow,
    Repeatable,
    Row,
    Rows,
    explain_header,
    find_header,
    repeated_name,
)
from .text_lines import encoding_note, find_encoding, read_lines

DELIMITERS = (",", ";", "\t", "|")
_SEP_LINE = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # Excel's own way to name the delimiter
# csv's limit of 131,072 characters per cell would refuse a long answer; it can only be lifted for the whole process
_LONGEST_CELL = 2**30


# a spreadsheet takes a cell that begins so for a formula, and may run it; an apostrophe before it makes it text
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


def open_csv(path: Path, name: str, known: Collection[str], header_row: int | None = None) -> Rows:
    """Opens a delimited file, streamed. The first row names the columns, or the one that is found or said to."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    records = _Records(path, name, known)
    before, columns = records.header(header_row)
    line = before[-1] if before else 0
    notes = [*encoding_note(name, records.encoding)]
    if len(before) > 1:
        notes.append(f"{name}: line {line} names the columns; {count_of(len(before) - 1, 'line')} above it left out")
    return Rows(
        name,
        path.stem,
        Repeatable(lambda: _rows(records, columns, name, len(before))),
        columns,
        textual=True,
        notes=tuple(notes),
        header=explain_header(f"line {line}", columns, known) if header_row is None else "",
    )


def find_delimiter(lines: Sequence[str], known: Collection[str]) -> str:
    """Finds the delimiter under which the header gives most known names, then most names.

    The header is the first line, or below a title the first with two known names.

    Examples:
        >>> find_delimiter(["Ratings, of March", "question;answer, short;rating"], {"question", "rating"})
        ';'
    """

    def count_names(delimiter: str) -> tuple[int, int]:
        rows = [next(csv.reader([line], delimiter=delimiter), []) for line in lines]
        cells = rows[find_header(rows, known)]
        return sum(cell.strip() in known or usual_name(cell) in known for cell in cells), len(cells)

    return max(DELIMITERS, key=count_names)


class _Records:
    """The records of one file: each with the line on which it begins. The first is the header."""

    def __init__(self, path: Path, name: str, known: Collection[str]) -> None:
        self.path, self.name, self.known = path, name, known
        self.encoding = find_encoding(path)
        self.delimiter = ","
        self._line = 0
        self._wanted: int | None = None  # the line that the user says names the columns
        self._records = Repeatable(self._read)

    def header(self, wanted: int | None) -> tuple[list[int], tuple[str, ...]]:
        """Returns the lines up to the header, and the names of the columns; one without a name is `column <place>`."""
        self._wanted = wanted
        head = list(islice(self, max(MOST_TITLES, wanted or 0)))
        if not head:
            raise InputError(f"{self.name}: the file is empty; its first line should name the columns")
        if wanted == 0:
            return [], tuple(f"column {place}" for place in range(1, max(len(cells) for _, cells, _ in head) + 1))
        if wanted is not None:
            lines = [line for line, _, _ in head if line < wanted]
            number = len(lines)
            if number == len(head) or head[number][0] != wanted:
                raise InputError(f"{self.name}: line {wanted} is empty, or inside a row; name the line of the columns")
        else:
            number = find_header([cells for _, cells, _ in head], self.known)
        line, cells, error = head[number]
        if error:
            raise InputError(f"{self.name}, line {line}: the header cannot be read: {error}")
        columns = tuple(cell.strip() or f"column {place}" for place, cell in enumerate(cells, 1))
        if len(columns) > MOST_COLUMNS:
            raise InputError(
                f"{self.name}, line {line}: has more than {MOST_COLUMNS:,} columns; leave out those that are not read"
            )
        if (column := repeated_name(columns)) is not None:
            cure = promptfoo_cure(columns) or "rename one of them"
            raise InputError(f"{self.name}, line {line}: the column `{column}` stands twice; {cure}")
        return [above for above, _, _ in head[: number + 1]], columns

    def __iter__(self) -> Iterator[tuple[int, list[str], str | None]]:
        return iter(self._records)

    def _read(self) -> Iterator[tuple[int, list[str], str | None]]:
        """(line, cells, None), or (line, [], what is wrong) for a record that cannot be parsed."""
        lines = self._lines()
        separator = None
        first = ""
        for first in lines:
            if match := _SEP_LINE.fullmatch(first):
                separator = match[1]
            elif first.strip():
                break
        else:
            return
        first_line = self._line
        wanted = self._wanted or 0
        head = [first, *islice(lines, max(MOST_TITLES, wanted))]
        named = head[wanted - first_line :][:1] if wanted >= first_line else []
        self.delimiter = separator or find_delimiter(named or head[: 1 if self._wanted == 0 else None], self.known)
        yield from self._parse(chain(head, lines), first_line - 1)

    def _parse(self, lines: Iterator[str], before: int) -> Iterator[tuple[int, list[str], str | None]]:
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        while True:
            first_line = before + reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                if "unexpected end" in str(error):
                    raise InputError(
                        f"{self.name}, line {first_line}: a quote opened in this row is never closed, so that the rest "
                        'of the file is taken for one cell; close it, and write a quote inside a cell as ""'
                    ) from None
                yield first_line, [], str(error)
                continue
            if any(cells):
                yield first_line, cells, None

    def _lines(self) -> Iterator[str]:
        for line in read_lines(self.path, self.name, self.encoding):
            self._line = line.number
            if line.error:
                raise line.error
            yield line.text


def _rows(records: _Records, columns: tuple[str, ...], name: str, first: int) -> Iterator[Row | BadRow]:
    for number, (line, cells, error) in enumerate(islice(records, first, None), 1):
        text = "".join(cells)  # one look at all cells is faster than one at each
        problem = error or _row_problem(cells, columns, records.delimiter, has_nul="\0" in text)
        if problem:
            yield BadRow(number, InputError(f"{name}, line {line}: {problem}"))
        else:
            plain = map(unescape_formula, cells) if "'" in text else cells
            yield Row(number, f"line {line}", dict(zip(columns, plain, strict=False)))


def _row_problem(cells: list[str], columns: tuple[str, ...], delimiter: str, *, has_nul: bool) -> str | None:
    if len(cells) < len(columns) or any(cells[len(columns) :]):
        return (
            f"the row has {count_of(len(cells), 'cell')}, the header {len(columns)}; put quotes around a cell that "
            "holds the "
            f"delimiter {delimiter!r} or a line break"
        )
    if has_nul:
        column = next((column for column, cell in zip(columns, cells, strict=False) if "\0" in cell), columns[-1])
        return f"field {column}: the cell holds a NUL byte; remove it, or find out what wrote it"
    return None


def escape_formula(text: str) -> str:
    """Returns a text as it is safe in a cell; a number stays a number.

    Example:
        >>> [escape_formula(text) for text in ("=1+1", "-0.5", "- no", "'=1", "a=b")]
        ["'=1+1", '-0.5', "'- no", "''=1", 'a=b']
    """
    return f"'{text}" if _FORMULA.match(text) and not _PLAIN_NUMBER.fullmatch(text) else text


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
