"""Reading values: a value at a time or row, a mean, a sum."""

import re
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from .check import (
    CHANGES,
    Check,
    can_be_summed,
    check,
    each,
    is_flow,
    is_year_besides,
    nearest_series,
    series_of,
    stated,
    use_columns,
    values_of,
)
from .clause import Clause
from .grammar_extremes import is_row
from .marks import Mark
from .quantities import as_held
from .specification import Statistic, Window
from .tables import Period, rows_of
from .tables import values_of as values_in
from .unverifiable import Unverifiable

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AGGREGATES = {
    "deviation": Statistic.DEVIATION,
    "range": Statistic.RANGE,
    "median": Statistic.MEDIAN,
    "mean": Statistic.MEAN,
    "sum": Statistic.SUM,
    "latest": Statistic.LATEST,
    "first": Statistic.FIRST,
    "per_row": Statistic.MEAN,
}
_INHERITED = (Statistic.MEAN, Statistic.MEDIAN, Statistic.SUM, Statistic.MAXIMUM, Statistic.MINIMUM)


def aggregate(clause: Clause) -> list[Check] | None:
    """ "The average throughput in March was 41.2 Mbps": a statistic of one series over a window."""
    kinds = [kind for kind in _AGGREGATES if clause.of(kind)]
    if len(kinds) > 1 and "per_row" in kinds:
        kinds.remove("per_row")
        if set(kinds) == {"mean", "sum"}:  # "together they took 6,520 hours a year on average"
            clause.use(clause.of("sum"))
            kinds.remove("sum")
    if len(kinds) != 1 and set(kinds) != {"mean", "range"}:
        return None
    of_rows = _all_rows(clause)
    if clause.of(*CHANGES, "maximum", "minimum", "than", "none") or len(of_rows) < len(clause.of("all")):
        return None
    word = clause.of(kinds[0])[0]
    numbers = values_of(clause)
    names = series_of(clause, _attached(clause, word))
    if len(numbers) != 1 or not names or len(clause.series) > 1:
        return None
    windows = clause.windows(clause.times, clause.cells)
    statistic = _AGGREGATES[kinds[0]]
    if kinds[0] == "per_row" and clause.times and all(is_row(clause, mark) for mark in clause.times):
        return None
    clause.use(of_rows)
    use_columns(clause)
    clause.use(
        [*clause.of(kinds[0], "per_row"), *numbers, *clause.times, *clause.cells, *clause.series, *clause.of("count")]
    )
    return [check(each(statistic, names, windows, **stated(numbers[0])))] if windows else None


def _all_rows(clause: Clause) -> list[Mark]:
    """The "all" of "all branches together", which are the rows."""
    rows = [m for m in clause.marks if (m.columns and not m.series) or m.kinds & {"days", "whole"}]
    return [mark for mark in clause.of("all") if any(m.start == mark.end + 1 for m in rows)]


def _attached(clause: Clause, word: Mark) -> Mark | None:
    return nearest_series(clause, word)


def lookup(clause: Clause) -> list[Check] | None:
    """ "On 5 March the throughput was 41.2 Mbps": values of series at a time or a row."""
    if clause.of(
        *CHANGES, "than", "maximum", "minimum", "median", "deviation", "mean", "all", "none", "higher", "lower"
    ):
        return None
    if clause.series and re.match(rf"{clause.words.data['part_of_led']}$", clause.text[: clause.series[0].start], re.I):
        return None  # "of the donations, 60,000 came from legacies"
    numbers = values_of(clause)
    placed = clause.times or clause.cells or clause.scope or clause.of("whole") or clause.table.rows == 1
    placed = placed or (clause.view.times is not None and all(is_flow(clause, name) for name in series_of(clause)))
    windows = clause.windows(clause.times, clause.cells)
    pairs = _pairs(clause, numbers) if numbers and placed and windows else None
    if pairs is None or not all(series_of(clause, series) for _, series in pairs):
        return None
    if any(is_year_besides(clause, series_of(clause, series), number) for number, series in pairs):
        return None
    checks = []
    in_row = partial(is_row, clause)
    for number, series in pairs:
        names = series_of(clause, series)
        value = stated(number)
        if clause.statistic in _INHERITED:
            checks.append(check(each(clause.statistic, names, windows, **value)))
            continue
        summed = [n for n in names if can_be_summed(clause, n)]
        flows = [n for n in names if is_flow(clause, n)]
        # windows of the text before: "then", "that day"
        meant = not clause.times and not clause.cells and bool(clause.scope) and not clause.of("all_rows")
        of_a_row = bool(clause.times) and clause.table.period is not Period.MOMENT and all(map(in_row, clause.times))
        listed = (
            (meant and flows != names)
            or of_a_row
            or any(w.positions or any(t.operator == "in" for t in w.conditions) for w in windows)
        )
        values = each(Statistic.VALUE_AT, names, windows, **value)
        if listed:
            checks.append(check(values))
            continue
        held = {(n, w): _held(clause, n, w) for n in names for w in windows}
        values = [spec for spec in values if _is_one(held[str(spec.series), spec.window])]
        if (clause.of("count", "whole", "sum") and summed) or flows == names:
            whole = each(Statistic.SUM, summed, windows, **value)
        else:
            whole = each(Statistic.MEAN, [n for n in names if n not in summed], windows, **value)
            for n, w in product(summed, windows):
                whole += each(_sum_or_mean(clause, n, held[n, w], number), [n], [w], **value)
        checks.append(check(values, whole))
    clause.use([*numbers, *clause.times, *clause.cells, *(s for _, s in pairs), *clause.of("count", "sum")])
    use_columns(clause)
    if clause.of("not") and len(checks) == 1:
        clause.use(clause.of("not"))
        return [checks[0].negated()]
    return checks


def _held(clause: Clause, series: str, window: Window) -> "NDArray[Any] | None":
    """The values of a series in a window; None where there are none, or none that can be told."""
    try:
        return values_in(clause.table, series, rows_of(clause.table, window))
    except Unverifiable:
        return None


def _is_one(values: "NDArray[Any] | None") -> bool:
    """Whether a window has one value, or none that can be told."""
    return values is None or bool(values.min() == values.max())


def of_both(clause: Clause) -> list[Check] | None:
    """ "In both June and July the rating was 4.4": the same value twice."""
    marks, numbers = [*clause.times, *clause.cells], values_of(clause)
    if not clause.of("both") or len(marks) != 2 or len(numbers) != 1 or len(clause.series) > 1:
        return None
    joined = [mark for mark in clause.of("than") if marks[0].end <= mark.start and mark.end <= marks[1].start]  # "als"
    other = clause.of(*CHANGES, "than", "maximum", "minimum", "mean", "sum", "none", "not", "higher", "lower")
    if other != joined:
        return None
    names = series_of(clause)
    places = [clause.windows([mark] if mark.time else [], [mark] if mark.cells else []) for mark in marks]
    clause.use([*clause.of("both", "count", "all"), *joined, *marks, *numbers, *clause.series])
    use_columns(clause)
    value = stated(numbers[0])
    return [check(each(Statistic.VALUE_AT, names, place, **value)) for place in places] if names else None


def _sum_or_mean(clause: Clause, series: str, values: "NDArray[Any] | None", number: Mark) -> Statistic:
    """Whether a value over several rows is their sum or their mean: above the largest of them it is no mean."""
    assert number.number is not None  # the mark of a number
    if values is None:
        return Statistic.SUM  # which will say why it cannot be computed
    try:
        value = as_held(clause, series, number.number.value, number.number.unit)
    except Unverifiable:
        return Statistic.SUM
    return Statistic.MEAN if value <= float(values.max()) else Statistic.SUM


def _pairs(clause: Clause, numbers: list[Mark]) -> list[tuple[Mark, Mark | None]] | None:
    """Each number with the series that it is a value of; None where they do not match one to one."""
    if len(numbers) == 1:
        return [(numbers[0], nearest_series(clause, numbers[0]))]
    series = clause.series
    if clause.of("respectively") and len(series) == len(numbers):
        return list(zip(numbers, series, strict=True))
    pairs = [(number, nearest_series(clause, number)) for number in numbers]
    named = [id(each_series) for _, each_series in pairs if each_series is not None]
    return pairs if len(named) == len(pairs) == len(set(named)) else None
