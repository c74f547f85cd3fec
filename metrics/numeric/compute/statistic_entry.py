"""One statistic as the registry has it: how it is computed, what unit it has, and what a judge is told of it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from ..specification import Specification, Statistic
from ..tables import Table
from .computation import Computed

Compute = Callable[[Specification, Table], Computed]


class UnitRule(Enum):
    """What a statistic's value is measured in."""

    LEVEL = auto()  # the series' unit
    DISTANCE = auto()  # the series' unit; of a series in percent also percentage points
    COUNT = auto()  # none: rows or values are counted
    PERCENT = auto()
    PLAIN = auto()  # none: a factor, a place
    NO_VALUE = auto()  # a yes or no, or a place


@dataclass(frozen=True)
class StatisticEntry:
    """A statistic.

    `described` and `needs` are for a judge that reads a claim: what it is, and the fields without which there is none
    (the series apart, which only a count of rows goes without). `word` is the kind of words in the packs that names it
    beside a value ("the mean of X was 5"); empty where only a construction of its own says it. `is_inner`: a
    claim may compare two sides by it ("the mean of A is higher than that of B").
    """

    statistic: Statistic
    compute: Compute
    unit: UnitRule
    described: str
    needs: tuple[str, ...] = ("value",)
    word: str = ""
    is_inner: bool = False
