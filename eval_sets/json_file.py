"""Rows from JSON Lines, and from a JSON file that holds a list of rows or an object with `samples`."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..json_text import JSON_DECODER, explain_json_error
from ..value_messages import describe_type
from .column_table import CONVERSATION_KEYS
from .logs.test_runs import is_test_run, read_test_run
from .message_forms import is_thread
from .rows import BadRow, Repeatable, Row, Rows
from .text_lines import encoding_note, find_encoding, read_lines, read_text

SEVERAL = object()
"""What a file with several JSON documents (JSON Lines) holds."""


def open_jsonl(path: Path, name: str) -> Rows:
    """Opens a JSON Lines file: one object per line, blank lines ignored, streamed."""
    encoding = find_encoding(path)
    return Rows(
        name, path.stem, Repeatable(lambda: _line_rows(path, name, encoding)), notes=encoding_note(name, encoding)
    )


def open_json(path: Path, name: str) -> Rows:
    """Opens a JSON file: a list, an object with `samples`, one sample or conversation, or JSON Lines with this suffix.

    The file is read whole.
    """
    document, encoding = _read_document(path, name)
    if document is SEVERAL:
        return open_jsonl(path, name)
    if is_thread(document) and not any({*CONVERSATION_KEYS} & message.keys() for message in document):
        document = {"messages": document}
    if is_test_run(document):
        document = list(read_test_run(document))
    if isinstance(document, dict):
        if len(document) > 1 and all(_is_column(held) for held in document.values()):
            document = list(_rows_of_columns(document))
        else:
            document = document.get("samples", [document])
    if not isinstance(document, list):
        cure = "write a list of samples, or an object with a list `samples`"
        raise InputError(f"{name}: holds {describe_type(document)}; {cure}")
    listed: list[Any] = document
    return Rows(name, path.stem, Repeatable(lambda: _listed_rows(listed, name)), notes=encoding_note(name, encoding))


def _is_column(held: Any) -> bool:
    """Whether a value is the cells of a column, by their order or by the numbers of their rows."""
    if isinstance(held, Mapping):
        return bool(held) and all(str(key).isdigit() for key in held)
    return isinstance(held, list) and bool(held) and not isinstance(held[0], dict | list)


def _rows_of_columns(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of an object of columns, as pandas writes them: by the number of the row, or in order."""
    columns = {
        name: column if isinstance(column, Mapping) else dict(enumerate(column)) for name, column in document.items()
    }
    for key in dict.fromkeys(key for column in columns.values() for key in column):
        yield {name: column.get(key) for name, column in columns.items()}


def _read_document(path: Path, name: str) -> tuple[Any, str]:
    text, encoding = read_text(path, name)
    try:
        return JSON_DECODER.decode(text), encoding
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data":
            return SEVERAL, encoding
        if not text.strip():
            raise InputError(f"{name}: the file is empty; it should hold a list of samples") from None
        raise InputError(f"{name}{_error_place(error)}: {explain_json_error(error, text)}; correct it there") from None


def _line_rows(path: Path, name: str, encoding: str) -> Iterator[Row | BadRow]:
    number = 0
    for line in read_lines(path, name, encoding):
        if line.error is None and not line.text.strip():
            continue
        number += 1
        place = f"line {line.number}"
        try:
            if line.error:
                raise line.error
            yield Row(number, place, _parse_object(line.text, f"{name}, {place}"))
        except InputError as error:
            yield BadRow(number, error)


def _parse_object(line: str, place: str) -> dict[str, Any]:
    if "\0" in line:
        raise InputError(f"{place}: the line holds a NUL byte; remove it, or find out what wrote it")
    text = line.rstrip("\r\n")
    try:
        value = JSON_DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: {explain_json_error(error, text)}; write one whole JSON object per line") from None
    if not isinstance(value, dict):
        is_list = isinstance(value, list)
        cure = "name a file that is one JSON list .json" if is_list else "write one JSON object per line"
        raise InputError(f"{place}: is {describe_type(value)}, not an object; {cure}")
    return value


def _listed_rows(listed: list[Any], name: str) -> Iterator[Row | BadRow]:
    for number, value in enumerate(listed, 1):
        if isinstance(value, dict):
            yield Row(number, f"row {number}", value)
        elif is_thread(value):
            yield Row(number, f"row {number}", {"messages": value})
        else:
            message = f"is {describe_type(value)}, not an object; write one object per sample"
            yield BadRow(number, InputError(f"{name}, row {number}: {message}"))


def _error_place(error: Exception) -> str:
    return f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
