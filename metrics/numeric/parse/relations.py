"""Constructions of two sides: higher than, twice as high as, the difference between, in how many rows."""

import re
from dataclasses import replace

from ....text.numbers import known_unit
from ..compute.statistics import STATISTICS
from ..specification import Direction, Hedge, Specification, Statistic, Window
from .adjectives import adjective_ways, described_series
from .checks import (
    RELATIONS,
    VALUES,
    can_be_summed,
    check,
    counts_periods,
    counts_rows,
    earlier_check,
    factor_fields,
    hedge_before,
    is_flow,
    series_of,
    specify,
    value_fields,
)
from .clause import Clause
from .construction import ANY, ClauseReading, Construction, ConstructionMatch, Slot, places, series, value, words
from .marks import Mark
from .places import is_other_window, is_pair_of_rows, with_cells

_EXTREMES = {"maximum": Statistic.MAXIMUM, "minimum": Statistic.MINIMUM}
MEANS = {entry.word: entry.statistic for entry in STATISTICS.values() if entry.is_inner}
"""The statistics by which a claim may compare two sides or state a change, by the kind of their words."""
INNER = MEANS | _EXTREMES
_JOINING = {"than", "equal", "double", "half", "times_as", "above", "below", "just_over", "nearly", "outnumbers"}
Side = tuple[list[str], list[Window]]


def _comparison(match: ConstructionMatch) -> ClauseReading | None:
    clause, than, numbers = match.clause, match.one("than"), match["value"]
    ways = adjective_ways(clause, described_series(clause))
    left_marks, right_marks = _split(clause, than)
    sides = _sides(clause, left_marks, right_marks) if ways is not None else None
    cut = numbers and ", " in clause.text[numbers[0].end : than.start]  # "88.8 Mbps, slightly more than on ..."
    if ways is None or sides is None or cut:
        return None
    names = sides[0][0]
    up = [m for m in clause.marks_of("higher", "above", "up", "outnumbers") if m.hedge is Hedge.EXACT] + ways[0]
    down = clause.marks_of("lower", "below", "down") + ways[1]
    up, down = up + [than] * ("just_over" in than.kinds), down + [than] * ("nearly" in than.kinds)
    same, times_as = clause.marks_of("equal"), clause.marks_of("double", "half", "times_as")
    direction = Direction.UP if up and not down else Direction.DOWN if down and not up else None
    inner = [(kind, m) for kind in INNER for m in clause.marks_of(kind)]
    if len({kind for kind, _ in inner}) > 1:
        return None
    statistics = _inner_statistics(clause, inner, names)
    also = [*up, *down, *same, *times_as, *(m for _, m in inner), *left_marks, *right_marks]

    def reading(statistic: Statistic, way: Direction | None, **value: object) -> ClauseReading:
        specs = _specifications(statistic, statistics, sides, direction=way, **value)
        return ClauseReading((check(specs),), tuple(also))

    multiple = _multiple(clause, numbers, times_as)
    if multiple is not None:
        fields, hedging = multiple
        also += hedging
        return reading(Statistic.RATIO, None, **fields)
    if not numbers:
        return reading(Statistic.COMPARISON, direction or Direction.FLAT) if same or direction else None
    if direction is None:
        return None
    return reading(difference_kind(clause, numbers[0], names), direction, **value_fields(numbers[0]))


def _specifications(
    statistic: Statistic, statistics: list[Statistic | None], sides: tuple[Side, Side], **rest: object
) -> list[Specification]:
    (names, windows), (others, compared) = sides
    return [
        Specification(statistic, a, w, side_statistic=inner, compared_with=b, compared_window=v, **rest)  # type: ignore[arg-type]
        for inner in statistics
        for a in names
        for b in others
        for w in windows
        for v in compared
    ]


def _find_than(clause: Clause) -> list[Mark]:
    """The word between the two sides, as a list of at most one."""
    bounds, links = [m.hedge_mark for m in clause.numbers], clause.words.links
    for place, mark in enumerate(clause.marks[:-1]):
        if not mark.kinds & _JOINING or mark in bounds or not any(m.start >= mark.end for m in clause.marks[place:]):
            continue
        text = mark.text.lower()
        ends = re.search(rf"(?<!\w)(?:{links.than_end})$", text) is not None
        ends |= re.search(rf" (?:{links.level_of})(?: \w+)?$", text) is not None  # "below the one at", "boven die van"
        # "three times the overtime of March"
        ends |= "times_as" in mark.kinds and re.search(rf" (?:{links.factor_of})$", text) is not None
        surpasses = "outnumbers" in mark.kinds or re.match(links.surpass, text) is not None
        if mark.kinds & {"than", "equal"} or ends or surpasses:
            return [mark]
    return _find_as(clause)


def _find_as(clause: Clause) -> list[Mark]:
    """The "as" that closes "three times as many calls as"."""
    factor_word = clause.first_mark("double", "half", "times_as", "equal")
    if factor_word is None:
        return []
    closing = re.compile(rf"(?<!\w)(?:{clause.words.links.as_word})(?!\w)", re.IGNORECASE).search(
        clause.text, factor_word.end
    )
    return [Mark(*closing.span(), closing[0], frozenset({"than"}))] if closing else []


def _split(clause: Clause, than: Mark) -> tuple[list[Mark], list[Mark]]:
    """The marks on each side of "than"; "compared with March, ..." has its right side first."""
    things = [m for m in clause.marks if m.series or m.cells or m.time]
    if not clause.text[: than.start].strip():
        if (comma := clause.text.find(", ", than.end)) >= 0:
            return [m for m in things if m.start > comma], [m for m in things if m.end <= comma]
        first = next((m for m in things if m.start >= than.end and not m.series), None)  # "ten opzichte van juni ..."
        return [m for m in things if m is not first], [first] if first else []
    return [m for m in things if m.end <= than.start], [m for m in things if m.start >= than.end]


def _sides(clause: Clause, left: list[Mark], right: list[Mark]) -> tuple[Side, Side] | None:
    """What is compared with what: series with series, rows with rows, or times with times."""
    ls, rs = [m for m in left if m.series], [m for m in right if m.series]
    lc, rc = [m for m in left if m.cells], [m for m in right if m.cells]
    lt, rt = [m for m in left if m.time], [m for m in right if m.time]
    if len(ls) > 1 or len(rs) > 1:
        return None
    names = list(ls[0].series) if ls else list(rs[0].series) if rs else described_series(clause)
    others = list(rs[0].series) if rs and ls else names
    if rs and ls and set(ls[0].series) != set(rs[0].series) and not rc:
        windows = clause.windows([*lt, *rt], lc)
        return ((names, windows), (others, windows)) if windows else None
    if rc:
        columns = {column for m in rc for column, _ in m.cells}
        shared = [m for m in lc if not columns & {column for column, _ in m.cells}]
        if not lc and not lt and clause.continues_sentence:  # "Portside had 42, one more than Eastmoor"
            compared = clause.windows(rt, rc)
            earlier = [w for w in clause.scope if any(is_other_window(w, other) for other in compared)]
            return ((names, earlier), (names, compared)) if names and earlier and compared else None
        if len(lc) == len(shared) or (lt and rt):
            return None
        windows, compared = clause.windows([*lt, *rt], lc), clause.windows([*lt, *rt], [*shared, *rc])
    elif rt:
        compared = clause.windows(rt, lc)
        windows = clause.windows(lt, lc) if lt else [w for c in compared for w in clause.scope if w != c]
    else:
        return None
    return ((names, windows), (names, compared)) if names and windows and compared else None


def _inner_statistics(clause: Clause, inner: list[tuple[str, Mark]], names: list[str]) -> list[Statistic | None]:
    """The statistics to compare: the named one ("the mean of ..."), else the values, or the sums of amounts."""
    if inner:
        return [INNER[inner[0][0]]]
    if clause.statistic in INNER.values():
        return [clause.statistic]
    if (
        clause.marks_of("than")
        and all(is_flow(clause, name) for name in names)
        and not clause.times
        and not clause.cells
    ):
        return [Statistic.SUM]  # "173 more were opened than closed"
    weekdays = any(m.time and m.time.windows[0].weekdays for m in clause.times)
    summed = any(can_be_summed(clause, name) for name in names) and not weekdays and not clause.marks_of("per_row")
    if summed and all(is_flow(clause, name) for name in names) and clause.view.times is not None:
        return [Statistic.SUM]  # "1,440 m3 more than the year before"
    return [None, Statistic.SUM] if summed else [None]


def _multiple(
    clause: Clause, numbers: tuple[Mark, ...], words: list[Mark]
) -> tuple[dict[str, object], list[Mark]] | None:
    """ "Twice", "half", "3 times as": the value of a ratio, and the word that hedges it."""
    if not words:
        return None
    word = words[0]
    if "times_as" in word.kinds and numbers:
        number = numbers[0].number
        assert number is not None  # numbers have one
        value = value_fields(numbers[0]) | {"unit": None}
        return (value | factor_fields(number.value, numbers[0].hedge) if number.decimals <= 0 else value), []
    if numbers or not word.kinds & {"double", "half"}:
        return None
    hedge, hedging = hedge_before(clause, word)
    return factor_fields(2.0 if "double" in word.kinds else 0.5, hedge), hedging


def difference_kind(clause: Clause, number: Mark, names: list[str]) -> Statistic:
    """Whether a size is a difference or a percent change: percents of a series in percent are points."""
    units = {known_unit(clause.table.units.get(name, "")) for name in names}
    percent = number.number is not None and number.number.unit == "%" and "%" not in units
    return Statistic.PERCENT_CHANGE if percent else Statistic.DIFFERENCE


def _difference(match: ConstructionMatch) -> ClauseReading | None:
    clause, mark = match.clause, match.one("value")
    earlier, number = _earlier_pair(clause), mark.number
    sides = (_side(earlier[0]), _side(earlier[1])) if earlier else _pair(clause)
    if sides is None or sides[0] == sides[1] or number is None:
        return None
    kind = next(kind for kind in ("ratio", "share", "difference") if clause.marks_of(kind))
    if kind == "share" and (clause.marks_of("sum") or (clause.cells and not is_pair_of_rows(clause))):
        return None  # "North and South accounted for 75%", "November and December together made up a quarter"
    statistic = Statistic.DIFFERENCE if kind == "difference" else Statistic.RATIO
    value = value_fields(mark)
    if kind == "share" and (whole := _whole_after(clause)) is not None:
        sides = (sides[1], sides[0]) if set(sides[0][0]) == set(whole.series) != set(sides[1][0]) else sides
    if statistic is Statistic.RATIO and number.unit == "%":
        value |= {"value": number.value / 100, "decimals": number.decimals + 2, "unit": None}
    elif kind == "difference" and number.unit == "%":
        statistic = difference_kind(clause, mark, sides[0][0])
    inner = [k for k in MEANS if clause.marks_of(k)]
    if earlier:
        side_statistic = earlier[0].statistic if earlier[0].statistic in MEANS.values() else None
    else:  # rows of one name are not averaged
        side_statistic = MEANS[inner[0]] if inner else Statistic.VALUE_AT if clause.cells else None
    also = [*clause.marks_of(*inner), *(clause.marks_of("the_two", "changed_to") if earlier else ())]
    return ClauseReading((check(_specifications(statistic, [side_statistic], sides, **value)),), tuple(also))


def _side(earlier: Specification) -> Side:
    return [earlier.series] if earlier.series else [], [earlier.window]


def _whole_after(clause: Clause) -> Mark | None:
    """The series that stands right after the last "as a percentage of"."""
    head = clause.marks_of("share")[-1]
    after = [m for m in clause.marks if m.series and m.start >= head.end]
    before = [m for m in clause.marks if m.series and m.end <= head.start]
    return after[0] if after and before else None


def _earlier_pair(clause: Clause) -> tuple[Specification, Specification] | None:
    """What "the two" are: the sides of the relation, or the two values, of the text before."""
    if not clause.marks_of("the_two") or clause.times:
        return None
    named = clause.series[0].series if clause.series else ()
    relation = next((spec for spec in clause.earlier_checks if spec.statistic in RELATIONS), None)
    if relation is not None:
        inner = relation.side_statistic or Statistic.VALUE_AT
        other, window = relation.compared_with or relation.series, relation.compared_window or relation.window
        pair = [replace(relation, statistic=inner), replace(relation, statistic=inner, series=other, window=window)]
    else:
        values = {
            (s.series, s.window): s for s in clause.earlier_checks if s.value is not None and s.statistic in VALUES
        }
        pair = list(values.values())[::-1]
    if len(pair) != 2 or pair[0].statistic is not pair[1].statistic or (named and pair[0].series not in named):
        return None
    return pair[0], pair[1]


def _pair(clause: Clause) -> tuple[Side, Side] | None:
    """The two things that a clause names side by side: series, rows or times."""
    named, cells, times = clause.series, clause.cells, clause.times
    if len(named) == 2:
        windows = clause.windows(times, cells)
        return ((list(named[0].series), windows), (list(named[1].series), windows)) if windows else None
    names = series_of(clause)
    if not names:
        return None
    if len(times) == 1 and times[0].time and times[0].time.ends:
        begin, end = times[0].time.ends
        return (names, with_cells(end, clause, cells)), (names, with_cells(begin, clause, cells))
    if len(times) == 2 and not cells:
        a, b = (list(m.time.windows) for m in times if m.time)
        return (names, a), (names, b)
    if len(cells) == 2 and {c for c, _ in cells[0].cells} & {c for c, _ in cells[1].cells}:
        return (names, clause.windows(times, cells[:1])), (names, clause.windows(times, cells[1:]))
    return None


def _both_sides(match: ConstructionMatch) -> ClauseReading | None:
    clause, (first, second) = match.clause, match["value"]
    if clause.marks_of("changed_to"):  # "from 2,189 to 1,926"
        first, second = second, first
    earlier = earlier_check(clause, RELATIONS)
    if earlier is None:
        return None
    inner = [kind for kind in ("mean", "sum") if clause.marks_of(kind)]
    inner_statistics = [MEANS[kind] for kind in inner[:1]]
    either = [Statistic.VALUE_AT, Statistic.MEAN, Statistic.SUM]
    statistics = inner_statistics or ([earlier.side_statistic] if earlier.side_statistic else either)
    other, compared = earlier.compared_with or earlier.series, earlier.compared_window or earlier.window
    one = value_fields(first)
    if second.number:
        one["unit"] = one["unit"] or second.number.unit  # "55 against 42 minutes"
    return ClauseReading(
        (
            check(*[specify(statistic, [earlier.series], [earlier.window], **one) for statistic in statistics]),
            check(*[specify(statistic, [other], [compared], **value_fields(second)) for statistic in statistics]),
        ),
        tuple(clause.marks_of(*inner)),
    )


def _rows_compared(match: ConstructionMatch) -> ClauseReading | None:
    clause, (count,), (than,) = match.clause, match["row_count"], match["than"]
    first, second = match["series"]
    up = {bool(m.kinds & {"higher", "above", "outnumbers"}) for m in match["direction"]}
    if len(up) != 1 or not counts_periods(clause, count) or not first.end <= than.start < than.end <= second.start:
        return None
    statistic = Statistic.COUNT_ABOVE if up == {True} else Statistic.COUNT_BELOW
    value = value_fields(count) | {"unit": None, "decimals": 0}
    specifications = [
        Specification(statistic, a, w, compared_with=b, **value)  # type: ignore[arg-type]
        for a in first.series
        for b in second.series
        for w in clause.windows(clause.times, clause.cells)
    ]
    return ClauseReading((check(specifications),))


def _row_counts(clause: Clause) -> list[Mark]:
    return [mark for mark in clause.numbers if counts_rows(clause, mark)]


CONSTRUCTIONS = (
    Construction(
        "comparison",
        (Slot("than", _find_than),),
        (value(0, 1),),
        ("difference", "change", "count", "ratio", "per_row"),
        _comparison,
    ),
    Construction(
        "difference",
        (words("difference", "ratio", "share", most=ANY, name="relation"),),
        (value(), series(0, 2), places()),
        ("than", "change"),
        _difference,
    ),
    Construction(
        "both_sides", (), (value(2, 2), series(0, 0), places(0, 0)), ("than", "changed_to", "count"), _both_sides
    ),
    Construction(
        "rows_compared",
        (
            Slot("than", lambda clause: clause.marks_of("than", "outnumbers")[:1]),
            words("higher", "above", "lower", "below", "outnumbers", most=ANY, name="direction"),
            Slot("row_count", _row_counts),
        ),
        (series(2, 2), places()),
        ("count", "days", "all"),
        _rows_compared,
    ),
)
