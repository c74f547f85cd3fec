"""Statistics that set two things beside each other: two series, or one series in two windows."""

from dataclasses import replace

from ..quantities import converted, unit_and_power
from ..specification import ALL_ROWS, Direction, Hedge, Specification, Statistic, Unverifiable
from ..tables import Table, all_values, rows_of
from .aggregates import AGGREGATES, series_name
from .computation import Computed, called, one, shown, unit_of, with_unit

_FLAT = 0.05  # values within 5% of each other are "about as high"
_OF = {entry.statistic: entry.compute for entry in AGGREGATES}
SIGNIFICANT = 0.05


def _side(asked: Specification, table: Table, name: str, of: Statistic | None) -> tuple[float, str]:
    """One side of a relation, with what it is in words: one row's value, else the statistic `of`, else the mean."""
    if of is None:
        of = Statistic.VALUE_AT if len(rows_of(table, asked.window)) == 1 else Statistic.MEAN
    if of not in _OF:
        raise Unverifiable(f"a {asked.statistic.replace('_', ' ')} of {of.replace('_', ' ')} is not computed")
    side = _OF[of](replace(asked, statistic=of, series=name), table)
    assert side.value is not None  # all of these have one
    if of is Statistic.VALUE_AT:
        return side.value, side.arithmetic
    return side.value, f"{called(of, name, asked.window)} = {shown(side.value)}"


def sides(asked: Specification, table: Table) -> tuple[float, float, str, str]:
    """The two values, in the unit of the series, and each in words."""
    name = series_name(asked)
    if asked.compared_with is None and asked.compared_window is None:
        raise Unverifiable(f"it is not said what {name!r} is compared with")
    other = asked.compared_with or name
    window = asked.compared_window or asked.window
    if other == name and rows_of(table, asked.window).tolist() == rows_of(table, window).tolist():
        raise Unverifiable(f"the rows of {asked.window.text or asked.window} are compared with themselves")
    first, first_text = _side(asked, table, name, asked.of)
    second, second_text = _side(replace(asked, window=window), table, other, asked.of)
    unit, other_unit = (unit_and_power(table.units.get(each)) for each in (name, other))
    if asked.statistic is not Statistic.RATIO or asked.compared_with is None or _alike(asked, table):
        second = converted(second, other_unit[0], unit[0]) * 10.0 ** (other_unit[1] - unit[1])
    return first, second, first_text, second_text


def difference(asked: Specification, table: Table) -> Computed:
    """The first side minus the second."""
    first, second, first_text, second_text = sides(asked, table)
    unit = unit_of(table, asked)
    line = f"{first_text}; {second_text}; {shown(first)} - {shown(second)} = {with_unit(first - second, unit)}"
    return one(first - second, "pp" if unit == "%" else unit, line, base=second)


def percent_change(asked: Specification, table: Table) -> Computed:
    """100 times the difference by the size of the second side."""
    first, second, first_text, second_text = sides(asked, table)
    if second == 0:
        raise Unverifiable("a percent change from 0 does not exist")
    value = 100 * (first - second) / abs(second)
    line = f"{first_text}; {second_text}; 100 * ({shown(first)} - {shown(second)}) / {shown(abs(second))}"
    return one(value, "%", f"{line} = {with_unit(value, '%')}", base=second)


def ratio(asked: Specification, table: Table) -> Computed:
    """The first side by the second."""
    first, second, first_text, second_text = sides(asked, table)
    if second == 0:
        raise Unverifiable("a ratio to 0 does not exist")
    unit = None if asked.compared_with is None or _alike(asked, table) else unit_of(table, asked)
    line = f"{first_text}; {second_text}; {shown(first)} / {shown(second)} = {with_unit(first / second, unit)}"
    return one(first / second, unit, line)


def _alike(asked: Specification, table: Table) -> bool:
    """Whether two series are of one kind, so that their ratio has no unit; euros by employees are euros each."""
    unit, other = (unit_and_power(table.units.get(name or ""))[0] for name in (asked.series, asked.compared_with))
    try:
        converted(1.0, other, unit)
    except Unverifiable:
        return False
    return (unit is None) == (other is None)


def comparison(asked: Specification, table: Table) -> Computed:
    """Whether the first side is higher (up), lower (down) or as high (flat; within 5% if about so)."""
    first, second, first_text, second_text = sides(asked, table)
    if asked.direction is None:
        raise Unverifiable("it is not said which is higher")
    near = abs(first - second) <= 1e-9 * max(abs(first), abs(second))
    if asked.direction is Direction.FLAT:
        within = _FLAT if asked.hedge is Hedge.ABOUT else 1e-9
        holds = abs(first - second) <= within * max(abs(first), abs(second))
    else:
        holds = not near and (first > second) == (asked.direction is Direction.UP)
    sign = "=" if near else ">" if first > second else "<"
    line = f"{first_text}; {second_text}; {shown(first)} {sign} {shown(second)}"
    return Computed({"": first - second}, unit_of(table, asked), line, holds=holds)


def share(asked: Specification, table: Table) -> Computed:
    """100 times the sum over the window by that over the compared window (none: all rows); of rows, if no series."""
    part, whole = asked.window, asked.compared_window or ALL_ROWS
    if asked.series is None:
        first = float(len(rows_of(table, part, may_be_none=bool(part.conditions))))
        second = float(len(rows_of(table, whole)))
        text = f"{shown(first)} of {shown(second)} rows"
    else:
        other = asked.compared_with or asked.series
        first, _ = _side(replace(asked, window=part), table, asked.series, asked.of or Statistic.SUM)
        second, _ = _side(replace(asked, window=whole), table, other, asked.of or Statistic.SUM)
        text = f"{called('sum', asked.series, part)} = {shown(first)}; {called('sum', other, whole)} = {shown(second)}"
    if second == 0:
        raise Unverifiable("a share of 0 does not exist")
    value = 100 * first / second
    return one(value, "%", f"{text}; 100 * {shown(first)} / {shown(second)} = {with_unit(value, '%')}")


def correlation(asked: Specification, table: Table) -> Computed:
    """Pearson's correlation over the rows where both series have a value, with its p-value."""
    import numpy as np
    from scipy.stats import pearsonr

    name = series_name(asked)
    if asked.compared_with is None:
        raise Unverifiable(f"it is not said what {name!r} is correlated with")
    rows = rows_of(table, asked.window)
    first, second = all_values(table, name, rows), all_values(table, asked.compared_with, rows)
    both = ~np.isnan(first) & ~np.isnan(second)
    first, second = first[both], second[both]
    if len(first) < 3:
        raise Unverifiable(f"a correlation takes at least 3 rows with both values; there are {len(first)}")
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        raise Unverifiable("a series that never changes has no correlation")
    found = pearsonr(first, second)
    value, p = float(found.statistic), float(found.pvalue)
    holds = None
    if asked.direction is not None:
        real = p < SIGNIFICANT
        up = asked.direction is Direction.UP
        holds = not real if asked.direction is Direction.FLAT else real and (value > 0) == up
    line = f"Pearson correlation of {name} and {asked.compared_with} = {value:.3f} (n={len(first)}, p={p:.2g})"
    return Computed({"": value}, None, line, holds=holds)
