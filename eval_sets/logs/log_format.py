"""Which tool a file of JSON comes from, told by its first row."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from ..rows import BadRow, Row, Rows
from .conversations import is_conversation, is_message, read_conversation, read_messages
from .langfuse import is_observation, is_trace, read_observations, read_trace
from .langsmith import is_example, read_example
from .openinference import is_span, otlp_spans, read_spans

_OURS = {"user_input", "question", "response", "answer", "samples"}


def read_logs(opened: Rows) -> Rows:
    """The rows of samples, where the source is a log or export of a known tool; else the rows as they are."""
    rows = _unpacked(iter(opened.rows))
    read: list[Row | BadRow] = []
    for row in rows:
        read.append(row)
        if isinstance(row, Row):
            break
    every = chain(read, rows)
    first = read[-1].values if read and isinstance(read[-1], Row) else {}
    return replace(opened, rows=_samples(every, first, opened.name))


def _unpacked(rows: Iterator[Row | BadRow]) -> Iterator[Row | BadRow]:
    """The items of a page (`data`), a session (`traces`) or an OTLP document, a row each."""
    count = 0
    for row in rows:
        if isinstance(row, BadRow) or _OURS & row.values.keys():
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
    for name in ("data", "traces", "spans", "examples", "conversations"):
        held = values.get(name)
        if isinstance(held, Mapping):
            return _items(held)
        if isinstance(held, list) and held and all(isinstance(each, dict) for each in held) and len(values) <= 12:
            nested = {} if name == "data" else {key: value for key, value in values.items() if key != name}
            return [each | ({f"of_{name}": nested} if nested else {}) for each in held]
    return None


def _samples(rows: Iterator[Row | BadRow], first: Mapping[str, Any], name: str) -> Iterator[Row | BadRow]:
    if _OURS & first.keys():
        yield from rows
    elif is_span(first):
        yield from read_spans(rows, name)
    elif is_observation(first):
        yield from read_observations(rows, name)
    elif is_message(first):
        yield from read_messages(rows, name)
    else:
        for row in rows:
            yield from [row] if isinstance(row, BadRow) else _of_row(row, name)


def _of_row(row: Row, name: str) -> Iterator[Row | BadRow]:
    if is_trace(row.values):
        yield read_trace(row, name)
    elif is_example(row.values):
        yield read_example(row, name)
    elif is_conversation(row.values):
        yield from read_conversation(row, name)
    else:
        yield row
