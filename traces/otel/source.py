"""Traces of OTLP JSON files: `otel:FILE`, or a folder of them."""

import gzip
import json
import zlib
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

from pydantic_core import from_json

from ...errors import InputError, UsageError
from ...eval_sets.logs.human_ratings import ObservedScales
from ...eval_sets.logs.openinference import (
    is_event,
    read_evaluations,
    read_otlp,
    read_trace,
    span_time,
    trace_id,
)
from ...eval_sets.rows import BadRow, Row, group_rows
from ...json_text import explain_json_error
from ...regular_files import check_regular
from ..address import TraceAddress
from ..source import Traces, UnreadTrace, make_sample, read_utc

_SUFFIXES = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_NO_TEXT = "is no text in UTF-8; save it so, with `format: json` and without `compression`"
_UNFINISHED = "the last line is not complete yet; it is read at the next pull"
_LONGEST_DOCUMENT = 1 << 30  # bytes of a document on several lines, which is read whole


def list_files(project: str) -> list[Path]:
    """Lists the files of an address: the file itself, or those in a folder, by name."""
    path = Path(project).expanduser()
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.name.lower().endswith(_SUFFIXES) and file.is_file())
        if not files:
            raise InputError(f"{path}: the folder has no file of traces ({', '.join(_SUFFIXES)}); name another one")
        return files
    if not path.exists():
        raise InputError(f"{path}: there is no such file; name a file of OTLP JSON, or a folder of them")
    check_regular(path)
    return [path]


class BrokenPart(InputError):
    """A document, or a whole file (`is_file`), that cannot be read; those beside it can."""

    def __init__(self, place: str, problem: str, *, is_file: bool = False) -> None:
        super().__init__(f"{place}: {problem}")
        self.place, self.problem, self.is_file = place, problem, is_file


def read_rows(files: list[Path]) -> Iterator[Row | BadRow]:
    """Yields the spans and log records of files, in their order; for what cannot be read a `BrokenPart`.

    A last line without an end is left out, and said: the collector is writing it. A file with a line that is no text is
    one that cannot be read itself.
    """
    number = 0
    for file in files:
        try:
            for line, document in _documents(file):
                if document == _NO_TEXT:
                    raise InputError(f"{file}: line {line or 1} {document}")
                place = f"{file}, line {line}" if line else str(file)
                spans, problems = ([], [document]) if isinstance(document, str) else read_otlp(document)
                for span in spans:
                    number += 1
                    yield Row(number, place, span)
                if problems:
                    # an unfinished line may be whole at the second reading, which ends where the first did
                    number += document != _UNFINISHED
                    broken = BrokenPart(place, "; ".join(problems), is_file=not line and not spans)
                    yield BadRow(number, broken)
        except InputError as error:
            number += 1
            yield BadRow(number, BrokenPart(str(file), str(error).removeprefix(f"{file}: "), is_file=True))


def _documents(file: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """The documents of a file, each with its line, or what is wrong with it: one per line, or one for all."""
    try:
        with _open(file) as lines:
            starts = list(islice(filter(bytes.strip, lines), 2))
            lines.seek(0)
            begins_object = starts and starts[0].removeprefix(_BOM).lstrip()[:1] == b"{"
            if begins_object and not any(isinstance(_read_document(line), dict) for line in starts):
                yield 0, _read_document(lines.read(_LONGEST_DOCUMENT))
                return
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                document = _read_document(line)
                is_text = document != _NO_TEXT or number > 1
                is_unfinished = isinstance(document, str) and is_text and not line.endswith(b"\n")
                yield number, _UNFINISHED if is_unfinished else document
    except (OSError, EOFError, zlib.error) as error:
        problem = getattr(error, "strerror", None) or error
        raise InputError(f"{file}: cannot be read: {problem}; is it whole?") from error


def _open(file: Path) -> IO[bytes]:
    with file.open("rb") as opened:
        is_gzip = opened.read(len(_GZIP)) == _GZIP
    return cast(IO[bytes], gzip.open(file, "rb")) if is_gzip else file.open("rb")


def _read_document(text: bytes) -> dict[str, Any] | str:
    """The document of a text, or what is wrong with it."""
    text = text.removeprefix(_BOM)
    try:
        document = from_json(text)
    except ValueError:  # Python's own reader takes half of a character, and says more of what is wrong
        decoded = text.decode("utf-8", "replace")
        try:
            document = json.loads(decoded)
        except (ValueError, RecursionError) as error:
            return explain_json_error(error, decoded) if decoded.encode() == text else _NO_TEXT
    return document if isinstance(document, dict) else "is no object; OTLP JSON has one object per line"


class OtlpFileSource:
    """Reads the traces of files that the OpenTelemetry collector's file exporter wrote.

    Spans may have OpenInference's attributes or the conventions for generative AI (`gen_ai.*`). Files are read twice: a
    trace is held until it, and each that began before it, has ended. The first reading finds the scales of people's
    ratings, and the second ends where the first did, since a collector may have written more.
    """

    def __init__(self, address: TraceAddress) -> None:
        if not address.is_file:
            raise UsageError(f"{address}: traces are read from files; write otel:FILE")
        self._address = address

    def read(self, since: datetime | None, until: datetime | None) -> Traces:
        """As `Source.read`; traces come in the order of their first spans."""
        files, scales = list_files(self._address.project), ObservedScales()
        count, broken = 0, None
        for rows in group_rows(_Survey(files, scales), trace_id):
            if isinstance(rows, BadRow):
                broken = broken or rows.error
                if isinstance(rows.error, BrokenPart):
                    yield UnreadTrace(rows.error.place, "", rows.error.problem, is_file=rows.error.is_file)
                continue
            count += 1
            if not _is_within(rows, since, until):
                continue
            trace = read_trace(count, rows, scales)
            if all(is_event(row.values) for row in rows):
                problem = "has events, and no span in these files; add the file of its spans"
                yield UnreadTrace(str(trace.id), "", problem)
            else:
                yield make_sample(trace, str(self._address))
        if not count:
            raise broken or InputError(f"{self._address.project}: holds no spans; name a file of OTLP JSON with traces")


class _Survey:
    """The rows of files, as often as is asked: always as many as at the first reading, which observes the scales."""

    def __init__(self, files: list[Path], scales: ObservedScales) -> None:
        self._files, self._scales = files, scales
        self._last = 0

    def __iter__(self) -> Iterator[Row | BadRow]:
        last = self._last
        for row in read_rows(self._files):
            if last and row.number > last:
                return
            self._last = max(self._last, row.number)
            if not last and isinstance(row, Row):
                self._scales.observe(read_evaluations(row.values))
            yield row


def _is_within(rows: list[Row], since: datetime | None, until: datetime | None) -> bool:
    """Whether a trace began in a period; one without a time did."""
    if since is None and until is None:
        return True
    times = [time for row in rows if (time := read_utc(str(span_time(row.values)))) is not None]
    if not times:
        return True
    return (since is None or min(times) >= since) and (until is None or min(times) < until)
