"""What is asked of a table, as values, with units; and a table as numbers: its times, rows and values."""

import re
from calendar import day_name, month_name
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from math import isclose
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from dateutil.relativedelta import relativedelta
from numpy.typing import NDArray

from ...errors import AssayError
from ...text.numbers import currency_signs, known_unit, notation_powers, notation_words
from ...text.wording import count_of

if TYPE_CHECKING:
    from pandas import DataFrame, DatetimeIndex


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
    COUNT = "count"  # rows in the window; with a series, rows that have a value
    MISSING = "missing"  # rows in the window without a value of the series
    COUNT_ABOVE = "count_above"  # values above `threshold` (or equal to it if `threshold_included`), or `compared_with`
    COUNT_BELOW = "count_below"  # values below `threshold`, or equal to it if `threshold_included`
    DIFFERENCE = "difference"  # the side (series, window) less the side (compared_with, compared_window)
    PERCENT_CHANGE = "percent_change"  # 100 * difference / size of the second side
    RATIO = "ratio"  # the first side / the second side
    TREND = "trend"  # `direction` of the slope over the window
    STREAK = "streak"  # every change in the window goes in `direction`
    RANGE = "range"  # maximum - minimum
    DEVIATION = "deviation"  # sample or population: a claim holds if either does
    LATEST = "latest"  # the last value in the window
    FIRST = "first"
    RANK = "rank"  # `value` is the place of `place`'s row among the window's; direction up: 1 is the lowest
    COMPARISON = "comparison"  # the first side is higher (up), lower (down) or as high (flat) as the second
    ANOMALY = "anomaly"  # at least one in the window (at `place`, if given); with `value`: so many
    NO_ANOMALY = "no_anomaly"
    CROSSING = "crossing"  # a value gets above (up) or below (down) `threshold` in the window; `place`: first then
    SHARE = "share"  # 100 * sum over window / sum over compared_window (the whole table if None), in percent


PLACE_OF = {Statistic.MAXIMUM: Statistic.TIME_OF_MAXIMUM, Statistic.MINIMUM: Statistic.TIME_OF_MINIMUM}
"""The statistics of extremes, and those that ask where they are."""


class Hedge(StrEnum):
    """How the claim softens its value; `holds` says what each means."""

    EXACT = "exact"
    ABOUT = "about"
    NEARLY = "nearly"
    JUST_OVER = "just_over"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    MORE_THAN = "more_than"
    LESS_THAN = "less_than"


BOUNDS: Mapping[Hedge, Literal["gt", "ge", "lt", "le"]] = {
    Hedge.AT_LEAST: "ge",
    Hedge.AT_MOST: "le",
    Hedge.MORE_THAN: "gt",
    Hedge.LESS_THAN: "lt",
}
"""The tests of the hedges that are a limit."""


class Direction(StrEnum):
    """Up (rose, higher), down (fell, lower) or flat (stable, equal)."""

    UP = "up"
    DOWN = "down"
    FLAT = "flat"


@dataclass(frozen=True, slots=True)
class Condition:
    """A test on a row's cell: the cell of `column` is one of some texts, without case and outer white space."""

    column: str
    texts: tuple[str, ...]

    def __str__(self) -> str:
        """The test as a person would write it."""
        return f"{self.column} = {' or '.join(self.texts)}"


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
    parts: tuple["Window", ...] = field(default=(), compare=False)  # of several that a claim lists, each
    is_of_before: bool = field(default=False, compare=False)  # the text before names it, of the same series
    in_scene: bool = field(default=False, compare=False)  # the text before narrows it, and need not do so

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
    negated: bool = False
    times: float = 1.0  # what amounts of the series are multiplied by: 12 of "per year", of a price per month


class Unverifiable(AssayError):
    """A claim cannot be checked against these tables; the text is the reason, for a person."""


_DIGITS = {"1000": 3, "000": 3, "1000000": 6, "m": 6}
_CURRENCY = re.compile(r"[A-Z]{3}")
_PERCENT = ("%", "pp")
_BRACKETED = re.compile(r"[(\[]([^)\]]{0,100})[)\]]")


def is_currency(unit: str | None) -> bool:
    """Whether a unit is an ISO currency."""
    return unit is not None and _CURRENCY.fullmatch(unit) is not None


@cache
def unit_and_power(stated: str | None) -> tuple[str | None, int]:
    """A column's unit as computed with, and the power of ten in it ("k€" is EUR, 3). One not known stays as it is."""
    if not stated or not stated.strip():
        return None, 0
    if unit := known_unit(stated):
        return unit, 0
    return _scaled_unit(stated) or (_currency_of_rate(stated) or stated.strip(), 0)


def _scaled_unit(stated: str) -> tuple[str | None, int] | None:
    """A scale and, in any order, a unit ("EUR thousand", "x 1.000 EUR", "mln kg", "thousands"); None of any other."""
    scales = notation_powers("header_scales")
    powers = scales | notation_powers("header_plurals") | _DIGITS
    others = notation_words("header_words") | {"x", "×"}
    before = "|".join(sorted(scales, key=len, reverse=True))  # "kEUR"
    words = rf"{currency_signs()}|×|\d[\d.,]*|(?:{before})(?=[A-Z]{{3}}\b)|[^\W\d_]+\d?"
    units, scale_words = [], []
    for word in re.findall(words, stated.replace("'s", "")):
        unit, bare = known_unit(word), re.sub(r"[.,]", "", word)
        power = powers.get(bare, powers.get(bare.lower()))
        if unit and (power is None or is_currency(unit)):
            units.append(unit)
        elif power is not None:
            scale_words.append((bare, power))
        elif bare.lower() not in others:
            return None
    if len(units) > 1 or len(scale_words) != 1:
        return None
    ((scale, power),) = scale_words
    if not units:
        return (None, power) if len(scale) > 1 and not stated.strip()[0].isdigit() else None
    (unit,) = units
    return (unit, power) if is_currency(unit) or len(scale) > 1 else None  # "k" alone is short for more than thousand


def _currency_of_rate(unit: str) -> str | None:
    """EUR of "EUR per month" and "EUR/m²": amounts of such a column are stated in the currency."""
    per = "|".join(sorted(notation_words("header_per")))
    money = known_unit(re.sub(rf"\s*(?:(?:{per})\b|/).*$", "", unit))
    return money if is_currency(money) else None


def convert(value: float, unit: str | None, wanted: str | None) -> float:
    """A value in another unit; as it is where either is None. Raises `Unverifiable` where the two measure other things.

    Percent and percentage points are one here: the statistic decides which of the two it is.
    """
    if unit is None or wanted is None or unit.casefold() == wanted.casefold():
        return value
    if unit in _PERCENT and wanted in _PERCENT:
        return value
    factor = _factor(unit, wanted)
    if factor is None:
        raise Unverifiable(f"what is in {unit} cannot be compared with what is in {wanted}")
    return value * factor


@cache
def _factor(unit: str, wanted: str) -> float | None:
    """What one `unit` is in `wanted`. Currencies, and units that are no multiples (degrees, decibels), have none."""
    source, target = _pint_unit(unit), _pint_unit(wanted)
    if source is None or target is None or not source.is_compatible_with(target):
        return None
    once, twice = (float(_registry().Quantity(number, source).to(target).magnitude) for number in (1.0, 2.0))
    return once if isclose(twice, 2 * once) else None


@cache
def measured_by(unit: str) -> frozenset[str]:
    """What a unit measures, as pint has it: `temperature`, `mass`, `length`, `time`; nothing of one not known."""
    known = _pint_unit(unit)
    return frozenset(name.strip("[]") for name in known.dimensionality) if known is not None else frozenset()


@cache
def _pint_unit(name: str) -> Any:
    """A unit as pint knows it; None for percent, a currency, or a unit that it does not know."""
    import pint

    if is_currency(name) or name in _PERCENT:
        return None
    try:
        return _registry().Unit(name)
    except (pint.errors.PintError, AttributeError, TypeError, ValueError, AssertionError):
        return None


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry()


@cache
def counts_things(column: str) -> bool:
    """Whether a column's name says that it counts: "orders (n)", "klachten (aantal)"."""
    return any(bracketed.strip().casefold() in notation_words("counts") for bracketed in _BRACKETED.findall(column))


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
    begins there; None without such a column. `units` are as stated, by column.
    `others` are the same table in its other readings, where the notation does not tell (1.234 or 03/04/2026
    throughout). `power` is 6 where the numbers are said to be in millions. `caption` is what stands above the table.
    `rows_are` says of which rows a row is made ("sum by zone"). `with_totals` is the table with its rows of totals,
    which stand at the positions `totals` there; None where it has none.
    """

    name: str
    frame: "DataFrame"
    labels: "DataFrame"
    times: "DatetimeIndex | None" = None
    time_column: str | None = None
    period: Period | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    unreadable: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    others: tuple["NumericTable", ...] = ()
    power: int = 0
    caption: str = ""
    rows_are: str = ""
    with_totals: "NumericTable | None" = None
    totals: tuple[int, ...] = ()

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.frame)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of numbers, in the order of the file."""
        return tuple(self.frame.columns)

    @cached_property
    def readings(self) -> tuple["NumericTable", ...]:
        """This reading and the others, in one scale; a claim holds only if it holds in all of them."""
        return (self, *(replace(other, power=self.power) for other in self.others))

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


_LONGER = (Period.WEEK, Period.MONTH, Period.QUARTER, Period.YEAR)


def rows_of(table: NumericTable, window: Window, may_be_none: bool = False) -> NDArray[Any]:
    """The positions of the rows that fit every part of a window: in order of time where there is one, else of the file.

    Raises `Unverifiable` where the table cannot tell (no dates, part of a month) or no row fits, unless `may_be_none`.
    """
    positions = _fits(table, window).nonzero()[0]
    if table.times is not None and not table.times.is_monotonic_increasing and not table.times.hasnans:
        positions = positions[table.times[positions].argsort(kind="stable")]
    if window.first:
        positions = _split(table, positions, window.first)[0]
    if window.last:
        positions = _split(table, positions, -window.last)[1]
    if not len(positions) and not may_be_none:
        reach = f"; it reaches from {table.reach[0]} to {table.reach[1]}" if table.reach else ""
        raise Unverifiable(f"{table.name} has no rows for {window.text or window}{reach}")
    return positions


def _fits(table: NumericTable, window: Window) -> NDArray[Any]:
    every = np.arange(table.rows)
    fits: NDArray[Any] = np.ones(table.rows, dtype=bool)
    if window.start or window.end:
        fits &= _between(table, window.start, window.end)
    if window.weekdays:
        fits &= np.isin(_times(table, _LONGER).day_of_week, window.weekdays)
    if window.months:
        fits &= np.isin(_times(table, (Period.QUARTER, Period.YEAR)).month, window.months)
    if window.positions:
        fits &= np.isin(every, window.positions)
    for condition in window.conditions:
        fits &= _meets(table, condition)
    for left_out in window.without:
        fits &= ~np.isin(every, rows_of(table, left_out))
    return fits


def _split(table: NumericTable, positions: NDArray[Any], place: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The positions before a place and from it on. Raises `Unverifiable` where it is between rows of one time."""
    before, after = positions[:place], positions[place:]
    if len(before) and len(after) and table.times is not None and table.times[before[-1]] == table.times[after[0]]:
        raise Unverifiable(f"several rows of {table.name} are of {table.row_name(after[0])}")
    return before, after


def values_of(table: NumericTable, series: str, positions: NDArray[Any]) -> NDArray[Any]:
    """A series' values at some rows, missing ones left out. Raises `Unverifiable` where none is left."""
    values = all_values(table, series, positions)
    known: NDArray[Any] = values[~np.isnan(values)]
    if not len(known):
        raise Unverifiable(f"{series!r} has no value there: all {len(positions)} are missing")
    return known


def all_values(table: NumericTable, series: str, positions: NDArray[Any]) -> NDArray[Any]:
    """A series' values at some rows, NaN where they are missing. Raises `Unverifiable` where a cell is no number."""
    values: NDArray[Any] = table.series(series)[positions]
    wrong = positions[np.isin(positions, table.unreadable.get(series, ()))]
    if len(wrong):
        raise Unverifiable(f"{series!r} cannot be read as a number in {table.row_name(wrong[0])}")
    return values


def _times(table: NumericTable, too_long: Collection[Period] = ()) -> "DatetimeIndex":
    if table.times is None:
        raise Unverifiable(f"{table.name} has no dates")
    if table.times.hasnans:
        missing = [str(position + 1) for position, none in enumerate(table.times.isna()) if none][:5]
        raise Unverifiable(f"{table.name} has rows without a readable date: {', '.join(missing)}")
    if table.period in too_long:
        raise Unverifiable(f"the rows of {table.name} stand for {table.period}s")
    return table.times


def _between(table: NumericTable, start: date | None, end: date | None) -> NDArray[Any]:
    begins, ends = _days(table)
    first = np.datetime64(start, "D") if start else begins.min()
    last = np.datetime64(end, "D") if end else ends.max()
    inside: NDArray[Any] = (begins >= first) & (ends <= last)
    if ((begins <= last) & (ends >= first) & ~inside).any() and table.period:
        raise Unverifiable(f"the rows of {table.name} stand for {table.period}s, and that is a part of one")
    return inside


@lru_cache(maxsize=64)
def _days(table: NumericTable) -> tuple[NDArray[Any], NDArray[Any]]:
    """The first and the last day that each row stands for."""
    import pandas as pd

    begins, step = _times(table).normalize(), STEPS[unit_of_period(table.period)]
    ends = begins + pd.DateOffset(days=step.days, months=step.months, years=step.years) - pd.Timedelta(days=1)
    first, last = (days.to_numpy().astype("datetime64[D]") for days in (begins, ends))
    return first, last


@lru_cache(maxsize=64)
def _rows_by_text(table: NumericTable, column: str) -> Mapping[str, NDArray[Any]]:
    import pandas as pd

    texts = table.labels[column].map(_fold, na_action="ignore")
    rows: Mapping[str, NDArray[Any]] = pd.Series(range(table.rows)).groupby(texts).indices
    return rows


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _meets(table: NumericTable, condition: Condition) -> Any:
    """Whether each row's cell passes a test."""
    if condition.column not in table.labels.columns:
        raise Unverifiable(f"{condition.column!r} cannot be compared with {condition.texts[0]!r}")
    rows = _rows_by_text(table, condition.column)
    return np.isin(np.arange(table.rows), np.concatenate([rows.get(_fold(text), ()) for text in condition.texts]))
