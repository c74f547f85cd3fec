"""Statistics that compare two series, or one series in two windows."""

from dataclasses import replace

from ....text.wording import verb_of
from ..specification import ALL_ROWS, Direction, Hedge, Specification, Statistic, Unverifiable, Window
from ..tables.rows import all_values, rows_of
from ..tables.table import NumericTable
from .aggregates import AGGREGATES
from .computation import Computed, StatisticInput, format_number, format_with_unit, single, statistic_title

_FLAT = 0.05  # values within 5% of each other are "about as high"
_INNER = {entry.statistic: entry.compute for entry in AGGREGATES}
SIGNIFICANT = 0.05


def _side(
    asked: Specification, table: NumericTable, name: str, window: Window, inner: Statistic | None
) -> tuple[float, str]:
    """One side of a relation, with what it is in words: one row's value, else the statistic `inner`, else the mean."""
    if inner is None:
        inner = Statistic.VALUE_AT if len(rows_of(table, window)) == 1 else Statistic.MEAN
    if inner not in _INNER:
        raise Unverifiable(f"a {asked.statistic.replace('_', ' ')} of {inner.replace('_', ' ')} is not computed")
    side = _INNER[inner](StatisticInput(replace(asked, statistic=inner, series=name, window=window), table))
    assert side.value is not None  # all of these have one
    if inner is Statistic.VALUE_AT:
        return side.value, side.arithmetic
    return side.value, f"{statistic_title(inner, name, window)} = {format_number(side.value)}"


def _sides(data: StatisticInput) -> tuple[float, float, str]:
    """The two values, in the unit of the series, and what they are in words."""
    asked, table, name = data.asked, data.table, data.name
    if asked.compared_with is None and asked.compared_window is None:
        raise Unverifiable(f"it is not said what {name!r} is compared with")
    other = asked.compared_with or name
    window = asked.compared_window or asked.window
    if other == name and data.rows.tolist() == rows_of(table, window).tolist():
        raise Unverifiable(f"the rows of {asked.window.text or asked.window} are compared with themselves")
    first, first_text = _side(asked, table, name, asked.window, asked.side_statistic)
    second, second_text = _side(asked, table, other, window, asked.side_statistic)
    if asked.statistic is not Statistic.RATIO or is_alike(table, name, other):
        second = table.in_unit_of(name, second, other)
    return first, second, f"{first_text}; {second_text}"


def difference(data: StatisticInput) -> Computed:
    """The first side minus the second."""
    first, second, text = _sides(data)
    line = f"{text}; {format_number(first)} - {format_number(second)} = {format_with_unit(first - second, data.unit)}"
    return single(first - second, "pp" if data.unit == "%" else data.unit, line, base=second)


def percent_change(data: StatisticInput) -> Computed:
    """100 times the difference by the size of the second side."""
    first, second, text = _sides(data)
    if second == 0:
        raise Unverifiable("a percent change from 0 does not exist")
    value = 100 * (first - second) / abs(second)
    line = f"{text}; 100 * ({format_number(first)} - {format_number(second)}) / {format_number(abs(second))}"
    return single(value, "%", f"{line} = {format_with_unit(value, '%')}", base=second)


def ratio(data: StatisticInput) -> Computed:
    """The first side by the second."""
    first, second, text = _sides(data)
    if second == 0:
        raise Unverifiable("a ratio to 0 does not exist")
    unit = None if is_alike(data.table, data.name, data.asked.compared_with or data.name) else data.unit
    line = f"{text}; {format_number(first)} / {format_number(second)} = {format_with_unit(first / second, unit)}"
    return single(first / second, unit, line)


def is_alike(table: NumericTable, series: str, other: str) -> bool:
    """Whether the ratio of two series has no unit, since both measure the same; not euros divided by employees."""
    try:
        table.in_unit_of(series, 1.0, other)
    except Unverifiable:
        return False
    return (table.unit_of(series) is None) == (table.unit_of(other) is None)


def comparison(data: StatisticInput) -> Computed:
    """Whether the first side is higher (up), lower (down) or as high (flat; within 5% if about so)."""
    first, second, text = _sides(data)
    direction = data.asked.direction
    if direction is None:
        raise Unverifiable("it is not said which is higher")
    size = max(abs(first), abs(second))
    near = abs(first - second) <= 1e-9 * size
    if direction is Direction.FLAT:
        holds = near or (data.asked.hedge is Hedge.ABOUT and abs(first - second) <= _FLAT * size)
    else:
        holds = not near and (first > second) == (direction is Direction.UP)
    sign = "=" if near else ">" if first > second else "<"
    return single(
        first - second, data.unit, f"{text}; {format_number(first)} {sign} {format_number(second)}", holds=holds
    )


def share(data: StatisticInput) -> Computed:
    """100 times the sum over the window by that over the compared window (none: all rows); of rows, if no series."""
    asked, table = data.asked, data.table
    part, whole = asked.window, asked.compared_window or ALL_ROWS
    if asked.series is None:
        first = float(len(rows_of(table, part, may_be_none=bool(part.conditions))))
        second = float(len(rows_of(table, whole)))
        text = f"{format_number(first)} of {format_number(second)} {verb_of(second, 'row', 'rows')}"
    else:
        other, inner = asked.compared_with or asked.series, asked.side_statistic or Statistic.SUM
        first, _ = _side(asked, table, asked.series, part, inner)
        second, _ = _side(asked, table, other, whole, inner)
        titles = data.title("sum"), statistic_title("sum", other, whole)
        text = f"{titles[0]} = {format_number(first)}; {titles[1]} = {format_number(second)}"
    if second == 0:
        raise Unverifiable("a share of 0 does not exist")
    value = 100 * first / second
    return single(
        value, "%", f"{text}; 100 * {format_number(first)} / {format_number(second)} = {format_with_unit(value, '%')}"
    )


def correlation(data: StatisticInput) -> Computed:
    """Pearson's correlation over the rows where both series have a value, with its p-value."""
    import numpy as np
    from scipy.stats import pearsonr

    other, direction = data.asked.compared_with, data.asked.direction
    if other is None:
        raise Unverifiable(f"it is not said what {data.name!r} is correlated with")
    second = all_values(data.table, other, data.rows)
    known = data.is_known & ~np.isnan(second)
    first, second = data.cells[known], second[known]
    if len(first) < 3:
        raise Unverifiable(f"a correlation takes at least 3 rows with both values; there are {len(first)}")
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        raise Unverifiable("a series that never changes has no correlation")
    pearson = pearsonr(first, second)
    value, p = float(pearson.statistic), float(pearson.pvalue)
    holds = None
    if direction is not None:
        real = p < SIGNIFICANT
        holds = not real if direction is Direction.FLAT else real and (value > 0) == (direction is Direction.UP)
    line = f"Pearson correlation of {data.name} and {other} = {value:.3f} (n={len(first)}, p={p:.2g})"
    return single(value, None, line, holds=holds)
