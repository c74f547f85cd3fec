"""A table as it was written: names of columns, and their cells."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .cells import read_cell

_MOST_CELLS = 1_000_000  # of a table in a text; short rows under a very wide header would fill the memory
_OF_A_HEADER = re.compile(r"(?:19|20)\d\d|\W?000")  # years, and units such as £000


@dataclass(frozen=True)
class Grid:
    """Columns of cells as written (JSON values, or texts), all of one length.

    `torn` are the positions of rows whose number of cells was not the header's; `caption` is what stands above;
    `language` (ISO 639-1) is what the table was written in, if known; `notes` say how it was found.
    """

    name: str
    columns: Mapping[str, Sequence[Any]]
    units: Mapping[str, str] = field(default_factory=dict)
    torn: tuple[int, ...] = ()
    caption: str = ""
    language: str | None = None
    notes: tuple[str, ...] = ()


def grid_of_rows(
    name: str, records: Sequence[Sequence[str]], caption: str = "", language: str | None = None
) -> Grid | None:
    """A grid of records, the header first; None where nothing is left, or more than a million cells.

    Rows at the top that hold no numbers but years belong to the header (a title over columns, a row of
    units). Columns without a name are called by their place; names that stand twice get their number.
    """
    records = [[cell.strip() for cell in record] for record in records]
    heads = _header_rows(records)
    header, body = records[:heads], records[heads:]
    if not body:
        return None
    width = max(map(len, header))
    if width * len(body) > _MOST_CELLS:
        return None
    torn = tuple(position for position, record in enumerate(body) if len(record) != width)
    names = _unique([_head(header, place) or f"column {place + 1}" for place in range(width)])
    padded = [[*record[:width], *[""] * (width - len(record))] for record in body]
    columns = {column: [record[place] for record in padded] for place, column in enumerate(names)}
    notes = (f"rows {row_numbers(torn)} do not have {width} cells",) if torn else ()
    above = " ".join([caption, *(cell for row in header for cell in row)])
    return Grid(name, columns, {}, torn, above, language, notes)


def row_numbers(positions: Sequence[int]) -> str:
    """Positions as row numbers from 1, the first five of them."""
    shown = ", ".join(str(position + 1) for position in positions[:5])
    return f"{shown} and {len(positions) - 5} more" if len(positions) > 5 else shown


def _header_rows(records: Sequence[Sequence[str]]) -> int:
    for place, record in enumerate(records[1:6], 1):
        cells = [cell for cell in record if cell]
        numbers = [cell for cell in cells if read_cell(cell) is not None and not _OF_A_HEADER.fullmatch(cell)]
        titled = not all(records[place - 1][1:])  # a title over several columns leaves cells empty
        complete = len(cells) == len(record) and not all(_OF_A_HEADER.fullmatch(cell) for cell in cells[1:])
        if numbers or not cells or (not titled and (complete or (place == 1 and records[0][0] != ""))):
            return place
    return 1


def _head(header: Sequence[Sequence[str]], place: int) -> str:
    """The parts of a column's name from top to bottom; a title above goes for the empty cells at its right."""
    parts: list[str] = []
    for depth, row in enumerate(header):
        cell = row[place] if place < len(row) else ""
        if not cell and depth < len(header) - 1 and place:
            cell = next((row[left] for left in range(min(place, len(row)) - 1, 0, -1) if row[left]), "")
        if cell and cell not in parts:
            parts.append(cell)
    return " ".join(parts)


def _unique(names: Sequence[str]) -> list[str]:
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return unique
