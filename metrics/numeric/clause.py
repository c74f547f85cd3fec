"""Clauses: where a text is cut into them, and one with all in it that the grammar knows."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice, pairwise, product

from ...languages import load_language
from ...text.numbers import known_unit
from ...text.sentences import claiming_sentences
from .lexicon import Lexicon, Token, any_of, lexicon, tokens
from .mark_finders import find_marks, listed_times
from .marks import Mark
from .sample_tables import View
from .specification import ALL_ROWS, PLACE_OF, Condition, Specification, Statistic, Unverifiable, Window
from .table import NumericTable, Times, rows_of
from .times import ordinal_of, whole_weeks

_AFTER_UNIT = re.compile(r"(?P<amount>\d\s?[^\W\d]{1,5}\.)\s+(?=(?P<after>[A-ZÀ-Þ]\w*))")
_JOINED = re.compile(r"\b([^\W\d_]+)-(?=[^\W\d_])")  # "second-highest", "second-quarter"


def claims_of(text: str, language: str) -> list[str]:
    """The sentences of an answer that claim something; one may end in a unit ("21 ms. The next day ...")."""

    def broken(match: re.Match[str]) -> str:
        return match[0] if known_unit(match["after"]) else f"{match['amount']}\n"  # whole: "12,4 Mio. Euro"

    sentences = claiming_sentences(text, load_language(language))
    return [part for sentence in sentences for part in _AFTER_UNIT.sub(broken, sentence).split("\n")]


def plain_text(text: str, language: str) -> str:
    """The text with the signs that only look different made the same: spaces, quotes, dashes."""
    text = re.sub(r"[\u2018\u2019]", "'", text).replace(" , ", ", ")
    text = re.sub(r"(?<=\w)[–—](?=\w)", "-", text)
    text = _JOINED.sub(lambda joined: f"{joined[1]} " if ordinal_of(joined[1], language) else joined[0], text)
    return re.sub(r"[*_`]{1,3}(?=\S)|(?<=\S)[*`]{1,3}", "", text)


def without_cause(text: str, words: Lexicon) -> tuple[str, bool]:
    """The sentence without the part that names a cause, and whether there was one."""
    cause = words.kinds["cause"].search(text)
    if cause is None:
        return text, False
    before, after = text[: cause.start()].rstrip(" ,;"), text[cause.end() :]
    if len(before.split()) >= 3:
        return before, True
    rest = after.partition(",")[2].strip()
    return rest, True


@cache
def _joints(language: str) -> re.Pattern[str]:
    """Where a sentence may be cut: at words that join clauses, at brackets, colons and dashes."""
    joins = any_of(lexicon(language).data["joins"])
    after_comma = any_of(lexicon(language).data["joins_after_comma"])
    return re.compile(
        rf"(?:,\s*(?:{joins}|{after_comma})\b|;|:(?=\s)|,(?=\s)|\s\(|\s[–—-]+(?=\s)|\s(?:{joins})(?=\s))\s*",
        re.IGNORECASE,
    )


def splits(text: str, words: Lexicon) -> Iterator[tuple[str, str]]:
    """The two parts at each place where a sentence may be cut."""
    listed = listed_times(text, words.language)
    for joint in _joints(words.language).finditer(text):
        if any(start < joint.start() and joint.end() < end for start, end in listed):
            continue
        left, right = text[: joint.start()].strip(), text[joint.end() :].strip()
        if joint[0].strip() == "(":
            right = re.sub(r"\)(?=\W*$)", "", right)
        if left and right:
            yield left, right


_MOST_MEANINGS = 8  # of cells together


@dataclass(frozen=True)
class Context:
    """What a clause is about where it does not say so: from the question, or from the text before."""

    series: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    checks: tuple[Specification, ...] = ()  # what the text before was checked for, the last first
    same_sentence: bool = False

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

    def after(self, checks: Sequence[Specification], *, same_sentence: bool) -> "Context":
        """What the next clause, or the next sentence, may be about after a clause with these checks.

        The next clause is about the places of the extremes that are named, else about the same rows. Whether the next
        sentence is about the same rows, it does not say: all rows may be meant as well.
        """
        series = tuple(dict.fromkeys(check.series for check in checks if check.series))
        windows = tuple(dict.fromkeys(check.window for check in checks if check.window != ALL_ROWS))
        if same_sentence:
            named = (check.place for check in checks if check.statistic in PLACE_OF.values())
            windows = tuple(dict.fromkeys(place for place in named if place is not None)) or windows
        elif windows and not set(windows) & set(self.windows):
            windows = (*windows, ALL_ROWS)
        return Context(series or self.series, windows or self.windows, tuple(checks[::-1]), same_sentence)


NO_CONTEXT = Context()


@dataclass(frozen=True)
class Clause:
    """A part of a sentence against one view of a table."""

    text: str
    view: View
    language: str
    marks: tuple[Mark, ...]
    tokens: tuple[Token, ...]
    context: Context

    @property
    def table(self) -> NumericTable:
        """The table as this view has it."""
        return self.view.table

    @property
    def words(self) -> Lexicon:
        """The words of the clause's language."""
        return lexicon(self.language)

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

    @property
    def places(self) -> list[Mark]:
        """The times and cells."""
        return [*self.times, *self.cells]

    def windows(self, places: Sequence[Mark]) -> list[Window]:
        """The windows that times and cells may mean together, less what is left out; empty where they cannot be one.

        Without times and cells, those of the context; where a clause says "over the whole period" after one with a
        time, either may be meant.
        """
        others = self.marks_of("others")
        if places:
            windows = self._together(places)
        elif others or self.marks_of("all_rows") or not self.context.windows:
            windows = [ALL_ROWS]
        else:
            known = [window for window in self.context.windows if window != ALL_ROWS]
            windows = known if known and self.marks_of("that_time") else list(self.context.windows)
            windows += [ALL_ROWS] if self.marks_of("whole") and ALL_ROWS not in windows else []
        left_out = [window for mark in self.marks if mark.excluded for window in self._together([mark])]
        if others and self.context.single_window:
            left_out.append(self.context.single_window)
        return [replace(w, without=(*w.without, *left_out), text="") for w in windows] if left_out else windows

    def _together(self, places: Sequence[Mark]) -> list[Window]:
        windows, is_list = list[Window](), len(places) > 1 and self._is_list(places)
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

    def _is_list(self, places: Sequence[Mark]) -> bool:
        """Whether places stand in one list ("on 2, 6 and 14 March"): all of them are meant, not one of them."""
        links = self.words.links
        joint = rf"\s*(?:,|&|(?:,\s*)?\b(?:{links.conjunction})\b)\s*(?:(?:{links.led})+)?"
        return all(re.fullmatch(joint, self.text[a.end : b.start], re.IGNORECASE) for a, b in pairwise(places))


def _cell_conditions(cells: Sequence[Mark]) -> list[tuple[Condition, ...]]:
    """The tests that cells may mean together: of one column either of them, of several columns all."""
    conditions = []
    for chosen in islice(product(*[mark.cells for mark in cells]), _MOST_MEANINGS):
        by_column: dict[str, dict[str, None]] = {}
        for column, cell in chosen:
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
    """Several windows at once; None where no dates are within all others, or where weekdays or months differ."""
    parts = [window for window in windows if window != ALL_ROWS]
    if len(parts) < 2:
        return parts[0] if parts else ALL_ROWS
    weekdays, months = (
        {frozenset(days): days for days in named if days}
        for named in zip(*((w.weekdays, w.months) for w in parts), strict=True)
    )
    dated = [window for window in parts if window.start or window.end]
    inner = [window for window in dated if all(window is w or is_window_within(window, w) for w in dated)]
    if len(weekdays) > 1 or len(months) > 1 or (dated and not inner):
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
    return Clause(text, view, language, tuple(marks), tokens(text, language), context)


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
    return bool(a.start and a.end) and a != b and is_window_within(b, a)


def has_several(clause: Clause, *windows: Window) -> bool:
    """Whether several rows are in all of the windows."""
    return _count(clause, *windows) > 1


def _count(clause: Clause, *windows: Window) -> int:
    """How many rows are in all of the windows; 0 where the table cannot tell, which the computation reports."""
    try:
        rows = [set(rows_of(clause.table, window, may_be_none=True).tolist()) for window in windows]
    except Unverifiable:
        return 0
    return len(set.intersection(*rows))


def is_one_named_row(clause: Clause) -> bool:
    """Whether the named times and cells identify one row."""
    return any(_count(clause, window) == 1 for window in clause.windows(clause.places))


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
