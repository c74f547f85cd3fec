"""Which rows of a table a window is about, and the values that a series has there."""

from collections.abc import Callable, Collection, Mapping
from datetime import date
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING, Any

from ..specification import Condition, Unverifiable, Window
from .cells import read_cell
from .table import STEPS, NumericTable, Period, unit_of_period

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DatetimeIndex

_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {"eq": eq, "ne": ne, "gt": gt, "ge": ge, "lt": lt, "le": le}
_LONGER = (Period.WEEK, Period.MONTH, Period.QUARTER, Period.YEAR)


def rows_of(table: NumericTable, window: Window, may_be_none: bool = False) -> "NDArray[Any]":
    """The positions of the rows that fit every part of a window: in order of time where there is one, else of the file.

    Raises `Unverifiable` where the table cannot tell (no dates, no such row, part of a month) or no row fits, unless
    `may_be_none`.
    """
    import numpy as np

    positions = in_order(table, np.flatnonzero(_fits(table, window)))
    positions = _outermost(table, positions, window)
    if not len(positions) and not may_be_none:
        reach = f"; it reaches from {table.reach[0]} to {table.reach[1]}" if table.reach else ""
        raise Unverifiable(f"{table.name} has no rows for {window.text or window}{reach}")
    return positions


def _fits(table: NumericTable, window: Window) -> "NDArray[Any]":
    import numpy as np

    fits: NDArray[Any] = np.ones(table.rows, dtype=bool)
    if window.start or window.end:
        fits &= _between(table, window.start, window.end)
    if window.weekdays:
        fits &= np.isin(_times(table, _LONGER).day_of_week, window.weekdays)
    if window.months:
        fits &= np.isin(_times(table, (Period.QUARTER, Period.YEAR)).month, window.months)
    if window.rows:
        fits &= np.isin(np.arange(table.rows), np.concatenate([_rows_of_label(table, label) for label in window.rows]))
    if window.positions:
        fits &= np.isin(np.arange(table.rows), window.positions)
    for condition in window.conditions:
        fits &= _meets(table, condition)
    for left_out in window.without:
        fits &= ~np.isin(np.arange(table.rows), rows_of(table, left_out))
    return fits


def in_order(table: NumericTable, positions: "NDArray[Any]") -> "NDArray[Any]":
    """Positions in order of time; rows without a time, and all where there is no time, keep the order of the file."""
    if table.times is None or table.times.is_monotonic_increasing:
        return positions
    return positions[table.times[positions].argsort(kind="stable")] if not table.times.hasnans else positions


def values_of(table: NumericTable, series: str, positions: "NDArray[Any]") -> "NDArray[Any]":
    """A series' values at some rows, missing ones left out. Raises `Unverifiable` where none is left."""
    import numpy as np

    values = all_values(table, series, positions)
    known: NDArray[Any] = values[~np.isnan(values)]
    if not len(known):
        raise Unverifiable(f"{series!r} has no value there: all {len(positions)} are missing")
    return known


def all_values(table: NumericTable, series: str, positions: "NDArray[Any]") -> "NDArray[Any]":
    """A series' values at some rows, NaN where they are missing. Raises `Unverifiable` where a cell is no number."""
    import numpy as np

    values: NDArray[Any] = table.series(series)[positions]
    if unreadable := table.unreadable.get(series):
        wrong = positions[np.isin(positions, unreadable)]
        if len(wrong):
            raise Unverifiable(f"{series!r} cannot be read as a number in {table.row_name(wrong[0])}")
    return values


def _times(table: NumericTable, too_long: Collection[Period] = ()) -> "DatetimeIndex":
    if table.times is None:
        raise Unverifiable(f"{table.name} has no dates")
    if table.times.hasnans:
        missing = [position + 1 for position, none in enumerate(table.times.isna()) if none][:5]
        raise Unverifiable(f"{table.name} has rows without a readable date: {', '.join(map(str, missing))}")
    if table.period and table.period in too_long:
        raise Unverifiable(f"the rows of {table.name} stand for {table.period}s")
    return table.times


def _between(table: NumericTable, start: date | None, end: date | None) -> "NDArray[Any]":
    import numpy as np

    begins, ends = _days(table)
    first = np.datetime64(start, "D") if start else begins.min()
    last = np.datetime64(end, "D") if end else ends.max()
    inside: NDArray[Any] = (begins >= first) & (ends <= last)
    if ((begins <= last) & (ends >= first) & ~inside).any() and table.period:
        raise Unverifiable(f"the rows of {table.name} stand for {table.period}s, and that is a part of one")
    return inside


@lru_cache(maxsize=64)
def _days(table: NumericTable) -> "tuple[NDArray[Any], NDArray[Any]]":
    """The first and the last day that each row stands for."""
    import pandas as pd

    begins, step = _times(table).normalize(), STEPS[unit_of_period(table.period)]
    ends = begins + pd.DateOffset(days=step.days, months=step.months, years=step.years) - pd.Timedelta(days=1)
    first, last = (days.to_numpy().astype("datetime64[D]") for days in (begins, ends))
    return first, last


@lru_cache(maxsize=64)
def _by_label(table: NumericTable, column: str) -> Mapping[str, "NDArray[Any]"]:
    import pandas as pd

    texts = table.labels[column].map(_fold, na_action="ignore")
    groups: Mapping[str, NDArray[Any]] = pd.Series(range(table.rows)).groupby(texts).indices
    return groups


def _fold(text: object) -> str:
    return " ".join(str(text).casefold().split())


def _rows_of_label(table: NumericTable, label: str) -> "NDArray[Any]":
    rows_by_column = {}
    for column in table.labels.columns:
        rows = _by_label(table, column).get(_fold(label))
        if rows is not None:
            rows_by_column[column] = rows
    if not rows_by_column:
        raise Unverifiable(f"{table.name} has no row {label!r}")
    first, *others = rows_by_column.values()
    if any(len(other) != len(first) or (other != first).any() for other in others):
        raise Unverifiable(f"{label!r} stands in several columns of {table.name}: {', '.join(rows_by_column)}")
    return first


def _meets(table: NumericTable, condition: Condition) -> Any:
    import numpy as np

    column, operator, wanted = condition.column, condition.operator, condition.value
    options = wanted if isinstance(wanted, tuple) else (wanted,)
    if column in table.labels.columns and (operator in ("eq", "ne", "in") or column not in table.frame.columns):
        if operator not in ("eq", "ne", "in"):
            raise Unverifiable(f"{column!r} holds texts, which are not more or less than {wanted}")
        row_groups = [rows for option in options for rows in _rows_with_value(table, column, option)]
        fits = np.isin(np.arange(table.rows), np.concatenate(row_groups) if row_groups else [])
        return ~fits if operator == "ne" else fits
    values = all_values(table, column, np.arange(table.rows))
    numbers = [option for option in map(_as_number, options) if option is not None]
    if not numbers:
        raise Unverifiable(f"{column!r} holds numbers, and {wanted!r} is none")
    if operator == "in":
        return np.isin(values, numbers)
    return _OPERATORS[operator](values, numbers[0]) & ~np.isnan(values)


def _rows_with_value(table: NumericTable, column: str, wanted: str | float) -> list[Any]:
    """The rows whose cell is a text, or the same number however it is written ("7" and "7.0")."""
    known = _by_label(table, column)
    if isinstance(wanted, str):
        return [known[_fold(wanted)]] if _fold(wanted) in known else []
    return [rows for text, rows in known.items() if _as_number(text) == wanted]


def _as_number(text: str | float) -> float | None:
    if not isinstance(text, str):
        return float(text)
    reading = read_cell(text)
    return next(iter(reading.values.values())) if reading else None


def _outermost(table: NumericTable, positions: "NDArray[Any]", window: Window) -> "NDArray[Any]":
    """The first or last of the positions. Raises `Unverifiable` where rows of the same time would be separated."""
    for count, cut in ((window.first, window.first), (window.last, -(window.last or 0))):
        if not count or len(positions) <= count:
            continue
        if table.times is not None and not table.times.hasnans and cut:
            inner, outer = table.times[positions[cut - 1]], table.times[positions[cut]]
            if inner == outer:
                raise Unverifiable(f"several rows of {table.name} are of {table.row_name(positions[cut])}")
        positions = positions[:count] if cut and cut > 0 else positions[-count:]
    return positions
