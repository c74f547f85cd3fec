"""Times that need no other: dates, months, quarters, weeks, weekdays, years, "the last 7 days", holidays."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, lru_cache, partial
from typing import Any

from dateutil.relativedelta import relativedelta

from ....errors import InputError
from ....languages import load_language
from ....languages.claim_sections import HolidayDay, HolidaySpan, HolidaySpans
from ....text.numbers import parse_number
from ..lexicon import any_of, lexicon, whole_words
from ..specification import Window
from ..tables.table import DAY, STEPS, NamedTime, Period, Times

_WEEKS_OF_A_MONTH = 26  # days: a longer span is matched to months, a shorter one to weeks
_ABOUT_A_YEAR = range(270, 370)  # days
_MOST_PERIODS = 1000  # "99,999 years earlier" is before the calendar
_WEEKEND, _WORKDAYS = (5, 6), (0, 1, 2, 3, 4)
_MASK = "\ue000"  # a private character
MASK = f"(?<!{_MASK}){_MASK}+"
"""A time in a masked text."""

WORD = r"[^\W\d_]+"


def mask_times(text: str, named_times: list[NamedTime]) -> str:
    """The text with private characters for each time, as long as before."""
    for time in named_times:
        text = text[: time.start] + _MASK * (time.end - time.start) + text[time.end :]
    return text


@dataclass(frozen=True)
class _WrittenTime:
    """A time that stands in a text, and the times of the table that it is reckoned by."""

    match: re.Match[str]
    language: str
    times: Times

    def part(self, name: str) -> str:
        """A part of the notation in lower case, empty where it is left out."""
        return (self.match.groupdict().get(name) or "").lower()

    def number(self, name: str) -> int:
        """The number that a part is, 0 where it is left out; of a month its place in the year."""
        text = self.part(name)
        month = _months(self.language).get(text.rstrip(".")) if name == "month" else None
        return month or ordinal_of(text, self.language) or 0

    @property
    def words(self) -> dict[str, Any]:
        """The words of the language."""
        return lexicon(self.language).data

    def begins(self, month: int) -> list[date]:
        """The first days of a month in the years in which the table has it; in its last year where it has none."""
        times = self.times
        if year := self.number("year"):
            return [date(year, month, 1)]
        begins = [date(year, month, 1) for year in reversed(years_of(times))]
        inside = [begin for begin in begins if times.start.replace(day=1) <= begin <= times.end]
        return inside or [date(times.end.year, month, 1)]


_Notation = tuple[re.Pattern[str], Callable[[_WrittenTime], list[Window]]]
"""How a time is written, and which windows it means."""


def times_by_name(text: str, language: str, times: Times, *, relative: bool = False) -> list[NamedTime]:
    """The times of a text that stand in the calendar ("6 October", "Q1 2024", "Monday"); they may overlap.

    `relative`: those of a masked text that are reckoned from the ends of the table ("last week", "now").
    """
    return [
        NamedTime(*match.span(), tuple(windows))
        for pattern, read in (_relative_notations if relative else _dated_notations)(language)
        for match in pattern.finditer(text)
        if (windows := read(_WrittenTime(match, language, times)))
    ]


def years_of(times: Times) -> range:
    """The years of a table."""
    return range(times.start.year, times.last_day.year + 1)


def _day(time: _WrittenTime) -> list[Window]:
    begins, number = time.begins(time.number("month")), time.number("day")
    return [span(day, "day") for begin in begins if (day := day_of(begin, number))]


def _slashed(time: _WrittenTime) -> list[Window]:
    """Both orders of day and month, where the language does not tell ("5/3/2026")."""
    numbers, year = (time.number("a"), time.number("b")), time.number("year")
    day_first = time.part("sign") != "/" or load_language(time.language).is_day_first
    orders = dict.fromkeys([numbers] if day_first else [numbers, numbers[::-1]])
    dates = [day_of(date(year, month, 1), day) for day, month in orders if 1 <= month <= 12]
    return [span(day, "day") for day in dates if day]


def _month(time: _WrittenTime) -> list[Window]:
    before = time.match.string[: time.match.start()]
    is_verb = re.fullmatch(time.words["verb_months"], time.match[0])
    if is_verb and not re.search(rf"(?:{time.words['before_month']}) $", before, re.IGNORECASE):
        return []
    number = time.number("month")
    windows = [span(begin, "month") for begin in time.begins(number)]
    return [*windows, Window(months=(number,))] if len(windows) > 1 else windows


def _part_of_year(months: int, time: _WrittenTime) -> list[Window]:
    """A quarter, or a half; of the table's year only if the text says so, or the table has about one year."""
    number, reach = time.number("number") or time.number("ordinal"), (time.times.last_day - time.times.start).days
    is_open = not (time.part("year") or time.part("of_table") or reach in _ABOUT_A_YEAR)
    if not 1 <= number <= 12 // months or (is_open and months == 6):
        return []
    begins = time.begins(months * (number - 1) + 1)
    return [days(begin, begin + relativedelta(months=months) - DAY) for begin in begins]


def _week(time: _WrittenTime) -> list[Window]:
    number, years = time.number("number"), [time.number("year")] if time.part("year") else years_of(time.times)
    # 28 December is always in a year's last week
    years = [year for year in years if 1 <= number <= date(year, 12, 28).isocalendar().week]
    return [span(date.fromisocalendar(year, number, 1), "week") for year in years]


def _year(time: _WrittenTime) -> list[Window]:
    first, last = time.number("year"), time.number("last") or time.number("year")
    return [days(date(first, 1, 1), date(last, 12, 31))] if first <= last else []


def _weekdays(time: _WrittenTime) -> list[Window]:
    if name := time.part("weekday"):
        return [Window(weekdays=(time.words["weekdays"][name],))]
    return [Window(weekdays=_WEEKEND if time.part("weekend") else _WORKDAYS)]


@cache
def _dated_notations(language: str) -> list[_Notation]:
    """The notations of dates in a language; of equally long matches that of the earlier notation counts."""
    words = lexicon(language).data
    suffix, units = words["ordinal_suffix"], any_of(words["periods"])
    month, day = rf"(?P<month>{any_of(_months(language))})\b", r"(?P<day>\d{1,2})"
    year = r"(?P<year>(?:19|20)\d\d)"
    of_year = rf"(?:{words['of_year']}{year})?"
    quarter = words["quarter_ordinal"].format(ordinal=rf"(?P<ordinal>{WORD}|[1-4]{suffix})")
    half = words["half_ordinal"].format(ordinal=rf"(?P<ordinal>{WORD}|[12]{suffix})")
    not_a_day = rf"(?! ?(?:{words['not_a_day']}|{units}))"
    iso_month = rf"{year}-(?P<month>0[1-9]|1[0-2])"
    forms: dict[str, Callable[[_WrittenTime], list[Window]]] = {
        rf"{iso_month}-(?P<day>\d\d)(?![\d-])": _day,
        rf"{iso_month}(?![\d-])": _month,
        rf"(?P<a>\d{{1,2}})(?P<sign>[-/.])(?P<b>\d{{1,2}})(?P=sign){year}(?!\d)": _slashed,
        rf"{day}(?:{suffix})?{words['day_of']} {month}\.?{of_year}": _day,
        rf"{month}\.? {day}(?!\d|[.,]\d)(?:{suffix})?\b{not_a_day}{of_year}": _day,
        rf"{month}{of_year}": _month,
        rf"(?:(?:{'|'.join(words['quarter_names'])})(?P<number>[1-4])\b|{quarter}){of_year}": partial(_part_of_year, 3),
        rf"(?:{half}{words['half_of']}|\bh(?P<number>[12]) ){year}": partial(_part_of_year, 6),
        rf"{half}(?P<of_table>{words['of_the_year']})?(?! (?:{words['of']}) )": partial(_part_of_year, 6),
        rf"(?:{any_of(words['week_number'])}) (?P<number>[1-5]?\d)\b(?![.,]\d){of_year}": _week,
        rf"{year}(?: ?- ?(?P<last>(?:19|20)\d\d))?(?![\w%]|[.,]\d)": _year,
    }
    weekday = rf"(?P<weekday>{any_of(words['weekdays'])})(?:{words['weekday_plural']})?"
    weekdays = whole_words([weekday, f"(?P<weekend>{any_of(words['weekend'])})", *words["workdays"]])
    dated = [(re.compile(rf"(?<![\w.,/-]){form}", re.IGNORECASE), read) for form, read in forms.items()]
    return [*dated, (weekdays, _weekdays)]


def _relative(kind: str, time: _WrittenTime) -> list[Window]:
    """ "Last week", "the last 7 days", "the first month", "this year", "yesterday", "at the start"."""
    from pandas import Timestamp

    last, first = time.times.last_day, time.times.start
    unit, count = time.words["periods"].get(time.part("unit"), "day"), count_of(time.part("n"), time.language)
    if count is None:
        return []
    reach, begin = STEPS[unit] * count, Timestamp(last).to_period(unit[0].upper()).start_time.date()
    this, latest = span(begin, unit), days(last - reach + DAY, last)
    if kind == "first_row" and time.part("unit") and first < begin:
        return []  # "the start of the year", of a table of several
    if kind != "last":
        windows = {"first_row": Window(first=1), "last_row": Window(last=1), "yesterday": span(last - DAY, "day")}
        return [(windows | {"first": days(first, first + reach - DAY), "this": this})[kind]]
    if unit == "day" or time.part("n"):
        return [latest]
    if time.part("the"):  # the last week: the last 7 days, or the week that the table ends in
        return [latest, this]
    # where the table ends with the week, who writes after it means that one
    previous = span(begin - STEPS[unit], unit)
    return [previous, this] if this.end == last else [previous]


@cache
def _relative_notations(language: str) -> list[_Notation]:
    """The notations of times that are reckoned from the table; followed by a time they are part of that one."""
    words = lexicon(language).data
    article, unit = words["article"], f"(?P<unit>{any_of(words['periods'])})"
    some = rf"(?:(?P<n>\d{{1,3}}|{WORD}) )?{unit}"
    not_of_time = rf"(?! (?:{words['of_or_in']}) {article}{MASK})"
    not_before_time = rf"(?! (?:(?:{words['of']}) )?{article}{MASK})"
    forms = {
        # without a number also not before another noun ("the first week of the course")
        "first": rf"{article}(?:{any_of(words['first_n'])}) {some}{not_of_time}(?(n)|(?! (?:{words['of']})\b))",
        "last": rf"(?P<the>{article})(?:{any_of(words['last_n'])}) {some}{not_of_time}",
        "this": rf"(?:{any_of(words['this'])}) {unit}",
        "first_row": rf"(?:{any_of(words['first_row'])}){not_before_time}",
        "last_row": rf"(?:{any_of(words['last_row'])}){not_before_time}",
        "yesterday": rf"(?:{any_of(words['yesterday'])})",
    }
    return [
        (re.compile(rf"(?<!\w){form}(?!\w)", re.IGNORECASE), partial(_relative, kind)) for kind, form in forms.items()
    ]


@cache
def _months(language: str) -> dict[str, int]:
    """The names of the months, short and long, and their numbers."""
    known = load_language(language)
    named = {name.lower(): n for names in (known.short_months, known.months) for n, name in enumerate(names, 1)}
    more: dict[str, int] = lexicon(language).data["more_months"]
    return named | more


def with_units(form: str, words: dict[str, Any]) -> str:
    """A form of a pack with the periods of the language for `{unit}`, and a number of them for `{units}`."""
    unit = f"(?P<unit>{any_of(words['periods'])})"
    return form.replace("{units}", rf"(?:(?P<n>\w+) )?{unit}").replace("{unit}", unit)


def days(start: date, end: date) -> Window:
    """From one day to another, both included."""
    return Window(start=start, end=end)


def span(start: date, step: str) -> Window:
    """A day, week, month, quarter or year from its begin."""
    return Window(start=start, end=start + STEPS[step] - DAY)


def row_begins(times: Times, start: date, end: date) -> list[date]:
    """The begins of the weekly rows that begin between two days, both included."""
    weeks = range((times.end - times.start).days // 7 + 1)
    return [begin for week in weeks if start <= (begin := times.start + timedelta(weeks=week)) <= end]


def whole_weeks(window: Window, times: Times | None) -> list[Window]:
    """The weekly rows of a month or more that begin in it, and those with most of their days in it."""
    if times is None or times.period is not Period.WEEK or not (window.start or window.end):
        return [window]
    start, end = window.start or times.start, window.end or times.last_day
    if (end - start).days <= _WEEKS_OF_A_MONTH:
        return [window]
    begins = row_begins(times, start - timedelta(days=6), end)
    begun, of_most = (
        tuple(begin for begin in begins if start <= begin + timedelta(days=shift) <= end) for shift in (0, 3)
    )
    weeks = dict.fromkeys(rows for rows in (begun, of_most) if rows)
    return [replace(window, start=rows[0], end=rows[-1] + timedelta(days=6)) for rows in weeks] or [window]


def day_of(begin: date, day: int) -> date | None:
    """A day of a month by its number; None where the month has none."""
    try:
        return begin.replace(day=day)
    except ValueError:
        return None


@lru_cache(maxsize=10_000)
def ordinal_of(text: str | None, language: str) -> int | None:
    """The place that a word or a number with a suffix says: 2 of "second" and of "2nd"; None of another word."""
    if digits := re.match(r"\d+", text or ""):
        return int(digits[0])
    number = parse_number(text or "", load_language(language))
    return int(number.value) if number and number.ordinal else None


def count_of(text: str | None, language: str) -> int | None:
    """The whole number of periods that a text is, 1 for none; None where it is something else, or no calendar's."""
    if not text:
        return 1
    number = parse_number(text, load_language(language))
    if number is None or number.unit or not 0 <= number.value <= _MOST_PERIODS:
        return None
    return int(number.value) if number.value == int(number.value) else None


def holiday_times(text: str, language: str, times: Times) -> list[NamedTime]:
    """The holidays of a text in the years of the table."""
    table_years = years_of(times)
    any_name, names = _names(language, table_years[0], table_years[-1])
    named_times = []
    for match in any_name.finditer(text):
        spans = next(spans for name, spans in names.items() if re.fullmatch(name, match["name"], re.IGNORECASE))
        years = [int(match["year"])] if match["year"] else table_years
        windows = [window for year in years for span in spans for window in _windows(span, language, year)]
        inside = [w for w in windows if w.start and w.end and times.start <= w.end and w.start <= times.last_day]
        if windows:
            named_times.append(NamedTime(*match.span(), tuple(inside or windows[-1:])))
    return named_times


@lru_cache(maxsize=100)
def _names(language: str, first: int, last: int) -> tuple[re.Pattern[str], dict[str, HolidaySpans]]:
    """What finds the holidays of years from the `first` to the `last`, and each name with the days that it may mean."""
    words = lexicon(language).data
    named = dict(words["holiday_names"])
    for name in sorted({*holiday_dates(language, first), *holiday_dates(language, last)}):
        day = HolidayDay(holiday=name)
        written = re.sub("'(s)?", r"['’]?\1['’]?", re.escape(name))  # "New Years' Eve"
        named.setdefault(written, ((day, day),))
    year = rf"(?:{words['of_year']}(?P<year>(?:19|20)\d\d))?"
    return re.compile(rf"(?<!\w)(?P<name>{any_of(named)}){year}(?!\w)", re.IGNORECASE), named


def _windows(span: HolidaySpan, language: str, year: int) -> list[Window]:
    """What a holiday means: several times where countries differ, none in a year without it."""
    first, last = (
        [date.fromisoformat(f"{year}-{day.holiday}")]
        if day.holiday[0].isdigit()
        else [known + timedelta(days=day.days) for known in holiday_dates(language, year).get(day.holiday.lower(), ())]
        for day in span
    )
    return [Window(start=start, end=end) for start, end in zip(first, last, strict=True)]


@lru_cache(maxsize=1000)
def holiday_dates(language: str, year: int) -> dict[str, list[date]]:
    """The dates of a year's holidays by name, in lower case, in the calendars that the language pack names."""
    import holidays

    dates: dict[str, set[date]] = {}
    for code in lexicon(language).data["holiday_calendars"]:
        country, _, part = code.partition("-")
        try:
            known = holidays.country_holidays(country, subdiv=part or None)
        except NotImplementedError as error:
            origin = f"languages/{language}/claim_times.yaml, holiday_calendars, {code}"
            raise InputError(f"{origin}: {error}; write a code of the library `holidays`") from error
        calendar = holidays.country_holidays(
            country,
            subdiv=part or None,
            years=year,
            language=next((name for name in known.supported_languages if name.startswith(language)), None),
            categories=set(known.supported_categories) - {holidays.SCHOOL},
        )
        for day in calendar:
            for name in calendar.get_list(day):
                if "(" not in name:  # "Christmas Day (observed)"
                    dates.setdefault(name.lower(), set()).add(day)
    return {name: sorted(days) for name, days in dates.items()}
