"""The ground truths of a table: all that can be said of each series and each pair, computed."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from .statistics import STATISTICS, Computed, StatisticInput, is_alike, pearson
from .table import ALL_ROWS, NumericTable, Specification, Statistic, Unverifiable, rows_of
from .trends import anomalies_of, line_of

_MOST_PAIRED = 12  # series; of more, no pairs are computed
_MOST_ROWS = 100  # of the anomalies by one method
_PAIR_KEYS = (
    *("mean_difference", "least_difference", "most_difference", "ratio_of_means"),
    *("first_higher", "second_higher", "equal", "correlation", "correlation_p"),
)


def facts_of(table: NumericTable) -> dict[str, Any]:
    """The facts of a table, in its likelier reading, as JSON values; None where something cannot be computed.

    A series has n, missing, mean, median, minimum, maximum (and where), deviation of a sample and of a population, sum,
    first, last, change, percent_change, trend (slope per step, p, direction) and anomalies by method. A pair has the
    mean and extremes of the differences, the ratio of the means, how often each is higher, and Pearson's correlation.
    Cells that are no numbers are left out as missing ones are.
    """
    first, last = table.reach or (None, None)
    is_paired = len(table.columns) <= _MOST_PAIRED
    readable = replace(table, unreadable={})
    return {
        "table": table.name,
        "rows": table.rows,
        "time_column": table.time_column,
        "period": str(table.period) if table.period else None,
        "from": first,
        "to": last,
        "labels": [str(name) for name in table.labels.columns if name != table.time_column],
        "notes": list(table.notes),
        "readings": len(table.readings),
        "series": [_series(readable, name, len(table.unreadable.get(name, ()))) for name in table.columns],
        "pairs": [_pair(table, *names) for names in combinations(table.columns, 2)] if is_paired else [],
    }


def _series(table: NumericTable, name: str, unreadable: int) -> dict[str, Any]:
    def computed(statistic: Statistic) -> Computed:
        try:
            return STATISTICS[statistic].compute(StatisticInput(Specification(statistic, name), table))
        except Unverifiable:
            return Computed()

    def row_names(places: Sequence[int]) -> list[str]:
        return [table.row_name(place) for place in places[:5]]

    n = len(table.known_values(name))
    facts: dict[str, Any] = {
        "name": name,
        "unit": table.units.get(name),
        "n": n,
        "missing": table.rows - n - unreadable,
        "unreadable": unreadable,
    }
    if not n:
        return facts | {"reason": "no value can be read"}
    minimum, maximum = computed(Statistic.MINIMUM), computed(Statistic.MAXIMUM)
    first, last = computed(Statistic.FIRST), computed(Statistic.LATEST)
    change = None if first.value is None or last.value is None else last.value - first.value
    deviation = computed(Statistic.DEVIATION).values
    trend = None
    with suppress(Unverifiable):
        line = line_of(table, name, rows_of(table, ALL_ROWS))
        p = line.p if line.n > 2 else None
        trend = {"slope": line.slope, "step": line.step, "p": p, "n": line.n, "direction": str(line.direction)}
    return facts | {
        "mean": computed(Statistic.MEAN).value,
        "median": computed(Statistic.MEDIAN).value,
        "minimum": minimum.value,
        "minimum_at": row_names(minimum.places),
        "maximum": maximum.value,
        "maximum_at": row_names(maximum.places),
        "deviation_sample": deviation.get("of a sample"),
        "deviation_population": deviation.get("of a population"),
        "sum": computed(Statistic.SUM).value,
        "first": first.value,
        "first_at": next(iter(row_names(first.places)), None),
        "last": last.value,
        "last_at": next(iter(row_names(last.places)), None),
        "change": change,
        "percent_change": 100 * change / abs(first.value) if change is not None and first.value else None,
        "trend": trend,
        **_anomalies(table, name),
    }


def _anomalies(table: NumericTable, name: str) -> dict[str, Any]:
    try:
        methods = anomalies_of(table, name)
    except Unverifiable as reason:
        return {"anomalies": None, "anomalies_reason": str(reason)}
    values = table.series(name)
    by_method = []
    for method, threshold, scores, places in methods:
        shown = places[:_MOST_ROWS]
        rows = [{"at": table.row_name(at), "value": float(values[at]), "z": float(scores[at])} for at in shown]
        by_method.append({"method": method, "threshold": threshold, "count": len(places), "rows": rows})
    return {"anomalies": by_method}


def _pair(table: NumericTable, first: str, second: str) -> dict[str, Any]:
    """Differences and what is higher only in a common unit, which is the first's."""
    a, b = table.series(first), table.series(second)
    known = ~np.isnan(a) & ~np.isnan(b)
    a, b = a[known], b[known]
    facts: dict[str, Any] = {"first": first, "second": second, "n": len(a)} | dict.fromkeys(_PAIR_KEYS)
    with suppress(Unverifiable):
        facts["correlation"], facts["correlation_p"], _ = pearson(a, b)
    if not len(a) or not is_alike(table, first, second):
        return facts
    b = table.in_unit_of(first, b, second)
    return facts | {
        "mean_difference": float((a - b).mean()),
        "least_difference": float((a - b).min()),
        "most_difference": float((a - b).max()),
        "ratio_of_means": float(a.mean() / b.mean()) if b.mean() else None,
        "first_higher": int((a > b).sum()),
        "second_higher": int((a < b).sum()),
        "equal": int((a == b).sum()),
    }
