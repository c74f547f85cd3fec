"""Holidays as times: Easter Monday, King's Day, Boxing Day, in the years that a table has."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from functools import cache, lru_cache

from ....errors import InputError
from ....languages.claim_sections import HolidayDay, HolidaySpan, HolidaySpans
from ..lexicon import any_of, lexicon
from ..specification import Window
from ..tables.table import NamedTime, Times


def with_holidays(text: str, language: str, times: Times, named_times: list[NamedTime]) -> list[NamedTime]:
    """The times of a text with its holidays, each one time with the date beside it ("Easter Monday, 21 April").

    A holiday beside a date of another day stays unread.
    """
    for holiday in _holidays(text, language, times):
        named_times = [time for time in named_times if time.end <= holiday.start or holiday.end <= time.start]
        after = next(
            (t for t in named_times if t.start >= holiday.end and _is_beside(text[holiday.end : t.start], t, language)),
            None,
        )
        before = next(
            (t for t in named_times if t.end <= holiday.start and _is_beside(text[t.end : holiday.start], t, language)),
            None,
        )
        beside = after or before
        if beside is None:
            named_times = [*named_times, holiday]
        elif set(beside.windows) & set(holiday.windows):
            start, end = min(beside.start, holiday.start), max(beside.end, holiday.end)
            end += text[end : end + 1] == ")"
            named_times = [time for time in named_times if not start <= time.start < end]
            named_times = [*named_times, replace(beside, start=start, end=end)]
        named_times = sorted(named_times, key=lambda time: time.start)
    return named_times


def is_vague_holiday(text: str, language: str) -> bool:
    """Whether a text is only a holiday of one day or of several ("Easter"), which "since" and "after" alone date."""
    return _several_days(language).fullmatch(text) is not None


@cache
def _several_days(language: str) -> re.Pattern[str]:
    named = lexicon(language).data["holiday_names"].items()
    several = [name for name, spans in named if any(first != last for first, last in spans)]
    return re.compile("|".join(several) or "(?!)", re.IGNORECASE)


@cache
def _between(language: str) -> re.Pattern[str]:
    words = lexicon(language).data
    led = rf"(?:(?:{words['apposed_led']}) )?(?:(?:{any_of(words['weekdays'])}) )?{words['article']}"
    return re.compile(rf" ?[,(] ?{led}", re.IGNORECASE)


def _is_beside(between: str, time: NamedTime, language: str) -> bool:
    return (
        _between(language).fullmatch(between) is not None and time.windows[0].start == time.windows[0].end is not None
    )


def _holidays(text: str, language: str, times: Times) -> Iterator[NamedTime]:
    table_years = range(times.start.year, times.last_day.year + 1)
    any_name, names = _names(language, table_years[0], table_years[-1])
    end = 0
    for place in any_name.finditer(text):
        if place.start() < end:
            continue
        possible_checks = [(match, spans) for name, spans in names if (match := name.match(text, place.start()))]
        match, spans = max(possible_checks, key=lambda candidate: candidate[0].end())
        end = match.end()
        years = [int(match["year"])] if match["year"] else table_years
        every = [window for year in years for span in spans for window in _windows(span, language, year)]
        inside = [w for w in every if w.start and w.end and times.start <= w.end and w.start <= times.last_day]
        if every:
            yield NamedTime(*match.span(), tuple(inside or every[-1:]))


@lru_cache(maxsize=100)
def _names(language: str, first: int, last: int) -> tuple[re.Pattern[str], list[tuple[re.Pattern[str], HolidaySpans]]]:
    """What finds the holidays of years from the `first` to the `last`, and each name with the days that it may mean."""
    words = lexicon(language).data
    named = dict(words["holiday_names"])
    for name in sorted({*holiday_dates(language, first), *holiday_dates(language, last)}):
        day = HolidayDay(holiday=name)
        written = re.sub("'(s)?", r"['’]?\1['’]?", re.escape(name))  # "New Years' Eve"
        named.setdefault(written, ((day, day),))
    year = rf"(?:{words['of_year']}(?P<year>(?:19|20)\d\d))?"
    any_name = re.compile(rf"(?<!\w)(?:{'|'.join(named)})(?!\w)", re.IGNORECASE)
    return any_name, [(re.compile(rf"(?:{name}){year}(?!\w)", re.IGNORECASE), spans) for name, spans in named.items()]


def _windows(span: HolidaySpan, language: str, year: int) -> list[Window]:
    first, last = (_days(day, language, year) for day in span)
    return [Window(start=start, end=end) for start, end in zip(first, last, strict=True)]


def _days(day: HolidayDay, language: str, year: int) -> list[date]:
    """The dates of a holiday: several where countries differ, none in a year without it."""
    if day.holiday[0].isdigit():
        return [date.fromisoformat(f"{year}-{day.holiday}")]
    return [
        known_date + timedelta(days=day.days)
        for known_date in holiday_dates(language, year).get(day.holiday.lower(), ())
    ]


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
