"""Rows that are messages of conversations, or a question and an answer each: one sample per conversation."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...errors import InputError
from ...text.wording import list_first
from ...value_messages import quote_word
from .. import cell_values
from ..cell_values import merge_metadata
from ..column_table import RATING_ALIASES, find_roles, is_internal, is_missing, is_no_rating, rater_of, usual_name
from ..columns import FOR_COLLEAGUES, check_mapped, describe_left_out
from ..items import as_label
from ..message_forms import find_role, text_of_null_reply
from ..number_rule import ColumnCells
from ..rows import BadRow, Repeatable, Row, Rows, group_rows
from ..sample import FILE
from ..thread import ThreadError, TimeOrder, conversation_row

_RATINGS = {"rating", *RATING_ALIASES}
_UNSURE_RATINGS = {"score", "label"}  # ratings where they are numbers
_SPOKEN = ("role", "content", "tool_calls", "user_input", "response")
_OF_MESSAGES = {"id", "time", "tool_call_id", "name", "retrieved_contexts", *_SPOKEN}


@dataclass(slots=True)
class _Cells:
    """What the cells of a column tell."""

    is_filled: bool = False
    is_one: bool = True  # whether each conversation has one value
    is_on_answer: bool = False
    count: int = 0  # of those that have a value, and are of a conversation
    values: dict[int, int] = field(
        default_factory=dict
    )  # the hash of the value of each conversation, by that of its id

    def add(self, conversation: int | None, value: object, *, is_answer: bool) -> None:
        """Adds a cell."""
        self.is_filled |= _is_filled(value)
        if conversation is None or not _is_filled(value) or is_no_rating(value):
            return
        if self.is_one:
            self.is_one = self.values.setdefault(conversation, hash(str(value))) == hash(str(value))
        self.is_on_answer |= is_answer
        self.count += 1


@dataclass(frozen=True)
class TurnColumns:
    """The columns of rows that are turns of conversations."""

    conversation: str
    fields: Mapping[str, str]  # the column of each field of a message, or of `user_input` and `response`
    mapped: Mapping[str, str] = field(default_factory=dict)  # our field of each other column that the user maps

    @property
    def is_pair(self) -> bool:
        """Whether a row is a question and its answer."""
        return "content" not in self.fields


def find_turn_columns(columns: Iterable[str], mapping: Mapping[str, str]) -> TurnColumns | None:
    """Finds the columns of rows that are turns of conversations; None where they are none.

    Example:
        >>> find_turn_columns(["ticket", "speaker", "text", "channel"], {}).fields
        {'role': 'speaker', 'content': 'text'}
    """
    listed = list(columns)
    roles = find_roles(listed, mapping, "turns")
    is_pair = {"user_input", "response"} <= roles.keys()  # its comments are no messages
    if not is_pair or {"role", "content"} <= {*mapping.values()}:
        messages = find_roles(listed, mapping, "messages")
        roles = messages if {"role", "content"} <= messages.keys() else roles
    if "conversation" not in roles or not ({"role", "content"} <= roles.keys() or is_pair):
        return None
    used = {*roles.values()}
    mapped = {theirs: our_field for theirs, our_field in mapping.items() if theirs not in used}
    conversation = roles.pop("conversation")
    return TurnColumns(conversation, roles, mapped)


def has_repeated_conversation(rows: Iterable[Row | BadRow], column: str) -> bool:
    """Whether a conversation has several rows."""
    seen: set[int] = set()
    for row in rows:
        value = row.values.get(column) if isinstance(row, Row) else None
        if value in (None, ""):
            continue
        if hash(str(value)) in seen:
            return True
        seen.add(hash(str(value)))
    return False


class TurnReader:
    """Joins rows of turns to conversations.

    A column whose filled cells have one value in each conversation is the conversation's, such as a channel or what a
    rater gave; any other stays in the messages, and so does a rating that stands on an answer, unless it stands in all
    rows of each conversation that has it. Where the messages stand again for each rater, they are read once, with the
    ratings by rater.
    """

    def __init__(self, opened: Rows, columns: TurnColumns, mapping: Mapping[str, str]) -> None:
        self._opened, self._columns, self._mapping = opened, columns, mapping
        self._turns = Repeatable(self._read_turns)
        self._shared: set[str] = set()  # the columns that are of conversations
        self._cells: dict[str, _Cells] = {}  # those of each column
        self._ratings = ColumnCells()  # those of the column of ratings
        self._rater = ""  # the column that names who rated, where the messages stand again for each of them
        self._raters: dict[str, str] = {}  # in one spelling each
        self._differing: dict[str, None] = {}  # the columns in which the rows of a message differ
        # the places of rows in which nothing is said, or not to the customer
        self._left_out: dict[str, dict[str, None]] = {"has no message": {}, FOR_COLLEAGUES: {}}
        self._time_order = TimeOrder()

    def rows(self) -> Iterator[Row | BadRow]:
        """Yields one row per conversation, in the order of their first rows."""
        if not self._cells:
            self._look_at_columns()
        check_mapped(self._cells, self._mapping, self._opened.name)
        for group in group_rows(self._turns, self._key):
            yield group if isinstance(group, BadRow) else self._join(group)

    def notes(self) -> list[str]:
        """What is read as what."""
        fields = {"conversation": self._columns.conversation, **self._columns.fields}
        filled = [column for column, cells in self._cells.items() if cells.is_filled]
        read = [
            column if column == name else f"{column} as {name}"
            for name, column in fields.items()
            if column in filled and column not in self._shared
        ]
        labels = self._ratings.rule().describe()
        read += [labels] if labels and self._columns.fields["rating"] not in self._shared else []
        kept = [column for column in filled if column not in {*fields.values(), *self._shared, self._rater}]
        listed = {
            "kept in the messages": kept,
            "kept in the metadata": [one for one in filled if one in self._shared and self._is_pushed_aside(one)],
            "empty": [column for column in self._cells if column not in filled],
        }
        parts = [f"read {', '.join(read)} (change with {self._opened.map_option})"]
        parts += [f"{what}: {', '.join(columns)}" for what, columns in listed.items() if columns]
        notes = ["; ".join(parts)]
        notes += [
            f"{column} differs among the rows of a conversation, and messages have no raters, so that it is used by "
            f"nothing; --map {quote_word(f'{column}=rating')} makes it the rating of each message"
            for column in kept
            if rater_of(column)
        ]
        if self._rater:
            listed_raters = list_first([*dict.fromkeys(self._raters.values())], 5)
            rating = self._columns.fields["rating"]
            notes.append(f"messages stand again for each rater: {rating} as ratings by {self._rater} ({listed_raters})")
        if self._differing:
            notes.append(f"rows of one message differ in {', '.join(self._differing)}, and its first row's is kept")
        notes += [describe_left_out(list(places), reason) for reason, places in self._left_out.items() if places]
        return [f"{self._opened.name}: {note}" for note in (*notes, *self._time_order.notes())]

    def _read_turns(self) -> Iterator[Row | BadRow]:
        """The rows in which something is said to the customer; one in which nothing is sums up others, or is blank."""
        columns = [self._columns.fields[name] for name in _SPOKEN if name in self._columns.fields]
        for row in self._opened.rows:
            if isinstance(row, Row) and not any(_is_text(row.values.get(column)) for column in columns):
                self._left_out["has no message"][row.place] = None
            elif isinstance(row, Row) and not self._columns.is_pair and is_internal(row.values):
                self._left_out[FOR_COLLEAGUES][row.place] = None
            else:
                yield row

    def _key(self, values: Mapping[str, Any]) -> str | None:
        value = values.get(self._columns.conversation)
        return None if value is None or not str(value).strip() else str(value).strip()

    def _look_at_columns(self) -> None:
        """Finds the columns of all rows, and those that are of conversations."""
        asked: set[int] = set()
        row_counts = Counter[int]()  # of each conversation and rater, by the hash of both
        ratings = dict[str, ColumnCells]()
        self._rater = self._find_rater()
        for row in self._turns:
            if isinstance(row, BadRow):
                continue
            name = self._key(row.values)
            conversation = None if name is None else hash(name)
            is_answer = conversation is not None and self._is_answer(row.values, conversation, asked)
            of_rater = None if name is None else hash((name, self._rater_of(row)))
            row_counts.update([] if of_rater is None else [of_rater])
            for column, value in row.values.items():
                is_rating = usual_name(column) in _RATINGS or self._mapping.get(column) == "rating"
                cells = self._cells.setdefault(column, _Cells())
                cells.add(of_rater if is_rating else conversation, value, is_answer=is_answer)
                if is_rating:
                    ratings.setdefault(column, ColumnCells()).add(value)
        texts = {column for column, cells in ratings.items() if cells.count_unread()} - self._mapping.keys()
        columns = [column for column in self._cells if usual_name(column) not in _UNSURE_RATINGS or column not in texts]
        self._columns = find_turn_columns(columns, self._mapping) or self._columns
        rating = self._columns.fields.get("rating", "")
        self._ratings = ratings.get(rating, self._ratings)
        own = {self._rater, *(column for column in self._columns.fields.values() if column != rating)}
        for column, cells in self._cells.items():
            is_rating = column == rating or (column in ratings and column not in self._mapping)
            is_of_answers = (
                is_rating and cells.is_on_answer and cells.count < sum(row_counts[one] for one in cells.values)
            )
            if cells.count and cells.is_one and not is_of_answers:
                self._shared.add(column)
        self._shared -= own | _OF_MESSAGES | {self._columns.conversation}

    def _find_rater(self) -> str:
        """The column that names who rated, where the messages of a conversation stand again for another rater; else
        "".
        """
        names = dict.fromkeys(column for row in self._opened.head() for column in row.values)
        rater = find_roles(names, self._mapping).get("rater", "")
        if not rater or "rating" not in self._columns.fields:
            return ""
        for group in group_rows(self._turns, self._key):
            if not isinstance(group, BadRow):
                messages = self._by_message(group, rater)
                rated = [rows for rows in messages if as_label(rows[0].values.get(rater))]
                if rated and all(len(rows) > 1 for rows in rated):
                    return rater
        return ""

    def _by_message(self, rows: list[Row], rater: str) -> list[list[Row]]:
        """The rows of each message of a conversation: one for each rater. What one rater has twice are two messages."""
        spoken = [self._columns.fields[name] for name in _SPOKEN if name in self._columns.fields]
        times = Counter[tuple[str, ...]]()
        messages: dict[tuple[str, ...], list[Row]] = {}
        for row in rows:
            said = tuple(str(row.values.get(column) or "").strip() for column in spoken)
            own = (as_label(row.values.get(rater)).casefold(), *said)
            messages.setdefault((str(times[own]), *said), []).append(row)
            times[own] += 1
        return [*messages.values()]

    def _rater_of(self, row: Row) -> str:
        """Who rated; "" where messages do not stand again for each rater."""
        label = as_label(row.values.get(self._rater)) or FILE if self._rater else ""
        return self._raters.setdefault(label.casefold(), label) if label else ""

    def _is_answer(self, values: Mapping[str, Any], conversation: int, asked: set[int]) -> bool:
        """Whether a row has an answer to a question before it in its conversation, which is noted in `asked`."""
        fields = self._columns.fields
        if self._columns.is_pair:
            return True
        role = find_role(values.get(fields["role"]))
        asked.update([conversation] if role == "user" else [])
        return role == "assistant" and conversation in asked and _is_text(values.get(fields["content"]))

    def _is_pushed_aside(self, column: str) -> bool:
        """Whether a column has the name of a field that another one is mapped to."""
        return column not in self._mapping and column in self._mapping.values()

    def _join(self, rows: list[Row]) -> Row | BadRow:
        conversation = self._key(rows[0].values)
        if conversation is None:
            problem = f"names no conversation in {self._columns.conversation}; write which one the row is of"
            cure = "in every row: a merged cell, or the first row of a conversation alone, names it for one row only"
            return BadRow(rows[0].number, InputError(f"{self._opened.name}, {rows[0].place}: {problem}, {cure}"))
        shared = self._shared_cells(rows)
        by_message = self._by_message(rows, self._rater) if self._rater else [[row] for row in rows]
        rows = [of_message[0] for of_message in by_message]
        parts: list[list[dict[str, Any]]] = []
        for of_message in by_message:
            try:
                parts.append(self._messages(*of_message))
            except ValueError as error:
                return BadRow(rows[0].number, InputError(f"{self._opened.name}, {of_message[0].place}, {error}"))
        try:
            order = self._time_order.sort(parts, rows[0].place) or list(range(len(rows)))
        except ThreadError as error:
            where = f"{self._opened.name}, {rows[0].place}, conversation {conversation}"
            return BadRow(rows[0].number, InputError(f"{where}: {error}"))
        messages = [message for place in order for message in parts[place]]
        places = [rows[place] for place in order for _ in parts[place]]
        aside = {name: value for name, value in shared.items() if self._is_pushed_aside(name)}
        mapped = {self._mapping.get(name, name): value for name, value in shared.items() if name not in aside}
        if self._ratings.rule().labels and self._columns.fields["rating"] not in shared:
            mapped = {"rating_min": 0, "rating_max": 1} | mapped
        if aside:
            mapped["metadata"] = merge_metadata(mapped.get("metadata"), aside)
        for theirs, ours in self._columns.mapped.items():
            if theirs not in self._shared and any(_is_filled(row.values.get(theirs)) for row in rows):
                problem = f"field {ours} (column {theirs}): differs among the rows of conversation {conversation}"
                cure = "give all its rows one value, or leave the mapping out"
                return BadRow(rows[0].number, InputError(f"{self._opened.name}, {rows[0].place}, {problem}; {cure}"))
        return conversation_row(conversation, messages, places, self._opened.name, mapped)

    def _shared_cells(self, rows: list[Row]) -> dict[str, Any]:
        """The first filled cell of each column that is of conversations; where raters are named, `ratings` by them."""
        rating = self._columns.fields["rating"] if self._rater else ""
        shared: dict[str, Any] = {}
        for row in rows:
            for name, value in row.values.items():
                if name not in self._shared or not _is_filled(value):
                    continue
                if name == rating:
                    if not is_missing(value):
                        shared.setdefault("ratings", {})[self._rater_of(row)] = value
                elif is_no_rating(shared.get(name, "-")):
                    shared[name] = value
        return shared

    def _messages(self, row: Row, *others: Row) -> list[dict[str, Any]]:
        """The messages of a row, which stands again for other raters; its other columns stay in the last of them."""
        fields = self._columns.fields
        cells = {
            name: row.values[column]
            for name, column in fields.items()
            if column in row.values and column not in self._shared
        }
        values = {name: self._read_cell(name, value) for name, value in cells.items() if value is not None}
        values = {name: value for name, value in values.items() if value is not None}
        used = {self._columns.conversation, *fields.values(), *self._shared, *self._columns.mapped, self._rater}
        self._differing.update(
            (name, None)
            for other in others
            for name, value in other.values.items()
            if name not in used and value != row.values.get(name)
        )
        if self._rater and values.pop("rating", None) is not None:
            read = {
                self._rater_of(one): self._read_cell("rating", one.values.get(fields["rating"]))
                for one in (row, *others)
            }
            values["ratings"] = {rater: rating for rater, rating in read.items() if rating is not None}
        rest = {name: value for name, value in row.values.items() if name not in used and _is_filled(value)}
        if not self._columns.is_pair:
            if not (values.get("content") or values.get("tool_calls")):
                values["content"] = text_of_null_reply(row.values)
            return [{**rest, **values}]
        question, answer = values.pop("user_input", ""), values.pop("response", "")
        time = {"time": values["time"]} if "time" in values else {}
        asked = [{"role": "user", "content": question, **time}] if str(question).strip() else []
        return [*asked, {"role": "assistant", "content": answer, **rest, **values}]

    def _read_cell(self, name: str, value: Any) -> Any:
        """A cell of a message; None where it is empty."""
        if name != "content" and isinstance(value, str) and not value.strip():
            return None
        try:
            if name == "tool_calls":
                return cell_values.parse_structure(value)
            if name == "retrieved_contexts":
                return cell_values.parse_texts(value)
            if name == "rating":
                return self._ratings.rule().read(value)
        except ValueError as error:
            raise ValueError(f"field {name} (column {self._columns.fields[name]}): {error}") from None
        if name in {"tool_call_id", "name"} and isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return value


def _is_text(value: object) -> bool:
    return bool(str(value or "").strip())


def _is_filled(value: object) -> bool:
    return value is not None and value != ""
