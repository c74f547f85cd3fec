"""A row becomes a Sample, or an error that a person can act on."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from ..errors import InputError
from ..text.language_detection import detect_language
from . import cell_values
from .rating_column import RatingColumn
from .rows import Row, Rows
from .sample import Sample
from .sample_columns import FIELDS, REQUIRED, explain_missing, sort_row
from .table_files import load_named_tables
from .validation_message import explain_validation_error

_OPTIONAL = tuple(name for name in FIELDS if name not in REQUIRED)


class SampleBuilder:
    """Builds the samples of one source.

    Args:
        source: The opened source.
        mapping: Their column -> our field.
        language: The language of rows that name none; None to detect it from the texts.
        rating_column: The column that is read as `rating` where a row has none.
    """

    def __init__(
        self,
        source: Rows,
        mapping: Mapping[str, str],
        language: str | None,
        rating_column: RatingColumn | None = None,
    ) -> None:
        self.source, self.mapping, self.language = source, mapping, language
        self.columns: set[str] = set(source.columns or ())
        self._rating_column = rating_column
        self._recognised: dict[str, str] = {}
        self._first_places: dict[int, int] = {}

    def sample(self, row: Row) -> Sample:
        """Builds the row's sample, with an id and a language.

        Raises:
            InputError: The row is no sample; the message has place, field and cure.
        """
        self.columns.update(row.values)
        fields, origins, extras = sort_row(row.values, self.mapping)
        self._read_rating_column(fields, origins, extras)
        for field, column in origins.items():
            if column not in self.mapping:
                self._recognised.setdefault(column, field)
        self._drop_empty(fields)
        self._read_values(fields, origins, row)
        try:
            metadata = merge_metadata(fields.get("metadata"), extras)
        except ValueError as error:
            raise self._error(row, "metadata", str(error), origins) from None
        if metadata:
            fields["metadata"] = metadata
        fields.setdefault("id", f"{self.source.stem}-{row.number}")
        self._set_language(fields)
        try:
            sample = Sample.model_validate(fields)
        except ValidationError as error:
            field, problem = explain_validation_error(error)
            if problem is None:
                problem = explain_missing(field, list(row.values), self.mapping)
            raise self._error(row, field, problem, origins) from None
        self._check_id(sample.id, row)
        return sample

    def note(self) -> str:
        """Says which columns were recognised by their usual names; empty where none were."""
        read = [f"{column} as {field}" for column, field in self._recognised.items() if field != "rating"]
        if "rating" in self._recognised.values() and self._rating_column:
            read.append(self._rating_column.describe())
        return f"{self.source.name}: read {', '.join(read)} (change with {self.source.map_option})" if read else ""

    def _read_rating_column(self, fields: dict[str, Any], origins: dict[str, str], extras: dict[str, Any]) -> None:
        column = self._rating_column
        if column is None or column.name not in extras or "rating" in origins:
            return
        fields["rating"] = extras.pop(column.name)
        origins["rating"] = column.name
        fields.setdefault("rating_min", column.low)
        fields.setdefault("rating_max", column.high)

    def _drop_empty(self, fields: dict[str, Any]) -> None:
        for name in _OPTIONAL:
            value = fields.get(name)
            if name in fields and (
                value is None or (self.source.textual and isinstance(value, str) and not value.strip())
            ):
                del fields[name]

    def _read_values(self, fields: dict[str, Any], origins: Mapping[str, str], row: Row) -> None:
        for name in fields.keys() & _PARSERS.keys():
            try:
                fields[name] = _PARSERS[name](fields[name])
                if name == "tables":
                    fields[name] = load_named_tables(fields[name], self.source.folder)
            except (ValueError, InputError) as error:
                raise self._error(row, name, str(error), origins) from None

    def _set_language(self, fields: dict[str, Any]) -> None:
        language = fields.get("language")
        if language is None:
            question, answer = fields.get("user_input"), fields.get("response")
            if self.language is not None:
                fields["language"] = self.language
            elif isinstance(question, str) and isinstance(answer, str):
                fields["language"] = detect_language(question, answer)
        elif isinstance(language, str):
            code, region, _ = language.strip().replace("_", "-").lower().partition("-")
            fields["language"] = code
            if region:
                fields["metadata"] = merge_metadata(fields.get("metadata"), {"language": language})

    def _check_id(self, sample_id: str, row: Row) -> None:
        # the hash in place of the id, and a number in place of a text, keep this small for very large sets
        kind, _, digits = row.place.rpartition(" ")
        first = self._first_places.setdefault(hash(sample_id), int(digits))
        if first != int(digits):
            message = f'"{cell_values.shorten(sample_id)}" is the id of {kind} {first} too; give each sample its own id'
            raise self._error(row, "id", message, {})

    def _error(self, row: Row, field: str, problem: str, origins: Mapping[str, str]) -> InputError:
        origin = f" (column {origins[field]})" if field in origins else ""
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
    "rating": cell_values.parse_number,
    "ratings": cell_values.parse_ratings,
    "rating_min": cell_values.parse_number,
    "rating_max": cell_values.parse_number,
    "metadata": _parse_metadata,
}
