"""A table as numbers: what claims are computed from, whatever it was read from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from ..specification import Unverifiable

if TYPE_CHECKING:
    from pandas import DataFrame, DatetimeIndex, Series


_MOSTLY = 0.75  # of the steps; the others skip rows (holidays)
_REGULAR = (("week", 7, 7), ("month", 28, 31), ("quarter", 90, 92), ("year", 365, 366))  # days from row to row


class Period(StrEnum):
    """How much time one row stands for, as its dates are written ("2026-03" is a month)."""

    MOMENT = "moment"  # with a time of day
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


@dataclass(frozen=True, eq=False)
class Table:
    """Numeric series side by side, in the order of the file; row n is position n-1 in all of them.

    `frame` holds the columns of numbers (float64, missing is NaN, index 0..n-1); `labels` the columns of text, such as
    teams (the cells as written, None where empty). A column of numbers and texts ("12", "DNF") is in both, and
    `unreadable` names the positions whose cell is no number: computing over one of them is `Unverifiable`. `times` is
    the time of each row (NaT where it cannot be read), written in `time_column`, each row standing for a `period` that
    begins there; None without such a column. `units` are as stated, by column. `notes` say how the table was read.
    `others` are the same table in its other readings, where the notation does not tell (1.234 or 03/04/2026
    throughout). `power` is 6 where the numbers are said to be in millions. `caption` is what stands above the table.
    """

    name: str
    frame: "DataFrame"
    labels: "DataFrame"
    times: "DatetimeIndex | None" = None
    time_column: str | None = None
    period: Period | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unreadable: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    others: tuple["Table", ...] = ()
    power: int = 0
    caption: str = ""

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.frame)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of numbers, in the order of the file."""
        return tuple(self.frame.columns)

    @property
    def readings(self) -> tuple["Table", ...]:
        """This reading and the others; a claim holds only if it holds in all of them."""
        return (self, *self.others)

    @cached_property
    def step(self) -> str | None:
        """What a row stands for, by its period or the regular distance of its dates: day, week, month, quarter, year.

        None without times, and for times of a day.
        """
        if self.period not in (None, Period.DAY):
            return None if self.period is Period.MOMENT else str(self.period)
        if self.times is None or len(self.times) < 3 or self.times.hasnans:
            return "day" if self.period else None
        steps = self.times.sort_values().to_series().diff().dropna().dt.days.to_numpy()
        for step, least, most in _REGULAR:
            if (steps >= least).all() and (steps <= most).mean() >= _MOSTLY:
                return step
        return "day"

    def only(self, names: Sequence[str]) -> "Table":
        """The same table with only some of its series."""
        return replace(self, frame=self.frame[list(names)], others=tuple(other.only(names) for other in self.others))

    def with_others(self, others: tuple["Table", ...]) -> "Table":
        """The same table with other readings beside it."""
        return replace(self, others=others)

    def series(self, name: str) -> "Series":
        """A column of numbers by its name. Raises `Unverifiable` where there is none."""
        if name not in self.frame.columns:
            texts = " (that column holds texts)" if name in self.labels.columns else ""
            raise Unverifiable(f"{self.name} has no series {name!r}{texts}; it has {', '.join(self.columns) or 'none'}")
        return self.frame[name]

    def row_name(self, position: int) -> str:
        """A row in words: its time, else its first label, else its number."""
        if self.times is not None and (when := self.times[position]) == when:  # NaT differs from itself
            return time_text(when, self.period)
        names = (name for name in self.labels.columns if name not in self.frame.columns)
        named = next((cell for name in names if (cell := self.labels[name].iloc[position])), None)
        return str(named) if named else f"row {position + 1}"


def time_text(when: object, period: Period | None) -> str:
    """A row's time as short as its period allows: 2026-03-01, 2026-03, 2026 Q1, 2026."""
    from pandas import Timestamp

    stamp = Timestamp(when)
    if period is Period.YEAR:
        return f"{stamp.year}"
    if period is Period.QUARTER:
        return f"{stamp.year} Q{stamp.quarter}"
    if period is Period.MONTH:
        return f"{stamp:%Y-%m}"
    return f"{stamp:%Y-%m-%d %H:%M}" if period is Period.MOMENT else f"{stamp:%Y-%m-%d}"
