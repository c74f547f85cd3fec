"""Constructions of values: a value at a time or row, a statistic over rows."""

import re
from functools import partial
from itertools import pairwise, product

from ..compute.statistics import STATISTICS
from ..specification import Statistic, Unverifiable, Window
from ..tables.rows import rows_of
from ..tables.rows import values_of as values_in
from ..tables.table import Period
from .checks import ClauseCheck, can_be_summed, check, is_flow, nearest_series, series_of, specify, value_fields
from .clause import Clause, is_row
from .construction import (
    ANY,
    ClauseReading,
    ConstructionMatch,
    as_one_check,
    construction,
    places,
    series,
    value,
    words,
)
from .marks import Mark

_STATISTICS = {entry.word: entry.statistic for entry in STATISTICS.values() if entry.word}
_INHERITED = (Statistic.MEAN, Statistic.MEDIAN, Statistic.SUM, Statistic.MAXIMUM, Statistic.MINIMUM)


@construction(
    words(*_STATISTICS, "per_row", most=ANY, name="statistic"),
    value(),
    series(),
    places(),
    optional="count column both all",
)
def _aggregate(match: ConstructionMatch) -> ClauseReading | None:
    clause = match.clause
    kinds = [kind for kind in _STATISTICS if clause.marks_of(kind)]
    if clause.marks_of("per_row") and set(kinds) <= {"mean", "sum"}:
        kinds = ["mean"]  # "together they took 6,520 hours a year on average"
    if len(kinds) != 1 or (clause.marks_of("all") and clause.cells):
        return None  # "the total of all the liabilities" is not of the row of that name
    statistic_word = clause.first_mark(kinds[0]) or match.one("statistic")
    names = series_of(clause, nearest_series(clause, statistic_word))
    return as_one_check(specify(_STATISTICS[kinds[0]], names, match.windows, **value_fields(match.one("value"))))


@construction(value(most=ANY), places(), optional="count sum column")
def _lookup(match: ConstructionMatch) -> ClauseReading | None:
    clause, numbers = match.clause, match["value"]
    if clause.series and re.match(rf"{clause.words.data['part_of_led']}$", clause.text[: clause.series[0].start], re.I):
        return None  # "of the donations, 60,000 came from legacies"
    is_placed = (
        clause.times or clause.cells or clause.context.windows or clause.marks_of("whole") or clause.table.rows == 1
    )
    over_time = clause.view.times is not None and all(is_flow(clause, name) for name in match.names)
    pairs = _pairs(clause, numbers)
    named = {mark for _, mark in pairs if mark is not None}
    if not (is_placed or over_time) or (len(pairs) > 1 and len(named) < len(pairs)):
        return None
    checks = [_value(clause, number, series_of(clause, mark), match.windows) for number, mark in pairs]
    return ClauseReading(tuple(checks), tuple(named))


def _pairs(clause: Clause, numbers: tuple[Mark, ...]) -> list[tuple[Mark, Mark | None]]:
    """Each number with its series: those that take turns in order ("revenue was 12 (users: 150)"), else the nearest."""
    named, both = clause.series, sorted((*clause.series, *numbers), key=lambda mark: mark.start)
    if len(named) == len(numbers) and all(bool(a.series) is not bool(b.series) for a, b in pairwise(both)):
        return list(zip(numbers, named, strict=True))
    return [(number, nearest_series(clause, number)) for number in numbers]


def _value(clause: Clause, number: Mark, names: list[str], windows: list[Window]) -> ClauseCheck:
    """A value over windows: of their one row, else their sum, or their mean where that is what it can be."""
    value = value_fields(number)
    if clause.context.statistic in _INHERITED:
        return check(specify(clause.context.statistic, names, windows, **value))
    are_flows = all(is_flow(clause, name) for name in names)
    if _is_of_one_row(clause, windows, are_flows=are_flows):
        return check(specify(Statistic.VALUE_AT, names, windows, **value))
    assert number.number is not None  # the mark of a number
    is_total = are_flows or bool(clause.marks_of("count", "whole", "sum"))
    of_one, over_rows = [], []
    for name, window in product(names, windows):
        try:
            stated = clause.table.as_held(name, number.number.value, number.number.unit)
            rows = values_in(clause.table, name, rows_of(clause.table, window))
            is_one, is_above_all = bool(rows.min() == rows.max()), stated > float(rows.max())
        except Unverifiable:  # which the computation reports
            is_one = is_above_all = True
        is_sum = can_be_summed(clause, name) and (is_total or is_above_all)
        of_one += specify(Statistic.VALUE_AT, [name], [window], **value) if is_one else []
        over_rows += specify(Statistic.SUM if is_sum else Statistic.MEAN, [name], [window], **value)
    return check(of_one, over_rows)


def _is_of_one_row(clause: Clause, windows: list[Window], *, are_flows: bool) -> bool:
    """Whether windows are of one row each, as they are named, or are those of the text before ("then", "that day")."""
    if any(w.positions or any(test.operator == "in" for test in w.conditions) for w in windows):
        return True
    if clause.times:
        return clause.table.period is not Period.MOMENT and all(map(partial(is_row, clause), clause.times))
    return bool(not clause.cells and clause.context.windows and not clause.marks_of("all_rows") and not are_flows)
