"""Conversations with their messages: one sample per conversation."""

from collections.abc import Mapping
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
