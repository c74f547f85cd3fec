"""Constructions of values: a value at a time or row, a statistic over rows, the same value twice."""

import re
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from ..compute.statistics import STATISTICS
from ..specification import Statistic, Unverifiable, Window
from ..tables.rows import rows_of
from ..tables.rows import values_of as values_in
from ..tables.table import Period
from .checks import (
    ClauseCheck,
    can_be_summed,
    check,
    is_counted,
    is_flow,
    is_year_besides,
    nearest_series,
    series_of,
    specify,
    value_fields,
)
from .clause import Clause
from .construction import ANY, ClauseReading, Construction, ConstructionMatch, number, places, series, value, words
from .marks import Mark
from .places import is_row

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STATISTICS = {entry.word: entry.statistic for entry in STATISTICS.values() if entry.word}
_INHERITED = (Statistic.MEAN, Statistic.MEDIAN, Statistic.SUM, Statistic.MAXIMUM, Statistic.MINIMUM)


def _aggregate(match: ConstructionMatch) -> ClauseReading | None:
    clause = match.clause
    kinds = [kind for kind in _STATISTICS if clause.marks_of(kind)]
    if clause.marks_of("per_row") and set(kinds) <= {
        "mean",
        "sum",
    }:  # "together they took 6,520 hours a year on average"
        if "mean" not in kinds and clause.times and all(is_row(clause, mark) for mark in clause.times):
            return None
        kinds = ["mean"]
    if len(kinds) != 1 and set(kinds) != {"mean", "range"}:
        return None
    statistic_word = clause.first_mark(kinds[0]) or match.one("statistic")
    names = series_of(clause, nearest_series(clause, statistic_word))
    windows = clause.windows(clause.times, clause.cells)
    checks = (check(specify(_STATISTICS[kinds[0]], names, windows, **value_fields(match.one("value")))),)
    return ClauseReading(checks, _all_rows(clause))


def _all_rows(clause: Clause) -> tuple[Mark, ...]:
    """The "all" of "all branches together", which are the rows."""
    rows = [m for m in clause.marks if (m.columns and not m.series) or m.kinds & {"days", "whole"}]
    return tuple(mark for mark in clause.marks_of("all") if any(m.start == mark.end + 1 for m in rows))


def _lookup(match: ConstructionMatch) -> ClauseReading | None:
    clause, numbers = match.clause, match["value"]
    if clause.series and re.match(rf"{clause.words.data['part_of_led']}$", clause.text[: clause.series[0].start], re.I):
        return None  # "of the donations, 60,000 came from legacies"
    placed = clause.times or clause.cells or clause.scope or clause.marks_of("whole") or clause.table.rows == 1
    placed = placed or (clause.view.times is not None and all(is_flow(clause, name) for name in series_of(clause)))
    windows = clause.windows(clause.times, clause.cells)
    pairs = _pairs(clause, numbers) if placed and windows else None
    if pairs is None or not all(series_of(clause, named) for _, named in pairs):
        return None
    if any(is_year_besides(clause, series_of(clause, named), number) for number, named in pairs):
        return None
    checks = tuple(_value(clause, number, series_of(clause, named), windows) for number, named in pairs)
    also = tuple(named for _, named in pairs if named is not None)
    if clause.marks_of("not"):
        return ClauseReading((checks[0].negated(),), (*also, *clause.marks_of("not"))) if len(checks) == 1 else None
    return ClauseReading(checks, also)


def _value(clause: Clause, number: Mark, names: list[str], windows: list[Window]) -> ClauseCheck:
    """A value over windows: of their one row, else their sum, or their mean where that is what it can be."""
    value = value_fields(number)
    if clause.statistic in _INHERITED:
        return check(specify(clause.statistic, names, windows, **value))
    summed = [n for n in names if can_be_summed(clause, n)]
    flows = [n for n in names if is_flow(clause, n)]
    # windows of the text before: "then", "that day"
    has_earlier_windows = (
        not clause.times and not clause.cells and bool(clause.scope) and not clause.marks_of("all_rows")
    )
    of_a_row = (
        clause.times and clause.table.period is not Period.MOMENT and all(map(partial(is_row, clause), clause.times))
    )
    values = specify(Statistic.VALUE_AT, names, windows, **value)
    if (
        (has_earlier_windows and flows != names)
        or of_a_row
        or any(w.positions or any(t.operator == "in" for t in w.conditions) for w in windows)
    ):
        return check(values)
    held = {(n, w): _values_in_window(clause, n, w) for n in names for w in windows}
    values = [spec for spec in values if _is_one(held[str(spec.series), spec.window])]
    if (clause.marks_of("count", "whole", "sum") and summed) or flows == names:
        return check(values, specify(Statistic.SUM, summed, windows, **value))
    whole = specify(Statistic.MEAN, [n for n in names if n not in summed], windows, **value)
    for n, w in product(summed, windows):
        whole += specify(_sum_or_mean(clause, n, held[n, w], number), [n], [w], **value)
    return check(values, whole)


def _values_in_window(clause: Clause, name: str, window: Window) -> "NDArray[Any] | None":
    """The values of a series in a window; None where there are none, or where they cannot be read."""
    try:
        return values_in(clause.table, name, rows_of(clause.table, window))
    except Unverifiable:
        return None


def _is_one(values: "NDArray[Any] | None") -> bool:
    """Whether a window has one value, or none that can be read."""
    return values is None or bool(values.min() == values.max())


def _sum_or_mean(clause: Clause, name: str, values: "NDArray[Any] | None", mark: Mark) -> Statistic:
    """Whether a value over several rows is their sum or their mean: above the largest of them it is no mean."""
    assert mark.number is not None  # the mark of a number
    if values is None:
        return Statistic.SUM  # which will say why it cannot be computed
    try:
        held = clause.table.as_held(name, mark.number.value, mark.number.unit)
    except Unverifiable:
        return Statistic.SUM
    return Statistic.MEAN if held <= float(values.max()) else Statistic.SUM


def _pairs(clause: Clause, numbers: tuple[Mark, ...]) -> list[tuple[Mark, Mark | None]] | None:
    """Each number with the series that it is a value of; None where they do not match one to one."""
    if len(numbers) == 1:
        return [(numbers[0], nearest_series(clause, numbers[0]))]
    named = clause.series
    if clause.marks_of("respectively") and len(named) == len(numbers):
        return list(zip(numbers, named, strict=True))
    pairs = [(number, nearest_series(clause, number)) for number in numbers]
    near = [id(mark) for _, mark in pairs if mark is not None]
    return pairs if len(near) == len(pairs) == len(set(near)) else None


def _none(match: ConstructionMatch) -> ClauseReading | None:
    """ "There were no complaints in May": a value of 0 of what is counted."""
    clause = match.clause
    names, windows = list(match.one("series").series), clause.windows(clause.times, clause.cells)
    if not windows or not all(is_counted(clause, name) for name in names):
        return None
    (none,) = match["none"]
    if clause.text[none.end : match.one("series").start].strip():
        return None  # "no month had more complaints"
    return ClauseReading((check(specify(Statistic.SUM, names, windows, value=0.0)),))


CONSTRUCTIONS = (
    Construction("lookup", (), (value(most=ANY), places()), ("count", "sum", "respectively", "column"), _lookup),
    Construction(
        "aggregate",
        (words(*_STATISTICS, "per_row", most=ANY, name="statistic"),),
        (value(), series(), places()),
        ("count", "column", "both"),
        _aggregate,
    ),
    Construction(
        "none",
        (words("none"), words("measured", least=0)),
        (number(0, 0), series(1), places(1)),
        ("count", "when"),
        _none,
    ),
)
