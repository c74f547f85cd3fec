"""The traces of one session become one conversation, in memory that does not grow with their number."""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from ..eval_sets import Sample
from ..eval_sets.logs.human_ratings import split_reasons
from ..eval_sets.logs.trace_row import SessionTrace, join_messages
from ..eval_sets.message import REASONS, Message
from ..eval_sets.message_times import read_time
from ..eval_sets.thread import ThreadError, thread_language
from .source import ORIGIN, TraceOrigin

GAP = timedelta(minutes=30)
"""A quiet time that ends a conversation."""
MOST_TRACES = 500
"""In one conversation: a session without end goes on as another one."""
SESSION_RATING = "session_rating"
"""The key of a trace's metadata with people's ratings of its whole session: `human_rating`, or `ratings` by rater, and
their `rating_min` and `rating_max`."""
UNUSED_SESSION = "unused_session_ratings"
"""The key with what people said of a session and is not used, and why."""
_SEGMENTS = ("model", "prompt_version")  # of the last trace, also beside `traces`: answers are grouped by them
_OWN_FIELDS = {"id", "user_input", "response", "retrieved_contexts", "messages", "rating", "ratings", "rating_min"}
_OWN_FIELDS |= {"rating_max", "language", "group", "metadata", "reference"}


def join_sessions(
    samples: Iterable[Sample],
    *,
    folder: Path | None = None,
    is_later_part: Callable[[str], bool] = lambda session: False,
    on_unjoined: Callable[[str], None] = lambda session: None,
    on_open: Callable[[datetime], None] = lambda last: None,
) -> Iterator[Sample]:
    """Joins the traces of each session to a conversation, in the order of the times at which they began.

    A trace without a session stays as it is, and one that is alone in its session keeps its id. A quiet time of 30
    minutes ends a conversation; what follows in the session is another one, whose id is `SESSION@TIME`. Samples wait in
    a file.

    Args:
        samples: Samples of traces, in any order.
        folder: Where the file is; None for the system's folder of temporary files.
        is_later_part: Whether an earlier part of a session was read before.
        on_unjoined: Called with each session whose traces make no conversation: each is an answer by itself.
        on_open: Called with the time of the last trace of each conversation.

    Yields:
        Conversations and single traces, by the times of the first trace of their session.
    """
    with _open_spool(folder) as spooled:
        _fill_spool(spooled, samples)
        for session, rows in groupby(_spooled_rows(spooled), itemgetter(0)):
            is_later = is_later_part(session[1:]) if session.startswith("s") else False
            for part, last in _parts(rows):
                joined = _join_part(part, is_later_part=is_later)
                if len(joined) > 1:
                    on_unjoined(session[1:])
                if session.startswith("s") and last:
                    on_open(datetime.fromtimestamp(last, UTC))
                is_later = is_later or any(sample.id == session[1:] for sample in joined)
                yield from joined


def join_conversation(samples: Sequence[Sample], *, is_later_part: bool = False) -> Sample:
    """Joins the traces of one session to a conversation.

    Its `TraceOrigin` is that of the last trace, with the unit `session` and the time of the first one; the message of
    each answer has `trace_id` and `span_id`. What no message has a place for stands in `metadata.traces`.

    Raises:
        ThreadError: The messages make no conversation.
        ValidationError: What they hold makes no sample.
    """
    origins = [TraceOrigin.of_sample(sample) for sample in samples]
    first, last = origins[0], origins[-1]
    if first is None or last is None:
        raise ThreadError("a sample has no origin")
    scale = Counter((sample.rating_min, sample.rating_max) for sample in samples if _is_rated(sample)).most_common(1)
    low, high = scale[0][0] if scale else (1.0, 5.0)
    messages = join_messages(
        [_session_trace(sample, origin, (low, high)) for sample, origin in zip(samples, origins, strict=True)]
    )
    metadata: dict[str, Any] = {"traces": [_rest(sample) for sample in samples]}
    metadata |= {name: samples[-1].metadata[name] for name in _SEGMENTS if samples[-1].metadata.get(name)}
    origin = TraceOrigin(last.address, last.id, last.span, last.session, first.time, "session")
    rating, reasons = _session_rating(samples, (low, high))
    metadata |= reasons
    values: dict[str, Any] = {
        "id": f"{last.session}@{first.time or first.id}" if is_later_part else last.session,
        "messages": messages,
        "language": thread_language(messages),
        "rating_min": low,
        "rating_max": high,
        "metadata": metadata | {ORIGIN: origin.as_json()},
    }
    return Sample.model_validate(values | rating)


@contextmanager
def _open_spool(folder: Path | None) -> Iterator[sqlite3.Connection]:
    """A database in a file that is gone with the process, also after a kill where the system can do that."""
    with TemporaryDirectory(prefix=".assay-", dir=folder, ignore_cleanup_errors=True) as own:
        file = Path(own, "traces.sqlite")
        with closing(sqlite3.connect(file, isolation_level=None)) as spool:
            for pragma in ("journal_mode=OFF", "synchronous=OFF", "temp_store=FILE"):
                spool.execute(f"PRAGMA {pragma}")
            spool.execute("CREATE TABLE traces (number INTEGER PRIMARY KEY, session TEXT, began REAL, content TEXT)")
            if os.name == "posix":
                file.unlink()
                Path(own).rmdir()
            yield spool


def _fill_spool(spool: sqlite3.Connection, samples: Iterable[Sample]) -> None:
    """Writes the samples down; a trace of no session is a group of its own."""
    began = 0.0
    spool.execute("BEGIN")
    for number, sample in enumerate(samples):
        origin = TraceOrigin.of_sample(sample)
        session = f"s{origin.session}" if origin and origin.session else f"t{number}"
        time = read_time(origin.time) if origin else None
        began = began if time is None else time.timestamp()  # one without a time stands beside the one before it
        content = json.dumps(sample.model_dump(mode="json", exclude_defaults=True))
        spool.execute("INSERT INTO traces VALUES (?, ?, ?, ?)", (number, session, began, content))
    spool.execute("COMMIT")


def _spooled_rows(spool: sqlite3.Connection) -> Iterator[tuple[str, float, str]]:
    """The traces by session, the sessions by their first trace."""
    spool.execute("CREATE INDEX by_session ON traces (session, began)")
    yield from spool.execute(
        "SELECT session, began, content FROM (SELECT session, min(began) AS first FROM traces GROUP BY session) "
        "JOIN traces USING (session) ORDER BY first, session, began, number"
    )


def _parts(rows: Iterable[tuple[str, float, str]]) -> Iterator[tuple[list[Sample], float]]:
    """The parts of a session between which it was quiet, each with the time of its last trace."""
    part: list[Sample] = []
    last = 0.0
    for _, began, content in rows:
        if part and (began - last > GAP.total_seconds() or len(part) == MOST_TRACES):
            yield part, last
            part = []
        part.append(Sample.model_validate(json.loads(content)))  # pydantic's own JSON knows no half characters
        last = began
    yield part, last


def _join_part(part: list[Sample], *, is_later_part: bool) -> list[Sample]:
    try:
        return [_alone(part[0]) if len(part) == 1 else join_conversation(part, is_later_part=is_later_part)]
    except (ThreadError, ValidationError):
        return part  # nothing is lost: each is an answer by itself, of the same group


def _alone(sample: Sample) -> Sample:
    """A trace that is alone in its session: a conversation of one turn, and its origin says so.

    Ratings of the session are of the same answer as those of the trace: they are further raters' of one conversation.
    """
    origin = TraceOrigin.of_sample(sample)
    if origin is None or not origin.session:
        return sample
    scale = sample.rating_min, sample.rating_max
    rating, reasons = _session_rating([sample], scale)
    if rating and _is_rated(sample):
        own: dict[str, float | None] = {**sample.ratings} or {"trace": sample.rating}
        rating = {"rating": None, "ratings": (rating["ratings"] or {"session": rating["rating"]}) | own}
    written = sample.metadata.get(REASONS) or {}
    reasons = {
        name: said | {rater: [*said.get(rater, ()), *texts] for rater, texts in written.items()}
        for name, said in reasons.items()
    }
    metadata = sample.metadata | reasons | {ORIGIN: replace(origin, extent="session").as_json()}
    return sample.model_copy(update={"messages": _thread(sample), "metadata": metadata, **rating})


def _is_rated(sample: Sample) -> bool:
    return sample.rating is not None or bool(sample.ratings)


def _session_trace(sample: Sample, origin: TraceOrigin | None, scale: tuple[float, float]) -> SessionTrace:
    rating: dict[str, Any] = {}
    if sample.rating is not None:
        rating["rating"] = _rescaled(sample.rating, sample, scale)
    if sample.ratings:
        rating["ratings"] = {rater: _rescaled(value, sample, scale) for rater, value in sample.ratings.items()}
    if sample.metadata.get(REASONS):
        rating[REASONS] = sample.metadata[REASONS]
    return SessionTrace(
        origin.id if origin else None,
        origin.time or None if origin else None,
        _thread(sample),
        sample.response,
        sample.retrieved_contexts,
        rating,
        sample.reference,
        origin.span if origin else "",
    )


def _thread(sample: Sample) -> tuple[Message, ...]:
    """The messages of a trace: its own, else its question and its answer."""
    asked = Message(role="user", content=sample.user_input)
    return sample.messages or (asked, Message(role="assistant", content=sample.response))


def _rescaled(value: float, sample: Sample, scale: tuple[float, float]) -> float:
    """A rating on the scale of the conversation: all its messages have one."""
    return rescale(value, (sample.rating_min, sample.rating_max), scale)


def rescale(value: float, own: tuple[float, float], scale: tuple[float, float]) -> float:
    """Returns a rating at the same share of another scale.

    Example:
        >>> rescale(0.0, (0, 1), (1, 5)), rescale(0.5, (0, 1), (1, 5))
        (1.0, 3.0)
    """
    if own == scale:
        return value
    return scale[0] + (value - own[0]) / (own[1] - own[0]) * (scale[1] - scale[0])


def _rest(sample: Sample) -> dict[str, Any]:
    """What a trace has beside its messages: its id, its metadata, and fields that only samples of answers have."""
    others = sample.model_dump(mode="json", exclude_defaults=True, exclude=_OWN_FIELDS)
    own: dict[str, Any] = {"id": sample.id} | others
    if _is_rated(sample):
        own |= {"rating_min": sample.rating_min, "rating_max": sample.rating_max}
    return own | {name: value for name, value in sample.metadata.items() if name != REASONS}


def _session_rating(samples: Sequence[Sample], scale: tuple[float, float]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of people's ratings of the whole session, and those of the metadata: what they wrote."""
    ratings = next((held for sample in reversed(samples) if (held := sample.metadata.get(SESSION_RATING))), None)
    if not isinstance(ratings, Mapping):
        return {}, {}
    own = Sample(
        user_input="",
        response="",
        rating=ratings.get("human_rating"),
        ratings=ratings.get("ratings") or {},
        rating_min=ratings.get("rating_min", 1),
        rating_max=ratings.get("rating_max", 5),
    )
    rating = {
        "rating": None if own.rating is None else _rescaled(own.rating, own, scale),
        "ratings": {rater: _rescaled(value, own, scale) for rater, value in own.ratings.items()},
    }
    return rating if _is_rated(own) else {}, split_reasons(ratings)[1]
