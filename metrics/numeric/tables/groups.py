"""A table with one row for each value of a column that repeats itself: each zone's total, each month's mean."""

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from .table import NumericTable
from .views import View, view_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

GroupValue = Literal["sum", "mean"]
GROUP_VALUES: tuple[GroupValue, ...] = ("sum", "mean")
"""How a group's value is computed from its rows; also the kinds of the words that say so."""


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
    return replace(view_of(_grouped(view.table, column, value)), grouping=value, whole=view.table)


def _grouped(table: NumericTable, column: str, value: GroupValue) -> NumericTable:
    import numpy as np
    import pandas as pd

    is_time = column == table.time_column and table.times is not None
    keys = pd.Series(table.times) if is_time else table.labels[column]
    codes, _ = pd.factorize(keys)
    kept: NDArray[np.intp] = np.flatnonzero(codes >= 0)
    groups = table.frame.iloc[kept].groupby(codes[kept])
    frame = groups.sum(min_count=1) if value == "sum" else groups.mean()
    first = [int(kept[codes[kept] == code][0]) for code in frame.index]
    unreadable = {
        name: tuple(sorted({int(codes[row]) for row in rows if codes[row] >= 0}))
        for name, rows in table.unreadable.items()
    }
    return replace(
        table,
        frame=frame.reset_index(drop=True),
        labels=table.labels[[column]].iloc[first].reset_index(drop=True) if column in table.labels else pd.DataFrame(),
        times=table.times[first] if is_time and table.times is not None else None,
        time_column=column if is_time else None,
        period=table.period if is_time else None,
        unreadable=unreadable,
        rows_are=f"{value} by {column}",
        others=tuple(_grouped(other, column, value) for other in table.others),
    )
