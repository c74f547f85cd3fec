"""Facts about the tables of the kpi sets, computed with Python's `statistics`: the gold labels of their claims.

This module shares no code with the check of claims (assay.metrics.numeric), so that the two can disagree.
"""

import re
import statistics
from collections.abc import Callable, Mapping
from datetime import date

from kpi_tables import KpiTable

Fact = float | str | bool
_CALL = re.compile(r"(\w+)\(([^()]*)\)")
_TEST = re.compile(r"\s*(.+?)\s*(<=|>=|<|>|==|!=)\s*(.+?)\s*")
_SPAN = re.compile(r"(.+?)\.\.(.+)")
_COUNTED = re.compile(r"(first|last)(\d+)")


def fact(call: str, table: KpiTable) -> Fact:
    """Computes a call such as `mean(latency, 2026-03-01..2026-03-07)`; a series is named by its key in `kpi_tables`.

    Windows are `all`, `first3`, `last7`, `weekend`, `weekdays`, a day, month or row name, a span `A..B` (both
    included), or several joined by `+`. Raises `ValueError` for an unknown call.
    """
    match = _CALL.fullmatch(call.strip())
    if match is None or match[1] not in _FACTS:
        raise ValueError(f"no such fact: {call}")
    return _FACTS[match[1]](table, *(part.strip() for part in match[2].split(",")))


def holds(test: str, table: KpiTable) -> bool:
    """Evaluates a test: `call OP number`, `call OP call`, or a call that is true or false itself."""
    match = _TEST.fullmatch(test)
    if match is None:
        return bool(fact(test, table))
    left, right = (_side(side, table) for side in (match[1], match[3]))
    compared: Mapping[str, bool] = {
        "<": left < right,  # type: ignore[operator]
        ">": left > right,  # type: ignore[operator]
        "<=": left <= right,  # type: ignore[operator]
        ">=": left >= right,  # type: ignore[operator]
        "==": left == right,
        "!=": left != right,
    }
    return compared[match[2]]


def _side(text: str, table: KpiTable) -> Fact:
    if "(" in text:
        return fact(text, table)
    try:
        return float(text)
    except ValueError:
        return text


def _keys(table: KpiTable, window: str) -> set[str]:
    """The keys of the rows of a window."""
    keys = table.keys
    if "+" in window:
        return set().union(*(_keys(table, part) for part in window.split("+")))
    if window == "all":
        return set(keys)
    if match := _COUNTED.fullmatch(window):
        count = int(match[2])
        return set(keys[:count] if match[1] == "first" else keys[-count:])
    if window in ("weekend", "weekdays"):
        return {key for key in keys if (date.fromisoformat(key[:10]).weekday() >= 5) == (window == "weekend")}
    if match := _SPAN.fullmatch(window):
        inside = {key for key in keys if match[1] <= key and (key <= match[2] or key.startswith(match[2]))}
    else:
        inside = {key for key in keys if key == window or key.startswith((f"{window}-", f"{window} "))}
    if not inside:
        raise ValueError(f"{table.name} has no rows {window}")
    return inside


def _values(table: KpiTable, series: str, window: str) -> list[float]:
    keys = _keys(table, window)
    cells = zip(table.keys, table.columns[table.series[series]], strict=True)
    return [float(cell) for key, cell in cells if key in keys and cell is not None]


def _row(table: KpiTable, series: str, window: str, choose: Callable[[list[float]], float]) -> str:
    wanted = choose(_values(table, series, window))
    keys = _keys(table, window)
    cells = zip(table.keys, table.columns[table.series[series]], strict=True)
    rows = [key for key, cell in cells if key in keys and cell == wanted]
    if len(rows) != 1:
        raise ValueError(f"{len(rows)} rows of {table.name} have the same extreme of {series}; choose another claim")
    return rows[0]


def _mean(table: KpiTable, series: str, window: str) -> float:
    return statistics.fmean(_values(table, series, window))


def _of_mean(two: Callable[[float, float], float]) -> Callable[..., Fact]:
    return lambda table, series, first, second: two(_mean(table, series, first), _mean(table, series, second))


def _of_values(one: Callable[[list[float]], float]) -> Callable[..., Fact]:
    return lambda table, series, window: float(one(_values(table, series, window)))


def _slope(table: KpiTable, series: str, window: str) -> float:
    values = _values(table, series, window)
    return statistics.linear_regression(range(len(values)), values).slope


def _correlation(table: KpiTable, first: str, second: str, window: str) -> float:
    keys = _keys(table, window)
    columns = (table.keys, table.columns[table.series[first]], table.columns[table.series[second]])
    pairs = [(a, b) for key, a, b in zip(*columns, strict=True) if key in keys and a is not None and b is not None]
    return statistics.correlation([float(a) for a, _ in pairs], [float(b) for _, b in pairs])


def _missing(table: KpiTable, series: str, window: str) -> float:
    return float(len(_keys(table, window)) - len(_values(table, series, window)))


def _rank(table: KpiTable, series: str, row: str) -> float:
    own = _values(table, series, row)[0]
    return 1.0 + sum(value > own for value in _values(table, series, "all"))


_FACTS: Mapping[str, Callable[..., Fact]] = {
    "mean": _of_values(statistics.fmean),
    "median": _of_values(statistics.median),
    "sum": _of_values(sum),
    "min": _of_values(min),
    "max": _of_values(max),
    "range": _of_values(lambda values: max(values) - min(values)),
    "sd": _of_values(statistics.stdev),
    "n": _of_values(len),
    "first": _of_values(lambda values: values[0]),
    "last": _of_values(lambda values: values[-1]),
    "missing": _missing,
    "above": lambda table, series, window, bound: float(sum(v > float(bound) for v in _values(table, series, window))),
    "below": lambda table, series, window, bound: float(sum(v < float(bound) for v in _values(table, series, window))),
    "when_max": lambda table, series, window: _row(table, series, window, max),
    "when_min": lambda table, series, window: _row(table, series, window, min),
    "change": _of_mean(lambda first, second: second - first),
    "pct": _of_mean(lambda first, second: 100 * (second - first) / abs(first)),
    "ratio": _of_mean(lambda first, second: second / first),
    "share": lambda t, series, part, whole: 100 * sum(_values(t, series, part)) / sum(_values(t, series, whole)),
    "slope": _slope,
    "corr": _correlation,
    "rank": _rank,
    "planted": lambda table, series, row: row in table.planted[series],
}
