"""Pulling traces into a file of samples and conversations: whole or not at all, and each trace once."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from ..atomic_files import check_writable, replace_file
from ..errors import InputError, UsageError
from ..eval_sets import Sample
from ..eval_sets.cell_values import to_json_value
from ..eval_sets.logs.human_ratings import UNUSED
from ..runs import Store
from .address import TraceAddress, open_source
from .conversations import GAP, UNUSED_SESSION, join_sessions
from .cursor import NewTraces, PullCursor, note_address
from .source import Source, TraceOrigin, UnreadTrace, read_utc

_NAMED = 3  # unread traces

Unit = Literal["session", "trace"]
"""What a line of the file is: a conversation of the traces of a session, or one trace."""


@dataclass(frozen=True, slots=True)
class PullRequest:
    """What to pull."""

    address: TraceAddress  # where the traces are
    # since: the first moment at which a trace may have begun; of a pull with a cursor, only of the first one
    since: datetime | None = None
    until: datetime | None = None  # the first moment at which one may no longer have begun; None for now
    filter: Mapping[str, str] = field(default_factory=dict)  # the fields that traces must have
    unit: Unit = "session"  # what a line of the file is
    limit: int | None = None  # the most traces to pull
    is_new: bool = True  # whether a cursor says what was pulled before


@dataclass(slots=True)
class PullResult:
    """What was pulled."""

    pulled: int = 0  # traces that are in the file
    again: int = 0  # traces of the overlap, and of a file of traces, that were pulled before
    written: int = 0  # lines that were written
    conversations: int = 0  # lines that are conversations of several traces
    unread: int = 0  # traces that cannot be read as an answer, and files of traces that cannot be read
    unread_files: int = 0  # the files among them: the cursor waits until they can be read
    first_unread: list[UnreadTrace] = field(default_factory=list)  # the first of them, and all files
    unjoined: int = 0  # sessions whose traces make no conversation: each is an answer by itself
    open_sessions: int = 0  # conversations whose last trace is so new that they may go on
    unused: int = 0  # traces with ratings by people that are not used, which stand in the metadata with the reason
    unused_problem: str = ""  # the reason of the first of them
    unknown_fields: list[str] = field(default_factory=list)  # the fields of the filter that no trace had
    is_cut: bool = False  # whether the limit ended the pull, so that there may be more traces
    cursor: datetime | None = None  # the time that the cursor stands at; None without one


def pull_traces(
    request: PullRequest,
    store: Store,
    out: Path,
    *,
    may_replace: bool = False,
    source: Source | None = None,
    on_progress: Callable[[int], None] = lambda pulled: None,
) -> PullResult:
    """Pulls traces into a file (.jsonl) that `load_set` and `assay run` read.

    The cursor moves after the file has its name: whenever the process is killed, the next pull gives the same traces.

    Raises:
        UsageError: The file is there, or cannot be written; the address is none; another process pulls with the cursor.
        InputError: The source cannot be read.
    """
    check_output(out, may_replace=may_replace)
    source = open_source(request.address) if source is None else source
    with ExitStack() as stack:
        cursor = None
        if request.is_new:
            cursor = PullCursor(store, request.address, request.filter, request.unit)
            stack.enter_context(cursor.hold())
        return _Pull(request, cursor, source, on_progress).write(store, out)


def check_output(out: Path, *, may_replace: bool) -> None:
    """Checks that a pull can write a file, before anything is asked."""
    if out.suffix.lower() != ".jsonl":
        raise UsageError(f"{out}: traces are written as .jsonl, not `{out.suffix}`; name the file so")
    if not may_replace and out.exists():
        raise UsageError(f"{out}: is there; --replace writes it anew, or name another file")
    check_writable(out)


class _Pull:
    """One pull: reads, joins and writes."""

    def __init__(
        self, request: PullRequest, cursor: PullCursor | None, source: Source, on_progress: Callable[[int], None]
    ) -> None:
        self._request, self._cursor, self._on_progress = request, cursor, on_progress
        known = cursor.known_traces if cursor is not None else lambda traces: set[str]()
        self._new = NewTraces(source, request.address, known)
        self._now = datetime.now(UTC)
        self._result = PullResult()

    def write(self, store: Store, out: Path) -> PullResult:
        result, cursor, ids = self._result, self._cursor, set[int]()
        with replace_file(out, binary=True) as file:
            for sample in self._units(out.absolute().parent):
                file.write(_line(sample, ids))
                result.written += 1
                origin = TraceOrigin.of_sample(sample)
                if origin is not None and origin.unit == "session":
                    result.conversations += 1
                    if cursor is not None and sample.id == origin.session:
                        cursor.add_session(origin.session)
        if cursor is not None:
            # where the newest traces come first, those that --limit left are older than all that were read
            is_sure = (not result.is_cut or self._new.is_ordered) and not result.unread_files
            cursor.commit(min(self._new.newest, self._now) if self._new.newest and is_sure else None)
            result.cursor = cursor.watermark()
        note_address(store, str(self._request.address))
        return result

    def _units(self, folder: Path) -> Iterator[Sample]:
        if self._request.unit == "trace":
            return self._traces()
        return join_sessions(
            self._traces(),
            folder=folder,
            is_later_part=lambda session: self._cursor is not None and self._cursor.has_session(session),
            on_unjoined=self._count_unjoined,
            on_open=self._count_open,
        )

    def _count_unjoined(self, session: str) -> None:
        self._result.unjoined += 1

    def _count_open(self, last: datetime) -> None:
        self._result.open_sessions += self._now - last < GAP

    def _traces(self) -> Iterator[Sample]:
        """The traces that were not pulled before."""
        request, result = self._request, self._result
        since = (self._cursor and self._cursor.read_from()) or request.since
        for trace, is_new in self._new.read(since, request.until, request.filter):
            if isinstance(trace, UnreadTrace):
                self._add_unread(trace)
                continue
            if not is_new:
                result.again += 1
                continue
            origin = TraceOrigin.of_sample(trace)
            if origin is None:
                raise InputError(f"{request.address}: the source gave a sample without its trace: {trace.id!r}")
            if self._cursor is not None:
                self._cursor.add_trace(origin.id, read_utc(origin.time) or self._now)
            unused = [trace.metadata.get(key) for key in (UNUSED, UNUSED_SESSION)]
            problems = [str(one["problem"]) for one in unused if isinstance(one, Mapping) and one.get("problem")]
            result.unused += bool(problems)
            result.unused_problem = result.unused_problem or "".join(problems[:1])
            result.pulled += 1
            self._on_progress(result.pulled)
            yield trace
            if result.pulled == request.limit:
                result.is_cut = True
                return
        result.unknown_fields = sorted(self._new.filter.unknown)

    def _add_unread(self, trace: UnreadTrace) -> None:
        self._result.unread += 1
        self._result.unread_files += trace.is_file
        if trace.is_file or len(self._result.first_unread) < _NAMED:
            self._result.first_unread.append(trace)


def _line(sample: Sample, ids: set[int]) -> bytes:
    """The line of a sample; one whose id is that of one before (`ids`, hashes) gets its trace's id added."""
    origin = TraceOrigin.of_sample(sample)
    name, number = sample.id, 1
    while hash(name) in ids:
        name = f"{sample.id}@{origin.id if origin else ''}" + (f"-{number}" if number > 1 else "")
        number += 1
    ids.add(hash(name))
    values = sample.as_row() | {"id": name}
    try:
        return json.dumps(values, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except ValueError:  # half a character, of which only the escape can be written, or a number that JSON has not
        values["metadata"] = to_json_value(values.get("metadata"))
        return json.dumps(values).encode() + b"\n"
