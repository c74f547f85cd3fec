"""Traces of OTLP JSON files: `otel:FILE`, or a folder of them."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import Any

from ...errors import InputError, UsageError
from ...eval_sets.logs.human_ratings import ObservedScales
from ...eval_sets.logs.openinference import (
    is_event,
    read_evaluations,
    read_trace,
    span_attributes,
    span_time,
    trace_id,
)
from ...eval_sets.rows import BadRow, Row, group_rows
from ...name_suggestions import nearest_names
from ..address import TraceAddress
from ..source import Fields, Traces, UnreadTrace
from ..times import read_utc
from ..trace_samples import TraceSamples
from .otlp_files import BrokenPart, list_files, read_rows

_MOST_NAMES = 1000  # of attributes, for a message


class OtlpFileSource:
    """Reads the traces of files that the OpenTelemetry collector's file exporter wrote.

    Spans may have OpenInference's attributes or the conventions for generative AI (`gen_ai.*`). Files are read twice: a
    trace is held from its first span to its last.
    """

    def __init__(self, address: TraceAddress) -> None:
        if not address.is_file:
            raise UsageError(f"{address}: traces are read from files; write otel:FILE")
        self._address = address

    def read(self, since: datetime | None, until: datetime | None, filter: Fields) -> Traces:  # noqa: A002
        """As `Source.read`; a field of the filter is an attribute of a span or of its resource, or `name`.

        Traces come in the order of their last spans.
        """
        survey = _Survey(list_files(self._address.project), filter)
        samples = TraceSamples(self._address)
        count, broken = 0, None
        for rows in group_rows(survey, trace_id):
            if isinstance(rows, BadRow):
                broken = broken or rows.error
                if isinstance(rows.error, BrokenPart):
                    yield UnreadTrace(rows.error.place, "", rows.error.problem, is_lost_file=rows.error.is_file)
                continue
            count += 1
            if not _is_within(rows, since, until) or not _has(rows, filter):
                continue
            trace = read_trace(count, rows, survey.scales)
            if all(is_event(row.values) for row in rows):
                yield UnreadTrace(
                    str(trace.id), "", "has events, and no span in these files; add the file of its spans"
                )
                continue
            yield samples.sample(trace)
        if not count:
            raise broken or InputError(f"{self._address.project}: holds no spans; name a file of OTLP JSON with traces")
        survey.check(self._address)


class _Survey:
    """The spans of files, and what only all of them tell: the scales of people's ratings, and which attributes exist.

    The first reading looks at all; each later one ends where that did, since a collector may have written more.
    """

    def __init__(self, files: list[Path], wanted: Mapping[str, str]) -> None:
        self._files, self._wanted = files, wanted
        self.scales = ObservedScales()
        self._names: set[str] = {"name"}
        self._last = 0

    def __iter__(self) -> Iterator[Row | BadRow]:
        rows, last = read_rows(self._files), self._last
        return takewhile(lambda row: row.number <= last, rows) if last else self._watch(rows)

    def _watch(self, rows: Iterator[Row | BadRow]) -> Iterator[Row | BadRow]:
        for row in rows:
            self._last = row.number
            yield row
            if isinstance(row, BadRow):
                continue
            self.scales.observe(read_evaluations(row.values))
            if self._wanted:
                for name in _fields(row.values):
                    if name in self._wanted or len(self._names) < _MOST_NAMES:
                        self._names.add(name)

    def check(self, address: TraceAddress) -> None:
        for name in self._wanted:
            if name not in self._names:
                nearest = nearest_names(name, self._names)
                hint = f"; did you mean `{nearest[0]}`?" if nearest else ""
                raise UsageError(f"--filter {name}: no span in {address.project} has this attribute{hint}")


def _fields(values: Mapping[str, Any]) -> dict[str, Any]:
    resource = values.get("resource")
    own = dict(resource) if isinstance(resource, Mapping) else {}
    return own | span_attributes(values) | {"name": values.get("name")}


def _has(rows: list[Row], wanted: Mapping[str, str]) -> bool:
    """Whether spans of a trace have all values of a filter."""
    return not wanted or all(
        any(_as_text(_fields(row.values).get(name)) == value for row in rows) for name, value in wanted.items()
    )


def _as_text(value: Any) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)


def _is_within(rows: list[Row], since: datetime | None, until: datetime | None) -> bool:
    """Whether a trace began in a period; one without a time did."""
    if since is None and until is None:
        return True
    times = [time for row in rows if (time := read_utc(_as_text(span_time(row.values)))) is not None]
    if not times:
        return True
    began = min(times)
    return (since is None or began >= since) and (until is None or began < until)
