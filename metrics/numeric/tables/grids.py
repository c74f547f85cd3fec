"""Tables as they were written, and those in a text, such as a retrieved context: Markdown, CSV, TSV, pipes, JSON."""

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby, zip_longest
from typing import Any

from ....text.wording import count_of
from .columns import read_cell, read_numbers

_MOST_CELLS = 1_000_000  # of a table in a text; short rows under a very wide header would fill the memory
_OF_A_HEADER = re.compile(r"(?:19|20)\d\d|\W?000")  # years, and units such as £000
# possessive: a line of spaces is read once and not from each of its places
_RULE = re.compile(r"\s*+\|?\s*+:?-{2,}+:?\s*+(?:\|\s*+:?-{2,}+:?\s*+)*+\|?\s*+")
_EMPHASIS = re.compile(r"\*\*|`|</?b>")
_FENCE = re.compile(r"\s*+(?:```|~~~)\w*\s*+")
_FEWEST_LINES = {"|": 2, "\t": 2, ";": 3, ",": 3}  # commas stand in prose too
_MOST_TORN = 0.2
_LONGEST_LINE = 20_000  # characters of a table's line
_MOST_STARTS = 20  # lines of a block at which a table is looked for: the first may belong to the text above it
_LONGEST_TITLE = 80  # characters


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


def unique_names(names: Iterable[str]) -> list[str]:
    """The names; a repeated name gets a number."""
    unique: dict[str, None] = {}
    numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(2))
    for name in names:
        numbered = name
        while numbered in unique:
            numbered = f"{name} ({next(numbers[name])})"
        unique[numbered] = None
    return list(unique)


def row_numbers(positions: Sequence[int]) -> str:
    """Positions as row numbers from 1, the first five of them."""
    numbers = ", ".join(str(position + 1) for position in positions[:5])
    return f"{numbers} and {len(positions) - 5} more" if len(positions) > 5 else numbers


def grids_in_text(text: str, language: str | None = None, name: str = "the context") -> list[Grid]:
    """The tables of a text, in order. Lines with commas are one only if a column of them holds numbers.

    A table is called by the line above it, else by `name`. A row that is torn (fewer or more cells) is noted in its
    grid; a block of lines of which more than a fifth is torn is no table.
    """
    if (grids := _json_grids(text, language, name)) is not None:
        return grids
    lines = text.splitlines()
    unread = ["" if len(line) > _LONGEST_LINE or _FENCE.match(line) else line for line in lines]
    grid_by_start: dict[int, Grid] = {}
    for separator, fewest in _FEWEST_LINES.items():
        for has_separator, places in groupby(range(len(lines)), lambda place: separator in unread[place]):  # noqa: B023
            block = list(places)
            for start in block[: _MOST_STARTS if has_separator and len(block) >= fewest else 0]:
                above = (lines[place].strip() for place in range(start - 1, -1, -1) if not _FENCE.match(lines[place]))
                records = list(_records(unread[start : block[-1] + 1], separator))
                if grid := _grid_of_rows(name, records, next(filter(None, above), ""), language, separator):
                    grid_by_start[start] = grid
                    unread[block[0] : block[-1] + 1] = [""] * len(block)
                    break
    return [grid_by_start[start] for start in sorted(grid_by_start)]


def _records(lines: Sequence[str], separator: str) -> Iterator[list[str]]:
    """The cells of lines, those of Markdown without its signs."""
    if separator != "|":
        yield from csv.reader(lines, delimiter=separator, skipinitialspace=True)
        return
    bordered = all(line.strip().startswith("|") for line in lines)
    for line in lines:
        if not _RULE.fullmatch(line):
            inner = line.strip()[1:].removesuffix("|") if bordered else line
            yield [_EMPHASIS.sub("", cell.replace("\\|", "|")).strip(" *_`") for cell in re.split(r"(?<!\\)\|", inner)]


def _grid_of_rows(
    name: str, records: Sequence[Sequence[str]], caption: str, language: str | None, separator: str
) -> Grid | None:
    """A grid of records, the header first; None where they are no table, or have more than a million cells.

    Columns without a name are called by their place; names that stand twice get their number.
    """
    records = [[cell.strip() for cell in record] for record in records]
    rows = _header_rows(records)
    header, body = records[:rows], records[rows:]
    width = max(map(len, header), default=0)
    torn = tuple(position for position, record in enumerate(body) if len(record) != width)
    is_prose = separator != "|" and (len(torn) == len(body) or len(torn) > max(1, len(records) * _MOST_TORN))
    if is_prose or width * len(body) > _MOST_CELLS:
        return None
    columns = [[record[place] if place < len(record) else "" for record in body] for place in range(width)]
    if not any(map(read_numbers, columns)):
        return None
    heads = (" ".join(dict.fromkeys(filter(None, cells))) for cells in zip_longest(*header, fillvalue=""))
    names = unique_names(head or f"column {place}" for place, head in enumerate(heads, 1))
    notes = (f"rows {row_numbers(torn)} do not have {count_of(width, 'cell')}",) if torn else ()
    title = caption.strip("#*_ :").removeprefix("title: ")
    above = " ".join([caption, *(cell for row in header for cell in row)])
    named = title if title and len(title) <= _LONGEST_TITLE else name
    return Grid(named, dict(zip(names, columns, strict=True)), {}, torn, above, language, notes)


def _header_rows(records: Sequence[Sequence[str]]) -> int:
    """How many rows at the top are the header: also those of titles, years or units below the first."""
    for place, record in enumerate(records[1:6], 1):
        cells = [cell for cell in record if cell]
        has_numbers = any(read_cell(cell) is not None and not _OF_A_HEADER.fullmatch(cell) for cell in cells)
        is_titled = not all(records[place - 1][1:])  # a title over several columns leaves cells empty
        is_complete = all(record) and not all(_OF_A_HEADER.fullmatch(cell) for cell in cells[1:])
        if not cells or has_numbers or (not is_titled and (is_complete or (place == 1 and records[0][0]))):
            return place
    return 1


def _json_grids(text: str, language: str | None, name: str) -> list[Grid] | None:
    """The tables of a text that is JSON, also behind a fence; None for another text."""
    body = text.strip()
    if opening := _FENCE.match(body):
        body = body[opening.end() :].removesuffix("```").removesuffix("~~~")
    try:
        document = json.loads(body) if body[:1] in ("[", "{") else None
    except (ValueError, RecursionError):
        return None
    if grid := _json_grid(document, language, name):
        return [grid]
    parts = document.items() if isinstance(document, dict) else ()
    grids = [grid for key, part in parts if (grid := _json_grid(part, language, key))]
    return None if document is None else grids


def _json_grid(document: Any, language: str | None, name: str) -> Grid | None:
    """Objects in a list, a list per column, or a header and rows."""
    units: Any = {}
    if isinstance(document, dict):
        name, units = str(document.get("name") or name), document.get("units")
        header, rows = document.get("header") or document.get("columns"), document.get("rows")
        if isinstance(header, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows):
            document = [dict(zip(map(str, header), row, strict=False)) for row in rows]
        elif isinstance(header, dict):
            document = header
    if isinstance(document, list) and all(isinstance(row, dict) for row in document):
        keys = dict.fromkeys(key for row in document for key in row)
        document = {key: [row.get(key) for row in document] for key in keys}
    if not isinstance(document, dict):
        return None
    columns = {
        key: cells
        for key, cells in document.items()
        if isinstance(cells, list) and not any(isinstance(cell, list | dict) for cell in cells)
    }
    if len({len(cells) for cells in columns.values()}) != 1:
        return None
    return Grid(name, columns, units if isinstance(units, dict) else {}, language=language)
