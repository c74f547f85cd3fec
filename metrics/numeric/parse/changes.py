"""Constructions of change over time: by how much, from what to what, which way, how many times as much."""

import re
from dataclasses import replace

from ..names.column_names import polarity
from ..specification import ALL_ROWS, Direction, Hedge, Specification, Statistic, Window
from ..tables.table import Times, step_before
from .checks import (
    ClauseCheck,
    bounds_of,
    check,
    earlier_check,
    hedge_before,
    is_flow,
    is_year_besides,
    series_of,
    specify,
    value_fields,
    values_of,
)
from .clause import Clause, merge_windows
from .construction import (
    ANY,
    ClauseReading,
    Construction,
    ConstructionMatch,
    Slot,
    number,
    places,
    series,
    value,
    words,
)
from .marks import Mark
from .places import has_several, with_cells
from .relations import INNER, MEANS, difference_kind

_COMPARED = (Statistic.VALUE_AT, Statistic.MEAN, Statistic.SUM)
Sides = list[tuple[Window, Window]]


def _change(match: ConstructionMatch) -> ClauseReading | None:
    clause, numbers, names = match.clause, match["value"], series_of(match.clause)
    if not names or any(is_year_besides(clause, names, mark) for mark in numbers):
        return None
    ways = _ways(clause, names)
    if ways is None:
        return None
    direction, also = ways
    inner = [kind for kind in MEANS if clause.marks_of(kind)]
    if len(inner) > 1 or (inner and not numbers and direction is Direction.FLAT):
        return None
    earlier = clause.statistic if clause.statistic in INNER.values() else None
    measure = INNER[inner[0]] if inner else earlier
    reading = _change_checks(clause, names, numbers, direction, measure)
    not_ = clause.marks_of("not")
    if reading is None or (not_ and len(reading.checks) > 1):
        return None
    checks = (reading.checks[0].negated(),) if not_ else reading.checks
    return ClauseReading(checks, (*reading.also, *also, *not_, *clause.marks_of(*inner)))


def _sizes(clause: Clause) -> list[Mark]:
    """Numbers that are the size or an end of a change: no level that it got beyond ("has not fallen below 30")."""
    bounds = bounds_of(clause)
    return [mark for mark in values_of(clause) if mark not in bounds]


def _ways(clause: Clause, names: list[str]) -> tuple[Direction | None, list[Mark]] | None:
    """Which way it went, and the words that say so; "improved" as the series is better. None where they disagree."""
    up, down, flat, changed = (
        clause.marks_of("up"),
        clause.marks_of("down"),
        clause.marks_of("flat"),
        clause.marks_of("change"),
    )
    better, worse = clause.marks_of("improved"), clause.marks_of("worsened")
    if better or worse:
        way = polarity(names[0]) if len(names) == 1 else None
        up, down = (up + better, down + worse) if way == "up" else (up + worse, down + better) if way else (up, down)
        changed = changed if way else [*changed, *better, *worse]
    if up and down and not changed:
        return None
    words = [*up, *down, *flat, *changed]
    if up and down:
        return None, words
    return (Direction.UP if up else Direction.DOWN if down else Direction.FLAT if flat else None), words


def _change_checks(
    clause: Clause, names: list[str], numbers: tuple[Mark, ...], direction: Direction | None, measure: Statistic | None
) -> ClauseReading | None:
    sides = change_sides(clause)
    whole = [has_several(clause, window) for pair in sides for window in pair]
    if measure is None and whole and all(whole) and all(is_flow(clause, name) for name in names):
        measure = Statistic.SUM  # "rose from 11.2 million in 2023 to 12.4 million in 2025", of a row a quarter
    mean_of_a_row = measure is not None and any(w.last or v.first for w, v in sides)
    if not sides or mean_of_a_row or (direction is Direction.FLAT if numbers else direction is None):
        return None
    ways = _sided(Statistic.COMPARISON, names, sides, direction=direction, side_statistic=measure)
    if not numbers:
        return _without_number(clause, names, direction, measure, ways)
    moved = (check(ways),) if direction else ()
    reached = measure or Statistic.VALUE_AT
    if len(numbers) == 2:
        ends = _from_to(clause, names, (numbers[0], numbers[1]), sides, reached)
        return None if ends is None else ClauseReading((*ends, *moved))
    if _is_reached(clause, numbers[0]):
        after = [s for w, _ in sides for s in specify(reached, names, [w], **value_fields(numbers[0]))]
        return ClauseReading((check(after), *moved))
    return ClauseReading((_size_of_change(clause, names, numbers[0], sides, (direction, measure)),))


def _without_number(
    clause: Clause, names: list[str], direction: Direction | None, measure: Statistic | None, ways: list[Specification]
) -> ClauseReading:
    """A way that it went: "rose every month" is a streak, "rose steadily" a trend, "rose in March" either."""
    every = re.search(rf"(?<!\w)(?:{clause.words.data['each_step']})", clause.text, re.IGNORECASE)
    steps = [m for m in clause.marks if every and m.start < every.end() and every.start() < m.end and not m.number]
    windows = clause.windows(clause.times, clause.cells)
    if steps and direction in (Direction.UP, Direction.DOWN) and measure is None:
        return ClauseReading((check(specify(Statistic.STREAK, names, windows, direction=direction)),), tuple(steps))
    slopes = specify(Statistic.TREND, names, windows, direction=direction)
    named = any(m.time and m.time.ends for m in clause.times)
    if clause.marks_of("trend") or direction is Direction.FLAT:
        return ClauseReading((check(slopes),))
    return ClauseReading((check(ways if named else [*slopes, *ways]),))


def _sided(statistic: Statistic, names: list[str], sides: Sides, **rest: object) -> list[Specification]:
    return [s for w, v in sides for s in specify(statistic, names, [w], compared_window=v, **rest)]


def _size_of_change(
    clause: Clause, names: list[str], size: Mark, sides: Sides, way: tuple[Direction | None, Statistic | None]
) -> ClauseCheck:
    direction, measure = way
    number = size.number
    assert number is not None  # the mark of a number
    if direction is None:  # "the change was -5": the sign says the direction
        direction = Direction.DOWN if number.value < 0 else Direction.UP
    statistic = difference_kind(clause, size, names)
    fields = value_fields(size) | {"value": abs(number.value)}
    return check(_sided(statistic, names, sides, direction=direction, side_statistic=measure, **fields))


def _is_reached(clause: Clause, mark: Mark) -> bool:
    """Whether a number is what was reached ("rose to 50"), not the size of the change."""
    before = clause.text[: mark.start_with_hedge].rstrip()
    for word in clause.marks_of("exactly"):
        before = before.removesuffix(word.text).rstrip()
    reached = re.compile(rf" (?:{clause.words.links.reached})$")
    return any(m.end == len(before) and "changed_to" in m.kinds for m in clause.marks) or bool(reached.search(before))


def _from_to(
    clause: Clause, names: list[str], ends: tuple[Mark, Mark], sides: Sides, statistic: Statistic
) -> tuple[ClauseCheck, ClauseCheck] | None:
    first, last = ends
    if not any(first.end <= mark.start < last.start for mark in clause.marks_of("changed_to", "than")):
        return None  # "costs rose by 31% and staff by 16%"
    if first.number and last.number and (first.number.unit or last.number.unit) != last.number.unit:
        return None  # "rose by 5% to 40 Mbps"
    before = [s for _, v in sides for s in specify(statistic, names, [v], **value_fields(first))]
    after = [s for w, _ in sides for s in specify(statistic, names, [w], **value_fields(last))]
    return check(before), check(after)


def _multiplied(match: ConstructionMatch) -> ClauseReading | None:
    """ "Has more than halved since the start of 2023", "doubled between May and June"."""
    clause, word, names = match.clause, match.one("multiple"), series_of(match.clause)
    verb = word.text.lower()
    multiple = next((float(by) for led, by in clause.words.data["multiples"].items() if verb.startswith(led)), 2.0)
    if not names or (multiple == 2.0 and not re.match(clause.words.data["multiplied"], verb)):
        return None
    hedge, hedging = hedge_before(clause, word)
    halved = "half" in word.kinds
    if halved and hedge is Hedge.MORE_THAN:
        hedge = Hedge.LESS_THAN  # more than halved is less than half
    fields = {"value": 0.5 if halved else multiple, "decimals": 1, "hedge": hedge}
    ratios = _sided(Statistic.RATIO, names, change_sides(clause), **fields)
    return ClauseReading((check(ratios),), tuple(hedging))


def _up_from(match: ConstructionMatch) -> ClauseReading | None:
    clause, mark = match.clause, match.one("value")
    earlier = earlier_check(clause, _COMPARED)
    if earlier is None or (clause.series and earlier.series not in clause.series[0].series):
        return None
    direction = Direction.UP if "up" in match.one("way").kinds else Direction.DOWN
    if match.one("way").kinds >= {"up", "down"}:
        return None
    windows = clause.windows(clause.times, [])
    way = {"side_statistic": earlier.statistic, "direction": direction}
    compared = [
        s
        for w in windows
        for s in specify(Statistic.COMPARISON, [earlier.series], [earlier.window], compared_window=w, **way)
    ]
    return ClauseReading(
        (check(specify(earlier.statistic, [earlier.series], windows, **value_fields(mark))), check(compared))
    )


def _origins(clause: Clause) -> list[Mark]:
    """Numbers that "from" makes the begin of a change."""
    origin = re.compile(rf"(?:{clause.words.links.origin})\s*$", re.IGNORECASE)
    return [mark for mark in clause.numbers if origin.search(clause.text[: mark.start_with_hedge])]


def change_sides(clause: Clause) -> Sides:
    """The windows that a change is between, as (after, before)."""
    times = clause.times
    if than := clause.first_mark("than") or _on_a_time(clause):
        return _compared_sides(clause, than)
    earlier = next((spec for spec in clause.earlier_checks if spec.compared_window is not None), None)
    if not times and not clause.cells and earlier and earlier.compared_window and earlier.series in series_of(clause):
        return [(earlier.window, earlier.compared_window)]
    if len(times) == 1 and times[0].time and times[0].time.ends and _are_rows(clause, times[0].time.ends):
        begin, end = times[0].time.ends
        return [(a, b) for a in with_cells(end, clause, clause.cells) for b in with_cells(begin, clause, clause.cells)]
    if len(times) == 2 and all(m.time for m in times):
        one, other = (m.time.windows[0] for m in times if m.time)
        if one.start and other.start and merge_windows(one, other) is None:
            begin, end = sorted((one, other), key=lambda w: (w.start is not None, w.start))
            return [
                (a, b) for a in with_cells(end, clause, clause.cells) for b in with_cells(begin, clause, clause.cells)
            ]
    if clause.view.times is None:
        return []
    sides = []
    for window in clause.windows(times, clause.cells):
        row = _row_before(clause, window)
        sides.append((window, row) if row else (replace(window, last=1), replace(window, first=1)))
    return sides


def _on_a_time(clause: Clause) -> Mark | None:
    """The "on" of ", an increase of 8.5% on 2023"."""
    times = clause.times
    if not clause.continues_sentence or len(times) != 1 or clause.marks_of("changed_to"):
        return None  # "rose to 21 ms on 31 March"
    links, article = clause.words.links, clause.words.data["article"]  # "8.5% on 2023"
    on_time = re.compile(rf"(?<=[\d%a-z]) (?:{links.against}) {article}$", re.IGNORECASE)
    preposition = on_time.search(clause.text[: times[0].start])
    return Mark(*preposition.span(), preposition[0], frozenset({"than"})) if preposition else None


def _compared_sides(clause: Clause, than: Mark) -> Sides:
    """ "Compared with June it rose in July", "it has grown since the first quarter": the last row, and that one."""
    right = next((m for m in clause.times if m.start >= than.end), None)
    left = [m for m in clause.times if m is not right]
    if right is None or len(left) > 1 or (clause.cells and not left) or clause.view.times is None:
        return []
    scope = [window for window in clause.scope if window != ALL_ROWS]
    after = clause.windows(left, clause.cells) if left else scope or [Window(last=1)]
    before = clause.windows([right], clause.cells)
    return [(a, b) for a in after for b in before if a != b]


def _are_rows(clause: Clause, ends: tuple[Window, Window]) -> bool:
    """Whether both ends name times of their own ("from January to March", not "from 3 to 9 March" of daily rows)."""
    named = all((end.start is not None and end.end is not None) or end.first or end.last for end in ends)
    return named and clause.view.times is not None


def _row_before(clause: Clause, window: Window) -> Window | None:
    """The period before, where a window is that of one row ("in March" of a monthly table)."""
    times = clause.view.times
    if times is None or window.start is None or window.end is None or window.weekdays:
        return None
    one_row = Times(window.start, window.start, times.period).last_day
    if one_row < window.end:
        return None
    before = step_before(window.start, times.period)
    return Window(start=before, end=Times(before, before, times.period).last_day, conditions=window.conditions)


CONSTRUCTIONS = (
    Construction(
        "change",
        (words("up", "down", "flat", "change", "improved", "worsened", most=ANY, name="way"),),
        (Slot("value", _sizes, 0, 2), series(), places()),
        ("trend", "than", "per_row", "difference", "count", "changed_to", "times_as", "all"),
        _change,
    ),
    Construction(
        "multiplied",
        (words("double", "half", "multiplied_by", name="multiple"),),
        (number(0, 0), series(), places()),
        ("than", "count", "per_row", "trend", "up", "down"),
        _multiplied,
    ),
    Construction(
        "up_from",
        (words("up", "down", most=ANY, name="way"), Slot("origin", _origins)),
        (value(), series(), Slot("time", lambda clause: clause.times), Slot("cell", lambda clause: clause.cells, 0, 0)),
        ("count", "exactly"),
        _up_from,
    ),
)
