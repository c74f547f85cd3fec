"""Tables in a text, such as a retrieved context: Markdown, CSV, TSV, pipes, JSON."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .cells import read_cell
from .grid import Grid, grid_of_rows

# possessive: a line of spaces is read once and not from each of its places
_RULE = re.compile(r"\s*+\|?\s*+:?-{2,}+:?\s*+(?:\|\s*+:?-{2,}+:?\s*+)*+\|?\s*+")
_EMPHASIS = re.compile(r"\*\*|`|</?b>")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_OPENING_FENCE = re.compile(r"(?:```|~~~)\w*\s*")
_FEWEST_LINES = {"|": 2, "\t": 2, ";": 3, ",": 3}  # commas stand in prose too
_MOST_TORN = 0.2
_LONGEST_LINE = 20_000  # characters of a table's line
_MOST_STARTS = 20  # lines of a block at which a table is looked for: the first may belong to the text above it


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
        grid = grid_of_rows(_title(caption) or name, records, caption, language)
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
    grid = _json_grid(document, language, name)
    if grid is None and isinstance(document, dict):
        inner = [_json_grid(held, language, key) for key, held in document.items()]
        return [found for found in inner if found]
    return [grid] if grid else []


def _json_grid(document: Any, language: str | None, name: str) -> Grid | None:
    """Objects in a list, a list a column, or a header and rows."""
    if isinstance(document, dict):
        name = str(document.get("name") or name)
        rows, header = document.get("rows"), document.get("header") or document.get("columns")
        units = document.get("units")
        if isinstance(rows, list) and isinstance(header, list) and all(isinstance(row, list) for row in rows):
            document = [dict(zip(map(str, header), row, strict=False)) for row in rows]
        elif isinstance(header, dict):
            document = header
        if isinstance(document, dict):
            columns = {str(key): held for key, held in document.items() if isinstance(held, list)}
            lengths = {len(held) for held in columns.values()}
            if (
                not columns
                or len(lengths) != 1
                or any(isinstance(c, list | dict) for held in columns.values() for c in held)
            ):
                return None
            return Grid(name, columns, units if isinstance(units, dict) else {}, language=language)
    if isinstance(document, list) and document and all(isinstance(row, dict) for row in document):
        names = dict.fromkeys(str(key) for row in document for key in row)
        columns = {key: [_scalar(row.get(key)) for row in document] for key in names}
        return Grid(name, columns, language=language)
    return None


def _scalar(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
