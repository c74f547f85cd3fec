"""Chat logs: conversations with their messages, rows of messages, or lines of text; one sample per answer."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..rows import BadRow, Row, Rows
from ..text_lines import encoding_note, find_encoding, read_lines
from .human_ratings import rating_fields
from .message_text import ROLES, LogMessage, find_documents, find_role, read_message

_LINE = re.compile(
    r"(?:\[(?P<bracketed>[^\]]{1,40})\]|(?P<time>\d[\d\-/.:T ]{4,24}Z?)[,;|\t -]?)?\s*"
    r"(?P<speaker>[^\W\d_][\w .'-]{0,39}?)\s*:\s+(?P<text>.*)"
)
_CONVERSATION_KEYS = (
    "conversation_id",
    "conversationId",
    "session_id",
    "sessionId",
    "thread_id",
    "chat_id",
    "conversation",
)


def is_conversation(values: Mapping[str, Any]) -> bool:
    """Whether an object holds its messages."""
    return messages_key(values) is not None


def messages_key(values: Mapping[str, Any]) -> str | None:
    """The key of an object that holds its messages: `messages`, ShareGPT's `conversations`, Ragas's `user_input`."""
    for key in ("messages", "conversations", "conversation", "user_input"):
        messages = values.get(key)
        if isinstance(messages, list) and messages and all(read_message(entry) is not None for entry in messages):
            return key
    return None


def is_message(values: Mapping[str, Any]) -> bool:
    """Whether a row is one message of a conversation."""
    message = read_message(values)
    return message is not None and message.role in ROLES and any(name in values for name in _CONVERSATION_KEYS)


def read_conversation(row: Row, name: str) -> Iterator[Row | BadRow]:
    """Yields one row per answer of the conversation; a rating beside the messages is that of the last answer."""
    values = dict(row.values)
    messages = values.pop(messages_key(values) or "messages")
    label = next((values[key] for key in ("id", *_CONVERSATION_KEYS) if isinstance(values.get(key), str | int)), None)
    conversation = f"conversation-{row.number}" if label is None else str(label)
    rows = list(answers(messages, conversation, row.place, name, rest=values, number=row.number))
    last = rows[-1]
    if isinstance(last, Row):
        reference = {"reference": values["reference"]} if isinstance(values.get("reference"), str) else {}
        rows[-1] = last._replace(values=rating_fields(values) | reference | last.values)
    yield from rows


def read_messages(rows: Iterator[Row | BadRow], name: str) -> Iterator[Row | BadRow]:
    """Yields one row per answer, from rows of messages; the file is read whole, as conversations may be interleaved."""
    rows_by_conversation: dict[str, list[Row]] = {}
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        else:
            conversation = next(str(row.values[key]) for key in _CONVERSATION_KEYS if key in row.values)
            rows_by_conversation.setdefault(conversation, []).append(row)
    for number, (conversation, own) in enumerate(rows_by_conversation.items(), 1):
        yield from answers([row.values for row in own], conversation, own[0].place, name, rest={}, number=number)


def answers(
    messages: Sequence[Mapping[str, Any]],
    conversation: str,
    place: str,
    name: str,
    *,
    rest: Mapping[str, Any],
    number: int,
) -> Iterator[Row | BadRow]:
    """Yields one row per answer: the messages of the person since the last one, and what was retrieved.

    Each row's `metadata` has the messages that it was made of (`messages`) and those before it (`history`); messages
    after the last answer stand with it (`unanswered`). A rating in the answer's message is that of the answer.

    Args:
        messages: The messages of one conversation.
        conversation: Its id.
        place: Where it stands in the file.
        name: The file's name, for messages.
        rest: Everything else of the conversation, for `metadata`.
        number: The conversation's number.

    Yields:
        The rows; one bad row for a conversation without an answer, or with an unknown speaker.
    """
    turns: list[tuple[list[Mapping[str, Any]], list[LogMessage]]] = []
    pending: list[tuple[Mapping[str, Any], LogMessage]] = []
    for place_in_conversation, values in enumerate(messages, 1):
        message = read_message(values)
        if message is None or not message.role:
            problem = f"message {place_in_conversation}: the speaker {_speaker(values)!r} is unknown"
            cure = "name the speakers user and assistant"
            yield BadRow(number, InputError(f"{name}, {place}, conversation {conversation}, {problem}; {cure}"))
            return
        pending.append((values, message))
        if message.role == "assistant" and any(earlier.role == "user" for _, earlier in pending):
            turns.append(([values for values, _ in pending], [message for _, message in pending]))
            pending = []
    if not turns:
        problem = "has no question with an answer after it; it cannot be a sample"
        yield BadRow(number, InputError(f"{name}, {place}: conversation {conversation} {problem}; leave it out"))
        return
    history: list[Mapping[str, Any]] = []
    for turn, (raw, spoken) in enumerate(turns, 1):
        metadata: dict[str, Any] = dict(rest) | {"conversation": conversation, "turn": turn, "messages": raw}
        if history:
            metadata["history"] = list(history)
        if turn == len(turns) and pending:
            metadata["unanswered"] = [values for values, _ in pending]
        row = {
            "id": f"{conversation}-{turn}",
            "user_input": "\n".join(message.text for message in spoken if message.role == "user"),
            "response": spoken[-1].text,
            "retrieved_contexts": [
                text for message in spoken if message.role == "context" for text in find_documents(message.text)
            ],
            "group": conversation,
            "metadata": metadata,
        }
        yield Row(number * 1000 + turn, place, row | rating_fields(raw[-1]))
        history += raw


def _speaker(values: Any) -> Any:
    keys = ("role", "speaker", "sender", "author", "from", "type")
    return next((values[key] for key in keys if key in values), None) if isinstance(values, Mapping) else values


def open_chat_log(path: Path, name: str) -> Rows:
    """Opens a text log: `Customer: ...`, `Bot: ...`, with a time before it or not; a blank line ends a conversation.

    A line that names no speaker continues the message before it.
    """
    encoding = find_encoding(path)
    return Rows(name, path.stem, _log_rows(path, name, encoding), notes=encoding_note(name, encoding))


def _log_rows(path: Path, name: str, encoding: str) -> Iterator[Row | BadRow]:
    messages: list[dict[str, Any]] = []
    count, first = 0, 1
    for number, text, error in read_lines(path, name, encoding):
        if error:
            raise error
        line = text.rstrip("\r\n")
        match = _LINE.fullmatch(line)
        if not line.strip():
            if messages:
                count += 1
                yield from answers(messages, f"{path.stem}-{count}", f"line {first}", name, rest={}, number=count)
            messages = []
        elif match and find_role(match["speaker"]):
            if not messages:
                first = number
            time = match["bracketed"] or match["time"]
            messages.append(
                {"role": match["speaker"], "content": match["text"]} | ({"time": time.strip()} if time else {})
            )
        elif messages:
            messages[-1]["content"] += f"\n{line}"
        else:
            problem = "names no known speaker; begin the line with `User:` or `Bot:`"
            yield BadRow(number, InputError(f"{name}, line {number}: {problem}"))
    if messages:
        count += 1
        yield from answers(messages, f"{path.stem}-{count}", f"line {first}", name, rest={}, number=count)
