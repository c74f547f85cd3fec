"""Numbers that bound a series ("above 50"), and not a count ("more than 5 days") or a change ("rose more than 20")."""

from .checks import marks_after, series_units
from .clause import Clause
from .marks import BOUNDS, Mark, is_count


def bounds_of(clause: Clause) -> list[Mark]:
    """The numbers that bound a series."""
    return [
        mark
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
