"""Tables of a sample that stand in files of their own: CSV, TSV, JSON, Parquet and Excel."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..errors import InputError
from .cell_values import describe_type, to_json_value
from .csv_file import open_csv
from .excel_file import EXCEL_SUFFIXES, check_named, name_columns, read_sheets
from .json_file import open_json, open_jsonl
from .name_suggestions import quote_names
from .parquet_file import open_parquet
from .rows import BadRow, Rows
from .sample import Table

TABLE_SUFFIXES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", *EXCEL_SUFFIXES)


def read_table_file(path: Path, name: str = "") -> tuple[Table, ...]:
    """The tables of a file: one, or one a sheet of an Excel file. Cells of CSV stay texts, dates become ISO texts.

    Raises `InputError` where the file cannot be read: with the line where a row has more or fewer cells than the
    header. `name` stands in messages and is the table's name (the file's stem if not given).
    """
    name = name or str(path)
    suffix = path.suffix.lower()
    if suffix not in TABLE_SUFFIXES:
        raise InputError(f"{name}: no table is read from `{suffix}`; save it as one of {quote_names(TABLE_SUFFIXES)}")
    try:
        changed = path.stat()
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error}); check the name") from None
    return _kept(path, name, changed.st_mtime_ns, changed.st_size)


def load_named_tables(given: object, folder: Path | None) -> object:
    """A row's `tables`, with the tables of the files that it names in place of their names.

    A file is a text ("kpi.csv") or an object ({"file": "kpi.xlsx", "name": ..., "sheet": ..., "units": {...}}), with a
    path relative to `folder`, the set's. Raises `ValueError` for one outside of it, by whatever way, and `InputError`
    as above.
    """
    alone = isinstance(given, str) or (isinstance(given, Mapping) and "file" in given)
    listed = [given] if alone else given
    if not isinstance(listed, list | tuple):
        return given
    tables: list[object] = []
    for entry in listed:
        if isinstance(entry, str):
            tables += _of_file({"file": entry}, folder)
        elif isinstance(entry, Mapping) and "file" in entry:
            tables += _of_file(entry, folder)
        else:
            tables.append(entry)
    return tables


def _of_file(entry: Mapping[str, Any], folder: Path | None) -> list[Table]:
    if unknown := sorted(set(entry) - {"file", "name", "sheet", "units"}):
        raise ValueError(f"a table's file has no {quote_names(unknown)}; it has file, name, sheet and units")
    if not isinstance(entry["file"], str):
        raise ValueError(f"file is {describe_type(entry['file'])}, not a text; write the path of a table")
    tables = read_table_file(_inside(folder, entry["file"]), entry["file"])
    if sheet := entry.get("sheet"):
        tables = tuple(table for table in tables if table.name == sheet)
        if not tables:
            raise ValueError(f"{entry['file']} has no sheet {sheet!r}")
    told = {key: entry[key] for key in ("name", "units") if key in entry}
    if "name" in told and len(tables) > 1:
        raise ValueError(f"{entry['file']} has {len(tables)} sheets; choose one with `sheet` before it gets a name")
    try:
        return [Table.model_validate(dict(table) | told) for table in tables] if told else list(tables)
    except ValidationError as error:
        raise ValueError(f"{entry['file']}: {error.errors()[0]['msg']}") from None


def _inside(folder: Path | None, file: str) -> Path:
    """The path of a file in the set's folder, links followed."""
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
def _kept(path: Path, name: str, changed: int, size: int) -> tuple[Table, ...]:
    """Kept, since the samples of a set are often about one table."""
    suffix = path.suffix.lower()
    if suffix in EXCEL_SUFFIXES:
        return _excel_tables(path, name)
    if suffix == ".parquet":
        rows = open_parquet(path, name)
    elif suffix == ".json":
        rows = open_json(path, name)
    elif suffix in (".jsonl", ".ndjson"):
        rows = open_jsonl(path, name)
    else:
        rows = open_csv(path, name, ())
    return (_table(path.stem, _columns(rows), name),)


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
    known = to_json_value(value)
    return known.removesuffix("T00:00:00") if isinstance(known, str) else known


def _table(name: str, columns: dict[str, list[Any]], file: str) -> Table:
    if not any(columns.values()):
        raise InputError(f"{file}: the table `{name}` has no rows")
    try:
        return Table(name=name, columns=columns)
    except ValidationError as error:
        raise InputError(f"{file}: is no table: {error.errors()[0]['msg']}; write a value a cell") from None


def _excel_tables(path: Path, name: str) -> tuple[Table, ...]:
    """One table per sheet with a row of names and rows below it."""
    tables = []
    for title, rows in read_sheets(path, name):
        if len(rows) < 2:
            continue
        columns, places = name_columns(rows[0][1], name, title)
        for number, cells in rows[1:]:
            check_named(cells, places, f"{name}, sheet {title}, row {number}")
        values = {
            column: [_cell(cells.get(place)) for _, cells in rows[1:]]
            for column, place in zip(columns, places, strict=True)
        }
        tables.append(_table(title, values, name))
    if not tables:
        raise InputError(f"{name}: no sheet holds a table: a row of names, and rows below it")
    return tuple(tables)
