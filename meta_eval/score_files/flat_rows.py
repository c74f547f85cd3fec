"""Rows of any file with scores or ratings: nested objects become dotted columns, exports of other tools are known."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError
from ...eval_sets import cell_values
from ...eval_sets.excel_file import EXCEL_SUFFIXES
from ...eval_sets.json_file import SEVERAL, json_document
from ...eval_sets.logs.test_runs import is_test_run, read_test_run
from ...eval_sets.parquet_file import find_parquet_files, open_parquet
from ...eval_sets.rows import BadRow, Row
from ...eval_sets.sources import DELIMITED, cannot_read, open_source
from .column_roles import KNOWN

_OBJECT_COLUMNS = ("ratings", "metadata", "scores")  # columns of CSV files whose cells may be JSON objects
_BESIDE_SCORES = ("status", "reason", "evidence", "usage")


class FlatRow(NamedTuple):
    """One row, its nested objects as dotted columns (`metadata.group`); `place` is where it stands ("line 17")."""

    place: str
    values: dict[str, Any]


def flat_rows(path: Path, sheet: str | None = None, header_row: int | None = None) -> list[FlatRow]:
    """Reads the rows of a file (.csv, .tsv, .xlsx, .jsonl, .json, .parquet) or of a folder or pattern of Parquet files.

    A .json file may be a list, an object of columns (pandas), an export of DeepEval, or `assay show --json`.

    Args:
        path: The file.
        sheet: The sheet of an Excel file; None for the only one that has rows.
        header_row: The row of a CSV or Excel file that names the columns, 0 for none; None to find it.

    Raises:
        InputError: The file cannot be read; the message has place and cure.
    """
    name = str(path)
    if path.is_dir() or (path.suffix == ".parquet" and (path.exists() or "*" in name)):
        return _parquet_rows(name)
    if path.suffix.lower() == ".json" and path.is_file():
        try:
            document = json_document(path, name)
        except OSError as error:
            raise cannot_read(name, error) from None
        if isinstance(document, dict) and (rows := _of_object(document, name)) is not None:
            return rows
        if document is not SEVERAL and not isinstance(document, list):
            raise InputError(f"{name}: holds no rows; write a list of objects, one per item")
    suffix = path.suffix.lower()
    opened = open_source(
        path,
        sheet=sheet if suffix in EXCEL_SUFFIXES else None,
        header_row=header_row if suffix in (*EXCEL_SUFFIXES, *DELIMITED) else None,
        known=KNOWN,
    )
    rows = []
    for row in opened.rows:
        if isinstance(row, BadRow):
            raise row.error
        rows.append(FlatRow(row.place, flatten(row.values)))
    if not rows:
        raise InputError(f"{name}: the file holds no rows; it should hold one per item")
    return rows


def _parquet_rows(name: str) -> list[FlatRow]:
    """The rows of one or several Parquet files, without what stands beside the scores of `assay run --out FOLDER`."""
    files = find_parquet_files(name) or [name]
    rows = []
    for file in files:
        for row in open_parquet(file, name if len(files) == 1 else file).rows:
            assert isinstance(row, Row)
            values = {column: value for column, value in row.values.items() if not _is_beside_score(column, row.values)}
            place = row.place if len(files) == 1 else f"{Path(file).name}, {row.place}"
            rows.append(FlatRow(place, flatten(values)))
    if not rows:
        raise InputError(f"{name}: there are no rows in it; it should hold one per item")
    return rows


def _is_beside_score(column: str, values: Mapping[str, Any]) -> bool:
    metric, _, part = column.rpartition(".")
    return part in _BESIDE_SCORES and metric in values


def flatten(values: Mapping[str, Any]) -> dict[str, Any]:
    """Turns nested objects of a row into dotted columns; lists stay as they are.

    Examples:
        >>> flatten({"id": "a", "metadata": {"group": "p1"}})
        {'id': 'a', 'metadata.group': 'p1'}
    """
    return dict(_flat(values, ""))


def _of_object(document: dict[str, Any], name: str) -> list[FlatRow] | None:
    """The rows of an object that is not a list of rows; None where its form is unknown."""
    if is_test_run(document):
        cases = list(read_test_run(document))
        if not any(case.get("scores") for case in cases):
            raise InputError(f"{name}: there are no metrics in its test cases; evaluate them first")
        return [FlatRow(f"test case {place}", flatten(case)) for place, case in enumerate(cases, 1)]
    for key in ("scores", "samples", "rows", "data"):
        if isinstance(document.get(key), list) and all(isinstance(row, dict) for row in document[key]):
            return [FlatRow(f"{key} {place}", flatten(row)) for place, row in enumerate(document[key], 1)]
    columns = [column for column in document.values() if isinstance(column, dict)]
    if not columns or len(columns) < len(document):
        return None
    keys = list(dict.fromkeys(key for column in columns for key in column))  # pandas: column -> index -> value
    return [
        FlatRow(f"row {key}", flatten({title: column.get(key) for title, column in document.items()})) for key in keys
    ]


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
