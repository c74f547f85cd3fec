"""Reading ranges: "ranged from 10 to 20", "8 minutes between the shortest and the longest wait"."""

import re

from .check import Check, check, each, series_of, stated, use_columns
from .clause import Clause
from .specification import Hedge, Statistic

_MORE, _LESS = frozenset({"maximum", "best"}), frozenset({"minimum", "worst"})


def ranged(clause: Clause) -> list[Check] | None:
    """ "Ranged from 10 to 20", "stayed between 10 and 20": the minimum and the maximum."""
    word, numbers = clause.first("ranged"), clause.numbers
    names = series_of(clause)
    if word is None or len(numbers) != 2 or not names:
        return None
    windows = clause.windows(clause.times, clause.cells)
    low, high = numbers
    always = "between" in word.text.lower() or "tussen" in word.text.lower()
    low_value, high_value = stated(low), stated(high)
    if always:  # within the bounds, not up to them
        low_value["hedge"], high_value["hedge"] = Hedge.AT_LEAST, Hedge.AT_MOST
    clause.use(
        [
            word,
            *numbers,
            *clause.times,
            *clause.cells,
            *clause.series[:1],
            *clause.of("changed_to", "all", "than", "per_row", "count"),
        ]
    )
    return [
        check(each(Statistic.MINIMUM, names, windows, **low_value)),
        check(each(Statistic.MAXIMUM, names, windows, **high_value)),
    ]


def gap_of_extremes(clause: Clause) -> list[Check] | None:
    """ "Between the fastest and the slowest depot there are 8.5 hours": how far the extremes are apart."""
    names, numbers = series_of(clause), clause.numbers
    extremes = clause.of(*_MORE, *_LESS)
    if len(extremes) != 2 or len(numbers) != 1 or not names or len(clause.series) > 1:
        return None
    first, second = extremes
    if {bool(mark.kinds & _MORE) for mark in extremes} != {True, False}:
        return None
    if not re.fullmatch(r"(?: [\w-]+)?,? (?:and|en|to|tot)(?: \w+){0,3} ", clause.text[first.end : second.start]):
        return None
    apart = clause.of("between_two", "difference", "range", "apart")
    if not apart or clause.of("mean", "sum", "median", "than", "up", "down"):
        return None
    windows = clause.windows(clause.times, clause.cells)
    used = [*apart, *clause.of("changed_to", "count", "all", "per_row")]
    clause.use([*extremes, *numbers, *clause.times, *clause.cells, *clause.series, *used])
    use_columns(clause)
    return [check(each(Statistic.RANGE, names, windows, **stated(numbers[0])))] if windows else None
