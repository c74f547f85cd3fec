"""A row becomes a Sample, or an error that a person can act on."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from ..errors import InputError
from ..text.language_detection import detect_language
from ..value_messages import is_nothing, shorten
from . import cell_values
from .column_account import ColumnAccount
from .column_search import SetColumns
from .column_table import ALIASES, is_no_rating, language_code
from .columns import FIELDS, REQUIRED, explain_missing, reason_to_leave_out, sort_row
from .number_rule import NumberRule, is_missing
from .rating_scale import Bounds
from .rows import Row, Rows
from .sample import Sample
from .table_files import load_named_tables
from .thread import ThreadError, join_turn, thread_language
from .validation_message import explain_validation_error
from .version_column import read_version, versioned_id

_OPTIONAL = tuple(name for name in FIELDS if name not in REQUIRED)
_LABELS = {"group", "language"}  # in which a word for nothing is nothing


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

    def sample(self, row: Row) -> Sample | None:
        """Builds the row's sample, with an id and a language; None of a row that is no answer, which is left out."""
        fields, origins, extras = sort_row(row.values, self.mapping)
        rule = self._read_columns(fields, origins, extras)
        self.account.add(row, fields, origins)
        self._drop_empty(fields)
        if reason := reason_to_leave_out(row.values, fields):
            self.account.leave_out(row, reason)
            return None
        self._drop_no_ratings(fields, origins, row)
        self._read_values(fields, origins, row, rule)
        self._join_ratings(fields, extras, row)
        try:
            metadata = merge_metadata(fields.get("metadata"), extras)
        except ValueError as error:
            raise self._error(row, "metadata", str(error), origins) from None
        if metadata:
            fields["metadata"] = metadata
            self._read_other_response(fields, metadata)
        try:
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
            own_id = versioned_id(sample.id, label)
            sample = sample.model_copy(update={"id": own_id, "group": group or sample.source})
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
        is_told = any(not is_missing(fields.get(bound)) for bound in ("rating_min", "rating_max"))
        if not is_missing(fields.get("rating")) or not is_missing(fields.get("ratings")):
            if own is None and "rating" in self._columns.unused and not is_told and not self.source.made:
                extras["rating"] = fields.pop("rating")  # of rows of tables it is from 1 to 5, as any
            elif own is not None and not is_told:
                fields["rating_min"], fields["rating_max"] = own.scale[:2]
            return own.rule if own is not None else NumberRule()
        for column in self._columns.ratings:
            if not column.rater and column.name in extras and "rating" not in origins:
                fields["rating"] = extras.pop(column.name)
                origins["rating"] = column.name
                fields.setdefault("rating_min", column.scale.low)
                fields.setdefault("rating_max", column.scale.high)
                return column.rule
        return NumberRule()

    def _drop_no_ratings(self, fields: dict[str, Any], origins: Mapping[str, str], row: Row) -> None:
        if is_no_rating(fields.get("rating")):
            column = origins.get("rating") or self.source.origins.get("rating", "rating")
            self.account.add_no_rating(column, row, fields.pop("rating"))
        ratings = fields.get("ratings")
        if isinstance(ratings, str):
            try:
                ratings = cell_values.parse_structure(ratings)
            except ValueError:
                return  # the reading of the values says so
        if isinstance(ratings, Mapping):
            for rater in (rater for rater, rating in ratings.items() if is_no_rating(rating)):
                self.account.add_no_rating(f"{origins.get('ratings', 'ratings')}.{rater}", row, ratings[rater])
            fields["ratings"] = {rater: rating for rater, rating in ratings.items() if not is_no_rating(rating)}

    def _join_ratings(self, fields: dict[str, Any], extras: dict[str, Any], row: Row) -> None:
        """Takes the columns of raters out of the rest, as the row's `ratings`."""
        raters = [column for column in self._columns.ratings if column.rater and column.name in extras]
        if not raters or fields.get("ratings") or fields.get("rating") is not None:
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

    def _read_other_response(self, fields: dict[str, Any], metadata: Mapping[str, Any]) -> None:
        """Reads another answer out of the metadata, where it is usual to keep one; the metadata keep it too."""
        if fields.get("other_response"):
            return
        for name in ("other_response", *ALIASES["other_response"]):
            if isinstance(text := metadata.get(name), str) and text.strip():
                fields["other_response"] = text
                self.account.add_from_metadata(name, "other_response")
                return

    def _drop_empty(self, fields: dict[str, Any]) -> None:
        """Takes out what says that there is nothing; a question or an answer that is null is empty."""
        for name in _OPTIONAL:
            value = fields.get(name)
            is_empty = value is None or (self.source.textual and isinstance(value, str) and not value.strip())
            if name in fields and (is_empty or (name in _LABELS and isinstance(value, str) and is_nothing(value))):
                del fields[name]
        for name in REQUIRED:
            if fields.get(name, "") is None:
                fields[name] = ""

    def _read_values(self, fields: dict[str, Any], origins: Mapping[str, str], row: Row, rule: NumberRule) -> None:
        parsers = _PARSERS | {
            "rating": rule.read,
            "ratings": lambda ratings: cell_values.parse_ratings(ratings, rule),
        }
        if "reference" in origins:  # of another name, which may hold several
            parsers |= {"reference": _parse_reference}
        for name in fields.keys() & parsers.keys():
            try:
                fields[name] = parsers[name](fields[name])
                if name == "tables":
                    fields[name] = load_named_tables(fields[name], self.source.folder)
            except (ValueError, InputError) as error:
                raise self._error(row, name, str(error), origins) from None

    def _set_scale(self, fields: dict[str, Any]) -> None:
        """Gives all ratings the scale that the user says, and those in messages that of the set's if they have none."""
        is_rated = fields.get("rating") is not None or bool(fields.get("ratings"))
        if is_rated and self._scale is not None:
            fields["rating_min"], fields["rating_max"] = self._scale
        scale = self._columns.message_scale
        if is_rated or scale is None:
            return
        if any(message.rating is not None for message in fields.get("messages") or ()):
            fields.setdefault("rating_min", scale[0])
            fields.setdefault("rating_max", scale[1])

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
            message += "or where rows are of several systems, a column `system` that names them"
            raise self._error(row, "id", message, {})

    def _error(self, row: Row, field: str, problem: str, origins: Mapping[str, str]) -> InputError:
        column = origins.get(field) or self.source.origins.get(field)
        origin = f" (column {column})" if column else ""
        return InputError(f"{self.source.name}, {row.place}, field {field}{origin}: {problem}")


def merge_metadata(metadata: Any, extras: Mapping[str, Any]) -> dict[str, Any]:
    """Merges a row's own metadata with its extra columns.

    Of two with one name the column keeps it; the other is `metadata.<name>`. Metadata that is no object stands under
    `metadata`.

    Raises:
        ValueError: A value is nested too deeply.

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
    "rating_min": NumberRule().read,
    "rating_max": NumberRule().read,
    "messages": cell_values.parse_structure,
    "metadata": _parse_metadata,
}
