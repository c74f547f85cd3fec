"""The ways to look at a table: as it stands, with rows and columns exchanged, and with one row per group of rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

from ..specification import ALL_ROWS, Unverifiable, Window
from .sample_tables import Grid, table_of, unique_names
from .table import NumericTable, Period, Times, rows_of

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


def repeats(table: NumericTable, column: str) -> bool:
    """Whether several rows have the same text, or the same time, in a column, so that it makes groups."""
    if column == table.time_column and table.times is not None:
        return bool(table.times.dropna().duplicated().any())
    return column in table.labels.columns and bool(table.labels[column].dropna().duplicated().any())


def is_panel(table: NumericTable) -> bool:
    """Whether a table has several rows of one time: of each zone, of each shop."""
    return table.time_column is not None and repeats(table, table.time_column)


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
