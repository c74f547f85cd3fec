"""What every reader of a format hands on: rows, each with its place in the source."""

import logging
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from ..errors import InputError
from .column_table import usual_name

MOST_COLUMNS = 16_384
"""Of a CSV or Excel file, as of Excel itself."""


_LOGGER = logging.getLogger("assay")
ROWS_LOOKED_AT = 20  # few: a row may be long
"""How many first rows are kept, and tell the columns of a file that names none before them."""
Item_co = TypeVar("Item_co", covariant=True)


class Row(NamedTuple):
    """One row as it stands in the source. `number` counts rows from 1; `place` is where it is found ("line 17")."""

    number: int
    place: str
    values: dict[str, Any]
    parts: Mapping[str, "Row"] = {}  # of several rows that were joined, the one that each of their columns came from

    def part(self, column: str) -> "Row":
        """The row of the source that a column came from."""
        return self.parts.get(column, self)


class BadRow(NamedTuple):
    """A row that the format's reader could not take apart; the rows after it can still be read."""

    number: int
    error: InputError


class Repeatable(Generic[Item_co]):
    """Items that can be read as often as is asked; the first ones are kept, so that a small source is read once."""

    def __init__(self, read: Callable[[], Iterator[Item_co]]) -> None:
        self._read = read
        self._kept: list[Item_co] | None = None
        self._is_whole = False
        self._error: Exception | None = None  # that ends what was kept

    def __iter__(self) -> Iterator[Item_co]:
        if self._kept is None:
            self._keep()
        yield from self._kept or ()
        if self._error is not None:
            raise self._error
        if not self._is_whole:
            yield from islice(self._read(), ROWS_LOOKED_AT, None)

    def _keep(self) -> None:
        self._kept, rows = [], self._read()
        try:
            for row in islice(rows, ROWS_LOOKED_AT):
                self._kept.append(row)
            self._is_whole = len(self._kept) < ROWS_LOOKED_AT
        except (InputError, OSError) as error:
            self._error = error


@dataclass(frozen=True)
class Rows:
    """An opened source."""

    name: str  # what the user called it, for messages
    stem: str
    rows: Repeatable[Row | BadRow]
    columns: tuple[str, ...] | None = None  # its columns, where the format knows them before the first row
    textual: bool = False  # whether every value is a text and an empty one no value (CSV, Excel)
    folder: Path | None = None  # the folder that it stands in, if it is a file
    notes: tuple[str, ...] = ()  # what the user should know about how it is read
    map_option: str = "--map"
    made: frozenset[str] = frozenset()  # the columns that were made of others, for which `late_notes` accounts
    # the column of each field of ours that was renamed before, by a mapping
    origins: Mapping[str, str] = field(default_factory=dict)
    # whether a column `rating` that tells no scale is none: in our own sets it is from 1 to 5
    finds_scale: bool = False
    late_notes: Callable[[], Iterable[str]] = tuple  # what only the reading of all rows tells the user
    header: str = ""  # which row names the columns, where another one may have been meant to; empty where none may

    def head(self) -> list[Row]:
        """The first rows, without those that cannot be read."""
        return [row for row in islice(self.rows, ROWS_LOOKED_AT) if isinstance(row, Row)]

    def head_values(self) -> Mapping[str, Any]:
        """The columns that the first rows have, each with its first value: JSON may leave out what is null."""
        head: dict[str, Any] = {}
        for row in self.head():
            for name, value in row.values.items():
                if head.get(name) is None:
                    head[name] = value
        return head


def repeated_name(names: Iterable[str]) -> str | None:
    """Returns the first name that stands twice; None where all differ."""
    return next((name for name, times in Counter(names).items() if times > 1), None)


MOST_TITLES = 10
"""How many rows are looked at for the names of the columns."""


def find_header(rows: Sequence[Sequence[str]], known: Collection[str]) -> int:
    """Finds which of the first rows names the columns: the first, or below a title the first with two usual names.

    Example:
        >>> find_header([["Ratings of March", ""], ["Question", "Answer"], ["Free?", "Yes."]], {"question", "answer"})
        1
    """
    counts = [count_known(row, known) for row in rows]
    best = next((place for place, count in enumerate(counts) if count > 1), 0)
    return best if rows and not counts[0] else 0


def explain_header(place: str, columns: Sequence[str], known: Collection[str]) -> str:
    """Says what a file may lack whose first row has no usual name; empty for one that has some."""
    if count_known(columns, known):
        return ""
    return (
        f"{place} was read as the names of the columns: if they stand elsewhere, say where (--header-row N), and if "
        "the file has none, --header-row 0 calls them `column 1` and so on"
    )


def count_known(names: Iterable[str], known: Collection[str]) -> int:
    """How many of the names in a row are known as columns'."""
    return len({name for name in names if name.strip() and (name in known or usual_name(name) in known)})


def group_rows(
    rows: Iterable[Row | BadRow],
    key: Callable[[Mapping[str, Any]], str | None],
    sizes: "Counter[int] | None" = None,
) -> Iterator[list[Row] | BadRow]:
    """Yields the rows of each group together, in the order of the groups' first rows; a row without a key is its own.

    The rows are read twice, so that a group is held in memory only until it, and each that began before it, has ended:
    one at a time, where the rows of a group follow one another. `sizes` is filled with those of the groups: who reads
    them again hands it on, and the rows are read once.
    """

    def name_of(row: Row) -> str | int:
        name = key(row.values)
        return row.number if name is None else name

    sizes = Counter() if sizes is None else sizes
    if not sizes:
        sizes.update(hash(name_of(row)) for row in rows if isinstance(row, Row))
    left = sizes.copy()
    groups = OrderedDict[str | int, list[Row]]()
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        name = name_of(row)
        groups.setdefault(name, []).append(row)
        left[hash(name)] -= 1
        while groups and left[hash(next(iter(groups)))] <= 0:
            yield groups.popitem(last=False)[1]
    yield from groups.values()


def tell_notes(lines: Iterable[str], notes: list[str] | None) -> None:
    """Appends what the user should know to the notes; without a list of them it is logged."""
    if notes is None:
        for line in filter(None, lines):
            _LOGGER.warning(line)
    else:
        notes += [line for line in dict.fromkeys(lines) if line and line not in notes]
