"""The traces of one session become the messages of one conversation, whoever read the traces."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..message import REASONS, Message, Turn, find_turns
from ..message_times import read_time
from ..thread import read_thread
from .trace_messages import join_threads

_RATING_FIELDS = ("human_rating", "rating")


class SessionTrace(NamedTuple):
    """One trace of a session."""

    id: Any  # its id; None for one without
    time: Any  # when it began; None where that is unknown
    thread: Sequence[Message]
    answer: str
    contexts: Sequence[str] = ()  # what was retrieved for the answer
    # the fields of people's ratings: `human_rating` or `rating`, or `ratings` by rater; `rating_reasons`
    rating: Mapping[str, Any] = {}
    reference: str | None = None
    span: str = ""


def order_traces(traces: Sequence[SessionTrace]) -> list[int]:
    """Returns the places of traces in the order of their times; as they stand where a time cannot be read."""
    places = list(range(len(traces)))
    times = [read_time(None if trace.time is None else str(trace.time)) for trace in traces]
    if not all(times):
        return places
    stamps = [time.timestamp() for time in times if time]
    return sorted(places, key=lambda place: stamps[place])


def join_messages(traces: Sequence[SessionTrace]) -> tuple[Message, ...]:
    """Joins the messages of traces, of which one may repeat those of the traces before it.

    Each answer has the `trace_id` and `span_id` of its trace, its contexts, its ratings and its reference; the question
    has the time.

    Raises:
        ThreadError: The messages make no conversation.
    """
    messages: list[Message] = []
    for trace in traces:
        messages = join_threads(messages, _with_trace(trace))
    return read_thread(messages)


def with_ratings(thread: Sequence[Message], answer: str, ratings: Mapping[str, Any]) -> list[Message]:
    """Returns messages of which the last one with an answer has people's ratings of it."""
    messages = list(thread)
    turn = _find_turn(messages, answer)
    if turn is not None:
        messages[turn.answer] = _changed(messages[turn.answer], _rating_fields(ratings))
    return messages


def _find_turn(thread: Sequence[Message], answer: str) -> Turn | None:
    return next((turn for turn in reversed(find_turns(thread)) if turn.response == answer), None)


def _rating_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    rating = next((fields[name] for name in _RATING_FIELDS if fields.get(name) is not None), None)
    ratings = fields.get("ratings")
    if rating is None and isinstance(ratings, Mapping) and ratings:
        rating = sum(ratings.values()) / len(ratings)
    return {"rating": rating, "ratings": ratings, REASONS: fields.get(REASONS)}


def _with_trace(trace: SessionTrace) -> list[Message]:
    thread = list(trace.thread)
    turn = _find_turn(thread, trace.answer)
    if turn is None:
        return thread
    changes: dict[str, Any] = {
        "retrieved_contexts": thread[turn.answer].retrieved_contexts or tuple(trace.contexts),
        **_rating_fields(trace.rating),
        "reference": trace.reference,
        "trace_id": None if trace.id is None else str(trace.id),
        "span_id": trace.span,
    }
    thread[turn.answer] = _changed(thread[turn.answer], changes)
    if trace.time is not None and not any(message.time for message in thread):
        asked = max(place for place in range(turn.answer) if thread[place].role == "user")
        thread[asked] = _changed(thread[asked], {"time": trace.time})
    return thread


def _changed(message: Message, changes: Mapping[str, Any]) -> Message:
    return Message.model_validate(
        message.model_dump() | {name: value for name, value in changes.items() if value not in (None, "", (), {})}
    )
