"""Chat logs: conversations with their messages, and lines of text; one sample per conversation."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...text.wording import count_of, list_first, verb_of
from ..message import Message
from ..message_forms import find_messages_key, find_role
from ..message_times import readings
from ..rows import BadRow, Repeatable, Row, Rows
from ..text_lines import encoding_note, find_encoding, read_lines
from ..thread import ThreadError, read_thread

_TIME = r"(?:\[(?P<bracketed>[^\]]{1,40})\]|(?P<time>\d[\d\-/.:T, ]{4,24}(?:[ap]\.?m\.?|Z)?)(?<![\s,-])\s*[,;|\t-]?)\s*"
_LINE = re.compile(rf"(?:{_TIME})?\s*(?P<speaker>[^\W\d_][\w .'()-]{{0,39}}?)\s*:\s+(?P<text>.*)", re.IGNORECASE)
_TIMED = re.compile(rf"{_TIME}(?P<text>.*)", re.IGNORECASE)


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


def is_chat_log(path: Path, name: str) -> bool:
    """Whether a text file is a chat log: its first line is a message of a known speaker, or begins with a date."""
    with suppress(InputError, OSError):
        first = next(
            (line.text.strip() for line in read_lines(path, name, find_encoding(path)) if line.text.strip()), ""
        )
        spoken, timed = _LINE.fullmatch(first), _TIMED.match(first)
        return bool((spoken and find_role(spoken["speaker"])) or (timed and readings(_time(timed))))
    return False


def _time(match: re.Match[str]) -> str:
    return (match["bracketed"] or match["time"]).strip()


def open_chat_log(path: Path, name: str) -> Rows:
    """Opens a text log: `Customer: ...`, `Bot: ...`, with a time before it or not; a blank line ends a conversation.

    A line that names no speaker continues the message before it, also after a blank line. So does one of a name that is
    no known speaker's and has no time before it as the messages have, which a note says: `Note: bring your receipt` and
    `Jansen: Until six` look alike. One with such a time and without a speaker is an event of the program, left out.
    """
    reader = _LogReader(path, name)
    return Rows(
        name, path.stem, Repeatable(reader.rows), notes=encoding_note(name, reader.encoding), late_notes=reader.notes
    )


class _LogReader:
    """Reads a log, and notes the lines that are no messages and may have been meant as such."""

    def __init__(self, path: Path, name: str) -> None:
        self.encoding = find_encoding(path)
        self._path, self._name = path, name
        self._unknown: dict[int, str] = {}
        self._events: list[int] = []

    def rows(self) -> Iterator[Row | BadRow]:
        """Yields one row per conversation."""
        self._unknown.clear()  # the file may be read twice
        self._events.clear()
        messages: list[dict[str, Any]] = []
        rows: list[Row] = []
        form, count, is_after_blank = "", 0, False
        for number, text, error in read_lines(self._path, self._name, self.encoding):
            if error:
                raise error
            line = text.rstrip("\r\n")
            if not line.strip():
                is_after_blank = True
                continue
            match, timed = _LINE.fullmatch(line), _TIMED.match(line)
            time = _time(timed) if timed else ""
            has_time = bool(time) and (_form(line, time) == form if form else bool(readings(time)))
            if match and find_role(match["speaker"]):
                if is_after_blank and messages:
                    count += 1
                    yield conversation_row(f"{self._path.stem}-{count}", messages, rows, self._name)
                    messages, rows = [], []
                form = _form(line, time)
                messages.append({"role": match["speaker"], "content": match["text"]} | ({"time": time} if time else {}))
                rows.append(Row(count + 1, f"line {number}", {}))
            elif match and has_time:
                problem = f"{match['speaker']} is no known speaker; write User or Bot in place of the name"
                raise InputError(f"{self._name}, line {number}: {problem}")
            elif has_time:
                self._events.append(number)
            elif messages:
                messages[-1]["content"] += f"\n\n{line}" if is_after_blank else f"\n{line}"
                if match:
                    self._unknown[number] = match["speaker"]
            else:
                problem = "names no known speaker; begin the line with `User:` or `Bot:`"
                yield BadRow(number, InputError(f"{self._name}, line {number}: {problem}"))
            is_after_blank = False
        if messages:
            yield conversation_row(f"{self._path.stem}-{count + 1}", messages, rows, self._name)

    def notes(self) -> list[str]:
        """What of the log is no message."""
        notes = []
        if self._unknown:
            begins = count_of(len(self._unknown), "line begins", "lines begin")
            listed = list_first([f"line {number} ({speaker})" for number, speaker in self._unknown.items()])
            notes.append(
                f"{self._name}: {begins} like one of an unknown speaker and "
                f"{verb_of(len(self._unknown), 'continues', 'continue')} the message before: {listed}; if it is a "
                "speaker, call it User or Bot"
            )
        if self._events:
            events = count_of(len(self._events), "line with a time and no speaker", "lines with a time and no speaker")
            notes.append(
                f"{self._name}: {events} left out: {list_first([f'line {number}' for number in self._events])}"
            )
        return notes


def _form(line: str, time: str) -> str:
    """How a line writes its time: a line that writes it otherwise than the messages do, such as 9:00-17:00, is none."""
    return re.sub(r"\d+", "0", line[: line.find(time) + len(time) + 1]) if time else ""
