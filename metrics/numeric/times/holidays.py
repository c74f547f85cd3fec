"""Holidays as times: Easter Monday, King's Day, Boxing Day, in the years that a table has."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from functools import cache

from dateutil.easter import easter

from ....languages.claim_sections import HolidayDates
from ..lexicon import lexicon
from ..specification import Window
from ..tables import NamedTime, Times
from .calendar_times import any_of


def with_holidays(text: str, language: str, times: Times, found: list[NamedTime]) -> list[NamedTime]:
    """The times of a text with its holidays, each one time with the date beside it ("Easter Monday, 21 April").

    A holiday beside a date that it is not on stays unread.
    """
    for holiday in _holidays(text, language, times):
        found = [time for time in found if time.end <= holiday.start or holiday.end <= time.start]
        after = next(
            (t for t in found if t.start >= holiday.end and _apposed(text[holiday.end : t.start], t, language)), None
        )
        before = next(
            (t for t in found if t.end <= holiday.start and _apposed(text[t.end : holiday.start], t, language)), None
        )
        beside = after or before
        if beside is None:
            found = [*found, holiday]
        elif set(beside.windows) & set(holiday.windows):
            start, end = min(beside.start, holiday.start), max(beside.end, holiday.end)
            end += text[end : end + 1] == ")"
            found = [time for time in found if not start <= time.start < end]
            found = [*found, replace(beside, start=start, end=end)]
        found = sorted(found, key=lambda time: time.start)
    return found


def is_vague_holiday(text: str, language: str) -> bool:
    """Whether a text is only a holiday of one day or of more ("Easter"), which "since" and "after" alone date."""
    for pattern, days in _patterns(language):
        if pattern.fullmatch(text):
            return len(days.easter) + len(days.dates) > 1
    return False


@cache
def _between(language: str) -> re.Pattern[str]:
    words = lexicon(language).data
    led = rf"(?:(?:{words['apposed_led']}) )?(?:(?:{any_of(words['weekdays'])}) )?{words['article']}"
    return re.compile(rf" ?[,(] ?{led}", re.IGNORECASE)


def _apposed(between: str, time: NamedTime, language: str) -> bool:
    return (
        _between(language).fullmatch(between) is not None and time.windows[0].start == time.windows[0].end is not None
    )


def _holidays(text: str, language: str, times: Times) -> Iterator[NamedTime]:
    taken: list[tuple[int, int]] = []
    for pattern, days in _patterns(language):
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            taken.append(match.span())
            years = [int(match["year"])] if match["year"] else range(times.start.year, times.last_day.year + 1)
            every = [window for year in years for window in _windows(days, year)]
            inside = [w for w in every if w.start and w.end and times.start <= w.end and w.start <= times.last_day]
            yield NamedTime(*match.span(), tuple(inside or every[-1:]))


@cache
def _patterns(language: str) -> list[tuple[re.Pattern[str], HolidayDates]]:
    named = sorted(lexicon(language).data["holidays"].items(), key=lambda item: len(item[0]), reverse=True)
    year = rf"(?:{lexicon(language).data['of_year']}(?P<year>(?:19|20)\d\d))?"
    return [(re.compile(rf"(?<!\w)(?:{name}){year}(?!\w)", re.IGNORECASE), days) for name, days in named]


def _windows(days: HolidayDates, year: int) -> list[Window]:
    """The days of a holiday in a year: in days from Easter Sunday, or as month-day; not on a Sunday, where so said."""
    begin = easter(year)
    spans = [(begin + timedelta(days=a), begin + timedelta(days=b)) for a, b in days.easter]
    spans += [(_day(year, a), _day(year, b)) for a, b in days.dates]
    if days.not_on_sunday:
        spans = [(a - timedelta(days=a.weekday() == 6), b - timedelta(days=b.weekday() == 6)) for a, b in spans]
    return [Window(start=a, end=b) for a, b in spans]


def _day(year: int, month_day: str) -> date:
    return date.fromisoformat(f"{year}-{month_day}")
