"""Conversations with their messages: one sample per conversation."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...errors import InputError
from ..message import Message
from ..message_forms import find_messages_key
from ..rows import BadRow, Row
from ..thread import ThreadError, read_thread


def is_conversation(values: Mapping[str, Any]) -> bool:
    """Whether an object holds its messages."""
    return find_messages_key(values) is not None


def conversation_row(
    conversation: str, messages: list[Any], rows: list[Row], name: str, beside: Mapping[str, Any] | None = None
) -> Row | BadRow:
    """Builds the row of a conversation out of messages that stand in rows of their own."""
    first = rows[0]
    try:
        thread: tuple[Message, ...] = read_thread(messages)
    except ThreadError as error:
        place = first.place if error.turn is None else rows[error.turn].place
        return BadRow(first.number, InputError(f"{name}, {place}, conversation {conversation}: {error}"))
    return Row(first.number, first.place, {"id": conversation, "messages": thread, **(beside or {})})


def read_conversations(rows: Iterable[Row | BadRow], _name: str) -> Iterator[Row | BadRow]:
    """Reads the scale of conversations' ratings, where their messages say it. All else is read as of any row."""
    for row in rows:
        yield row if isinstance(row, BadRow) else row._replace(values=row.values | _scale_of_messages(row.values))


def _scale_of_messages(values: Mapping[str, Any]) -> dict[str, Any]:
    """The bounds that a conversation does not say itself, and that are one in all its messages that say any."""
    key = find_messages_key(values)
    messages = [message for message in values[key] if isinstance(message, Mapping)] if key is not None else []
    scale = {}
    for name in ("rating_min", "rating_max"):
        stated = [message[name] for message in messages if name in message]
        if values.get(name) is None and stated and all(bound == stated[0] for bound in stated):
            scale[name] = stated[0]
    return scale
