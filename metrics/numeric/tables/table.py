"""A table as numbers, whatever it was read from, and the times of its rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dateutil.relativedelta import relativedelta
from numpy.typing import NDArray

from ....text.numbers.notation import known_unit, notation_words
from ..specification import Unverifiable, Window
from ..units import convert, counts_things, unit_and_power

if TYPE_CHECKING:
    from pandas import DataFrame, DatetimeIndex


class Period(StrEnum):
    """How much time one row stands for, as its dates are written ("2026-03" is a month)."""

    MOMENT = "moment"  # with a time of day
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


DAY = timedelta(days=1)
STEPS = {
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "month": relativedelta(months=1),
    "quarter": relativedelta(months=3),
    "year": relativedelta(years=1),
}
LENGTHS = {"day": 1, "week": 7, "month": 365.25 / 12, "quarter": 365.25 / 4, "year": 365.25}  # in days


def unit_of_period(period: Period | None) -> str:
    """The unit of time that rows of a period are dated in: a key of `STEPS`."""
    return "day" if period in (None, Period.MOMENT) else str(period)


@dataclass(frozen=True, slots=True)
class Times:
    """What the times of a table reach from and to, and how much one row stands for."""

    start: date
    end: date
    period: Period

    @property
    def last_day(self) -> date:
        """The last day of the last row."""
        last: date = self.end + STEPS[unit_of_period(self.period)] - DAY
        return last


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A time in a text, `text[start:end]`: what it may mean, the likeliest first; `ends` of "from A to B"."""

    start: int
    end: int
    windows: tuple[Window, ...]
    ends: tuple[Window, Window] | None = None


@dataclass(frozen=True, eq=False)
class NumericTable:
    """Numeric series side by side, in the order of the file; row n is position n-1 in all of them.

    `frame` holds the columns of numbers (float64, missing is NaN, index 0..n-1); `labels` the columns of text, such as
    teams (the cells as written, None where empty). A column of numbers and texts ("12", "DNF") is in both, and
    `unreadable` names the positions whose cell is no number: computing over one of them is `Unverifiable`. `times` is
    the time of each row (NaT where it cannot be read), written in `time_column`, each row standing for a `period` that
    begins there; None without such a column. `units` are as stated, by column. `notes` say how the table was read.
    `others` are the same table in its other readings, where the notation does not tell (1.234 or 03/04/2026
    throughout). `power` is 6 where the numbers are said to be in millions. `caption` is what stands above the table.
    `rows_are` says of which rows a row is made ("sum by zone").
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
    others: tuple["NumericTable", ...] = ()
    power: int = 0
    caption: str = ""
    rows_are: str = ""

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.frame)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of numbers, in the order of the file."""
        return tuple(self.frame.columns)

    @property
    def readings(self) -> tuple["NumericTable", ...]:
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
        days = self.times.sort_values().to_series().diff().dropna().dt.days
        for step, least, most in (("week", 7, 7), ("month", 28, 31), ("quarter", 90, 92), ("year", 365, 366)):
            if days.min() >= least and (days <= most).mean() >= 0.75:  # the other steps skip rows: holidays
                return step
        return "day"

    @cached_property
    def reach(self) -> tuple[str, str] | None:
        """The names of the first and the last row in time; None without times."""
        if self.times is None or not self.times.notna().any():
            return None
        return self.row_name(int(self.times.argmin())), self.row_name(int(self.times.argmax()))

    def series(self, name: str) -> NDArray[Any]:
        """The values of a column of numbers, NaN where they are missing. Raises `Unverifiable` where there is none."""
        if name not in self.columns:
            texts = " (that column holds texts)" if name in self.labels.columns else ""
            raise Unverifiable(f"{self.name} has no series {name!r}{texts}; it has {', '.join(self.columns) or 'none'}")
        values: NDArray[Any] = self.frame[name].to_numpy()
        return values

    def known_values(self, name: str) -> NDArray[Any]:
        """The values of a column of numbers that are there."""
        values: NDArray[Any] = self.frame[name].dropna().to_numpy()
        return values

    def bounds(self, name: str) -> tuple[float, float]:
        """The least and the greatest value of a column of numbers; NaN where it has none."""
        return float(self.frame[name].min()), float(self.frame[name].max())

    def unit_of(self, series: str | None) -> str | None:
        """The unit of a series as computed with, or as it is written where it is not known."""
        return unit_and_power(self.units.get(series or ""))[0]

    def as_held(self, series: str, value: float, unit: str | None) -> float:
        """A stated value in the unit of a series. Raises `Unverifiable` where the two measure different things."""
        own_unit, power = unit_and_power(self.units.get(series))
        return convert(value, unit, own_unit) / 10.0**power

    def in_unit_of(self, series: str, values: Any, other: str) -> Any:
        """Values of the series `other` (a number or an array) in the unit of `series`.

        Raises `Unverifiable` where the two measure different things.
        """
        (unit, power), (wanted, wanted_power) = (unit_and_power(self.units.get(name)) for name in (other, series))
        return convert(values, unit, wanted) * 10.0 ** (power - wanted_power)

    def can_be_in(self, series: str, unit: str) -> bool:
        """Whether values of a series may be stated in a unit.

        Not where it counts things; else in any where it has no unit that is known, or in one that measures the same.
        """
        own_unit = self.unit_of(series)
        if counts_things(series) or (own_unit or "").casefold() in notation_words("counts"):
            return False
        try:
            convert(1.0, unit, known_unit(own_unit or "") and own_unit)
        except Unverifiable:
            return False
        return True

    def row_name(self, position: int) -> str:
        """A row in words: its time, as short as its period allows (2026 Q1), else its first label, else its number."""
        if self.times is not None and (when := self.times[position]) == when:  # NaT differs from itself
            forms = {Period.YEAR: "%Y", Period.QUARTER: f"%Y Q{when.quarter}", Period.MONTH: "%Y-%m"}
            forms |= {Period.MOMENT: "%Y-%m-%d %H:%M"}
            return str(when.strftime(forms.get(self.period or Period.DAY, "%Y-%m-%d")))
        names = (name for name in self.labels.columns if name not in self.frame.columns)
        named = next((cell for name in names if (cell := self.labels[name].iloc[position])), None)
        return str(named) if named else f"row {position + 1}"
