"""A row becomes a Sample, or an error that a person can act on."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from ..errors import InputError
from ..text.language_detection import detect_language
from . import cell_values
from .rows import Row, Rows
from .sample import Sample
from .sample_columns import FIELDS, REQUIRED, missing, sort_row
from .table_files import load_named_tables
from .validation_message import explain_validation_error

_OPTIONAL = tuple(name for name in FIELDS if name not in REQUIRED)


class SampleBuilder:
    """Makes the samples of one source. `mapping` is their column -> our field; `language` is for rows without one."""

    def __init__(self, source: Rows, mapping: Mapping[str, str], language: str | None) -> None:
        self.source, self.mapping, self.language = source, mapping, language
        self.columns: set[str] = set(source.columns or ())
        self._first_places: dict[int, str | int] = {}

    def sample(self, row: Row) -> Sample:
        """The row's sample, with an id and a language. Raises `InputError` with place, field and cure."""
        self.columns.update(row.values)
        fields, origins, extras = sort_row(row.values, self.mapping)
        self._drop_empty(fields)
        self._read_values(fields, origins, row)
        metadata = merge_metadata(fields.get("metadata"), extras)
        if metadata:
            fields["metadata"] = metadata
        fields.setdefault("id", f"{self.source.stem}-{row.number}")
        self._set_language(fields)
        try:
            sample = Sample.model_validate(fields)
        except ValidationError as error:
            field, said = explain_validation_error(error)
            if said is None:
                said = missing(field, list(row.values), self.mapping)
            raise self._error(row, field, said, origins) from None
        self._once(sample.id, row)
        return sample

    def _drop_empty(self, fields: dict[str, Any]) -> None:
        for name in _OPTIONAL:
            if name in fields and (fields[name] is None or (self.source.textual and not fields[name].strip())):
                del fields[name]

    def _read_values(self, fields: dict[str, Any], origins: Mapping[str, str], row: Row) -> None:
        for name in fields.keys() & _READERS.keys():
            try:
                fields[name] = _READERS[name](fields[name])
                if name == "tables":
                    fields[name] = load_named_tables(fields[name], self.source.folder)
            except (ValueError, InputError) as error:
                raise self._error(row, name, str(error), origins) from None

    def _set_language(self, fields: dict[str, Any]) -> None:
        own = fields.get("language")
        if own is None:
            asked, said = fields.get("user_input"), fields.get("response")
            if self.language is not None:
                fields["language"] = self.language
            elif isinstance(asked, str) and isinstance(said, str):
                fields["language"] = detect_language(asked, said)
        elif isinstance(own, str):
            code, region, _ = own.strip().replace("_", "-").lower().partition("-")
            fields["language"] = code
            if region:
                fields["metadata"] = merge_metadata(fields.get("metadata"), {"language": own})

    def _once(self, sample_id: str, row: Row) -> None:
        # the hash in place of the id, and a number in place of a text, keep this small for very large sets
        kind, _, digits = row.place.partition(" ")
        first = self._first_places.setdefault(hash(sample_id), int(digits))
        if first != int(digits):
            said = (
                f'"{cell_values.shorten(sample_id)}" is the id of {kind} {first} too; give each sample an id of its own'
            )
            raise self._error(row, "id", said, {})

    def _error(self, row: Row, field: str, said: str, origins: Mapping[str, str]) -> InputError:
        origin = f" (column {origins[field]})" if field in origins else ""
        return InputError(f"{self.source.name}, {row.place}, field {field}{origin}: {said}")


def merge_metadata(given: Any, extras: Mapping[str, Any]) -> dict[str, Any]:
    """The row's own metadata with its extra columns. Of two with one name the column keeps it; the other is
    `metadata.<name>`. Metadata that is no object stands under `metadata`."""
    merged = {name: cell_values.to_json_value(value) for name, value in extras.items()}
    if given is None:
        return merged
    for key, value in (given if isinstance(given, dict) else {"metadata": given}).items():
        name = str(key)
        while name in merged:
            name = f"metadata.{name}"
        merged[name] = cell_values.to_json_value(value)
    return merged


def _name(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _metadata(value: object) -> object:
    return cell_values.parse_structure(value) if isinstance(value, str) and value.lstrip().startswith("{") else value


_READERS: dict[str, Callable[[object], object]] = {
    "id": _name,
    "group": _name,
    "message_type": _name,
    "retrieved_contexts": cell_values.parse_texts,
    "tables": cell_values.parse_tables,
    "rating": cell_values.parse_number,
    "ratings": cell_values.parse_ratings,
    "rating_min": cell_values.parse_number,
    "rating_max": cell_values.parse_number,
    "metadata": _metadata,
}
