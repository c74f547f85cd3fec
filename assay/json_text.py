"""Reads JSON that people wrote: a key that stands twice is refused, and every mistake is said in plain words."""

import json
from typing import Any

from .value_messages import shorten


class RepeatedKeyError(ValueError):
    """An object has a key twice."""


def parse_json(text: str) -> Any:
    r"""Reads one JSON document.

    Raises:
        ValueError: It is no JSON, has a key twice in one object, is nested too deeply, or holds a number of more than
            4,300 digits; the message says which, as it follows a file's name.

    Examples:
        >>> parse_json('{"a": [1, null]}')
        {'a': [1, None]}
        >>> parse_json('{"a": 1,\n "a": 2}')
        Traceback (most recent call last):
        ValueError: is not usable JSON: the key `a` stands twice in one object
    """
    try:
        return JSON_DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(explain_json_error(error, text)) from None


def explain_json_error(error: Exception, text: str) -> str:
    """Says what is wrong with a text that `JSON_DECODER` refuses, as it follows the name of its place."""
    if isinstance(error, json.JSONDecodeError):
        near = shorten(text[max(0, error.pos - 15) :].strip(), 40)
        return f"is not JSON: {error.msg} at character {error.colno}, near {near!r}"
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    if str(error).startswith("Exceeds the limit"):
        return "is not usable JSON: a number has more than 4,300 digits"
    return f"is not usable JSON: {error}"


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Builds an object whose keys are all different; json itself silently drops the first of two equal keys."""
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        duplicate = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise RepeatedKeyError(f"the key `{duplicate}` stands twice in one object")
    return value


JSON_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys)
"""As json's own, for whoever wants its `JSONDecodeError`."""
