"""Errors about arguments of a wrong type: what it is called, what came, and what may come."""

import inspect
from pathlib import Path
from typing import Any

from .errors import UsageError

_LONGEST = 60  # characters of a value in a message


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
    if isinstance(value, bool | int | float | str) and len(text := repr(value)) <= _LONGEST:
        return f"{text} ({type(value).__name__})"
    return f"an object of type {type(value).__name__}"
