"""What a statistic is computed from, what it came to, and how the registry describes it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..specification import ALL_ROWS, Specification, Statistic, Unverifiable
from ..tables.rows import all_values, rows_of, values_of
from ..tables.table import NumericTable

SIGNIFICANT = 0.05  # p-values below are no chance
_SHOWN = 6  # values in a line of arithmetic


@dataclass(frozen=True)
class Computed:
    """A statistic of a table.

    `values` holds one value per definition in use ("of a sample", "of a population"), or one value under "". `unit` is
    the series' (or `%`, `pp`). `arithmetic` is the calculation in one line. `places` are positions of rows, for
    statistics that ask where. `holds` is the answer of a statistic without a value (a trend, a comparison). `base` is
    what a change is measured from.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    unit: str | None = None
    arithmetic: str = ""
    places: tuple[int, ...] = ()
    holds: bool | None = None
    base: float | None = None

    @property
    def value(self) -> float | None:
        """The value under the first definition; None for a statistic without one."""
        return next(iter(self.values.values()), None)


def single(value: float, unit: str | None, arithmetic: str, **rest: Any) -> Computed:
    """A statistic of one definition."""
    return Computed({"": float(value)}, unit, arithmetic, **rest)


@dataclass
class StatisticInput:
    """What a specification selects of a table: the rows of its window, and the values of its series there.

    All of it is looked up when it is asked for, and raises `Unverifiable` where it is not there.
    """

    asked: Specification
    table: NumericTable

    @property
    def name(self) -> str:
        """The series."""
        if self.asked.series is None:
            raise Unverifiable(f"no series is named to take the {self.asked.statistic.replace('_', ' ')} of")
        return self.asked.series

    @cached_property
    def rows(self) -> NDArray[Any]:
        """The positions of the rows, in order of time."""
        return rows_of(self.table, self.asked.window)

    @cached_property
    def cells(self) -> NDArray[Any]:
        """The values of all the rows, NaN where one is missing."""
        return all_values(self.table, self.name, self.rows)

    @cached_property
    def is_known(self) -> NDArray[Any]:
        """Which of the rows have a value."""
        known: NDArray[Any] = ~np.isnan(self.cells)
        return known

    @cached_property
    def values(self) -> NDArray[Any]:
        """The values that are there, at least one."""
        return values_of(self.table, self.name, self.rows)

    @property
    def unit(self) -> str | None:
        """The unit of the series."""
        return self.table.unit_of(self.asked.series)

    def title(self, name: str) -> str:
        """A statistic as a person calls it: "mean of throughput_mbps over 2026-03-01..2026-03-07"."""
        asked = self.asked
        window = "" if asked.window == ALL_ROWS else f" over {asked.window.text or asked.window}"
        return f"{name} of {asked.series or 'rows'}{window}"

    def row_names(self, places: Sequence[int], most: int = 3) -> str:
        """The names of rows, the first few of many."""
        names = ", ".join(self.table.row_name(int(place)) for place in places[:most])
        return f"{names} and more" if len(places) > most else names


Compute = Callable[[StatisticInput], Computed]


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


def format_number(value: float, unit: str | None = None) -> str:
    """A number for a person, with its unit: whole numbers whole, others with six digits that count.

    Raises `Unverifiable` for infinity.
    """
    space = "" if unit in (None, "%") else " "
    if not isfinite(value):
        raise Unverifiable("a number is too large to compute with")
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}{space}{unit or ''}"
    return f"{value:,.{'2f' if abs(value) >= 1e6 else '6g'}}{space}{unit or ''}"


def format_terms(values: Sequence[float] | NDArray[Any], sign: str) -> str:
    """Values joined by a sign, the middle of many left out."""
    texts = [format_number(value) for value in (values if len(values) <= _SHOWN else [*values[:3], *values[-1:]])]
    if len(values) > _SHOWN:
        texts.insert(3, "...")
    return f" {sign} ".join(texts)
