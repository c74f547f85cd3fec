"""A row becomes a Sample, or an error that a person can act on."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ..errors import InputError
from ..text.language_detection import detect_language
from ..text.wording import count_of, list_first
from ..value_messages import describe_mistake, describe_type, is_nothing, shorten
from . import cell_values
from .column_search import SetColumns
from .column_table import OTHER_ANSWER, is_no_rating, language_code, reason_rater
from .columns import FIELDS, OF_RATERS, REQUIRED, describe_left_out, explain_missing, reason_to_leave_out, sort_row
from .items import LOST_PAIR, as_label, is_lost_pair, read_version, versioned_id
from .message import find_turns
from .number_rule import NO_RATING, Bounds, NumberRule, is_missing
from .rater_proposals import RaterSearch
from .rows import Row, Rows
from .sample import Sample
from .table_files import load_named_tables
from .thread import ThreadError, TimeOrder, join_turn, thread_language
from .turns import is_single_answer

_OPTIONAL = {*FIELDS} - {*REQUIRED}
_PLAIN = NumberRule()
_LABELS = {"group", "language"}  # in which a word for nothing is nothing
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
        self._left_out: dict[str, list[str]] = {}
        self._silent: list[str] = []
        self._ends_silent: list[str] = []  # conversations whose last question has a reply without a text
        self._empty_words: list[str] = []  # answers such as "nan"
        self._rater_search = RaterSearch()
        self._is_rated = False
        self._answered = 0
        self._conversations = self._turns = self._messages = self._single = 0
        self._rated_in_vain = 0
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

    def leave_out(self, row: Row, reason: str) -> None:
        """Accounts for a row that is no answer."""
        self._left_out.setdefault(reason, []).append(row.place)

    @property
    def count_left_out(self) -> int:
        """How many rows are no answers."""
        return sum(map(len, self._left_out.values()))

    def add_sample(self, sample: Sample, place: str) -> None:
        """Counts a sample that is a conversation, or has no answer."""
        self._is_rated = self._is_rated or sample.human_rating is not None or bool(sample.messages)
        if sample.response.strip():
            self._answered += 1
            if is_nothing(sample.response):
                self._empty_words.append(f'{place} "{sample.response.strip()}"')
        else:
            self._silent.append(place)
        if sample.messages:
            after = sample.messages[(sample.turn or 0) + 1 :] if sample.response.strip() else ()
            if any(message.role == "assistant" for message in after):
                self._ends_silent.append(place)
            is_single = is_single_answer(sample)
            self._single += is_single
            self._conversations += not is_single
            self._turns += 0 if is_single else len(find_turns(sample.messages))
            self._messages += 0 if is_single else len(sample.messages)
            for message in sample.messages:
                self._rated_in_vain += message.human_rating is not None and not message.is_answer

    def add_no_rating(self, column: str, row: Row, value: object) -> None:
        """Accounts for a cell of a column of ratings that says that there is none."""
        self._no_ratings.setdefault(column, []).append(f'{row.place} "{shorten(str(value), 30)}"')

    def notes(self) -> list[str]:
        """What is read as what; empty where all columns have the names of fields."""
        notes = [f"{self._source.name}: {line}" for line in self._lines()]
        if column := self._columns.version:
            several = "rows of one id are of several versions"
            grouped = "" if self.has_own_groups else ", and grouped by ID"
            notes.append(f"{self._source.name}: {several}: ids are read as ID@{column.upper()}{grouped}")
        for column, cells in self._no_ratings.items():
            where = f"{count_of(len(cells), 'cell')} of {column} without a rating: {list_first(cells)}"
            notes.append(f"{self._source.name}: {where}")
        notes += [f"{self._source.name}: {hint}" for hint in self._columns.hints]
        if not self._is_rated and (proposed := self._rater_search.describe()):
            notes.append(f"{self._source.name}: {proposed}")
        notes += [
            f"{self._source.name}: {describe_left_out(places, reason)}" for reason, places in self._left_out.items()
        ]
        if self._silent and (self._answered or self._conversations):  # a set of questions has no answers at all
            silent = count_of(len(self._silent), "row has no answer and counts", "rows have no answer and count")
            notes.append(f"{self._source.name}: {silent} as an empty one: {list_first(self._silent, 5)}")
        if self._ends_silent:
            end = count_of(len(self._ends_silent), "conversation ends", "conversations end")
            why = f"{end} with an empty reply or calls of tools alone: the answer before it is the one under test"
            notes.append(f"{self._source.name}: {why}: {list_first(self._ends_silent, 5)}")
        if self._empty_words:
            says = count_of(len(self._empty_words), "answer is a word for nothing", "answers are words for nothing")
            scored = f"{says} and scored as a text; empty the cell where there was none"
            notes.append(f"{self._source.name}: {scored}: {list_first(self._empty_words, 5)}")
        notes += [f"{self._source.name}: {note}" for note in self._message_notes()]
        return notes

    def _message_notes(self) -> list[str]:
        """What of the messages is not used, or in another order."""
        notes = self.time_order.notes() if self._conversations or self._single else []
        if self._rated_in_vain:
            ratings = count_of(
                self._rated_in_vain, "rating of a message that is no answer", "ratings of messages that are no answers"
            )
            notes.append(
                f"{ratings}, used by nothing; rate the answer, or the conversation (`rating` beside its messages)"
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
                is_reason = reason_rater(column, tuple(rater.rater for rater in self._raters.values())) is not None
                why = self._columns.unused.get(column) or ("reasons" if is_reason else "")
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


class SampleBuilder:
    """Builds the samples of one source."""

    def __init__(
        self,
        source: Rows,
        mapping: Mapping[str, str],
        language: str | None,
        columns: SetColumns,
        *,
        scale: Bounds | None = None,
        has_stem: bool = False,
    ) -> None:
        self.source, self.mapping, self.language = source, mapping, language
        self.account = ColumnAccount(source, mapping, columns)
        self._columns, self._scale, self._has_stem = columns, scale, has_stem
        self._first_places: dict[int, int] = {}
        self._raters: dict[str, str] = {}  # in one spelling each

    def sample(self, row: Row) -> Sample | None:
        """Builds the row's sample, with an id and a language; None of a row that is no answer, which is left out."""
        fields, origins, extras = sort_row(row.values, self.mapping)
        if reason := reason_to_leave_out(row.values, fields):
            self.account.leave_out(row, reason)
            return None
        rule = self._read_columns(fields, origins, extras)
        self.account.add(row, fields, origins)
        self._drop_empty(fields)
        self._drop_no_ratings(fields, origins, row)
        self._read_values(fields, origins, row, rule)
        self._join_ratings(fields, extras, row)
        self._name_rater(fields, extras)
        try:
            metadata = merge_metadata(fields.get("metadata"), extras)
        except ValueError as error:
            raise self._error(row, "metadata", str(error), origins) from None
        if metadata:
            fields["metadata"] = metadata
            self._read_other_response(fields, metadata)
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
        if self._columns.has_pairs and is_lost_pair(sample):
            raise self._error(row, "rating", LOST_PAIR, origins)
        self._check_id(sample.id, row)
        self.account.add_sample(sample, row.place)
        return sample

    def _read_columns(self, fields: dict[str, Any], origins: dict[str, str], extras: dict[str, Any]) -> NumberRule:
        """Reads the columns that only all rows tell, and returns the rule of the rating's numbers."""
        name = self._columns.id
        if name in extras and "id" not in origins and is_missing(fields.get("id")):
            value = extras.pop(name)
            fields["id"] = f"{self.source.stem}-{value}" if self._has_stem and not is_missing(value) else value
            origins["id"] = name
        own = self._columns.own
        is_told = not is_missing(fields.get("rating_min")) or not is_missing(fields.get("rating_max"))
        if (
            own is None
            and "rating" in self._columns.unused.keys() & fields.keys()
            and not is_told
            and not self.source.made
        ):
            extras["rating"] = fields.pop("rating")  # of rows of tables it is from 1 to 5, as any
        if not is_missing(fields.get("rating")) or not is_missing(fields.get("ratings")):
            if own is not None and not is_told:
                fields["rating_min"], fields["rating_max"] = own.scale[:2]
            return own.rule if own is not None and not is_told else self._columns.told_rule
        for column in self._columns.ratings:
            if not column.rater and column.name in extras and "rating" not in origins:
                fields["rating"] = extras.pop(column.name)
                origins["rating"] = column.name
                fields.setdefault("rating_min", column.scale.low)
                fields.setdefault("rating_max", column.scale.high)
                return column.rule
        return _PLAIN

    def _drop_no_ratings(self, fields: dict[str, Any], origins: Mapping[str, str], row: Row) -> None:
        if is_no_rating(fields.get("rating")):
            column = origins.get("rating") or self.source.origins.get("rating", "rating")
            self.account.add_no_rating(column, row, fields.pop("rating"))
        ratings = fields.get("ratings")
        if isinstance(ratings, str):
            with suppress(ValueError):  # the reading of the values says so
                ratings = cell_values.parse_structure(ratings)
        if isinstance(ratings, Mapping):
            for rater in (rater for rater, rating in ratings.items() if is_no_rating(rating)):
                self.account.add_no_rating(f"{origins.get('ratings', 'ratings')}.{rater}", row, ratings[rater])
            fields["ratings"] = {rater: rating for rater, rating in ratings.items() if not is_no_rating(rating)}

    def _join_ratings(self, fields: dict[str, Any], extras: dict[str, Any], row: Row) -> None:
        """Takes the columns of raters out of the rest, as the row's `ratings`."""
        raters = [column for column in self._columns.ratings if column.rater and column.name in extras]
        if fields.get("rating") is not None:  # beside it only raters count whom the user named
            raters = [column for column in raters if column.name in self.mapping]
        if not raters or fields.get("ratings"):
            return
        ratings: dict[str, float] = {}
        first: dict[str, str] = {}
        for column in raters:
            value = extras.pop(column.name)
            if is_no_rating(value):
                self.account.add_no_rating(column.name, row, value)
                continue
            try:
                rating = column.rule.read(value)
            except ValueError as error:
                raise self._error(row, "ratings", str(error), {"ratings": column.name}) from None
            if rating is None:
                continue
            if ratings.setdefault(column.rater, rating) != rating:
                problem = (
                    f"`{first[column.rater]}` and `{column.name}` are both read as the ratings of {column.rater}; "
                    "rename one of them, or --map the one that counts to rating"
                )
                raise self._error(row, "ratings", problem, {"ratings": column.name})
            first.setdefault(column.rater, column.name)
        fields["ratings"] = ratings
        fields.setdefault("rating_min", raters[0].scale.low)
        fields.setdefault("rating_max", raters[0].scale.high)

    def _name_rater(self, fields: dict[str, Any], extras: dict[str, Any]) -> None:
        """Makes a row's rating that of the rater whom another column names."""
        if fields.get("rating") is None or fields.get("ratings") or self._columns.rater not in extras:
            return
        if name := as_label(extras[self._columns.rater]):
            fields["ratings"] = {self._raters.setdefault(name.casefold(), name): fields.pop("rating")}
            del extras[self._columns.rater]

    def _read_other_response(self, fields: dict[str, Any], metadata: Mapping[str, Any]) -> None:
        """Reads another answer out of the metadata, where it is usual to keep one; the metadata keep it too."""
        if fields.get("other_response") or {*OTHER_ANSWER}.isdisjoint(metadata):
            return
        for name in OTHER_ANSWER:
            if isinstance(text := metadata.get(name), str) and text.strip():
                fields["other_response"] = text
                self.account.add_from_metadata(name, "other_response")
                return

    def _drop_empty(self, fields: dict[str, Any]) -> None:
        """Takes out what says that there is nothing; a question or an answer that is null is empty."""
        for name in fields.keys() & _OPTIONAL:
            value = fields[name]
            is_empty = value is None or (self.source.textual and isinstance(value, str) and not value.strip())
            if is_empty or (name in _LABELS and isinstance(value, str) and is_nothing(value)):
                del fields[name]
        for name in REQUIRED:
            if fields.get(name, "") is None:
                fields[name] = ""

    def _read_values(self, fields: dict[str, Any], origins: Mapping[str, str], row: Row, rule: NumberRule) -> None:
        for name in fields.keys() & {*_PARSERS, "rating", "ratings"}:
            try:
                if name == "rating":
                    fields[name] = rule.read(fields[name])
                elif name == "ratings":
                    fields[name] = cell_values.parse_ratings(fields[name], rule)
                elif name != "reference" or name in origins:  # one of another name may hold several
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
                fields["metadata"] = merge_metadata(fields.get("metadata"), {"language": language})

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


def merge_metadata(metadata: Any, extras: Mapping[str, Any]) -> dict[str, Any]:
    """Merges a row's own metadata with its extra columns.

    Of two with one name the column keeps it; the other is `metadata.<name>`. Metadata that is no object stands under
    `metadata`.
    Examples:
        >>> merge_metadata({"page": 1, "note": "x"}, {"page": 2})
        {'page': 2, 'metadata.page': 1, 'note': 'x'}
    """
    merged = {name: cell_values.to_json_value(value) for name, value in extras.items()}
    if metadata is None:
        return merged
    for key, value in (metadata if isinstance(metadata, dict) else {"metadata": metadata}).items():
        name = str(key)
        while name in merged:
            name = f"metadata.{name}"
        merged[name] = cell_values.to_json_value(value)
    return merged


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


# the branches of a table's cell, which pydantic names in an error's path
_BRANCHES = {"int", "float", "str", "bool"}
_TABLE = 'a table is {"name": "...", "columns": {"date": ["2026-03-01"], "mbps": [41.2]}, "units": {"mbps": "Mbps"}}'


def explain_validation_error(error: ValidationError) -> tuple[str, str | None]:
    """Explains the first error of a row."""
    first = error.errors(include_url=False)[0]
    path = [str(part) for part in first["loc"] if not (first["loc"][0] == "tables" and part in _BRANCHES)]
    field = ".".join(path) or str(first.get("ctx", {}).get("field", "rating_min"))
    if first["type"] == "missing" and len(path) == 1:
        return field, None
    return field, _describe(first, field)


def _describe(error: ErrorDetails, field: str) -> str:
    value = error.get("input")
    if field.startswith("tables"):
        message = error["msg"].removeprefix("Value error, ").removeprefix(f"{field}: ")
        return f"{message[0].lower()}{message[1:]}; {_TABLE}"
    if error["type"] == "string_type" and value is None:
        return 'is null or NaN; write the text, or "" if there is none'
    if known := _OF_A_ROW.get(error["type"]):
        return known.format(kind=describe_type(value), value=shorten(str(value)))
    return describe_mistake(error).removeprefix(f"{field}: ")


# what a row says better than the general message
_OF_A_ROW = {
    "tuple_type": 'is {kind}, not a list of texts; write ["...", "..."]',
    "dict_type": 'is {kind}, not an object; write {{"name": "value"}}',
    "finite_number": f"is {{value}}, which is no rating; {NO_RATING}",
    "string_pattern_mismatch": '"{value}" is no ISO 639 code; write nl, en or another code of two or three letters',
    "string_too_short": "is empty; give the sample a name, or leave the field out to have one made",
}
