"""What became of every column of a set, for the one line that says so."""

from collections.abc import Mapping
from typing import Any

from ..text.wording import count_of, list_first
from ..value_messages import shorten
from .column_search import SetColumns
from .column_table import is_link, usual_name
from .columns import FIELDS
from .message import find_turns
from .message_times import readings
from .rows import Row, Rows
from .sample import Sample
from .turns import is_single_answer

_LONGEST_NAME = 60


class ColumnAccount:
    """Accounts for the columns of a set: each is read as a field, kept in the metadata, or empty."""

    def __init__(self, source: Rows, mapping: Mapping[str, str], columns: SetColumns) -> None:
        self._source, self._mapping, self._columns = source, mapping, columns
        self._raters = {column.name: column for column in columns.ratings if column.rater}
        self._uses: dict[str, str] = {}
        self._of_metadata: dict[str, str] = {}
        self._seen: dict[str, bool] = dict.fromkeys(source.columns or (), False)  # whether a cell is filled
        self._no_ratings: dict[str, list[str]] = {}
        self._links: dict[str, list[str]] = {}
        self._left_out: dict[str, list[str]] = {}
        self._silent: list[str] = []
        self._answered = 0
        self._conversations = self._turns = self._messages = self._single = 0
        self._rated_in_vain = self._unread_times = 0
        self._unread_time = ""

    @property
    def columns(self) -> list[str]:
        """The columns of all rows so far."""
        return sorted(self._seen)

    def add(self, row: Row, fields: Mapping[str, Any], origins: Mapping[str, str]) -> None:
        """Accounts for the columns of a row."""
        values = row.values
        for name, value in values.items():
            if not self._seen.get(name):
                self._seen[name] = value is not None and value != ""
            if value and is_link(usual_name(name), value) and name not in origins.values():
                self._links.setdefault(name, []).append(row.place)
        for field_name, column in origins.items():
            self._uses.setdefault(column, field_name)
        for name in fields.keys() & values.keys() - origins.keys():
            self._uses.setdefault(name, name)

    def add_from_metadata(self, key: str, field_name: str) -> None:
        """Accounts for a field that was read out of the metadata of a row."""
        self._of_metadata.setdefault(f"metadata.{key}", field_name)

    def leave_out(self, row: Row, reason: str) -> None:
        """Accounts for a row that is no answer."""
        self._left_out.setdefault(reason, []).append(row.place)

    @property
    def count_left_out(self) -> int:
        """How many rows are no answers."""
        return sum(map(len, self._left_out.values()))

    def add_sample(self, sample: Sample, place: str) -> None:
        """Counts a sample that is a conversation, or has no answer."""
        if sample.response.strip():
            self._answered += 1
        else:
            self._silent.append(place)
        if sample.messages:
            is_single = is_single_answer(sample)
            self._single += is_single
            self._conversations += not is_single
            self._turns += 0 if is_single else len(find_turns(sample.messages))
            self._messages += 0 if is_single else len(sample.messages)
            for message in sample.messages:
                self._rated_in_vain += message.rating is not None and not message.is_answer
                if message.time and not readings(message.time):
                    self._unread_times += 1
                    self._unread_time = self._unread_time or message.time

    def add_no_rating(self, column: str, row: Row, value: object) -> None:
        """Accounts for a cell of a column of ratings that says that there is none."""
        self._no_ratings.setdefault(column, []).append(f'{row.place} "{shorten(str(value), 30)}"')

    def notes(self) -> list[str]:
        """What is read as what; empty where all columns have the names of fields."""
        notes = [f"{self._source.name}: {line}" for line in self._lines()]
        if column := self._columns.version:
            several = "rows of one id are of several versions"
            notes.append(f"{self._source.name}: {several}: ids are read as ID@{column.upper()}, and grouped by ID")
        for column, cells in self._no_ratings.items():
            where = f"{count_of(len(cells), 'cell')} of {column} without a rating: {list_first(cells)}"
            notes.append(f"{self._source.name}: {where}")
        for column, places in self._links.items():
            if self._uses.get(column) == "retrieved_contexts":  # in other rows
                links = count_of(len(places), f"cell of {column} is a link", f"cells of {column} are links")
                notes.append(f"{self._source.name}: {links}, kept in the metadata: {list_first(places)}")
        notes += [f"{self._source.name}: {hint}" for hint in self._columns.hints]
        notes += [
            f"{self._source.name}: {count_of(len(places), 'row')} left out that {reason}: {list_first(places, 5)}"
            for reason, places in self._left_out.items()
        ]
        if self._silent and self._answered:  # a set of questions has no answers at all
            silent = count_of(len(self._silent), "row has no answer and counts", "rows have no answer and count")
            notes.append(f"{self._source.name}: {silent} as an empty one: {list_first(self._silent, 5)}")
        return [*notes, *(f"{self._source.name}: {note}" for note in self._message_notes())]

    def _message_notes(self) -> list[str]:
        """What of the messages is not used."""
        notes = []
        if self._rated_in_vain:
            ratings = count_of(
                self._rated_in_vain, "rating of a message that is no answer", "ratings of messages that are no answers"
            )
            notes.append(
                f"{ratings}, used by nothing; rate the answer, or the conversation (`rating` beside its messages)"
            )
        if self._unread_times:
            times = count_of(self._unread_times, "time of a message", "times of messages")
            example = shorten(self._unread_time, 30)
            notes.append(
                f'{times} cannot be read, such as "{example}", so that their order is not checked; write times as '
                "2026-01-31 10:00"
            )
        return notes

    def count_conversations(self) -> str:
        """Says how many conversations were read, and how long they are; empty where none was."""
        parts = []
        if self._conversations:
            length = f"{count_of(self._turns, 'turn')} ({count_of(self._messages, 'message')})"
            parts.append(f"{count_of(self._conversations, 'conversation')} with {length}")
        if self._single:
            parts.append(count_of(self._single, "single answer with messages", "single answers with messages"))
        return f"{self._source.name}: {', '.join(parts)}" if parts else ""

    def _lines(self) -> list[str]:
        renamed, own, kept, empty = list[str](), list[str](), list[str](), list[str]()
        ratings = {rating.name: rating for rating in self._columns.ratings if not rating.rater}
        for column, is_filled in self._seen.items():
            if column in self._source.made:
                continue
            name = shorten(self._source.origins.get(column, column), _LONGEST_NAME)
            use = self._uses.get(column, "")
            if column in self._raters and not use:
                renamed.append(self._raters[column].describe())
            elif not is_filled:
                empty.append(name)
            elif not use:
                why = self._columns.unused.get(column)
                kept.append(f"{name} ({why})" if why else name)
            elif use == "rating" and column in ratings and column not in self._mapping:
                renamed.append(ratings[column].describe(name))
            elif use == "rating" and self._columns.own is not None and self._columns.own.name == column:
                is_usual = name == "rating" and self._columns.own.is_usual and not self._source.finds_scale
                (own if is_usual else renamed).append(name if is_usual else self._columns.own.describe(name))
            elif use == name:
                own.append(name)
            else:
                renamed.append(f"{name} as {use}")
        renamed += [f"{name} as {use}" for name, use in self._of_metadata.items()]
        if not (renamed or kept or {*empty} - {*FIELDS} or self._source.made):
            return []
        read = ", ".join((*renamed, *own))
        parts = [f"read {read} (change with {self._source.map_option})"] if read else []
        parts += [f"kept in the metadata: {', '.join(kept)}"] if kept else []
        parts += [f"empty: {', '.join(empty)}"] if empty else []
        return ["; ".join(parts)] if parts else []
