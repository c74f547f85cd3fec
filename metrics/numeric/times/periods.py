"""The times that a claim names, as windows of a table: dates, months, quarters, weekdays, "the last 7 days"."""

import re
import sys
from dataclasses import replace
from datetime import date, timedelta
from functools import cache

from ....text.numbers.notation import notation_languages
from ..lexicon import lexicon
from ..specification import Window
from ..tables import DAY, STEPS, NamedTime, Times
from .calendar_times import any_of, count_of, days, span, times_by_name
from .compound_times import joined
from .holidays import is_vague_holiday, with_holidays
from .partial_dates import with_lone_days, with_weekdays


@cache
def _months() -> str:
    """The names of the months in all languages, as one expression."""
    return any_of({name.lower() for pack in notation_languages() for name in (*pack.months, *pack.short_months)})


_BOUNDS = ("above", "below", "at_least", "at_most")  # "above 30 all of March" is said of each row
_CLOSED = re.compile(r"\)| [-–—](?= )")


@cache
def _of_time(language: str) -> re.Pattern[str]:
    words = lexicon(language).data
    units = any_of(words["periods"])
    return re.compile(
        rf" (?:{words['of_or_in']}) {words['article']}(?:(?:{units}) )?(?:(?:19|20)\d\d|q\d|(?:{_months()})\b)",
        re.IGNORECASE,
    )


@cache
def _aside(language: str) -> re.Pattern[str]:
    return re.compile(rf",? ?(?:\(|[-–—] |, |: )(?:(?:{lexicon(language).data['aside_led']}) )?")


@cache
def _time_follows(language: str) -> re.Pattern[str]:
    words = lexicon(language).data
    return re.compile(
        rf" (?:(?:{words['of']}) )?{words['article']}"
        rf"(?:(?:19|20)\d\d(?![\d.,%])|\d{{1,2}}(?:[a-z]*|\.) (?:{_months()})|q\d|(?:{_months()})\b)",
        re.IGNORECASE,
    )


def find_times(text: str, language: str, times: Times) -> list[NamedTime]:
    """The times that a text names, in order, relative words reckoned from the table's end. They do not overlap."""
    found = _without_overlaps([*times_by_name(text, language, times), *_relative(text, language, times)])
    found = with_holidays(text, language, times, _nearest_to_dated(found))
    found = with_weekdays(text, language, with_lone_days(text, language, times, with_weekdays(text, language, found)))
    found = _apposed(text, language, joined(text, language, times, found, ("one_from",)))
    found = joined(text, language, times, [_with_whole(time, text, language) for time in found])
    found = [time for time in found if not is_vague_holiday(text[time.start : time.end], language)]
    return [replace(each, windows=_named(each, text)) for each in _apposed(text, language, found)]


def _nearest_to_dated(found: list[NamedTime]) -> list[NamedTime]:
    """The times, a month without a year in the year nearest to one that has it ("from February to July 2024")."""
    dated = [time.windows[0].start for time in found if len(time.windows) == 1 and time.windows[0].start]
    if len(dated) != 1:
        return found

    def away(window: Window) -> int:
        return abs((window.start - dated[0]).days) if window.start and dated[0] else sys.maxsize

    return [replace(t, windows=(min(t.windows, key=away),)) if _is_yearless(t) else t for t in found]


def _is_yearless(time: NamedTime) -> bool:
    starts = [window.start for window in time.windows if window.start]
    alike = len({(start.month, start.day) for start in starts}) == 1
    return len(starts) > 1 and alike


def _apposed(text: str, language: str, found: list[NamedTime]) -> list[NamedTime]:
    """The times, one that is said twice as one: "last week (6 to 12 January)", "last week - the one of 6 January -"."""
    kept: list[NamedTime] = []
    for time in found:
        before = kept[-1] if kept else None
        aside = before is not None and _aside(language).fullmatch(text[before.end : time.start])
        both = tuple(w for w in time.windows if before and w in before.windows) if aside else ()
        if before and both:
            closed = _CLOSED.match(text, time.end)
            kept[-1] = NamedTime(before.start, closed.end() if closed else time.end, both, time.ends)
            continue
        kept.append(time)
    return kept


def _with_whole(time: NamedTime, text: str, language: str) -> NamedTime:
    """The time with the words before it that say it is whole: "all of 2024", "de hele maand april"."""
    words = lexicon(language)
    before = re.search(rf"(?<!\w)(?:{words.data['whole_time']}) $", text[: time.start], re.IGNORECASE)
    if before is None or any(words.kinds[kind].search(text) for kind in _BOUNDS):
        return time
    return replace(time, start=before.start())


def _named(time: NamedTime, text: str) -> tuple[Window, ...]:
    return tuple(dict.fromkeys(replace(window, text=text[time.start : time.end]) for window in time.windows))


def _without_overlaps(found: list[NamedTime]) -> list[NamedTime]:
    """Of times that overlap the longest; of as long ones the first ("the first quarter" is one of the calendar)."""
    kept: list[NamedTime] = []
    for each in sorted(found, key=lambda time: time.start - time.end):
        if not any(each.start < other.end and other.start < each.end for other in kept):
            kept.append(each)
    return sorted(kept, key=lambda time: time.start)


@cache
def _relative_patterns(language: str) -> dict[str, re.Pattern[str]]:
    words = lexicon(language).data
    unit = f"(?P<unit>{any_of(list(words['periods']))})"
    number = r"(?P<n>\d{1,3}|[^\W\d_]+)"
    article, of = words["article"], words["of"]
    forms = {
        "last_n": rf"{article}(?:{any_of([*words['last_n'], *words['previous']])}) {number} {unit}",
        "first_n": rf"{article}(?:{any_of(words['first_n'])}) {number} {unit}",
        "first": rf"(?:{any_of(words['first_n'])}) {unit}(?! (?:{of})\b)",
        "last": rf"(?P<the>{article})(?P<word>{any_of([*words['previous'], *words['last_n']])}) {unit}",
        "this": rf"(?:{any_of(words['this'])}) {unit}",
        "first_row": rf"(?:{'|'.join(words['first_row'])})",
        "last_row": rf"(?:{'|'.join(words['last_row'])})",
        "yesterday": rf"(?:{any_of(words['yesterday'])})",
        "today": rf"(?:{any_of(words['today'])})",
    }
    return {kind: re.compile(rf"(?<!\w){form}(?!\w)", re.IGNORECASE) for kind, form in forms.items()}


def _relative(text: str, language: str, times: Times) -> list[NamedTime]:
    found = []
    for kind, pattern in _relative_patterns(language).items():
        for match in pattern.finditer(text):
            parts = match.groupdict()
            unit = lexicon(language).data["periods"].get((parts.get("unit") or "").lower(), "day")
            if kind in ("first_row", "last_row") and _time_follows(language).match(text, match.end()):
                continue
            if kind in ("first_n", "last_n", "first", "last") and _of_time(language).match(text, match.end()):
                continue
            if kind in ("first_row", "last_row"):
                found.append(NamedTime(*match.span(), tuple(_outermost(kind, unit, parts, times))))
                continue
            count = count_of(parts.get("n"), language)
            if count is not None and (windows := _reckoned(kind, unit, count, parts, times)):
                found.append(NamedTime(*match.span(), tuple(windows)))
    return found


def _reckoned(kind: str, unit: str, count: int, parts: dict[str, str | None], times: Times) -> list[Window]:
    last, first = times.last_day, times.start
    begin = _begin(last, unit)
    if unit == "row":
        return [Window(last=count) if kind in ("last", "last_n") else Window(first=count)]
    if kind in ("yesterday", "today") or (unit == "day" and kind in ("last", "this")):
        day = last - DAY if kind == "yesterday" else last
        return [days(day, day)]
    reach = STEPS[unit] * count
    this = span(begin, unit)
    previous = span(begin - STEPS[unit], unit)
    if kind in ("first", "first_n"):
        windows = [days(first, first + reach - DAY)]
    elif kind == "last_n":
        windows = [days(last - reach + DAY, last)]
    elif kind == "this":
        windows = [this]
    elif parts.get("the"):  # the last week: the last 7 days, or the week that the table ends in
        windows = [days(last - reach + DAY, last), this]
    else:  # where the table ends with the week, who writes after it means that one
        windows = [previous, this] if this.end == last else [previous]
    return windows


def _outermost(kind: str, unit: str, parts: dict[str, str | None], times: Times) -> list[Window]:
    """ "At the start", "now": the first or the last row; of the table's last year or month, where that is said."""
    row = Window(first=1) if kind == "first_row" else Window(last=1)
    within = span(_begin(times.last_day, unit), unit) if parts.get("unit") else None
    if within is None or within.start is None or within.start <= times.start:
        return [row]
    return [replace(row, start=within.start, end=within.end)]


def _begin(day: date, unit: str) -> date:
    if unit == "week":
        return day - timedelta(days=day.weekday())
    if unit == "month":
        return day.replace(day=1)
    if unit == "quarter":
        return date(day.year, 3 * ((day.month - 1) // 3) + 1, 1)
    return day.replace(month=1, day=1) if unit == "year" else day
