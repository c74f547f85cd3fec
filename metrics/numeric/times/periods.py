"""The times that a claim names, as windows of a table: dates, months, quarters, weekdays, "the last 7 days"."""

import re
import sys
from dataclasses import replace
from functools import cache

from ..lexicon import lexicon
from ..specification import Window
from ..tables.table import NamedTime, Times
from .calendar_times import times_by_name
from .compound_times import join_times, merge_neighbours, with_lone_days, with_weekdays
from .holidays import is_vague_holiday, with_holidays

_BOUNDS = ("above", "below", "at_least", "at_most")  # "above 30 all of March" is about each row
_CLOSED = re.compile(r"\)| [-–—](?= )")


@cache
def _aside(language: str) -> re.Pattern[str]:
    return re.compile(rf",? ?(?:\(|[-–—] |, |: )(?:(?:{lexicon(language).data['aside_led']}) )?")


def find_times(text: str, language: str, times: Times) -> list[NamedTime]:
    """The times that a text names, in order, relative words reckoned from the table's end. They do not overlap."""
    named_times = _without_overlaps(times_by_name(text, language, times))
    named_times = with_holidays(text, language, times, _nearest_to_dated(named_times))
    named_times = with_weekdays(
        text, language, with_lone_days(text, language, times, with_weekdays(text, language, named_times))
    )
    named_times = _merge_repetitions(text, language, join_times(text, language, times, named_times, is_row=True))
    named_times = join_times(text, language, times, [_with_whole(time, text, language) for time in named_times])
    named_times = [time for time in named_times if not is_vague_holiday(text[time.start : time.end], language)]
    return [replace(time, windows=_with_text(time, text)) for time in _merge_repetitions(text, language, named_times)]


def _nearest_to_dated(named_times: list[NamedTime]) -> list[NamedTime]:
    """The times, a month without a year in the year nearest to one that has it ("from February to July 2024")."""
    dated = [time.windows[0].start for time in named_times if len(time.windows) == 1 and time.windows[0].start]
    if len(dated) != 1:
        return named_times

    def away(window: Window) -> int:
        return abs((window.start - dated[0]).days) if window.start and dated[0] else sys.maxsize

    return [replace(t, windows=(min(t.windows, key=away),)) if _is_yearless(t) else t for t in named_times]


def _is_yearless(time: NamedTime) -> bool:
    starts = [window.start for window in time.windows if window.start]
    alike = len({(start.month, start.day) for start in starts}) == 1
    return len(starts) > 1 and alike


def _merge_repetitions(text: str, language: str, named_times: list[NamedTime]) -> list[NamedTime]:
    """The times, a repeated time as one: "last week (6 to 12 January)", "last week - the one of 6 January -"."""

    def merge_repetition(first: NamedTime, last: NamedTime) -> NamedTime | None:
        aside = _aside(language).fullmatch(text[first.end : last.start])
        shared = tuple(window for window in last.windows if window in first.windows)
        closed = _CLOSED.match(text, last.end)
        end = closed.end() if closed else last.end
        return NamedTime(first.start, end, shared, last.ends) if aside and shared else None

    return merge_neighbours(named_times, merge_repetition)


def _with_whole(time: NamedTime, text: str, language: str) -> NamedTime:
    """The time with the words before it that say it is whole: "all of 2024", "de hele maand april"."""
    words = lexicon(language)
    before = re.search(rf"(?<!\w)(?:{words.data['whole_time']}) $", text[: time.start], re.IGNORECASE)
    if before is None or any(words.kinds[kind].search(text) for kind in _BOUNDS):
        return time
    return replace(time, start=before.start())


def _with_text(time: NamedTime, text: str) -> tuple[Window, ...]:
    return tuple(dict.fromkeys(replace(window, text=text[time.start : time.end]) for window in time.windows))


def _without_overlaps(named_times: list[NamedTime]) -> list[NamedTime]:
    """The longest of the times that overlap; of equally long ones the first ("the first quarter" of the calendar)."""
    kept: list[NamedTime] = []
    for candidate in sorted(named_times, key=lambda time: time.start - time.end):
        if not any(candidate.start < other.end and other.start < candidate.end for other in kept):
            kept.append(candidate)
    return sorted(kept, key=lambda time: time.start)
