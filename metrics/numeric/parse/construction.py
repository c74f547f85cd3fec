"""A construction: a way to say one kind of claim, as data, and the matcher that finds it among a clause's marks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..specification import Specification, Window
from .checks import ClauseCheck, check, series_of, values_of
from .clause import Clause
from .marks import Mark

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
