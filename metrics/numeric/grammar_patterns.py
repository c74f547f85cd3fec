"""Reading patterns over many rows: correlations, anomalies."""

from .check import Check, check, each, series_of, stated
from .clause import Clause
from .marks import BOUNDS, Mark, is_count
from .specification import ALL_ROWS, Direction, Specification, Statistic


def correlation(clause: Clause) -> list[Check] | None:
    """ "Throughput and users are negatively correlated (-0.8)"."""
    words, series = clause.of("correlation"), clause.series
    numbers = clause.numbers
    if not words or len(series) != 2 or len(numbers) > 1:
        return None
    windows = clause.windows(clause.times, clause.cells)
    together = any("together" in m.text.lower() or "gelijk op" in m.text.lower() for m in words)
    sign = Direction.UP if clause.of("positive") or together else Direction.DOWN if clause.of("negative") else None
    no = clause.of("none", "not")
    value = stated(numbers[0]) if numbers else {}
    clause.use([*words, *series, *numbers, *clause.times, *clause.cells, *clause.of("positive", "negative"), *no])
    found = [
        Specification(Statistic.CORRELATION, a, w, compared_with=b, direction=sign, negated=bool(no), **value)  # type: ignore[arg-type]
        for a in series[0].series
        for b in series[1].series
        for w in windows
    ]
    return [check(found)]


def anomaly(clause: Clause) -> list[Check] | None:
    """ "An outlier on 5 March", "no anomalies", "3 unusual values"."""
    words, names = clause.of("anomaly"), series_of(clause)
    if not words or not names or len(clause.series) > 1:
        return None
    windows = clause.windows(clause.times, clause.cells)
    no = clause.of("none", "not")
    counts = [m for m in clause.numbers if m.number and is_count(m.number) and m.number.unit is None]
    counts = [m for m in counts if _counts_anomalies(clause, m, words)]
    values = [m for m in clause.numbers if m not in counts]
    if any(m.hedge in BOUNDS for m in values):  # "12 May stands out: on all other days it was below 140"
        return None
    if len(counts) > 1 or len(values) > 1 or (no and (counts or values)) or not windows:
        return None
    clause.use([*words, *clause.series, *no, *counts, *values, *clause.times, *clause.cells])
    clause.use(clause.of("count", "up", "down", "some", "maximum", "minimum"))
    if clause.of("others"):
        clause.use(clause.of("than", "others"))
    places = windows if clause.times or clause.cells or clause.scope else [None]
    statistic = Statistic.NO_ANOMALY if no else Statistic.ANOMALY
    value = stated(counts[0]) if counts else {}
    checks = [check([s for p in places for s in each(statistic, names, [ALL_ROWS], place=p, **value)])]
    if values:
        checks.append(check(each(Statistic.VALUE_AT, names, windows, **stated(values[0]))))
    return checks


def _counts_anomalies(clause: Clause, number: Mark, words: list[Mark]) -> bool:
    """Whether a number stands right before what it counts: "one clear outlier", "3 anomalies in March"."""
    after = next((m for m in clause.marks if m.start >= number.end), None)
    return after in words and len(clause.text[number.end : after.start].split()) <= 1 if after else False
