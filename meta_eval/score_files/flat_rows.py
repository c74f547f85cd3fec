"""Rows of any file that holds scores or ratings: nested objects laid flat, exports of other tools recognised."""

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError
from ...eval_sets import cell_values
from ...eval_sets.json_file import SEVERAL, json_document
from ...eval_sets.rows import BadRow
from ...eval_sets.sources import cannot_read, open_source
from . import deepeval_export
from .column_roles import KNOWN

_HOLD_OBJECTS = ("ratings", "metadata", "scores")  # columns of CSV files whose cells may be JSON objects
_MISSING = {"", "nan", "none", "null", "n/a", "na", "-"}


class FlatRow(NamedTuple):
    """One row, its nested objects as dotted columns (`metadata.group`); `place` is where it stands ("line 17")."""

    place: str
    values: dict[str, Any]


def flat_rows(path: Path) -> list[FlatRow]:
    """The rows of a file: .csv, .tsv, .jsonl, .json or .parquet.

    A .json file may be a list, an object of columns (pandas), an export of DeepEval, or `assay show --json`. A row of
    DeepEval becomes a row a metric. Raises `InputError` for a file that cannot be read, with place and cure.
    """
    name = str(path)
    if path.suffix.lower() == ".json" and path.is_file():
        try:
            document = json_document(path, name)
        except OSError as error:
            raise cannot_read(name, error) from None
        if isinstance(document, dict) and (rows := _of_object(document, name)) is not None:
            return rows
        if document is not SEVERAL and not isinstance(document, list):
            raise InputError(f"{name}: holds no rows; write a list of objects, one an item")
    opened = open_source(path, split=None, known=KNOWN)
    rows = []
    for row in opened.rows:
        if isinstance(row, BadRow):
            raise row.error
        rows.append(FlatRow(row.place, flatten(row.values)))
    if not rows:
        raise InputError(f"{name}: the file holds no rows; it should hold one an item")
    return rows


def flatten(values: Mapping[str, Any]) -> dict[str, Any]:
    """A row with its nested objects as dotted columns; lists stay as they are."""
    return dict(_flat(values, ""))


def number(value: object) -> float | None:
    """A cell as a number; None where nothing stands in it (empty, null, NaN). true and false are 1 and 0.

    Raises `ValueError` for text that is no number and for infinity, with the cure.
    """
    if value is None or (isinstance(value, str) and value.strip().lower() in _MISSING):
        return None
    if isinstance(value, str) and value.strip().lower() in {"true", "false"}:
        return float(value.strip().lower() == "true")
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    found = cell_values.parse_number(value)
    if not isinstance(found, int | float):
        raise ValueError(f"is {cell_values.describe_type(found)}, not a number; write a number, or leave it empty")
    if math.isinf(found):
        raise ValueError("is infinite; write a number, or leave it empty")
    return float(found)


def _of_object(document: dict[str, Any], name: str) -> list[FlatRow] | None:
    """The rows of an object that is not a list of rows; None where it is nothing that is known."""
    if deepeval_export.is_export(document):
        return [FlatRow(place, flatten(values)) for place, values in deepeval_export.rows(document, name)]
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
        if isinstance(value, str) and key in _HOLD_OBJECTS and value.lstrip().startswith("{"):
            with suppress(ValueError):
                value = cell_values.parse_structure(value)  # noqa: PLW2901
        if isinstance(value, Mapping):
            yield from _flat(value, f"{column}.")
        else:
            yield column, value
