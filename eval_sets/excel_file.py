"""Rows from an Excel file: one sheet, whose first filled row names the columns."""

import re
from collections.abc import Collection, Iterator
from datetime import date, datetime, time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile, ZipInfo

from ..errors import InputError
from ..name_suggestions import nearest_names, quote_names
from ..regular_files import check_regular
from ..text.wording import count_of
from ..value_messages import shorten
from .number_rule import NumberText
from .rows import (
    MOST_COLUMNS,
    MOST_TITLES,
    Repeatable,
    Row,
    Rows,
    explain_header,
    find_header,
    repeated_name,
)

EXCEL_SUFFIXES = (".xlsx", ".xlsm")
_MOST_BYTES = 500_000_000  # of all parts of the file when unpacked
_MOST_CELLS = 20_000_000  # of one sheet, empty ones before the last one of a row among them
_MOST_ROWS = 1_048_576  # of one sheet, empty ones among them, as Excel itself

_BYTES_PER_BLOCK = 2**20
_MOST_TAGS = {  # of a part of the file: Excel has at most 65,490 formats
    "xl/worksheets/": (b"<row", _MOST_ROWS, "rows"),
    "xl/styles.xml": (b"<", 400_000, "formats"),
    "xl/workbook.xml": (b"<", 400_000, "names"),
}

_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^<>]*?ref="([A-Z]+\d+:[A-Z]+\d+)"')
_LONGEST_TAG = 200  # bytes

_SheetRows = list[tuple[int, dict[int, Any]]]


class Sheet(NamedTuple):
    """A sheet of an Excel file."""

    title: str
    rows: _SheetRows  # the filled ones: its number from 1, and its filled cells by place from 0
    part: str  # the name of its part within the file


def open_excel(
    path: Path, name: str, sheet: str | None = None, header_row: int | None = None, known: Collection[str] = ()
) -> Rows:
    """Opens one sheet of an Excel file. All cells are texts, as in CSV; dates become ISO texts."""
    sheets = {one.title: one for one in read_sheets(path, name)}
    if sheet is None:
        filled = [one.title for one in sheets.values() if len(one.rows) > 1]
        if len(filled) > 1:
            listed = quote_names(filled)
            raise InputError(f"{name}: has the sheets {listed}; choose one (--sheet NAME)")
        sheet = filled[0] if filled else next(iter(sheets), "")
    if sheet not in sheets:
        similar = nearest_names(sheet, sheets) or list(sheets)[:1]
        hint = f"did you mean `{similar[0]}`? It" if similar else "it"
        raise InputError(f"{name}: there is no sheet `{sheet}`; {hint} has {quote_names(sheets)}")
    rows = sheets[sheet].rows
    if not rows:
        raise InputError(f"{name}, sheet {sheet}: is empty; its first row should name the columns")
    others = [title for title in sheets if title != sheet]
    notes: tuple[str, ...] = (f"{name}: read the sheet {sheet}, not {quote_names(others)}",) if others else ()
    merged = _read_merged(path, name, sheets[sheet].part)
    if header_row == 0:
        widest = max(max(cells) for _, cells in rows) + 1
        rows = [(0, {place: f"column {place + 1}" for place in range(widest)}), *rows]
    head = [list(map(str, cells.values())) for _, cells in rows[:MOST_TITLES]]
    number = find_header(head, known) if not header_row else sum(line < header_row for line, _ in rows)
    if header_row and (number == len(rows) or rows[number][0] != header_row):
        raise InputError(f"{name}, sheet {sheet}: row {header_row} is empty; name the row of the columns")
    first, cells = rows[number]
    columns, places = name_columns(cells, name, sheet)
    if number:
        notes += (f"{name}: row {first} names the columns; {count_of(number, 'row')} above it left out",)
    below = rows[number + 1 :]
    if count := _fill_merged(below, merged, f"{name}, sheet {sheet}"):
        notes += (f"{name}, sheet {sheet}: {count_of(count, 'merged cell')} read in each row that they cover",)
    data_rows = Repeatable(lambda: _rows(below, columns, places, f"{name}, sheet {sheet}", first))
    header = explain_header(f"row {first}", columns, known)
    return Rows(name, path.stem, data_rows, columns, textual=True, notes=notes, header=header)


def _read_merged(path: Path, name: str, part: str) -> set[str]:
    """The merged cells of a sheet, as Excel writes them (A2:A3)."""
    merged, rest = set[bytes](), b""
    try:
        with ZipFile(path) as archive:
            for block in _blocks(archive, archive.getinfo(part)):
                rest = rest[-_LONGEST_TAG:] + block
                merged.update(_MERGED.findall(rest))
    except Exception as error:  # whatever is damaged, the library raises as it comes
        raise _damaged(name, error) from None
    return {reference.decode() for reference in merged}


def _fill_merged(rows: _SheetRows, merged: set[str], place: str) -> int:
    """Writes the value of merged cells, which stands in the first of them, in each filled row that they cover.

    Returns how many of them there are. What is merged over columns alone, as a title is, stays.
    """
    from openpyxl.utils import range_boundaries

    by_line, count, cells = dict(rows), 0, 0
    for first, top, _, bottom in map(range_boundaries, merged):
        value = by_line.get(top, {}).get(first - 1)
        covered = range(top + 1, min(bottom, rows[-1][0]) + 1) if value is not None else ()
        count += bool(covered)
        if (cells := cells + len(covered)) > _MOST_CELLS:
            raise _too_many(place, "merged cells", _MOST_CELLS)
        for line in covered:
            if line in by_line:
                by_line[line].setdefault(first - 1, value)
    return count


def _blocks(archive: ZipFile, part: ZipInfo) -> Iterator[bytes]:
    with archive.open(part) as content:
        yield from iter(partial(content.read, _BYTES_PER_BLOCK), b"")


def name_columns(header: dict[int, Any], name: str, sheet: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The names of a sheet's columns and their places. Raises `InputError` where a name stands twice."""
    columns = tuple(str(cell).strip() for cell in header.values())
    if (column := repeated_name(columns)) is not None:
        raise InputError(f"{name}, sheet {sheet}: the column `{column}` stands twice; rename one of them")
    return columns, tuple(header)


def _rows(rows: _SheetRows, columns: tuple[str, ...], places: tuple[int, ...], name: str, header: int) -> Iterator[Row]:
    for number, (line, cells) in enumerate(rows, 1):
        check_named(cells, places, f"{name}, row {line}", header)
        values = {column: _as_text(cells.get(place)) for column, place in zip(columns, places, strict=True)}
        yield Row(number, f"row {line}", values)


def check_named(cells: dict[int, Any], places: tuple[int, ...], place: str, header: int) -> None:
    """Raises `InputError` where a row has a cell in a column without a name; row `header` names them."""
    if unnamed := sorted(set(cells) - set(places)):
        from openpyxl.utils import get_column_letter

        letter = get_column_letter(unnamed[0] + 1)
        cure = "name it there, or say in which row the names stand (--header-row N)"
        if place.endswith(f"row {header + 1}"):
            cure += "; where two rows name them, write all names in one (such as rating_Ann), and delete the other"
        raise InputError(
            f"{place}: has a cell in column {letter}, which has no name; row {header} was read as the names of the "
            f"columns: {cure}"
        )


def read_sheets(path: Path, name: str) -> Iterator[Sheet]:
    """Reads the filled rows of each sheet of an Excel file.

    Only filled cells are kept, so that a cell at the far end of a sheet costs nothing.
    """
    from openpyxl import load_workbook

    check_regular(path, name)
    try:
        with ZipFile(path) as archive:
            _check_parts(archive, name)
        # the values that were computed when it was saved, not the formulas
        book = load_workbook(path, read_only=True, data_only=True)
    except InputError:
        raise
    except Exception as error:  # whatever is damaged, the library raises as it comes
        raise _damaged(name, error) from None
    try:
        for sheet in book.worksheets:
            # the stated size may be the largest possible, and openpyxl pads every row to it
            sheet.reset_dimensions()
            # a sheet that is read row by row does not know its merged cells: they are read from its part
            yield Sheet(sheet.title, _filled_rows(sheet, name), sheet._worksheet_path)
    finally:
        book.close()


def _filled_rows(sheet: Any, name: str) -> _SheetRows:
    rows = []
    number = cells = 0
    row: tuple[Any, ...] = ()
    try:
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            cells += len(row)
            if cells > _MOST_CELLS or number > _MOST_ROWS or len(row) > MOST_COLUMNS:
                break
            filled = {place: cell for place, cell in enumerate(row) if cell is not None and cell != ""}
            if filled:
                rows.append((number, filled))
    except Exception as error:  # whatever is damaged, the library raises as it comes
        raise _damaged(name, error) from None
    place = f"{name}, sheet {sheet.title}"
    if number > _MOST_ROWS:
        raise _too_many(place, "rows", _MOST_ROWS)
    if len(row) > MOST_COLUMNS:
        raise _too_many(f"{place}, row {number}", "columns", MOST_COLUMNS)
    if cells > _MOST_CELLS:
        raise _too_many(place, "cells", _MOST_CELLS)
    return rows


def _too_many(place: str, what: str, most: int) -> InputError:
    return InputError(f"{place} has more than {most:,} {what}; delete what is empty, or save it as CSV")


def _check_parts(archive: ZipFile, name: str) -> None:
    """Counts bytes, and tags at the speed of unpacking: openpyxl takes minutes for millions of them."""
    size = sum(entry.file_size for entry in archive.infolist())
    if size > _MOST_BYTES:
        raise InputError(f"{name}: unpacks to {count_of(size, 'byte')}, more than {_MOST_BYTES:,}; save it as CSV")
    for entry in archive.infolist():
        part = "xl/worksheets/" if entry.filename.startswith("xl/worksheets/") else entry.filename
        if part not in _MOST_TAGS:
            continue
        tag, most, what = _MOST_TAGS[part]
        if sum(block.count(tag) for block in _blocks(archive, entry)) > most:
            raise _too_many(f"{name}: {entry.filename}", what, most)


def _damaged(name: str, error: Exception) -> InputError:
    cause = shorten(" ".join(str(error).split()), 200)
    return InputError(f"{name}: is no readable Excel file ({cause}); save it again as .xlsx")


def _as_text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return NumberText(int(cell))
    if isinstance(cell, datetime | date | time):
        return cell.isoformat().removesuffix("T00:00:00")
    return NumberText(cell) if isinstance(cell, int | float) else str(cell)
