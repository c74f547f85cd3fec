"""Constructions of a value, and of the highest and the lowest."""

import re
from dataclasses import replace
from itertools import pairwise, product

from .construction import (
    ANY,
    VALUES,
    Clause,
    ClauseCheck,
    ClauseReading,
    ConstructionMatch,
    Slot,
    as_one_check,
    bounds_of,
    can_be_summed,
    can_describe,
    check,
    columns_of,
    construction,
    contains_time,
    count_fields,
    counts_periods,
    counts_rows,
    earlier_check,
    has_several,
    is_before_rows,
    is_counted,
    is_flow,
    is_other_window,
    is_row,
    nearest_series,
    rows_together,
    scope_cells,
    series_of,
    specify,
    value_fields,
)
from .lexicon import polarity, shared_stems, stem_of
from .marks import Mark
from .statistics import STATISTICS
from .table import (
    ALL_ROWS,
    BOUNDS,
    PLACE_OF,
    STEPS,
    Direction,
    Hedge,
    Period,
    Statistic,
    Unverifiable,
    Window,
    rows_of,
    values_of as values_in,
)

_STATISTICS = {entry.word: entry.statistic for entry in STATISTICS.values() if entry.word}
_INHERITED = (Statistic.MEAN, Statistic.MEDIAN, Statistic.SUM, Statistic.MAXIMUM, Statistic.MINIMUM)
_OPPOSITE = {"gt": Hedge.AT_MOST, "ge": Hedge.LESS_THAN, "lt": Hedge.AT_LEAST, "le": Hedge.MORE_THAN}


@construction(
    Slot.words(*_STATISTICS, "per_row", most=ANY, name="statistic"), Slot.value(), optional="count column both all"
)
def _aggregate(match: ConstructionMatch) -> ClauseReading | None:
    clause = match.clause
    kinds = [kind for kind in _STATISTICS if clause.marks_of(kind)]
    if not kinds and bounds_of(clause):
        return None  # "stayed under 18,000 a month" is of each
    if clause.marks_of("per_row") and set(kinds) <= {"mean", "sum"}:
        kinds = ["mean"]  # "together they took 6,520 hours a year on average"
    if len(kinds) != 1 or (clause.marks_of("all") and clause.cells):
        return None  # "the total of all the liabilities" is not of the row of that name
    statistic_word = clause.first_mark(kinds[0]) or match.one("statistic")
    names = series_of(clause, nearest_series(clause, statistic_word))
    return as_one_check(specify(_STATISTICS[kinds[0]], names, match.windows, **value_fields(match.one("value"))))


@construction(Slot.value(most=ANY), series=None, optional="count sum column")
def _lookup(match: ConstructionMatch) -> ClauseReading | None:
    clause, numbers = match.clause, match["value"]
    if clause.series and re.match(rf"{clause.words.data['part_of_led']}$", clause.text[: clause.series[0].start], re.I):
        return None  # "of the donations, 60,000 came from legacies"
    is_placed = (
        clause.times or clause.cells or clause.context.windows or clause.marks_of("whole") or clause.table.rows == 1
    )
    over_time = clause.view.times is not None and all(is_flow(clause, name) for name in match.names)
    pairs = _pairs(clause, numbers)
    named = {mark for _, mark in pairs if mark is not None}
    if not (is_placed or over_time) or (len(pairs) > 1 and len(named) < len(pairs)):
        return None
    checks = [_value(clause, number, series_of(clause, mark), match.windows) for number, mark in pairs]
    return ClauseReading(tuple(checks), tuple(named))


def _pairs(clause: Clause, numbers: tuple[Mark, ...]) -> list[tuple[Mark, Mark | None]]:
    """Each number with its series: those that take turns in order ("revenue was 12 (users: 150)"), else the nearest."""
    named, both = clause.series, sorted((*clause.series, *numbers), key=lambda mark: mark.start)
    if len(named) == len(numbers) and all(bool(a.series) is not bool(b.series) for a, b in pairwise(both)):
        return list(zip(numbers, named, strict=True))
    return [(number, nearest_series(clause, number)) for number in numbers]


def _value(clause: Clause, number: Mark, names: list[str], windows: list[Window]) -> ClauseCheck:
    """A value over windows: of their one row, else their sum, or their mean where that is what it can be."""
    value = value_fields(number)
    if clause.context.statistic in _INHERITED:
        return check(specify(clause.context.statistic, names, windows, **value))
    are_flows = all(is_flow(clause, name) for name in names)
    are_rows = _are_rows(clause, windows, are_flows=are_flows)
    if are_rows and not (clause.times and any(not w.positions and has_several(clause, w) for w in windows)):
        return check(specify(Statistic.VALUE_AT, names, windows, **value))
    is_total = are_flows or bool(clause.marks_of("count", "whole", "sum"))
    of_one, over_rows = [], []
    for name, window in product(names, windows):
        try:
            stated = clause.table.as_held(name, number.stated.value, number.unit)
            rows = values_in(clause.table, name, rows_of(clause.table, window))
            is_one, is_above_all = bool(rows.min() == rows.max()), stated > float(rows.max())
            are_alike = is_one and len(rows) > 1
        except Unverifiable:  # which the computation reports
            is_one, is_above_all, are_alike = True, True, False
        is_sum = can_be_summed(clause, name) and (is_total or is_above_all)
        over = Statistic.SUM if is_sum else Statistic.VALUE_AT if are_rows else Statistic.MEAN
        several = specify(over, [name], [window], **value)
        is_one &= not (is_sum and clause.marks_of("whole", "sum"))
        of_one += specify(Statistic.VALUE_AT, [name], [window], **value) if is_one else []
        of_one += several if are_alike else []  # each of them, or together
        over_rows += several
    if any(window.in_scene for window in windows):
        return check([*of_one, *over_rows])  # "In July there were 100. Utrecht had 60": in July, or in all
    return check(of_one, over_rows)


def _are_rows(clause: Clause, windows: list[Window], *, are_flows: bool) -> bool:
    """Whether windows are of one row each, as they are named, or are those of the text before ("then", "that day")."""
    are_listed = any(w.positions or any(len(test.texts) > 1 for test in w.conditions) for w in windows)
    if are_listed and not any(mark.ends for mark in clause.cells):
        return True
    if clause.times:
        return clause.table.period is not Period.MOMENT and all(is_row(clause, mark.window) for mark in clause.times)
    return bool(
        not clause.cells and clause.context.windows and not clause.marks_of("whole", "all_rows") and not are_flows
    )


def _threshold_fields(bound: Mark) -> dict[str, object]:
    """A bound as the fields of a specification."""
    fields, is_included = value_fields(bound), BOUNDS[bound.hedge] in ("ge", "le")
    return {"threshold": fields["value"], "threshold_unit": fields["unit"], "threshold_included": is_included}


def _counts_beside_bounds(clause: Clause) -> list[Mark]:
    bounds = bounds_of(clause)
    return [m for m in clause.numbers if m not in bounds and counts_rows(clause, m)]


@construction(
    Slot("bound", bounds_of),
    Slot("count", _counts_beside_bounds),
    optional="up down trend count some times_as distinct column mean",
)
def _count_of_values(match: ConstructionMatch) -> ClauseReading | None:
    clause, bound = match.clause, match.one("bound")
    names = series_of(clause, nearest_series(clause, bound))
    statistic = Statistic.COUNT_ABOVE if BOUNDS[bound.hedge] in ("gt", "ge") else Statistic.COUNT_BELOW
    fields = count_fields(match.one("count")) | _threshold_fields(bound)
    return as_one_check(specify(statistic, names, match.windows, **fields))


@construction(
    Slot("bound", bounds_of),
    Slot.words("none", "not", "all", least=0, most=ANY, name="quantifier"),
    Slot.words("first_time", least=0),
    Slot("count", _counts_beside_bounds, 0, 0, is_head=False),
    optional="up down trend count some per_row",
)
def _bound(match: ConstructionMatch) -> ClauseReading | None:
    """ "Was above 50" somewhere, "never above 50", "always above 50", "in May above 50 for the first time"."""
    clause, bound = match.clause, match.one("bound")
    names, only = series_of(clause, nearest_series(clause, bound)), clause.marks_of("only")
    value, is_lower = value_fields(bound), BOUNDS[bound.hedge] in ("gt", "ge")
    if match["quantifier"]:
        first, last = match["quantifier"][0], match["quantifier"][-1]
        between = clause.text[first.end : last.start].lower()
        if "all" in last.kinds and "," in between:
            first = last  # "not really, all were above 50"
        of_all = {"all" in mark.kinds for mark in (first, last)}
        if len(of_all) == 2 and ("all" in first.kinds or {*between.split()} - clause.words.scope_prepositions):
            return None  # "all were not above 50" may be said of each, or of all together
        value |= {} if "all" in first.kinds else {"hedge": _OPPOSITE[BOUNDS[bound.hedge]]}
        is_of_highest = is_lower is (True not in of_all)  # "not all were above 50": the lowest was not
    elif bound.hedge_mark and bound.hedge_mark.text.lower().startswith(tuple(clause.words.data["never_led"])):
        is_of_highest = not is_lower  # "not below 30"
    elif match["first_time"] or clause.marks_of("some", "up", "down"):
        crossing = _threshold_fields(bound) | {"direction": Direction.UP if is_lower else Direction.DOWN}
        if match["first_time"]:
            return as_one_check(specify(Statistic.CROSSING, names, [ALL_ROWS], place=match.windows, **crossing))
        return as_one_check(specify(Statistic.CROSSING, names, match.windows, **crossing))
    else:
        outer = Statistic.MINIMUM if is_lower else Statistic.MAXIMUM
        either = [outer] if only else [Statistic.MINIMUM, Statistic.MAXIMUM]  # only: each of the named rows
        ends = (specify(end, names, match.windows, **value) for end in either)
        values = specify(Statistic.VALUE_AT, names, match.windows, **value)
        if re.search(rf"\b(?:{clause.words.links.reached})$", bound.hedge_mark.text if bound.hedge_mark else "", re.I):
            values += specify(Statistic.VALUE_AT, names, match.windows, **value | {"hedge": Hedge.EXACT})  # "up to 50"
        over_rows = [spec for specs in ends for spec in specs]
        if not only and _may_bound_sum(clause, bound):
            over_rows += specify(Statistic.SUM, [n for n in names if can_be_summed(clause, n)], match.windows, **value)
        checks = [check(values, over_rows)]
        if only:  # "only March was above 50": March was, and no more rows than are named
            beyond = Statistic.COUNT_ABOVE if is_lower else Statistic.COUNT_BELOW
            fields = _threshold_fields(bound) | {"value": float(len(clause.places))}
            others = [replace(ALL_ROWS, without=window.without) for window in match.windows]
            checks.append(check(specify(beyond, names, others, **fields)))
            if any(rows_together(clause, window) != len(clause.places) for window in match.windows):
                return None  # "in 2025 only March": which others are meant is not said
        return ClauseReading(tuple(checks), tuple(only))
    outermost = Statistic.MAXIMUM if is_of_highest else Statistic.MINIMUM
    return as_one_check(specify(outermost, names, match.windows, **value))


def _may_bound_sum(clause: Clause, bound: Mark) -> bool:
    """Whether a bound may be of the rows together: "more than 12,000 visitors in 2025".

    An upper bound is so only where it counts what the series counts: "fewer than 4,000 visitors", but not "visitors
    stayed below 4,000".
    """
    if clause.marks_of("per_row"):
        return False
    after = [mark for mark in clause.series if mark.start >= bound.end]
    is_followed = any(not clause.text[bound.end : mark.start].strip() for mark in after)
    is_lower = BOUNDS[bound.hedge] in ("gt", "ge")
    return is_lower or is_followed or bool(not clause.series and clause.marks_of("count"))


@construction(
    Slot.words("missing", "measured", most=ANY, name="missing"),
    Slot.number(0, 1),
    optional="count some distinct column",
)
def _missing(match: ConstructionMatch) -> ClauseReading | None:
    clause, names, numbers = match.clause, match.names, match["number"]
    missing, none = clause.marks_of("missing"), clause.marks_of("none", "not")
    if not all(counts_rows(clause, m) and counts_periods(clause, m) for m in numbers):
        return None
    windows = match.windows[:1]  # the likeliest: "voor 21 april" is of that day
    also = (*missing, *none, *clause.marks_of("measured"))
    if numbers:
        statistic = Statistic.MISSING if missing or none else Statistic.COUNT
        return as_one_check(specify(statistic, names, windows, **count_fields(numbers[0])), also=also)
    if none and (missing or all(is_counted(clause, name) for name in names)):
        return None  # "no values are missing"; "no outages were reported" is a count of 0
    if (missing or none) and (clause.times or clause.cells):
        return as_one_check(specify(Statistic.COUNT, names, windows, value=0.0), also=also)
    if not missing:
        return None
    return as_one_check(specify(Statistic.MISSING, names, windows, value=1.0, hedge=Hedge.AT_LEAST), also=also)


_MORE, _LESS = frozenset({"maximum", "best"}), frozenset({"minimum", "worst"})
_MORE_THAN, _LESS_THAN = frozenset({"higher", "above"}), frozenset({"lower", "below"})


def _extremes(clause: Clause) -> list[Mark]:
    """The words for an extreme; "more than any other" is one."""
    extremes = clause.marks_of(*_MORE, *_LESS)
    return extremes or (clause.marks_of(*_MORE_THAN, *_LESS_THAN) if clause.marks_of("any_other") else [])


@construction(Slot("extreme", _extremes), Slot.value(0, 1), optional="first all count per_row column")
def _extreme(match: ConstructionMatch) -> ClauseReading | None:
    clause, word, names = match.clause, match.one("extreme"), match.names
    counts = [m for m in clause.numbers if counts_rows(clause, m) and (m.unit in STEPS or is_before_rows(clause, m))]
    numbers = tuple(mark for mark in match["value"] if mark not in counts)
    up, places = _is_up(word, names), _places(clause, word, numbers[0] if numbers else None)
    if up is None or places is None or not _can_be_of(clause, word, names):
        return None
    rank, ordinal = _ordinal(clause, word)
    placed, inside = places
    if inside and not placed and clause.cells and 1 in (rows_together(clause, window) for window in match.windows):
        placed, inside = inside, []  # "lowest in Linden, at 12%": of one row there is no lowest
    windows, spots = clause.windows(inside), clause.windows(placed) if placed else []
    named = {len(spot.parts) for spot in spots if spot.parts}
    several = any(spot.positions or any(len(test.texts) > 1 for test in spot.conditions) for spot in spots)
    no_list = several and not named and not clause.is_list(placed, clause.words.data["days_listed_by"])
    if no_list or (counts and named != {count.stated.value for count in counts}):
        return None  # "Linden had the most beside Orchard" is not "Linden or Orchard had the most"
    also, every = [*ordinal, *counts], [replace(ALL_ROWS, without=window.without) for window in windows]
    if clause.marks_of("any_other"):
        if numbers:
            return None  # ", more than any other" says where, and the number before it is a check of its own
        windows = windows if inside else every
        earlier = earlier_check(clause, VALUES)
        if not spots and earlier and earlier.window != ALL_ROWS and earlier.series in names:
            spots = [earlier.window]  # ", more than in any other month": than in that of the value before
            windows = windows if inside else _rows_of_others(clause, earlier.window)
        also += clause.marks_of("any_other", "than", "whole", "others")
    if rank > 1 and not spots:
        return None
    if not inside and spots:  # the text before may be about another time
        windows = [w for w in windows if not any(is_other_window(w, spot) for spot in spots)] or every
    if rank > 1:
        way = Direction.DOWN if up else Direction.UP
        return ClauseReading(_rank_checks(names, windows, spots, (rank, way), numbers), tuple(also))
    statistic = Statistic.MAXIMUM if up else Statistic.MINIMUM
    values, of = [statistic], spots if named else windows
    if named:  # what each of several rows has, else all together
        values = [Statistic.VALUE_AT, *[Statistic.SUM] * all(can_be_summed(clause, name) for name in names)]
    checks = [check(*(specify(value, names, of, **value_fields(mark)) for value in values)) for mark in numbers]
    if spots:
        checks.append(check(specify(PLACE_OF[statistic], names, windows, place=spots)))
    return ClauseReading(tuple(checks), tuple(also))


def _rows_of_others(clause: Clause, row: Window) -> list[Window]:
    """The rows that "any other" is said of: beside a city in February "any other city" is of all cities in February.

    "Any other month" is of all months of the city.
    """
    noun = clause.marks_of("any_other")[0].text.lower().split()[-1]
    if not row.conditions or clause.words.kinds["days"].fullmatch(noun):
        return [Window(conditions=row.conditions)]
    stem = stem_of(noun, clause.language)
    named = [test for test in row.conditions if stem in shared_stems([test.column], clause.language)]
    return [
        replace(row, conditions=tuple(test for test in row.conditions if test is not varied))
        for varied in named or row.conditions
    ]


def _rank_checks(
    names: list[str],
    windows: list[Window],
    spots: list[Window],
    rank_and_way: tuple[int, Direction],
    numbers: tuple[Mark, ...],
) -> tuple[ClauseCheck, ...]:
    rank, way = rank_and_way
    ranks = specify(Statistic.RANK, names, windows, place=spots, value=rank, direction=way)
    return (check(ranks), *(check(specify(Statistic.VALUE_AT, names, spots, **value_fields(m))) for m in numbers))


def _is_up(word: Mark, names: list[str]) -> bool | None:
    """Whether an extreme is the highest; None of a "best" of series that do not say whether more is better."""
    if word.kinds & {"maximum", "minimum", *_MORE_THAN, *_LESS_THAN}:
        return bool(word.kinds & {"maximum", *_MORE_THAN})
    way = polarity(names[0]) if len(names) == 1 else None
    return None if way is None else (way == "up") is ("best" in word.kinds)


def _can_be_of(clause: Clause, word: Mark, names: list[str]) -> bool:
    """Whether an extreme is of the series: not "the coldest month" of another quantity, nor "the most" of texts."""
    quantities = [quantity for quantity, forms in clause.words.extremes_of.items() if forms.fullmatch(word.text)]
    following = next((m for m in clause.marks if m.start >= word.end), None)
    rows = {clause.table.time_column, *map(str, clause.table.labels.columns[:1])}  # "the worst month"
    if "majority" in word.kinds:
        rows = set()  # "most hives"
    if following and not following.series and following.columns and not rows & set(following.columns):
        return False
    of_rows = _periods_of(clause, word, following) <= {clause.table.step}
    return of_rows and all(can_describe(clause, quantity, name) for quantity in quantities for name in names)


def _periods_of(clause: Clause, word: Mark, following: Mark | None) -> set[str]:
    """The unit of time that an extreme is of: "the busiest week", "the week with the most visitors"."""
    if not clause.view.times:
        return set()
    words, before = clause.words, [mark for mark in clause.marks if mark.end <= word.start]
    beside = before[-2:-1] if before and "when" in before[-1].kinds else []
    if following and not set(clause.text[word.end : following.start].lower().split()) & words.scope_prepositions:
        beside.append(following)
    named = {words.data["periods"].get(mark.text.lower()) for mark in beside if "days" in mark.kinds}
    named |= {"week" for mark in beside if len(mark.window.weekdays) > 1}  # "the quietest weekend"
    return named & STEPS.keys()


def _ordinal(clause: Clause, word: Mark) -> tuple[int, list[Mark]]:
    """The ordinal before an extreme ("the second highest") and its mark, as a list; 1 without an ordinal."""
    before = clause.text[: word.start].rstrip().lower()
    for article in clause.words.articles:  # "op één na de beste"
        before = before.removesuffix(f" {article}")
    mark = next((m for m in clause.marks if m.end == len(before)), None)
    for text, rank in clause.words.data["last_but"].items():
        if mark and before.endswith(text):
            return rank, [mark]
    if mark and mark.number and mark.number.ordinal:
        return int(mark.number.value), [mark]
    return 1, []


def _places(clause: Clause, word: Mark, number: Mark | None) -> tuple[list[Mark], list[Mark]] | None:
    """Where the claim puts the extreme, and what it is the extreme of; None where cells of two columns do not tell."""
    inside = scope_cells(clause) if len(columns_of(clause.places)) > 1 else []
    placed = [mark for mark in clause.cells if mark not in inside]
    if inside and clause.times and not placed and inside[-1].end <= word.start:
        return None  # "in Utrecht it was highest in July": of its months, or of all cities
    if not clause.times and len(columns_of(clause.cells)) > 1:
        tells = inside and placed and not columns_of(inside) & columns_of(placed)
        is_said = tells and (inside[0].start < placed[0].start or any(m.start >= word.end for m in clause.series))
        return (placed, inside) if is_said else None

    def is_place(mark: Mark) -> bool:
        if number is None:
            is_span = mark.ends is not None or (mark.time is not None and mark.time.ends is not None)
            if mark.time and clause.cells and has_several(clause, *clause.windows([mark])):
                return False  # "in the first quarter South had the highest": of that quarter's rows
            return len(clause.places) == 1 or not (is_span or any(contains_time(mark, other) for other in clause.times))
        if mark.cells:
            return not mark.ends and (
                mark.end <= word.start or mark.start >= number.end or _is_predicate_of(clause, mark, number)
            )
        return is_row(clause, mark.window)

    placed = [mark for mark in clause.places if is_place(mark)]
    return placed, [mark for mark in clause.places if mark not in placed]


def _is_predicate_of(clause: Clause, place: Mark, number: Mark) -> bool:
    """Whether a row between an extreme and its number is where it was: "the fewest calls were in Linden, 43"."""
    start = max(mark.end for mark in clause.marks if mark.end <= place.start)
    led = clause.text[start : place.start].split()
    return len(led) > 1 and re.match(r"\s*[,:;(–—]", clause.text[place.end : number.start_with_hedge]) is not None


@construction(
    Slot.words("rank", most=ANY),
    Slot("ordinal", lambda clause: [m for m in clause.numbers if m.stated.ordinal]),
    Slot.value(0, 1),
    series=(1, 1),
    places=(1, ANY),
    optional="count all column",
)
def _rank(match: ConstructionMatch) -> ClauseReading | None:
    rank = (int(match.one("ordinal").stated.value), Direction.DOWN)
    return ClauseReading(_rank_checks(match.names, [ALL_ROWS], match.windows, rank, match["value"]))


@construction(Slot.words("ranged"), Slot.number(2, 2), optional="changed_to all than per_row count")
def _ranged(match: ConstructionMatch) -> ClauseReading | None:
    """ "Ranged from 12 to 18" states the extremes, "stayed between 10 and 20" bounds that hold.

    "Ranged from 12 in March to 18 in May" says where they are, too.
    """
    clause, (first, last), within = match.clause, match["number"], match.clause.words.links.within
    is_within = re.search(rf"\b(?:{within})\b", match.one("ranged").text, re.IGNORECASE)
    beside = [m for m in clause.places if m.start > first.end]
    is_placed = (
        not is_within and len(clause.places) == len(beside) == 2 and beside[0].end < last.start < beside[1].start
    )
    windows = clause.windows([]) if is_placed else match.windows
    ends, checks = ((Statistic.MINIMUM, Hedge.AT_LEAST), (Statistic.MAXIMUM, Hedge.AT_MOST)), []
    for place, ((end, bound), mark) in enumerate(zip(ends, (first, last), strict=True)):
        fields = value_fields(mark) | ({"hedge": bound} if is_within else {})
        checks.append(check(specify(end, match.names, windows, **fields)))
        if is_placed:
            checks.append(check(specify(PLACE_OF[end], match.names, windows, place=clause.windows([beside[place]]))))
    return ClauseReading(tuple(checks))


@construction(
    Slot.words(*_MORE, *_LESS, least=2, most=2, name="extreme"),
    Slot.words("between_two", "difference", "range", "apart", most=ANY),
    Slot.number(),
    optional="changed_to count all per_row column",
)
def _gap_of_extremes(match: ConstructionMatch) -> ClauseReading | None:
    if {bool(mark.kinds & _MORE) for mark in match["extreme"]} != {True, False}:
        return None
    return as_one_check(specify(Statistic.RANGE, match.names, match.windows, **value_fields(match.one("number"))))


@construction(Slot.words("anomaly", most=ANY), Slot.number(0, 1), optional="count up down some maximum minimum")
def _anomaly(match: ConstructionMatch) -> ClauseReading | None:
    clause, names, head = match.clause, match.names, match.one("anomaly")
    no = clause.marks_of("none", "not")
    counts = [m for m in match["number"] if re.fullmatch(r"(?: \S+)? ", clause.text[m.end : head.start])]
    if counts or any(m.hedge in BOUNDS for m in match["number"]) or (no and match["number"]):
        return None  # "three outliers"; "12 May stands out: on all other days it was below 140"
    is_placed = clause.times or clause.cells or clause.context.windows
    statistic = Statistic.NO_ANOMALY if no else Statistic.ANOMALY
    spots = match.windows if is_placed else [None]
    moves = clause.marks_of("up", "down")
    text, unusually = " ".join(mark.text for mark in match["anomaly"]), clause.words.data["unusually"]
    said = {Direction(way) for way, pattern in unusually.items() if re.search(pattern, text, re.IGNORECASE)}
    said |= {Direction(way) for way, kind in (("up", "maximum"), ("down", "minimum")) if clause.marks_of(kind)}
    ways = said | {Direction(way) for way in ("up", "down") if clause.marks_of(way)}
    if len(ways) > 1 and not no:
        return None
    directions: list[Direction | None] = [*ways] if len(ways) == 1 else [None]
    if not said and any(clause.text[min(m.end, head.end) : max(m.start, head.start)].strip() for m in moves):
        directions.append(None)  # "after the outlier power fell" says nothing of its side
    anomalies = specify(statistic, names, [ALL_ROWS], place=spots, direction=directions)
    values = (check(specify(Statistic.VALUE_AT, names, match.windows, **value_fields(m))) for m in match["number"])
    than = clause.marks_of("than", "others") if clause.marks_of("others") else []
    return ClauseReading((check(anomalies), *values), (*no, *than))
