"""Turns an error of pydantic about a row into a message for someone who has the file open."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ..name_suggestions import quote_names
from ..value_messages import describe_mistake, describe_type, shorten
from .number_rule import NO_RATING

# the branches of a table's cell, which pydantic names in an error's path
_BRANCHES = {"int", "float", "str", "bool"}
_TABLE = 'a table is {"name": "...", "columns": {"date": ["2026-03-01"], "mbps": [41.2]}, "units": {"mbps": "Mbps"}}'


def explain_validation_error(error: ValidationError) -> tuple[str, str | None]:
    """Explains the first error of a row."""
    errors = error.errors(include_url=False)
    first = errors[0]
    path = [str(part) for part in first["loc"] if not (first["loc"][0] == "tables" and part in _BRANCHES)]
    field = ".".join(path) or str(first.get("ctx", {}).get("field", "rating_min"))
    if first["type"] == "missing" and len(path) == 1:
        return field, None
    others = {str(other["loc"][0]) for other in errors[1:] if other["loc"] and other["loc"][0] != first["loc"][0]}
    more = f" (wrong in this row too: {quote_names(sorted(others))})" if others else ""
    return field, _describe(first, field) + more


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
