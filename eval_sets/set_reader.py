"""Reading evaluation sets of any format: what each column is read as, a row as a sample, and the samples of a set."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..errors import InputError
from ..text.language_detection import detect_language
from ..text.wording import count_of, list_first
from ..value_messages import is_nothing, quote_word, shorten, wrong_type
from . import cell_values
from .column_roles import ColumnRoles, RaterSearch, look_at_columns
from .column_table import (
    MAY_BE_ANSWERS,
    explain_export,
    is_link,
    is_missing,
    language_code,
    may_hold,
    plain_name,
    reason_rater,
)
from .columns import (
    FIELDS,
    FOR_COLLEAGUES,
    OF_RATERS,
    REQUIRED,
    TURN_FIELDS,
    check_columns,
    check_mapped,
    check_mapping,
    describe_left_out,
    explain_missing,
    explain_validation_error,
    has_own_columns,
    is_rater,
    is_row_per_sample,
    known_columns,
    read_raters,
    reason_to_leave_out,
    sort_row,
)
from .conversation import is_turn
from .items import COMPARES_TWO, as_label, has_two_answers, read_version, versioned_id
from .logs.log_format import read_logs
from .message import find_turns
from .message_forms import for_customers
from .number_rule import Bounds, NumberRule
from .preference_reading import holds_preferences
from .python_data import open_data, ready_samples
from .rows import BadRow, Row, Rows, tell_notes
from .sample import Sample
from .sources import cannot_read, open_source
from .table_files import load_named_tables
from .thread import ThreadError, TimeOrder, join_turn, thread_language

_LONGEST_NAME = 60
_FEWEST_WORDS = 5  # of the first cell of a column that may hold contexts
_SILENT = ("row has no answer and counts", "rows have no answer and count", "as an empty one")
_ENDS_SILENT = (
    "conversation ends",
    "conversations end",
    "with an empty reply or calls of tools alone: the answer before it is the one under test",
)
_INTERNAL = ("conversation has messages", "conversations have messages", "for colleagues alone, which are left out")
_EMPTY_WORD = (
    "answer is a word for nothing",
    "answers are words for nothing",
    "and scored as a text; empty the cell where there was none",
)
_COPY = ("row repeats another", "rows repeat others", "word for word; each counts as an answer")


class ColumnAccount:
    """Accounts for the columns of a set: each is read as a field, kept in the metadata, or empty."""

    def __init__(self, source: Rows, mapping: Mapping[str, str], columns: ColumnRoles) -> None:
        self._source, self._mapping, self._columns = source, mapping, columns
        self._raters = {column.name: column for column in columns.ratings if column.rater}
        self._uses: dict[str, str] = {}
        self.of_metadata: dict[str, str] = {}  # the field that was read out of a key of a row's metadata
        self._contexts = set[str]()  # the columns that may hold contexts by their name and first cell
        self._seen: dict[str, bool] = dict.fromkeys(source.columns or (), False)  # whether a cell is filled
        self._no_ratings, self.left_out = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        self.places = defaultdict[tuple[str, str, str], list[str]](list)  # where it is so, by what a note says of it
        self._rater_search = RaterSearch()
        self._rated = set[int]()  # hashes of the rated rows
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
        if not self._source.made:
            free = {name: value for name, value in values.items() if name not in self._uses}
            is_rated = self._columns.is_rated
            self._rater_search.add({name: free[name] for name in free if not is_rated or reason_rater(name) == ""})

    def add_sample(self, sample: Sample, place: str) -> None:
        """Counts a sample that is a conversation, has no answer, or is rated in an earlier row word for word."""
        self._is_rated = self._is_rated or sample.human_rating is not None or bool(sample.messages)
        is_answered = bool(sample.response.strip())
        self._is_answered = self._is_answered or is_answered
        if not is_answered:
            self.places[_SILENT].append(place)
        elif is_nothing(sample.response):
            self.places[_EMPTY_WORD].append(f'{place} "{sample.response.strip()}"')
        if is_answered and sample.human_rating is not None and not sample.messages:
            ratings = sample.human_rating, *sample.ratings.items()
            own = hash((sample.user_input, sample.response, ratings, repr(sample.metadata)))
            if own in self._rated:
                self.places[_COPY].append(place)
            self._rated.add(own)
        if sample.messages:
            after = sample.messages[(sample.turn or 0) + 1 :] if is_answered else ()
            if any(message.role == "assistant" for message in after):
                self.places[_ENDS_SILENT].append(place)
            turns = find_turns(sample.messages)
            if len(turns) == 1 and not is_turn(sample):
                self._single += 1
            else:
                self._conversations += 1
                self._turns += len(turns)
                self._messages += len(sample.messages)
            rated = {
                place
                for place, message in enumerate(sample.messages)
                if message.human_rating is not None and not message.is_answer
            }
            self._rated_in_vain += len(rated - {turn.answer for turn in turns})

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
        is_rated = self._is_rated or self._columns.is_rated
        if not is_rated and (proposed := self._rater_search.describe()):
            notes.append(proposed)
        notes += self.describe_left_out()
        if not (self._is_answered or self._conversations):  # a set of questions has no answers at all
            self.places.pop(_SILENT, None)
        for sentence in (_SILENT, _ENDS_SILENT, _EMPTY_WORD, _INTERNAL, _COPY):
            if places := self.places.get(sentence):
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
                is_reason = is_reason and column not in self._rater_search.reasons_of_numbers()
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
        renamed += [f"{name} as {use}" for name, use in self.of_metadata.items()]
        if not (renamed or kept or {*empty} - {*FIELDS} or self._source.made):
            return []
        read = ", ".join((*renamed, *own))
        parts = [f"read {read} (change with {self._source.map_option})"] if read else []
        parts += [f"kept in the metadata: {', '.join(kept)}"] if kept else []
        parts += [f"empty: {', '.join(empty)}"] if empty else []
        return ["; ".join(parts)] if parts else []


_OPTIONAL = {*FIELDS} - {*REQUIRED}
_PLAIN = NumberRule()
_LABELS = {"group", "language"}  # in which a word for nothing is nothing


class SampleBuilder:
    """Builds the samples of one source."""

    def __init__(
        self,
        source: Rows,
        mapping: Mapping[str, str],
        language: str | None,
        columns: ColumnRoles,
        *,
        scale: Bounds | None = None,
        has_stem: bool = False,
    ) -> None:
        self.source, self.mapping, self.language = source, mapping, language
        self.account = ColumnAccount(source, mapping, columns)
        self._columns, self._scale, self._has_stem = columns, scale, has_stem
        self._first_places: dict[int, int] = {}
        self._raters: dict[str, str] = {}  # in one spelling each
        heads = [] if source.textual else [row.values for row in source.head()]
        whole = [values for values in heads if {*REQUIRED} <= sort_row(values, mapping).fields.keys()]
        self._of_whole = {name for values in whole for name in values}  # the columns of rows that leave nothing out

    def sample(self, row: Row) -> Sample | None:
        """Builds the row's sample, with an id and a language; None of a row that is no answer, which is left out."""
        fields, origins, extras = sort_row(row.values, self.mapping)
        if row.values.keys() <= self._of_whole and not fields.get("messages"):
            fields = dict.fromkeys(REQUIRED) | fields  # JSON may leave out what is null
        if reason := reason_to_leave_out(row.values, fields):
            self.account.left_out[reason].append(row.place)
            return None
        self._find_id(fields, origins, extras)
        is_told = not is_missing(fields.get("rating_min")) or not is_missing(fields.get("rating_max"))
        rule = self._find_rating(fields, origins, extras, is_told=is_told)
        self.account.add(row, fields, origins)
        self._drop_empty(fields)
        self._read_ratings(fields, origins, row, rule)
        self._read_values(fields, origins, row)
        if fields.get("messages") and not self._leave_out_messages(fields, row):
            return None
        self._join_ratings(fields, extras, row, is_told=is_told)
        try:
            metadata = cell_values.merge_metadata(fields.get("metadata"), extras)
        except ValueError as error:
            raise self._error(row, "metadata", str(error), origins) from None
        if metadata:
            fields["metadata"] = metadata
        try:
            if "messages" in fields or "history" in metadata:
                messages = fields.get("messages")
                parts = [[message] for message in messages] if isinstance(messages, list | tuple) else []
                if (order := self.account.time_order.sort(parts, row.place)) is not None:
                    fields["messages"] = [message for place in order for message in parts[place]]
                fields = join_turn(fields)
        except ThreadError as error:
            raise self._error(row, error.field, str(error), origins) from None
        self._set_scale(fields)
        fields.setdefault("id", f"{self.source.stem}-{row.number}")
        self._set_language(fields)
        try:
            sample = Sample.model_validate(fields)
        except ValidationError as error:
            field, problem = explain_validation_error(error)
            if problem is None:
                problem = explain_missing(field, list(row.values), self.mapping)
            raise self._error(row, field, problem, origins) from None
        if label := read_version(row.values, self._columns.version) if self._columns.version else "":
            group = None if sample.source == sample.id else sample.group  # the answers to one question stay together
            self.account.has_own_groups = self.account.has_own_groups or group is not None
            own_id = versioned_id(sample.id, label)
            sample = sample.model_copy(update={"id": own_id, "group": group or sample.source})
        if sample.rating_min < 0 and sample.human_rating is not None and has_two_answers(row.values):
            raise self._error(row, "rating", COMPARES_TWO, origins)
        self._check_id(sample.id, row)
        self.account.add_sample(sample, row.place)
        return sample

    def _leave_out_messages(self, fields: dict[str, Any], row: Row) -> bool:
        """Leaves out the messages among colleagues; returns whether any other one is left."""
        messages, fields["messages"] = fields["messages"], for_customers(fields["messages"])
        if not fields["messages"]:
            self.account.left_out[FOR_COLLEAGUES].append(row.place)
        elif len(fields["messages"]) < len(messages):
            self.account.places[_INTERNAL].append(row.place)  # of conversations
        return bool(fields["messages"])

    def _find_id(self, fields: dict[str, Any], origins: dict[str, str], extras: dict[str, Any]) -> None:
        """Takes the id out of the column of another name that all rows tell."""
        name = self._columns.id
        if name in extras and "id" not in origins and is_missing(fields.get("id")):
            value = extras.pop(name)
            fields["id"] = f"{self.source.stem}-{value}" if self._has_stem and not is_missing(value) else value
            origins["id"] = name

    def _find_rating(
        self, fields: dict[str, Any], origins: dict[str, str], extras: dict[str, Any], *, is_told: bool
    ) -> NumberRule:
        """Finds the row's own rating and its scale, and returns the rule of its numbers."""
        own = self._columns.own
        is_none = own is None and "rating" in self._columns.unused.keys() & fields.keys()
        if is_none and not is_told and not self.source.made:
            extras["rating"] = fields.pop("rating")  # of rows of tables it is from 1 to 5, as any
        if not is_missing(fields.get("rating")) or not is_missing(fields.get("ratings")):
            if own is None or is_told:
                return self._columns.told_rule
            fields["rating_min"], fields["rating_max"] = own.scale[:2]
            return own.rule
        for column in self._columns.ratings:
            if not column.rater and column.name in extras and "rating" not in origins:
                fields["rating"] = extras.pop(column.name)
                origins["rating"] = column.name
                fields.setdefault("rating_min", column.scale.low)
                fields.setdefault("rating_max", column.scale.high)
                return column.rule
        return _PLAIN

    def _read_ratings(self, fields: dict[str, Any], origins: Mapping[str, str], row: Row, rule: NumberRule) -> None:
        """Reads the numbers of the row's own rating, or ratings by rater."""
        if rule.says_none(fields.get("rating")):
            column = origins.get("rating") or self.source.origins.get("rating", "rating")
            self.account.add_no_rating(column, row, fields.pop("rating"))
        ratings = cell_values.parse_nested_json(fields.get("ratings"))
        if isinstance(ratings, Mapping):
            for rater in (rater for rater, rating in ratings.items() if rule.says_none(rating)):
                self.account.add_no_rating(f"{origins.get('ratings', 'ratings')}.{rater}", row, ratings[rater])
            fields["ratings"] = {rater: rating for rater, rating in ratings.items() if not rule.says_none(rating)}
        name = "rating"
        try:
            if "rating" in fields:
                fields[name] = rule.read(fields[name])
            if "ratings" in fields:
                name = "ratings"
                fields[name] = cell_values.parse_ratings(fields[name], rule)
        except ValueError as error:
            raise self._error(row, name, str(error), origins) from None

    def _join_ratings(self, fields: dict[str, Any], extras: dict[str, Any], row: Row, *, is_told: bool) -> None:
        """Takes the columns of raters out of the rest, as the row's `ratings`; its rating is of whom a column names.

        Beside what raters gave, the row's own rating is their mean, or says nothing new; `is_told` whether the row says
        its scale.
        """
        raters = [column for column in self._columns.ratings if column.rater and column.name in extras]
        if raters and not fields.get("ratings"):
            first: dict[str, str] = {}
            ratings: dict[str, float] = {}
            for column in raters:
                value = extras.pop(column.name)
                if column.rule.says_none(value):
                    self.account.add_no_rating(column.name, row, value)
                    continue
                try:
                    rating = column.rule.read(value)
                    if rating is not None and ratings.setdefault(column.rater, rating) != rating:
                        raise ValueError(
                            f"`{first[column.rater]}` and `{column.name}` are both read as the ratings of "
                            f"{column.rater}; rename one of them, or --map the one that counts to rating"
                        )
                except ValueError as error:
                    raise self._error(row, "ratings", str(error), {"ratings": column.name}) from None
                first.setdefault(column.rater, column.name)
            fields["ratings"] = ratings
            if ratings and fields.get("rating") is not None:
                extras["rating"] = fields.pop("rating")
                if not is_told:
                    fields["rating_min"], fields["rating_max"] = raters[0].scale[:2]
            fields.setdefault("rating_min", raters[0].scale.low)
            fields.setdefault("rating_max", raters[0].scale.high)
        is_named = self._columns.rater in extras and fields.get("rating") is not None and not fields.get("ratings")
        if is_named and (name := as_label(extras[self._columns.rater])):
            fields["ratings"] = {self._raters.setdefault(name.casefold(), name): fields.pop("rating")}
            del extras[self._columns.rater]

    def _drop_empty(self, fields: dict[str, Any]) -> None:
        """Takes out what says that there is nothing; a question or an answer that is null is empty."""
        for name in fields.keys() & _OPTIONAL:
            value = fields[name]
            is_empty = value is None or (self.source.textual and isinstance(value, str) and not value.strip())
            if is_empty or (name in _LABELS and is_missing(value)):
                del fields[name]
        for name in REQUIRED:
            if fields.get(name, "") is None:
                fields[name] = ""

    def _read_values(self, fields: dict[str, Any], origins: Mapping[str, str], row: Row) -> None:
        for name in fields.keys() & _PARSERS.keys():
            try:
                if name != "reference" or name in origins:  # one of another name may hold several
                    fields[name] = _PARSERS[name](fields[name])
                if name == "tables":
                    fields[name] = load_named_tables(fields[name], self.source.folder)
            except (ValueError, InputError) as error:
                raise self._error(row, name, str(error), origins) from None

    def _set_scale(self, fields: dict[str, Any]) -> None:
        """Gives all ratings the scale that the user says, and those in messages that of the set's if they have none."""
        is_rated = fields.get("rating") is not None or bool(fields.get("ratings"))
        has_rated_turn = any(message.human_rating is not None for message in fields.get("messages") or ())
        scale = self._columns.message_scale
        if self._scale is not None and (is_rated or has_rated_turn):
            fields["rating_min"], fields["rating_max"] = self._scale
            return
        is_told = fields.get("rating_min") is not None or fields.get("rating_max") is not None
        if scale is not None and has_rated_turn and not is_rated and not is_told:
            fields["rating_min"], fields["rating_max"] = scale[:2]

    def _set_language(self, fields: dict[str, Any]) -> None:
        language = fields.get("language")
        if language is None:
            question, answer = fields.get("user_input"), fields.get("response")
            if self.language is not None:
                fields["language"] = self.language
            elif fields.get("messages"):
                fields["language"] = thread_language(fields["messages"])
            elif isinstance(question, str) and isinstance(answer, str):
                fields["language"] = detect_language(question, answer)
        elif isinstance(language, str):
            code, region, _ = language_code(language).replace("_", "-").lower().partition("-")
            fields["language"] = code
            if region:
                fields["metadata"] = cell_values.merge_metadata(fields.get("metadata"), {"language": language})

    def _check_id(self, sample_id: str, row: Row) -> None:
        # the hash in place of the id, and a number in place of a text, keep this small for very large sets
        kind, _, digits = row.place.rpartition(" ")
        first = self._first_places.setdefault(hash(sample_id), int(digits))
        if first != int(digits):
            message = f'"{shorten(sample_id)}" is the id of {kind} {first} too; give each sample its own id, '
            message += f"or where rows are of several raters say which column names them ({self.source.map_option} "
            message += "COLUMN=rater), and where they are of several systems, a column `system` that names them"
            raise self._error(row, "id", message, {})

    def _error(self, row: Row, field: str, problem: str, origins: Mapping[str, str]) -> InputError:
        column = origins.get(field) or self.source.origins.get(field)
        origin = f" (column {column})" if column else ""
        return InputError(f"{self.source.name}, {row.place}, field {field}{origin}: {problem}")


def _parse_label(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _parse_reference(value: object) -> object:
    if isinstance(value, str) and not value.lstrip().startswith(("['", '["')):
        return value
    texts = cell_values.parse_texts(value)
    is_listed = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
    return "\n".join(texts) if is_listed and isinstance(texts, list) else value


def _parse_metadata(value: object) -> object:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        return cell_values.parse_structure(value)
    return value


_PARSERS: dict[str, Callable[[object], object]] = {
    "id": _parse_label,
    "group": _parse_label,
    "message_type": _parse_label,
    "retrieved_contexts": cell_values.parse_texts,
    "tables": cell_values.parse_tables,
    "reference": _parse_reference,
    "rating_min": _PLAIN.read,
    "rating_max": _PLAIN.read,
    "messages": cell_values.parse_structure,
    "metadata": _parse_metadata,
}


_LANGUAGE = re.compile(r"[a-z]{2,3}")


def load_set(
    source: str | Path,
    *,
    mapping: Mapping[str, str] | None = None,
    language: str | None = None,
    limit: int | None = None,
    skip_bad: list[InputError] | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    scale: tuple[float, float] | None = None,
    notes: list[str] | None = None,
) -> list[Sample]:
    """Reads the samples of a set into a list; arguments and errors as for `read_set`.

    Examples:
        >>> samples = load_set("helpdesk_en", limit=2)
        >>> [sample.id for sample in samples]
        ['en-001', 'en-002']
    """
    return list(
        read_set(
            source,
            mapping=mapping,
            language=language,
            limit=limit,
            skip_bad=skip_bad,
            sheet=sheet,
            header_row=header_row,
            scale=scale,
            notes=notes,
        )
    )


def read_set(
    source: str | Path,
    *,
    mapping: Mapping[str, str] | None = None,
    language: str | None = None,
    limit: int | None = None,
    skip_bad: list[InputError] | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    scale: tuple[float, float] | None = None,
    versions: str = "",
    notes: list[str] | None = None,
    is_one_of_several: bool = False,
) -> Iterator[Sample]:
    """Reads the samples of a set one by one, in constant memory (but .json and Excel files are read whole).

    Traces of Langfuse and Phoenix and examples of LangSmith are recognised by their first row. A row without
    an id gets `<file stem>-<row number>`; unknown columns go to `metadata`; a note accounts for
    each column.

    Args:
        source: A path (.jsonl, .ndjson, .json, .csv, .tsv, .txt, .xlsx or .parquet), the name of a bundled set, or
            of a public one that is downloaded (`public:mtrag`, or one half of it, `public:mtrag:dev`).
        mapping: Renames columns, theirs to ours: `{"question": "user_input"}`. Usual names need none.
        language: The language (ISO 639-1) of the rows that name none; left out, it is detected from the texts.
        limit: The largest number of samples.
        skip_bad: A list that errors of single rows are appended to while reading goes on; errors of the whole file
            (empty, not its format, no usable row) are raised nonetheless.
        sheet: Chooses one sheet of an Excel file.
        header_row: The row of a CSV or Excel file that names the columns, from 1; 0 where none does: they are then
            `column 1` and so on. Left out, the first, or below a title the first of ten that has usual names.
        scale: The lowest and the highest rating. Left out, as the file says, else the usual scale that holds all.
        versions: The column that tells apart the answers of several versions to the question of one id.
        notes: A list that notes about how the set is read are appended to, such as "read context as
            retrieved_contexts"; without one they are logged.
        is_one_of_several: Whether other sets are read with it: ids of a column with another name than `id` then begin
            with the file's name.

    Yields:
        The samples.

    Raises:
        InputError: At once when the source cannot be opened, and while reading at the first bad row; the message has
            file, line, field and cure.
    """
    if not isinstance(source, str | Path):
        raise wrong_type("source", source, "a path or the name of a set; `read_samples` takes data of a program")
    mapping = _check_options(mapping, language, limit, scale)
    if not isinstance(skip_bad, list | None):
        raise wrong_type("skip_bad", skip_bad, "a list, to which the errors are appended: skip_bad=[]")
    opened = open_source(source, sheet=sheet, header_row=header_row, known=known_columns(mapping))
    builder = _open_set(opened, mapping, language, scale, versions, has_stem=is_one_of_several)
    return _build_samples(builder, limit, skip_bad, notes)


def read_samples(
    data: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    language: str | None = None,
    scale: tuple[float, float] | None = None,
    notes: list[str] | None = None,
) -> Iterator[Sample]:
    """Reads the samples of data that a program has, or of a set.

    Args:
        data: Rows with columns as a file may have them: a DataFrame of pandas or polars, a dataset of `datasets` or
            Ragas, or a list of dicts; a list of samples; or what `read_set` takes.
        mapping: As for `read_set`, like the other arguments.
        language: The language of the rows that name none.
        scale: As for `read_set`.
        notes: A list that notes about how the data is read are appended to.

    Yields:
        The samples; one without an id gets `sample-<number>`.

    Raises:
        InputError: As `read_set`; the message names the place in the data, counted from 0.

    Examples:
        >>> rows = [{"question": "Is it free?", "answer": "Yes, it is.", "context": "The course is free."}]
        >>> notes = []
        >>> [(sample.id, sample.retrieved_contexts) for sample in read_samples(rows, notes=notes)]
        [('sample-1', ('The course is free.',))]
        >>> notes[0].partition(" (")[0]
        'the list: read question as user_input, answer as response, context as retrieved_contexts'
    """
    if isinstance(data, str | Path):
        return read_set(data, mapping=mapping, language=language, scale=scale, notes=notes)
    data = list(data) if isinstance(data, Iterator) else data
    mapping = _check_options(mapping, language, None, scale)
    samples = None if mapping else ready_samples(data)
    if samples is not None:
        return iter(samples)
    return _build_samples(_open_set(open_data(data), mapping, language, scale), notes=notes)


def _check_options(
    mapping: Mapping[str, str] | None, language: str | None, limit: int | None, scale: tuple[float, float] | None
) -> dict[str, str]:
    checked = read_raters(mapping or {})
    check_mapping(checked)
    if not isinstance(language, str | None):
        raise wrong_type("language", language, "a code of two letters, such as nl")
    if language is not None and not _LANGUAGE.fullmatch(language):
        raise InputError(f"language `{language}` is no ISO 639-1 code; write nl, en or another code of two letters")
    if limit is not None and limit < 1:
        raise InputError(f"limit {limit} leaves no samples; give 1 or more, or leave it out")
    if scale is not None and not scale[0] < scale[1]:
        raise InputError(f"scale {scale}: write the lowest and the highest rating, such as (1, 5)")
    return checked


def _open_set(
    opened: Rows,
    mapping: Mapping[str, str],
    language: str | None,
    scale: Bounds | None,
    versions: str = "",
    *,
    has_stem: bool = False,
) -> SampleBuilder:
    """What builds the samples of an opened set. Raises `InputError` for columns that cannot be a set's."""
    if not is_row_per_sample(opened, mapping):
        opened = read_logs(opened, mapping)
        first = opened.head_values()
        if not (mapping or has_own_columns(first)) and (export := explain_export(first)):
            raise InputError(f"{opened.name}: {export}")
    # the rows of a conversation were joined by it, but for what its raters gave; those of an answer by some columns
    used = {OF_RATERS, *TURN_FIELDS, *opened.origins} if opened.made else set[str]()
    mapping = {theirs: ours for theirs, ours in mapping.items() if is_rater(ours) or ours not in used}
    if opened.columns is not None:
        try:
            check_columns(opened.columns, mapping, opened.name)
        except InputError as error:
            if holds_preferences(next((row.values for row in opened.head()), {})):
                raise _no_answers(opened) from None
            if not opened.header:
                raise
            raise InputError(f"{error}; {opened.header}") from None
    columns = look_at_columns(opened, mapping, scale, versions)
    return SampleBuilder(opened, mapping, language, columns, scale=scale, has_stem=has_stem)


def _no_answers(opened: Rows) -> InputError:
    use = "holds preferences between versions, and no answers; assay decide RUN_A RUN_B --ratings FILE reads it"
    return InputError(f"{opened.name}: {use}")


def _build_samples(
    builder: SampleBuilder,
    limit: int | None = None,
    skip_bad: list[InputError] | None = None,
    notes: list[str] | None = None,
) -> Iterator[Sample]:
    """Yields the samples of a set."""
    opened, account = builder.source, builder.account
    first_error: InputError | None = None
    good = bad = 0
    try:
        for row in opened.rows:
            try:
                if isinstance(row, BadRow):
                    raise row.error
                built = builder.sample(row)
            except InputError as error:
                if not good and isinstance(row, Row) and holds_preferences(row.values):
                    raise _no_answers(opened) from None
                if skip_bad is None:
                    error.is_of_row = True
                    raise
                skip_bad.append(error)
                first_error, bad = first_error or error, bad + 1
                continue
            if built is None:
                continue
            good += 1
            yield built
            if good == limit:
                break
    except OSError as error:
        raise cannot_read(opened.name, error) from None
    if not good:
        raise InputError(f"{opened.name}: {_why_nothing(first_error, bad, account)}")
    # a format that names its columns has passed this before the first row; in the others only all rows tell
    check_mapped(account.columns, builder.mapping, opened.name)
    lines = (*opened.notes, *opened.late_notes(), *account.notes())
    tell_notes(lines if notes is None else (*lines, account.count_conversations()), notes)


def _why_nothing(first_error: InputError | None, bad: int, account: ColumnAccount) -> str:
    """Why a set has no samples."""
    if first_error is not None:
        return f"none of the {count_of(bad, 'row')} can be used; the first error: {first_error}"
    if left_out := account.describe_left_out():
        return f"none of its rows is an answer: {'; '.join(left_out)}"
    return "the set is empty; it should hold one row per sample"
