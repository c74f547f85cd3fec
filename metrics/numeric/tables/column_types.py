"""From cells to a table of numbers: which columns are times, numbers and texts, and in which notation."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from ....languages import FALLBACK, find_language, load_language
from ....text.numbers import NumberFormat
from ....text.numbers.notation import currency_signs, notation_signs, notation_words
from ..lexicon import LANGUAGES, lexicon
from .cells import NumberColumn, header_unit, is_missing, read_numbers
from .grids import Grid, row_numbers
from .table import NumericTable
from .time_columns import TimeColumn, is_time_name, read_times

if TYPE_CHECKING:
    from pandas import DataFrame

_YEAR = re.compile(r"(?<![\d-])(?:19|20)\d\d(?![\d-]| - \d)")
OUTCOME = "outcome ("
"""What the names of columns of outcomes begin with."""

_LEAST_ROWS = 3  # that a derived column takes
_FIRST_WORD = re.compile(r"\W*([^\W\d_]+)(?![^\W\d_]|\s+[^\W\d_])")  # "W 24-21" and "Win", not "Win Butler"
_EXAMPLES = {NumberFormat.POINT: "1,234.5", NumberFormat.COMMA: "1.234,5"}


def table_of(grid: Grid) -> NumericTable:
    """The grid's columns as times, numbers and texts, with all readings where the notation is ambiguous."""
    time_name, times = _time_column(grid)
    numbers = {
        name: column
        for name, cells in grid.columns.items()
        if name != time_name and (column := read_numbers(cells)) is not None
    }
    formats, note = _formats(numbers, grid)
    rows = len(next(iter(grid.columns.values()), ()))
    table = NumericTable(
        name=grid.name,
        frame=_frame(numbers, formats[0], rows),
        labels=_labels(grid, numbers, time_name),
        times=times.times if times else None,
        time_column=time_name,
        period=times.period if times else None,
        units=_units(numbers, grid),
        notes=(*grid.notes, *note, *_notes(grid, numbers, time_name, times)),
        unreadable=_unreadable(numbers, grid),
        power=caption_power(grid.caption),
        caption=grid.caption,
    )
    clocks = [table.times] if times is None or times.other is None else [times.times, times.other]
    readings = [replace(table, frame=_frame(numbers, form, rows), times=clock) for form in formats for clock in clocks]
    return replace(table, others=tuple(readings[1:]))


def _labels(grid: Grid, numbers: Mapping[str, NumberColumn], time_name: str | None) -> "DataFrame":
    import pandas as pd

    texts = {
        name: [None if is_missing(cell) else str(cell).strip() for cell in cells]
        for name, cells in grid.columns.items()
        if name not in numbers or numbers[name].unreadable
    }
    undated = {name: cells for name, cells in texts.items() if name not in numbers and name != time_name}
    texts |= _derived_columns(undated, grid.language)
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in texts.items()})


def _notes(
    grid: Grid, numbers: Mapping[str, NumberColumn], time_name: str | None, times: TimeColumn | None
) -> list[str]:
    notes = [times.note] if times and times.note else []
    if times and times.unreadable:
        notes.append(f"rows {row_numbers(times.unreadable)} have no readable date in {time_name!r}")
    for name, column in numbers.items():
        if column.unreadable:
            first = column.unreadable[0]
            notes.append(f"{name!r} holds what is no number: {grid.columns[name][first]!r} in row {first + 1}")
        if column.mixed_units:
            notes.append(f"{name!r} is not in one unit: {', '.join(column.mixed_units)} and others")
    return notes


def _time_column(grid: Grid) -> tuple[str | None, TimeColumn | None]:
    """The column of times: the first whose name says so, else the first that holds nothing else."""
    pack = find_language(grid.language)
    names = sorted(grid.columns, key=lambda name: not is_time_name(name))
    columns = [(name, grid.columns[name]) for name in names]
    years = set(_YEAR.findall(grid.name))
    if len(years) == 1:  # "December 2" of a table that is called "Matches in 1952"
        (year,) = years
        for name in filter(is_time_name, names):
            cells = grid.columns[name]
            columns.append((name, [f"{cell}, {year}" if isinstance(cell, str) and cell else cell for cell in cells]))
    for name, cells in columns:
        if times := read_times(name, cells, pack is not None and pack.is_day_first):
            return name, times
    return None, None


def _formats(numbers: Mapping[str, NumberColumn], grid: Grid) -> tuple[list[NumberFormat], list[str]]:
    """The format that the whole table is in, and a note of it; both where its cells leave it open."""
    seen_formats = {form for column in numbers.values() for form in column.shown}
    ambiguous = [name for name, column in numbers.items() if column.ambiguous]
    if len(seen_formats) == 1:
        (form,) = seen_formats
        return [form], [f"numbers are written as {_EXAMPLES[form]}"] if ambiguous or form is NumberFormat.COMMA else []
    if seen_formats:
        unread = "; cells that fit both are not read" if ambiguous else ""
        return [NumberFormat.POINT], [f"numbers are written both as 1,234.5 and as 1.234,5{unread}"]
    if not ambiguous:
        return [NumberFormat.POINT], []
    pack = find_language(grid.language)
    formats = sorted(NumberFormat, key=lambda form: form.value != (pack.profile.decimal_mark if pack else "."))
    example = grid.columns[ambiguous[0]][numbers[ambiguous[0]].ambiguous[0]]
    return formats, [f"it is open whether {example} in {ambiguous[0]!r} is thousands or decimals: both are tried"]


def _frame(numbers: Mapping[str, NumberColumn], form: NumberFormat, rows: int) -> "DataFrame":
    import pandas as pd

    return pd.DataFrame({name: column.values[form] for name, column in numbers.items()}, index=range(rows))


def _unreadable(numbers: Mapping[str, NumberColumn], grid: Grid) -> dict[str, tuple[int, ...]]:
    mixed = len({form for column in numbers.values() for form in column.shown}) > 1
    positions_by_name = {
        name: {*column.unreadable, *grid.torn, *(column.ambiguous if mixed else ())} for name, column in numbers.items()
    }
    return {name: tuple(sorted(positions)) for name, positions in positions_by_name.items() if positions}


def _units(numbers: Mapping[str, NumberColumn], grid: Grid) -> dict[str, str]:
    units = {
        name: grid.units.get(name) or column.unit or (None if column.mixed_units else header_unit(name))
        for name, column in numbers.items()
    }
    return {name: unit for name, unit in units.items() if unit}


def caption_power(caption: str) -> int:
    """The power of ten that a caption says the numbers are in: "(in millions)" is 6, "£000" is 3, else 0."""
    scales = {word: int(power) for word, power in notation_signs("scales").items() if int(power) >= 3 and len(word) > 3}
    named, led = "|".join(scales), "|".join(sorted(notation_words("header_in")))
    signs = currency_signs()
    match = re.search(
        rf"\b(?:{led})\s(?:{signs}\s?|\w+\s)?({named})s?\b|\([^()]{{0,15}}\b({named})s?\b", caption.lower()
    )
    if match:
        return scales[match[1] or match[2]]
    match = re.search(rf"{signs}\s?(000|m)\b|\bx\s?1[.,]?000\b", caption.lower())
    return (6 if match[1] == "m" else 3) if match else 0


def _derived_columns(texts: Mapping[str, Sequence[str | None]], language: str | None) -> dict[str, list[str | None]]:
    """The columns that can be derived from every cell of another: `outcome (result)`, `month (date)`."""
    language = language if language in LANGUAGES else FALLBACK
    rules: tuple[tuple[str, Callable[[str, str], str | None]], ...] = (("outcome", _outcome), ("month", _month))
    derived: dict[str, list[str | None]] = {}
    for name, cells in texts.items():
        for kind, derive in rules:
            if len(cells) < _LEAST_ROWS or any(cell and derive(cell, language) is None for cell in cells):
                continue
            derived_cells = [derive(cell, language) if cell else None for cell in cells]
            if len({*derived_cells} - {None}) > 1:
                derived[f"{kind} ({name})"] = derived_cells
    return derived


def _outcome(cell: str, language: str) -> str | None:
    word = _FIRST_WORD.match(cell)
    return _outcomes(language).get(word[1].lower()) if word else None


@cache
def _outcomes(language: str) -> dict[str, str]:
    """The words and letters of outcomes, each with its outcome."""
    return {word: name for name, words in lexicon(language).data["outcomes"].items() for word in words}


def _month(cell: str, language: str) -> str | None:
    pattern, months = _months(language)
    named_months = {months[name.lower()] for name in pattern.findall(cell)} if any(map(str.isdigit, cell)) else set()
    return named_months.pop() if len(named_months) == 1 else None


@cache
def _months(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """The names of the months, and the full name that each, short or full, is of."""
    pack = load_language(language)
    months = {full.lower(): full.lower() for full in pack.months}
    months |= {
        short.rstrip(".").lower(): full.lower() for full, short in zip(pack.months, pack.short_months, strict=True)
    }
    names = "|".join(map(re.escape, sorted(months, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)({names})(?!\w)", re.IGNORECASE), months
