"""Which column is which field of a sample: our names, the names of other tools, and a mapping that the user gives."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from ..errors import InputError
from .name_suggestions import nearest_names, quote_names
from .sample import Sample

FIELDS = tuple(Sample.model_fields)
REQUIRED = tuple(name for name, field in Sample.model_fields.items() if field.is_required() and name != "id")

# Columns of other tools that are read without a mapping where our own column is absent: Ragas 0.1, DeepEval.
ALIASES: dict[str, tuple[str, ...]] = {
    "user_input": ("question", "input"),
    "response": ("answer", "actual_output"),
    "retrieved_contexts": ("contexts", "retrieval_context"),
    "reference": ("ground_truth", "expected_output"),
}


class SortedRow(NamedTuple):
    """A row by field: its values, the columns that they came from where the names differ, and all other columns."""

    fields: dict[str, Any]
    origins: dict[str, str]
    extras: dict[str, Any]


def known_columns(mapping: Mapping[str, str]) -> frozenset[str]:
    """All column names that mean something."""
    return frozenset((*FIELDS, *(name for names in ALIASES.values() for name in names), *mapping))


def check_mapping(mapping: Mapping[str, str]) -> None:
    """Raises `InputError` when a mapping (their column -> our field) names no field of ours, or one field twice."""
    for theirs, ours in mapping.items():
        if ours not in FIELDS:
            meant = nearest_names(ours, FIELDS)
            hint = f"did you mean {theirs}={meant[0]}? The" if meant else "the"
            turned = f" (it is THEIRS=OURS: write {ours}={theirs})" if theirs in FIELDS else ""
            raise InputError(
                f"map {theirs}={ours}: no field is called `{ours}`{turned}; {hint} fields are {quote_names(FIELDS)}"
            )
        if twice := [other for other, field in mapping.items() if field == ours and other != theirs]:
            raise InputError(f"map {theirs}={ours}: `{twice[0]}` is mapped to `{ours}` too; keep one of them")


def check_columns(columns: Collection[str], mapping: Mapping[str, str], name: str) -> None:
    """Raises `InputError` when a mapped column, or one that every sample needs, is not among the columns."""
    check_mapped(columns, mapping, name)
    for field in REQUIRED:
        if not {field, *ALIASES.get(field, ())} & set(columns) and field not in mapping.values():
            raise InputError(f"{name}, field {field}: {missing(field, columns)}")


def check_mapped(columns: Collection[str], mapping: Mapping[str, str], name: str) -> None:
    """Raises `InputError` when a mapped column is not among the columns."""
    for theirs, ours in mapping.items():
        if theirs not in columns:
            raise InputError(f"{name}: {_no_column(theirs, ours, columns)}")


def _no_column(theirs: str, ours: str, columns: Collection[str]) -> str:
    meant = nearest_names(theirs, columns)
    hint = f"did you mean {meant[0]}={ours}? The" if meant else "the"
    return f"map {theirs}={ours}: there is no column `{theirs}`; {hint} columns are {quote_names(columns)}"


def missing(field: str, columns: Collection[str], mapping: Mapping[str, str] | None = None) -> str:
    """What to say of a row without a field that it needs: what there is, and how to name it."""
    for theirs, ours in (mapping or {}).items():
        if ours == field:
            return f"is missing: {_no_column(theirs, ours, columns)}"
    meant = [found for name in (field, *ALIASES.get(field, ())) for found in nearest_names(name, columns, cutoff=75)]
    cure = f"rename `{meant[0]}`, or map {meant[0]}={field}" if meant else f"add it, or map THEIRS={field}"
    return f"is missing; {cure} (the columns are {quote_names(columns)})"


def sort_row(values: dict[str, Any], mapping: Mapping[str, str]) -> SortedRow:
    """Sorts a row's columns by field. A column that a mapping pushes aside stays among the extras."""
    extras = dict(values)
    fields: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for theirs, ours in mapping.items():
        if theirs in values:
            fields[ours] = extras.pop(theirs)
            origins[ours] = theirs
    for field in FIELDS:
        if field in extras and field not in fields:
            fields[field] = extras.pop(field)
    for field, names in ALIASES.items():
        if fields.get(field) is None and field not in origins:
            present = [name for name in names if name in extras]
            chosen = next((name for name in present if extras[name] is not None), None)
            if chosen is None and field not in fields:
                chosen = next(iter(present), None)
            if chosen is not None:
                fields[field] = extras.pop(chosen)
                origins[field] = chosen
    return SortedRow(fields, origins, extras)
