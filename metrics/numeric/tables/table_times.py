"""What the times of a table reach over, and a time that a text names."""

from dataclasses import dataclass
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from ..specification import Window
from .table import Period

DAY = timedelta(days=1)

STEPS = {
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "month": relativedelta(months=1),
    "quarter": relativedelta(months=3),
    "year": relativedelta(years=1),
}


LENGTHS = {"day": 1, "week": 7, "month": 365.25 / 12, "quarter": 365.25 / 4, "year": 365.25}  # in days


@dataclass(frozen=True, slots=True)
class Times:
    """What the times of a table reach from and to, and how much one row stands for."""

    start: date
    end: date
    period: Period

    @property
    def last_day(self) -> date:
        """The last day of the last row."""
        last: date = self.end + _step(self.period) - DAY
        return last


def step_before(day: date, period: Period) -> date:
    """The begin of the period before the one that begins on a day."""
    before: date = day - _step(period)
    return before


def _step(period: Period) -> relativedelta:
    return STEPS["day" if period is Period.MOMENT else period.value]


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A time in a text, `text[start:end]`: what it may mean, the likeliest first; `ends` of "from A to B"."""

    start: int
    end: int
    windows: tuple[Window, ...]
    ends: tuple[Window, Window] | None = None
