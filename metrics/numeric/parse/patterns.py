"""Constructions of patterns over many rows: correlations, anomalies, streaks."""

from ..specification import ALL_ROWS, Direction, Hedge, Specification, Statistic, Window
from .checks import check, series_of, specify, value_fields
from .clause import Clause
from .construction import ANY, ClauseReading, Construction, ConstructionMatch, number, places, series, words
from .marks import BOUNDS, Mark, is_count

_NOW = Window(last=1)


def _correlation(match: ConstructionMatch) -> ClauseReading | None:
    clause = match.clause
    first, second = match["series"]
    sign = Direction.UP if clause.marks_of("positive") else Direction.DOWN if clause.marks_of("negative") else None
    value = value_fields(match.one("number")) if match["number"] else {}
    specifications = [
        Specification(
            Statistic.CORRELATION,
            name,
            window,
            compared_with=other,
            direction=sign,
            negated=bool(clause.marks_of("none", "not")),
            **value,  # type: ignore[arg-type]
        )
        for name in first.series
        for other in second.series
        for window in clause.windows(clause.times, clause.cells)
    ]
    return ClauseReading((check(specifications),), tuple(clause.marks_of("positive", "negative", "none", "not")))


def _anomaly(match: ConstructionMatch) -> ClauseReading | None:
    clause, names, heads = match.clause, series_of(match.clause), match["anomaly"]
    windows = clause.windows(clause.times, clause.cells)
    no = clause.marks_of("none", "not")
    counts = [
        m
        for m in match["number"]
        if m.number and is_count(m.number) and m.number.unit is None and _counts_anomalies(clause, m, heads)
    ]
    values = [m for m in match["number"] if m not in counts]
    if any(m.hedge in BOUNDS for m in values):  # "12 May stands out: on all other days it was below 140"
        return None
    if not names or len(counts) > 1 or len(values) > 1 or (no and (counts or values)) or not windows:
        return None
    spots = windows if clause.times or clause.cells or clause.scope else [None]
    statistic = Statistic.NO_ANOMALY if no else Statistic.ANOMALY
    value = value_fields(counts[0]) if counts else {}
    anomaly_check = check([s for p in spots for s in specify(statistic, names, [ALL_ROWS], place=p, **value)])
    beside = [check(specify(Statistic.VALUE_AT, names, windows, **value_fields(mark))) for mark in values]
    than = clause.marks_of("than", "others") if clause.marks_of("others") else []
    return ClauseReading((anomaly_check, *beside), (*no, *than))


def _counts_anomalies(clause: Clause, mark: Mark, heads: tuple[Mark, ...]) -> bool:
    """Whether a number stands right before what it counts: "one clear outlier", "3 anomalies in March"."""
    after = next((m for m in clause.marks if m.start >= mark.end), None)
    return after in heads and len(clause.text[mark.end : after.start].split()) <= 1 if after else False


def _streak(match: ConstructionMatch) -> ClauseReading | None:
    clause, mark = match.clause, match.one("number")
    directions = {"up" if m.kinds & {"up", "higher"} else "down" for m in match["direction"]}
    names, count = series_of(clause), mark.number
    if not names or len(directions) != 1 or count is None or not (is_count(count) or count.ordinal):
        return None
    now = [m for m in clause.times if m.time and _NOW in m.time.windows]
    windows = clause.windows([m for m in clause.times if m not in now], clause.cells)
    hedge = Hedge.AT_LEAST if mark.hedge is Hedge.EXACT else mark.hedge
    value = {"value": count.value, "unit": count.unit, "decimals": 0, "hedge": hedge}
    direction = Direction.UP if "up" in directions else Direction.DOWN
    return ClauseReading((check(specify(Statistic.STREAK, names, windows, direction=direction, **value)),))


CONSTRUCTIONS = (
    Construction(
        "correlation", (words("correlation", most=ANY),), (series(2, 2), number(0, 1), places()), (), _correlation
    ),
    Construction(
        "anomaly",
        (words("anomaly", most=ANY),),
        (series(), number(0, 2), places()),
        ("count", "up", "down", "some", "maximum", "minimum"),
        _anomaly,
    ),
    Construction(
        "streak",
        (words("in_a_row"), words("up", "higher", "down", "lower", most=ANY, name="direction")),
        (number(), series(), places()),
        ("count", "trend", "all", "increase_word"),
        _streak,
    ),
)
