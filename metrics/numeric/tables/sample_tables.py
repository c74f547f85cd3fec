"""The tables that a sample's claims are computed from, and those of a file: cells become times, numbers and texts."""

import re
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from ....errors import InputError
from ....eval_sets.sample import Sample, Table as SampleTable
from ....eval_sets.table_files import read_table_file
from ....languages import find_language
from ....regular_files import read_text_file
from ....text.numbers import NumberFormat
from ....text.numbers.notation import currency_signs, notation_signs, notation_words
from ....text.wording import count_of
from ..lexicon import LANGUAGES, any_of, lexicon
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
from .grids import Grid, grids_in_text, row_numbers, unique_names
from .table import NumericTable

_KEPT = 32
_MOST_BYTES = 100_000_000  # of one file of text or JSON, which is read whole
_EXAMPLES = {NumberFormat.POINT: "1,234.5", NumberFormat.COMMA: "1.234,5"}
_recent_tables: deque[tuple[SampleTable, str | None, NumericTable]] = deque(maxlen=_KEPT)


def tables_of_sample(sample: Sample) -> list[NumericTable]:
    """A sample's own tables, then those found in its contexts; with different names.

    A table in a context that shows no more than one of the sample's own (the same columns and number of rows) is left
    out: it is that table again, perhaps rounded.
    """
    own = [_numeric_table(table, sample.language) for table in sample.tables]
    shown = [(table.rows, {*table.columns, *table.labels}) for table in own]
    context_tables = [
        table
        for number, text in enumerate(sample.retrieved_contexts, 1)
        for table in _tables_in_text(text, sample.language, f"context {number}")
        if not any(rows == table.rows and {*table.columns, *table.labels} <= columns for rows, columns in shown)
    ]
    return _with_unique_names([*own, *context_tables])


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


def table_of(grid: Grid, also_shown: frozenset[NumberFormat] = frozenset()) -> NumericTable:
    """The grid's columns as times, numbers and texts, with all readings where the notation is ambiguous.

    `also_shown` are the formats that rows left out of the grid give away.
    """
    import pandas as pd

    pack = find_language(grid.language)
    time_name, times = _time_column(grid.columns, pack is not None and pack.is_day_first)
    unreadable_times = times.unreadable if time_name is not None and times else ()
    if totals := [place for place in unreadable_times if _is_total(grid.columns[str(time_name)][place])]:
        whole = [read_numbers(cells) for name, cells in grid.columns.items() if name != time_name]
        return table_of(_without_rows(grid, totals), frozenset(form for one in whole if one for form in one.shown))
    columns = {name: read_numbers(cells) for name, cells in grid.columns.items() if name != time_name}
    numbers = {name: replace(one, shown=one.shown | also_shown) for name, one in columns.items() if one}
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
    formats, notes = _formats(numbers, shown, grid, pack.profile.decimal_mark if pack else ".")
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
        notes=(*grid.notes, *notes, *_notes(grid, numbers, time_name, times)),
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


def _is_total(cell: object) -> bool:
    """Whether a cell stands for "in total", in any language."""
    words = (word for language in LANGUAGES for word in lexicon(language).data["total_rows"])
    return str(cell).strip().lower().rstrip("s") in words


def _without_rows(grid: Grid, totals: Collection[int]) -> Grid:
    columns = {name: [c for row, c in enumerate(cells) if row not in totals] for name, cells in grid.columns.items()}
    torn = tuple(row - sum(total < row for total in totals) for row in grid.torn if row not in totals)
    note = f"left out as totals: {count_of(len(totals), 'row')}"
    return replace(grid, columns=columns, torn=torn, notes=(*grid.notes, note))


def _formats(
    numbers: Mapping[str, NumberColumn], shown: Collection[NumberFormat], grid: Grid, decimal_mark: str
) -> tuple[Sequence[NumberFormat], Sequence[str]]:
    """The format that the whole table is in, and notes of it; both where its cells leave it open."""
    ambiguous = [(name, column.ambiguous[0]) for name, column in numbers.items() if column.ambiguous]
    if len(shown) > 1:
        unread = "; cells that fit both are not read" if ambiguous else ""
        return [NumberFormat.POINT], [f"numbers are written both as 1,234.5 and as 1.234,5{unread}"]
    form = next(iter(shown), NumberFormat.POINT)
    if shown or not ambiguous:
        return [form], [f"numbers are written as {_EXAMPLES[form]}"] if ambiguous or form is NumberFormat.COMMA else []
    name, row = ambiguous[0]
    note = f"it is open whether {grid.columns[name][row]} in {name!r} is thousands or decimals: both are tried"
    return sorted(NumberFormat, key=lambda form: form.value != decimal_mark), [note]


def _notes(
    grid: Grid, numbers: Mapping[str, NumberColumn], time_name: str | None, times: TimeColumn | None
) -> list[str]:
    notes = [times.note] if times and times.note else []
    if times and times.unreadable:
        notes.append(f"rows {row_numbers(times.unreadable)} have no readable date in {time_name!r}")
    for name in (name for name in grid.columns if name not in numbers and name != time_name):
        others = [(row, cell) for row, cell in enumerate(grid.columns[name]) if not is_missing(cell)]
        unread = next(((row, cell) for row, cell in others if not read_cell(cell)), None)
        if not others:
            notes.append(f"{name!r} has no values")
        elif unread and any(read_cell(cell) for _, cell in others):
            notes.append(f"{name!r} is no series: most cells are no numbers, as {unread[1]!r} in row {unread[0] + 1}")
    first_rows = {name: column.unreadable[0] for name, column in numbers.items() if column.unreadable}
    cells = {name: f"{grid.columns[name][row]!r} in row {row + 1}" for name, row in first_rows.items()}
    return [*notes, *(f"{name!r} holds what is no number: {cell}" for name, cell in cells.items())]


def caption_power(caption: str) -> int:
    """The power of ten that a caption says the numbers are in: "(in millions)" is 6, "£000" is 3, else 0."""
    scales = {word: int(power) for word, power in notation_signs("scales").items() if int(power) >= 3 and len(word) > 3}
    named, led, signs = any_of(scales), any_of(notation_words("header_in")), currency_signs()
    match = re.search(
        rf"(?:\b(?:{led})\s(?:{signs}\s?|\w+\s)?|\([^()]{{0,15}}\b)({named})s?\b|{signs}\s?(000|m)\b|\bx\s?1[.,]?(000)\b",
        caption.lower(),
    )
    return (scales | {"000": 3, "m": 6})[match[match.lastindex or 0]] if match else 0
