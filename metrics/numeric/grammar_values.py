"""Reading values: a value at a time or row, a mean, a sum, an extreme, a rank, a count."""

from dataclasses import dataclass
from functools import partial

from .check import Check, can_be_summed, check, each, is_year_besides, nearest_series, series_of, stated
from .clause import BOUNDS, Clause, Mark, is_count
from .mentions import polarity
from .specification import ALL_ROWS, Condition, Direction, Hedge, Specification, Statistic, Window
from .table import Period

_AGGREGATES = {
    "deviation": Statistic.DEVIATION,
    "range": Statistic.RANGE,
    "median": Statistic.MEDIAN,
    "mean": Statistic.MEAN,
    "sum": Statistic.SUM,
    "latest": Statistic.LATEST,
    "first": Statistic.FIRST,
}
_CHANGES = (
    "up",
    "down",
    "change",
    "difference",
    "double",
    "half",
    "ratio",
    "correlation",
    "anomaly",
    "share",
    "ranged",
)
_INHERITED = (Statistic.MEAN, Statistic.MEDIAN, Statistic.SUM, Statistic.MAXIMUM, Statistic.MINIMUM)
_OPPOSITE = {"gt": Hedge.AT_MOST, "ge": Hedge.LESS_THAN, "lt": Hedge.AT_LEAST, "le": Hedge.MORE_THAN}


def ranged(clause: Clause) -> list[Check] | None:
    """ "Ranged from 10 to 20", "stayed between 10 and 20": the minimum and the maximum."""
    word, numbers = clause.first("ranged"), clause.numbers
    names = series_of(clause)
    if word is None or len(numbers) != 2 or not names:
        return None
    windows = clause.windows(clause.times, clause.cells)
    low, high = numbers
    always = "between" in word.text.lower() or "tussen" in word.text.lower()
    low_value, high_value = stated(low), stated(high)
    if always:  # within the bounds, not up to them
        low_value["hedge"], high_value["hedge"] = Hedge.AT_LEAST, Hedge.AT_MOST
    clause.use(
        [word, *numbers, *clause.times, *clause.cells, *clause.series[:1], *clause.of("changed_to", "all", "than")]
    )
    return [
        check(each(Statistic.MINIMUM, names, windows, **low_value)),
        check(each(Statistic.MAXIMUM, names, windows, **high_value)),
    ]


def aggregate(clause: Clause) -> list[Check] | None:
    """ "The average throughput in March was 41.2 Mbps": a statistic of one series over a window."""
    kinds = [kind for kind in _AGGREGATES if clause.of(kind)]
    if len(kinds) != 1 and set(kinds) != {"mean", "range"}:
        return None
    if clause.of(*_CHANGES, "maximum", "minimum", "than", "none", "all"):
        return None
    word = clause.of(kinds[0])[0]
    numbers = [mark for mark in clause.numbers if mark.number and not mark.number.ordinal]
    names = series_of(clause, _attached(clause, word))
    if len(numbers) != 1 or not names or len(clause.series) > 1:
        return None
    windows = clause.windows(clause.times, clause.cells)
    statistic = _AGGREGATES[kinds[0]]
    clause.use([*clause.of(kinds[0]), *numbers, *clause.times, *clause.cells, *clause.series, *clause.of("count")])
    return [check(each(statistic, names, windows, **stated(numbers[0])))] if windows else None


def _attached(clause: Clause, word: Mark) -> Mark | None:
    return nearest_series(clause, word)


# --- extremes and ranks ---


def extreme(clause: Clause) -> list[Check] | None:
    """ "The highest throughput was 55 Mbps, on 5 March", "Ajax has the most wins", "the second highest crowd"."""
    names = series_of(clause)
    words = clause.of("maximum", "minimum", *(["best", "worst"] if len(names) == 1 and polarity(names[0]) else []))
    others = clause.of(*_CHANGES, "than", "mean", "median", "sum", "deviation", "none")
    if len(words) != 1 or not names or len(clause.series) > 1 or others:
        return None
    word = words[0]
    up = "maximum" in word.kinds or ("best" in word.kinds and polarity(names[0]) == "up")
    up = up or ("worst" in word.kinds and polarity(names[0]) == "down")
    numbers = [mark for mark in clause.numbers if not mark.number.ordinal]  # type: ignore[union-attr]
    years = any(is_year_besides(clause, names, mark) for mark in numbers)
    if len(numbers) > 1 or years or _of_texts(clause, word):
        return None
    place_number, ordinal_mark = _ordinal(clause, word)
    placed, inside = _places(clause, word, numbers[0] if numbers else None)
    windows = clause.windows([m for m in inside if m.time], [m for m in inside if m.cells])
    places = clause.windows([m for m in placed if m.time], [m for m in placed if m.cells]) if placed else []
    if not windows or (not numbers and not places):
        return None
    checks = []
    if place_number > 1:
        if not places:
            return None
        direction = Direction.DOWN if up else Direction.UP
        checks.append(
            check(
                [
                    Specification(Statistic.RANK, n, w, value=place_number, direction=direction, place=p)
                    for n in names
                    for w in windows
                    for p in places
                ]
            )
        )
        if numbers:
            checks.append(check(each(Statistic.VALUE_AT, names, places, **stated(numbers[0]))))
    else:
        if numbers:
            statistic = Statistic.MAXIMUM if up else Statistic.MINIMUM
            checks.append(check(each(statistic, names, windows, **stated(numbers[0]))))
        when = Statistic.TIME_OF_MAXIMUM if up else Statistic.TIME_OF_MINIMUM
        if places:
            checks.append(check([s for p in places for s in each(when, names, windows, place=p)]))
    clause.use([word, ordinal_mark, *numbers, *placed, *inside, *clause.series, *clause.of("first", "all")])
    _use_columns(clause)
    return checks


def _of_texts(clause: Clause, word: Mark) -> bool:
    """Whether the extreme is of a column of texts ("the most points", where they are written as "Jones (35)")."""
    following = _after(clause, word)
    if not following or not following[0].columns or following[0].series:
        return False
    rows = {clause.table.time_column, *map(str, clause.table.labels.columns[:1])}
    return not rows & set(following[0].columns)  # "the worst month", "the smallest department"


def _ordinal(clause: Clause, word: Mark) -> tuple[int, Mark | None]:
    before = clause.text[: word.start].rstrip().lower()
    for text, number in clause.words.data["last_but"].items():
        if before.endswith(text):
            return number, next((m for m in clause.marks if m.end == len(before)), None)
    for mark in clause.numbers:
        if mark.number and mark.number.ordinal and mark.end == len(before):
            return int(mark.number.value), mark
    return 1, None


def _places(clause: Clause, word: Mark, number: Mark | None) -> tuple[list[Mark], list[Mark]]:
    """Where the claim puts the extreme, and what it is the extreme of."""
    marks = [*clause.times, *clause.cells]
    if number is None:
        wide = [m for m in marks if m.time and m.time.ends and len(marks) > 1]
        if not wide and len(marks) > 1:
            wide = [m for m in clause.times if any(_holds(m, other) for other in clause.times if other is not m)]
        return [m for m in marks if m not in wide], wide
    told = clause.of("seen")
    core = max([word.end, *(s.end for s in clause.series if s.end <= number.start)])
    placed, inside = [], []
    for mark in marks:
        single = bool(mark.cells) or _is_row(clause, mark)
        subject = bool(mark.cells) and mark.end <= word.start and not _after_preposition(clause, mark)
        predicate = mark.start >= number.end or mark.time or (core <= mark.start and _after_verb(clause, core, mark))
        said = any(number.end <= word_seen.start < mark.start for word_seen in told)
        if subject or said or (single and predicate):
            placed.append(mark)
        else:
            inside.append(mark)
    return placed, inside


def _holds(outer: Mark, inner: Mark) -> bool:
    a, b = (mark.time.windows[0] if mark.time else ALL_ROWS for mark in (outer, inner))
    return bool(a.start and a.end and b.start and b.end and a != b and a.start <= b.start and b.end <= a.end)


def _is_row(clause: Clause, mark: Mark) -> bool:
    """Whether a time is that of one row."""
    window = mark.time.windows[0] if mark.time else ALL_ROWS
    times = clause.view.times
    if not times or not window.start or not window.end:
        return False
    from .periods import Times

    return window.end <= Times(window.start, window.start, times.period).last_day


def _after_preposition(clause: Clause, mark: Mark) -> bool:
    before = clause.text[: mark.start].rstrip().lower().split()
    while before and before[-1] in ("the", "a", "de", "het"):
        before.pop()
    return bool(before) and before[-1] in (
        "in",
        "for",
        "among",
        "of",
        "voor",
        "van",
        "onder",
        "within",
        "binnen",
        "during",
    )


def _after_verb(clause: Clause, core: int, mark: Mark) -> bool:
    between = clause.text[core : mark.start].lower().split()
    return bool({"be", "was", "is", "were", "werd", "occurred", "came", "viel"} & set(between))


def _use_columns(clause: Clause) -> None:
    """Columns of texts that only say what a row is ("the venue with the largest crowd")."""
    clause.use([mark for mark in clause.marks if mark.columns and not mark.series and not mark.cells])


# --- counts ---


def count_of_values(clause: Clause) -> list[Check] | None:
    """ "On 5 days throughput was above 50 Mbps", "never below 30", "all months at least 10"."""
    bounds = _bounds(clause)
    if len(bounds) != 1 or clause.of(*_CHANGES[2:], "than", "maximum", "minimum", "mean", "median", "sum"):
        return None
    bound = bounds[0]
    names = series_of(clause, nearest_series(clause, bound.mark))
    windows = clause.windows(clause.times, clause.cells)
    counts = [m for m in clause.numbers if m is not bound.mark and m.number and is_count(m.number)]
    negative, every = clause.of("none", "not"), clause.of("all")
    if not names or not windows or len(counts) > 1 or (counts and negative):
        return None
    clause.use(
        [bound.mark, *clause.times, *clause.cells, *clause.series[:1], *clause.of("up", "down", "trend", "only")]
    )
    if counts:
        clause.use([*counts, *clause.of("count", "some", "times_as", "distinct")])
        _use_columns(clause)
        return [check(_counts(names, windows, bound, counts[0]))]
    clause.use([*negative, *every, *clause.of("some", "count")])
    if negative or every:
        value = stated(bound.mark) | ({"hedge": _OPPOSITE[bound.operator]} if negative else {})
        statistic = Statistic.MAXIMUM if bound.is_up is bool(negative) else Statistic.MINIMUM
        return [check(each(statistic, names, windows, **value))]
    return _crossing(clause, names, windows, bound)


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
        if mark.hedge in BOUNDS and mark.number and not _counts_something(clause, mark)
    ]


def _counts_something(clause: Clause, mark: Mark) -> bool:
    """Whether a bound is of a count ("more than 5 days", "more than 1 album") or of a change ("rose more than 20")."""
    number = mark.number
    assert number is not None  # a bound is a number
    noun = any(m.columns and not m.series and not clause.text[mark.end : m.start].strip() for m in _after(clause, mark))
    changed = any(
        m.kinds & {"up", "down"} and mark.hedge_mark and not clause.text[m.end : mark.hedge_mark.start].strip()
        for m in clause.marks
        if mark.hedge_mark and m.end <= mark.hedge_mark.start
    )
    return noun or changed or (is_count(number) and number.unit is not None)


def _after(clause: Clause, mark: Mark) -> list[Mark]:
    return [m for m in clause.marks if m.start >= mark.end]


def _counts(names: list[str], windows: list[Window], bound: _Bound, count: Mark) -> list[Specification]:
    statistic = Statistic.COUNT_ABOVE if bound.is_up else Statistic.COUNT_BELOW
    value = stated(count) | {"unit": None, "decimals": 0}
    return each(statistic, names, windows, **value, **bound.fields())


def _crossing(clause: Clause, names: list[str], windows: list[Window], bound: _Bound) -> list[Check] | None:
    direction = Direction.UP if bound.is_up else Direction.DOWN
    if clause.of("some", "up", "down") or _says_crossing(bound.mark):
        return [check(each(Statistic.CROSSING, names, windows, direction=direction, **bound.fields()))]
    value = stated(bound.mark)
    lowest, highest = (each(s, names, windows, **value) for s in (Statistic.MINIMUM, Statistic.MAXIMUM))
    return [check(each(Statistic.VALUE_AT, names, windows, **value), [*lowest, *highest])]


def _says_crossing(threshold: Mark) -> bool:
    text = threshold.hedge_mark.text.lower() if threshold.hedge_mark else ""
    verbs = ("fell", "fall", "drop", "dip", "rose", "came", "went", "topped", "broke", "zak")
    return text.startswith((*verbs, "daal", "dook", "kwam", "viel", "steeg", "stegen", "door", "uit"))


def count_of_rows(clause: Clause) -> list[Check] | None:
    """ "There are 5 teams", "3 games were played at Lake Oval", "6 elections had a participation above 60"."""
    if clause.of(*_CHANGES, "than", "maximum", "minimum", "mean", "median", "sum", "deviation", "all", "none"):
        return None
    nouns = [mark for mark in clause.marks if mark.columns or mark.kinds & {"days"}]
    counted = [m for m in clause.numbers if m.number and is_count(m.number) and _counts_noun(clause, m, nouns)]
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
    clause.use([count, *used, *clause.times, *clause.cells, *clause.of("count", "sum", "distinct", "only")])
    _use_columns(clause)
    if not windows:
        return None
    if noun is not None:
        columns = [c for c in noun.columns if c in clause.table.labels.columns] or [None]
        apart = [s for c in columns for s in each(Statistic.COUNT, [c], windows, distinct=c is not None, **value)]
        rows = each(Statistic.COUNT, [None], windows, **value)
        return [check(apart if distinct else [*apart, *rows])]
    return [check(each(Statistic.COUNT, [None], windows, **value))]


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
    tests = [Condition(s.series[0], BOUNDS.get(n.hedge, "eq"), n.number.value) for n, s in pairs if n.number]  # type: ignore[arg-type]
    return tests, [mark for pair in pairs for mark in pair]


# --- values ---


def lookup(clause: Clause) -> list[Check] | None:
    """ "On 5 March the throughput was 41.2 Mbps": values of series at a time or a row."""
    if clause.of(
        *_CHANGES, "than", "maximum", "minimum", "median", "deviation", "mean", "all", "none", "higher", "lower"
    ):
        return None
    numbers = [m for m in clause.numbers if m.number and not m.number.ordinal]
    placed = clause.times or clause.cells or clause.scope or clause.of("whole") or clause.table.rows == 1
    windows = clause.windows(clause.times, clause.cells)
    pairs = _pairs(clause, numbers) if numbers and placed and windows else None
    if pairs is None or not all(series_of(clause, series) for _, series in pairs):
        return None
    if any(is_year_besides(clause, series_of(clause, series), number) for number, series in pairs):
        return None
    checks = []
    in_row = partial(_is_row, clause)
    for number, series in pairs:
        names = series_of(clause, series)
        value = stated(number)
        summed = [n for n in names if can_be_summed(clause, n)]
        whole = [*each(Statistic.MEAN, names, windows, **value), *each(Statistic.SUM, summed, windows, **value)]
        if clause.statistic in _INHERITED:
            checks.append(check(each(clause.statistic, names, windows, **value)))
            continue
        if clause.of("count", "whole", "sum") and summed:
            whole = each(Statistic.SUM, summed, windows, **value)
        meant = not clause.times and not clause.cells  # windows of the text before: "then", "that day"
        of_a_row = bool(clause.times) and clause.table.period is not Period.MOMENT and all(map(in_row, clause.times))
        listed = meant or of_a_row or any(w.positions or any(t.operator == "in" for t in w.conditions) for w in windows)
        checks.append(check(each(Statistic.VALUE_AT, names, windows, **value), [] if listed else whole))
    clause.use([*numbers, *clause.times, *clause.cells, *(s for _, s in pairs), *clause.of("count", "sum")])
    _use_columns(clause)
    if clause.of("not") and len(checks) == 1:
        clause.use(clause.of("not"))
        return [checks[0].negated()]
    return checks


def _pairs(clause: Clause, numbers: list[Mark]) -> list[tuple[Mark, Mark | None]] | None:
    """Each number with the series that it is a value of; None where they do not match one to one."""
    if len(numbers) == 1:
        return [(numbers[0], nearest_series(clause, numbers[0]))]
    series = clause.series
    if clause.of("respectively") and len(series) == len(numbers):
        return list(zip(numbers, series, strict=True))
    pairs = [(number, nearest_series(clause, number)) for number in numbers]
    named = [id(each_series) for _, each_series in pairs if each_series is not None]
    return pairs if len(named) == len(pairs) == len(set(named)) else None


def row_with(clause: Clause) -> list[Check] | None:
    """ "The game at Lake Oval had a crowd of 9,000 and a score below 80": whether there is such a row."""
    if clause.of(*_CHANGES, "than", "maximum", "minimum", "median", "deviation", "mean", "sum", "all", "not", "higher"):
        return None
    if clause.of("lower", "only", "respectively", "distinct") or len(clause.series) + len(clause.cells) < 2:
        return None
    numbers = [m for m in clause.numbers if m.number]
    pairs = _beside(clause, numbers)
    if pairs is None or not numbers:
        return None
    tests = [Condition(s.series[0], BOUNDS.get(n.hedge, "eq"), n.number.value) for n, s in pairs if n.number]  # type: ignore[arg-type]
    windows = clause.windows(clause.times, clause.cells, tests)
    no = clause.of("none")
    clause.use([*numbers, *clause.series, *clause.cells, *clause.times, *no, *clause.of("count")])
    _use_columns(clause)
    count = {"value": 0.0} if no else {"value": 1.0, "hedge": Hedge.AT_LEAST}
    return [check(each(Statistic.COUNT, [None], windows, **count))] if windows else None


def _beside(clause: Clause, numbers: list[Mark]) -> list[tuple[Mark, Mark]] | None:
    """Each number with the series right beside it; the one that is left with the series that is left."""
    free = [s for s in clause.series if len(s.series) == 1]
    if len(free) != len(numbers) or len(free) != len(clause.series):
        return None
    pairs: list[tuple[Mark, Mark]] = []
    for number in numbers:
        start = number.hedge_mark.start if number.hedge_mark and number.hedge_mark.end <= number.start else number.start
        before = next((s for s in free if s.end <= start and _only_links(clause.text[s.end : start])), None)
        after = next((s for s in free if number.end <= s.start and not clause.text[number.end : s.start].strip()), None)
        near = before or after
        if near is not None:
            free.remove(near)
            pairs.append((number, near))
    left = [number for number in numbers if number not in [n for n, _ in pairs]]
    return [*pairs, *zip(left, free, strict=True)] if len(left) <= 1 else None


def _only_links(text: str) -> bool:
    links = {"of", "be", "is", "was", "were", "a", "an", "the", "at", "=", ":", "van", "een", "with", "number", "value"}
    return all(word in links for word in text.lower().split())
