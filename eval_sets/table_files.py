"""Reads the tables of samples from files: CSV, TSV, JSON, Parquet and Excel."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..errors import InputError
from ..name_suggestions import quote_names
from ..regular_files import check_regular
from ..value_messages import describe_first_mistake
from .cell_values import to_json_value
from .excel_file import EXCEL_SUFFIXES, check_named, name_columns, read_sheets
from .rows import BadRow, Rows
from .sample import Table
from .sources import open_source

TABLE_SUFFIXES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", *EXCEL_SUFFIXES)


def read_table_file(path: Path, name: str = "") -> tuple[Table, ...]:
    """Reads the tables of a file: one, or one per sheet of an Excel file.

    Cells of CSV files stay texts, and dates become ISO texts. A table is named after the file or the sheet.
    """
    name = name or str(path)
    suffix = path.suffix.lower()
    if suffix not in TABLE_SUFFIXES:
        raise InputError(f"{name}: no table is read from `{suffix}`; save it as one of {quote_names(TABLE_SUFFIXES)}")
    check_regular(path, name)
    try:
        changed = path.stat()
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error}); check the name") from None
    return _read_cached(path, name, changed.st_mtime_ns, changed.st_size)


def load_named_tables(tables_field: object, folder: Path | None) -> object:
    """Replaces the names of files in a row's field `tables` by the tables of these files."""
    entries = [tables_field] if isinstance(tables_field, str) else tables_field
    if not isinstance(entries, list | tuple):
        return tables_field
    tables: list[object] = []
    for entry in entries:
        tables += read_table_file(_inside(folder, entry), entry) if isinstance(entry, str) else [entry]
    return tables


def _inside(folder: Path | None, file: str) -> Path:
    """Resolves the path of a file in the set's folder, links followed."""
    if folder is None:
        raise ValueError(f"the table `{file}` is a file, which only a set that is a file itself can name")
    if "\0" in file:
        raise ValueError("the name of a table's file holds a NUL byte")
    root = folder.resolve()
    path = (root / file).resolve()
    if not path.is_relative_to(root):
        raise ValueError(f"the table `{file}` is outside the set's folder; put it beside the set")
    if not path.is_file():
        raise ValueError(f"the table `{file}` is no file beside the set ({root})")
    return path


@lru_cache(maxsize=16)
def _read_cached(path: Path, name: str, changed: int, size: int) -> tuple[Table, ...]:
    """Reads a file once while it does not change: the samples of a set are often about one table."""
    if path.suffix.lower() in EXCEL_SUFFIXES:
        return _excel_tables(path, name)
    return (_table(path.stem, _columns(open_source(path, known=())), name),)


def _columns(rows: Rows) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {name: [] for name in rows.columns or ()}
    for count, row in enumerate(rows.rows):
        if isinstance(row, BadRow):
            raise row.error
        for name in row.values.keys() - columns.keys():
            columns[name] = [None] * count
        for name, cells in columns.items():
            cells.append(_cell(row.values.get(name)))
    return columns


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int):
        return value
    json_value = to_json_value(value)
    return json_value.removesuffix("T00:00:00") if isinstance(json_value, str) else json_value


def _table(name: str, columns: dict[str, list[Any]], file: str) -> Table:
    if not any(columns.values()):
        raise InputError(f"{file}: the table `{name}` has no rows")
    try:
        return Table(name=name, columns=columns)
    except ValidationError as error:
        raise InputError(f"{file}: is no table: {describe_first_mistake(error, 'write one value per cell')}") from None


def _excel_tables(path: Path, name: str) -> tuple[Table, ...]:
    """Reads one table per sheet that has a row of names and rows below it."""
    tables = []
    for title, rows, _ in read_sheets(path, name):
        if len(rows) < 2:
            continue
        columns, places = name_columns(rows[0][1], name, title)
        for number, cells in rows[1:]:
            check_named(cells, places, f"{name}, sheet {title}, row {number}", rows[0][0])
        values = {
            column: [_cell(cells.get(place)) for _, cells in rows[1:]]
            for column, place in zip(columns, places, strict=True)
        }
        tables.append(_table(title, values, name))
    if not tables:
        raise InputError(f"{name}: no sheet holds a table: a row of names, and rows below it")
    return tuple(tables)
