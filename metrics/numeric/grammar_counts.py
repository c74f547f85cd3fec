"""Reading counts: of values beyond a bound, of rows, of rows with some values; always and never."""

import re
from dataclasses import dataclass

from .check import (
    CHANGES,
    Check,
    check,
    counts_rows,
    each,
    marks_after,
    nearest_series,
    series_of,
    series_units,
    stated,
    use_columns,
)
from .clause import Clause
from .marks import BOUNDS, Mark, is_count
from .quantities import can_be_in
from .specification import ALL_ROWS, Condition, Direction, Hedge, Specification, Statistic, Window

_OPPOSITE = {"gt": Hedge.AT_MOST, "ge": Hedge.LESS_THAN, "lt": Hedge.AT_LEAST, "le": Hedge.MORE_THAN}


def count_of_values(clause: Clause) -> list[Check] | None:
    """ "On 5 days throughput was above 50 Mbps", "never below 30", "all months at least 10"."""
    bounds = _bounds(clause)
    if len(bounds) != 1 or clause.of(*CHANGES[2:], "than", "maximum", "minimum", "median", "sum"):
        return None
    bound, means = bounds[0], _means_of_rows(clause, bounds[0])
    names = series_of(clause, nearest_series(clause, bound.mark))
    windows = clause.windows(clause.times, clause.cells)
    counts = [m for m in clause.numbers if m is not bound.mark and counts_rows(clause, m)]
    negative, every = clause.of("none", "not"), clause.of("all")
    if means is None or not names or not windows or len(counts) > 1 or (counts and negative):
        return None
    clause.use(
        [bound.mark, *clause.times, *clause.cells, *clause.series[:1], *clause.of("up", "down", "trend", "only")]
    )
    if counts:
        clause.use([*counts, *means, *clause.of("count", "some", "times_as", "distinct")])
        use_columns(clause)
        return [check(_counts(names, windows, bound, counts[0]))]
    once = clause.of("some")
    clause.use([*negative, *every, *once, *clause.of("count")])
    if once and clause.of("only", "exactly") and not negative and not every:
        statistic = Statistic.COUNT_ABOVE if bound.is_up else Statistic.COUNT_BELOW
        return [check(each(statistic, names, windows, value=1.0, **bound.fields()))]
    if negative or every:
        value = stated(bound.mark) | ({"hedge": _OPPOSITE[bound.operator]} if negative else {})
        statistic = Statistic.MAXIMUM if bound.is_up is bool(negative) else Statistic.MINIMUM
        return [check(each(statistic, names, windows, **value))]
    return _crossing(clause, names, windows, bound)


def _means_of_rows(clause: Clause, bound: "_Bound") -> list[Mark] | None:
    """The "average" of "in 6 weeks the average wait was above 15", of each week; None where it may be of all."""
    means = clause.of("mean")
    counted = any(m is not bound.mark and counts_rows(clause, m) for m in clause.numbers)
    named = all(
        any(s.start >= m.end and not clause.text[m.end : s.start].strip() for s in clause.series) for m in means
    )
    return means if not means or (counted and named) else None


@dataclass(frozen=True)
class _Bound:
    """A number that bounds a series ("above 50"), and the test that it makes."""

    mark: Mark
    operator: str

    @property
    def is_up(self) -> bool:
        return self.operator in ("gt", "ge")

    def fields(self) -> dict[str, object]:
        """The bound as the fields of a specification."""
        number = self.mark.number
        assert number is not None  # the mark of a number
        included = self.operator in ("ge", "le")
        return {"threshold": number.value, "threshold_unit": number.unit, "threshold_included": included}


def _bounds(clause: Clause) -> list[_Bound]:
    return [
        _Bound(mark, BOUNDS[mark.hedge])
        for mark in clause.numbers
        if mark.hedge in BOUNDS and mark.number and not (_counts_something(clause, mark) or _multiplies(clause, mark))
    ]


def _multiplies(clause: Clause, mark: Mark) -> bool:
    """Whether a number is a factor: "more than two times as many"."""
    factors = [m for m in clause.of("times_as", "double") if m.start >= mark.end]
    return any(not clause.text[mark.end : m.start].strip() for m in factors)


def _counts_something(clause: Clause, mark: Mark) -> bool:
    """Whether a bound is of a count ("more than 5 days", "more than 1 album") or of a change ("rose more than 20")."""
    number = mark.number
    assert number is not None  # a bound is a number
    noun = any(
        m.columns and not m.series and not clause.text[mark.end : m.start].strip() for m in marks_after(clause, mark)
    )
    changed = any(
        m.kinds & {"up", "down"} and not clause.text[m.end : mark.hedge_mark.start].strip()
        for m in clause.marks
        if mark.hedge_mark and m.end <= mark.hedge_mark.start and not _is_level(clause, mark.hedge_mark)
    )
    counted = is_count(number) and number.unit is not None and number.unit == clause.table.step
    return noun or changed or (counted and number.unit not in series_units(clause))


def _is_level(clause: Clause, hedge: Mark) -> bool:
    """Whether a bound is a level, also after a verb of change: "fallen below 30", not "risen more than 20"."""
    return hedge.text.lower().split()[0] in clause.words.data["levels_beyond"]


def _counts(names: list[str], windows: list[Window], bound: _Bound, count: Mark) -> list[Specification]:
    statistic = Statistic.COUNT_ABOVE if bound.is_up else Statistic.COUNT_BELOW
    value = stated(count) | {"unit": None, "decimals": 0}
    return each(statistic, names, windows, **value, **bound.fields())


def _crossing(clause: Clause, names: list[str], windows: list[Window], bound: _Bound) -> list[Check] | None:
    direction = Direction.UP if bound.is_up else Direction.DOWN
    hedge = bound.mark.hedge_mark
    if hedge is not None and hedge.text.lower().startswith(tuple(clause.words.data["never_led"])):  # "not below 30"
        outermost = Statistic.MINIMUM if bound.is_up else Statistic.MAXIMUM
        return [check(each(outermost, names, windows, **stated(bound.mark)))]
    first = clause.of("first_time")
    if first and clause.times:
        clause.use(first)
        found = [spec for n in names for w in windows for spec in _first_beyond(n, w, bound, direction)]
        return [check(found)]
    if clause.of("some", "up", "down") or _says_crossing(bound.mark):
        return [check(each(Statistic.CROSSING, names, windows, direction=direction, **bound.fields()))]
    value = stated(bound.mark)
    lowest, highest = (each(s, names, windows, **value) for s in (Statistic.MINIMUM, Statistic.MAXIMUM))
    return [check(each(Statistic.VALUE_AT, names, windows, **value), [*lowest, *highest])]


def _first_beyond(name: str, place: Window, bound: _Bound, direction: Direction) -> list[Specification]:
    return [Specification(Statistic.CROSSING, name, ALL_ROWS, direction=direction, place=place, **bound.fields())]  # type: ignore[arg-type]


def _says_crossing(threshold: Mark) -> bool:
    text = threshold.hedge_mark.text.lower() if threshold.hedge_mark else ""
    verbs = ("fell", "fall", "drop", "dip", "rose", "came", "went", "topped", "broke", "zak")
    return text.startswith((*verbs, "daal", "dook", "kwam", "viel", "steeg", "stegen", "door", "uit"))


def count_of_rows(clause: Clause) -> list[Check] | None:
    """ "There are 5 teams", "3 games were played at Lake Oval", "6 elections had a participation above 60"."""
    if clause.of(*CHANGES, "than", "maximum", "minimum", "mean", "median", "sum", "deviation", "all", "none"):
        return None
    nouns = [mark for mark in clause.marks if mark.columns or mark.kinds & {"days"}]
    counted = [m for m in clause.numbers if counts_rows(clause, m) and _counts_noun(clause, m, nouns)]
    if len(counted) != 1:
        return None
    count = counted[0]
    extra, used = _conditions(clause, exclude=count)
    if extra is None:
        return None
    windows = clause.windows(clause.times, clause.cells, extra)
    noun = next((m for m in nouns if m.start >= count.end and m.columns), None)
    distinct = clause.first("distinct")
    value = stated(count) | {"unit": None, "decimals": 0}
    if (
        not windows
        or (noun is None and windows == [ALL_ROWS] and not clause.of("count"))
        or _is_how_often(clause, count)
    ):
        return None  # "that happened on nine days" counts what the text before says
    clause.use([count, *used, *clause.times, *clause.cells, *clause.of("count", "sum", "distinct", "only")])
    use_columns(clause)
    if noun is not None:
        columns: list[str | None] = [c for c in noun.columns if c in clause.table.labels.columns] or [None]
        apart = [s for c in columns for s in each(Statistic.COUNT, [c], windows, distinct=c is not None, **value)]
        rows = each(Statistic.COUNT, [None], windows, **value)
        return [check(apart if distinct else [*apart, *rows])]
    return [check(each(Statistic.COUNT, [None], windows, **value))]


def _is_how_often(clause: Clause, count: Mark) -> bool:
    """Whether a number says how often something was done ("taken out 462 times"), which no row tells."""
    return re.match(clause.words.data["times_word"], clause.text[count.end :], re.IGNORECASE) is not None


def _counts_noun(clause: Clause, mark: Mark, nouns: list[Mark]) -> bool:
    """Whether a number counts what follows it: "5 teams", "5 different teams", "5 days"."""
    if mark.number and mark.number.unit is not None:
        return True
    following = [noun for noun in nouns if noun.start >= mark.end]
    if not following:
        return False
    between = clause.text[mark.end : following[0].start].split()
    return len(between) <= 1


def _conditions(clause: Clause, exclude: Mark) -> tuple[list[Condition] | None, list[Mark]]:
    """The tests of numbers on series, besides one number; None where a number belongs to no series."""
    others = [mark for mark in clause.numbers if mark is not exclude]
    pairs = _beside(clause, others)
    if pairs is None:
        return None, []
    if any(number.hedge not in BOUNDS for number, _ in pairs) and not clause.of("when"):
        return None, []  # "the five weeks gave 226 reports" is no count of weeks with 226
    tests = [Condition(s.series[0], BOUNDS.get(n.hedge, "eq"), n.number.value) for n, s in pairs if n.number]  # type: ignore[arg-type]
    return tests, [mark for pair in pairs for mark in pair]


def row_with(clause: Clause) -> list[Check] | None:
    """ "The game at Lake Oval had a crowd of 9,000 and a score below 80": whether there is such a row."""
    if clause.of(*CHANGES, "than", "maximum", "minimum", "median", "deviation", "mean", "sum", "all", "not", "higher"):
        return None
    if clause.of("lower", "only", "respectively", "distinct") or len(clause.series) + len(clause.cells) < 2:
        return None
    if not clause.of("when", "none") and not any(mark.hedge in BOUNDS for mark in clause.numbers):
        return None
    numbers = [m for m in clause.numbers if m.number]
    pairs = _beside(clause, numbers)
    if pairs is None or not numbers:
        return None
    tests = [Condition(s.series[0], BOUNDS.get(n.hedge, "eq"), n.number.value) for n, s in pairs if n.number]  # type: ignore[arg-type]
    windows = clause.windows(clause.times, clause.cells, tests)
    no = clause.of("none")
    clause.use([*numbers, *clause.series, *clause.cells, *clause.times, *no, *clause.of("count")])
    use_columns(clause)
    count = {"value": 0.0} if no else {"value": 1.0, "hedge": Hedge.AT_LEAST}
    return [check(each(Statistic.COUNT, [None], windows, **count))] if windows else None


def _beside(clause: Clause, numbers: list[Mark]) -> list[tuple[Mark, Mark]] | None:
    """Each number with the series right beside it; the one that is left with the series that is left."""
    free = [s for s in clause.series if len(s.series) == 1]
    if len(free) != len(numbers) or len(free) != len(clause.series):
        return None
    if any(m.number and m.number.unit in ("day", "week", "month", "year") for m in numbers):
        return None  # so many rows
    pairs: list[tuple[Mark, Mark]] = []
    for number in numbers:
        start = number.said_from
        before = next((s for s in free if s.end <= start and _only_links(clause.text[s.end : start])), None)
        after = next((s for s in free if number.end <= s.start and not clause.text[number.end : s.start].strip()), None)
        near = before or after
        if near is not None:
            free.remove(near)
            pairs.append((number, near))
    left = [number for number in numbers if number not in [n for n, _ in pairs]]
    if len(left) > 1:
        return None
    pairs += zip(left, free, strict=True)
    return pairs if all(_fits(clause, number, named) for number, named in pairs) else None


def _fits(clause: Clause, number: Mark, series: Mark) -> bool:
    unit = number.number.unit if number.number else None
    return unit is None or all(can_be_in(clause.table, name, unit) for name in series.series)


def _only_links(text: str) -> bool:
    links = {"of", "be", "is", "was", "were", "a", "an", "the", "at", "=", ":", "van", "een", "with", "number", "value"}
    return all(word in links for word in text.lower().split())
