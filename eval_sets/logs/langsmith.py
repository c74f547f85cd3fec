"""LangSmith: the examples of a dataset, as it exports them, and runs with their thread."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..rows import BadRow, Row
from .row_groups import Reopen, group_rows
from .trace_row import Trace, build_row

_THREAD_KEYS = ("thread_id", "session_id", "conversation_id")
_TIME_KEYS = ("start_time", "created_at")


def is_example(values: Mapping[str, Any]) -> bool:
    """Whether a row is an example or a run: `inputs` and `outputs`."""
    return isinstance(values.get("inputs"), Mapping) and isinstance(values.get("outputs"), Mapping)


def read_examples(rows: Iterator[Row | BadRow], name: str, again: Reopen | None) -> Iterator[Row | BadRow]:
    """Yields one row per thread, and per example of none.

    The outputs are the answer under test, and a reference where one is named so.
    """
    for group in group_rows(rows, _thread, again):
        if isinstance(group, BadRow):
            yield group
        else:
            yield from build_row([_trace(row) for row in group], name)


def _thread(values: Mapping[str, Any]) -> str | None:
    """The thread in the metadata; a run's own `session_id` is its project."""
    extra = values.get("extra")
    places = (values.get("metadata"), extra.get("metadata") if isinstance(extra, Mapping) else None)
    threads = (place.get(key) for place in places if isinstance(place, Mapping) for key in _THREAD_KEYS)
    return next((str(thread) for thread in threads if thread), None)


def _trace(row: Row) -> Trace:
    values = row.values
    return Trace(
        row.number,
        row.place,
        id=values.get("id"),
        input=values.get("inputs"),
        output=values.get("outputs"),
        session=_thread(values),
        time=next((values[key] for key in _TIME_KEYS if values.get(key)), None),
        rest={key: value for key, value in values.items() if key not in {"id", "inputs", "outputs"}},
    )
