"""Rows from JSON Lines, and from a JSON file that holds a list of rows or an object with `samples`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError
from .cell_values import describe_type, shorten
from .rows import BadRow, Row, Rows
from .text_lines import decode_line, read_raw_lines, strip_byte_order_mark

SEVERAL = object()  # what a file holds that is JSON Lines


def open_jsonl(path: Path, name: str) -> Rows:
    """The rows of a JSON Lines file, streamed: an object a line, blank lines ignored."""
    return Rows(name, path.stem, _line_rows(path, name))


def open_json(path: Path, name: str) -> Rows:
    """The rows of a JSON file: a list, an object with `samples`, one sample, or JSON Lines under this suffix.

    The file is read whole. Raises `InputError` where it is none of these.
    """
    document = json_document(path, name)
    if document is SEVERAL:
        return open_jsonl(path, name)
    if isinstance(document, dict):
        document = document.get("samples", [document])
    if not isinstance(document, list):
        raise InputError(
            f"{name}: holds {describe_type(document)}; write a list of samples, or an object with a list `samples`"
        )
    return Rows(name, path.stem, _listed_rows(document, name))


def json_document(path: Path, name: str) -> Any:
    """What a JSON file holds, read whole; `SEVERAL` where it holds one document after another (JSON Lines).

    Raises `InputError` where it is no JSON, with the line.
    """
    text = decode_line(strip_byte_order_mark(path.read_bytes(), name), name, path)
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data":
            return SEVERAL
        if not text.strip():
            raise InputError(f"{name}: the file is empty; it should hold a list of samples") from None
        raise InputError(f"{name}{_line_of(error)}: {_why(error, text)}; correct it there") from None


def _line_rows(path: Path, name: str) -> Iterator[Row | BadRow]:
    number = 0
    for line_number, raw in read_raw_lines(path, name):
        if not raw or raw.isspace():
            continue
        number += 1
        place = f"line {line_number}"
        try:
            yield Row(number, place, _object(raw, f"{name}, {place}", path))
        except InputError as error:
            yield BadRow(number, error)


def _object(raw: bytes, place: str, path: Path) -> dict[str, Any]:
    if b"\0" in raw:
        raise InputError(f"{place}: the line holds a NUL byte; remove it, or find out what wrote it")
    text = decode_line(raw.rstrip(b"\r\n"), place, path)
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: {_why(error, text)}; write one whole JSON object a line") from None
    if not isinstance(value, dict):
        cure = "name a file that is one JSON list .json" if isinstance(value, list) else "write a JSON object a line"
        raise InputError(f"{place}: is {describe_type(value)}, not an object; {cure}")
    return value


def _listed_rows(listed: list[Any], name: str) -> Iterator[Row | BadRow]:
    for number, value in enumerate(listed, 1):
        if isinstance(value, dict):
            yield Row(number, f"row {number}", value)
        else:
            error = InputError(
                f"{name}, row {number}: is {describe_type(value)}, not an object; write an object a sample"
            )
            yield BadRow(number, error)


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # json would keep the last of two equal keys and drop the first without a word
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise ValueError(f"the key `{twice}` stands twice in one object")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_each_key_once)


def _line_of(error: Exception) -> str:
    return f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""


def _why(error: Exception, text: str) -> str:
    if isinstance(error, json.JSONDecodeError):
        near = shorten(text[max(0, error.pos - 15) :].strip(), 40)
        return f"is not JSON: {error.msg} at character {error.colno}, near {near!r}"
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    return f"is not usable JSON: {error}"
