"""Reading streaks: "has risen four months in a row", "down for the third week running"."""

from .check import Check, check, each, series_of
from .clause import Clause
from .marks import Mark, is_count
from .specification import Direction, Hedge, Statistic, Window

_NOW = Window(last=1)


def streak(clause: Clause) -> list[Check] | None:
    """ "Orders have grown four months in a row": so many changes one way, up to the end of the window."""
    words, names = clause.of("in_a_row"), series_of(clause)
    up, down = clause.of("up", "higher"), clause.of("down", "lower")
    counts = [mark for mark in clause.numbers if _counts(mark)]
    if len(words) != 1 or not names or len(clause.series) > 1 or bool(up) == bool(down):
        return None
    if len(counts) != 1 or len(clause.numbers) != 1 or clause.of("not", "none", "than", "maximum", "minimum", "mean"):
        return None
    now = [mark for mark in clause.times if mark.time and _NOW in mark.time.windows]
    windows = clause.windows([mark for mark in clause.times if mark not in now], clause.cells)
    count = counts[0].number
    assert count is not None  # the mark of a number
    clause.use([*words, *up, *down, *counts, *clause.times, *clause.cells, *clause.series])
    clause.use(clause.of("count", "trend", "all", "increase_word"))
    hedge = Hedge.AT_LEAST if counts[0].hedge is Hedge.EXACT else counts[0].hedge
    direction = Direction.UP if up else Direction.DOWN
    value = {"value": count.value, "unit": count.unit, "decimals": 0, "hedge": hedge}
    return [check(each(Statistic.STREAK, names, windows, direction=direction, **value))] if windows else None


def _counts(mark: Mark) -> bool:
    return mark.number is not None and (is_count(mark.number) or mark.number.ordinal)
