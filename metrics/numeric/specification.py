"""What a numerical claim says, as values: the contract between reading a claim and computing it."""

from calendar import day_name, month_name
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Literal

from ...errors import AssayError
from ...text.wording import count_of


class Statistic(StrEnum):
    """What is computed over the rows of the window, missing values left out."""

    VALUE_AT = "value_at"  # the value of the window's one row (several rows that differ: unverifiable)
    MEAN = "mean"
    MEDIAN = "median"
    SUM = "sum"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    TIME_OF_MAXIMUM = "time_of_maximum"  # `place` is where the claim puts the maximum (rows or dates)
    TIME_OF_MINIMUM = "time_of_minimum"
    COUNT = "count"  # rows in the window; with a series, rows that have a value; `distinct`: different values
    MISSING = "missing"  # rows in the window without a value of the series
    COUNT_ABOVE = "count_above"  # values above `threshold` (or equal to it if `threshold_included`), or `compared_with`
    COUNT_BELOW = "count_below"  # values below `threshold`, or equal to it if `threshold_included`
    DIFFERENCE = "difference"  # the side (series, window) less the side (compared_with, compared_window)
    PERCENT_CHANGE = "percent_change"  # 100 * difference / size of the second side
    RATIO = "ratio"  # the first side / the second side
    TREND = "trend"  # `direction` of the slope over the window
    STREAK = "streak"  # changes in `direction`, one after the other, that end the window; without a value: all of it
    RANGE = "range"  # maximum - minimum
    DEVIATION = "deviation"  # sample or population: a claim holds if either does
    PERCENTILE_90 = "percentile_90"  # interpolated or by nearest rank: a claim holds if either does
    LATEST = "latest"  # the last value in the window
    FIRST = "first"
    RANK = "rank"  # `value` is the place of `place`'s row among the window's; direction up: 1 is the lowest
    COMPARISON = "comparison"  # the first side is higher (up), lower (down) or as high (flat) as the second
    ANOMALY = "anomaly"  # at least one in the window (at `place`, if given); with `value`: so many
    NO_ANOMALY = "no_anomaly"
    CROSSING = "crossing"  # a value gets above (up) or below (down) `threshold` in the window; `place`: first then
    CORRELATION = "correlation"  # of series with compared_with; `direction` its sign, or `value`
    SHARE = "share"  # 100 * sum over window / sum over compared_window (the whole table if None), in percent


PLACE_OF = {Statistic.MAXIMUM: Statistic.TIME_OF_MAXIMUM, Statistic.MINIMUM: Statistic.TIME_OF_MINIMUM}
"""The statistics of extremes, and those that ask where they are."""


class Hedge(StrEnum):
    """How the claim softens its value; `verify.holds` says what each means."""

    EXACT = "exact"
    ABOUT = "about"
    NEARLY = "nearly"
    JUST_OVER = "just_over"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    MORE_THAN = "more_than"
    LESS_THAN = "less_than"


@dataclass(frozen=True)
class HedgeEntry:
    """A hedge and its description for a judge.

    `word` is the kind of its words in the packs; `bound` is the test of a hedge that is a limit.
    """

    hedge: Hedge
    described: str
    word: str = ""
    bound: Literal["gt", "ge", "lt", "le"] | None = None


HEDGES: Mapping[Hedge, HedgeEntry] = {
    entry.hedge: entry
    for entry in (
        HedgeEntry(Hedge.EXACT, "no such word"),
        HedgeEntry(Hedge.ABOUT, "about, around, roughly", "about"),
        HedgeEntry(Hedge.NEARLY, "almost, just under", "nearly"),
        HedgeEntry(Hedge.JUST_OVER, "just above", "just_over"),
        HedgeEntry(Hedge.AT_LEAST, "as much or more", "at_least", "ge"),
        HedgeEntry(Hedge.AT_MOST, "as much or less", "at_most", "le"),
        HedgeEntry(Hedge.MORE_THAN, "over, above", "above", "gt"),
        HedgeEntry(Hedge.LESS_THAN, "under, below", "below", "lt"),
    )
}
"""The registry of hedges: each is one entry. Of a number with two the first here counts."""


class Direction(StrEnum):
    """Up (rose, higher), down (fell, lower) or flat (stable, equal)."""

    UP = "up"
    DOWN = "down"
    FLAT = "flat"


@dataclass(frozen=True, slots=True)
class Condition:
    """A test on a row's cell: the cell of `column` compared with `value`.

    Texts are compared without case and outer white space (only `eq` and `in`), numbers as numbers.
    `in`: the cell is one of the texts of a tuple.
    """

    column: str
    operator: Literal["eq", "gt", "ge", "lt", "le", "in"]
    value: str | float | tuple[str, ...]

    def __str__(self) -> str:
        """The test as a person would write it."""
        value = " or ".join(map(str, self.value)) if isinstance(self.value, tuple) else self.value
        return f"{self.column} {_SIGNS[self.operator]} {value}"


@dataclass(frozen=True, slots=True)
class Window:
    """The rows that a claim is about: those that fit every part. Without parts: all rows.

    `start` and `end` are both included. Relative words ("last week") are dates already, reckoned from the table's end.
    `first` and `last` are numbers of rows, counted after the other parts. `weekdays` are 0 (Monday) to 6; `months` are
    1 to 12 (of any year). `positions` are row numbers from 0. Rows of the windows `without` are left out, before
    `first` and `last` count.
    """

    start: date | None = None
    end: date | None = None
    first: int | None = None
    last: int | None = None
    weekdays: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()
    conditions: tuple[Condition, ...] = ()
    without: tuple["Window", ...] = ()
    text: str = field(default="", compare=False)  # as the claim says it

    def __str__(self) -> str:
        """The window in words that a person can follow."""
        span = f"{self.start or 'the begin'}..{self.end or 'the end'}" if self.start != self.end else self.start or ""
        parts = (
            str(span),
            "row " + ", ".join(str(position + 1) for position in self.positions) if self.positions else "",
            ", ".join(day_name[day] for day in self.weekdays),
            ", ".join(month_name[month] for month in self.months),
            *map(str, self.conditions),
            *(f"without {window}" for window in self.without),
            f"first {count_of(self.first, 'row')}" if self.first else "",
            f"last {count_of(self.last, 'row')}" if self.last else "",
        )
        return " and ".join(filter(None, parts)) or "all rows"


_SIGNS = {"eq": "=", "gt": ">", "ge": ">=", "lt": "<", "le": "<=", "in": "="}

ALL_ROWS = Window()


@dataclass(frozen=True, slots=True)
class Specification:
    """One check: a statistic of a series over a window, and what the claim says it is.

    `series` and `compared_with` are column names as the table has them (None: rows are counted, or the same series).
    `value` is in `unit` as stated ("1.2 million" is 1200000 with decimals -5); `unit` is a pint unit, `%`, `pp`
    (percentage points), an ISO currency, or None where the claim names none. `side_statistic` is what difference,
    percent_change, ratio, comparison and share compute on each side (None: the value of one row, else the mean). A
    value with a `direction` is a size ("fell by 5": value 5, down); without it a difference may have either sign.
    `negated`: the claim says that the rest does not hold.
    """

    statistic: Statistic
    series: str | None = None
    window: Window = ALL_ROWS
    value: float | None = None
    unit: str | None = None
    decimals: int = 0
    hedge: Hedge = Hedge.EXACT
    margin: float | None = None  # of a round phrase ("a third"): the share of the value that it may be off
    direction: Direction | None = None
    side_statistic: Statistic | None = None
    compared_with: str | None = None
    compared_window: Window | None = None
    threshold: float | None = None
    threshold_unit: str | None = None
    threshold_included: bool = False
    place: Window | None = None
    distinct: bool = False
    negated: bool = False


class Unverifiable(AssayError):
    """A claim cannot be checked against these tables; the text is the reason, for a person."""
