"""What every reader of a format hands on: rows, each with its place in the source."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError

MOST_COLUMNS = 16_384
"""Of a CSV or Excel file, as of Excel itself."""


class Row(NamedTuple):
    """One row as it stands in the source. `number` counts rows from 1; `place` is where it is found ("line 17")."""

    number: int
    place: str
    values: dict[str, Any]


class BadRow(NamedTuple):
    """A row that the format's reader could not take apart; the rows after it can still be read."""

    number: int
    error: InputError


@dataclass(frozen=True)
class Rows:
    """An opened source."""

    name: str  # what the user called it, for messages
    stem: str
    rows: Iterator[Row | BadRow]
    columns: tuple[str, ...] | None = None  # its columns, where the format knows them before the first row
    textual: bool = False  # whether every value is a text and an empty one no value (CSV, Excel)
    folder: Path | None = None  # the folder that it stands in, if it is a file
    notes: tuple[str, ...] = ()  # what the user should know about how it is read
    map_option: str = "--map"
    made: frozenset[str] = frozenset()  # the columns that were made of others, for which `late_notes` accounts
    # the column of each field of ours that was renamed before, by a mapping
    origins: Mapping[str, str] = field(default_factory=dict)
    # whether the scale of a column `rating` follows from all its values: it is from 1 to 5 in our own sets, and of
    # conversations from elsewhere nothing says so
    finds_scale: bool = False
    late_notes: Callable[[], Iterable[str]] = tuple  # what only the reading of all rows tells the user
    header: str = ""  # which row names the columns, where another one may have been meant to; empty where none may


def repeated_name(names: Iterable[str]) -> str | None:
    """Returns the first name that stands twice; None where all differ.

    Example:
        >>> repeated_name(["id", "question", "id"])
        'id'
    """
    return next((name for name, times in Counter(names).items() if times > 1), None)
