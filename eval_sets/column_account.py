"""What is read of a set as what: its columns, and the rows that are counted or left out."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ..text.wording import count_of, list_first
from ..value_messages import is_nothing, quote_word, shorten
from .column_roles import ColumnRoles, RaterSearch
from .column_table import MAY_BE_ANSWERS, is_link, may_hold, plain_name, reason_rater
from .columns import FIELDS, OF_RATERS, describe_left_out
from .message import find_turns
from .rows import Row, Rows
from .sample import Sample
from .thread import TimeOrder
from .turns import is_single_answer

_LONGEST_NAME = 60
_FEWEST_WORDS = 5  # of the first cell of a column that may hold contexts
_SILENT = ("row has no answer and counts", "rows have no answer and count", "as an empty one")
_ENDS_SILENT = (
    "conversation ends",
    "conversations end",
    "with an empty reply or calls of tools alone: the answer before it is the one under test",
)
_EMPTY_WORD = (
    "answer is a word for nothing",
    "answers are words for nothing",
    "and scored as a text; empty the cell where there was none",
)


class ColumnAccount:
    """Accounts for the columns of a set: each is read as a field, kept in the metadata, or empty."""

    def __init__(self, source: Rows, mapping: Mapping[str, str], columns: ColumnRoles) -> None:
        self._source, self._mapping, self._columns = source, mapping, columns
        self._raters = {column.name: column for column in columns.ratings if column.rater}
        self._uses: dict[str, str] = {}
        self._of_metadata: dict[str, str] = {}
        self._contexts = set[str]()  # the columns that may hold contexts by their name and first cell
        self._seen: dict[str, bool] = dict.fromkeys(source.columns or (), False)  # whether a cell is filled
        self._no_ratings, self.left_out = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        self._places = defaultdict[tuple[str, str, str], list[str]](list)  # where it is so, by what a note says of it
        self._rater_search = RaterSearch()
        self._is_rated = self._is_answered = False
        self._conversations = self._turns = self._messages = self._single = self._rated_in_vain = 0
        self.has_own_groups = False  # whether answers to the question of one id keep a group that the file names

    @cached_property
    def time_order(self) -> TimeOrder:
        """The order of the messages in conversations, where there are any."""
        return TimeOrder()

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
                is_text = len(str(value).split()) >= _FEWEST_WORDS and not is_link("context", value)
                if is_text and may_hold(name, "retrieved_contexts"):
                    self._contexts.add(name)
        for field_name, column in origins.items():
            self._uses.setdefault(column, field_name)
        if self._columns.rater in values:
            self._uses[self._columns.rater] = OF_RATERS
        for name in fields.keys() & values.keys() - origins.keys():
            self._uses.setdefault(name, name)
        if not self._columns.is_rated and not self._source.made:
            self._rater_search.add({name: value for name, value in values.items() if name not in self._uses})

    def add_from_metadata(self, key: str, field_name: str) -> None:
        """Accounts for a field that was read out of the metadata of a row."""
        self._of_metadata.setdefault(f"metadata.{key}", field_name)

    def add_sample(self, sample: Sample, place: str) -> None:
        """Counts a sample that is a conversation, or has no answer."""
        self._is_rated = self._is_rated or sample.human_rating is not None or bool(sample.messages)
        is_answered = bool(sample.response.strip())
        self._is_answered = self._is_answered or is_answered
        if not is_answered:
            self._places[_SILENT].append(place)
        elif is_nothing(sample.response):
            self._places[_EMPTY_WORD].append(f'{place} "{sample.response.strip()}"')
        if sample.messages:
            after = sample.messages[(sample.turn or 0) + 1 :] if is_answered else ()
            if any(message.role == "assistant" for message in after):
                self._places[_ENDS_SILENT].append(place)
            if is_single_answer(sample):
                self._single += 1
            else:
                self._conversations += 1
                self._turns += len(find_turns(sample.messages))
                self._messages += len(sample.messages)
            rated = [
                place
                for place, message in enumerate(sample.messages)
                if message.human_rating is not None and not message.is_answer
            ]
            if rated:  # else the turns, of which an empty reply may be one, are not looked for
                self._rated_in_vain += len({*rated} - {turn.answer for turn in find_turns(sample.messages)})

    def add_no_rating(self, column: str, row: Row, value: object) -> None:
        """Accounts for a cell of a column of ratings that says that there is none."""
        self._no_ratings[column].append(f'{row.place} "{shorten(str(value), 30)}"')

    def notes(self) -> list[str]:
        """What is read as what; empty where all columns have the names of fields."""
        notes = self._lines()
        if column := self._columns.version:
            grouped = "" if self.has_own_groups else ", and grouped by ID"
            notes.append(f"rows of one id are of several versions: ids are read as ID@{column.upper()}{grouped}")
        for column, cells in self._no_ratings.items():
            notes.append(f"{count_of(len(cells), 'cell')} of {column} without a rating: {list_first(cells)}")
        notes += self._columns.hints
        if not self._is_rated and (proposed := self._rater_search.describe()):
            notes.append(proposed)
        notes += self.describe_left_out()
        if not (self._is_answered or self._conversations):  # a set of questions has no answers at all
            self._places.pop(_SILENT, None)
        for sentence in (_SILENT, _ENDS_SILENT, _EMPTY_WORD):
            if places := self._places.get(sentence):
                one, several, rest = sentence
                notes.append(f"{count_of(len(places), one, several)} {rest}: {list_first(places, 5)}")
        notes += self.time_order.notes() if self._conversations or self._single else []
        if self._rated_in_vain:
            one, several = "rating of a message that is no answer", "ratings of messages that are no answers"
            cure = "rate the answer, or the conversation (`rating` beside its messages)"
            notes.append(f"{count_of(self._rated_in_vain, one, several)}, used by nothing; {cure}")
        return [f"{self._source.name}: {note}" for note in notes]

    def describe_left_out(self) -> list[str]:
        """Which rows are no answers, and why."""
        return [describe_left_out(places, reason) for reason, places in self.left_out.items()]

    def count_conversations(self) -> str:
        """Says how many conversations were read, and how long they are; empty where none was."""
        parts = []
        if self._conversations:
            length = f"{count_of(self._turns, 'turn')} ({count_of(self._messages, 'message')})"
            parts.append(f"{count_of(self._conversations, 'conversation')} with {length}")
        if self._single:
            parts.append(count_of(self._single, "single answer with messages", "single answers with messages"))
        return f"{self._source.name}: {', '.join(parts)}" if parts else ""

    def _doubt_answer(self, column: str) -> str:
        """Says of a column that is not used that it may hold the answers; empty of most."""
        answer = next((other for other, use in self._uses.items() if use == "response"), "response")
        if plain_name(column) not in MAY_BE_ANSWERS or answer == "response" or answer in self._mapping:
            return ""
        cure = f"{self._source.map_option} {quote_word(f'{column}=response')}"
        return f"may be the chatbot's answer, where {answer} is the right one; {cure} uses it"

    def _doubt_contexts(self, column: str) -> str:
        """Says of a column that is not used that it may hold the contexts, where none are read; empty of most."""
        if column not in self._contexts or any(use.startswith("retrieved_contexts") for use in self._uses.values()):
            return ""
        return f"may hold the contexts; {self._source.map_option} {quote_word(f'{column}=retrieved_contexts')} reads it"

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
                is_reason = reason_rater(column, tuple(rater.rater for rater in self._raters.values())) is not None
                doubt = self._doubt_answer(column) or self._doubt_contexts(column)
                why = self._columns.unused.get(column) or ("reasons" if is_reason else doubt)
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
