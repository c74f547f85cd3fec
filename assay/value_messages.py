"""What a message says of a value or an argument: its type, a mistake in it, with its cure; and of a command's words."""

import inspect
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import UsageError

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_NUMBER = "not a number", "write 4 or 4.5"
_WHOLE_NUMBER = "not a whole number", "write 4"
_LIST = "not a list", "write [..., ...], or one entry per line after a dash"
_OBJECT = "not a set of names with values", "write name: value"
_YES_NO = "neither true nor false", "write true or false"
# what is wrong with a value of another type, and its cure
_TYPES = {
    "string_type": ("not a text", "write it in quotes"),
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "int_type": _WHOLE_NUMBER,
    "int_parsing": _WHOLE_NUMBER,
    "int_from_float": _WHOLE_NUMBER,
    "bool_type": _YES_NO,
    "bool_parsing": _YES_NO,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
}
# what is wrong, and its cure, with the bounds that pydantic names
_BOUNDS = {
    "missing": ("is missing", "add it"),
    "extra_forbidden": ("is an unknown field", "correct its name, or remove it"),
    "unexpected_keyword_argument": ("is an unknown field", "correct its name, or remove it"),
    "finite_number": ("is {value}, not a number that can be reckoned with", "write 4 or 4.5"),
    "greater_than": ("is {value}", "write a number above {gt:,.15g}"),
    "greater_than_equal": ("is {value}", "write {ge:,.15g} or more"),
    "less_than": ("is {value}", "write a number below {lt:,.15g}"),
    "less_than_equal": ("is {value}", "write {le:,.15g} or less"),
    "literal_error": ("is {value}", "write {expected}"),
    "enum": ("is {value}", "write {expected}"),
    "too_short": ("has too few entries ({actual_length})", "give {min_length} or more"),
    "too_long": ("has too many entries ({actual_length})", "give {max_length} or fewer"),
    "string_too_short": ("is too short", "write at least {min_length} characters"),
    "string_too_long": ("is too long", "write at most {max_length} characters"),
    "string_pattern_mismatch": ("is {value}, which does not have the form {pattern}", "correct it"),
}

_LONGEST_ARGUMENT = 60  # characters
_NUMBER_BOUNDS = {"greater_than", "greater_than_equal", "less_than", "less_than_equal", "finite_number"}


def describe_type(value: object) -> str:
    """Names the type of a value as JSON does.

    Examples:
        >>> describe_type([1]), describe_type(None), describe_type(2.5)
        ('a list', 'null', 'a number')
    """
    names = {bool: "true or false", str: "a text", list: "a list", tuple: "a list", dict: "an object"}
    if value is None:
        return "null"
    return names.get(type(value)) or ("a number" if isinstance(value, int | float) else f"a {type(value).__name__}")


_NOTHING = frozenset(("", "nan", "none", "null", "<na>", "n/a", "#n/a", "[]"))


def is_nothing(text: str) -> bool:
    """Whether a passage or a label is blank, or what a program writes for none.

    Examples:
        >>> is_nothing(" "), is_nothing("nan"), is_nothing("None of them.")
        (True, True, False)
    """
    return text.strip().casefold() in _NOTHING


def shorten(text: str, length: int = 60) -> str:
    """Cuts a text so that it fits in a message, on one line.

    Examples:
        >>> shorten("abcdefgh", 6), shorten("two\\nlines")
        ('abc...', 'two lines')
    """
    text = " ".join(text.splitlines())
    return text if len(text) <= length else text[: length - 3] + "..."


def describe_mistake(error: "ErrorDetails", cure: str = "") -> str:
    """Says what is wrong with a value that pydantic refuses, in plain words, and what to do.

    Examples:
        >>> describe_mistake({"type": "missing", "loc": ("model",), "msg": "Field required", "input": {}})
        'is missing; add it'
        >>> describe_mistake({"type": "float_parsing", "loc": ("weight",), "msg": "Input should be", "input": "two"})
        'is a text ("two"), not a number; write 4 or 4.5'
    """
    kind, value = error["type"], error.get("input")
    if isinstance(value, bool) and kind in _NUMBER_BOUNDS:  # which pydantic takes for 1 or 0
        kind = "float_type"
    context: Mapping[str, Any] = error.get("ctx", {})
    if kind == "string_too_short" and not str(value).strip():
        problem, own_cure = "is empty", "write a text"
    elif kind in _BOUNDS:
        names = {"value": _show(value), **context}
        problem, own_cure = (text.format_map(names) for text in _BOUNDS[kind])
    elif kind in _TYPES:
        wrong, own_cure = _TYPES[kind]
        shown = "" if isinstance(value, bool) else f" ({_show(value)})"
        problem = "is empty" if value is None else f"is {describe_type(value)}{shown}, {wrong}"
    else:  # a check of ours, whose message has its cure
        message = error["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
        problem, _, own_cure = message.partition("; ")
        cure = own_cure or cure
    return f"{problem}; {cure or own_cure or 'correct it'}"


def describe_first_mistake(error: "ValidationError", cure: str = "") -> str:
    """Names the first field that pydantic refuses and says what is wrong with it, as `describe_mistake`."""
    first = error.errors(include_url=False)[0]
    field = ".".join(map(str, first["loc"]))
    return f"{field}: {describe_mistake(first, cure)}" if field else describe_mistake(first, cure)


def _show(value: object) -> str:
    return f'"{shorten(value)}"' if isinstance(value, str) else shorten(str(value))


def check_characters(text: str) -> str:
    """Returns a text that can be written and sent."""
    if "\0" in text:
        raise ValueError("the text holds a NUL byte; remove it, or find out what wrote it")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start].encode("unicode_escape").decode()
        raise ValueError(f"the text holds half a character ({half}); write it again from its source") from None
    return text


def check_type(name: str, value: Any, types: type | tuple[type, ...], accepted: str) -> None:
    """Checks that an argument is of one of some types.

    Example:
        >>> check_type("mapping", {"vraag": "user_input"}, dict, "a dict")
    """
    if not isinstance(value, types):
        raise wrong_type(name, value, accepted)


def check_path(name: str, value: Any) -> None:
    """Checks that an argument is a path."""
    check_type(name, value, (str, Path), "a path, as a text or a pathlib.Path")


def wrong_type(name: str, value: Any, accepted: str) -> UsageError:
    """Makes the error about an argument that cannot be used.

    Example:
        >>> print(wrong_type("store", 42, "a folder"))
        store: 42 (int) cannot be used; give a folder
    """
    return UsageError(f"{name}: {describe_value(value)} cannot be used; give {accepted}")


def describe_value(value: Any) -> str:
    """Returns what a value is, in a few words.

    Example:
        >>> describe_value(None), describe_value(int), describe_value(object())
        ('None', 'the class int', 'an object of type object')
    """
    if value is None:
        return "None"
    if inspect.isclass(value):
        return f"the class {value.__name__}"
    if inspect.isroutine(value):
        return f"the function {value.__name__}"
    if isinstance(value, bool | int | float | str) and len(text := repr(value)) <= _LONGEST_ARGUMENT:
        return f"{text} ({type(value).__name__})"
    return f"an object of type {type(value).__name__}"


_NT_SPECIAL = frozenset(" []<>&|@^%!()=;,'`")


def quote_word(word: str | Path) -> str:
    """Quotes one word of a command that a message suggests typing: every such word passes here.

    Returns:
        The word as a POSIX shell reads it; on Windows as its own shell does.

    Example:
        >>> quote_word("s1"), quote_word("a; $(x)"), quote_word(Path("-x.csv"))
        ('s1', "'a; $(x)'", './-x.csv')
    """
    text = f"./{word}" if isinstance(word, Path) and str(word).startswith("-") else str(word)
    if os.name == "nt":
        return f'"{text}"' if not text or _NT_SPECIAL & {*text} else text
    return shlex.quote(text)


def join_words(*words: str | Path) -> str:
    """Quotes the words of a command, and puts a space between them.

    Example:
        >>> join_words("assay", "show", "last", "order (2)")
        "assay show last 'order (2)'"
    """
    return " ".join(map(quote_word, words))
