"""Reading changes over time: by how much, from what to what, which way."""

import re
from dataclasses import replace

from .check import Check, check, each, is_year_besides, series_of, stated, values_of
from .clause import Clause, merge
from .grammar_relations import INNER, both, difference_kind
from .marks import Mark
from .names import polarity
from .specification import ALL_ROWS, Direction, Hedge, Statistic, Window
from .tables import Times, step_before


def change(clause: Clause) -> list[Check] | None:
    """ "Rose by 12% in March", "fell from 50 to 40", "increased over the period", "the change from 2018 to 2019"."""
    up, down, flat = clause.of("up"), clause.of("down"), clause.of("flat")
    changed, trend = clause.of("change"), clause.of("trend")
    names = series_of(clause)
    better, worse = clause.of("improved"), clause.of("worsened")
    if better or worse:
        way = polarity(names[0]) if len(names) == 1 else None
        up, down = (up + better, down + worse) if way == "up" else (up + worse, down + better) if way else (up, down)
        changed = changed if way else [*changed, *better, *worse]
    if not (up or down or flat or changed) or not names or len(clause.series) > 1 or (up and down and not changed):
        return None
    if clause.of("deviation", "maximum", "minimum", "anomaly", "correlation", "none"):
        return None
    numbers = values_of(clause)
    direction = None
    if not (up and down):
        direction = Direction.UP if up else Direction.DOWN if down else Direction.FLAT if flat else None
    if clause.of("double", "half") or len(numbers) > 2 or any(is_year_besides(clause, names, mark) for mark in numbers):
        return None
    not_ = clause.of("not")
    used = [*up, *down, *flat, *changed, *trend, *not_, *clause.series, *clause.times, *clause.cells, *numbers]
    inner = [INNER[kind] for kind in ("mean", "median", "sum") if clause.of(kind)]
    if len(inner) > 1 or (inner and not numbers and direction is Direction.FLAT):
        return None
    of = inner[0] if inner else clause.statistic if clause.apposed and clause.statistic in INNER.values() else None
    checks = _change_checks(clause, names, numbers, direction, trend=bool(trend), of=of)
    if checks is None or (not_ and len(checks) > 1):
        return None
    clause.use(
        [
            *used,
            *clause.of(
                "than", "per_row", "difference", "count", "changed_to", "times_as", "mean", "median", "sum", "all"
            ),
        ]
    )
    return [checks[0].negated()] if not_ else checks


def multiplied(clause: Clause) -> list[Check] | None:
    """ "Has more than halved since the start of 2023", "doubled between May and June"."""
    words, names = clause.of("double", "half", "multiplied_by"), series_of(clause)
    if (
        len(words) != 1
        or clause.numbers
        or not names
        or len(clause.series) > 1
        or clause.of("times_as", "maximum", "minimum")
    ):
        return None
    word = words[0]
    said = word.text.lower()
    multiple = next((float(by) for led, by in clause.words.data["multiples"].items() if said.startswith(led)), 2.0)
    if multiple == 2.0 and not re.match(clause.words.data["multiplied"], said):
        return None
    hedging = next((m for m in reversed(clause.marks) if m.end <= word.start and m.kinds & set(_BEFORE_FACTOR)), None)
    hedge = next((h for kind, h in _BEFORE_FACTOR.items() if hedging and kind in hedging.kinds), Hedge.ABOUT)
    halved = "half" in word.kinds
    if halved and hedge is Hedge.MORE_THAN:
        hedge = Hedge.LESS_THAN  # more than halved is less than half
    sides = _change_sides(clause)
    value = {"value": 0.5 if halved else multiple, "decimals": 1, "hedge": hedge}
    clause.use([word, hedging, *clause.series, *clause.times, *clause.cells])
    clause.use(clause.of("than", "count", "per_row", "trend", "up", "down"))
    return [check([s for w, v in sides for s in each(Statistic.RATIO, names, [w], compared_window=v, **value)])]


_ON_TIME = re.compile(r"(?<=[\d%a-z]) (?:on|over|versus|vs\.?|op|tegen) (?:the )?$", re.IGNORECASE)  # "8.5% on 2023"
_BEFORE_FACTOR = {
    "above": Hedge.MORE_THAN,
    "nearly": Hedge.NEARLY,
    "just_over": Hedge.JUST_OVER,
    "about": Hedge.ABOUT,
}


def _change_checks(
    clause: Clause,
    names: list[str],
    numbers: list[Mark],
    direction: Direction | None,
    *,
    trend: bool,
    of: Statistic | None,
) -> list[Check] | None:
    sides = _change_sides(clause)
    mean_of_a_row = of is not None and any(w.last or v.first for w, v in sides)
    ways = [
        s
        for w, v in sides
        for s in each(Statistic.COMPARISON, names, [w], compared_window=v, direction=direction, of=of)
    ]
    says_nothing = direction is Direction.FLAT if numbers else direction is None
    if not sides or mean_of_a_row or says_nothing:
        return None
    every = re.search(rf"(?<!\w)(?:{clause.words.data['each_step']})", clause.text, re.IGNORECASE)
    steps = [m for m in clause.marks if every and m.start < every.end() and every.start() < m.end and not m.number]
    if not numbers and steps and direction in (Direction.UP, Direction.DOWN) and of is None:
        clause.use(steps)
        return [check(each(Statistic.STREAK, names, clause.windows(clause.times, clause.cells), direction=direction))]
    if not numbers:
        slopes = each(Statistic.TREND, names, clause.windows(clause.times, clause.cells), direction=direction)
        named = any(m.time and m.time.ends for m in clause.times)
        return [check(slopes if trend or direction is Direction.FLAT else ways if named else [*slopes, *ways])]
    moved = [check(ways)] if direction else []
    if len(numbers) == 2:
        ends = _from_to(clause, names, sides, of or Statistic.VALUE_AT)
        return None if ends is None else [*ends, *moved]
    if _is_reached(clause, numbers[0]):
        after = [s for w, _ in sides for s in each(of or Statistic.VALUE_AT, names, [w], **stated(numbers[0]))]
        return [check(after), *moved]
    return [_size_of_change(clause, names, numbers[0], sides, (direction, of))]


def _size_of_change(
    clause: Clause,
    names: list[str],
    size: Mark,
    sides: list[tuple[Window, Window]],
    way: tuple[Direction | None, Statistic | None],
) -> Check:
    direction, of = way
    number = size.number
    assert number is not None  # the mark of a number
    value = stated(size) | {"value": abs(number.value)}
    if direction is None:  # "the change was -5": the sign says the direction
        direction = Direction.DOWN if number.value < 0 else Direction.UP
    statistic = difference_kind(clause, size, names)
    return check(
        [
            s
            for w, v in sides
            for s in each(statistic, names, [w], compared_window=v, direction=direction, of=of, **value)
        ]
    )


def _is_reached(clause: Clause, number: Mark) -> bool:
    """Whether a number is what was reached ("rose to 50"), not the size of the change."""
    before = clause.text[: number.hedge_mark.start if number.hedge_mark else number.start].rstrip()
    for word in clause.of("exactly"):
        before = before.removesuffix(word.text).rstrip()
    return any(mark.end == len(before) and "changed_to" in mark.kinds for mark in clause.marks) or before.endswith(
        (" to", " naar", " tot")
    )


def _from_to(
    clause: Clause, names: list[str], sides: list[tuple[Window, Window]], statistic: Statistic
) -> list[Check] | None:
    first, last = values_of(clause)
    if not any(first.end <= mark.start < last.start for mark in clause.of("changed_to", "than")):
        return None  # "costs rose by 31% and staff by 16%"
    if first.number and last.number and (first.number.unit or last.number.unit) != last.number.unit:
        return None  # "rose by 5% to 40 Mbps"
    before = [s for _, v in sides for s in each(statistic, names, [v], **stated(first))]
    after = [s for w, _ in sides for s in each(statistic, names, [w], **stated(last))]
    return [check(before), check(after)]


def _change_sides(clause: Clause) -> list[tuple[Window, Window]]:
    """The windows that a change is between, as (after, before)."""
    times = clause.times
    if than := clause.first("than") or _on_a_time(clause):
        return _compared_sides(clause, than)
    told = next((spec for spec in clause.told if spec.compared_window is not None), None)
    if not times and not clause.cells and told and told.compared_window and told.series in series_of(clause):
        return [(told.window, told.compared_window)]
    if len(times) == 1 and times[0].time and times[0].time.ends and _are_rows(clause, times[0].time.ends):
        begin, end = times[0].time.ends
        return [(a, b) for a in both(end, clause, clause.cells) for b in both(begin, clause, clause.cells)]
    if len(times) == 2 and all(m.time for m in times):
        one, other = (m.time.windows[0] for m in times if m.time)
        if one.start and other.start and merge(one, other) is None:
            begin, end = sorted((one, other), key=lambda w: (w.start is not None, w.start))
            return [(a, b) for a in both(end, clause, clause.cells) for b in both(begin, clause, clause.cells)]
    if clause.view.times is None:
        return []
    found = []
    for window in clause.windows(times, clause.cells):
        row = _row_before(clause, window)
        found.append((window, row) if row else (_last(window), _first(window)))
    return found


def _on_a_time(clause: Clause) -> Mark | None:
    """The "on" of ", an increase of 8.5% on 2023"."""
    times = clause.times
    found = _ON_TIME.search(clause.text[: times[0].start]) if clause.apposed and len(times) == 1 else None
    return Mark(*found.span(), found[0], frozenset({"than"})) if found else None


def _compared_sides(clause: Clause, than: Mark) -> list[tuple[Window, Window]]:
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


def _last(window: Window) -> Window:
    return replace(window, last=1)


def _first(window: Window) -> Window:
    return replace(window, first=1)
