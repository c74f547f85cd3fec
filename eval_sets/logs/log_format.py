"""Which tool a file comes from, recognised by its first row."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any

from .. import cell_values
from ..rows import BadRow, Row, Rows
from .conversations import is_conversation, is_message, read_conversation, read_messages
from .langfuse import is_observation, is_trace, read_observations, read_trace
from .langsmith import is_example, read_example
from .message_text import read_message
from .openinference import is_span, otlp_spans, read_spans

_OWN_COLUMNS = {"user_input", "question", "response", "answer", "samples"}
_PAGE_KEYS = ("data", "traces", "spans", "examples", "conversations")


def read_logs(opened: Rows) -> Rows:
    """Turns a log or export of a known tool into rows of samples; other rows stay as they are."""
    rows = iter(opened.rows)
    head, first = _take_first(rows)
    every_row = chain(head, rows)
    if opened.textual:
        if not _is_log(_parse_cells(first)):
            return replace(opened, rows=every_row)
        rows = map(_parse_row, every_row)
    else:
        rows = every_row
    unpacked = _unpack(rows)
    head, first = _take_first(unpacked)
    every_row = chain(head, unpacked)
    if not _is_log(first):
        return replace(opened, rows=every_row)
    return replace(opened, rows=_samples(every_row, first, opened.name), columns=None, textual=False)


def _take_first(rows: Iterator[Row | BadRow]) -> tuple[list[Row | BadRow], Mapping[str, Any]]:
    """The rows up to the first good one, and its values."""
    head: list[Row | BadRow] = []
    for row in rows:
        head.append(row)
        if isinstance(row, Row):
            return head, row.values
    return head, {}


def _is_log(values: Mapping[str, Any]) -> bool:
    if _is_own(values):
        return False
    if is_conversation(values):
        return True
    return any(test(values) for test in (is_span, is_observation, is_message, is_trace, is_example))


def _is_own(values: Mapping[str, Any]) -> bool:
    """Whether a row has our columns; a `user_input` that is a list holds the messages of a conversation (Ragas)."""
    return bool(_OWN_COLUMNS & values.keys()) and not isinstance(values.get("user_input"), list)


def _parse_row(row: Row | BadRow) -> Row | BadRow:
    return row if isinstance(row, BadRow) else row._replace(values=_parse_cells(row.values))


def _parse_cells(values: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of a CSV or Excel export: an empty one is none, and one with an object or list is that."""
    parsed: dict[str, Any] = {}
    for name, cell in values.items():
        parsed[name] = cell if cell != "" else None
        if isinstance(cell, str) and cell.lstrip()[:1] in ("{", "["):
            with suppress(ValueError):
                parsed[name] = cell_values.parse_structure(cell)
    return parsed


def _unpack(rows: Iterator[Row | BadRow]) -> Iterator[Row | BadRow]:
    """The items of a page (`data`), a session (`traces`) or an OTLP document, one row each."""
    count = 0
    for row in rows:
        if isinstance(row, BadRow) or _is_own(row.values) or is_conversation(row.values):
            yield row
            continue
        items = _items(row.values)
        if items is None:
            yield row
            continue
        for item in items:
            count += 1
            yield Row(count, f"item {count}", item)


def _items(values: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    if "resourceSpans" in values:
        return otlp_spans(values)
    for key in _PAGE_KEYS:
        content = values.get(key)
        if isinstance(content, Mapping):
            return _items(content)
        if isinstance(content, list) and content and all(isinstance(item, dict) for item in content):
            if len(values) > 12 or read_message(content[0]) is not None:
                continue
            rest = {} if key == "data" else {name: value for name, value in values.items() if name != key}
            return [item | ({f"of_{key}": rest} if rest else {}) for item in content]
    return None


def _samples(rows: Iterator[Row | BadRow], first: Mapping[str, Any], name: str) -> Iterator[Row | BadRow]:
    if is_span(first):
        yield from read_spans(rows, name)
    elif is_observation(first):
        yield from read_observations(rows, name)
    elif is_message(first) and not is_conversation(first):
        yield from read_messages(rows, name)
    else:
        for row in rows:
            yield from [row] if isinstance(row, BadRow) else _row_samples(row, name)


def _row_samples(row: Row, name: str) -> Iterator[Row | BadRow]:
    if is_conversation(row.values):
        yield from read_conversation(row, name)
    elif is_trace(row.values):
        yield read_trace(row, name)
    elif is_example(row.values):
        yield read_example(row, name)
    else:
        yield row
