"""Reading relations: differences, ratios, shares, comparisons."""

import re

from .check import Check, can_be_summed, check, each, factor, is_flow, series_of, stated, values_of
from .clause import Clause, merge
from .grammar_adjectives import adjective_ways, series_said
from .marks import Mark
from .specification import ALL_ROWS, Direction, Hedge, Specification, Statistic, Window

INNER = {
    "mean": Statistic.MEAN,
    "median": Statistic.MEDIAN,
    "sum": Statistic.SUM,
    "maximum": Statistic.MAXIMUM,
    "minimum": Statistic.MINIMUM,
}
_FACTOR_HEDGES = {
    "nearly": Hedge.NEARLY,
    "about": Hedge.ABOUT,
    "just_over": Hedge.JUST_OVER,
    "above": Hedge.MORE_THAN,
    "below": Hedge.LESS_THAN,
}
_LEVEL_OF = re.compile(r" (?:the one|that|those|die|dat)(?: \w+)?$")  # "below the one at", "boven die van"
Side = tuple[list[str], list[Window]]


def share(clause: Clause) -> list[Check] | None:
    """ "March accounts for 30% of the total revenue"."""
    words, names = clause.of("share"), series_of(clause)
    numbers = [m for m in clause.numbers if m.number and m.number.unit == "%"]
    if not words or not names or len(numbers) != 1 or len(clause.numbers) != 1 or len(clause.series) > 1:
        return None
    windows = clause.windows(clause.times, clause.cells)
    if not windows or windows == [ALL_ROWS]:
        return None
    clause.use([*words, *numbers, *clause.series, *clause.times, *clause.cells, *clause.of("sum", "all", "whole")])
    return [check(each(Statistic.SHARE, names, windows, **stated(numbers[0])))]


def comparison(clause: Clause) -> list[Check] | None:
    """ "Throughput was 5 Mbps higher in March than in February", "A is twice as high as B", "A exceeds B"."""
    than, ways = _than(clause), adjective_ways(clause, series_said(clause))
    if than is None or ways is None or clause.of("none", "all", "not", "correlation", "anomaly", "trend"):
        return None
    up = [m for m in clause.of("higher", "above", "up", "outnumbers") if m.hedge is Hedge.EXACT] + ways[0]
    down = clause.of("lower", "below", "down") + ways[1]
    same, times_as = clause.of("equal"), clause.of("double", "half", "times_as")
    inner = [(kind, m) for kind in INNER for m in clause.of(kind)]
    numbers = values_of(clause)
    left_marks, right_marks = _split(clause, than)
    sides = _sides(clause, left_marks, right_marks)
    cut = bool(numbers) and ", " in clause.text[numbers[0].end : than.start]  # "88.8 Mbps, slightly more than on ..."
    if sides is None or len({kind for kind, _ in inner}) > 1 or len(numbers) > 1 or cut:
        return None
    (names, windows), (others, compared) = sides
    up, down = up + [than] * ("just_over" in than.kinds), down + [than] * ("nearly" in than.kinds)
    direction = Direction.UP if up and not down else Direction.DOWN if down and not up else None
    ofs = _inner_statistics(clause, inner, names)
    used = [than, *up, *down, *same, *times_as, *numbers, *(m for _, m in inner), *left_marks, *right_marks]

    def made(statistic: Statistic, way: Direction | None, **value: object) -> Check:
        return check(
            [
                Specification(statistic, a, w, of=of, compared_with=b, compared_window=v, direction=way, **value)  # type: ignore[arg-type]
                for of in ofs
                for a in names
                for b in others
                for w in windows
                for v in compared
            ]
        )

    clause.use([*used, *clause.of("difference", "change", "count", "ratio", "per_row")])
    multiple = _multiple(clause, numbers, times_as)
    if multiple is not None:
        return [made(Statistic.RATIO, None, **multiple)]
    if not numbers and (same or direction):
        return [made(Statistic.COMPARISON, direction or Direction.FLAT)]
    if direction is None:
        return None
    return [made(difference_kind(clause, numbers[0], names), direction, **stated(numbers[0]))]


def _than(clause: Clause) -> Mark | None:
    """The word between the two sides."""
    for mark in clause.marks:
        followed = next((m for m in clause.marks if m.start >= mark.end), None)
        bounds = [m.hedge_mark for m in clause.numbers]
        joining = {"than", "equal", "double", "half", "times_as", "above", "below", "just_over", "nearly", "outnumbers"}
        joins = mark.kinds & joining and mark not in bounds
        text = mark.text.lower()
        ends = text.endswith((" than", " as", " dan", " als", "that of", " to", "van"))
        ends |= _LEVEL_OF.search(text) is not None
        ends |= "times_as" in mark.kinds and text.endswith(" the")  # "three times the overtime of March"
        surpasses = "outnumbers" in mark.kinds or text.startswith(("exceed", "surpass", "outperform"))
        if joins and followed is not None and (mark.kinds & {"than", "equal"} or ends or surpasses):
            return mark
    return _as_after(clause)


def _as_after(clause: Clause) -> Mark | None:
    """The "as" that closes "three times as many calls as"."""
    factor_word = clause.first("double", "half", "times_as", "equal")
    if factor_word is None:
        return None
    found = re.compile(r"(?<!\w)(?:as|als)(?!\w)", re.IGNORECASE).search(clause.text, factor_word.end)
    return Mark(*found.span(), found[0], frozenset({"than"})) if found else None


def _split(clause: Clause, than: Mark) -> tuple[list[Mark], list[Mark]]:
    things = [m for m in clause.marks if m.series or m.cells or m.time]
    if not clause.text[: than.start].strip() and (comma := clause.text.find(", ", than.end)) >= 0:
        return [m for m in things if m.start > comma], [
            m for m in things if m.end <= comma
        ]  # "compared with March, ..."
    if not clause.text[: than.start].strip():  # "ten opzichte van juni steeg ..."
        first = next((m for m in things if m.start >= than.end and not m.series), None)
        return [m for m in things if m is not first], [first] if first else []
    return [m for m in things if m.end <= than.start], [m for m in things if m.start >= than.end]


def _sides(clause: Clause, left: list[Mark], right: list[Mark]) -> tuple[Side, Side] | None:
    """What is compared with what: series with series, rows with rows, or times with times."""
    ls, rs = [m for m in left if m.series], [m for m in right if m.series]
    lc, rc = [m for m in left if m.cells], [m for m in right if m.cells]
    lt, rt = [m for m in left if m.time], [m for m in right if m.time]
    if len(ls) > 1 or len(rs) > 1:
        return None
    names = list(ls[0].series) if ls else list(rs[0].series) if rs else series_said(clause)
    others = list(rs[0].series) if rs and ls else names
    if rs and ls and set(ls[0].series) != set(rs[0].series) and not rc:
        windows = clause.windows([*lt, *rt], lc)
        return ((names, windows), (others, windows)) if windows else None
    if rc:
        columns = {column for m in rc for column, _ in m.cells}
        shared = [m for m in lc if not columns & {column for column, _ in m.cells}]
        if len(lc) == len(shared) or (lt and rt):
            return None
        windows, compared = clause.windows([*lt, *rt], lc), clause.windows([*lt, *rt], [*shared, *rc])
    elif rt:
        begun = lt or []
        compared = clause.windows(rt, lc)
        windows = clause.windows(begun, lc) if begun else [w for c in compared for w in _latest_like(clause, c)]
    else:
        return None
    return ((names, windows), (names, compared)) if names and windows and compared else None


def _latest_like(clause: Clause, window: Window) -> list[Window]:
    """The window that "higher than in February" compares with it: the scope of the text before, if it has one."""
    return [scope for scope in clause.scope if scope != window]


def _inner_statistics(clause: Clause, inner: list[tuple[str, Mark]], names: list[str]) -> list[Statistic | None]:
    if inner:
        return [INNER[inner[0][0]]]
    if clause.apposed and clause.statistic in INNER.values():
        return [clause.statistic]
    if clause.of("than") and all(is_flow(clause, name) for name in names) and not clause.times and not clause.cells:
        return [Statistic.SUM]  # "173 more were opened than closed"
    weekdays = any(m.time and m.time.windows[0].weekdays for m in clause.times)
    summed = any(can_be_summed(clause, name) for name in names) and not weekdays and not clause.of("per_row")
    if summed and all(is_flow(clause, name) for name in names) and clause.view.times is not None:
        return [Statistic.SUM]  # "1,440 m3 more than the year before"
    return [None, Statistic.SUM] if summed else [None]


def _multiple(clause: Clause, numbers: list[Mark], words: list[Mark]) -> dict[str, object] | None:
    """ "Twice", "half", "3 times as": the value of a ratio."""
    if not words:
        return None
    word = words[0]
    hedging = next((m for m in reversed(clause.marks) if m.end <= word.start and m.kinds & set(_FACTOR_HEDGES)), None)
    if "times_as" in word.kinds and numbers:
        number = numbers[0].number
        assert number is not None  # numbers have one
        value = stated(numbers[0])
        value["unit"] = None
        if number.decimals <= 0:
            value |= factor(number.value, numbers[0])
        return value
    if numbers or not word.kinds & {"double", "half"}:
        return None
    found = factor(2.0 if "double" in word.kinds else 0.5, None)
    if hedging is not None:
        clause.use([hedging])
        found["hedge"] = next(hedge for kind, hedge in _FACTOR_HEDGES.items() if kind in hedging.kinds)
        found["decimals"] = 0 if found["hedge"] in (Hedge.NEARLY, Hedge.JUST_OVER) else 1
    return found


def difference_kind(clause: Clause, number: Mark, names: list[str]) -> Statistic:
    """Whether a size is a difference or a percent change: percents of a series in percent are points."""
    from ...text.numbers import known_unit

    units = {known_unit(clause.table.units.get(name, "")) for name in names}
    percent = number.number is not None and number.number.unit == "%" and "%" not in units
    return Statistic.PERCENT_CHANGE if percent else Statistic.DIFFERENCE


def difference(clause: Clause) -> list[Check] | None:
    """ "The difference between A and B was 5", "the ratio of A to B is 0.36", "A as a percentage of B is 30%"."""
    words = clause.of("difference", "ratio", "share")
    numbers = values_of(clause)
    if not words or len(numbers) != 1 or clause.of("up", "down", "maximum", "minimum"):
        return None
    if clause.of("share") and clause.of("sum"):
        return None  # "North and South together accounted for 75%"
    pair = _pair(clause)
    if pair is None:
        return None
    (names, windows), (others, compared) = pair
    if names == others and windows == compared:
        return None
    kind = next(kind for kind in ("ratio", "share", "difference") if clause.of(kind))
    statistic = Statistic.DIFFERENCE if kind == "difference" else Statistic.RATIO
    value = stated(numbers[0])
    number = numbers[0].number
    assert number is not None  # numbers have one
    if statistic is Statistic.RATIO and number.unit == "%":
        value |= {"value": number.value / 100, "decimals": number.decimals + 2, "unit": None}
    elif kind == "difference" and number.unit == "%" and difference_kind(clause, numbers[0], names) is not statistic:
        statistic = Statistic.PERCENT_CHANGE
    inner = [m for k in INNER for m in clause.of(k)]
    ofs: list[Statistic | None] = [INNER[k] for k in INNER if clause.of(k)] or (
        [Statistic.VALUE_AT] if clause.cells else [None]  # rows of one name are not averaged
    )
    clause.use([*words, *numbers, *clause.series, *clause.cells, *clause.times, *inner, *clause.of("than", "change")])
    found = [
        Specification(statistic, a, w, of=of, compared_with=b, compared_window=v, **value)  # type: ignore[arg-type]
        for of in ofs[:1]
        for a in names
        for b in others
        for w in windows
        for v in compared
    ]
    return [check(found)] if found else None


def _pair(clause: Clause) -> tuple[Side, Side] | None:
    """The two things that a clause names side by side: series, rows or times."""
    series, cells, times = clause.series, clause.cells, clause.times
    if len(series) == 2:
        windows = clause.windows(times, cells)
        return ((list(series[0].series), windows), (list(series[1].series), windows)) if windows else None
    names = series_of(clause)
    if not names or len(series) > 1:
        return None
    for mark in times:
        if mark.time and mark.time.ends and len(times) == 1:
            begin, end = mark.time.ends
            return (names, both(end, clause, cells)), (names, both(begin, clause, cells))
    if len(times) == 2 and not cells:
        a, b = (list(m.time.windows) for m in times if m.time)
        return (names, a), (names, b)
    if len(cells) == 2 and {c for c, _ in cells[0].cells} & {c for c, _ in cells[1].cells}:
        return (names, clause.windows(times, cells[:1])), (names, clause.windows(times, cells[1:]))
    return None


def both(window: Window, clause: Clause, cells: list[Mark]) -> list[Window]:
    """A window and cells at once."""
    found = [merge(window, other) for other in clause.windows([], cells)] if cells else [window]
    return [each_window for each_window in found if each_window is not None]
