"""Which column says whose answer a row is, where rows of several systems have the id of their question."""

from collections.abc import Mapping
from typing import Any


def version_label(value: object) -> str:
    """The name of a version, as a cell has it: one line; "" for none."""
    return " ".join(str(value).split()) if isinstance(value, bool | int | float | str) else ""


def read_version(values: Mapping[str, Any], column: str) -> str:
    """The version of a row: its cell of a column, else what its metadata have of that name."""
    metadata = values.get("metadata")
    cells = [values.get(column), values.get(f"metadata.{column}")]
    cells += [metadata.get(column)] if isinstance(metadata, Mapping) else []
    return next(filter(None, map(version_label, cells)), "")


def versioned_id(name: str, version: str) -> str:
    """The id of a version's answer to the question of an id that several versions share.

    Example:
        >>> versioned_id("q1", "new"), question_id("q1@new", "new"), question_id("q1@new#2", "new")
        ('q1@new', 'q1', 'q1#2')
    """
    return f"{name}@{version}"


def question_id(name: str, version: str) -> str:
    """What the id of an answer, or of a turn of it, is without its version; see `versioned_id`."""
    conversation, mark, turn = name.partition(f"@{version}#")
    return f"{conversation}#{turn}" if mark else name.removesuffix(f"@{version}")
