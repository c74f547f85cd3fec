"""Relations between the times and rows of a clause: whether a time is one row, or lies within another."""

from ..specification import ALL_ROWS, Unverifiable, Window
from ..tables.rows import rows_of
from ..tables.table import Times
from .clause import Clause, is_window_within, merge_windows
from .marks import Mark


def is_row(clause: Clause, mark: Mark) -> bool:
    """Whether a time is that of one row."""
    window = mark.time.windows[0] if mark.time else ALL_ROWS
    times = clause.view.times
    if not times or not window.start or not window.end:
        return False
    return window.end <= Times(window.start, window.start, times.period).last_day


def contains_window(outer: Window, inner: Window) -> bool:
    """Whether a window contains another, judged by their days."""
    return (
        outer == ALL_ROWS or bool(outer.conditions) or is_window_within(inner, outer) or not (outer.start and outer.end)
    )


def is_other_window(window: Window, spot: Window) -> bool:
    """Whether a window has other rows than a spot: another time, or another text in the same column."""
    if spot.start and not contains_window(window, spot):
        return True
    wanted = {test.column: test for test in spot.conditions}
    return any(test.column in wanted and test != wanted[test.column] for test in window.conditions)


def contains_time(outer: Mark, inner: Mark) -> bool:
    """Whether the inner mark's time lies within the outer mark's."""
    a, b = (mark.time.windows[0] if mark.time else ALL_ROWS for mark in (outer, inner))
    return bool(a.start and a.end and b.start and b.end and a != b and a.start <= b.start and b.end <= a.end)


def has_several(clause: Clause, *windows: Window) -> bool:
    """Whether several rows are in all of the windows."""
    return _count(clause, *windows) > 1


def _count(clause: Clause, *windows: Window) -> int:
    """How many rows are in all of the windows; 0 where the table cannot tell, which the computation reports."""
    try:
        rows = [set(rows_of(clause.table, window, may_be_none=True).tolist()) for window in windows]
    except Unverifiable:
        return 0
    return len(set.intersection(*rows))


def is_one_named_row(clause: Clause) -> bool:
    """Whether the named times and cells identify one row."""
    return any(_count(clause, window) == 1 for window in clause.windows(clause.times, clause.cells))


def with_cells(window: Window, clause: Clause, cells: list[Mark]) -> list[Window]:
    """The windows that a window and cells make together."""
    merged = [merge_windows(window, other) for other in clause.windows([], cells)] if cells else [window]
    return [one for one in merged if one is not None]


def windows_of(clause: Clause, marks: "list[Mark] | tuple[Mark, ...]") -> list[Window]:
    """The windows that marks of times and cells mean together."""
    return clause.windows([m for m in marks if m.time], [m for m in marks if m.cells])


def is_pair_of_rows(clause: Clause) -> bool:
    """Whether two rows are compared ("Bell out of the total"), not taken together ("Bell and Mobile")."""
    if len(clause.cells) != 2:
        return False
    first, second = clause.cells
    alike = {column for column, _ in first.cells} & {column for column, _ in second.cells}
    joined = clause.text[first.end : second.start].strip().lower() in clause.words.data["joins"]
    return bool(alike) and not joined and not clause.marks_of("sum")
