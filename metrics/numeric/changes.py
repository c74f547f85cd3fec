"""Constructions of change over time: by how much, from what to what, which way, how many times as much, how long."""

import re
from dataclasses import replace

from .clause import Clause, has_several, is_row, merge_windows, with_cells
from .construction import (
    ANY,
    ClauseCheck,
    ClauseReading,
    ConstructionMatch,
    Slot,
    as_one_check,
    bounds_of,
    check,
    construction,
    earlier_check,
    hedge_before,
    is_flow,
    specify,
    value_fields,
    values_of,
)
from .lexicon import polarity
from .marks import Mark
from .relations import INNER, MEANS, difference_kind, stated_statistic
from .specification import ALL_ROWS, Direction, Hedge, Specification, Statistic, Window
from .table import STEPS, Times, unit_of_period

Sides = list[tuple[Window, Window]]
"""Windows after and before a change."""


@construction(
    Slot.words("up", "down", "flat", "change", "improved", "worsened", most=ANY, name="way"),
    # the size or the ends of the change: no level that it got beyond ("has not fallen below 30")
    Slot("value", lambda clause: [m for m in values_of(clause) if m not in bounds_of(clause)], 0, 2, is_head=False),
    optional="trend than per_row difference count changed_to times_as all",
)
def _change(match: ConstructionMatch) -> ClauseReading | None:
    clause, names = match.clause, match.names
    ways = _ways(clause, names)
    if ways is None:
        return None
    direction, also = ways
    (measure, inner), not_ = stated_statistic(clause, MEANS), clause.marks_of("not")
    if measure is None and clause.context.statistic in INNER.values():
        measure = clause.context.statistic
    reading = _change_checks(clause, names, match["value"], direction, measure)
    if reading is None or (not_ and len(reading.checks) > 1):
        return None
    checks = reading.checks
    if not_:
        checks = (tuple(tuple(replace(spec, negated=not spec.negated) for spec in tier) for tier in checks[0]),)
    return ClauseReading(checks, (*reading.also, *also, *not_, *inner))


def _ways(clause: Clause, names: list[str]) -> tuple[Direction | None, list[Mark]] | None:
    """Which way it went, and the words that say so; "improved" as the series is better.

    None where they disagree, and where nobody knows which way it gets better.
    """
    up, down, flat, changed = map(clause.marks_of, ("up", "down", "flat", "change"))
    improved, worsened = clause.marks_of("improved"), clause.marks_of("worsened")
    better = polarity(names[0]) if len(names) == 1 else None
    if (improved or worsened) and better is None:
        return None
    up += improved if better == "up" else worsened if better == "down" else []
    down += worsened if better == "up" else improved if better == "down" else []
    if up and down:
        return None
    way = Direction.UP if up else Direction.DOWN if down else Direction.FLAT if flat else None
    return way, [*up, *down, *flat, *changed]


def _change_checks(
    clause: Clause, names: list[str], numbers: tuple[Mark, ...], direction: Direction | None, measure: Statistic | None
) -> ClauseReading | None:
    sides = change_sides(clause, names)
    has_no_way = direction is Direction.FLAT if numbers else direction is None
    if not sides or has_no_way or (measure and any(after.last or before.first for after, before in sides)):
        return None  # a mean of one row is none
    of_several = all(has_several(clause, window) for pair in sides for window in pair)
    if measure is None and of_several and all(is_flow(clause, name) for name in names):
        measure = Statistic.SUM  # "rose from 11.2 million in 2023 to 12.4 million in 2025", of a row a quarter
    ways = _between(Statistic.COMPARISON, names, sides, direction=direction, side_statistic=measure)
    if not numbers:
        return _without_number(clause, names, direction, measure, ways)
    moved = (check(ways),) if direction else ()
    reached = measure or Statistic.VALUE_AT
    if len(numbers) == 2:
        ends = _from_to(clause, names, numbers, sides, reached)
        return ClauseReading((*ends, *moved)) if ends is not None else None
    before_number = clause.text[: numbers[0].start_with_hedge].rstrip()
    if re.search(rf" (?:{clause.words.links.origin})$", before_number):
        return _up_from(clause, names, numbers[0], direction)
    if re.search(rf" (?:{clause.words.links.reached})$", before_number):  # "rose to 50"
        return ClauseReading((_value_in(names, [after for after, _ in sides], reached, numbers[0]), *moved))
    size = numbers[0].stated
    if direction is None:  # "the change was -5": the sign says the direction
        direction = Direction.DOWN if size.value < 0 else Direction.UP
    fields = value_fields(numbers[0]) | {"value": abs(size.value), "direction": direction, "side_statistic": measure}
    return as_one_check(_between(difference_kind(clause, numbers[0], names), names, sides, **fields))


def _from_to(
    clause: Clause, names: list[str], numbers: tuple[Mark, ...], sides: Sides, statistic: Statistic
) -> tuple[ClauseCheck, ClauseCheck] | None:
    """The values at both ends: "rose from 5 to 8"."""
    first, last = numbers
    joining = clause.marks_of("changed_to", "than")
    if not any(first.end <= mark.start < last.start for mark in joining):
        return None  # "costs rose by 31% and staff by 16%"
    if first.unit not in (None, last.unit):
        return None  # "rose by 5% to 40 Mbps"
    before = _value_in(names, [before for _, before in sides], statistic, first)
    return before, _value_in(names, [after for after, _ in sides], statistic, last)


def _up_from(clause: Clause, names: list[str], mark: Mark, direction: Direction | None) -> ClauseReading | None:
    """ ", up from 17 in March": the value at the time that the value before is compared with."""
    earlier = earlier_check(clause, (Statistic.VALUE_AT, Statistic.MEAN, Statistic.SUM))
    if earlier is None or earlier.series not in names or not direction or len(clause.times) != 1 or clause.cells:
        return None
    sides = [(earlier.window, before) for before in clause.windows(clause.times)]
    way = {"direction": direction, "side_statistic": earlier.statistic}
    before_value = _value_in([earlier.series], [before for _, before in sides], earlier.statistic, mark)
    return ClauseReading((before_value, check(_between(Statistic.COMPARISON, [earlier.series], sides, **way))))


def _value_in(names: list[str], windows: list[Window], statistic: Statistic, mark: Mark) -> ClauseCheck:
    return check(specify(statistic, names, windows, **value_fields(mark)))


def _without_number(
    clause: Clause, names: list[str], direction: Direction | None, measure: Statistic | None, ways: list[Specification]
) -> ClauseReading:
    """A way that it went: "rose every month" is a streak, "rose steadily" a trend, "rose in March" either."""
    every = re.search(rf"(?<!\w)(?:{clause.words.data['each_step']})", clause.text, re.IGNORECASE)
    steps = [m for m in clause.marks if every and m.start < every.end() and every.start() < m.end]
    windows = clause.windows(clause.places)
    if steps and direction is not Direction.FLAT and measure is None:
        return as_one_check(specify(Statistic.STREAK, names, windows, direction=direction), also=steps)
    slopes = specify(Statistic.TREND, names, windows, direction=direction)
    if clause.marks_of("trend") or direction is Direction.FLAT:
        return as_one_check(slopes)
    return as_one_check(ways if any(m.time and m.time.ends for m in clause.times) else [*slopes, *ways])


def _between(statistic: Statistic, names: list[str], sides: Sides, **rest: object) -> list[Specification]:
    return [s for w, v in sides for s in specify(statistic, names, [w], compared_window=v, **rest)]


@construction(
    Slot.words("double", "half", "multiplied_by", name="multiple"),
    Slot.number(0, 0),
    optional="than count per_row trend up down",
)
def _multiplied(match: ConstructionMatch) -> ClauseReading | None:
    """ "Has more than halved since the start of 2023", "doubled between May and June"."""
    clause, word = match.clause, match.one("multiple")
    verb, multiples = word.text.lower(), clause.words.data["multiples"]
    multiple = next((float(by) for led, by in multiples.items() if verb.startswith(led)), 2.0)
    if multiple == 2.0 and not re.match(clause.words.data["multiplied"], verb):
        return None
    hedge, hedges = hedge_before(clause, word)
    if "half" in word.kinds:
        multiple = 0.5
        hedge = Hedge.LESS_THAN if hedge is Hedge.MORE_THAN else hedge  # more than halved is less than half
    sides = change_sides(clause, match.names)
    ratios = _between(Statistic.RATIO, match.names, sides, value=multiple, decimals=1, hedge=hedge)
    return as_one_check(ratios, also=hedges)


def change_sides(clause: Clause, names: list[str]) -> Sides:
    """The windows that a change of the series is between, as (after, before)."""
    times, cells = clause.times, clause.cells
    if than := clause.first_mark("than") or _on_a_time(clause):
        return _compared_sides(clause, than)
    earlier = next((spec for spec in clause.context.checks if spec.compared_window is not None), None)
    if not times and not cells and earlier and earlier.compared_window and earlier.series in names:
        return [(earlier.window, earlier.compared_window)]
    ends = times[0].time.ends if len(times) == 1 and times[0].time else None
    if len(times) == 2:
        one, other = (m.window for m in times)
        if one.start and other.start and merge_windows(one, other) is None:
            ends = (one, other) if one.start < other.start else (other, one)
    if clause.view.times is None:
        return []
    if ends is not None:
        begins = with_cells(ends[0], clause, cells)
        return [(after, before) for after in with_cells(ends[1], clause, cells) for before in begins]
    sides = []
    for window in clause.windows(clause.places):
        row = _row_before(clause, window)
        sides.append((window, row) if row else (replace(window, last=1), replace(window, first=1)))
    return sides


def _on_a_time(clause: Clause) -> Mark | None:
    """The "on" of ", an increase of 8.5% on 2023", the "from" of ", up 5 from March"."""
    times = clause.times
    if not clause.context.same_sentence or len(times) != 1 or clause.marks_of("changed_to"):
        return None  # "rose to 21 ms on 31 March"
    links, article = clause.words.links, clause.words.data["article"]  # "8.5% on 2023"
    on_time = re.compile(rf"(?<=[\d%a-z]) (?:{links.against}|{links.origin}) {article}$", re.IGNORECASE)
    preposition = on_time.search(clause.text[: times[0].start])
    if preposition is None or any(mark.end == preposition.start() for mark in clause.series):
        return None  # "revenue from March"
    return Mark(*preposition.span(), preposition[0], frozenset({"than"}))


def _compared_sides(clause: Clause, than: Mark) -> Sides:
    """ "Compared with June it rose in July", "it has grown since the first quarter": the last row, and that one."""
    right = next((m for m in clause.times if m.start >= than.end), None)
    if right is None or clause.view.times is None:
        return []
    left = [m for m in clause.times if m is not right]
    windows = [window for window in clause.context.windows if window != ALL_ROWS] or [Window(last=1)]
    after = clause.windows([*left, *clause.cells]) if left else windows
    before = clause.windows([right, *clause.cells])
    return [(a, b) for a in after for b in before]


def _row_before(clause: Clause, window: Window) -> Window | None:
    """The period before, where a window is that of one row ("in March" of a monthly table)."""
    times = clause.view.times
    if times is None or window.start is None or not is_row(clause, window):
        return None
    before = window.start - STEPS[unit_of_period(times.period)]
    return Window(start=before, end=Times(before, before, times.period).last_day, conditions=window.conditions)
