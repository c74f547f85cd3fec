"""Holidays as times: Easter Monday, King's Day, Boxing Day, in the years that a table has."""

import re
from datetime import date, timedelta
from functools import lru_cache

from ....errors import InputError
from ....languages.claim_sections import HolidayDay, HolidaySpan, HolidaySpans
from ..lexicon import any_of, lexicon
from ..specification import Window
from ..tables.table import NamedTime, Times
from .calendar_times import years_of


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
