"""Chat logs: conversations with their messages, and lines of text; one sample per conversation."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...text.wording import count_of, list_first, verb_of
from ..message import Message
from ..message_forms import find_messages_key, find_role
from ..rows import BadRow, Repeatable, Row, Rows
from ..text_lines import encoding_note, find_encoding, read_lines
from ..thread import ThreadError, read_thread

_LINE = re.compile(
    r"(?:\[(?P<bracketed>[^\]]{1,40})\]|(?P<time>\d[\d\-/.:T ]{4,24}Z?)[,;|\t -]?)?\s*"
    r"(?P<speaker>[^\W\d_][\w .'()-]{0,39}?)\s*:\s+(?P<text>.*)"
)
_SCALE = ("rating_min", "rating_max")


def is_conversation(values: Mapping[str, Any]) -> bool:
    """Whether an object holds its messages."""
    return find_messages_key(values) is not None


def read_conversation(row: Row) -> Row:
    """Reads the scale of its ratings: as it says, else as its messages do. All else is read as of any row."""
    key = find_messages_key(row.values)
    return row if key is None else row._replace(values=row.values | _scale(row.values, row.values[key]))


def _scale(values: Mapping[str, Any], messages: list[Any]) -> dict[str, Any]:
    """The scale of a conversation's ratings: as it says, else as all messages that say one do."""
    scale = {name: values[name] for name in _SCALE if values.get(name) is not None}
    for name in _SCALE:
        stated = [message[name] for message in messages if isinstance(message, Mapping) and name in message]
        if name not in scale and stated and all(bound == stated[0] for bound in stated):
            scale[name] = stated[0]
    return scale


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


def is_log_line(line: str) -> bool:
    """Whether a line of a text is a message of a chat log.

    Example:
        >>> is_log_line("[2026-11-01 09:12] Klant: Hallo"), is_log_line("question")
        (True, False)
    """
    match = _LINE.fullmatch(line)
    return match is not None and bool(find_role(match["speaker"]))


def open_chat_log(path: Path, name: str) -> Rows:
    """Opens a text log: `Customer: ...`, `Bot: ...`, with a time before it or not; a blank line ends a conversation.

    A line that names no speaker continues the message before it; so does one of a name that is no known speaker's and
    has no time before it, which a note says: `Note: bring your receipt` and `Jansen: Until six` look alike.
    """
    encoding = find_encoding(path)
    unknown: dict[int, str] = {}
    rows = Repeatable(lambda: _log_rows(path, name, encoding, unknown))
    return Rows(
        name, path.stem, rows, notes=encoding_note(name, encoding), late_notes=lambda: _describe_unknown(name, unknown)
    )


def _describe_unknown(name: str, unknown: Mapping[int, str]) -> list[str]:
    if not unknown:
        return []
    begins = count_of(len(unknown), "line begins", "lines begin")
    listed = list_first([f"line {number} ({speaker})" for number, speaker in unknown.items()])
    return [
        f"{name}: {begins} like one of an unknown speaker and {verb_of(len(unknown), 'continues', 'continue')} the "
        f"message before: {listed}; if it is a speaker, call it User or Bot"
    ]


def _log_rows(path: Path, name: str, encoding: str, unknown: dict[int, str]) -> Iterator[Row | BadRow]:
    """Reads a log, and notes the lines that begin with a name and are of no known speaker."""
    unknown.clear()  # the file may be read twice
    messages: list[dict[str, Any]] = []
    rows: list[Row] = []
    count = 0
    for number, text, error in read_lines(path, name, encoding):
        if error:
            raise error
        line = text.rstrip("\r\n")
        match = _LINE.fullmatch(line)
        if not line.strip():
            if messages:
                count += 1
                yield conversation_row(f"{path.stem}-{count}", messages, rows, name)
            messages, rows = [], []
        elif match and find_role(match["speaker"]):
            time = match["bracketed"] or match["time"]
            messages.append(
                {"role": match["speaker"], "content": match["text"]} | ({"time": time.strip()} if time else {})
            )
            rows.append(Row(count + 1, f"line {number}", {}))
        elif match and (match["bracketed"] or match["time"]) and (not messages or "time" in messages[-1]):
            raise InputError(
                f"{name}, line {number}: {match['speaker']} is no known speaker; write User or Bot in place of the name"
            )
        elif messages:
            messages[-1]["content"] += f"\n{line}"
            if match:
                unknown[number] = match["speaker"]
        else:
            problem = "names no known speaker; begin the line with `User:` or `Bot:`"
            yield BadRow(number, InputError(f"{name}, line {number}: {problem}"))
    if messages:
        count += 1
        yield conversation_row(f"{path.stem}-{count}", messages, rows, name)
