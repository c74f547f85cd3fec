"""Reading what is missing: "no value for 21 April", "two readings are missing", "measured on 68 days"."""

from .check import Check, check, counts_periods, counts_rows, each, series_of, stated, use_columns
from .clause import Clause
from .marks import Mark
from .specification import Hedge, Statistic


def missing(clause: Clause) -> list[Check] | None:
    """ "There is no packet loss reading for 21 April", "Throughput is missing on 2 days", "no values are missing"."""
    words, none = clause.of("missing"), clause.of("none", "not")
    measured = clause.of("measured")
    names = series_of(clause)
    absent = bool(words) or bool(none and measured)
    if not names or len(clause.series) > 1 or not (absent or measured):
        return None
    if clause.of(
        "maximum", "minimum", "mean", "median", "sum", "up", "down", "than", "above", "below", "anomaly", "all"
    ):
        return None
    counts = [m for m in clause.numbers if counts_rows(clause, m)]
    if len(counts) != len(clause.numbers) or len(counts) > 1 or not all(counts_periods(clause, m) for m in counts):
        return None
    windows = clause.windows(clause.times, clause.cells)[:1]  # the likeliest: "voor 21 april" is of that day
    if not windows or not (counts or (absent and (clause.times or clause.cells or words))):
        return None
    clause.use([*words, *none, *measured, *clause.series, *counts, *clause.times, *clause.cells])
    clause.use(clause.of("count", "some", "only", "distinct"))
    use_columns(clause)
    nothing = bool(words) and bool(none)  # "no values are missing"
    statistic: Statistic = Statistic.MISSING
    value: dict[str, object] = {"value": 0.0}
    if counts:
        statistic, value = Statistic.MISSING if absent else Statistic.COUNT, _counted(counts[0])
    elif not nothing and not clause.times and not clause.cells:
        value = {"value": 1.0, "hedge": Hedge.AT_LEAST}
    elif not nothing:
        statistic = Statistic.COUNT
    return [check(each(statistic, names, windows, **value))]


def _counted(mark: Mark) -> dict[str, object]:
    return stated(mark) | {"decimals": 0, "unit": None}
