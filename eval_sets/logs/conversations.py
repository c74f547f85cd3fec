"""Chat logs: conversations with their messages, rows of messages, or lines of text; a sample an answer."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..rows import BadRow, Row, Rows
from ..text_lines import decode_line, read_raw_lines
from .message_text import ROLES, Said, documents, message, role

_LINE = re.compile(
    r"(?:\[(?P<bracketed>[^\]]{1,40})\]|(?P<time>\d[\d\-/.:T ]{4,24}Z?)[,;|\t -]?)?\s*"
    r"(?P<speaker>[^\W\d_][\w .'-]{0,39}?)\s*:\s+(?P<text>.*)"
)
_CONVERSATION = ("conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "chat_id", "conversation")


def is_conversation(values: Mapping[str, Any]) -> bool:
    """An object with its messages."""
    held = values.get("messages")
    return isinstance(held, list) and bool(held) and all(message(each) is not None for each in held)


def is_message(values: Mapping[str, Any]) -> bool:
    """A row that is one message of a conversation."""
    said = message(values)
    return said is not None and said.role in ROLES and any(name in values for name in _CONVERSATION)


def read_conversation(row: Row, name: str) -> Iterator[Row | BadRow]:
    """A row an answer of the conversation."""
    values = dict(row.values)
    messages = values.pop("messages")
    own = next((values[key] for key in ("id", *_CONVERSATION) if values.get(key) is not None), None)
    conversation = f"conversation-{row.number}" if own is None else str(own)
    yield from answers(messages, conversation, row.place, name, rest=values, number=row.number)


def read_messages(rows: Iterator[Row | BadRow], name: str) -> Iterator[Row | BadRow]:
    """A row an answer, from rows of messages; the file is read whole, since conversations may be interleaved."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        else:
            conversation = next(str(row.values[key]) for key in _CONVERSATION if key in row.values)
            found.setdefault(conversation, []).append(row)
    for number, (conversation, own) in enumerate(found.items(), 1):
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
    """A row an answer: the messages of the person since the last one, what was retrieved, and what was said before.

    Each sample's `metadata` has the messages that it was made of (`messages`) and those before it (`history`); messages
    after the last answer stand with it (`unanswered`). A conversation without an answer is a bad row.
    """
    turns: list[tuple[list[Mapping[str, Any]], list[Said]]] = []
    waiting: list[tuple[Mapping[str, Any], Said]] = []
    for number_of, each in enumerate(messages, 1):
        said = message(each)
        if said is None or not said.role:
            told = f"message {number_of}: who speaks is unknown ({_speaker(each)!r})"
            cure = "name the speakers user and assistant"
            yield BadRow(number, InputError(f"{name}, {place}, conversation {conversation}, {told}; {cure}"))
            return
        waiting.append((each, said))
        if said.role == "assistant" and any(one.role == "user" for _, one in waiting):
            turns.append(([one for one, _ in waiting], [one for _, one in waiting]))
            waiting = []
    if not turns:
        told = "has no question with an answer after it; it cannot be a sample"
        yield BadRow(number, InputError(f"{name}, {place}: conversation {conversation} {told}; leave it out"))
        return
    history: list[Mapping[str, Any]] = []
    for turn, (raw, spoken) in enumerate(turns, 1):
        metadata: dict[str, Any] = dict(rest) | {"conversation": conversation, "turn": turn, "messages": raw}
        if history:
            metadata["history"] = list(history)
        if turn == len(turns) and waiting:
            metadata["unanswered"] = [one for one, _ in waiting]
        values = {
            "id": f"{conversation}-{turn}",
            "user_input": "\n".join(one.text for one in spoken if one.role == "user"),
            "response": spoken[-1].text,
            "retrieved_contexts": [text for one in spoken if one.role == "context" for text in documents(one.text)],
            "group": conversation,
            "metadata": metadata,
        }
        yield Row(number * 1000 + turn, place, values)
        history += raw


def _speaker(values: Any) -> Any:
    keys = ("role", "speaker", "sender", "author", "from", "type")
    return next((values[key] for key in keys if key in values), None) if isinstance(values, Mapping) else values


def open_chat_log(path: Path, name: str) -> Rows:
    """A text log: `Customer: ...`, `Bot: ...`, a time before it or not; a blank line ends a conversation.

    A line that names no speaker goes on with the message before it.
    """
    return Rows(name, path.stem, _log_rows(path, name))


def _log_rows(path: Path, name: str) -> Iterator[Row | BadRow]:
    messages: list[dict[str, Any]] = []
    count, first = 0, 1
    for number, raw in read_raw_lines(path, name):
        line = decode_line(raw, f"{name}, line {number}", path).rstrip("\r\n")
        found = _LINE.fullmatch(line)
        if not line.strip():
            if messages:
                count += 1
                yield from answers(messages, f"{path.stem}-{count}", f"line {first}", name, rest={}, number=count)
            messages = []
        elif found and role(found["speaker"]):
            if not messages:
                first = number
            time = found["bracketed"] or found["time"]
            messages.append(
                {"role": found["speaker"], "content": found["text"]} | ({"time": time.strip()} if time else {})
            )
        elif messages:
            messages[-1]["content"] += f"\n{line}"
        else:
            told = "no speaker is named that is known; begin the line with `User:` or `Bot:`"
            yield BadRow(number, InputError(f"{name}, line {number}: {told}"))
    if messages:
        count += 1
        yield from answers(messages, f"{path.stem}-{count}", f"line {first}", name, rest={}, number=count)
