"""Times that name themselves: dates, months, quarters, weeks, weekdays, years."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import Any

from dateutil.relativedelta import relativedelta

from ....languages import load_language
from ....text.numbers import parse_number
from ..lexicon import lexicon, whole_words
from ..specification import Window
from ..tables import DAY, STEPS, NamedTime, Period, Times

_WEEKS_OF_A_MONTH = 26  # days: longer spans are told by months, shorter ones by weeks
WORD = r"[^\W\d_]+"
_MOST_PERIODS = 1000  # "99,999 years earlier" is before the calendar
_ABOUT_A_YEAR = range(270, 370)  # days


@cache
def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    words = lexicon(language).data
    month = any_of(list(_months(language)))
    units = any_of(list(words["periods"]))
    suffix = words["ordinal_suffix"]
    quarter = words["quarter_ordinal"].format(ordinal=rf"(?P<ordinal>{WORD}|[1-4]{suffix})")
    half = words["half_ordinal"].format(ordinal=rf"(?P<ordinal>{WORD}|[12]{suffix})")
    of = rf"(?:{words['of_year']}(?P<year>(?:19|20)\d\d))?"
    of_or_in = f"(?:{words['of_or_in']})"
    names = "|".join(words["quarter_names"])
    forms = {
        "iso": r"(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)(?:-(?P<day>\d\d))?(?![\d-])",
        "slashed": r"(?P<a>\d{1,2})(?P<sign>[-/.])(?P<b>\d{1,2})(?P=sign)(?P<year>(?:19|20)\d\d)(?!\d)",
        "day_month": rf"(?P<day>\d{{1,2}})(?:{suffix})?{words['day_of']} (?P<name>{month})\b\.?{of}",
        "month_day": rf"(?P<name>{month})\b\.? (?P<day>\d{{1,2}})(?!\d|[.,]\d)(?:{suffix})?\b"
        rf"(?! ?(?:{words['not_a_day']}|{units})){of}",
        "half_month": rf"{half}{words['half_of']}(?P<name>{month})\b{of}",
        "first_of_month": rf"(?P<which>{any_of(words['first_n'])}|{any_of(words['last_n'])}) (?:(?P<n>\d{{1,2}}|\w+) )?"
        rf"(?P<unit>{units}) {of_or_in} (?P<name>{month})\b{of}",
        "week_of_month": rf"(?P<ordinal>{WORD}) (?:{any_of(_weeks_in(words))}) {of_or_in} (?P<name>{month})\b{of}",
        "month": rf"(?P<name>{month})\b{of}",
        "quarter": rf"(?:(?:{names})(?P<number>[1-4])\b|{quarter}){of}",
        "half_year": rf"(?:{half}{words['half_of']}|\bh(?P<number>[12]) )(?P<year>(?:19|20)\d\d)",
        "half_of_year": rf"{half}(?P<said>{words['of_the_year']})?(?! (?:{words['of']}) )",
        "week": rf"(?:{any_of(words['week_number'])}) (?P<number>[1-5]?\d)\b{of}",
        "year": r"(?P<year>(?:19|20)\d\d)(?![\w%]|[.,]\d)",
        "years": r"(?P<year>(?:19|20)\d\d) ?- ?(?P<last>(?:19|20)\d\d)(?![\w%]|[.,]\d)",
    }
    return {kind: re.compile(rf"(?<![\w.,/-]){form}", re.IGNORECASE) for kind, form in forms.items()}


def _weeks_in(words: Mapping[str, Any]) -> list[str]:
    return [name for name, unit in words["periods"].items() if unit == "week"]


@cache
def _months(language: str) -> dict[str, int]:
    """The names of the months, short and long, and their numbers."""
    known = load_language(language)
    written = (known.short_months, known.months)
    named = {name.lower(): number for names in written for number, name in enumerate(names, 1)}
    more: dict[str, int] = lexicon(language).data["more_months"]
    return named | more


def any_of(words: Iterable[str]) -> str:
    """One expression for any of the words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


def times_by_name(text: str, language: str, times: Times) -> list[NamedTime]:
    """The times of a text that need no other to be understood; may overlap."""
    found = []
    words = lexicon(language).data
    for kind, pattern in _patterns(language).items():
        for match in pattern.finditer(text):
            if kind == "month" and _is_verb(match, words):
                continue
            if windows := _windows(kind, match, language, times):
                found.append(NamedTime(*match.span(), tuple(windows)))
    for weekday, number in words["weekdays"].items():
        pattern = re.compile(rf"(?<!\w){weekday}{words['weekday_plural']}(?!\w)", re.IGNORECASE)
        found += [NamedTime(*match.span(), tuple(_weekday(number, times))) for match in pattern.finditer(text)]
    for name, numbers in words["weekdays_together"].items():
        together = (Window(weekdays=tuple(numbers)),)
        found += [NamedTime(*match.span(), together) for match in whole_words([name]).finditer(text)]
    return found


def _is_verb(month: re.Match[str], words: Mapping[str, Any]) -> bool:
    before = month.string[: month.start()]
    return re.fullmatch(words["verb_months"], month[0]) is not None and not re.search(
        rf"(?:{words['before_month']}) $", before, re.IGNORECASE
    )


def _weekday(number: int, times: Times) -> list[Window]:
    if (times.last_day - times.start).days < 7:
        day = times.start + timedelta(days=(number - times.start.weekday()) % 7)
        return [days(day, day)]
    return [Window(weekdays=(number,))]


def _windows(kind: str, match: re.Match[str], language: str, times: Times) -> list[Window]:
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else None
    if kind in _OF_MONTH:
        month = _month(parts["name"], language)
        return _OF_MONTH[kind]([date(y, month, 1) for y in _years(year, month, times)], parts, language, times)
    if kind in ("iso", "slashed"):
        return _written_days(kind, parts, language)
    if kind == "week":
        return [w for y in ([year] if year else _table_years(times)) if (w := _iso_week(y, int(parts["number"])))]
    if kind in ("year", "years"):
        whole = span(date(year or 1, 1, 1), "year")
        last = date(int(parts.get("last") or year or 1), 12, 31)
        return [replace(whole, end=last)] if last > date(year or 1, 1, 1) else []
    number = int(parts.get("number") or 0) or ordinal_of(parts["ordinal"], language) or 0
    if kind == "half_of_year":
        about = (times.last_day - times.start).days in _ABOUT_A_YEAR
        year, number = times.last_day.year, number if parts["said"] or about else 0
    if kind == "quarter":
        begins = [date(y, 3 * number - 2, 1) for y in _years(year, 3 * number - 2, times)] if 1 <= number <= 4 else []
        return [span(begin, "quarter") for begin in begins]
    begins = [date(year or 1, 6 * number - 5, 1)] if 1 <= number <= 2 else []
    return [days(begin, begin + relativedelta(months=6) - DAY) for begin in begins]


_Parts = dict[str, str | None]


def _whole_month(begins: list[date], parts: _Parts, language: str, times: Times) -> list[Window]:
    windows = [span(begin, "month") for begin in begins]
    return [*windows, Window(months=(begins[0].month,))] if len(windows) > 1 else windows


def _day_in_month(begins: list[date], parts: _Parts, language: str, times: Times) -> list[Window]:
    return [days(day, day) for begin in begins if (day := day_of(begin, int(parts["day"] or 0)))]


def _half_of_month(begins: list[date], parts: _Parts, language: str, times: Times) -> list[Window]:
    half = ordinal_of(parts["ordinal"], language)
    return [_half(begin, half) for begin in begins] if half in (1, 2) else []


def _week_of_month(begins: list[date], parts: _Parts, language: str, times: Times) -> list[Window]:
    place = ordinal_of(parts["ordinal"], language)
    if place is None:
        return []
    if times.period is Period.WEEK:
        return [days(week, week + timedelta(days=6)) for b in begins for week in _weeks(b, times)[place - 1 : place]]
    after = 7 * (place - 1)
    return [days(begin + timedelta(days=after), begin + timedelta(days=after + 6)) for begin in begins]


def _part_of_month(begins: list[date], parts: _Parts, language: str, times: Times) -> list[Window]:
    words = lexicon(language).data
    unit = words["periods"].get((parts["unit"] or "").lower())
    count = count_of(parts["n"], language)
    if unit not in ("day", "week") or count is None:
        return []
    reach = STEPS[unit] * count
    first = re.fullmatch(any_of(words["first_n"]), parts["which"] or "", re.IGNORECASE)
    if unit == "week" and times.period is Period.WEEK:
        runs = [weeks[:count] if first else weeks[-count:] for b in begins if len(weeks := _weeks(b, times)) >= count]
        return [days(run[0], run[-1] + timedelta(days=6)) for run in runs]
    if first:
        return [days(begin, begin + reach - DAY) for begin in begins]
    ends = [begin + STEPS["month"] - DAY for begin in begins]
    return [days(end - reach + DAY, end) for end in ends]


def _weeks(begin: date, times: Times) -> list[date]:
    """The begins of the weekly rows that begin in a month."""
    return row_begins(times, begin, begin + STEPS["month"] - DAY)


_OF_MONTH = {
    "month": _whole_month,
    "day_month": _day_in_month,
    "month_day": _day_in_month,
    "half_month": _half_of_month,
    "week_of_month": _week_of_month,
    "first_of_month": _part_of_month,
}


def _written_days(kind: str, parts: _Parts, language: str) -> list[Window]:
    year = int(parts["year"] or 0)
    if kind == "iso" and not parts["day"]:
        month = int(parts["month"] or 0)
        return [span(date(year, month, 1), "month")] if 1 <= month <= 12 else []
    if kind == "iso":
        pairs = [(int(parts["day"] or 0), int(parts["month"] or 0))]
    else:
        a, b = int(parts["a"] or 0), int(parts["b"] or 0)
        day_first = parts["sign"] != "/" or load_language(language).is_day_first
        pairs = [(a, b)] if day_first else [(a, b), (b, a)]
    written = [day for d, m in dict.fromkeys(pairs) if 1 <= m <= 12 and (day := day_of(date(year, m, 1), d))]
    return [days(day, day) for day in written]


def _half(begin: date, which: int) -> Window:
    middle = begin + timedelta(days=14)
    return days(begin, middle) if which == 1 else days(middle + DAY, begin + STEPS["month"] - DAY)


def _years(year: int | None, month: int, times: Times) -> list[int]:
    """The years in which the table has this month; its last year where it has none."""
    if year:
        return [year]
    begun = [y for y in _table_years(times) if (times.start.year, times.start.month - 2) <= (y, month)]
    inside = [y for y in begun if times.start.replace(day=1) <= date(y, month, 1) <= times.end]
    return inside[::-1] or [times.end.year]


def _table_years(times: Times) -> list[int]:
    return list(range(times.start.year, times.last_day.year + 1))


def days(start: date, end: date) -> Window:
    """From one day to another, both included."""
    return Window(start=start, end=end)


def span(start: date, step: str) -> Window:
    """A day, week, month, quarter or year from its begin."""
    return Window(start=start, end=start + STEPS[step] - DAY)


def row_begins(times: Times, start: date, end: date) -> list[date]:
    """The begins of the weekly rows that begin between two days, both included."""
    first = start + timedelta(days=(times.start - start).days % 7)
    begins = [first + timedelta(weeks=step) for step in range((end - first).days // 7 + 1)]
    return [begin for begin in begins if times.start <= begin <= times.end]


def whole_weeks(window: Window, times: Times | None) -> list[Window]:
    """The weekly rows of a month or more that begin in it, and those with most of their days in it."""
    if times is None or times.period is not Period.WEEK or not (window.start or window.end):
        return [window]
    start, end = window.start or times.start, window.end or times.last_day
    if (end - start).days <= _WEEKS_OF_A_MONTH:
        return [window]
    begins = row_begins(times, start - timedelta(days=6), end)
    of_most = [begin for begin in begins if start <= begin + timedelta(days=3) <= end]
    begun = [begin for begin in begins if start <= begin]
    return [
        replace(window, start=weeks[0], end=weeks[-1] + timedelta(days=6))
        for weeks in dict.fromkeys((tuple(begun), tuple(of_most)))
        if weeks
    ] or [window]


def day_of(begin: date, day: int) -> date | None:
    """A day of a month by its number; None where the month has none."""
    try:
        return begin.replace(day=day)
    except ValueError:
        return None


def _iso_week(year: int, week: int) -> Window | None:
    try:
        begin = date.fromisocalendar(year, week, 1)
    except ValueError:
        return None
    return days(begin, begin + timedelta(days=6))


def _month(name: str | None, language: str) -> int:
    return _months(language)[(name or "").lower().rstrip(".")]


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
