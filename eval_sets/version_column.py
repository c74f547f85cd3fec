"""Which column says whose answer a row is, where rows of several systems have the id of their question."""

from collections.abc import Iterable, Mapping
from typing import Any

from .rows import Row

VERSION_COLUMNS = ("system", "version", "model", "variant")


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


class VersionSearch:
    """Finds the column that tells apart rows of one id, from all rows of a set.

    A column counts where an id stands more than once, and no two rows of one id have the same cell, or none; of several
    the first in the list of names.

    Example:
        >>> search = VersionSearch({})
        >>> search.add(Row(1, "line 2", {"id": "q1", "system": "old"}))
        >>> search.add(Row(2, "line 3", {"id": "q1", "system": "new"}))
        >>> search.result()
        'system'
    """

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self._id = next((theirs for theirs, ours in mapping.items() if ours == "id"), "id")
        # hashes in place of texts keep this small for very large sets
        self._ids: set[int] = set()
        self._cells: dict[str, set[int]] = {column: set() for column in VERSION_COLUMNS}
        self._has_repeats = False

    def may_have(self, columns: Iterable[str]) -> bool:
        """Whether rows with these columns may be of several versions."""
        names = {*columns}
        with_metadata = {*VERSION_COLUMNS, *(f"metadata.{column}" for column in VERSION_COLUMNS), "metadata"}
        return self._id in names and bool(names & with_metadata)

    def add(self, row: Row) -> None:
        """Looks at a row."""
        name = row.values.get(self._id)
        if name is None or not str(name).strip():
            return
        name = str(name).strip()
        self._has_repeats |= hash(name) in self._ids
        self._ids.add(hash(name))
        for column in list(self._cells):
            label = read_version(row.values, column)
            cell = hash((name, label))
            if not label or cell in self._cells[column]:
                del self._cells[column]
            else:
                self._cells[column].add(cell)

    def result(self) -> str:
        """The column, from the rows that were added; empty where ids are unique, or no column tells them apart."""
        return next(iter(self._cells), "") if self._has_repeats else ""
