"""The slots that constructions share: values, series, times and rows."""

from .checks import values_of
from .construction import ANY, Slot


def words(*kinds: str, least: int = 1, most: int = 1, name: str = "") -> Slot:
    """Words of these kinds."""
    return Slot(name or kinds[0], lambda clause: clause.of(*kinds), least, most)


def value(least: int = 1, most: int = 1) -> Slot:
    """Numbers that may be a series' value."""
    return Slot("value", values_of, least, most)


def number(least: int = 1, most: int = 1) -> Slot:
    """Numbers of any kind."""
    return Slot("number", lambda clause: clause.numbers, least, most)


def series(least: int = 0, most: int = 1) -> Slot:
    """Series that are named; none named are those of the text before, or the table's only one."""
    return Slot("series", lambda clause: clause.series, least, most)


def places(least: int = 0, most: int = ANY) -> Slot:
    """Times and cells that say which rows."""
    return Slot("place", lambda clause: [*clause.times, *clause.cells], least, most)
