"""Which traces are read: those that a filter takes and that are new, for a pull with its cursor and for a watch."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..eval_sets import Sample
from ..eval_sets.logs.openinference import span_attributes
from ..runs import Store
from ..runs.store.database import Database, explain_errors
from .address import TraceAddress
from .source import ORIGIN, Source, TraceOrigin, UnreadTrace, read_utc

_SESSION = "session"


class TraceFilter:
    """The fields that traces must have, for traces of any tool.

    A name is `session`, a key of the metadata (`user`, and with dots what stands in an object: `tags.env`), or an
    attribute of a span or its resource. A list has a value where one of its items is that.

    Example:
        >>> sample = Sample(user_input="Free?", response="Yes.", metadata={"user": "ann", "tags": ["web", "new"]})
        >>> [TraceFilter(fields).takes(sample) for fields in ({"tags": "new"}, {"user": "bob"}, {})]
        [True, False, True]
    """

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = fields
        self._known: set[str] = set()
        self._has_looked = False

    @property
    def unknown(self) -> set[str]:
        """The fields that none of the traces had; none before the first trace."""
        return self._fields.keys() - self._known if self._has_looked else set()

    def takes(self, sample: Sample) -> bool:
        """Whether a trace has all values."""
        values = {name: set(_field_texts(sample, name)) for name in self._fields}
        self._known |= {name for name, texts in values.items() if texts}
        self._has_looked = True
        return all(wanted in values[name] for name, wanted in self._fields.items())


def _field_texts(sample: Sample, name: str) -> Iterator[str]:
    origin = TraceOrigin.of_sample(sample)
    if name == _SESSION and origin is not None and origin.session:
        yield origin.session
    spans = sample.metadata.get("spans")
    objects = [span for span in spans if isinstance(span, Mapping)] if isinstance(spans, list) else []
    for place in (sample.metadata, *(one for span in objects for one in _span_fields(span))):
        value = _inside(place, name)
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                yield str(one).lower() if isinstance(one, bool) else str(one)


def _span_fields(span: Mapping[str, Any]) -> tuple[Any, ...]:
    return span, span_attributes(span), span.get("resource")


def _inside(place: Any, name: str) -> Any:
    if not isinstance(place, Mapping):
        return None
    first, _, rest = name.partition(".")
    return place[name] if name in place else _inside(place.get(first), rest) if rest else None


OVERLAP = timedelta(minutes=10)
"""What is read again before the time at which the last pull ended: a trace may arrive minutes after it began, and the
clocks of two machines differ."""
_AT_ONCE = 50  # traces that are looked up together
_UNKEPT = "the cursor of the pull cannot be kept"


def trace_id(sample: Sample) -> str:
    """Returns the id of the trace that a sample was made of; of one without an origin its own."""
    origin = TraceOrigin.of_sample(sample)
    return origin.id if origin else sample.id


def trace_ids(sample: Sample) -> list[str]:
    """Returns the ids of the traces that a sample was made of: one, or those of a conversation."""
    origin = TraceOrigin.of_sample(sample)
    traces = sample.metadata.get("traces")
    parts = traces if origin is not None and origin.unit == "session" and isinstance(traces, list) else []
    origins = [part[ORIGIN] for part in parts if isinstance(part, dict) and isinstance(part.get(ORIGIN), dict)]
    return list(dict.fromkeys([*(str(part.get("id")) for part in origins), origin.id if origin else sample.id]))


class NewTraces:
    """Reads the traces of a source that were not read before, for a pull and for a watch.

    A server is asked for a period. A file is read whole, since a trace may be written to it at any time after it began:
    there, what was read before is known by its id alone. `known` returns which of some ids were read before.
    """

    def __init__(self, source: Source, address: TraceAddress, known: Callable[[Sequence[str]], set[str]]) -> None:
        self._source, self._is_file, self._known = source, address.is_file, known
        self.filter = TraceFilter({})
        self.newest: datetime | None = None  # when the newest trace began that was read
        self.is_ordered = True  # whether each began no earlier than those before it

    def read(
        self, since: datetime | None, until: datetime | None, fields: Mapping[str, str]
    ) -> Iterator[tuple[Sample | UnreadTrace, bool]]:
        """Yields the traces of a period, each with whether it is new."""
        self.filter = TraceFilter(fields)
        for trace, is_new in self._mark_new(self._source.read(None if self._is_file else since, until)):
            origin = TraceOrigin.of_sample(trace) if isinstance(trace, Sample) else None
            began = read_utc(trace.time if isinstance(trace, UnreadTrace) else origin.time if origin else None)
            is_taken = isinstance(trace, UnreadTrace) or self.filter.takes(trace)
            is_early = self._is_file and since is not None and began is not None and began < since
            # what is left out of a server was read: its next reading begins after it
            if began is not None and isinstance(trace, Sample) and (not self._is_file or (is_taken and not is_early)):
                self.is_ordered = self.is_ordered and (self.newest is None or began >= self.newest)
                self.newest = max(began, self.newest or began)
            if is_taken and not is_early:
                yield trace, is_new

    def _mark_new(self, traces: Iterable[Sample | UnreadTrace]) -> Iterator[tuple[Sample | UnreadTrace, bool]]:
        reading, seen = iter(traces), set[int]()  # hashes of ids
        while part := list(islice(reading, _AT_ONCE)):
            ids = [trace_id(trace) for trace in part if isinstance(trace, Sample)]
            before = self._known(ids) if ids else set()
            for trace in part:
                name = trace_id(trace) if isinstance(trace, Sample) else None
                yield trace, name is None or not (name in before or hash(name) in seen)
                seen.add(hash(name))


class PullCursor:
    """The cursor of one address, filter and unit: which traces were pulled before.

    It moves after the file of a pull has its name. After a kill before that, the next pull reads the same traces again.
    """

    def __init__(self, store: Store, address: TraceAddress, trace_filter: Mapping[str, str], unit: str) -> None:
        self._database, self._is_file = store.database, address.is_file
        self._fields = _place_of(address), json.dumps(dict(sorted(trace_filter.items()))), unit
        self.id = hashlib.sha256("\0".join(self._fields).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._traces: list[tuple[str, float]] = []
        self._sessions: set[str] = set()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Holds the cursor for a pull."""
        refusal = f"{self._fields[0]}: another process pulls what is new from here; wait until it has ended"
        with hold_lock(self._database, f"pull-{self.id}", refusal):
            yield

    def watermark(self) -> datetime | None:
        """Returns the time of the newest trace that was pulled; None before the first pull."""
        row = self._row("SELECT watermark FROM pull_cursors WHERE id = ?", self.id)
        return None if row is None or row[0] is None else datetime.fromisoformat(row[0])

    def read_from(self) -> datetime | None:
        """Returns the time from which the next pull reads a server; None for all, as of a file always."""
        watermark = None if self._is_file else self.watermark()
        return None if watermark is None else watermark - OVERLAP

    def known_traces(self, traces: Sequence[str]) -> set[str]:
        """Returns which of some traces were pulled before."""
        marks = ", ".join("?" * len(traces))
        sql = f"SELECT trace FROM pulled_traces WHERE cursor = ? AND is_pending = 0 AND trace IN ({marks})"
        with explain_errors(self._database, _UNKEPT):
            return {str(trace) for (trace,) in self._database.execute(sql, (self.id, *traces)).fetchall()}

    def has_session(self, session: str) -> bool:
        """Whether a part of a session was pulled before as a conversation with the session's id."""
        sql = "SELECT 1 FROM pulled_sessions WHERE cursor = ? AND is_pending = 0 AND session = ?"
        return self._row(sql, self.id, _short(session)) is not None

    def add_trace(self, trace: str, began: datetime) -> None:
        """Notes a trace that this pull reads."""
        self._traces.append((trace, began.timestamp()))

    def add_session(self, session: str) -> None:
        """Notes a session of which this pull writes a conversation with the session's id."""
        self._sessions.add(_short(session))

    def commit(self, newest: datetime | None) -> None:
        """Moves the cursor: the file is there. Of a server the traces before the overlap are never read again."""
        times = [time.astimezone(UTC) for time in (self.watermark(), newest) if time is not None]
        watermark = max(times, default=None)
        pulled = "ON CONFLICT DO UPDATE SET is_pending = 0"  # 0.2 noted what a pull was reading
        with explain_errors(self._database, _UNKEPT), self._database.transaction():
            self._database.executemany(
                f"INSERT INTO pulled_traces VALUES (?, ?, ?, 0) {pulled}",
                [(self.id, trace, began) for trace, began in self._traces],
            )
            self._database.executemany(
                f"INSERT INTO pulled_sessions VALUES (?, ?, 0) {pulled}",
                [(self.id, session) for session in self._sessions],
            )
            self._database.execute(
                "INSERT INTO pull_cursors VALUES (?, ?, ?, ?, ?, NULL) ON CONFLICT (id) DO UPDATE SET "
                "watermark = excluded.watermark, pending = NULL",
                (self.id, *self._fields, None if watermark is None else watermark.isoformat()),
            )
            if watermark is not None and not self._is_file:
                earliest = (watermark - OVERLAP).timestamp()
                sql = "DELETE FROM pulled_traces WHERE cursor = ? AND began < ?"
                self._database.execute(sql, (self.id, earliest))

    def _row(self, sql: str, *values: Any) -> Any:
        with explain_errors(self._database, _UNKEPT):
            return self._database.execute(sql, values).fetchone()


@contextmanager
def hold_lock(database: Database, name: str, refusal: str) -> Iterator[None]:
    """Holds a lock of a pull, a push or a watch; refuses where another process holds it."""
    with explain_errors(database, "the lock cannot be taken"):
        if not database.locks.take(name):
            raise UsageError(refusal)
    try:
        yield
    finally:
        with explain_errors(database, "the lock cannot be released"):
            database.locks.release(name)


def note_address(store: Store, address: str) -> None:
    """Notes that traces were pulled from an address with this store: `assay traces push` sends scores there."""
    with explain_errors(store.database, "the address cannot be kept"):
        store.database.execute(
            "INSERT INTO trace_addresses VALUES (?, ?) ON CONFLICT (address) DO UPDATE SET pulled_at = "
            "excluded.pulled_at",
            (address, datetime.now(UTC).isoformat(timespec="seconds")),
        )


def is_known_address(store: Store, address: str) -> bool:
    """Whether traces were pulled from an address with this store."""
    with explain_errors(store.database, "the addresses cannot be read"):
        row = store.database.execute("SELECT 1 FROM trace_addresses WHERE address = ?", (address,)).fetchone()
    return row is not None


def canonical_address(address: TraceAddress) -> str:
    """Returns the one form of the several in which the address of a server may be typed; that of a file as it is."""
    if address.is_file:
        return f"{address.scheme}:{address.project}"
    return f"{address.scheme}://{address.host.lower()}/{address.project}"


def _place_of(address: TraceAddress) -> str:
    if address.is_file:
        return f"{address.scheme}:{Path(address.project).expanduser().absolute()}"
    return canonical_address(address)


def _short(session: str) -> str:
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]
