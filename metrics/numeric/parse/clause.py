"""A clause with everything in it that the grammar knows: numbers, times, series, cells, and marked words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise, product

from ....languages import load_language
from ....text.numbers import find_numbers
from ..lexicon import Lexicon, Token, lexicon, tokens
from ..names.mentions import Names
from ..specification import ALL_ROWS, Condition, Specification, Statistic, Window
from ..tables.table import NumericTable
from ..tables.views import View
from ..times.calendar_times import whole_weeks
from ..times.periods import find_times
from .anaphora import spans_about, with_relative_times
from .exclusions import earlier_windows, exclude_windows, with_exclusions
from .marks import Mark, is_of_a_name, longest_marks, marked_words, with_hedges, without_column_unit
from .series_narrowing import with_earlier_series
from .series_roles import with_roles
from .unknown_times import undatable_times
from .whole_table import with_rates, with_whole

_WORD = re.compile(r"\w+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Clause:
    """A part of a sentence against one view of a table."""

    text: str
    words: Lexicon
    view: View
    marks: tuple[Mark, ...]
    tokens: tuple[Token, ...]
    inherited: tuple[str, ...] = ()  # series of the text before
    scope: tuple[Window, ...] = ()  # windows of the question or the text before
    earlier_checks: tuple[Specification, ...] = ()  # of the text before, the last first
    continues_sentence: bool = False  # whether that text is of the same sentence
    column_stems: frozenset[str] = frozenset()
    head_stems: frozenset[str] = frozenset()  # of the words above rows, which say nothing besides their row

    @property
    def table(self) -> NumericTable:
        """The table as this view has it."""
        return self.view.table

    @property
    def statistic(self) -> Statistic | None:
        """The statistic of the clause before it in the same sentence."""
        return self.earlier_checks[0].statistic if self.earlier_checks and self.continues_sentence else None

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
        has_scope = bool(self.scope) and not self.cells
        then = [m for m in self.marks_of("that_time") if self.times or has_scope or self._is_of_table(m)]
        others = self.marks_of("others") if earlier_windows(self.scope) else []
        beside = {column for mark in self.cells for column, _ in mark.cells}
        beside |= {self.table.time_column or ""} if self.times else set()
        headed = [m for m in self.marks if m.columns and not m.series and beside & set(m.columns)]  # "the team of Peru"
        # "the mean leakage is highest in Portside"
        by_group = self.marks_of(self.view.grouping) if self.view.grouping else []
        return [*(mark for mark in self.marks if mark.excluded), *then, *others, *headed, *by_group]

    def windows(self, times: Sequence[Mark], cells: Sequence[Mark], extra: Sequence[Condition] = ()) -> list[Window]:
        """The windows that times and cells may mean together, less what is left out; empty where they cannot be one."""
        others = self.marks_of("others")
        left_out: list[Window] = []
        for mark in self.marks:
            if mark.excluded:
                left_out += self._together([mark] if mark.time else [], [mark] if mark.cells else [])
        left_out += earlier_windows(self.scope) if others else []
        return exclude_windows(self._included(times, cells, extra, whole=bool(others)), left_out)

    def _is_of_table(self, mark: Mark) -> bool:
        """Whether "that week" is the week that the table is about, since the text before names no time."""
        unit = self.words.data["periods"].get(mark.text.lower().split()[-1])
        times = self.view.times
        has_scope = any(window.start or window.end or window.first or window.last for window in self.scope)
        return not has_scope and (unit is None or times is None or spans_about(times.start, times.last_day, unit))

    def _included(
        self, times: Sequence[Mark], cells: Sequence[Mark], extra: Sequence[Condition], *, whole: bool
    ) -> list[Window]:
        if not times and not cells and not extra and (whole or self.marks_of("all_rows")):
            return [ALL_ROWS]
        if not times and not cells and not extra and self.scope:
            if self.marks_of("that_time"):
                return [window for window in self.scope if window != ALL_ROWS] or list(self.scope)
            return list(self.scope)
        return self._together(times, cells, extra)

    def _together(self, times: Sequence[Mark], cells: Sequence[Mark], extra: Sequence[Condition] = ()) -> list[Window]:
        windows: list[Window] = []
        for chosen in product(*[mark.time.windows for mark in times if mark.time]):
            merged: Window | None = ALL_ROWS
            for window in chosen:
                merged = merge_windows(merged, window) if merged is not None else None
            if merged is None:
                merged = self.view.window_of_all(chosen)
            if merged is not None:
                windows += whole_weeks(merged, self.view.times)
        conditions = list(_cell_conditions(cells))
        return [
            replace(
                window,
                conditions=(*window.conditions, *chosen, *extra),
                text=" ".join(mark.text for mark in (*times, *cells)),
            )
            for window in windows
            for chosen in conditions
        ]


def _cell_conditions(cells: Sequence[Mark]) -> list[tuple[Condition, ...]]:
    """The tests that cells may mean together: of one column either of them, of several columns all."""
    conditions = []
    for chosen in product(*[mark.cells for mark in cells]):
        by_column: dict[str, list[str]] = {}
        for column, cell in chosen:
            by_column.setdefault(column, []).append(cell)
        conditions.append(
            tuple(
                Condition(column, "eq", named[0]) if len(set(named)) == 1 else Condition(column, "in", tuple(named))
                for column, named in by_column.items()
            )
        )
    return conditions[:8]


def merge_windows(one: Window, other: Window) -> Window | None:
    """Both windows at once; None where both have dates and neither holds the other."""
    if one == ALL_ROWS:
        return other
    if _differ(one.weekdays, other.weekdays) or _differ(one.months, other.months):
        return None
    dated = [window for window in (one, other) if window.start or window.end]
    if len(dated) == 2:
        if is_window_within(one, other):
            dated = [one]
        elif is_window_within(other, one):
            dated = [other]
        else:
            return None
    span = dated[0] if dated else ALL_ROWS
    return Window(
        start=span.start,
        end=span.end,
        first=one.first or other.first,
        last=one.last or other.last,
        weekdays=one.weekdays or other.weekdays,
        months=one.months or other.months,
        conditions=(*one.conditions, *other.conditions),
        without=(*one.without, *other.without),
    )


def _differ(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return bool(one and other) and set(one) != set(other)


def is_window_within(inner: Window, outer: Window) -> bool:
    """Whether the days of a window are all days of another."""
    return (
        inner.start is not None
        and inner.end is not None
        and (outer.start is None or outer.start <= inner.start)
        and (outer.end is None or inner.end <= outer.end)
    )


def _only_measured(mark: Mark, named: Sequence[Mark]) -> bool:
    """Whether "were received" only holds the name of a series, "received"."""
    return mark.kinds == {"measured"} and any(mark.start <= m.start and m.end <= mark.end for m in named)


def _is_titled(mark: Mark, every: Sequence[Token], title: str) -> bool:
    """Whether a number is part of the table's title, with the word beside it: "in the 2003 Lexmark Indy 300"."""
    title_words = f" {' '.join(re.findall(_WORD, title.lower()))} "
    words = [token for token in every if token.is_word]
    for one, other in pairwise(words):
        inside = any(mark.start <= token.start and token.end <= mark.end for token in (one, other))
        if inside and f" {one.text} {other.text} " in title_words:
            return True
    return False


def read_clause(
    text: str,
    words: Lexicon,
    view: View,
    names: Names,
    *,
    inherited: tuple[str, ...] = (),
    scope: tuple[Window, ...] = (),
    earlier_checks: tuple[Specification, ...] = (),
    continues_sentence: bool = False,
) -> Clause:
    """Finds everything that is known in a clause; of what overlaps, the longest."""
    marks, every = _marks(text, view, names, scope, tuple(window.text for window in scope))
    kept = with_hedges(text, with_earlier_series(list(marks), inherited), words.links)
    return Clause(
        text,
        words,
        view,
        tuple(kept),
        every,
        inherited,
        scope,
        earlier_checks,
        continues_sentence,
        names.column_stems,
        names.head_stems,
    )


@lru_cache(maxsize=256)  # a clause is read alone, after the text before it, and as a possible comment
def _marks(
    text: str, view: View, names: Names, scope: tuple[Window, ...], scope_texts: tuple[str, ...]
) -> tuple[tuple[Mark, ...], tuple[Token, ...]]:
    """The marks and tokens of a clause. Windows with other texts are equal: the cache also needs `scope_texts`."""
    language = names.language
    words = lexicon(language)
    every = tokens(text, language)
    marks = [
        Mark(m.start, m.end, text[m.start : m.end], mention=m) for m in names.find([t for t in every if t.is_word])
    ]
    columns = {column for mark in marks for column in (*mark.columns, *mark.series)}
    marks = [m for m in marks if not (m.text.isdigit() and m.cells) or columns & {column for column, _ in m.cells}]
    marks += [
        Mark(n.start, n.end, text[n.start : n.end], number=n)
        for n in find_numbers(text, load_language(language))
        if not (n.spelled and n.value == 1 and n.text.lower().split()[0] in words.articles)
    ]
    if view.times is None:
        marks += undatable_times(text, words, view.table.name)
    else:
        marks += [Mark(t.start, t.end, text[t.start : t.end], time=t) for t in find_times(text, language, view.times)]
    marks = [without_column_unit(mark, marks) for mark in marks]
    named = [mark for mark in marks if mark.series]
    marked = [mark for mark in marked_words(text, words) if not _only_measured(mark, named)]
    kept = [
        mark
        for mark in longest_marks([*marks, *marked])
        if not (mark.number and _is_titled(mark, every, view.table.name))
    ]
    kept = [mark for mark in kept if not (mark.kinds and is_of_a_name(mark, kept, names))]
    kept = with_relative_times(with_whole(kept, text, words, view), text, words, view, scope)
    kept = with_roles(with_rates(with_exclusions(kept, text, words), text, words, view), text, words, view)
    return tuple(kept), every
