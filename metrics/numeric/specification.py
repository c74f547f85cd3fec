"""What a numerical claim says, as values: the contract between reading a claim and computing it; and units."""

import re
from calendar import day_name, month_name
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cache
from math import isclose
from typing import Any, Literal

from ...errors import AssayError
from ...text.numbers import currency_signs, known_unit, notation_powers, notation_words
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
    STREAK = "streak"  # every change in the window goes in `direction`
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
    """A hedge: the kind of its words in the packs, and the test of one that is a limit."""

    hedge: Hedge
    word: str = ""
    bound: Literal["gt", "ge", "lt", "le"] | None = None


HEDGES: Mapping[Hedge, HedgeEntry] = {
    entry.hedge: entry
    for entry in (
        HedgeEntry(Hedge.EXACT),
        HedgeEntry(Hedge.ABOUT, "about"),
        HedgeEntry(Hedge.NEARLY, "nearly"),
        HedgeEntry(Hedge.JUST_OVER, "just_over"),
        HedgeEntry(Hedge.AT_LEAST, "at_least", "ge"),
        HedgeEntry(Hedge.AT_MOST, "at_most", "le"),
        HedgeEntry(Hedge.MORE_THAN, "above", "gt"),
        HedgeEntry(Hedge.LESS_THAN, "below", "lt"),
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
    distinct: bool = False
    negated: bool = False


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
