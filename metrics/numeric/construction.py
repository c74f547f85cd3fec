"""Clauses, and constructions: ways to say one kind of claim, as data; the matcher, and the checks that they make."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice, pairwise, product

from ...text.numbers import known_unit
from .lexicon import Lexicon, Token, any_of, lexicon, meanings, means, polarity, says_mean, tokens
from .marks import HEDGES_BY_WORD, Mark, find_marks, is_count, place_joint
from .sample_tables import View, is_panel
from .table import (
    ALL_ROWS,
    BOUNDS,
    PLACE_OF,
    Condition,
    Hedge,
    NumericTable,
    Period,
    Specification,
    Statistic,
    Times,
    Unverifiable,
    Window,
    is_currency,
    measured_by,
    rows_of,
)
from .times import whole_weeks

_MOST_MEANINGS = 8  # of cells together
RANKING = ("maximum", "minimum", "best", "worst", "rank", "any_other")
"""The kinds of words for an extreme."""


@dataclass(frozen=True)
class Context:
    """What a clause is about where it does not say so: from the question, or from the text before."""

    series: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    checks: tuple[Specification, ...] = ()  # what the text before was checked for, the last first
    same_sentence: bool = False
    is_undated: bool = False  # the question names a time that is not understood
    periods: frozenset[str] = frozenset()  # of amounts: "how much per year?", "Pro costs 40 euros a month"
    is_scene: bool = False  # a sentence without a number names the windows: "Let us look at July."

    @property
    def statistic(self) -> Statistic | None:
        """The statistic of the clause before in the same sentence."""
        return self.checks[0].statistic if self.checks and self.same_sentence else None

    @property
    def single_window(self) -> Window | None:
        """The one window that "the other days" leaves out; None where there are several."""
        named = [window for window in self.windows if window != ALL_ROWS]
        return named[0] if len(named) == 1 else None

    def in_view(self, view: View) -> "Context":
        """The part of it that a view has: its columns, and times where windows have dates."""
        columns = {*view.table.columns, *map(str, view.table.labels.columns)}

        def has(window: Window) -> bool:
            dated = window.start or window.end or window.weekdays or window.months
            return all(test.column in columns for test in window.conditions) and (view.times is not None or not dated)

        return replace(
            self,
            series=tuple(name for name in self.series if name in view.table.columns),
            windows=tuple(filter(has, self.windows)),
            checks=tuple(check for check in self.checks if check.series in view.table.columns),
        )

    def after(self, last: "Interpretation", *, same_sentence: bool) -> "Context":
        """What the next clause, or the next sentence, may be about after a clause that is read so.

        The next clause is about the places of the extremes that are named, else about the same rows. Whether a later
        sentence is about the same rows, it does not say: all rows may be meant as well, but where the question names
        the rows.
        """
        checks, clause = last.first_specifications, last.match.clause
        series = tuple(dict.fromkeys(check.series for check in checks if check.series))
        windows = tuple(dict.fromkeys(check.window for check in checks if check.window != ALL_ROWS))
        if same_sentence:
            named = [(check.window, check.place) for check in checks if check.statistic in PLACE_OF.values()]
            places = (merge_windows(window, place) or place for window, place in named if place is not None)
            windows = tuple(dict.fromkeys(places)) or windows
        elif windows and (ALL_ROWS in self.windows or not set(windows) & set(self.windows)):
            windows = (*windows, ALL_ROWS)
        periods = self.periods if clause.table.step else clause.stated_periods or self.periods
        return Context(
            series or self.series, windows or self.windows, tuple(checks[::-1]), same_sentence, self.is_undated, periods
        )


NO_CONTEXT = Context()


@dataclass(frozen=True)
class Clause:
    """A part of a sentence against one view of a table."""

    text: str
    view: View
    language: str
    words: Lexicon
    table: NumericTable  # as the view has it
    marks: tuple[Mark, ...]
    tokens: tuple[Token, ...]
    context: Context

    def marks_of(self, *kinds: str) -> list[Mark]:
        """The marked words of these kinds, in order."""
        return [mark for mark in self.marks if mark.kinds & set(kinds)]

    def first_mark(self, *kinds: str) -> Mark | None:
        """The first marked word of these kinds."""
        return next(iter(self.marks_of(*kinds)), None)

    @cached_property
    def numbers(self) -> list[Mark]:
        """The numbers, in order."""
        return [mark for mark in self.marks if mark.number]

    @cached_property
    def times(self) -> list[Mark]:
        """The named times, in order."""
        return [mark for mark in self.marks if mark.time and not mark.excluded]

    @cached_property
    def series(self) -> list[Mark]:
        """The mentions of series, in order; of several mentions of the same series the first."""
        seen: dict[tuple[str, ...], Mark] = {}
        for mark in self.marks:
            if mark.series:
                seen.setdefault(mark.series, mark)
        return list(seen.values())

    @cached_property
    def cells(self) -> list[Mark]:
        """What names cells, in order."""
        return [mark for mark in self.marks if mark.cells and not mark.excluded]

    @cached_property
    def row_marks(self) -> list[Mark]:
        """The marks that select rows in any construction: exclusions, "then", "the others"."""
        has_windows = bool(self.context.windows) and not self.cells
        then = self.marks_of("that_time") if self.times or has_windows else []
        others = self.marks_of("others") if self.context.single_window else []
        beside = {column for mark in self.cells for column, _ in mark.cells}
        beside |= {self.table.time_column or ""} if self.times else set()
        headed = [m for m in self.marks if m.columns and not m.series and beside & set(m.columns)]  # "the team of Peru"
        # "the mean leakage is highest in Portside"
        by_group = self.marks_of(self.view.grouping) if self.view.grouping else []
        return [*(mark for mark in self.marks if mark.excluded), *then, *others, *headed, *by_group]

    @cached_property
    def stated_periods(self) -> frozenset[str]:
        """The periods of the rates that it says: month of "per month"; of a table without regular rows "each year"."""
        rates = self.marks_of("rate", *(() if self.table.step else ("all",)))
        periods = self.words.data["periods"] | self.words.data["periodic"]
        said = [(text, re.split(r"[\s/]", text)[-1]) for text in (mark.text.lower() for mark in rates)]
        return frozenset(p for text, last in said if (p := periods.get(text) or periods.get(last)))

    @property
    def places(self) -> list[Mark]:
        """The times and cells."""
        return [*self.times, *self.cells]

    def windows(self, places: Sequence[Mark]) -> list[Window]:
        """The windows that times and cells may mean together, less what is left out; empty where they cannot be one.

        Without times and cells, those of the context; where a clause says "over the whole period" after one with a
        time, either may be meant; so may be cells at the times of the context, and at all times.
        """
        others = self.marks_of("others")
        if places:
            windows = [*self.beside_context(places), *self._together(places)]
        elif others or self.marks_of("all_rows") or not self.context.windows:
            windows = [] if self.context.is_undated and not self.marks_of("whole", "all_rows") else [ALL_ROWS]
        else:
            context = self.context
            goes_on = context.checks and all(set(mark.series) & set(context.series) for mark in self.series)
            before = [
                replace(window, is_of_before=bool(goes_on), in_scene=context.is_scene and window != ALL_ROWS)
                for window in context.windows
            ]
            known = [window for window in before if window != ALL_ROWS]
            windows = known if known and self.marks_of("that_time") else before
            if ALL_ROWS in windows and self.marks_of("whole", "sum") and not context.same_sentence:
                several = [w for w in windows if w != ALL_ROWS and rows_together(self, w) > 1]
                windows = [*several, replace(ALL_ROWS, is_of_before=True)]  # a total of one row is none
            windows += [ALL_ROWS] if self.marks_of("whole") and ALL_ROWS not in windows else []
        left_out = [window for mark in self.marks if mark.excluded for window in self._together([mark])]
        if others and self.context.single_window:
            left_out.append(self.context.single_window)
        return [replace(w, without=(*w.without, *left_out), text="") for w in windows] if left_out else windows

    def beside_context(self, places: Sequence[Mark]) -> list[Window]:
        """The windows of cells at the times of the context, and of times at its cells.

        "In February North had 120 orders and South 90", "North had 120 orders in February and 90 in March". None where
        the clause names all rows, or an extreme, which may be of any time; or both times and cells.
        """
        are_times = bool(self.times)
        if (are_times and self.cells) or self.marks_of("whole", "all_rows", *RANKING):
            return []
        windows, is_crossed = [], self.context.is_scene or is_panel(self.table)
        for known, own in product(self.context.windows, self._together(places)):
            named = {test.column for test in own.conditions}
            tests = (*(test for test in known.conditions if test.column not in named), *own.conditions)
            if are_times and known.conditions and self.context.same_sentence:
                windows.append(replace(own, conditions=tests))
            elif not are_times and (
                replace(known, conditions=()) != ALL_ROWS or (len(tests) > len(own.conditions) and is_crossed)
            ):
                windows.append(replace(known, conditions=tests, text=own.text, parts=own.parts))
        return [replace(window, in_scene=True) for window in windows if rows_together(self, window)]

    def _together(self, places: Sequence[Mark]) -> list[Window]:
        windows, is_list = list[Window](), len(places) > 1 and self.is_list(places)
        for chosen in product(*[mark.time.windows for mark in places if mark.time]):
            merged = merge_windows(*chosen)
            if merged is None and (merged := self.view.window_of_all(chosen)) is not None and is_list:
                merged = replace(merged, parts=chosen)
            windows += whole_weeks(merged, self.view.times) if merged is not None else []
        together = [
            replace(w, conditions=(*w.conditions, *conditions), text=" ".join(mark.text for mark in places))
            for w in windows
            for conditions in _cell_conditions([mark for mark in places if mark.cells])
        ]
        return [replace(w, parts=_parts_of_cells(w)) if is_list and not w.parts else w for w in together]

    def is_list(self, places: Sequence[Mark], conjunction: str | None = None) -> bool:
        """Whether places stand in one list ("on 2, 6 and 14 March"): all of them are meant, not one of them."""
        joint = place_joint(self.words.links, conjunction)
        return all(re.fullmatch(joint, self.text[a.end : b.start]) for a, b in pairwise(places))


def _cell_conditions(cells: Sequence[Mark]) -> list[tuple[Condition, ...]]:
    """The tests that cells may mean together: of one column either of them, of several columns all."""
    conditions = []
    meanings_of = [[mark.cells] if mark.ends else [(cell,) for cell in mark.cells] for mark in cells]
    for chosen in islice(product(*meanings_of), _MOST_MEANINGS):
        by_column: dict[str, dict[str, None]] = {}
        for column, cell in chain.from_iterable(chosen):
            by_column.setdefault(column, {})[cell] = None
        conditions.append(tuple(Condition(column, tuple(named)) for column, named in by_column.items()))
    return conditions


def _parts_of_cells(window: Window) -> tuple[Window, ...]:
    """The rows of each text of a window of several texts of one column, and of nothing else."""
    if len(window.conditions) != 1 or replace(window, conditions=()) != ALL_ROWS:
        return ()
    (condition,) = window.conditions
    return tuple(Window(conditions=(replace(condition, texts=(text,)),)) for text in condition.texts)


def merge_windows(*windows: Window) -> Window | None:
    """Several windows at once; None where no dates are within all others, or where weekdays or months differ.

    Several weekdays of one day ("the weekend of 30 May") are none either.
    """
    parts = [window for window in windows if window != ALL_ROWS]
    if len(parts) < 2:
        return parts[0] if parts else ALL_ROWS
    weekdays, months = (
        {frozenset(days): days for days in named if days}
        for named in zip(*((w.weekdays, w.months) for w in parts), strict=True)
    )
    dated = [window for window in parts if window.start or window.end]
    inner = [window for window in dated if all(window is w or is_window_within(window, w) for w in dated)]
    is_day_of_several = bool(inner) and inner[0].start == inner[0].end and any(len(days) > 1 for days in weekdays)
    if len(weekdays) > 1 or len(months) > 1 or (dated and not inner) or is_day_of_several:
        return None
    return Window(
        start=inner[0].start if inner else None,
        end=inner[0].end if inner else None,
        first=next((w.first for w in parts if w.first), None),
        last=next((w.last for w in parts if w.last), None),
        weekdays=next(iter(weekdays.values()), ()),
        months=next(iter(months.values()), ()),
        conditions=tuple(test for window in parts for test in window.conditions),
        without=tuple(other for window in parts for other in window.without),
    )


def is_window_within(inner: Window, outer: Window) -> bool:
    """Whether the days of a window are all days of another."""
    return (
        inner.start is not None
        and inner.end is not None
        and (outer.start is None or outer.start <= inner.start)
        and (outer.end is None or inner.end <= outer.end)
    )


def read_clause(text: str, view: View, language: str, context: Context = NO_CONTEXT) -> Clause:
    """Finds everything that is known in a clause."""
    context = context.in_view(view)
    marks = find_marks(text, view, language, context.windows)
    spoken = tokens(text, language)
    return Clause(text, view, language, lexicon(language), view.table, tuple(marks), spoken, context)


def is_row(clause: Clause, window: Window) -> bool:
    """Whether a time is that of one row."""
    times = clause.view.times
    if not times or not window.start or not window.end:
        return False
    return window.end <= Times(window.start, window.start, times.period).last_day


def is_other_window(window: Window, spot: Window) -> bool:
    """Whether a window has other rows than a spot: another time, or another text in the same column."""
    if window.parts:
        return all(is_other_window(part, spot) for part in window.parts)
    if spot.parts:
        return any(is_other_window(window, part) for part in spot.parts)
    if spot.start and window.start and window.end and not window.conditions and not is_window_within(spot, window):
        return True
    wanted = {test.column: test for test in spot.conditions}
    return any(test.column in wanted and test != wanted[test.column] for test in window.conditions)


def contains_time(outer: Mark, inner: Mark) -> bool:
    """Whether the inner mark's time lies within the outer mark's."""
    a, b = outer.window, inner.window
    return bool(a.start or a.end) and a != b and is_window_within(b, a)


def has_several(clause: Clause, *windows: Window) -> bool:
    """Whether several rows are in all of the windows."""
    return rows_together(clause, *windows) > 1


def rows_together(clause: Clause, *windows: Window) -> int:
    """How many rows are in all of the windows; 0 where the table cannot tell, which the computation reports."""
    try:
        rows = [set(rows_of(clause.table, window, may_be_none=True).tolist()) for window in windows]
    except Unverifiable:
        return 0
    return len(set.intersection(*rows))


def with_cells(window: Window, clause: Clause, cells: list[Mark]) -> list[Window]:
    """The windows that a window and cells make together."""
    merged = [merge_windows(window, other) for other in clause.windows(cells)] if cells else [window]
    return [one for one in merged if one is not None]


def is_pair_of_rows(clause: Clause) -> bool:
    """Whether two rows are compared ("Bell out of the total"), not taken together ("Bell and Mobile")."""
    if len(clause.cells) != 2:
        return False
    first, second = clause.cells
    alike = {column for column, _ in first.cells} & {column for column, _ in second.cells}
    joined = clause.text[first.end : second.start].strip().lower() in clause.words.data["joins"]
    return bool(alike) and not joined and not clause.marks_of("sum")


def columns_of(places: Iterable[Mark]) -> set[str]:
    """The columns that times and cells are of; that of times is empty."""
    return {column for mark in places for column, _ in (mark.cells or (("", ""),))}


def scope_cells(clause: Clause) -> list[Mark]:
    """The cells that say where or when: the July of "in July Utrecht had"."""
    led = rf"(?:^|\s)(?:{any_of(clause.words.scope_prepositions)})\s(?:{clause.words.data['article']})?$"
    scopes = [m for m in clause.cells if re.search(led, clause.text[: m.start], re.IGNORECASE)]
    return scopes + [m for m in clause.cells if m not in scopes and clause.text[m.end :].startswith("'s")]


VALUES = (Statistic.VALUE_AT, Statistic.LATEST, Statistic.FIRST, Statistic.MEAN, Statistic.SUM)
"""The statistics of one value."""
RELATIONS = (Statistic.COMPARISON, Statistic.DIFFERENCE, Statistic.PERCENT_CHANGE, Statistic.RATIO)
"""The statistics that compare two sides."""
_FACTOR = 2.0
_NOT_A_VALUE = (
    *("sum", "share", "ratio", "double", "half", "times_as", "range", "deviation"),
    *("up", "down", "change", "difference", "higher", "lower", "better", "worse", "than"),
)
_OF_ONE = ("mean", "median", "maximum", "minimum", "best", "worst", "per_row")
_CALENDAR = ("day", "week", "month", "year")
_OF_ANYTHING = frozenset({*_CALENDAR, "%", "pp", "h", "min", "s"})
_DURATIONS = frozenset({*_CALENDAR, "h"})
_SUMMED_NEVER = frozenset(
    {"%", "pp", "degC", "dB", "dBm", "Mbps", "kbps", "Gbps", "MB/s", "ms", "s", "Hz", "MHz", "GHz"}
    | {"degF", "bar", "mbar", "hPa", "kPa", "km/h", "m/s", "mph", "beaufort"}
)
# what each kind of word describes, and whether it says more
_ADJECTIVES = {
    "dearer": ("money", True),
    "cheaper": ("money", False),
    "busier": ("busy", True),
    "quieter": ("busy", False),
    "better": ("better", True),
    "worse": ("better", False),
}


ClauseCheck = tuple[tuple[Specification, ...], ...]
"""One check, as its tiers: each is a list of readings that are equally good; a later tier counts only where no reading
of the tiers before it can be computed."""


def check(*tiers: Iterable[Specification]) -> ClauseCheck:
    """A check of these tiers, without empty tiers and repeated readings."""
    return tuple(tuple(dict.fromkeys(tier)) for tier in tiers if tier)


def specify(
    statistic: Statistic, series: Iterable[str | None], windows: Iterable[Window], **rest: object
) -> list[Specification]:
    """One specification per combination of series, windows, and the alternatives of each field that is a list."""
    alternatives = [field if isinstance(field, list) else [field] for field in rest.values()]
    return [
        Specification(statistic, name, window, **dict(zip(rest, chosen, strict=True)))
        for name, window, *chosen in product(series, windows, *alternatives)
    ]


def value_fields(mark: Mark) -> dict[str, object]:
    """A number of the text as the fields of a specification."""
    number = mark.stated
    fields: dict[str, object] = {"value": number.value, "unit": number.unit, "decimals": number.decimals}
    return fields | {"hedge": mark.hedge} | ({"margin": number.margin} if number.margin else {})


def count_fields(count: Mark) -> dict[str, object]:
    """A number of rows or values as the fields of a specification."""
    return value_fields(count) | {"unit": None, "decimals": 0}


def factor_fields(value: float, hedge: Hedge) -> dict[str, object]:
    """ "Twice" and "half" as the fields of a specification: about so, unless a hedge says otherwise."""
    hedge = Hedge.ABOUT if hedge is Hedge.EXACT else hedge
    decimals = 0 if hedge in (Hedge.NEARLY, Hedge.JUST_OVER) else 1  # "nearly three times" is from 2.5
    return {"value": value, "unit": None, "decimals": decimals, "hedge": hedge}


def hedge_before(clause: Clause, word: Mark) -> tuple[Hedge, list[Mark]]:
    """The last hedge before a word and its mark, as a list; "about" and no mark where there is none."""
    hedging = next((m for m in reversed(clause.marks) if m.end <= word.start and m.kinds & set(HEDGES_BY_WORD)), None)
    if hedging is None:
        return Hedge.ABOUT, []
    return next(hedge for kind, hedge in HEDGES_BY_WORD.items() if kind in hedging.kinds), [hedging]


def series_of(clause: Clause, mark: Mark | None = None) -> list[str]:
    """The series that a mention may mean; without a mention those of the text before, else the table's only series."""
    if mark is not None:
        return list(mark.series)
    if clause.series:
        return list(clause.series[0].series)
    units = {mark.unit for mark in clause.numbers if mark.unit}
    quantities = [name for name, adjectives in clause.words.extremes_of.items() if adjectives.search(clause.text)]
    if inherited := [name for name in clause.context.series if _may_be_in(clause, name, units)]:
        described = all(can_describe(clause, quantity, name) for quantity in quantities for name in inherited)
        return inherited if described else []  # "twice as fast", after what it costs
    if of_unit := _of_units(clause, units):
        return of_unit if len(of_unit) == 1 else _of_possible_size(clause, of_unit)
    texts = [column for column in clause.table.labels.columns if column != clause.table.time_column]
    return list(clause.table.columns) if len(clause.table.columns) == 1 and not texts else []


def _of_possible_size(clause: Clause, series: list[str]) -> list[str]:
    """The one series whose values make the numbers of a clause possible; empty where that is none or several.

    A value, a mean or an extreme lies within a factor 2 of the least and the greatest value. What may be a sum, or lies
    between two values, can have any size.
    """
    if clause.marks_of(*_NOT_A_VALUE):
        return []
    numbers = [mark.stated for mark in clause.numbers if mark.unit]
    sized = series if clause.marks_of(*_OF_ONE) else [name for name in series if not means(name, "flows")]
    left = [name for name in sized if all(_can_be(clause, name, number.value, number.unit) for number in numbers)]
    return left if len(left) == 1 else []


def _can_be(clause: Clause, series: str, value: float, unit: str | None) -> bool:
    least, most = clause.table.bounds(series)
    low, high = min(least / _FACTOR, least * _FACTOR), max(most / _FACTOR, most * _FACTOR)
    return low <= clause.table.as_held(series, value, unit) <= high


def _of_units(clause: Clause, units: set[str]) -> list[str]:
    """The series in the unit of the numbers, if they have one unit; days and hours have to be the series' own unit."""
    if len(units) != 1:
        return []
    (unit,) = units
    of_unit = [name for name in clause.table.columns if clause.table.unit_of(name) == unit]
    if of_unit or unit in _OF_ANYTHING:
        return of_unit
    return [n for n in clause.table.columns if clause.table.unit_of(n) and clause.table.can_be_in(n, unit)]


def _may_be_in(clause: Clause, series: str, units: set[str]) -> bool:
    """Whether numbers in these units may be of a series: not euros of a count, not percents of euros (but changes)."""
    unit = clause.table.unit_of(series)
    other = units - _OF_ANYTHING - {unit}
    return not other or (unit is not None and len(unit) > 1 and not any(map(is_currency, other)))


def earlier_check(clause: Clause, statistics: tuple[Statistic, ...]) -> Specification | None:
    """The last check of the same sentence with one of these statistics."""
    checks = clause.context.checks if clause.context.same_sentence else ()
    return next((spec for spec in checks if spec.statistic in statistics), None)


def values_of(clause: Clause) -> list[Mark]:
    """The numbers that may be a series' value: no places ("third"), no durations ("two months"), no "2.3 times".

    A number of days is one where the series is in days, and the rows are none.
    """
    return [m for m in clause.numbers if not m.stated.ordinal and _may_be_value(clause, m)]


def _may_be_value(clause: Clause, mark: Mark) -> bool:
    if re.match(clause.words.data["how_often"], clause.text[mark.end :], re.I):
        return False
    if mark.unit is None:  # not "in three quarters", "in two of the six months"
        periods = rf"(?:{clause.words.data['part_of']}\w+)? (?:{any_of(clause.words.data['periods'])})\b"
        return re.match(periods, clause.text[mark.end :], re.IGNORECASE) is None
    if mark.unit not in _CALENDAR:
        return True
    if mark.unit == clause.table.step or re.search(clause.words.data["lasting"], clause.text[: mark.start], re.I):
        return False
    named = clause.series[0].series if clause.series else clause.context.series
    table = clause.table
    return bool(named) and all(table.unit_of(n) in _DURATIONS and table.can_be_in(n, mark.unit) for n in named)


def nearest_series(clause: Clause, mark: Mark) -> Mark | None:
    """The mention of a series nearest to a mark; of two as near, the one before."""
    near = sorted(clause.series, key=lambda s: (min(abs(s.end - mark.start), abs(mark.end - s.start)), s.start))
    return near[0] if near else None


def can_be_summed(clause: Clause, series: str) -> bool:
    """Whether adding up the values of a series means anything: not of rates, shares, temperatures, delays."""
    return not (clause.table.unit_of(series) in _SUMMED_NEVER or means(series, "levels") or says_mean(series))


def is_counted(clause: Clause, series: str) -> bool:
    """Whether a series counts things: whole numbers without a unit, that can be added up."""
    values = clause.table.known_values(series)
    return clause.table.unit_of(series) is None and can_be_summed(clause, series) and bool((values % 1 == 0).all())


def is_flow(clause: Clause, series: str) -> bool:
    """Whether a series has amounts per period, which add up over several periods: money, incidents, hours."""
    unit = clause.table.unit_of(series)
    return can_be_summed(clause, series) and (is_currency(unit) or means(series, "flows"))


def counts_rows(clause: Clause, mark: Mark) -> bool:
    """Whether a number may count rows: whole, without a unit or in that of a row ("5 days" of daily rows)."""
    moments = clause.table.period is Period.MOMENT and mark.unit in ("h", "min")
    is_of_row = mark.unit is None or mark.unit == clause.table.step or moments
    return is_of_row and not mark.stated.ordinal and is_count(mark.stated)


def counts_periods(clause: Clause, count: Mark) -> bool:
    """Whether a number counts times or rows ("8 weeks", "8 of the 12 weeks"), not what a series counts."""
    if count.unit is not None:
        return True
    after = next((m for m in clause.marks if m.start >= count.end), None)
    if after is None or not (after.kinds & {"days", "whole", "measured"} or (after.columns and not after.series)):
        return False
    between = clause.text[count.end : after.start].strip().lower()
    return re.fullmatch(rf"(?:{clause.words.links.part_of})?", between) is not None


def bounds_of(clause: Clause) -> list[Mark]:
    """The numbers that bound a series."""
    return [mark for mark in clause.numbers if mark.hedge in BOUNDS and not _counts_something(clause, mark)]


def _counts_something(clause: Clause, mark: Mark) -> bool:
    """Whether a bound is of a count ("more than 5 days", "more than 1 album") or of a change ("rose more than 20")."""
    changed = mark.hedge_mark is not None and _is_of_a_change(clause, mark.hedge_mark)
    counted = is_count(mark.stated) and mark.unit is not None and mark.unit == clause.table.step
    return is_before_rows(clause, mark) or changed or counted


def is_before_rows(clause: Clause, number: Mark) -> bool:
    """Whether the noun right after a number is one of rows: "more than 1 album", "the two hives with the least"."""
    nouns = (mark for mark in clause.marks if not mark.series and (mark.columns or "days" in mark.kinds))
    return any(noun.start >= number.end and not clause.text[number.end : noun.start].strip() for noun in nouns)


def _is_of_a_change(clause: Clause, hedge: Mark) -> bool:
    """Whether a bound is of a change ("risen by more than 20"), not a level ("fallen below 30", "to less than 30")."""
    before = (m for m in reversed(clause.marks) if m.end <= hedge.start)
    verb = next((m for m in before if m.number or m.kinds & {"up", "down"}), None)
    reached = re.search(rf"\b(?:{clause.words.links.reached}) $", clause.text[: hedge.start], re.IGNORECASE)
    level = hedge.text.lower().split()[0] in clause.words.data["levels_beyond"]
    return verb is not None and verb.number is None and not (level or reached)


def can_describe(clause: Clause, quantity: str, series: str) -> bool:
    """Whether adjectives of a quantity describe a series.

    `quantity` is "money", "flow", "better", "speed", "size", what a unit measures ("time"), or "busy": more of what is
    counted, and more people, makes a day busier.
    """
    unit = clause.table.units.get(series)
    money = is_currency(known_unit(unit or ""))
    if quantity == "money":
        return money
    if quantity == "better":
        return polarity(series) is not None
    if quantity == "flow":
        return is_flow(clause, series)
    if quantity == "busy":
        whole = unit is None and bool((clause.table.known_values(series) % 1 == 0).all())
        amount = (whole or is_flow(clause, series)) and not money and not means(series, "levels")
        return amount or means(series, "people")
    measure = clause.table.unit_of(series)
    measured = measured_by(measure) if measure else frozenset()
    if quantity in ("speed", "size"):
        may_be = quantity == "size" or polarity(series) is not None
        return bool(measured & ({"time"} if quantity == "speed" else {"mass", "length"})) or (
            measure is None and may_be
        )
    return quantity in meanings(series) or quantity in measured


def adjective_ways(clause: Clause, names: list[str]) -> tuple[list[Mark], list[Mark]] | None:
    """The adjectives that say more, and those that say less; None where one of them cannot describe these series."""
    more: list[Mark] = []
    less: list[Mark] = []
    for kind, (quantity, says_more) in _ADJECTIVES.items():
        for mark in clause.marks_of(kind):
            if not names or not all(can_describe(clause, quantity, name) for name in names):
                return None
            down = quantity == "better" and any(polarity(name) == "down" for name in names)
            (more if says_more is not down else less).append(mark)
    return more, less


def described_series(clause: Clause) -> list[str]:
    """The series that a clause is about; "cheaper" describes the only one in money where the clause names none."""
    names = series_of(clause)
    if clause.series or not clause.marks_of("dearer", "cheaper"):
        return names
    money = [name for name in clause.table.columns if can_describe(clause, "money", name)]
    return money if len(money) == 1 else names


_JOINING = {"than", "equal", "double", "half", "times_as", "above", "below", "just_over", "nearly", "outnumbers"}


def find_than(clause: Clause) -> list[Mark]:
    """The word between the two sides, as a list of at most one."""
    bounds, links = [m.hedge_mark for m in clause.numbers], clause.words.links
    # "higher than", "below the one at", "boven die van"
    closing = re.compile(rf"(?<!\w)(?:{links.than_end})$| (?:{links.level_of})(?: \w+)?$", re.IGNORECASE)
    factor = clause.first_mark("double", "half", "times_as", "equal")
    for mark in clause.marks:
        is_last = mark is clause.marks[-1] and not mark.time  # "2% up year on year" names the other side itself
        if not mark.kinds & _JOINING or mark in bounds or is_last:
            continue
        joins = mark.kinds & {"than", "equal", "outnumbers"} or closing.search(mark.text)
        if joins or "times_of" in mark.kinds:  # "three times the overtime of March"
            return [mark]
    as_word = re.compile(rf"(?<!\w)(?:{links.as_word})(?!\w)", re.IGNORECASE)
    found_as = as_word.search(clause.text, factor.end) if factor else None
    return [Mark(*found_as.span(), found_as[0], frozenset({"than"}))] if found_as else []


ANY = 99


@dataclass(frozen=True)
class Slot:
    """A part of a construction: the marks of a clause that `select` gives, between `least` and `most` of them.

    `is_head`: they are words that show the construction, not what it takes (numbers, series, times and rows).
    """

    name: str
    select: Callable[[Clause], Sequence[Mark]]
    least: int = 1
    most: int = 1
    is_head: bool = True

    @staticmethod
    def words(*kinds: str, least: int = 1, most: int = 1, name: str = "") -> "Slot":
        """Words of these kinds."""
        return Slot(name or kinds[0], lambda clause: clause.marks_of(*kinds), least, most)

    @staticmethod
    def value(least: int = 1, most: int = 1) -> "Slot":
        """Numbers that may be a series' value."""
        return Slot("value", values_of, least, most, is_head=False)

    @staticmethod
    def number(least: int = 1, most: int = 1) -> "Slot":
        """Numbers of any kind."""
        return Slot("number", lambda clause: clause.numbers, least, most, is_head=False)

    @staticmethod
    def percentage() -> "Slot":
        """A value in percent, which shows the construction."""
        return Slot("percentage", lambda clause: [mark for mark in values_of(clause) if mark.unit == "%"])

    @staticmethod
    def pattern(name: str) -> "Slot":
        """Words that match a pattern of the language pack."""

        def matches(clause: Clause) -> list[Mark]:
            found = re.finditer(clause.words.data[name], clause.text, re.IGNORECASE)
            return [Mark(*match.span(), match[0]) for match in found]

        return Slot(name, matches)


@dataclass(frozen=True)
class ClauseReading:
    """What a construction makes of a clause: the checks that all have to hold.

    `also` are marks that it took a meaning from besides its head and slots.
    """

    checks: tuple[ClauseCheck, ...]
    also: tuple[Mark, ...] = ()


def as_one_check(*tiers: Iterable[Specification], also: Iterable[Mark] = ()) -> ClauseReading:
    """A reading that is one check."""
    return ClauseReading((check(*tiers),), tuple(also))


@dataclass(frozen=True)
class ConstructionMatch:
    """The marks of one clause that fill a construction, by slot."""

    clause: Clause
    filled: Mapping[str, tuple[Mark, ...]]

    def __getitem__(self, slot: str) -> tuple[Mark, ...]:
        """The marks of a slot, in order."""
        return self.filled[slot]

    def one(self, slot: str) -> Mark:
        """The first mark of a slot that has one."""
        return self.filled[slot][0]

    @property
    def names(self) -> list[str]:
        """The series that the clause is about."""
        return series_of(self.clause)

    @cached_property
    def windows(self) -> list[Window]:
        """The windows that the times and rows of the clause mean together."""
        return self.clause.windows(self.clause.places)


Build = Callable[[ConstructionMatch], ClauseReading | None]


@dataclass(frozen=True)
class Construction:
    """One way to say a kind of claim.

    `slots` are its parts, `optional` the kinds of words that may stand beside them and add nothing; "column" are the
    names of columns of texts. `build` makes the checks; None where the parts do not fit together. Every other word of
    the clause that may matter has to be taken, else the construction does not account for the clause: so no
    construction names the words that it cannot take.
    """

    name: str
    slots: tuple[Slot, ...]
    optional: tuple[str, ...]
    build: Build = field(repr=False)


def construction(
    *slots: Slot, series: tuple[int, int] | None = (0, 1), places: tuple[int, int] | None = (0, ANY), optional: str = ""
) -> Callable[[Build], Construction]:
    """Makes a construction of the function that builds its checks, and is called as it is."""
    if series:
        slots = (*slots, Slot("series", lambda clause: clause.series, *series, is_head=False))
    if places:
        slots = (*slots, Slot("place", lambda clause: clause.places, *places, is_head=False))
    return lambda build: Construction(build.__name__.strip("_"), slots, tuple(optional.split()), build)


@dataclass(frozen=True)
class Interpretation:
    """A construction matched to a clause, and what it makes of it, as in `ClauseReading`."""

    construction: Construction
    match: ConstructionMatch
    checks: tuple[ClauseCheck, ...]
    also: tuple[Mark, ...] = ()

    @cached_property
    def accounted_marks(self) -> frozenset[Mark]:
        """The marks that it accounts for: those that the checks are made from, and its optional words.

        With them go other mentions of the same series, and the hedges of numbers.
        """
        clause, optional = self.match.clause, self.construction.optional
        marks = {mark for marks in self.match.filled.values() for mark in marks} | set(self.also)
        named = {mark.series for mark in marks if mark.series}
        marks |= {mark for mark in clause.marks if mark.series in named}
        marks |= {mark.hedge_mark for mark in marks if mark.hedge_mark is not None}
        marks |= {*clause.marks_of(*optional), *clause.row_marks}
        if "column" in optional:
            marks |= {mark for mark in clause.marks if mark.columns and not mark.series and not mark.cells}
        return frozenset(marks)

    @cached_property
    def head_marks(self) -> frozenset[Mark]:
        """The marks that it is recognised by: those of its head, and other words that it uses; more are more likely."""
        head = {mark for slot in self.construction.slots if slot.is_head for mark in self.match[slot.name]}
        return frozenset(head | {mark for mark in self.also if mark.kinds})

    @property
    def first_specifications(self) -> tuple[Specification, ...]:
        """What its checks ask for, by their best readings."""
        return tuple(spec for check in self.checks for spec in check[0])

    @property
    def named_characters(self) -> int:
        """How much of the clause it takes as names of the table and as times."""
        return sum(mark.end - mark.start for mark in self.accounted_marks if mark.mention or mark.time)


def interpret(construction: Construction, clause: Clause) -> Interpretation | None:
    """What a construction makes of a clause; None where its parts are not there or do not fit together."""
    filled: dict[str, tuple[Mark, ...]] = {}
    for slot in construction.slots:
        marks = tuple(slot.select(clause))
        if not slot.least <= len(marks) <= slot.most:
            return None
        filled[slot.name] = marks
    match = ConstructionMatch(clause, filled)
    reading = construction.build(match)
    if reading is None or not reading.checks or not all(reading.checks):
        return None
    return Interpretation(construction, match, reading.checks, reading.also)
