"""What reads traces: a source; the sample of a trace, and where it was pulled from; times of traces."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Any, Protocol, Self

from ..errors import InputError, UsageError
from ..eval_sets import Sample
from ..eval_sets.column_roles import ColumnRoles
from ..eval_sets.logs.trace_row import Trace, build_row
from ..eval_sets.message_times import read_time
from ..eval_sets.rows import BadRow, Repeatable, Rows
from ..eval_sets.set_reader import SampleBuilder
from ..value_messages import check_characters

ORIGIN = "trace"
"""The key of a sample's metadata with its origin."""


@dataclass(frozen=True, slots=True)
class TraceOrigin:
    """Where a sample was pulled from; in a sample's `metadata` as an object under `trace`."""

    address: str  # the address of the project, as it was typed
    id: str  # the trace's id; of a conversation that of its last trace (each message has its own, `trace_id`)
    span: str = ""  # the id of the span or observation that holds the answer; empty where the tool has none
    session: str = ""  # the id of the session; empty where there is none
    time: str = ""  # when the trace began, in ISO 8601 with its offset, in UTC
    unit: str = "trace"  # or "session"
    extent: str = ""  # `session` of a trace that is alone in its session; a score of a conversation is about that

    @classmethod
    def of_sample(cls, sample: Sample) -> Self | None:
        """Reads the origin of a sample; None of one that was not pulled."""
        values = sample.metadata.get(ORIGIN)
        if not isinstance(values, Mapping) or not values.get("address") or not values.get("id"):
            return None
        return cls(**{name: str(values.get(name, "")) for name in cls.__slots__})

    def as_json(self) -> dict[str, Any]:
        """Returns the object for the metadata."""
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True, slots=True)
class UnreadTrace:
    """A trace that is no sample."""

    id: str  # its id
    time: str  # when it began, in ISO 8601 in UTC; empty where that is unknown
    reason: str  # what is missing and what to do, for a person
    is_file: bool = False  # whether it is a whole file that cannot be read: traces may be in it


Traces = Iterator[Sample | UnreadTrace]
"""What a source reads."""


class Source(Protocol):
    """Reads the traces of one project.

    A class that is registered among the entry points `assay.sources` under the scheme of its addresses is made with a
    `TraceAddress`; keys come from the tool's own environment variables.

    Whoever implements it raises `InputError` or `UsageError` for a wrong key, a server that does not answer and a
    project that is not there, each with what to do; waits and asks again where the tool says that it is asked too
    often; and holds at most a page of traces in memory.
    """

    def read(self, since: datetime | None, until: datetime | None) -> Traces:
        """Yields one sample per trace, in the order of the times at which they began where the tool can do that.

        The sample has the question, the answer, the contexts of its retrievers, the calls of tools (as `messages`,
        where there is more than a question and an answer), people's annotations and feedback as `ratings` by rater, the
        session as `group`, the model and the prompt's version in the metadata as `model` and `prompt_version`, its
        `TraceOrigin` under `trace`, and every other field in the metadata.

        Args:
            since: The first moment at which a trace may have begun, with its zone; None for all.
            until: The first moment at which one may no longer have begun; None for now.

        Raises:
            InputError: The server cannot be reached, refuses the key, or has no such project.
        """
        ...


_DURATION = re.compile(r"(\d{1,9}(?:\.\d+)?)\s*(s|m|h|d|w)")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_WRITE = "write a duration such as 30m, 24h or 7d"


def read_duration(text: str, option: str) -> timedelta:
    """Reads a duration: a number with s, m, h, d or w."""
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None:
        raise UsageError(f"{option} {text!r}: is no duration; {_WRITE}")
    try:
        return timedelta(**{_UNITS[match[2]]: float(match[1])})
    except OverflowError:
        raise UsageError(f"{option} {text!r}: is too long; {_WRITE}") from None


def read_moment(text: str, option: str, now: datetime) -> datetime:
    """Reads a duration before now, or a time in ISO 8601; one without a zone is of the local zone.

    Example:
        >>> from datetime import UTC
        >>> now = datetime(2026, 1, 2, 12, tzinfo=UTC)
        >>> read_moment("24h", "--since", now).isoformat()
        '2026-01-01T12:00:00+00:00'
        >>> read_moment("2026-01-01T10:00:00+01:00", "--since", now).isoformat()
        '2026-01-01T10:00:00+01:00'
    """
    if _DURATION.fullmatch(text.strip().lower()):
        try:
            return now - read_duration(text, option)
        except OverflowError:
            raise UsageError(f"{option} {text!r}: is too long; {_WRITE}") from None
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment if moment.tzinfo is not None else moment.astimezone()
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{option} {text!r}: is no time; {_WRITE}, or a time such as 2026-01-31 or 2026-01-31T08:00:00+01:00"
        ) from None


def read_utc(value: Any) -> datetime | None:
    """Reads a time in UTC; one without a zone is taken to be in UTC, as servers keep it.

    Example:
        >>> read_utc("2026-11-20T10:00:00+02:00").isoformat(), read_utc(7), read_utc("soon")
        ('2026-11-20T08:00:00+00:00', None, None)
    """
    time = read_time(value) if isinstance(value, str) else None
    if time is None:
        return None
    try:
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except OverflowError:  # of the first or last day of all
        return None


def utc_text(moment: datetime) -> str:
    """Writes a moment so that texts sort as moments do: ISO 8601 in UTC, with microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def write_utc(time: datetime) -> str:
    """Writes a time in UTC with a `Z`, as the APIs take it."""
    return utc_text(time).replace("+00:00", "Z")


_ROW = "trace 1"


def make_sample(trace: Trace, address: str) -> Sample | UnreadTrace:
    """Makes the sample of a trace of an address; `UnreadTrace` of one without a question or an answer."""
    time = read_utc(None if trace.time is None else str(trace.time))
    session = "" if trace.session is None else str(trace.session)
    origin = TraceOrigin(address, str(trace.id), trace.span, session, "" if time is None else time.isoformat())
    rating = dict(trace.rating)
    if "human_rating" in rating:  # the name of a column, where a file is read
        rating["rating"] = rating.pop("human_rating")
    reason = "holds no question and answer"
    try:
        for name, text in (("id", origin.id), ("session", session), ("span", origin.span)):
            try:
                check_characters(text)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        for row in build_row([trace._replace(session=None, rating=rating)], address):  # an answer of its session
            if isinstance(row, BadRow):
                raise row.error
            metadata = {**row.values.get("metadata", {}), ORIGIN: origin.as_json()}
            # one per sample: ids are those of the tool, and nothing is counted by column
            builder = SampleBuilder(Rows(address, "trace", Repeatable(lambda: iter(()))), {}, None, ColumnRoles())
            values = row.values | {"metadata": metadata, "group": session or None}
            if sample := builder.sample(row._replace(place=_ROW, values=values)):
                return sample
            reason = "holds no question"
    except (InputError, ValueError, RecursionError) as error:  # what was logged may be anything
        places = (f"{address}, {place}, " for place in (trace.place, _ROW))
        reason = reduce(str.removeprefix, places, str(error)) or type(error).__name__
    return UnreadTrace(origin.id.encode("utf-8", "backslashreplace").decode(), origin.time, reason)
