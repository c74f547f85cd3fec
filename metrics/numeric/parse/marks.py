"""The marks of a text: what is known in it, and which of what overlaps counts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ....languages.claim_sections import Links
from ....text.numbers import Number
from ..lexicon import Lexicon, whole_words
from ..names.mentions import Mention, Names
from ..quantities.tolerance import HEDGES
from ..specification import Hedge
from ..tables.table import NamedTime

HEDGES_BY_WORD = {entry.word: entry.hedge for entry in HEDGES.values() if entry.word}
"""The hedges by the kind of words that say them."""

BOUNDS = {entry.hedge: entry.bound for entry in HEDGES.values() if entry.bound}
"""The tests that hedges make of a value."""

_ORDER = {"mention": 0, "time": 1, "number": 2, "word": 3}

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
    def start_with_hedge(self) -> int:
        """Where a number begins, the hedge before it included."""
        return self.hedge_mark.start if self.hedge_mark and self.hedge_mark.end <= self.start else self.start

    def _columns_of_kind(self, kind: str) -> tuple[str, ...]:
        names = self.mention.names if self.mention else ()
        return tuple(dict.fromkeys(name.column for name in names if name.kind == kind))


def as_aside(mark: Mark) -> Mark:
    """A mark that names nothing: what it named is not what the clause is about."""
    return replace(mark, mention=None, kinds=frozenset({"aside"}))


def is_of_a_name(mark: Mark, kept: Sequence[Mark], names: Names) -> bool:
    """Whether a word belongs to a series that a part of its name stands for ("dropped 46 calls" of dropped_calls)."""
    parts = [
        name.column for m in kept if m.mention for name in m.mention.names if name.kind == "series" and name.rank == 2
    ]
    return any(names.stems_of(mark.text) <= names.stems_of(column) for column in parts)


def without_column_unit(mark: Mark, marks: Sequence[Mark]) -> Mark:
    """ "98 days" is 98 of the series "days", where the table has one."""
    number = mark.number
    if number is None or number.unit is None:
        return mark
    named = next((m for m in marks if m.series and m.end == mark.end and m.start > mark.start), None)
    if named is None:
        return mark
    end = mark.start + len(mark.text[: named.start - mark.start].rstrip())
    return Mark(mark.start, end, mark.text[: end - mark.start], number=replace(number, unit=None, end=end))


def marked_words(text: str, words: Lexicon) -> list[Mark]:
    """The words of every kind in a text; may overlap."""
    spans: dict[tuple[int, int], set[str]] = {}
    for kind, pattern in words.kinds.items():
        for match in pattern.finditer(text):
            spans.setdefault(match.span(), set()).add(kind)
    for match in _whole(words).finditer(text):
        spans.setdefault(match.span(), set()).add("whole")
    return [Mark(start, end, text[start:end], frozenset(kinds)) for (start, end), kinds in spans.items()]


def _whole(words: Lexicon) -> re.Pattern[str]:
    return whole_words(words.data["whole"])


def longest_marks(marks: list[Mark]) -> list[Mark]:
    """The longest of the marks that overlap; of equally long marks the one that names something of the table."""

    def order(mark: Mark) -> tuple[int, int, int]:
        kind = "mention" if mark.mention else "time" if mark.time else "number" if mark.number else "word"
        weak = mark.mention is not None and max(name.rank for name in mark.mention.names) == 1
        return (-(mark.end - mark.start), 4 if weak else _ORDER[kind], mark.start)

    kept: list[Mark] = []
    for mark in sorted(marks, key=order):
        if not any(mark.start < other.end and other.start < mark.end for other in kept):
            kept.append(mark)
    return sorted(kept, key=lambda mark: mark.start)


def with_mark(marks: Sequence[Mark], new: Mark) -> list[Mark]:
    """The marks in order, a new one in place of those that it overlaps."""
    rest = (mark for mark in marks if mark.end <= new.start or new.end <= mark.start)
    return sorted([*rest, new], key=lambda mark: mark.start)


def with_hedges(text: str, marks: Sequence[Mark], links: Links) -> list[Mark]:
    """The marks, each number with the hedge that stands right before it ("more than 5") or after it ("5 or more")."""
    return [
        _with_hedge(text, mark, before, after, links)
        for before, mark, after in zip([None, *marks], marks, [*marks[1:], None], strict=False)
    ]


def _with_hedge(text: str, mark: Mark, before: Mark | None, after: Mark | None, links: Links) -> Mark:
    if mark.number is None:
        return mark
    for other, between in (
        (before, text[before.end : mark.start] if before else ""),
        (after, text[mark.end : after.start] if after else ""),
    ):
        hedges = [hedge for kind, hedge in HEDGES_BY_WORD.items() if other is not None and kind in other.kinds]
        if not hedges or not re.fullmatch(rf"\W*(?:(?:{links.hedge_gap})\W+)?", between, re.IGNORECASE):
            continue
        if other is after and not re.match(links.hedge_after, other.text if other else ""):
            continue
        return replace(mark, hedge=hedges[0], hedge_mark=other)
    return mark


def is_count(number: Number) -> bool:
    """Whether a number may count things: whole, not below 0, without a unit or with one of time ("5 days")."""
    whole = number.value == int(number.value) and number.value >= 0 and number.decimals <= 0
    return whole and (number.unit is None or number.unit in _TIME_UNITS)
