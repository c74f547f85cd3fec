"""Constructions of two sides, compared at one time or over time: than, twice, per one, a part of a whole, a change."""

import re
from dataclasses import replace
from itertools import chain, combinations, pairwise, product

from ...text.numbers import known_unit
from .construction import (
    ANY,
    RELATIONS,
    Clause,
    ClauseCheck,
    ClauseReading,
    ConstructionMatch,
    Slot,
    adjective_ways,
    as_one_check,
    bounds_of,
    can_be_summed,
    check,
    columns_of,
    construction,
    contains_time,
    count_fields,
    counts_periods,
    counts_rows,
    described_series,
    earlier_check,
    factor_fields,
    find_than,
    has_several,
    hedge_before,
    is_flow,
    is_other_window,
    is_pair_of_rows,
    is_row,
    is_window_within,
    merge_windows,
    rows_together,
    scope_cells,
    series_of,
    specify,
    value_fields,
    values_of,
    with_cells,
)
from .lexicon import any_of, means, polarity
from .marks import Mark, is_one_unit, is_shorter, shifted
from .sample_tables import is_panel
from .statistics import STATISTICS
from .table import ALL_ROWS, STEPS, Direction, Hedge, Specification, Statistic, Times, Window, unit_of_period
from .times import is_vague

MEANS = {entry.word: entry.statistic for entry in STATISTICS.values() if entry.is_inner}
"""The statistics by which a claim may compare two sides or state a change, by the kind of their words."""
INNER = MEANS | {"maximum": Statistic.MAXIMUM, "minimum": Statistic.MINIMUM}
Side = tuple[list[str], list[Window]]
"""The series that may be meant, and the windows."""


def compare_sides(
    statistic: Statistic, inner: list[Statistic | None], sides: tuple[Side, Side], **rest: object
) -> list[Specification]:
    """One specification per combination of series and windows, and of statistics that each side may be of."""
    (names, windows), (others, compared) = sides
    fields = {"side_statistic": inner, "compared_with": others, "compared_window": compared, **rest}
    specs = specify(statistic, names, windows, **fields)
    return [spec for spec in specs if spec.compared_with == spec.series] if names == others else specs


@construction(
    Slot("than", find_than),
    Slot.value(0, 1),
    places=None,
    series=None,
    optional="difference change count ratio per_row",
)
def _comparison(match: ConstructionMatch) -> ClauseReading | None:
    clause, than, numbers = match.clause, match.one("than"), match["value"]
    ways = adjective_ways(clause, described_series(clause))
    left, right = _split(clause, than)
    sides = _sides(clause, left, right)
    cut = numbers and ", " in clause.text[numbers[0].end : than.start]  # "88.8 Mbps, slightly more than on ..."
    if ways is None or sides is None or cut:
        return None
    names = sides[0][0]
    up = [*clause.marks_of("higher", "above", "up", "outnumbers"), *ways[0], *[than] * ("just_over" in than.kinds)]
    down = [*clause.marks_of("lower", "below", "down"), *ways[1], *[than] * ("nearly" in than.kinds)]
    same, times_as = clause.marks_of("equal"), clause.marks_of("double", "half", "times_as")
    direction = Direction.UP if up and not down else Direction.DOWN if down and not up else None
    stated, inner = stated_statistic(clause, INNER)
    statistics: list[Statistic | None] = [stated] if stated else _inner_statistics(clause, names)
    also = [*up, *down, *same, *times_as, *inner, *left, *right]
    multiple = _multiple(clause, numbers, times_as)
    if multiple is not None:
        fields, hedges = multiple
        return as_one_check(compare_sides(Statistic.RATIO, statistics, sides, **fields), also=[*also, *hedges])
    if times_as or (direction is None and (numbers or not same)):
        return None
    statistic = difference_kind(clause, numbers[0], names) if numbers else Statistic.COMPARISON
    fields = value_fields(numbers[0]) if numbers else {}
    fields["direction"] = direction or Direction.FLAT
    return as_one_check(compare_sides(statistic, statistics, sides, **fields), also=also)


def _split(clause: Clause, than: Mark) -> tuple[list[Mark], list[Mark]]:
    """The marks on each side of "than"; "compared with March, ..." has its right side first; "year on year" is one."""
    things = [m for m in clause.marks if m.series or m.cells or m.time]
    if than.time:
        return [m for m in things if m is not than], [than]
    if "than" in than.kinds and not clause.text[: than.start].strip():
        return things[1:], things[:1]
    return [m for m in things if m.end <= than.start], [m for m in things if m.start >= than.end]


def _sides(clause: Clause, left: list[Mark], right: list[Mark]) -> tuple[Side, Side] | None:
    """What is compared with what: series with series, rows with rows, or times with times."""
    ls, rs = [m for m in left if m.series], [m for m in right if m.series]
    lc, rc = [m for m in left if m.cells], [m for m in right if m.cells]
    lt, rt = [m for m in left if m.time], [m for m in right if m.time]
    if len(ls) > 1 or len(rs) > 1:
        return None
    names = list((ls or rs)[0].series) if ls or rs else described_series(clause)
    if rs and ls and set(ls[0].series) != set(rs[0].series) and not rc:
        windows = clause.windows([*lt, *rt, *lc])
        return (names, windows), (list(rs[0].series), windows)
    if rc:
        columns = {column for m in rc for column, _ in m.cells}
        shared = [m for m in lc if not columns & {column for column, _ in m.cells}]
        if not lc and not lt and clause.context.same_sentence:  # "Portside had 42, one more than Eastmoor"
            compared = clause.beside_context(rc) or clause.windows([*rt, *rc])
            windows = [w for w in clause.context.windows if any(is_other_window(w, other) for other in compared)]
        elif len(lc) == len(shared) and not (lt and rt):
            return None
        else:
            named = {column for m in lc for column, _ in m.cells}
            of_both = [m for m in rc if not named & {column for column, _ in m.cells}]  # "than Breda in July"
            windows = clause.windows([*(lt or rt), *lc, *of_both])
            compared = clause.windows([*(rt or lt), *shared, *rc])
    else:
        compared = clause.windows([*rt, *lc]) if rt else []
        windows = clause.windows([*lt, *lc]) if lt else [w for c in compared for w in clause.context.windows if w != c]
        compared = _parts_of_years(clause, windows, compared)
    return (names, windows), (names, compared)


def _inner_statistics(clause: Clause, names: list[str]) -> list[Statistic | None]:
    """The statistics to compare where none is named: that of the clause before, the values, or the sums of amounts."""
    if clause.context.statistic in INNER.values():
        return [clause.context.statistic]
    weekdays = any(m.window.weekdays for m in clause.times)
    if weekdays or clause.marks_of("per_row") or not any(can_be_summed(clause, name) for name in names):
        return [None]
    if all(is_flow(clause, name) for name in names) and (clause.view.times is not None or is_panel(clause.table)):
        return [Statistic.SUM]  # "1,440 m3 more than the year before"
    return [None, Statistic.SUM]


def stated_statistic(clause: Clause, statistics: dict[str, Statistic]) -> tuple[Statistic | None, list[Mark]]:
    """The statistic that a change or a comparison is of ("the mean rose"), and its words."""
    named = clause.marks_of(*statistics)
    return next((value for kind, value in statistics.items() if named and kind in named[0].kinds), None), named


def _multiple(
    clause: Clause, numbers: tuple[Mark, ...], words: list[Mark]
) -> tuple[dict[str, object], list[Mark]] | None:
    """ "Twice", "half", "3 times as": the value of a ratio, and the word that hedges it."""
    if not words:
        return None
    word = words[0]
    if "times_as" in word.kinds and numbers:
        value, number = value_fields(numbers[0]) | {"unit": None}, numbers[0].stated
        return (value | factor_fields(number.value, numbers[0].hedge) if number.decimals <= 0 else value), []
    if numbers or "times_as" in word.kinds:
        return None
    hedge, hedges = hedge_before(clause, word)
    return factor_fields(2.0 if "double" in word.kinds else 0.5, hedge), hedges


def difference_kind(clause: Clause, number: Mark, names: list[str]) -> Statistic:
    """Whether a size is a difference or a percent change: percents of a series in percent are points."""
    units = {known_unit(clause.table.units.get(name, "")) for name in names}
    return Statistic.PERCENT_CHANGE if number.unit == "%" and "%" not in units else Statistic.DIFFERENCE


@construction(
    Slot.words("difference", "ratio", "share", most=ANY, name="relation"),
    Slot.value(),
    series=(0, 2),
    optional="than change",
)
def _difference(match: ConstructionMatch) -> ClauseReading | None:
    clause, mark = match.clause, match.one("value")
    relation = next((spec for spec in clause.context.checks if spec.statistic in RELATIONS), None)
    the_two = clause.marks_of("the_two") if relation else []
    sides = _sides_of(relation) if relation and the_two else _pair(clause)
    if sides is None or sides[0] == sides[1]:
        return None
    kind = next(kind for kind in ("ratio", "share", "difference") if clause.marks_of(kind))
    fields = value_fields(mark)
    if kind == "share" and _is_whole(clause, sides[0]):
        sides = sides[1], sides[0]
    if kind != "difference" and mark.unit == "%":
        fields |= {"value": mark.stated.value / 100, "decimals": mark.stated.decimals + 2, "unit": None}
    inner, mean_words = stated_statistic(clause, MEANS)
    if not mean_words:  # rows of one name are not averaged
        inner = relation.side_statistic if relation and the_two else Statistic.VALUE_AT if clause.cells else None
    statistic = Statistic.DIFFERENCE if kind == "difference" else Statistic.RATIO
    also = clause.marks_of("changed_to") if the_two else []
    return as_one_check(compare_sides(statistic, [inner], sides, **fields), also=[*the_two, *also, *mean_words])


def _sides_of(relation: Specification) -> tuple[Side, Side]:
    """The two sides of a relation, which "the two" refers to."""
    names = [relation.series] if relation.series else []
    compared = [relation.compared_with] if relation.compared_with else names
    return (names, [relation.window]), (compared, [relation.compared_window or relation.window])


def _is_whole(clause: Clause, side: Side) -> bool:
    """Whether the series of a side stands right after the last "as a percentage of", and another one before it."""
    head = clause.marks_of("share")[-1]
    after = {mark.series for mark in clause.marks if mark.series and mark.start >= head.end}
    return len(clause.series) == 2 and after == {tuple(side[0])}


def _pair(clause: Clause) -> tuple[Side, Side] | None:
    """The two things that a clause names side by side: series, rows or times."""
    named, cells, times, names = clause.series, clause.cells, clause.times, series_of(clause)
    if len(named) == 2:
        windows = clause.windows(clause.places)
        return (list(named[0].series), windows), (list(named[1].series), windows)
    if len(times) == 1 and times[0].time and times[0].time.ends:
        begin, end = times[0].time.ends
        return (names, with_cells(end, clause, cells)), (names, with_cells(begin, clause, cells))
    if len(times) == 2 and not cells:
        first, second = (list(m.time.windows) for m in times if m.time)
        return (names, first), (names, second)
    of_ends = [mark.ends for mark in cells if mark.ends]
    pairs = of_ends or [(a, b) for a, b in combinations(cells, 2) if {c for c, _ in a.cells} & {c for c, _ in b.cells}]
    if len(pairs) != 1:
        return None
    rest = [*times, *(mark for mark in cells if mark not in pairs[0] and not mark.ends)]
    first_windows, second_windows = (clause.windows([*rest, mark]) for mark in pairs[0])
    return (names, first_windows), (names, second_windows)


@construction(Slot.value(2, 2), series=(0, 0), places=(0, 0), optional="than changed_to count")
def _both_sides(match: ConstructionMatch) -> ClauseReading | None:
    """ "(55 against 42)": the values of the two sides that the sentence compared before."""
    earlier = earlier_check(match.clause, RELATIONS)
    if earlier is None:
        return None
    inner = earlier.side_statistic
    statistics = [inner] if inner else [Statistic.VALUE_AT, Statistic.MEAN, Statistic.SUM]
    return ClauseReading(
        tuple(
            check(*[specify(statistic, names, windows, **value_fields(mark)) for statistic in statistics])
            for mark, (names, windows) in zip(match["value"], _sides_of(earlier), strict=True)
        )
    )


@construction(
    Slot.words("than", "outnumbers", most=2, name="than"),
    Slot.words("higher", "above", "lower", "below", "outnumbers", most=ANY, name="direction"),
    Slot("row_count", lambda clause: [mark for mark in clause.numbers if counts_rows(clause, mark)]),
    series=(2, 2),
    optional="count days all",
)
def _rows_compared(match: ConstructionMatch) -> ClauseReading | None:
    """ "In 5 of the 12 weeks more parcels were sent than received"."""
    first, second = match["series"]
    if not counts_periods(match.clause, match.one("row_count")):
        return None
    is_more = match.one("direction").kinds & {"higher", "above", "outnumbers"}
    statistic = Statistic.COUNT_ABOVE if is_more else Statistic.COUNT_BELOW
    fields = count_fields(match.one("row_count")) | {"compared_with": [*second.series]}
    return as_one_check(specify(statistic, first.series, match.windows, **fields))


@construction(
    Slot.pattern("per"),  # "the cost per employee", "for each"
    Slot.value(),
    series=(2, 2),
    optional="mean count per_row",
)
def _per_each(match: ConstructionMatch) -> ClauseReading | None:
    clause, mark, per = match.clause, match.one("value"), match.one("per")
    (first, second), also = match["series"], []
    if per.end <= first.start and not clause.text[per.end : first.start].strip():
        first, second = second, first  # "for every refund there were 16 sign-ups"
        also = clause.marks_of("all")
    elif not first.end <= per.start < second.start:
        return None
    sides = (list(first.series), match.windows), (list(second.series), match.windows)
    inner: list[Statistic | None] = [None, Statistic.SUM] if match.windows == [ALL_ROWS] else [None]
    return as_one_check(compare_sides(Statistic.RATIO, inner, sides, **value_fields(mark)), also=also)


@construction(
    Slot.percentage(),
    Slot.words("share", least=0, most=ANY),
    Slot.number(),
    series=(0, 2),
    optional="sum all count whole",
)
def _share(match: ConstructionMatch) -> ClauseReading | None:
    named, windows = match["series"], match.windows
    if len(named) == 2:
        return None if match["share"] else _part_of_another(match)
    if named and (reading := _part_of_series(match)):
        return reading
    if not match["share"] or windows == [ALL_ROWS] or is_pair_of_rows(match.clause):
        return None
    clause, wholes = match.clause, list[Window | None]([None])
    if len(columns_of(clause.places)) > 1:  # "Vlieland's share in July": of all, of July's or of Vlieland's
        wholes += [window for mark in clause.places for window in clause.windows([mark])]
    fields = value_fields(match.one("percentage")) | {"compared_window": wholes}
    return as_one_check(specify(Statistic.SHARE, match.names, windows, **fields))


def _part_of_series(match: ConstructionMatch) -> ClauseReading | None:
    """ "39% of all leave in 2024 was taken in the third quarter": a part of the rows, or of those of a longer time."""
    clause, mark, named = match.clause, match.one("percentage"), match.one("series")
    if not (clause.times or clause.cells) or named.start < mark.end:
        return None
    if not all(_has_parts(clause, name) for name in named.series):
        return None
    times, is_crossed = clause.times, not clause.times and len(columns_of(clause.cells)) > 1
    led = rf"| (?:{any_of(clause.words.scope_prepositions)}) " if is_crossed else ""
    owners = [  # "46% of Texel's passengers", "46% of the passengers of Texel"
        m
        for m in clause.cells
        if mark.end <= m.start < named.start
        or re.fullmatch(f"{clause.words.data['part_of']}{led}", clause.text[named.end : m.start], re.IGNORECASE)
    ]
    if owners and (times or is_crossed):
        outer = owners
    elif is_crossed:
        outer = scopes if len(scopes := scope_cells(clause)) < len(clause.cells) else []
    else:
        outer = times if clause.cells else [m for m in times if any(contains_time(m, other) for other in times)]
    wholes = clause.windows(outer) if outer else [ALL_ROWS]
    if is_crossed and not outer:
        wholes += [window for cell in clause.cells for window in clause.windows([cell])]
    shares = []
    for whole in wholes:
        inside = [w for w in match.windows if owners or not whole.start or is_window_within(w, whole)]
        fields = value_fields(mark) | {"compared_with": [*named.series], "compared_window": whole}
        shares += specify(Statistic.SHARE, named.series, inside, **fields)
    return as_one_check(shares)


def _part_of_another(match: ConstructionMatch) -> ClauseReading | None:
    clause, mark = match.clause, match.one("percentage")
    parts = _part_and_whole(clause, mark, match["series"])
    names = {name for named in match["series"] for name in named.series}
    units = {known_unit(clause.table.units.get(name, "")) for name in names}
    if parts is None or len(units) != 1 or not all(_has_parts(clause, name) for name in names):
        return None
    part, whole = parts
    fields = value_fields(mark) | {"compared_with": [*whole.series]}
    shares = (specify(Statistic.SHARE, part.series, [w], compared_window=w, **fields) for w in match.windows)
    return as_one_check(chain.from_iterable(shares))


def _part_and_whole(clause: Clause, mark: Mark, named: tuple[Mark, ...]) -> tuple[Mark, Mark] | None:
    """Which is the part: "5% of B were A", "A were 5% of B", "of all B 5% were A"."""
    first, second = named
    if mark.end <= first.start:
        return (second, first) if _is_part_of(clause, mark, first) else None
    if second.end <= mark.start:
        return None
    if _is_part_of(clause, mark, second):
        return first, second
    led = re.search(rf"^{clause.words.data['part_of_led']}$", clause.text[: first.start], re.IGNORECASE)
    return (second, first) if led else None


def _is_part_of(clause: Clause, mark: Mark, whole: Mark) -> bool:
    """Whether a number is a part of a series: "5% of the calls", "one in five calls"."""
    between = clause.text[mark.end : whole.start]
    one_in = mark.number is not None and mark.number.margin is not None and len(mark.number.text.split()) > 2
    return re.fullmatch(clause.words.data["part_of"], between, re.IGNORECASE) is not None or (one_in and between == " ")


def _has_parts(clause: Clause, name: str) -> bool:
    """Whether the values of a series are parts of a whole: amounts per period, counts, people by place."""
    return can_be_summed(clause, name) or (clause.view.times is None and means(name, "people"))


Sides = list[tuple[Window, Window]]
"""Windows after and before a change."""


def _sizes(clause: Clause) -> list[Mark]:
    """The size or the ends of a change: no level that it got beyond ("has not fallen below 30"), no "fell 3 times"."""
    after = {number: mark for number, mark in pairwise(clause.marks) if "times_as" in mark.kinds}
    times = [n for n, mark in after.items() if not clause.text[n.end : mark.start].strip()]
    return [mark for mark in values_of(clause) if mark not in (*bounds_of(clause), *times)]


@construction(
    Slot.words("up", "down", "flat", "change", "improved", "worsened", most=ANY, name="way"),
    Slot("value", _sizes, 0, 2, is_head=False),
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
    if _is_between_vague_times(clause):
        if match["value"] or measure or direction is None:
            return None
        return as_one_check(specify(Statistic.TREND, names, clause.windows(clause.places), direction=direction))
    reading = _change_checks(clause, names, match["value"], direction, measure)
    if reading is None or (not_ and len(reading.checks) > 1):
        return None
    checks = reading.checks
    if not_:
        checks = (tuple(tuple(replace(spec, negated=not spec.negated) for spec in tier) for tier in checks[0]),)
    return ClauseReading(checks, (*reading.also, *also, *not_, *inner))


def _is_between_vague_times(clause: Clause) -> bool:
    """Whether a change is between two vague times: only a trend is known of "from early March to the end of April"."""
    times = clause.view.times
    return times is not None and any(is_vague(end, times) for m in clause.times if m.time for end in m.time.ends or ())


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
        after = re.compile(any_of(form.partition("{a}")[0] for form in clause.words.data["after"]), re.IGNORECASE)
        if clause.view.times and any(after.match(mark.text) for mark in clause.times):  # the first step is from there
            back = STEPS[unit_of_period(clause.view.times.period)]
            windows = [replace(window, start=window.start and window.start - back) for window in windows]
        return as_one_check(specify(Statistic.STREAK, names, windows, direction=direction), also=steps)
    slopes = specify(Statistic.TREND, names, windows, direction=direction)
    if clause.marks_of("trend") or direction is Direction.FLAT:
        return as_one_check(slopes)
    is_long = not clause.marks_of("than") and all(has_several(clause, window) for window in windows)
    either = slopes if is_long else [*slopes, *ways]
    return as_one_check(ways if any(m.time and m.time.ends for m in clause.times) else either)


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
    right = than if than.time else next((m for m in clause.times if m.start >= than.end), None)
    if right is None or clause.view.times is None:
        return []
    left = [m for m in clause.times if m is not right]
    windows = [window for window in clause.context.windows if window != ALL_ROWS] or [Window(last=1)]
    after = clause.windows([*left, *clause.cells]) if left else windows
    before = clause.windows([right, *clause.cells])
    return [(a, b) for a in after for b in _parts_of_years(clause, [a], before)]


def _parts_of_years(clause: Clause, after: list[Window], before: list[Window]) -> list[Window]:
    """What times are compared with: of a part of a year and "last year" the year, or the same part of it.

    That part alone where the table has no rows of it: then nobody can tell.
    """
    compared = list[Window]()
    for other, window in product(before, after):
        part = other
        if is_one_unit(other, "year") and is_shorter(window, "year") and other.start and window.start:
            part = replace(shifted(window, "year", other.start.year - window.start.year), conditions=other.conditions)
        is_apart = part not in (other, window)
        compared += [other, part] if is_apart and rows_together(clause, part) else [part if is_apart else other]
    return list(dict.fromkeys(compared))


def _row_before(clause: Clause, window: Window) -> Window | None:
    """The period before, where a window is that of one row ("in March" of a monthly table)."""
    times = clause.view.times
    if times is None or window.start is None or not is_row(clause, window):
        return None
    before = window.start - STEPS[unit_of_period(times.period)]
    return Window(start=before, end=Times(before, before, times.period).last_day, conditions=window.conditions)
