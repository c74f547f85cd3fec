"""The marks of a text: what is known in it, and which of what overlaps counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ....text.numbers import Number
from ..names.mentions import Mention
from ..specification import ALL_ROWS, HEDGES, Hedge, Window
from ..tables.table import NamedTime

HEDGES_BY_WORD = {entry.word: entry.hedge for entry in HEDGES.values() if entry.word}
"""The hedges by the kind of words that say them."""

BOUNDS = {entry.hedge: entry.bound for entry in HEDGES.values() if entry.bound}
"""The tests that hedges make of a value."""

_TIME_UNITS = frozenset({"day", "week", "month", "year", "h", "hour", "min", "s"})


@dataclass(frozen=True, eq=False)
class Mark:
    """Something known in a clause, `text[start:end]`; `kinds` are those of a word."""

    start: int
    end: int
    text: str
    kinds: frozenset[str] = frozenset()
    number: Number | None = None
    time: NamedTime | None = None
    mention: Mention | None = None
    hedge: Hedge = Hedge.EXACT
    hedge_mark: "Mark | None" = None
    excluded: bool = False  # a time or rows that the claim leaves out

    @cached_property
    def series(self) -> tuple[str, ...]:
        """The columns of numbers that it may name."""
        return self._columns_of_kind("series")

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of texts or times that it may name."""
        return self._columns_of_kind("column")

    @cached_property
    def cells(self) -> tuple[tuple[str, str], ...]:
        """The cells (column, text) that it may name; none where it names a series as well."""
        if self.mention is None or self.series:
            return ()
        return tuple((name.column, name.cell) for name in self.mention.names if name.kind == "cell")

    @property
    def stated(self) -> Number:
        """The number of a mark that is one."""
        assert self.number is not None
        return self.number

    @property
    def unit(self) -> str | None:
        """The unit of its number; None without one."""
        return self.number.unit if self.number else None

    @property
    def window(self) -> Window:
        """The time that it most likely means; all rows where it names none."""
        return self.time.windows[0] if self.time else ALL_ROWS

    @property
    def start_with_hedge(self) -> int:
        """Where a number begins, the hedge before it included."""
        return self.hedge_mark.start if self.hedge_mark and self.hedge_mark.end <= self.start else self.start

    def overlaps(self, start: int, end: int) -> bool:
        """Whether it has a character of `text[start:end]`."""
        return self.start < end and start < self.end

    def _columns_of_kind(self, kind: str) -> tuple[str, ...]:
        names = self.mention.names if self.mention else ()
        return tuple(dict.fromkeys(name.column for name in names if name.kind == kind))


def choose(candidates: Iterable[Mark], marks: Sequence[Mark] = ()) -> list[Mark]:
    """The marks in order, with candidates in place of those that they overlap.

    Of candidates that overlap the longest counts; of equally long ones a name of the table, a time, a number, a word,
    and last a name that only its unit suggests.
    """

    def preference(mark: Mark) -> tuple[int, int, int]:
        is_weak = mark.mention is not None and max(name.rank for name in mark.mention.names) == 1
        kinds = (mark.mention and not is_weak, mark.time, mark.number, not is_weak)
        return (mark.start - mark.end, next((place for place, kind in enumerate(kinds) if kind), 4), mark.start)

    chosen: list[Mark] = []
    for mark in sorted(candidates, key=preference):
        if not any(other.overlaps(mark.start, mark.end) for other in chosen):
            chosen.append(mark)
    if chosen:
        marks = [mark for mark in marks if not any(other.overlaps(mark.start, mark.end) for other in chosen)]
    return sorted([*chosen, *marks], key=lambda mark: mark.start)


def is_count(number: Number) -> bool:
    """Whether a number may count things: whole, not below 0, without a unit or with one of time ("5 days")."""
    whole = number.value == int(number.value) and number.value >= 0 and number.decimals <= 0
    return whole and (number.unit is None or number.unit in _TIME_UNITS)
