"""What every reader of a format hands on: rows, each with its place in the source."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError


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
    """An opened source. `name` is shown in messages, `stem` begins the ids of rows that have none.

    `columns` where the format knows them before the first row. In a `textual` source (CSV) every value is a text and
    an empty one is no value. `folder` is where the source stands, if it is a file.
    """

    name: str
    stem: str
    rows: Iterator[Row | BadRow]
    columns: tuple[str, ...] | None = None
    textual: bool = False
    folder: Path | None = None
