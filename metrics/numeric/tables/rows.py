"""Which rows of a table a window is about, and the values that a series has there."""

from collections.abc import Callable, Collection, Mapping
from datetime import date
from functools import lru_cache
from operator import eq, ge, gt, le, lt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..specification import Condition, Unverifiable, Window
from .table import STEPS, NumericTable, Period, unit_of_period

if TYPE_CHECKING:
    from pandas import DatetimeIndex

_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {"eq": eq, "gt": gt, "ge": ge, "lt": lt, "le": le}
_LONGER = (Period.WEEK, Period.MONTH, Period.QUARTER, Period.YEAR)


def rows_of(table: NumericTable, window: Window, may_be_none: bool = False) -> NDArray[Any]:
    """The positions of the rows that fit every part of a window: in order of time where there is one, else of the file.

    Raises `Unverifiable` where the table cannot tell (no dates, part of a month) or no row fits, unless `may_be_none`.
    """
    positions = _fits(table, window).nonzero()[0]
    if table.times is not None and not table.times.is_monotonic_increasing and not table.times.hasnans:
        positions = positions[table.times[positions].argsort(kind="stable")]
    if window.first:
        positions = _split(table, positions, window.first)[0]
    if window.last:
        positions = _split(table, positions, -window.last)[1]
    if not len(positions) and not may_be_none:
        reach = f"; it reaches from {table.reach[0]} to {table.reach[1]}" if table.reach else ""
        raise Unverifiable(f"{table.name} has no rows for {window.text or window}{reach}")
    return positions


def _fits(table: NumericTable, window: Window) -> NDArray[Any]:
    every = np.arange(table.rows)
    fits: NDArray[Any] = np.ones(table.rows, dtype=bool)
    if window.start or window.end:
        fits &= _between(table, window.start, window.end)
    if window.weekdays:
        fits &= np.isin(_times(table, _LONGER).day_of_week, window.weekdays)
    if window.months:
        fits &= np.isin(_times(table, (Period.QUARTER, Period.YEAR)).month, window.months)
    if window.positions:
        fits &= np.isin(every, window.positions)
    for condition in window.conditions:
        fits &= _meets(table, condition)
    for left_out in window.without:
        fits &= ~np.isin(every, rows_of(table, left_out))
    return fits


def _split(table: NumericTable, positions: NDArray[Any], place: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The positions before a place and from it on. Raises `Unverifiable` where it is between rows of one time."""
    before, after = positions[:place], positions[place:]
    if len(before) and len(after) and table.times is not None and table.times[before[-1]] == table.times[after[0]]:
        raise Unverifiable(f"several rows of {table.name} are of {table.row_name(after[0])}")
    return before, after


def values_of(table: NumericTable, series: str, positions: NDArray[Any]) -> NDArray[Any]:
    """A series' values at some rows, missing ones left out. Raises `Unverifiable` where none is left."""
    values = all_values(table, series, positions)
    known: NDArray[Any] = values[~np.isnan(values)]
    if not len(known):
        raise Unverifiable(f"{series!r} has no value there: all {len(positions)} are missing")
    return known


def all_values(table: NumericTable, series: str, positions: NDArray[Any]) -> NDArray[Any]:
    """A series' values at some rows, NaN where they are missing. Raises `Unverifiable` where a cell is no number."""
    values: NDArray[Any] = table.series(series)[positions]
    wrong = positions[np.isin(positions, table.unreadable.get(series, ()))]
    if len(wrong):
        raise Unverifiable(f"{series!r} cannot be read as a number in {table.row_name(wrong[0])}")
    return values


def _times(table: NumericTable, too_long: Collection[Period] = ()) -> "DatetimeIndex":
    if table.times is None:
        raise Unverifiable(f"{table.name} has no dates")
    if table.times.hasnans:
        missing = [str(position + 1) for position, none in enumerate(table.times.isna()) if none][:5]
        raise Unverifiable(f"{table.name} has rows without a readable date: {', '.join(missing)}")
    if table.period in too_long:
        raise Unverifiable(f"the rows of {table.name} stand for {table.period}s")
    return table.times


def _between(table: NumericTable, start: date | None, end: date | None) -> NDArray[Any]:
    begins, ends = _days(table)
    first = np.datetime64(start, "D") if start else begins.min()
    last = np.datetime64(end, "D") if end else ends.max()
    inside: NDArray[Any] = (begins >= first) & (ends <= last)
    if ((begins <= last) & (ends >= first) & ~inside).any() and table.period:
        raise Unverifiable(f"the rows of {table.name} stand for {table.period}s, and that is a part of one")
    return inside


@lru_cache(maxsize=64)
def _days(table: NumericTable) -> tuple[NDArray[Any], NDArray[Any]]:
    """The first and the last day that each row stands for."""
    import pandas as pd

    begins, step = _times(table).normalize(), STEPS[unit_of_period(table.period)]
    ends = begins + pd.DateOffset(days=step.days, months=step.months, years=step.years) - pd.Timedelta(days=1)
    first, last = (days.to_numpy().astype("datetime64[D]") for days in (begins, ends))
    return first, last


@lru_cache(maxsize=64)
def _rows_by_text(table: NumericTable, column: str) -> Mapping[str, NDArray[Any]]:
    import pandas as pd

    texts = table.labels[column].map(_fold, na_action="ignore")
    rows: Mapping[str, NDArray[Any]] = pd.Series(range(table.rows)).groupby(texts).indices
    return rows


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _meets(table: NumericTable, condition: Condition) -> Any:
    """Whether each row's cell passes a test: texts are compared without case and white space, numbers as numbers."""
    column, wanted = condition.column, condition.value
    options = wanted if isinstance(wanted, tuple) else (wanted,)
    texts = [_fold(option) for option in options if isinstance(option, str)]
    if texts and column in table.labels.columns and condition.operator in ("eq", "in"):
        rows = _rows_by_text(table, column)
        return np.isin(np.arange(table.rows), np.concatenate([rows.get(text, ()) for text in texts]))
    if texts:
        raise Unverifiable(f"{column!r} cannot be compared with {texts[0]!r}")
    values = all_values(table, column, np.arange(table.rows))
    return _OPERATORS[condition.operator](values, options[0]) & ~np.isnan(values)
