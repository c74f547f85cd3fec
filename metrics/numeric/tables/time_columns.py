"""A column of cells as times: dates in several notations, months, quarters, weeks and years."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from ....text.numbers.notation import notation_languages, notation_words
from .cells import is_missing
from .table import Period

if TYPE_CHECKING:
    from pandas import DatetimeIndex

_YEARS = range(1900, 2101)
_CLOCK = r"(?:[t ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s?(?:z|[+-]\d{2}:?\d{2})?)?"
_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})" + _CLOCK)
_NUMERIC = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})" + _CLOCK)
_ISO_PLAIN = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?")
_NUMERIC_PLAIN = re.compile(r"\d{1,2}[-/]\d{1,2}[-/]\d{4}")
_MONTH = re.compile(r"(\d{4})[-/](\d{1,2})")
_MONTH_LAST = re.compile(r"(\d{1,2})[-/](\d{4})")
_YEAR = re.compile(r"(\d{4})")
_COMPACT = re.compile(r"((?:19|20)\d{2})(\d{2})(\d{2})")
_MOST_READ = 0.5  # a column of which fewer filled cells are times is none


@dataclass(frozen=True)
class When:
    """What one cell may mean: (day first, month first), equal where the notation leaves no choice; and its period."""

    day_first: datetime | None
    month_first: datetime | None
    period: Period

    @property
    def ambiguous(self) -> bool:
        """Whether the order of day and month matters."""
        return self.day_first is not None and self.month_first is not None and self.day_first != self.month_first


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


def read_when(cell: object, named: bool) -> When | None:
    """The time that a cell is. `named`: the column's name says times, so that 2026 and 20260301 are some."""
    if isinstance(cell, date):
        moment = cell if isinstance(cell, datetime) else datetime(cell.year, cell.month, cell.day)
        return _certain(moment.replace(tzinfo=None), Period.MOMENT if moment.time() != time() else Period.DAY)
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        cell = str(int(cell)) if cell == int(cell) else ""
    return _in_text(cell.strip().lower(), named) if isinstance(cell, str) else None


@lru_cache(maxsize=8192)
def _in_text(text: str, named: bool) -> When | None:
    text = text.replace(" ,", ",")  # "june 12 , 2009"
    if found := _NUMERIC.fullmatch(text):
        return _numeric(found)
    made, period = None, Period.DAY
    if found := _ISO.fullmatch(text):
        year, _, month, day, *clock = found.groups()
        made, period = _made(year, month, day, clock), Period.MOMENT if clock[0] else Period.DAY
    elif found := _MONTH.fullmatch(text):
        made, period = _made(found[1], found[2], 1), Period.MONTH
    elif found := _MONTH_LAST.fullmatch(text):
        made, period = _made(found[2], found[1], 1), Period.MONTH
    elif named and (found := _YEAR.fullmatch(text)) and int(found[1]) in _YEARS:
        made, period = _made(found[1], 1, 1), Period.YEAR
    elif named and (found := _COMPACT.fullmatch(text)):
        made = _made(*found.groups())
    return _certain(made, period) or _in_words(text)


def read_times(header: str, cells: Sequence[Any], day_first: bool) -> TimeColumn | None:
    """A column as times; None where it holds none. `day_first`: the language of the table writes the day first."""
    import pandas as pd

    named = is_time_name(header)
    if not named and all(isinstance(cell, int | float) or cell is None for cell in cells[:1000]):
        return None
    if (quick := _all_iso(cells) or _all_numeric(cells, day_first)) is not None:
        return quick
    read = [None if is_missing(cell) else read_when(cell, named) for cell in cells]
    filled = sum(not is_missing(cell) for cell in cells)
    found = [when for when in read if when and (when.day_first or when.month_first)]
    if not found or len(found) <= filled * _MOST_READ:
        return None
    periods = {when.period for when in found}
    if periods == {Period.DAY, Period.MOMENT}:
        periods = {Period.MOMENT}
    if len(periods) > 1:
        return None
    unreadable = tuple(p for p, when in enumerate(read) if when is None and not is_missing(cells[p]))
    by_day = pd.DatetimeIndex([(w.day_first or w.month_first) if w else pd.NaT for w in read])
    by_month = pd.DatetimeIndex([(w.month_first or w.day_first) if w else pd.NaT for w in read])
    period = periods.pop()
    first, other, note = _order(
        by_day, by_month, sum(w.month_first is None for w in found), sum(w.day_first is None for w in found), day_first
    )
    return TimeColumn(first, period, unreadable, other, note)


def _order(
    by_day: "DatetimeIndex", by_month: "DatetimeIndex", only_day: int, only_month: int, day_first: bool
) -> "tuple[DatetimeIndex, DatetimeIndex | None, str]":
    """The order of day and month: as the dates that exist in one order only give away, else as the steps are regular.

    `only_day` and `only_month` count those dates; `by_day` and `by_month` hold them in the one order that they have.
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


def _all_iso(cells: Sequence[Any]) -> TimeColumn | None:
    import pandas as pd

    if not cells or not all(isinstance(cell, str) and _ISO_PLAIN.fullmatch(cell) for cell in cells):
        return None
    times = pd.to_datetime(pd.Series(cells), format="ISO8601", errors="coerce")
    period = Period.DAY if all(len(cell) == 10 for cell in cells) else Period.MOMENT
    return None if times.isna().any() else TimeColumn(pd.DatetimeIndex(times), period)


def _all_numeric(cells: Sequence[Any], day_first: bool) -> TimeColumn | None:
    import pandas as pd

    if not cells or not all(isinstance(cell, str) and _NUMERIC_PLAIN.fullmatch(cell) for cell in cells):
        return None
    texts = pd.Series(cells).str.replace(r"[-/]", " ", regex=True)
    by_day = pd.to_datetime(texts, format="%d %m %Y", errors="coerce")
    by_month = pd.to_datetime(texts, format="%m %d %Y", errors="coerce")
    only_day, only_month = by_day.notna() & by_month.isna(), by_month.notna() & by_day.isna()
    if (by_day.isna() & by_month.isna()).any():
        return None
    first, other, note = _order(
        pd.DatetimeIndex(by_day.fillna(by_month)),
        pd.DatetimeIndex(by_month.fillna(by_day)),
        int(only_day.sum()),
        int(only_month.sum()),
        day_first,
    )
    return TimeColumn(first, Period.DAY, (), other, note)


def _certain(when: datetime | None, period: Period) -> When | None:
    return When(when, when, period) if when else None


def _numeric(found: re.Match[str]) -> When | None:
    first, separator, second, year, *clock = found.groups()
    year = year if len(year) == 4 else f"20{year}"
    by_day = _made(year, second, first, clock)
    by_month = _made(year, first, second, clock) if separator != "." else by_day  # 3.4.2026 is written day first
    if by_day is None and by_month is None:
        return None
    return When(by_day, by_month, Period.MOMENT if clock[0] else Period.DAY)


def _made(year: str | int, month: str | int, day: str | int, clock: Sequence[str | None] = ()) -> datetime | None:
    try:
        hour, minute, second = (int(part or 0) for part in (*clock, None, None, None)[:3])
        return datetime(int(year), int(month), int(day), hour, minute, second)
    except ValueError:
        return None


def _in_words(text: str) -> When | None:
    for pattern, read in _worded():
        if found := pattern.fullmatch(text):
            when: When | None = read(found)
            return when
    return None


@cache
def _worded() -> list[tuple[re.Pattern[str], Any]]:
    """Patterns for months, quarters and weeks in words, in all languages, each with what reads it."""
    months: dict[str, int] = {}
    for language in notation_languages():
        for names in (language.months, language.short_months):
            months |= {name.lower(): number for number, name in enumerate(names, 1)}
    month = rf"({'|'.join(sorted(months, key=len, reverse=True))})\.?"
    weekday = r"(?:[a-z]{2,9}\.?,?\s)?"
    quarter = "|".join(sorted(notation_words("quarters"), key=len, reverse=True))
    week = "|".join(sorted(notation_words("weeks"), key=len, reverse=True))
    ordinal = rf"(?:{'|'.join(notation_words('ordinals'))})?"

    def day(found: re.Match[str]) -> When | None:
        parts = found.groupdict()
        return _certain(_made(_full(parts["y"]), months[parts["m"]], parts["d"]), Period.DAY)

    def month_of(found: re.Match[str]) -> When | None:
        return _certain(_made(_full(found["y"] or found["s"]), months[found["m"]], 1), Period.MONTH)

    def quarter_of(found: re.Match[str]) -> When | None:
        return _certain(_made(found["y"], 3 * int(found["q"]) - 2, 1), Period.QUARTER)

    def week_of(found: re.Match[str]) -> When | None:
        try:
            monday = date.fromisocalendar(int(found["y"]), int(found["w"]), 1)
        except ValueError:
            return None
        return _certain(datetime(monday.year, monday.month, monday.day), Period.WEEK)

    named = month.replace("(", "(?P<m>", 1)
    year = r"(?P<y>\d{4}|(?<![\d])'?\d{2})"
    return [
        (re.compile(rf"{weekday}(?P<d>\d{{1,2}}){ordinal}(?: [a-z]{{2,3}})?[\s-]{named}[\s,-]+{year}"), day),
        (re.compile(rf"{weekday}{named}\s(?P<d>\d{{1,2}}){ordinal},?\s{year}"), day),
        (re.compile(rf"{named}(?:[\s-]+(?P<y>\d{{4}})|\s?['-](?P<s>\d{{2}}))"), month_of),
        (re.compile(rf"(?:{quarter})\s?(?P<q>[1-4])[\s-](?P<y>\d{{4}})"), quarter_of),
        (re.compile(rf"(?P<y>\d{{4}})[\s-]?(?:{quarter})\s?(?P<q>[1-4])"), quarter_of),
        (re.compile(rf"(?P<q>[1-4]){ordinal}\s(?:{quarter})(?: [a-z]{{2,3}})?\s(?P<y>\d{{4}})"), quarter_of),
        (re.compile(rf"(?P<y>\d{{4}})[\s-]?(?:{week})\s?(?P<w>\d{{1,2}})"), week_of),
        (re.compile(rf"(?:{week})\s?(?P<w>\d{{1,2}})[\s,-]+(?P<y>\d{{4}})"), week_of),
    ]


def _full(year: str) -> str:
    digits = year.lstrip("'")
    return digits if len(digits) == 4 else f"20{digits}"
