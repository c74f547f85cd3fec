"""Reading what a value came from: "140 visitors, up from 100 a year earlier"."""

import re

from .check import Check, check, each, stated, values_of
from .clause import Clause
from .specification import Direction, Statistic

_FROM = re.compile(r"(?:from|van|vanaf)\s*$", re.IGNORECASE)
_OF_A_PLACE = (Statistic.VALUE_AT, Statistic.MEAN, Statistic.SUM)


def up_from(clause: Clause) -> list[Check] | None:
    """ "Up from 100 a year earlier", after a value: the value at that time, and which way it went since."""
    told = next((spec for spec in clause.told if spec.statistic in _OF_A_PLACE), None)
    up, down = clause.of("up"), clause.of("down")
    numbers = values_of(clause)
    if told is None or not clause.apposed or bool(up) == bool(down) or len(numbers) != 1 or len(clause.times) != 1:
        return None
    (number,) = numbers
    if not _FROM.search(clause.text[: number.said_from]) or clause.cells or clause.of("than", "not", "none", "trend"):
        return None
    if clause.series and told.series not in clause.series[0].series:
        return None
    windows = clause.windows(clause.times, [])
    clause.use([*up, *down, *numbers, *clause.times, *clause.series, *clause.of("count", "exactly")])
    direction = Direction.UP if up else Direction.DOWN
    way = {"of": told.statistic, "direction": direction}
    compared = [
        s for w in windows for s in each(Statistic.COMPARISON, [told.series], [told.window], compared_window=w, **way)
    ]
    return [check(each(told.statistic, [told.series], windows, **stated(number))), check(compared)]
