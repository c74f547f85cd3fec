"""One value of a row: a number, a list of texts or an object, however the file came to write it."""

import ast
import json
import math
import re
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from ..json_text import JSON_DECODER, RepeatedKeyError, explain_json_error
from ..text.wording import count_of
from ..value_messages import describe_type, shorten

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
# one text of a list as Python or NumPy prints it; NumPy puts no comma between the items
_PRINTED_TEXT = re.compile(
    r"""\s*('[^'\\\n]*(?:\\.[^'\\\n]*)*'|"[^"\\\n]*(?:\\.[^"\\\n]*)*")\s*,?""",
    re.DOTALL,
)
# a rating with its meaning, as a list in a spreadsheet offers it: 4 - good, 5 (excellent)
_LABELLED_NUMBER = re.compile(r"([+-]?\d+(?:[.,]\d+)?)\s*(?:[-–—:=|]|\(|\s)\s*[^\d\s][^\d]*", re.ASCII)
_PERCENTAGE = re.compile(r"\d+([.,]\d+)?\s*%", re.ASCII)
NO_RATING = "leave it out or write null if there is no rating"
DEEPEST = 100
"""How deep lists and objects may be nested: deeper ones exhaust the stack of whoever reads them."""


def parse_number(value: object) -> object:
    """Reads a rating as a number; a text may have a decimal point or comma.

    Raises:
        ValueError: It is no number, NaN, or too large for one; the message has the cure.

    Examples:
        >>> parse_number("4,5"), parse_number(3), parse_number("4 - good"), parse_number("85%")
        (4.5, 3, 4.0, 85.0)
    """
    if isinstance(value, bool):
        raise ValueError("is true or false, not a number; write 4 or 4.5")
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, str):
        text = value.strip()
        if _PERCENTAGE.fullmatch(text):
            text = text[:-1].rstrip()
        if labelled := _LABELLED_NUMBER.fullmatch(text):
            text = labelled[1]
        if text.lower() in ("nan", "-nan", "+nan"):
            value = math.nan
        elif not _NUMBER.fullmatch(text):
            raise ValueError(f'"{shorten(text)}" is not a number; write 4 or 4,5, or nothing if there is no rating')
        else:
            value = float(text.replace(",", "."))
            if math.isinf(value):
                raise ValueError(f'"{shorten(text)}" is too large for a number; write 4 or 4.5')
    if isinstance(value, int):
        _check_size(value)
    if isinstance(value, float) and math.isnan(value):
        raise ValueError(f"is NaN, which is no rating; {NO_RATING}")
    return value


def _check_size(number: int) -> None:
    try:
        float(number)
    except OverflowError:
        raise ValueError(
            f"{shorten(str(number), 20)} has {count_of(len(str(abs(number))), 'digit')}; write 4 or 4.5"
        ) from None


def parse_ratings(value: object) -> object:
    """Reads ratings by rater; a rater with null gave none. Raises `ValueError` naming the rater."""
    ratings = parse_structure(value)
    if not isinstance(ratings, dict):
        raise ValueError(
            f'is {describe_type(ratings)}, not an object; write {{"an": 4, "bo": 5}}, one rating per rater'
        )
    parsed = {}
    for rater, rating in ratings.items():
        try:
            parsed[rater] = parse_number(rating)
        except ValueError as error:
            raise ValueError(f"rater {rater}: {error}") from None
    return {rater: rating for rater, rating in parsed.items() if rating is not None}


def parse_texts(value: object) -> object:
    """Reads contexts: a list as it is; a text that is a printed list (JSON, Python or NumPy), or else is one context.

    Raises:
        ValueError: A text begins as a list of texts and is none.

    Examples:
        >>> parse_texts('["one", "two"]'), parse_texts("['one' 'two']"), parse_texts("one"), parse_texts("")
        (['one', 'two'], ['one', 'two'], ['one'], [])
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
    """Reads a list or object from JSON or as Python prints it. Raises `ValueError` where a text is neither."""
    if not isinstance(value, str):
        return value
    try:
        return JSON_DECODER.decode(value)
    except RepeatedKeyError as error:  # Python's own notation would take the last one
        raise ValueError(f"{error}; keep one") from None
    except (ValueError, RecursionError) as error:
        cause = explain_json_error(error, value)
    try:
        return ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise ValueError(f'"{shorten(value)}" {cause}; write it as JSON') from None


def to_json_value(value: Any, depth: int = 0) -> Any:
    """Turns a value into one that JSON can hold: NaN is null, a date its ISO text, anything unknown its text.

    Raises:
        ValueError: It is nested more than 100 deep.

    Examples:
        >>> to_json_value({"at": date(2026, 3, 1), "value": float("nan")})
        {'at': '2026-03-01', 'value': None}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if depth > DEEPEST:
        raise ValueError(f"is nested more than {DEEPEST} deep; flatten it")
    if isinstance(value, dict):
        return {str(key): to_json_value(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(item, depth + 1) for item in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else str(value)


def parse_tables(value: object) -> object:
    """Reads tables as plain JSON values.

    A column or unit that is null is one that another row of a Parquet file has. A text that is no list or object is the
    name of a file.

    Raises:
        ValueError: It is no JSON, is nested too deeply, or holds a number that is too large.
    """
    if isinstance(value, str) and value.lstrip()[:1] not in ("[", "{"):
        return value.strip()
    tables = to_json_value(parse_structure(value))
    if not isinstance(tables, list):
        return tables
    for table in tables:
        if isinstance(table, dict):
            for part in ("columns", "units"):
                if isinstance(table.get(part), dict):
                    table[part] = {name: content for name, content in table[part].items() if content is not None}
            if table.get("units", {}) is None:
                del table["units"]
    return tables
