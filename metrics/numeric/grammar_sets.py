"""Reading relations of two series row by row, and of one to another: "more opened than closed", "the cost per head"."""

import re

from .check import Check, check, counts_periods, counts_rows, each, is_flow, stated, values_of
from .clause import Clause
from .specification import ALL_ROWS, Specification, Statistic


def rows_compared(clause: Clause) -> list[Check] | None:
    """ "In 8 of the 12 weeks more tickets were opened than closed": the rows where one series is above another."""
    than, series = clause.first("than"), clause.series
    counts = [m for m in clause.numbers if counts_rows(clause, m)]
    up, down = clause.of("higher", "above"), clause.of("lower", "below")
    if than is None or len(series) != 2 or len(clause.numbers) != 1 or len(counts) != 1 or bool(up) == bool(down):
        return None
    if not counts_periods(clause, counts[0]) or clause.of("mean", "sum", "median", "maximum", "minimum", "none", "not"):
        return None
    first, second = series
    if not first.end <= than.start or not than.end <= second.start:
        return None
    windows = clause.windows(clause.times, clause.cells)
    clause.use([than, *series, *counts, *up, *down, *clause.times, *clause.cells, *clause.of("count", "days", "all")])
    statistic = Statistic.COUNT_ABOVE if up else Statistic.COUNT_BELOW
    value = stated(counts[0]) | {"unit": None, "decimals": 0}
    found = [
        Specification(statistic, a, w, compared_with=b, **value)  # type: ignore[arg-type]
        for a in first.series
        for b in second.series
        for w in windows
    ]
    return [check(found)] if found else None


def per_each(clause: Clause) -> list[Check] | None:
    """ "The cost per employee was about 15,100": one series by another."""
    series, numbers = clause.series, values_of(clause)
    if len(series) != 2 or len(numbers) != 1 or clause.of("than", "difference", "ratio", "up", "down", "share"):
        return None
    first, second = series
    between = clause.text[first.end : second.start].lower()
    if not re.search(clause.words.data["per"], between) or len(between.split()) > 3:
        return None
    windows = clause.windows(clause.times, clause.cells)
    inner: list[Statistic | None] = [None, Statistic.SUM] if windows == [ALL_ROWS] else [None]
    clause.use([*series, *numbers, *clause.times, *clause.cells, *clause.of("mean", "count", "per_row")])
    value = stated(numbers[0])
    found = [
        Specification(Statistic.RATIO, a, w, compared_with=b, of=of, **value)  # type: ignore[arg-type]
        for of in inner
        for a in first.series
        for b in second.series
        for w in windows
    ]
    return [check(found)] if found else None


def share_of(clause: Clause) -> list[Check] | None:
    """ "27.6% of the calls came from Central": a part of the sum of a series."""
    numbers, series = values_of(clause), clause.series
    if len(numbers) != 1 or len(clause.numbers) != 1 or len(series) != 1 or not (clause.cells or clause.times):
        return None
    number = numbers[0].number
    if number is None or number.unit != "%" or clause.of("up", "down", "than", "higher", "lower", "mean", "maximum"):
        return None
    if not all(is_flow(clause, name) for name in series[0].series) or series[0].start < numbers[0].end:
        return None
    if not re.fullmatch(clause.words.data["part_of"], clause.text[numbers[0].end : series[0].start], re.IGNORECASE):
        return None
    windows = clause.windows(clause.times, clause.cells)
    clause.use([*numbers, *series, *clause.times, *clause.cells, *clause.of("sum", "all", "count", "share", "whole")])
    return [check(each(Statistic.SHARE, series[0].series, windows, **stated(numbers[0])))]
