"""One value of a row: a number, a list of texts or an object, however the file came to write it."""

import ast
import json
import math
import re
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
# one text of a list as Python or NumPy prints it; NumPy puts no comma between the items
_PRINTED_TEXT = re.compile(
    r"""\s*('[^'\\\n]*(?:\\.[^'\\\n]*)*'|"[^"\\\n]*(?:\\.[^"\\\n]*)*")\s*,?""",
    re.DOTALL,
)
NO_RATING = "leave it out or write null if there is no rating"


def describe_type(value: object) -> str:
    """What a value is, in the words of JSON."""
    names = {bool: "true or false", str: "a text", list: "a list", tuple: "a list", dict: "an object"}
    if value is None:
        return "null"
    return names.get(type(value)) or ("a number" if isinstance(value, int | float) else f"a {type(value).__name__}")


def shorten(text: str, length: int = 60) -> str:
    """A text that fits in a message."""
    return text if len(text) <= length else text[: length - 3] + "..."


def parse_number(value: object) -> object:
    """A rating as a number; a text may have a decimal point or comma. Raises `ValueError` where it is none."""
    if isinstance(value, bool):
        raise ValueError("is true or false, not a number; write 4 or 4.5")
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, str):
        text = value.strip()
        if text.lower() in ("nan", "-nan", "+nan"):
            value = math.nan
        elif not _NUMBER.fullmatch(text):
            raise ValueError(f'"{shorten(text)}" is not a number; write 4 or 4,5, or nothing if there is no rating')
        else:
            return float(text.replace(",", "."))
    if isinstance(value, float) and math.isnan(value):
        raise ValueError(f"is NaN, which is no rating; {NO_RATING}")
    return value


def parse_ratings(value: object) -> object:
    """Ratings by rater. A rater with null gave none. Raises `ValueError` naming the rater."""
    ratings = parse_structure(value)
    if not isinstance(ratings, dict):
        raise ValueError(f'is {describe_type(ratings)}, not an object; write {{"an": 4, "bo": 5}}, a rating a rater')
    read = {}
    for rater, rating in ratings.items():
        try:
            read[rater] = parse_number(rating)
        except ValueError as error:
            raise ValueError(f"rater {rater}: {error}") from None
    return {rater: rating for rater, rating in read.items() if rating is not None}


def parse_texts(value: object) -> object:
    """Contexts: a list as it is; a text that is a printed list (JSON, Python or NumPy), or else is one context.

    Raises `ValueError` when a text begins as a list of texts and is none.
    """
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not text:
        return []
    if not (text.startswith("[") and text.endswith("]")):
        if re.match(r"\[\s*\"", text):
            raise ValueError('begins as a list and does not end as one; write ["...", "..."]')
        return [value]
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    printed = _printed_texts(text)
    if printed is None and re.match(r"\[\s*['\"]", text):
        raise ValueError(f'"{shorten(text)}" is not a list of texts; write ["...", "..."] with \\" for a quote inside')
    return [value] if printed is None else printed


def _printed_texts(text: str) -> list[str] | None:
    items, place, end = [], 1, len(text) - 1
    while match := _PRINTED_TEXT.match(text, place, end):
        items.append(match[1])
        place = match.end()
    if not items or text[place:end].strip():
        return None
    try:
        return [str(ast.literal_eval(item)) for item in items]
    except (ValueError, SyntaxError):
        return None


def parse_structure(value: object) -> object:
    """A list or object; a text is read as JSON or as Python prints it. Raises `ValueError` where it is neither."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        why = error
    try:
        return ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise ValueError(f'"{shorten(value)}" is not JSON ({why}); write it as JSON') from None


def to_json_value(value: Any) -> Any:
    """A value as JSON can hold it: NaN is null, a date its ISO text, a tuple a list, anything unknown its text."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, dict):
        return {str(key): to_json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(item) for item in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else str(value)


def parse_tables(value: object) -> object:
    """Tables as plain JSON values. A column or unit that is null is one that another row of a Parquet file has.

    A text that is no list or object is the name of a file.
    """
    if isinstance(value, str) and value.lstrip()[:1] not in ("[", "{"):
        return value.strip()
    read = to_json_value(parse_structure(value))
    if not isinstance(read, list):
        return read
    for table in read:
        if isinstance(table, dict):
            for part in ("columns", "units"):
                if isinstance(table.get(part), dict):
                    table[part] = {name: held for name, held in table[part].items() if held is not None}
            if table.get("units", {}) is None:
                del table["units"]
    return read
