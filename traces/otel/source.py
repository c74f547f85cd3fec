"""Traces of OTLP JSON files: `otel:FILE`, or a folder of them."""

from collections.abc import Iterator
from datetime import datetime
from itertools import takewhile
from pathlib import Path

from ...errors import InputError, UsageError
from ...eval_sets.logs.human_ratings import ObservedScales
from ...eval_sets.logs.openinference import (
    is_event,
    read_evaluations,
    read_trace,
    span_time,
    trace_id,
)
from ...eval_sets.rows import BadRow, Row, group_rows
from ..address import TraceAddress
from ..source import Traces, UnreadTrace
from ..times import read_utc
from ..trace_samples import TraceSamples
from .otlp_files import BrokenPart, list_files, read_rows


class OtlpFileSource:
    """Reads the traces of files that the OpenTelemetry collector's file exporter wrote.

    Spans may have OpenInference's attributes or the conventions for generative AI (`gen_ai.*`). Files are read twice: a
    trace is held from its first span to its last.
    """

    def __init__(self, address: TraceAddress) -> None:
        if not address.is_file:
            raise UsageError(f"{address}: traces are read from files; write otel:FILE")
        self._address = address

    def read(self, since: datetime | None, until: datetime | None) -> Traces:
        """As `Source.read`; traces come in the order of their last spans."""
        survey = _Survey(list_files(self._address.project))
        samples = TraceSamples(self._address)
        count, broken = 0, None
        for rows in group_rows(survey, trace_id):
            if isinstance(rows, BadRow):
                broken = broken or rows.error
                if isinstance(rows.error, BrokenPart):
                    yield UnreadTrace(rows.error.place, "", rows.error.problem, is_file=rows.error.is_file)
                continue
            count += 1
            if not _is_within(rows, since, until):
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


class _Survey:
    """The spans of files, and what only all of them tell: the scales of people's ratings.

    The first reading looks at all; each later one ends where that did, since a collector may have written more.
    """

    def __init__(self, files: list[Path]) -> None:
        self._files = files
        self.scales = ObservedScales()
        self._last = 0

    def __iter__(self) -> Iterator[Row | BadRow]:
        rows, last = read_rows(self._files), self._last
        return takewhile(lambda row: row.number <= last, rows) if last else self._watch(rows)

    def _watch(self, rows: Iterator[Row | BadRow]) -> Iterator[Row | BadRow]:
        for row in rows:
            self._last = row.number
            yield row
            if isinstance(row, Row):
                self.scales.observe(read_evaluations(row.values))


def _is_within(rows: list[Row], since: datetime | None, until: datetime | None) -> bool:
    """Whether a trace began in a period; one without a time did."""
    if since is None and until is None:
        return True
    times = [time for row in rows if (time := read_utc(str(span_time(row.values)))) is not None]
    if not times:
        return True
    began = min(times)
    return (since is None or began >= since) and (until is None or began < until)
