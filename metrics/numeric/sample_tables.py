"""Tables as they were written (Markdown, CSV, TSV, pipes, JSON), those of a sample, and those of a file, as numbers."""

import csv
import json
import math
import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from itertools import combinations, count, groupby, zip_longest
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...eval_sets.sample import Cell, Sample, Table as SampleTable
from ...eval_sets.table_files import read_table_file
from ...languages import find_language
from ...regular_files import read_text_file
from ...text.numbers import NumberFormat, currency_signs, notation_signs, notation_words
from ..sample_state import TableContext
from .columns import (
    NumberColumn,
    TimeColumn,
    header_unit,
    is_missing,
    is_time_name,
    read_cell,
    read_numbers,
    read_times,
)
from .lexicon import LANGUAGES, any_of, lexicon
from .table import ALL_ROWS, NumericTable, Period, Times, Unverifiable, Window, rows_of

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
_ROUNDING = 1e-12  # of binary fractions


@dataclass(frozen=True)
class Grid:
    """Columns of cells as written (JSON values, or texts), all of one length.

    `torn` are the positions of rows whose number of cells was not the header's; `caption` is what stands above;
    `language` (ISO 639-1) is what the table was written in, if known.
    """

    name: str
    columns: Mapping[str, Sequence[Any]]
    units: Mapping[str, str] = field(default_factory=dict)
    torn: tuple[int, ...] = ()
    caption: str = ""
    language: str | None = None


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


def grids_in_text(text: str, language: str | None = None, name: str = "the context") -> list[Grid]:
    """The tables of a text, in order. Lines with commas are one only if a column of them holds numbers.

    A table is called by the line above it, else by `name`. A row that is torn (fewer or more cells) is named in its
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
    title = caption.strip("#*_ :").removeprefix("title: ")
    above = " ".join([caption, *(cell for row in header for cell in row)])
    named = title if title and len(title) <= _LONGEST_TITLE else name
    return Grid(named, dict(zip(names, columns, strict=True)), {}, torn, above, language)


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


_KEPT = 32
_MOST_BYTES = 100_000_000  # of one file of text or JSON, which is read whole
_recent_tables: deque[tuple[SampleTable, str | None, NumericTable]] = deque(maxlen=_KEPT)


def tables_of_sample(sample: Sample) -> list[NumericTable]:
    """A sample's own tables, then those found in its contexts; with different names.

    A table in a context that shows no more than one of the sample's own (the same columns and number of rows) is left
    out: it is that table again, perhaps rounded. One that states no scale has the one that the other contexts state.
    """
    own = [_numeric_table(table, sample.language) for table in sample.tables]
    context_tables = [
        table
        for number, text in enumerate(sample.retrieved_contexts, 1)
        for table in _tables_in_text(text, sample.language, f"context {number}")
        if not any(t.rows == table.rows and {*table.columns, *table.labels} <= {*t.columns, *t.labels} for t in own)
    ]
    powers = {power for text in sample.retrieved_contexts if (power := caption_power(text))}
    scale = powers.pop() if len(powers) == 1 else 0
    scaled = (replace(t, power=scale) if scale and not t.power else t for t in context_tables)
    return _with_unique_names([*own, *scaled])


def tables_of_file(path: Path, language: str | None = None) -> list[NumericTable]:
    """The tables of a file: CSV, TSV, JSON, Parquet, Excel (one table per sheet), or those in a Markdown text.

    Raises `InputError` where the file cannot be read or holds none.
    """
    if path.suffix.lower() not in (".md", ".markdown", ".json"):
        return _with_unique_names(_numeric_table(table, language) for table in read_table_file(path))
    text = read_text_file(path, "the table", _MOST_BYTES, cure="check the name, and save it as UTF-8")
    if tables := _tables_in_text(text, language, path.stem):
        return _with_unique_names(tables)
    raise InputError(f"{path}: holds no table that can be read: a header, and rows with numbers below it")


def _numeric_table(table: SampleTable, language: str | None) -> NumericTable:
    """A sample's table as a numeric table; recent tables are kept, since samples often share one large table."""
    for source, source_language, typed in tuple(_recent_tables):  # other threads add to it
        if source_language == language and source == table:
            return typed
    typed = table_of(Grid(table.name, table.columns, table.units, language=language))
    _recent_tables.appendleft((table, language, typed))
    return typed


@lru_cache(maxsize=_KEPT)
def _tables_in_text(text: str, language: str | None, name: str) -> tuple[NumericTable, ...]:
    return tuple(map(table_of, grids_in_text(text, language, name)))


def _with_unique_names(tables: Iterable[NumericTable]) -> list[NumericTable]:
    tables = list(tables)
    names = unique_names(table.name for table in tables)
    return [replace(t, name=name) if t.name != name else t for t, name in zip(tables, names, strict=True)]


_Columns = Mapping[str, NumberColumn | None]


def table_of(grid: Grid) -> NumericTable:
    """The grid's columns as times, numbers and texts, with all readings where the notation is ambiguous.

    Rows of totals ("Total", "Average") are no data: they are left out, and kept aside. Where the numbers of a row do
    not bear out its name, the table with that row is another reading.
    """
    columns = {name: read_numbers(cells) for name, cells in grid.columns.items()}  # once: long ones take seconds
    totals, sure = _rows_of_totals(grid, columns)
    whole = _table_of_rows(grid, columns)
    if not 0 < len(totals) < whole.rows:
        return whole
    shown = frozenset(form for column in columns.values() if column for form in column.shown)
    data = _table_without_rows(grid, totals, shown)
    doubtful = _table_without_rows(grid, sure, shown).readings if sure != totals else ()
    return replace(data, others=(*data.others, *doubtful), with_totals=whole, totals=tuple(sorted(totals)))


def _rows_of_totals(grid: Grid, columns: _Columns) -> tuple[set[int], set[int]]:
    """The rows that a word for a total or a mean names, in a column up to the first of texts; and those surely so.

    Surely: where a time would stand, without a number, or with the sum or the mean of the other rows in a column. A
    name of more words ("Total 2025") is one only with such a number, and surely beside several rows.
    """
    words = {word for language in LANGUAGES for word in lexicon(language).data["total_rows"]}
    named, in_words, sure = set[int](), set[int](), set[int]()
    for name, cells in grid.columns.items():
        is_text = columns[name] is None and not is_time_name(name)
        texts = [str(cell).strip(" *_:=").lower() if isinstance(cell, str) else "" for cell in cells]
        rows = {row for row, text in enumerate(texts) if text in words or text.removesuffix("s") in words}
        named |= rows
        in_words |= {row for row, text in enumerate(texts) if not words.isdisjoint(text.split())} - rows
        sure |= rows if is_time_name(name) else set()
        if is_text:
            break
    if not named | in_words:
        return set(), set()
    arrays = [array for column in columns.values() if column for array in column.values.values()]
    may_sum_up = sorted(named | in_words)
    borne_out = {row for array in arrays for row in _rows_that_sum_up(array, may_sum_up)}
    empty = {row for row in named if all(math.isnan(array[row]) for array in arrays)}
    sure |= empty | (borne_out if len(texts) - len(may_sum_up) > 1 else borne_out & named)
    return named | borne_out, sure


def _rows_that_sum_up(values: NDArray[Any], rows: Sequence[int]) -> Iterator[int]:
    """Those of some rows whose number is the sum or the mean of those of all other rows, at its precision."""
    others = np.delete(values, rows)
    known = others[~np.isnan(others)]
    if not len(known):
        return
    total, mean = known.sum(), known.mean()
    for row in rows:
        stated = float(values[row])
        margin = 0.5 * 10.0 ** -len(f"{stated:.10f}".rstrip("0").partition(".")[2]) + _ROUNDING * abs(stated)
        if min(abs(stated - total), abs(stated - mean)) <= margin:
            yield row


def _table_of_rows(grid: Grid, columns: _Columns, also_shown: frozenset[NumberFormat] = frozenset()) -> NumericTable:
    """The table of all rows of a grid; `also_shown` are the formats that rows left out of it give away."""
    import pandas as pd

    pack = find_language(grid.language)
    time_name, times = _time_column(grid.columns, pack is not None and pack.is_day_first)
    numbers = {
        name: replace(one, shown=one.shown | also_shown) for name, one in columns.items() if one and name != time_name
    }
    texts = {
        name: [
            None if is_missing(cell) or (name in numbers and row not in numbers[name].unreadable) else str(cell).strip()
            for row, cell in enumerate(cells)
        ]
        for name, cells in grid.columns.items()
        if name not in numbers or numbers[name].unreadable
    }
    shown = {form for column in numbers.values() for form in column.shown}
    unreadable = {
        name: {*column.unreadable, *grid.torn, *(column.ambiguous if len(shown) > 1 else ())}
        for name, column in numbers.items()
    }
    units = {name: grid.units.get(name) or column.unit or header_unit(name) for name, column in numbers.items()}
    formats = _formats(numbers, shown, pack.profile.decimal_mark if pack else ".")
    rows = range(len(next(iter(grid.columns.values()), ())))
    frames = [pd.DataFrame({name: column.values[form] for name, column in numbers.items()}, rows) for form in formats]
    table = NumericTable(
        name=grid.name,
        frame=frames[0],
        labels=pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in texts.items()}),
        times=times.times if times else None,
        time_column=time_name,
        period=times.period if times else None,
        units={name: unit for name, unit in units.items() if unit},
        unreadable={name: tuple(sorted(positions)) for name, positions in unreadable.items() if positions},
        power=caption_power(grid.caption),
        caption=grid.caption,
    )
    clocks = [table.times] if times is None or times.other is None else [times.times, times.other]
    _, *others = (replace(table, frame=frame, times=clock) for frame in frames for clock in clocks)
    return replace(table, others=tuple(others))


def _time_column(columns: Mapping[str, Sequence[object]], day_first: bool) -> tuple[str | None, TimeColumn | None]:
    """The column of times: the first whose name says so, else the first that holds nothing else."""
    for name in sorted(columns, key=lambda name: not is_time_name(name)):
        if times := read_times(name, columns[name], day_first):
            return name, times
    return None, None


def _table_without_rows(grid: Grid, totals: Collection[int], shown: frozenset[NumberFormat]) -> NumericTable:
    columns = {name: [c for row, c in enumerate(cells) if row not in totals] for name, cells in grid.columns.items()}
    torn = tuple(row - sum(total < row for total in totals) for row in grid.torn if row not in totals)
    read = {name: read_numbers(cells) for name, cells in columns.items()}
    return _table_of_rows(replace(grid, columns=columns, torn=torn), read, shown)


def _formats(
    numbers: Mapping[str, NumberColumn], shown: Collection[NumberFormat], decimal_mark: str
) -> Sequence[NumberFormat]:
    """The format that the whole table is in; both, the language's first, where its cells leave it open."""
    if len(shown) > 1:  # cells that fit both are not read
        return [NumberFormat.POINT]
    if shown or not any(column.ambiguous for column in numbers.values()):
        return [*shown] or [NumberFormat.POINT]
    return sorted(NumberFormat, key=lambda form: form.value != decimal_mark)


def caption_power(caption: str) -> int:
    """The power of ten that a caption says the numbers are in: "(in millions)" is 6, "£000" is 3, else 0."""
    pattern, scales = _caption_scales()
    match = pattern.search(caption.lower())
    return scales[match[match.lastindex or 0]] if match else 0


@cache
def _caption_scales() -> tuple[re.Pattern[str], dict[str, int]]:
    """What says a scale in a caption, and the power of ten of each."""
    scales = {word: int(power) for word, power in notation_signs("scales").items() if int(power) >= 3}
    scales = {word: power for word, power in scales.items() if len(word) > 2 and word.isalpha()}  # "mln." is "mln"
    named, led, signs = any_of(scales), any_of(notation_words("header_in")), currency_signs()
    pattern = re.compile(
        rf"(?:\b(?:{led})\s(?:{signs}\s?|\w+\s)?|\([^()]{{0,15}}\b)({named})\w{{0,2}}\b|{signs}\s?(000|m)\b|\bx\s?1[.,]?(000)\b"
    )
    return pattern, scales | {"000": 3, "m": 6}


GroupValue = Literal["sum", "mean"]
GROUP_VALUES: tuple[GroupValue, ...] = ("sum", "mean")
"""How a group's value is computed from its rows; also the kinds of the words that say so."""

_YEAR = re.compile(r"(?:(q[1-4])\s*(?:[a-z]{2}\s*)?)?(?<!\d)((?:19|20)\d\d)(?!\d)", re.IGNORECASE)  # "Q1 FY2019"
_MOST_ROWS = 200  # of a table whose rows may be series, and of a window that lists its rows


@dataclass(frozen=True)
class View:
    """A table that claims can be read against.

    `grouping` is "sum" or "mean" where each row stands for a group of those of the `whole` table.
    """

    table: NumericTable
    transposed: bool = False
    grouping: str = ""
    whole: NumericTable | None = None

    @cached_property
    def times(self) -> Times | None:
        """What the times of the table reach over, None without times."""
        table = self.table
        if table.times is None or table.times.isna().all():
            return None
        period = Period(table.step) if table.period is Period.DAY and table.step else table.period
        return Times(table.times.min().date(), table.times.max().date(), period or Period.DAY)

    def window_of_all(self, windows: Sequence[Window]) -> Window | None:
        """The rows of several dates together ("in 2018 and 2019"); None where that is no list of rows."""
        if all(w.weekdays and replace(w, weekdays=()) == ALL_ROWS for w in windows):
            return Window(weekdays=tuple(sorted({day for w in windows for day in w.weekdays})))
        if self.table.times is None or not all(w.start and w.end and not w.weekdays for w in windows):
            return None
        try:
            positions = {int(position) for window in windows for position in rows_of(self.table, window)}
        except Unverifiable:
            return None
        return Window(positions=tuple(sorted(positions))) if len(positions) <= _MOST_ROWS else None


@lru_cache(maxsize=64)  # the samples of a set often share a table, which is then one object
def views(table: NumericTable) -> tuple[View, ...]:
    """The table as it stands and, where its columns are times ("2019", "2018"), with its rows as series."""
    turned = transpose(table)
    return (View(table), *([View(turned, transposed=True)] if turned else []))


def transpose(table: NumericTable) -> NumericTable | None:
    """The table with its rows as series and its columns as times; None where its columns are no times."""
    if table.with_totals is not None:  # of rows as series each stands for itself
        table = replace(table.with_totals, name=table.name, power=table.power)
    period_by_column = {column: period for column in table.columns if (period := _period_of(column))}
    if table.rows > _MOST_ROWS or not len(table.labels.columns) or len(period_by_column) < 2:
        return None
    dated = table.frame[list(period_by_column)]
    is_row = table.labels.iloc[:, 0].notna() & dated.notna().any(axis=1)
    names = unique_names(["period", *map(str, table.labels.iloc[:, 0][is_row])])
    cells = [list(period_by_column.values()), *dated[is_row].to_numpy().tolist()]
    turned = table_of(Grid(table.name, dict(zip(names, cells, strict=True))))
    return replace(turned, power=table.power) if turned.times is not None and len(turned.columns) else None


def _period_of(column: str) -> str | None:
    """The year, or the quarter of one, that a column's name holds; None where it holds none or several."""
    times = set(_YEAR.findall(column))
    return " ".join(filter(None, times.pop())) if len(times) == 1 else None


def repeats(table: NumericTable, column: str, window: Window = ALL_ROWS) -> bool:
    """Whether several rows of a window have the same text, or the same time, in a column, so that it makes groups."""
    rows = rows_of(table, window, may_be_none=True)
    if column == table.time_column and table.times is not None:
        return bool(table.times[rows].dropna().duplicated().any())
    return column in table.labels.columns and bool(table.labels[column].iloc[rows].dropna().duplicated().any())


def is_panel(table: NumericTable) -> bool:
    """Whether a table has several rows of one time: of each zone, of each shop; or a row per pair of two texts."""
    if table.time_column is not None:
        return repeats(table, table.time_column)
    pairs = combinations(table.labels.columns, 2) if all(repeats(table, name) for name in table.labels.columns) else ()
    return any(not table.labels[[*pair]].duplicated().any() for pair in pairs)


@lru_cache(maxsize=64)
def group_rows(view: View, column: str, value: GroupValue) -> View:
    """A view with one row per group; its values are added up or averaged, missing values left out.

    Groups stand in the order of their first row; rows that belong to none are left out.
    """
    return View(_grouped(view.table, column, value), grouping=value, whole=view.table)


def _grouped(table: NumericTable, column: str, value: GroupValue) -> NumericTable:
    import pandas as pd

    is_time = column == table.time_column and table.times is not None
    keys = pd.Series(table.times) if is_time else table.labels[column]
    group_of_row, names = pd.factorize(keys)  # -1 of a row that belongs to none
    groups = table.frame[group_of_row >= 0].groupby(group_of_row[group_of_row >= 0])
    unreadable = {name: {int(group_of_row[row]) for row in rows} - {-1} for name, rows in table.unreadable.items()}
    return replace(
        table,
        frame=groups.sum(min_count=1) if value == "sum" else groups.mean(),
        labels=table.labels[[column]][keys.notna() & ~keys.duplicated()].reset_index(drop=True),
        times=pd.DatetimeIndex(names) if is_time else None,
        time_column=column if is_time else None,
        period=table.period if is_time else None,
        unreadable={name: tuple(sorted(rows)) for name, rows in unreadable.items()},
        rows_are=f"{value} by {column}",
        others=tuple(_grouped(other, column, value) for other in table.others),
    )


_MOST_SHOWN = 100


def tables_as_contexts(tables: Sequence[SampleTable]) -> tuple[str, ...]:
    """Each table as lines with pipes, its name above; of a longer one the first 100 rows, and a line that says so."""
    return tuple(TableContext(_as_text(table)) for table in tables)


def _as_text(table: SampleTable) -> str:
    heads = [f"{name} ({table.units[name]})" if name in table.units else name for name in table.columns]
    rows = list(zip(*table.columns.values(), strict=True))
    lines = [table.name, _piped(heads), *(_piped(row) for row in rows[:_MOST_SHOWN])]
    if len(rows) > _MOST_SHOWN:
        lines.append(f"({len(rows) - _MOST_SHOWN} more rows)")
    return "\n".join(lines)


def _piped(cells: Sequence[Cell]) -> str:
    return "| " + " | ".join("" if cell is None else " ".join(str(cell).split()) for cell in cells) + " |"
