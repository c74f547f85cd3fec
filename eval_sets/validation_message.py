"""Turns an error of pydantic about a row into a message for someone who has the file open."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .cell_values import NO_RATING, describe_type, shorten
from .name_suggestions import quote_names

# the branches of a table's cell, which pydantic names in an error's path
_BRANCHES = {"int", "float", "str", "bool"}
_TABLE = 'a table is {"name": "...", "columns": {"date": ["2026-03-01"], "mbps": [41.2]}, "units": {"mbps": "Mbps"}}'


def explain_validation_error(error: ValidationError) -> tuple[str, str | None]:
    """Explains the first error of a row.

    Returns:
        The field, and what is wrong with it with its cure; None instead of the latter where the field is missing.
    """
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
    message = error["msg"].removeprefix("Value error, ").removeprefix(f"{field}: ")
    if field.startswith("tables"):
        return f"{message[0].lower()}{message[1:]}; {_TABLE}"
    if error["type"] == "string_type" and value is None:
        return 'is null or NaN; write the text, or "" if there is none'
    if known := _BY_TYPE.get(error["type"]):
        shown = f'"{shorten(value)}"' if isinstance(value, str) else shorten(str(value))
        return known.format(kind=describe_type(value), value=shown)
    return message if ";" in message else f"{message}; correct it in the file"


_BY_TYPE = {
    "string_type": "is {kind} ({value}), not a text; write it in quotes",
    "tuple_type": 'is {kind}, not a list of texts; write ["...", "..."]',
    "dict_type": 'is {kind}, not an object; write {{"name": "value"}}',
    "float_type": "is {kind}, not a number; write 4 or 4.5",
    "finite_number": f"is {{value}}, which is no rating; {NO_RATING}",
    "string_pattern_mismatch": "{value} is no ISO 639-1 code; write nl, en or another code of two letters",
    "string_too_short": "is empty; give the sample a name, or leave the field out to have one made",
}
