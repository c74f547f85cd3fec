"""Rows of any file with scores or ratings, their nested objects as dotted columns."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import InputError
from . import cell_values
from .column_table import ROLES
from .excel_file import EXCEL_SUFFIXES
from .rows import BadRow, Row
from .sources import DELIMITED, open_source

_KNOWN = frozenset((*ROLES, *(name for names in ROLES.values() for name in names)))
_OBJECT_COLUMNS = ("ratings", "metadata", "scores")  # columns of CSV files whose cells may be JSON objects


def flat_rows(path: Path, sheet: str | None = None, header_row: int | None = None) -> list[Row]:
    """Reads the rows of a file (.csv, .tsv, .xlsx, .jsonl, .json, .parquet).

    Nested objects become dotted columns (`metadata.group`). A .json file may be a list, an object of columns (pandas),
    an export of DeepEval or promptfoo, or `assay show --json`. `header_row` names the columns of a CSV or Excel file,
    0 for none. Raises `InputError` with place and cure.
    """
    suffix = path.suffix.lower()
    opened = open_source(
        path,
        sheet=sheet if suffix in EXCEL_SUFFIXES else None,
        header_row=header_row if suffix in (*EXCEL_SUFFIXES, *DELIMITED) else None,
        known=_KNOWN,
    )
    rows = []
    for row in opened.rows:
        if isinstance(row, BadRow):
            raise row.error
        rows.append(row)
    if len(rows) == 1 and suffix == ".json":
        rows = _rows_within(rows[0])
    if not rows:
        raise InputError(f"{path}: the file holds no rows; it should hold one per item")
    return [row._replace(values=flatten(row.values)) for row in rows]


def _rows_within(row: Row) -> list[Row]:
    """The rows that one object holds, such as `assay show --json` writes; the row itself where it holds none."""
    lists = ((key, row.values.get(key)) for key in ("scores", "rows", "data"))
    for key, held in lists:
        if isinstance(held, list) and held and all(isinstance(values, dict) for values in held):
            return [Row(number, f"{key} {number}", values) for number, values in enumerate(held, 1)]
    return [row]


def flatten(values: Mapping[str, Any]) -> dict[str, Any]:
    """Turns nested objects of a row into dotted columns; lists stay as they are.

    Examples:
        >>> flatten({"id": "a", "metadata": {"group": "p1"}})
        {'id': 'a', 'metadata.group': 'p1'}
    """
    return dict(_flat(values, ""))


def _flat(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        column = f"{prefix}{key}"
        if isinstance(value, str) and key in _OBJECT_COLUMNS and value.lstrip().startswith("{"):
            with suppress(ValueError):
                value = cell_values.parse_structure(value)  # noqa: PLW2901
        if isinstance(value, Mapping):
            yield from _flat(value, f"{column}.")
        else:
            yield column, value
