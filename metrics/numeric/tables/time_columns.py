"""A column of cells as times: dates in several notations, months, quarters, weeks and years."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ....text.numbers.notation import notation_languages, notation_words
from ..lexicon import any_of
from .cells import is_missing
from .table import Period

if TYPE_CHECKING:
    from pandas import DatetimeIndex

_ISO_PLAIN = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?")
_MOST_READ = 0.5  # a column of which fewer filled cells are times is none


class When(NamedTuple):
    """What one cell may mean: day first and month first, equal where the notation leaves no choice; and its period."""

    day_first: datetime | None
    month_first: datetime | None
    period: Period


@dataclass(frozen=True)
class TimeColumn:
    """A column as times in the likelier reading, and in the `other` one where the order of day and month is open."""

    times: "DatetimeIndex"
    period: Period
    unreadable: tuple[int, ...] = ()
    other: "DatetimeIndex | None" = None
    note: str = ""


def is_time_name(header: str) -> bool:
    """Whether a column's name says that it holds times: date, datum, month, kwartaal."""
    parts = re.split(r"[\W_]+", header.lower())
    return any(part in notation_words("time_columns") for part in parts)


def read_times(header: str, cells: Sequence[Any], day_first: bool) -> TimeColumn | None:
    """A column as times; None where it holds none. `day_first`: the language of the table writes the day first."""
    import pandas as pd

    named = is_time_name(header)
    if not named and all(isinstance(cell, int | float) or cell is None for cell in cells[:1000]):
        return None
    if (quick := _all_iso(cells)) is not None:
        return quick
    read = [None if is_missing(cell) else _read_cell(cell, named) for cell in cells]
    known = [when for when in read if when]
    if not known or len(known) <= sum(not is_missing(cell) for cell in cells) * _MOST_READ:
        return None
    periods = {when.period for when in known}
    if periods == {Period.DAY, Period.MOMENT}:
        periods = {Period.MOMENT}
    if len(periods) > 1:
        return None
    unreadable = tuple(p for p, when in enumerate(read) if when is None and not is_missing(cells[p]))
    by_day = pd.DatetimeIndex([(w.day_first or w.month_first) if w else pd.NaT for w in read])
    by_month = pd.DatetimeIndex([(w.month_first or w.day_first) if w else pd.NaT for w in read])
    only_day, only_month = (any(when[place] is None for when in known) for place in (1, 0))
    first, other, note = _order(by_day, by_month, only_day, only_month, day_first)
    return TimeColumn(first, periods.pop(), unreadable, other, note)


def _all_iso(cells: Sequence[Any]) -> TimeColumn | None:
    """Dates of ISO 8601 throughout: much quicker than cell by cell."""
    import pandas as pd

    if not cells or not all(isinstance(cell, str) and _ISO_PLAIN.fullmatch(cell) for cell in cells):
        return None
    times = pd.to_datetime(pd.Series(cells), format="ISO8601", errors="coerce")
    period = Period.DAY if all(len(cell) == 10 for cell in cells) else Period.MOMENT
    return None if times.isna().any() else TimeColumn(pd.DatetimeIndex(times), period)


def _order(
    by_day: "DatetimeIndex", by_month: "DatetimeIndex", only_day: bool, only_month: bool, day_first: bool
) -> "tuple[DatetimeIndex, DatetimeIndex | None, str]":
    """The order of day and month: that of the dates that exist in one order only, else the one with regular steps.

    `only_day` and `only_month`: whether some dates exist only with the day (the month) first; these stand in both
    `by_day` and `by_month`.
    """
    if by_day.equals(by_month):
        return by_day, None, ""
    if only_day and only_month:
        return by_day, by_month, "some dates are day first and some month first; for the others both are tried"
    if only_day or only_month:
        return (by_day if only_day else by_month), None, f"dates are {'day' if only_day else 'month'} first"
    regular = [_is_regular(times) for times in (by_day, by_month)]
    if regular[0] != regular[1] and len(by_day) > 2:
        order = "day" if regular[0] else "month"
        return (by_day if regular[0] else by_month), None, f"dates are {order} first: only so are their steps regular"
    if day_first:
        return by_day, None, "dates are day first, as the language of the table writes them"
    return by_day, by_month, "the order of day and month in the dates is open: both are tried"


def _is_regular(times: "DatetimeIndex") -> bool:
    """Whether the times go by the same number of days, or of whole months."""
    known = times.dropna()
    months = (known.year * 12 + known.month).to_series().diff().dropna()
    return len(set(known.to_series().diff().dropna())) == 1 or (len(set(known.day)) == 1 and len(set(months)) == 1)


def _read_cell(cell: object, named: bool) -> When | None:
    """The time that a cell is. `named`: the column's name says times, so that 2026 and 20260301 are some."""
    if isinstance(cell, date):
        moment = cell if isinstance(cell, datetime) else datetime(cell.year, cell.month, cell.day)
        moment = moment.replace(tzinfo=None)
        return When(moment, moment, Period.MOMENT if moment.time() != time() else Period.DAY)
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        cell = str(int(cell)) if cell == int(cell) else ""
    return _read_text(cell.strip().lower(), named) if isinstance(cell, str) else None


@lru_cache(maxsize=8192)
def _read_text(text: str, named: bool) -> When | None:
    text = text.replace(" ,", ",")  # "june 12 , 2009"
    for pattern, period, needs_name in _notations():
        match = pattern.fullmatch(text) if named or not needs_name else None
        if match is None:
            continue
        parts = match.groupdict()
        if "a" in parts:  # 3/4/2026; 3.4.2026 is written day first
            by_day = _moment(parts | {"d": parts["a"], "m": parts["b"]})
            by_month = _moment(parts | {"d": parts["b"], "m": parts["a"]}) if parts["sign"] != "." else by_day
        else:
            by_day = by_month = _moment(parts)
        if by_day or by_month:
            return When(by_day, by_month, Period.MOMENT if parts.get("hour") else period)
    return None


def _moment(parts: Mapping[str, str | None]) -> datetime | None:
    """The time that the parts of a notation make: a year, and a month with a day, a quarter or a week of it."""
    digits = (parts["y"] or "").lstrip("'")
    year = int(digits if len(digits) == 4 else f"20{digits}")
    hour, minute, second = (int(parts.get(name) or 0) for name in ("hour", "minute", "second"))
    try:
        if week := parts.get("w"):
            return datetime.combine(date.fromisocalendar(year, int(week), 1), time())
        named = parts.get("m") or "1"
        month = 3 * int(quarter) - 2 if (quarter := parts.get("q")) else _months().get(named) or int(named)
        return datetime(year, month, int(parts.get("d") or 1), hour, minute, second)
    except ValueError:
        return None


@cache
def _months() -> dict[str, int]:
    """The names of the months in all languages, short and long, and their numbers."""
    languages = [names for pack in notation_languages() for names in (pack.months, pack.short_months)]
    return {name.lower(): number for names in languages for number, name in enumerate(names, 1)}


@cache
def _notations() -> list[tuple[re.Pattern[str], Period, bool]]:
    """The notations of times, the first that fits a text counts: its parts, its period, and whether only a column
    that is named after times can hold it.
    """
    clock = (
        r"(?:[t ]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?\s?(?:z|[+-]\d{2}:?\d{2})?)?"
    )
    sign, y, m, d = r"(?P<sign>[-/.])", r"(?P<y>\d{4})", r"(?P<m>\d{1,2})", r"(?P<d>\d{1,2})"
    month = rf"(?P<m>{any_of(_months())})\.?"
    weekday = r"(?:[a-z]{2,9}\.?,?\s)?"
    quarter, week = (any_of(notation_words(kind)) for kind in ("quarters", "weeks"))
    ordinal = rf"(?:{'|'.join(notation_words('ordinals'))})?"
    year = r"(?P<y>\d{4}|(?<![\d])'?\d{2})"
    notations = [
        (rf"(?P<a>\d{{1,2}}){sign}(?P<b>\d{{1,2}})(?P=sign)(?P<y>\d{{4}}|\d{{2}}){clock}", Period.DAY, False),
        (rf"{y}{sign}{m}(?P=sign){d}{clock}", Period.DAY, False),
        (rf"{y}[-/]{m}", Period.MONTH, False),
        (rf"{m}[-/]{y}", Period.MONTH, False),
        (r"(?P<y>19\d\d|20\d\d|2100)", Period.YEAR, True),
        (r"(?P<y>(?:19|20)\d{2})(?P<m>\d{2})(?P<d>\d{2})", Period.DAY, True),
        (rf"{weekday}{d}{ordinal}(?: [a-z]{{2,3}})?[\s-]{month}[\s,-]+{year}", Period.DAY, False),
        (rf"{weekday}{month}\s{d}{ordinal},?\s{year}", Period.DAY, False),
        (rf"{month}(?:[\s-]+(?=\d{{4}})|\s?['-](?!\d{{3}}))(?P<y>\d{{4}}|\d{{2}})", Period.MONTH, False),
        (rf"(?:{quarter})\s?(?P<q>[1-4])[\s-]{y}", Period.QUARTER, False),
        (rf"{y}[\s-]?(?:{quarter})\s?(?P<q>[1-4])", Period.QUARTER, False),
        (rf"(?P<q>[1-4]){ordinal}\s(?:{quarter})(?: [a-z]{{2,3}})?\s{y}", Period.QUARTER, False),
        (rf"{y}[\s-]?(?:{week})\s?(?P<w>\d{{1,2}})", Period.WEEK, False),
        (rf"(?:{week})\s?(?P<w>\d{{1,2}})[\s,-]+{y}", Period.WEEK, False),
    ]
    return [(re.compile(pattern), period, needs_name) for pattern, period, needs_name in notations]
