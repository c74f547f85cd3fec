"""A clause with everything in it that the grammar knows: numbers, times, series, cells, and marked words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product

from .lexicon import Lexicon, Token, tokens
from .mentions import Mention, Names
from .numbers import Number, find_numbers
from .periods import NamedTime, find_times
from .specification import ALL_ROWS, Condition, Hedge, Statistic, Window
from .table import Table
from .views import View

_HEDGES = {
    "about": Hedge.ABOUT,
    "nearly": Hedge.NEARLY,
    "just_over": Hedge.JUST_OVER,
    "at_least": Hedge.AT_LEAST,
    "at_most": Hedge.AT_MOST,
    "above": Hedge.MORE_THAN,
    "below": Hedge.LESS_THAN,
}
_ALL = re.compile(r"(?:across|all|over|of|alle)(?: the| de)? $", re.IGNORECASE)
_ARTICLES = ("a", "an", "een")
BOUNDS = {Hedge.MORE_THAN: "gt", Hedge.LESS_THAN: "lt", Hedge.AT_LEAST: "ge", Hedge.AT_MOST: "le"}
# kinds of words that say nothing by themselves
_SILENT = frozenset(
    {"value_word", "days", "when", "changed_to", "between_two", "increase_word", "whole", "exactly", "seen"}
)
_ORDER = {"mention": 0, "time": 1, "number": 2, "word": 3}
_MOST_UNKNOWN = 2
_TIME_UNITS = frozenset({"day", "week", "month", "year", "h", "hour", "min", "s"})


@dataclass(eq=False)
class Mark:
    """Something known in a clause, `text[start:end]`; `kinds` are those of a word, `used` is set when it is read."""

    start: int
    end: int
    text: str
    kinds: frozenset[str] = frozenset()
    number: Number | None = None
    time: NamedTime | None = None
    mention: Mention | None = None
    hedge: Hedge = Hedge.EXACT
    hedge_mark: "Mark | None" = None
    used: bool = False

    @property
    def series(self) -> tuple[str, ...]:
        """The columns of numbers that it may name."""
        return self._named("series")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of texts or times that it may name."""
        return self._named("column")

    @property
    def cells(self) -> tuple[tuple[str, str], ...]:
        """The cells (column, text) that it may name; none where it names a series as well."""
        if self.mention is None or self.series:
            return ()
        return tuple((name.column, name.cell) for name in self.mention.names if name.kind == "cell")

    def _named(self, kind: str) -> tuple[str, ...]:
        names = self.mention.names if self.mention else ()
        return tuple(dict.fromkeys(name.column for name in names if name.kind == kind))


@dataclass
class Clause:
    """A part of a sentence against one view of a table."""

    text: str
    words: Lexicon
    view: View
    marks: list[Mark]
    tokens: list[Token]
    inherited: tuple[str, ...] = ()  # series of the text before
    scope: tuple[Window, ...] = ()  # windows of the question or the text before
    statistic: Statistic | None = None  # of the clause before it in the same sentence
    column_stems: frozenset[str] = frozenset()
    inner: dict[str, list[Mark]] = field(default_factory=dict)  # words inside the names of series

    @property
    def table(self) -> Table:
        """The table as this view has it."""
        return self.view.table

    def of(self, *kinds: str) -> list[Mark]:
        """The marked words of these kinds, in order."""
        return [mark for mark in self.marks if mark.kinds & set(kinds)]

    def first(self, *kinds: str) -> Mark | None:
        """The first marked word of these kinds."""
        return next(iter(self.of(*kinds)), None)

    @property
    def numbers(self) -> list[Mark]:
        """The numbers, in order."""
        return [mark for mark in self.marks if mark.number]

    @property
    def times(self) -> list[Mark]:
        """The named times, in order."""
        return [mark for mark in self.marks if mark.time]

    @property
    def series(self) -> list[Mark]:
        """What names series, in order; the first mark of those that name the same."""
        seen: dict[tuple[str, ...], Mark] = {}
        for mark in self.marks:
            if mark.series:
                seen.setdefault(mark.series, mark)
        return list(seen.values())

    @property
    def cells(self) -> list[Mark]:
        """What names cells, in order."""
        return [mark for mark in self.marks if mark.cells]

    def use(self, marks: "Iterable[Mark | None]") -> None:
        """Notes that these marks are read."""
        read = [mark for mark in marks if mark is not None]
        named = {mark.series for mark in read if mark.series}
        for mark in [*read, *(each for each in self.marks if each.series in named and each.series)]:
            if not mark.used:
                mark.used = True
                if mark.hedge_mark is not None:
                    mark.hedge_mark.used = True

    def forget(self) -> None:
        """Takes back what was read, for another reading."""
        for mark in self.marks:
            mark.used = False

    def windows(self, times: Sequence[Mark], cells: Sequence[Mark], extra: Sequence[Condition] = ()) -> list[Window]:
        """The windows that times and cells may mean together; empty where they cannot be one window."""
        if not times and not cells and not extra and self.scope:
            if that := self.of("that_time"):
                self.use(that)
                return [window for window in self.scope if window != ALL_ROWS] or list(self.scope)
            return list(self.scope)
        found: list[Window] = []
        for chosen in product(*[mark.time.windows for mark in times if mark.time]):
            merged: Window | None = ALL_ROWS
            for window in chosen:
                merged = merge(merged, window) if merged is not None else None
            if merged is None:
                merged = self.view.together(chosen)
            if merged is not None:
                found.append(merged)
        conditions = list(_cell_conditions(cells))
        return [
            Window(
                start=window.start,
                end=window.end,
                first=window.first,
                last=window.last,
                weekdays=window.weekdays,
                months=window.months,
                positions=window.positions,
                conditions=(*window.conditions, *chosen, *extra),
                text=" ".join(mark.text for mark in (*times, *cells)),
            )
            for window in found
            for chosen in conditions
        ]

    def bare(self, shared: frozenset[str]) -> bool:
        """Whether all that is unread may be left out: at most two words that neither restrict nor name anything.

        The clause has to name its series itself: else an unknown word may be what it is about.
        """
        if not any(mark.series and mark.used for mark in self.marks):
            return False
        covered = [(mark.start, mark.end) for mark in self.marks]
        outside = [t for t in self.tokens if not any(start <= t.start and t.end <= end for start, end in covered)]
        unknown = [t for t in outside if t.is_word and not self._plain(t, shared)]
        left = [mark for mark in self.marks if not mark.used and self._matters(mark, shared)]
        return not left and len(unknown) <= _MOST_UNKNOWN and not any(self._restricts(t) for t in unknown)

    def _restricts(self, unknown: Token) -> bool:
        place = self.tokens.index(unknown)
        before = [token.text for token in self.tokens[:place]]
        while before and (before[-1] in self.words.articles):
            before.pop()
        named = self.text[unknown.start].isupper() and place > 0
        scope = bool(before) and before[-1] in self.words.scope_prepositions
        return not unknown.text.isalpha() or named or scope or unknown.text in self.words.restrictive

    def unread(self, shared: frozenset[str]) -> list[str]:
        """The words that no reading has used and that may matter; `shared` are stems that set the scene."""
        left = [mark.text for mark in self.marks if not mark.used and self._matters(mark, shared)]
        covered = [(mark.start, mark.end) for mark in self.marks]
        for token in self.tokens:
            inside = any(start <= token.start and token.end <= end for start, end in covered)
            if not inside and token.is_word and not self._plain(token, shared):
                left.append(token.text)
        return left

    def _plain(self, token: Token, shared: frozenset[str]) -> bool:
        plain_verb = token.text in self.words.plain_verbs and token.stem not in self.column_stems
        return token.text in self.words.harmless or plain_verb or token.stem in shared

    def _matters(self, mark: Mark, shared: frozenset[str]) -> bool:
        if mark.number or mark.time:
            return True
        if mark.kinds:
            return not mark.kinds & _SILENT
        inside = [token for token in self.tokens if mark.start <= token.start and token.end <= mark.end]
        return not all(self._plain(token, shared) for token in inside)


def _cell_conditions(cells: Sequence[Mark]) -> list[tuple[Condition, ...]]:
    """The tests that cells may mean together: of one column either of them, of several columns all."""
    found = []
    for chosen in product(*[mark.cells for mark in cells]):
        by_column: dict[str, list[str]] = {}
        for column, cell in chosen:
            by_column.setdefault(column, []).append(cell)
        found.append(
            tuple(
                Condition(column, "eq", named[0]) if len(set(named)) == 1 else Condition(column, "in", tuple(named))
                for column, named in by_column.items()
            )
        )
    return found[:8]


def merge(one: Window, other: Window) -> Window | None:
    """Both windows at once; None where both have dates and neither holds the other."""
    if one == ALL_ROWS:
        return other
    dated = [window for window in (one, other) if window.start or window.end]
    if len(dated) == 2:
        if _within(one, other):
            dated = [one]
        elif _within(other, one):
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
    )


def _within(inner: Window, outer: Window) -> bool:
    return (
        inner.start is not None
        and inner.end is not None
        and (outer.start is None or outer.start <= inner.start)
        and (outer.end is None or inner.end <= outer.end)
    )


def read_clause(
    text: str,
    words: Lexicon,
    view: View,
    names: Names,
    *,
    inherited: tuple[str, ...] = (),
    scope: tuple[Window, ...] = (),
    statistic: Statistic | None = None,
) -> Clause:
    """Finds everything that is known in a clause; of what overlaps, the longest."""
    language = words.language
    every = tokens(text, language)
    found = [
        Mark(m.start, m.end, text[m.start : m.end], mention=m) for m in names.find([t for t in every if t.is_word])
    ]
    found += [
        Mark(n.start, n.end, text[n.start : n.end], number=n)
        for n in find_numbers(text, language)
        if n.text.lower() not in _ARTICLES
    ]
    if view.times is not None:
        found += [Mark(t.start, t.end, text[t.start : t.end], time=t) for t in find_times(text, language, view.times)]
    found = [_without_column_unit(mark, found) for mark in found]
    marked = _marked_words(text, words)
    kept = _longest([*found, *marked])
    kept = [mark for mark in kept if not (mark.kinds and _is_of_a_name(mark, kept, names))]
    kept = _with_whole(kept, text, view)
    _hedge_numbers(text, kept)
    clause = Clause(text, words, view, kept, every, inherited, scope, statistic, names.column_stems)
    for mark in marked:
        if any(kept_mark.series and kept_mark.start <= mark.start and mark.end <= kept_mark.end for kept_mark in kept):
            for kind in mark.kinds:
                clause.inner.setdefault(kind, []).append(mark)
    return clause


def _with_whole(kept: list[Mark], text: str, view: View) -> list[Mark]:
    """ "Across the eight sites", of a table of eight sites, is all of it."""
    for number, noun in pairwise(kept):
        of_all = number.number is not None and number.number.value == view.table.rows and noun.columns
        if of_all and _ALL.search(text[: number.start]) and not text[number.end : noun.start].strip():
            whole = Mark(number.start, noun.end, text[number.start : noun.end], frozenset({"whole"}))
            return [whole, *(mark for mark in kept if mark not in (number, noun))]
    return kept


def _is_of_a_name(mark: Mark, kept: Sequence[Mark], names: Names) -> bool:
    """Whether a word belongs to a series that a part of its name stands for ("dropped 46 calls" of dropped_calls)."""
    parts = [
        name.column for m in kept if m.mention for name in m.mention.names if name.kind == "series" and name.rank == 2
    ]
    return any(names.stems_of(mark.text) <= names.stems_of(column) for column in parts)


def _without_column_unit(mark: Mark, found: Sequence[Mark]) -> Mark:
    """ "98 days" is 98 of the series "days", where the table has one."""
    number = mark.number
    if number is None or number.unit is None:
        return mark
    named = next((m for m in found if m.series and m.end == mark.end and m.start > mark.start), None)
    if named is None:
        return mark
    end = mark.start + len(mark.text[: named.start - mark.start].rstrip())
    return Mark(mark.start, end, mark.text[: end - mark.start], number=replace(number, unit=None, end=end))


def _marked_words(text: str, words: Lexicon) -> list[Mark]:
    spans: dict[tuple[int, int], set[str]] = {}
    for kind, pattern in words.kinds.items():
        for match in pattern.finditer(text):
            spans.setdefault(match.span(), set()).add(kind)
    for match in _whole(words).finditer(text):
        spans.setdefault(match.span(), set()).add("whole")
    return [Mark(start, end, text[start:end], frozenset(kinds)) for (start, end), kinds in spans.items()]


def _whole(words: Lexicon) -> re.Pattern[str]:
    from .lexicon import whole_words

    return whole_words(words.data["whole"])


def _longest(found: list[Mark]) -> list[Mark]:
    def order(mark: Mark) -> tuple[int, int, int]:
        kind = "mention" if mark.mention else "time" if mark.time else "number" if mark.number else "word"
        weak = mark.mention is not None and max(name.rank for name in mark.mention.names) == 1
        return (-(mark.end - mark.start), 4 if weak else _ORDER[kind], mark.start)

    kept: list[Mark] = []
    for mark in sorted(found, key=order):
        if not any(mark.start < other.end and other.start < mark.end for other in kept):
            kept.append(mark)
    return sorted(kept, key=lambda mark: mark.start)


def _hedge_numbers(text: str, marks: list[Mark]) -> None:
    """Gives each number the hedge that stands right before it ("more than 5") or after it ("5 or more")."""
    for place, mark in enumerate(marks):
        if mark.number is None:
            continue
        before = marks[place - 1] if place else None
        after = marks[place + 1] if place + 1 < len(marks) else None
        for other, between in (
            (before, text[before.end : mark.start] if before else ""),
            (after, text[mark.end : after.start] if after else ""),
        ):
            hedges = [_HEDGES[kind] for kind in _HEDGES if other is not None and kind in other.kinds]
            follows = other is after
            if not hedges or not re.fullmatch(r"\W*(?:(?:the|a|an|de|het|een|value of)\W+)?", between, re.IGNORECASE):
                continue
            if follows and not re.match(r"or |of |more or less|min of meer", other.text if other else ""):
                continue
            mark.hedge, mark.hedge_mark = hedges[0], other
            break


def is_count(number: Number) -> bool:
    """Whether a number may count things: whole, not below 0, without a unit or with one of time ("5 days")."""
    whole = number.value == int(number.value) and number.value >= 0 and number.decimals <= 0
    return whole and (number.unit is None or number.unit in _TIME_UNITS)
