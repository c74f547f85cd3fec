"""Reading relations of two series row by row, and of one to another: "more opened than closed", "the cost per head"."""

import re

from ...text.numbers import known_unit
from .check import Check, can_be_summed, check, counts_periods, counts_rows, stated, values_of
from .clause import Clause, within
from .grammar_extremes import holds
from .marks import Mark
from .names import means
from .specification import ALL_ROWS, Specification, Statistic, Window


def rows_compared(clause: Clause) -> list[Check] | None:
    """ "In 8 of the 12 weeks more tickets were opened than closed": the rows where one series is above another."""
    than, series = clause.first("than") or clause.first("outnumbers"), clause.series
    counts = [m for m in clause.numbers if counts_rows(clause, m)]
    up, down = clause.of("higher", "above", "outnumbers"), clause.of("lower", "below")
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
    per = clause.words.data["per"]
    if re.search(rf"{per}\s*$", clause.text[: first.start], re.IGNORECASE) and first.end <= numbers[0].start:
        first, second = second, first  # "for every refund there were 16 sign-ups"
        clause.use(mark for mark in clause.of("all") if mark.end <= second.start)
    elif not re.search(per, clause.text[first.end : second.start].lower()) or _words_between(clause, series) > 3:
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


def _words_between(clause: Clause, series: list[Mark]) -> int:
    return len(clause.text[series[0].end : series[1].start].split())


def share_of(clause: Clause) -> list[Check] | None:
    """ "27.6% of the calls came from Central", "39% of all leave in 2024 was taken in the third quarter"."""
    number, series = _percentage(clause), clause.series
    if number is None or len(series) != 1 or not (clause.cells or clause.times):
        return None
    if not all(_is_of_parts(clause, name) for name in series[0].series) or series[0].start < number.end:
        return None
    if not _is_part_of(clause, number, series[0]):
        return None
    windows = clause.windows(clause.times, clause.cells)
    outer = _outer(clause)
    wholes = clause.windows(outer, []) if outer else [ALL_ROWS]
    clause.use([number, *series, *clause.times, *clause.cells, *clause.of("sum", "all", "count", "share", "whole")])
    found = []
    for whole in wholes:
        inside = [window for window in windows if whole == ALL_ROWS or within(window, whole)]
        found += _shares((series[0], series[0]), inside, whole, number)
    return [check(found)] if found else None


def part_of_another(clause: Clause) -> list[Check] | None:
    """ "7% of appointments ended in a no-show", "of all parcels from Breda 4% came too late": one series in another."""
    number, series = _percentage(clause), clause.series
    if number is None or len(series) != 2 or clause.of("than", "share", "difference", "ratio"):
        return None
    parts = _part_and_whole(clause, number, series)
    if parts is None:
        return None
    part, whole = parts
    units = {known_unit(clause.table.units.get(name, "")) for mark in series for name in mark.series}
    if len(units) != 1 or not all(_is_of_parts(clause, name) for mark in series for name in mark.series):
        return None
    windows = clause.windows(clause.times, clause.cells)
    clause.use([number, *series, *clause.times, *clause.cells, *clause.of("sum", "all", "count", "whole")])
    found = [made for window in windows for made in _shares((part, whole), [window], window, number)]
    return [check(found)] if found else None


def _part_and_whole(clause: Clause, number: Mark, series: list[Mark]) -> tuple[Mark, Mark] | None:
    """Which is the part: "5% of B were A", "A were 5% of B", "of all B 5% were A"."""
    first, second = series

    if number.end <= first.start:
        return (second, first) if _is_part_of(clause, number, first) else None
    if second.end <= number.start:
        return None
    if _is_part_of(clause, number, second):
        return first, second
    led = re.search(rf"^{clause.words.data['part_of_led']}$", clause.text[: first.start], re.IGNORECASE)
    return (second, first) if led else None


def _is_part_of(clause: Clause, number: Mark, whole: Mark) -> bool:
    """Whether a number is said to be of a series: "5% of the calls", "one in five calls"."""
    between = clause.text[number.end : whole.start]
    one_in = number.number is not None and number.number.margin is not None and len(number.text.split()) > 2
    return re.fullmatch(clause.words.data["part_of"], between, re.IGNORECASE) is not None or (one_in and between == " ")


def _percentage(clause: Clause) -> Mark | None:
    """The one number of a clause, where it is a percentage and no change or extreme is told."""
    numbers = values_of(clause)
    if len(numbers) != 1 or len(clause.numbers) != 1 or numbers[0].number is None or numbers[0].number.unit != "%":
        return None
    others = clause.of("up", "down", "than", "higher", "lower", "mean", "maximum", "minimum", "not", "none")
    return None if others else numbers[0]


def _is_of_parts(clause: Clause, series: str) -> bool:
    """Whether the values of a series are parts of a whole: amounts a period, what is counted, people by place."""
    by_place = clause.view.times is None and means(series, "people")
    return by_place or can_be_summed(clause, series)


def _outer(clause: Clause) -> list[Mark]:
    """The times that the whole is of: the one that holds the others, all of them where the part is told by a name."""
    if clause.cells:
        return clause.times
    return [mark for mark in clause.times if any(holds(mark, other) for other in clause.times if other is not mark)]


def _shares(series: tuple[Mark, Mark], windows: list[Window], of: Window, number: Mark) -> list[Specification]:
    return [
        Specification(Statistic.SHARE, a, w, compared_with=b, compared_window=of, **stated(number))  # type: ignore[arg-type]
        for a in series[0].series
        for b in series[1].series
        for w in windows
    ]
