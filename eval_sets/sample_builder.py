"""A row becomes a Sample, or an error that a person can act on."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ..errors import InputError
from ..text.language_detection import detect_language
from ..value_messages import describe_mistake, describe_type, is_nothing, shorten
from . import cell_values
from .column_account import ColumnAccount
from .column_roles import ColumnRoles
from .column_table import OTHER_ANSWER, is_no_rating, language_code
from .columns import FIELDS, REQUIRED, explain_missing, reason_to_leave_out, sort_row
from .items import LOST_PAIR, as_label, is_lost_pair, read_version, versioned_id
from .number_rule import NO_RATING, Bounds, NumberRule, is_missing
from .rows import Row, Rows
from .sample import Sample
from .table_files import load_named_tables
from .thread import ThreadError, join_turn, thread_language

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

    def sample(self, row: Row) -> Sample | None:
        """Builds the row's sample, with an id and a language; None of a row that is no answer, which is left out."""
        fields, origins, extras = sort_row(row.values, self.mapping)
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
        self._join_ratings(fields, extras, row, is_told=is_told)
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
        if is_no_rating(fields.get("rating")):
            column = origins.get("rating") or self.source.origins.get("rating", "rating")
            self.account.add_no_rating(column, row, fields.pop("rating"))
        if isinstance(ratings := fields.get("ratings"), str):
            with suppress(ValueError):  # the reading of them says so
                ratings = cell_values.parse_structure(ratings)
        if isinstance(ratings, Mapping):
            for rater in (rater for rater, rating in ratings.items() if is_no_rating(rating)):
                self.account.add_no_rating(f"{origins.get('ratings', 'ratings')}.{rater}", row, ratings[rater])
            fields["ratings"] = {rater: rating for rater, rating in ratings.items() if not is_no_rating(rating)}
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
                if is_no_rating(value):
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
