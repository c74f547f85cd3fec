"""Reading relations: changes, differences, ratios, shares, comparisons, trends, correlations, anomalies."""

from .check import Check, can_be_summed, check, each, factor, is_year_besides, series_of, stated
from .clause import Clause, Mark, is_count, merge
from .periods import Times
from .specification import ALL_ROWS, Direction, Hedge, Specification, Statistic, Window

_INNER = {
    "mean": Statistic.MEAN,
    "median": Statistic.MEDIAN,
    "sum": Statistic.SUM,
    "maximum": Statistic.MAXIMUM,
    "minimum": Statistic.MINIMUM,
}
Side = tuple[list[str], list[Window]]


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
    counts = [m for m in counts if not clause.times and not any(s.start - m.end == 1 for s in clause.series)]
    values = [m for m in clause.numbers if m not in counts]
    if len(counts) > 1 or len(values) > 1 or (no and (counts or values)) or not windows:
        return None
    clause.use([*words, *clause.series, *no, *counts, *values, *clause.times, *clause.cells])
    clause.use(clause.of("count", "up", "down", "some", "maximum", "minimum"))
    places = windows if clause.times or clause.cells or clause.scope else [None]
    statistic = Statistic.NO_ANOMALY if no else Statistic.ANOMALY
    value = stated(counts[0]) if counts else {}
    checks = [check([s for p in places for s in each(statistic, names, [ALL_ROWS], place=p, **value)])]
    if values:
        checks.append(check(each(Statistic.VALUE_AT, names, windows, **stated(values[0]))))
    return checks


def share(clause: Clause) -> list[Check] | None:
    """ "March accounts for 30% of the total revenue"."""
    words, names = clause.of("share"), series_of(clause)
    numbers = [m for m in clause.numbers if m.number and m.number.unit == "%"]
    if not words or not names or len(numbers) != 1 or len(clause.numbers) != 1 or len(clause.series) > 1:
        return None
    windows = clause.windows(clause.times, clause.cells)
    if not windows or windows == [ALL_ROWS]:
        return None
    clause.use([*words, *numbers, *clause.series, *clause.times, *clause.cells, *clause.of("sum")])
    return [check(each(Statistic.SHARE, names, windows, **stated(numbers[0])))]


# --- two sides ---


def comparison(clause: Clause) -> list[Check] | None:
    """ "Throughput was 5 Mbps higher in March than in February", "A is twice as high as B", "A exceeds B"."""
    than = _than(clause)
    up = [m for m in clause.of("higher", "above", "up") if m.hedge is Hedge.EXACT]
    down = clause.of("lower", "below", "down")
    same, times_as = clause.of("equal"), clause.of("double", "half", "times_as")
    inner = [(kind, m) for kind in _INNER for m in clause.of(kind)]
    numbers = [m for m in clause.numbers if m.number and not m.number.ordinal]
    if than is None or clause.of("none", "all", "not", "correlation", "anomaly", "trend"):
        return None
    left_marks, right_marks = _split(clause, than)
    sides = _sides(clause, left_marks, right_marks)
    if sides is None or len({kind for kind, _ in inner}) > 1 or len(numbers) > 1:
        return None
    (names, windows), (others, compared) = sides
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

    clause.use([*used, *clause.of("difference", "change", "count", "ratio")])
    multiple = _multiple(clause, numbers, times_as)
    if multiple is not None:
        return [made(Statistic.RATIO, None, **multiple)]
    if not numbers and (same or direction):
        return [made(Statistic.COMPARISON, direction or Direction.FLAT)]
    if direction is None:
        return None
    return [made(_difference_kind(clause, numbers[0], names), direction, **stated(numbers[0]))]


def _than(clause: Clause) -> Mark | None:
    """The word between the two sides."""
    for mark in clause.marks:
        followed = next((m for m in clause.marks if m.start >= mark.end), None)
        bounds = [m.hedge_mark for m in clause.numbers]
        joins = mark.kinds & {"than", "equal", "double", "half", "times_as", "above", "below"} and mark not in bounds
        text = mark.text.lower()
        ends = text.endswith((" than", " as", " dan", " als", "that of", " to", "van"))
        surpasses = text.startswith(("exceed", "surpass", "overtr", "outperform"))
        if joins and followed is not None and (mark.kinds & {"than", "equal"} or ends or surpasses):
            return mark
    return None


def _split(clause: Clause, than: Mark) -> tuple[list[Mark], list[Mark]]:
    things = [m for m in clause.marks if m.series or m.cells or m.time]
    if not clause.text[: than.start].strip() and (comma := clause.text.find(",", than.end)) >= 0:
        return [m for m in things if m.start > comma], [
            m for m in things if m.end <= comma
        ]  # "compared with March, ..."
    return [m for m in things if m.end <= than.start], [m for m in things if m.start >= than.end]


def _sides(clause: Clause, left: list[Mark], right: list[Mark]) -> tuple[Side, Side] | None:
    """What is compared with what: series with series, rows with rows, or times with times."""
    ls, rs = [m for m in left if m.series], [m for m in right if m.series]
    lc, rc = [m for m in left if m.cells], [m for m in right if m.cells]
    lt, rt = [m for m in left if m.time], [m for m in right if m.time]
    if len(ls) > 1 or len(rs) > 1:
        return None
    names = list(ls[0].series) if ls else list(rs[0].series) if rs else series_of(clause)
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
        return [_INNER[inner[0][0]]]
    return [None, Statistic.SUM] if any(can_be_summed(clause, name) for name in names) else [None]


def _multiple(clause: Clause, numbers: list[Mark], words: list[Mark]) -> dict[str, object] | None:
    """ "Twice", "half", "3 times as": the value of a ratio."""
    if not words:
        return None
    word = words[0]
    hedging = next(
        (m for m in clause.marks if m.end <= word.start and m.kinds & {"nearly", "about", "just_over", "above"}), None
    )
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
    hedges = {"nearly": Hedge.NEARLY, "about": Hedge.ABOUT, "just_over": Hedge.JUST_OVER, "above": Hedge.MORE_THAN}
    if hedging is not None:
        clause.use([hedging])
        found["hedge"] = next(hedge for kind, hedge in hedges.items() if kind in hedging.kinds)
    return found


def _difference_kind(clause: Clause, number: Mark, names: list[str]) -> Statistic:
    from .written import known_unit

    units = {known_unit(clause.table.units.get(name, "")) for name in names}
    percent = number.number is not None and number.number.unit == "%" and "%" not in units
    return Statistic.PERCENT_CHANGE if percent else Statistic.DIFFERENCE


def difference(clause: Clause) -> list[Check] | None:
    """ "The difference between A and B was 5", "the ratio of A to B is 0.36", "A as a percentage of B is 30%"."""
    words = clause.of("difference", "ratio", "share")
    numbers = [m for m in clause.numbers if m.number and not m.number.ordinal]
    if not words or len(numbers) != 1 or clause.of("up", "down", "maximum", "minimum"):
        return None
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
    elif kind == "difference" and number.unit == "%" and _difference_kind(clause, numbers[0], names) is not statistic:
        statistic = Statistic.PERCENT_CHANGE
    inner = [m for k in _INNER for m in clause.of(k)]
    ofs: list[Statistic | None] = [_INNER[k] for k in _INNER if clause.of(k)] or (
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
            return (names, _with(end, clause, cells)), (names, _with(begin, clause, cells))
    if len(times) == 2 and not cells:
        a, b = (list(m.time.windows) for m in times if m.time)
        return (names, a), (names, b)
    if len(cells) == 2 and {c for c, _ in cells[0].cells} & {c for c, _ in cells[1].cells}:
        return (names, clause.windows(times, cells[:1])), (names, clause.windows(times, cells[1:]))
    return None


def _with(window: Window, clause: Clause, cells: list[Mark]) -> list[Window]:
    found = [merge(window, other) for other in clause.windows([], cells)] if cells else [window]
    return [each_window for each_window in found if each_window is not None]


# --- changes over time ---


def change(clause: Clause) -> list[Check] | None:
    """ "Rose by 12% in March", "fell from 50 to 40", "increased over the period", "the change from 2018 to 2019"."""
    up, down, flat = clause.of("up"), clause.of("down"), clause.of("flat")
    changed, trend = clause.of("change"), clause.of("trend")
    names = series_of(clause)
    if not (up or down or flat or changed) or not names or len(clause.series) > 1 or (up and down and not changed):
        return None
    if clause.of("than", "deviation", "maximum", "minimum", "anomaly", "correlation", "none"):
        return None
    numbers = [m for m in clause.numbers if m.number and not m.number.ordinal]
    direction = None
    if not (up and down):
        direction = Direction.UP if up else Direction.DOWN if down else Direction.FLAT if flat else None
    doubled = clause.of("double", "half")
    if doubled or len(numbers) > 2 or any(is_year_besides(clause, names, mark) for mark in numbers):
        return None
    not_ = clause.of("not")
    used = [*up, *down, *flat, *changed, *trend, *not_, *clause.series, *clause.times, *clause.cells, *numbers]
    inner = [_INNER[kind] for kind in ("mean", "median", "sum") if clause.of(kind)]
    if len(inner) > 1 or (inner and not numbers and direction is Direction.FLAT):
        return None
    of = inner[0] if inner else None
    checks = _change_checks(clause, names, numbers, direction, trend=bool(trend), of=of)
    if checks is None or (not_ and len(checks) > 1):
        return None
    clause.use([*used, *clause.of("difference", "count", "changed_to", "times_as", "mean", "median", "sum", "all")])
    return [checks[0].negated()] if not_ else checks


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
    if not numbers:
        slopes = each(Statistic.TREND, names, clause.windows(clause.times, clause.cells), direction=direction)
        named = any(m.time and m.time.ends for m in clause.times)
        return [check(slopes if trend or direction is Direction.FLAT else ways if named else [*slopes, *ways])]
    moved = [check(ways)] if direction else []
    if len(numbers) == 2:
        ends = _from_to(names, numbers, sides, of or Statistic.VALUE_AT)
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
    statistic = _difference_kind(clause, size, names)
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
    return any(mark.end == len(before) and "changed_to" in mark.kinds for mark in clause.marks) or before.endswith(
        (" to", " naar", " tot")
    )


def _from_to(
    names: list[str], numbers: list[Mark], sides: list[tuple[Window, Window]], statistic: Statistic
) -> list[Check] | None:
    first, last = numbers
    if first.number and last.number and (first.number.unit or last.number.unit) != last.number.unit:
        return None  # "rose by 5% to 40 Mbps"
    before = [s for _, v in sides for s in each(statistic, names, [v], **stated(first))]
    after = [s for w, _ in sides for s in each(statistic, names, [w], **stated(last))]
    return [check(before), check(after)]


def _change_sides(clause: Clause) -> list[tuple[Window, Window]]:
    """The windows that a change is between, as (after, before)."""
    times = clause.times
    if len(times) == 1 and times[0].time and times[0].time.ends and _are_rows(clause, times[0].time.ends):
        begin, end = times[0].time.ends
        return [(a, b) for a in _with(end, clause, clause.cells) for b in _with(begin, clause, clause.cells)]
    if len(times) == 2 and all(m.time for m in times):
        one, other = (m.time.windows[0] for m in times if m.time)
        if one.start and other.start and merge(one, other) is None:
            begin, end = sorted((one, other), key=lambda w: (w.start is not None, w.start))  # type: ignore[type-var]
            return [(a, b) for a in _with(end, clause, clause.cells) for b in _with(begin, clause, clause.cells)]
    if clause.view.times is None:
        return []
    found = []
    for window in clause.windows(times, clause.cells):
        row = _row_before(clause, window)
        found.append((window, row) if row else (_last(window), _first(window)))
    return found


def _are_rows(clause: Clause, ends: tuple[Window, Window]) -> bool:
    """Whether both ends name times of their own ("from January to March", not "from 3 to 9 March" of daily rows)."""
    return all(end.start is not None and end.end is not None for end in ends) and clause.view.times is not None


def _row_before(clause: Clause, window: Window) -> Window | None:
    """The period before, where a window is that of one row ("in March" of a monthly table)."""
    times = clause.view.times
    if times is None or window.start is None or window.end is None or window.weekdays:
        return None
    one_row = Times(window.start, window.start, times.period).last_day
    if one_row < window.end:
        return None
    from .periods import step_before

    before = step_before(window.start, times.period)
    return Window(start=before, end=Times(before, before, times.period).last_day, conditions=window.conditions)


def _last(window: Window) -> Window:
    from dataclasses import replace

    return replace(window, last=1)


def _first(window: Window) -> Window:
    from dataclasses import replace

    return replace(window, first=1)
