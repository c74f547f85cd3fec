"""A column of cells as numbers or as times, in the notation that all its cells together show."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...text.numbers import (
    DASHES,
    GROUPING_SPACES,
    NumberFormat,
    known_unit,
    notation_languages,
    notation_signs,
    notation_words,
    numeral_readings,
    parse_numeral,
)
from .lexicon import LANGUAGES, any_of, lexicon
from .table import Period, unit_and_power

if TYPE_CHECKING:
    from pandas import DatetimeIndex

Cell = int | float | str | bool | None

# digits whose separators leave no choice, once a whole column of them fits one of the two
_PLAIN = {
    NumberFormat.POINT: re.compile(r"[+-]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?"),
    NumberFormat.COMMA: re.compile(r"[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?"),
}
_NUMERAL = re.compile(rf"([{DASHES}+]?)([\d.,{GROUPING_SPACES} ’']*\d)\s?(%?)")
_BRACKETED = re.compile(r"([^\w(]*)\((?=[^()]*\d)([^()]*)\)(\s?%?)")
_MINUS_BEHIND = re.compile(rf"(.*\d)\s*[{DASHES}]")
_LONGEST_CELL = 200  # characters that a number may be written with, its unit included
_GREATEST = 1e100  # of a number: sums and squares of greater ones overflow
_YEARS = range(1100, 8900)  # a thousand years off are still in the calendar; 9999 stands for no end
_MOST_UNREAD = 0.5  # of the filled cells of a column of numbers, or of times
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?")


class CellReading(NamedTuple):
    """A cell in each format that it fits, and the unit written in it."""

    values: Mapping[NumberFormat, float]
    unit: str | None = None


@dataclass(frozen=True)
class NumberColumn:
    """A column read as numbers (missing and unreadable cells NaN), in each of the two formats.

    `shown` are the formats that its cells give away; `ambiguous` the positions that the formats read differently;
    `unreadable` those that are no number; `unit` what all its cells are written with.
    """

    values: dict[NumberFormat, NDArray[Any]]
    shown: frozenset[NumberFormat] = frozenset()
    ambiguous: tuple[int, ...] = ()
    unreadable: tuple[int, ...] = ()
    unit: str | None = None


def is_missing(cell: Cell) -> bool:
    """Whether a cell says that there is no value: empty, a dash, n/a, onbekend, NaN."""
    if isinstance(cell, str):
        return cell.strip().lower() in notation_words("missing")
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def read_cell(cell: Cell) -> CellReading | None:
    """The number that a cell is: also (1,473) for -1473, "12,3 %", "$(2,227)", "1.2M"; None if it is none."""
    if isinstance(cell, str):
        return _read_number(cell.strip()) if len(cell) <= _LONGEST_CELL else None
    if cell is None or isinstance(cell, bool) or not abs(cell) <= _GREATEST:
        return None
    return CellReading(dict.fromkeys(NumberFormat, float(cell)))


@lru_cache(maxsize=65536)
def _read_number(text: str) -> CellReading | None:
    sign = 1
    if match := _BRACKETED.fullmatch(text) or _MINUS_BEHIND.fullmatch(text):
        text, sign = "".join(match.groups()).strip(), -1
    if match := _NUMERAL.fullmatch(text):
        sign *= -1 if match[1] and match[1] in DASHES else 1
        plain = {form: sign * reading.value for form, reading in numeral_readings(match[2]).items()}
        is_small = all(abs(value) <= _GREATEST for value in plain.values())
        return CellReading(plain, "%" if match[3] else None) if plain and is_small else None
    return _read_with_words(text, sign)


def _read_with_words(text: str, sign: int) -> CellReading | None:
    """A number with a currency, a unit or a scale word, in the languages that write decimals as each format does."""
    read = parse_numeral(text, notation_languages()[::-1])
    numbers = {NumberFormat(language.profile.decimal_mark): number for language, number in read}
    first = next((numbers[form] for form in NumberFormat if form in numbers), None)
    if first is None:
        return None
    numeral = re.search(r"\d[\d.,]*\d", text)
    formats = (numeral and numeral_readings(numeral[0])) or NumberFormat
    return CellReading({form: sign * numbers.get(form, first).value for form in formats}, first.unit)


def read_numbers(cells: Sequence[Cell]) -> NumberColumn | None:
    """A column as numbers; None for a column of texts: fewer than half of its filled cells are numbers."""
    if plain := _read_plain(cells):
        return plain
    filled = [place for place, cell in enumerate(cells) if not is_missing(cell)]
    readings = {place: reading for place in filled if (reading := read_cell(cells[place]))}
    if not filled or len(readings) < len(filled) * (1 - _MOST_UNREAD):
        return None
    values = {form: np.full(len(cells), math.nan) for form in NumberFormat}
    for form, array in values.items():
        array[list(readings)] = [r.values.get(form, next(iter(r.values.values()))) for r in readings.values()]
    units = {reading.unit for reading in readings.values()}
    # a currency sign often stands in the first row only; a percent sign changes what the number is
    written = units if len(units) == 1 or "%" in units else units - {None}
    return NumberColumn(
        values,
        shown=frozenset(form for r in readings.values() if len(r.values) == 1 for form in r.values),
        ambiguous=tuple(place for place, r in readings.items() if len(set(r.values.values())) > 1),
        unreadable=tuple(place for place in filled if place not in readings),
        unit=written.pop() if len(written) == 1 else None,
    )


def _read_plain(cells: Sequence[Cell]) -> NumberColumn | None:
    """Numbers in JSON, or digits whose separators leave no choice: much quicker than cell by cell."""
    kinds = set(map(type, cells)) - {type(None)}
    if kinds <= {int, float}:
        try:
            array = np.array(cells, dtype=float)
        except OverflowError:  # a whole number of more than 308 digits
            return None
        is_plain = not np.isnan(array).all() and np.nanmax(abs(array)) <= _GREATEST
        return NumberColumn(dict.fromkeys(NumberFormat, array)) if is_plain else None
    if kinds != {str}:
        return None
    texts = ["" if is_missing(cell) else str(cell).strip() for cell in cells]
    filled = [text for text in texts if text]
    fits = [form for form in NumberFormat if filled and all(map(_PLAIN[form].fullmatch, filled))]
    if not fits or (len(fits) == 2 and any("." in text or "," in text for text in filled)):
        return None
    decimal = fits[0].value
    group = "," if decimal == "." else "."
    array = np.array([float(text.replace(group, "").replace(decimal, ".") or "nan") for text in texts])
    if np.nanmax(abs(array)) > _GREATEST:
        return None
    return NumberColumn(dict.fromkeys(NumberFormat, array), frozenset(fits if len(fits) == 1 else ()))


def header_unit(header: str) -> str | None:
    """The unit in a column's name: "load (%)", "salary [EUR]", "throughput_mbps", "omzet €"; None if there is none."""
    led = any_of(notation_words("header_in"))
    if bracketed := re.search(rf"[(\[]\s*+(?:(?:{led})\s++)?([^()\[\]]*[^()\[\]\s])\s*[)\]]\s*$", header):
        unit, power = unit_and_power(bracketed[1])
        return bracketed[1] if power else unit if unit and (unit != bracketed[1] or known_unit(unit)) else None
    *_, before, last = ["", *re.split(r"[_\s]+", header.strip())]
    if not before or any(before.lower() in lexicon(code).data["rate_words"] for code in LANGUAGES):  # "price per month"
        return None
    # one letter says little: "team_a" has no unit
    return notation_signs("name_units").get(last.lower()) or (
        known_unit(last) if len(last) > 1 or not last.isalpha() else None
    )


@dataclass(frozen=True)
class TimeColumn:
    """A column as times in the likelier reading, and in the `other` one where the order of day and month is open."""

    times: "DatetimeIndex"
    period: Period
    unreadable: tuple[int, ...] = ()
    other: "DatetimeIndex | None" = None


class _When(NamedTuple):
    """What one cell may mean, day first and month first, None where that is no date; and its period."""

    day_first: datetime | None
    month_first: datetime | None
    period: Period


def is_time_name(header: str) -> bool:
    """Whether a column's name says that it holds times: date, datum, month, kwartaal."""
    return not notation_words("time_columns").isdisjoint(re.split(r"[\W_]+", header.lower()))


def read_times(header: str, cells: Sequence[Any], day_first: bool) -> TimeColumn | None:
    """A column as times; None where it holds none. `day_first`: the language of the table writes the day first."""
    import pandas as pd

    named = is_time_name(header)
    if not named and all(isinstance(cell, int | float) or cell is None for cell in cells[:1000]):
        return None
    if cells and all(isinstance(cell, str) and _ISO.fullmatch(cell) for cell in cells):  # much quicker than one by one
        times = pd.to_datetime(pd.Index(cells), format="ISO8601", errors="coerce")
        if not times.hasnans and times.year.isin(_YEARS).all():
            return TimeColumn(times, Period.DAY if all(len(cell) == 10 for cell in cells) else Period.MOMENT)
    filled = [place for place, cell in enumerate(cells) if not is_missing(cell)]
    read = {place: when for place in filled if (when := _read_time(cells[place], named))}
    periods = {when.period for when in read.values()}
    if len(read) <= len(filled) * (1 - _MOST_UNREAD) or (len(periods) > 1 and periods != {Period.DAY, Period.MOMENT}):
        return None
    times, other = _order([read.get(place) for place in range(len(cells))], day_first)
    period = Period.MOMENT if Period.MOMENT in periods else periods.pop()
    return TimeColumn(times, period, tuple(place for place in filled if place not in read), other)


def _order(cells: Sequence[_When | None], day_first: bool) -> "tuple[DatetimeIndex, DatetimeIndex | None]":
    """The times in the likelier order of day and month, and in the other one where the order is open.

    The order is that of the dates that exist in one order only, else the one with regular steps, else the language's.
    """
    import pandas as pd

    known = [when for when in cells if when]
    by_day = pd.DatetimeIndex([when and (when.day_first or when.month_first) for when in cells])
    by_month = pd.DatetimeIndex([when and (when.month_first or when.day_first) for when in cells])
    if by_day.equals(by_month):
        return by_day, None
    is_day, is_month = any(when.month_first is None for when in known), any(when.day_first is None for when in known)
    if not is_day and not is_month:
        is_day, is_month = _is_regular(by_day), _is_regular(by_month)
        if is_day == is_month:
            is_day, is_month = day_first, False
    if is_day == is_month:
        return by_day, by_month
    return (by_day if is_day else by_month), None


def _is_regular(times: "DatetimeIndex") -> bool:
    """Whether three times or more go by the same number of days, or of whole months."""
    known = times.dropna()
    months = (known.year * 12 + known.month).to_series()
    by_days = known.to_series().diff().nunique() == 1
    return len(known) > 2 and (by_days or (known.day.nunique() == 1 and months.diff().nunique() == 1))


@lru_cache(maxsize=8192)
def _read_time(cell: Cell, named: bool) -> _When | None:
    """The time that a cell is. `named`: the column's name says times, so that 2026 and 20260301 are some."""
    whole = int(cell) if isinstance(cell, float) and cell.is_integer() else cell
    text = str(whole).strip().lower().replace(" ,", ",")  # "june 12 , 2009"
    for pattern, period in _notations(named):
        if match := pattern.fullmatch(text):
            parts = match.groupdict()
            by_day = by_month = _moment(parts)
            if parts.get("sign") in ("-", "/"):  # 3.4.2026 is written day first
                by_month = _moment(parts | {"d": parts["m"], "m": parts["d"]})
            if by_day or by_month:
                return _When(by_day, by_month, Period.MOMENT if parts.get("hour") else period)
    return None


def _moment(parts: Mapping[str, str | None]) -> datetime | None:
    """The time that the parts of a notation make: a year, and a month with a day, a quarter or a week of it."""
    digits = parts["y"] or ""
    year = int(digits if len(digits) == 4 else f"20{digits}")
    hour, minute, second = (int(parts.get(name) or 0) for name in ("hour", "minute", "second"))
    month = parts.get("m") or "1"
    if year not in _YEARS:
        return None
    try:
        if week := parts.get("w"):
            return datetime.combine(date.fromisocalendar(year, int(week), 1), time())
        number = 3 * int(quarter) - 2 if (quarter := parts.get("q")) else _months().get(month) or int(month)
        return datetime(year, number, int(parts.get("d") or 1), hour, minute, second)
    except ValueError:
        return None


@cache
def _months() -> dict[str, int]:
    """The names of the months in all languages, short and long, and their numbers."""
    languages = [names for pack in notation_languages() for names in (pack.months, pack.short_months)]
    return {name.lower(): number for names in languages for number, name in enumerate(names, 1)}


@cache
def _notations(named: bool) -> list[tuple[re.Pattern[str], Period]]:
    """The notations of times in a column, which is `named` after times or not: the first that fits a text counts."""
    seconds = r"(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    clock = rf"(?:[t ]+(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}}){seconds}\s?(?:z|[+-]\d{{2}}:?\d{{2}})?)?"
    year, short_year, m, d = r"(?P<y>\d{4})", r"(?P<y>\d{4}|\d{2})", r"(?P<m>\d{1,2})", r"(?P<d>\d{1,2})"
    month = rf"(?P<m>{any_of(_months())})\.?"
    quarter, week = (rf"(?:{any_of(notation_words(kind))})\s?" for kind in ("quarters", "weeks"))
    ordinal = rf"(?:{any_of(notation_words('ordinals'))})?"
    notations = [
        (rf"{d}(?P<sign>[-/.]){m}(?P=sign){short_year}{clock}", Period.DAY),
        (rf"{year}(?P<same>[-/.]){m}(?P=same){d}{clock}", Period.DAY),
        (rf"{year}[-/]{m}", Period.MONTH),
        (rf"{m}[-/]{year}", Period.MONTH),
        (rf"{d}{ordinal}[\s-]{month}[\s,-]+'?{short_year}", Period.DAY),
        (rf"{month}\s{d}{ordinal},?\s'?{short_year}", Period.DAY),
        (rf"{month}(?:[\s-]+(?=\d{{4}})|\s?['-](?!\d{{3}})){short_year}", Period.MONTH),
        (rf"{quarter}(?P<q>[1-4])[\s-]{year}", Period.QUARTER),
        (rf"{year}[\s-]?{quarter}(?P<q>[1-4])", Period.QUARTER),
        (rf"{year}[\s-]?{week}(?P<w>\d{{1,2}})", Period.WEEK),
        (rf"{week}(?P<w>\d{{1,2}})[\s,-]+{year}", Period.WEEK),
    ]
    if named:
        notations += [
            (r"(?P<y>19\d\d|20\d\d|2100)", Period.YEAR),
            (r"(?P<y>(?:19|20)\d{2})(?P<m>\d{2})(?P<d>\d{2})", Period.DAY),
        ]
    return [(re.compile(pattern), period) for pattern, period in notations]
