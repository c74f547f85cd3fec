"""Tables as they were written, and those in a text, such as a retrieved context: Markdown, CSV, TSV, pipes, JSON."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....text.wording import count_of
from .cells import read_cell

_MOST_CELLS = 1_000_000  # of a table in a text; short rows under a very wide header would fill the memory
_OF_A_HEADER = re.compile(r"(?:19|20)\d\d|\W?000")  # years, and units such as £000
# possessive: a line of spaces is read once and not from each of its places
_RULE = re.compile(r"\s*+\|?\s*+:?-{2,}+:?\s*+(?:\|\s*+:?-{2,}+:?\s*+)*+\|?\s*+")
_EMPHASIS = re.compile(r"\*\*|`|</?b>")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_OPENING_FENCE = re.compile(r"(?:```|~~~)\w*\s*")
_FEWEST_LINES = {"|": 2, "\t": 2, ";": 3, ",": 3}  # commas stand in prose too
_MOST_TORN = 0.2
_LONGEST_LINE = 20_000  # characters of a table's line
_MOST_STARTS = 20  # lines of a block at which a table is looked for: the first may belong to the text above it


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
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        while (numbered := name if seen[name] == 1 else f"{name} ({seen[name]})") in unique:
            seen[name] += 1
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
    blocks = {separator: _block_ends(lines, separator) for separator in _FEWEST_LINES}
    starts: Counter[tuple[str, int]] = Counter()
    grids, place = [], 0
    while place < len(lines):
        block = _block(lines, place, blocks, starts)
        if block is None:
            place += 1
            continue
        separator, end = block
        above = (lines[number].strip() for number in range(place - 1, -1, -1))
        caption = next((line for line in above if line and not _FENCE.match(line)), "")
        records = list(_records(lines[place:end], separator))
        grid = _grid_of_rows(_title(caption) or name, records, caption, language)
        if grid is not None:
            grids.append(grid)
        place = end
    return grids


def _title(line: str) -> str:
    title = line.strip("#*_ :").removeprefix("title: ")
    return title if len(title) <= 80 else ""


def _block_ends(lines: Sequence[str], separator: str) -> list[int]:
    """Where the block of lines with this separator ends that a line belongs to; of another line its own place."""
    ends = [0] * len(lines)
    end = len(lines)
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place]
        if separator not in line or len(line) > _LONGEST_LINE or _FENCE.match(line):
            end = place
        ends[place] = end
    return ends


def _block(
    lines: Sequence[str], start: int, blocks: Mapping[str, Sequence[int]], starts: Counter[tuple[str, int]]
) -> tuple[str, int] | None:
    """The separator and the end of a table that begins at a line; None where none does."""
    for separator, fewest in _FEWEST_LINES.items():
        end = blocks[separator][start]
        if end - start < fewest or starts[separator, end] == _MOST_STARTS:
            continue
        starts[separator, end] += 1
        if _is_table(list(_records(lines[start:end], separator)), separator):
            return separator, end
    return None


def _records(lines: Sequence[str], separator: str) -> Iterator[list[str]]:
    if separator != "|":
        yield from csv.reader(lines, delimiter=separator, skipinitialspace=True)
        return
    bordered = all(line.strip().startswith("|") for line in lines)
    for line in lines:
        if not _RULE.fullmatch(line):
            inner = line.strip()[1:].removesuffix("|") if bordered else line
            yield [_EMPHASIS.sub("", cell.replace("\\|", "|")).strip(" *_`") for cell in re.split(r"(?<!\\)\|", inner)]


def _is_table(records: Sequence[Sequence[str]], separator: str) -> bool:
    if len(records) < 2:
        return False
    width = max(map(len, records)) if separator == "|" else len(records[0])
    torn = sum(len(record) != width for record in records)
    if torn > max(1, len(records) * _MOST_TORN) and separator != "|":
        return False
    columns: list[list[str]] = [[] for _ in range(width)]
    for record in records[1:]:
        for column, cell in zip(columns, record, strict=False):
            if cell.strip():
                column.append(cell)
    return any(cells and 2 * sum(read_cell(cell) is not None for cell in cells) > len(cells) for cells in columns)


def _json_grids(text: str, language: str | None, name: str) -> list[Grid] | None:
    stripped = text.strip()
    if opening := _OPENING_FENCE.match(stripped):
        stripped = stripped[opening.end() :]
    stripped = stripped.removesuffix("```").removesuffix("~~~")
    if stripped[:1] not in ("[", "{"):
        return None
    try:
        document = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    grids = [_json_grid(document, language, name)]
    if grids == [None] and isinstance(document, dict):
        grids = [_json_grid(held, language, key) for key, held in document.items()]
    return [grid for grid in grids if grid]


def _json_grid(document: Any, language: str | None, name: str) -> Grid | None:
    """Objects in a list, a list a column, or a header and rows."""
    units: Any = {}
    if isinstance(document, dict):
        name, units = str(document.get("name") or name), document.get("units")
        rows, header = document.get("rows"), document.get("header") or document.get("columns")
        if isinstance(rows, list) and isinstance(header, list) and all(isinstance(row, list) for row in rows):
            document, units = [dict(zip(map(str, header), row, strict=False)) for row in rows], {}
        elif isinstance(header, dict):
            document = header
    if isinstance(document, dict):
        columns = {str(key): held for key, held in document.items() if isinstance(held, list)}
        nested = any(isinstance(cell, list | dict) for held in columns.values() for cell in held)
        if nested or len({len(held) for held in columns.values()}) != 1:
            return None
    elif isinstance(document, list) and document and all(isinstance(row, dict) for row in document):
        names = dict.fromkeys(str(key) for row in document for key in row)
        columns = {key: [_scalar(row.get(key)) for row in document] for key in names}
    else:
        return None
    return Grid(name, columns, units if isinstance(units, dict) else {}, language=language)


def _scalar(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _grid_of_rows(
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
    names = unique_names([_head(header, place) or f"column {place + 1}" for place in range(width)])
    padded = [[*record[:width], *[""] * (width - len(record))] for record in body]
    columns = {column: [record[place] for record in padded] for place, column in enumerate(names)}
    notes = (f"rows {row_numbers(torn)} do not have {count_of(width, 'cell')}",) if torn else ()
    above = " ".join([caption, *(cell for row in header for cell in row)])
    return Grid(name, columns, {}, torn, above, language, notes)


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
