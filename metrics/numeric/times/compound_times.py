"""The times that a claim names, joined where two are one: "from 3 to 9 March", "since Easter", "the 18th"."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from ..lexicon import Lexicon, lexicon
from ..specification import ALL_ROWS, Window
from ..tables.table import DAY, STEPS, NamedTime, Period, Times
from .calendar_times import (
    MASK,
    count_of,
    day_of,
    days,
    holiday_times,
    mask_times,
    row_begins,
    span,
    times_by_name,
    with_units,
)


def find_times(text: str, language: str, times: Times) -> list[NamedTime]:
    """The times that a text names, in order, relative words reckoned from the table's end. They do not overlap."""
    holidays = holiday_times(text, language, times)
    dated = _longest([*holidays, *times_by_name(text, language, times)])
    relative = times_by_name(mask_times(text, dated), language, times, relative=True)
    named_times = _with_lone_days(text, language, times, _nearest_to_dated(_longest([*dated, *relative])))
    named_times = _join_times(text, language, times, _without_repetitions(text, language, named_times))
    # a holiday that may be one day or several ("Easter") is dated by "since" or "after" alone
    vague = [holiday for holiday in holidays if any(window.start != window.end for window in holiday.windows)]
    return [
        replace(time, windows=tuple(replace(window, text=text[time.start : time.end]) for window in time.windows))
        for time in _without_repetitions(text, language, [time for time in named_times if time not in vague])
    ]


def _longest(named_times: list[NamedTime]) -> list[NamedTime]:
    """The longest of the times that overlap; of equally long ones the first ("the first quarter" of the calendar)."""
    longest: list[NamedTime] = []
    for candidate in sorted(named_times, key=lambda time: time.start - time.end):
        if not any(candidate.start < other.end and other.start < candidate.end for other in longest):
            longest.append(candidate)
    return sorted(longest, key=lambda time: time.start)


def _nearest_to_dated(named_times: list[NamedTime]) -> list[NamedTime]:
    """The times, a month without a year in the year nearest to one that has it ("from February to July 2024")."""
    dated = [time.windows[0].start for time in named_times if len(time.windows) == 1 and time.windows[0].start]
    nearest = []
    for time in named_times if len(dated) == 1 else ():
        starts = {window.start: window for window in time.windows if window.start}
        of_several_years = len({(start.month, start.day) for start in starts}) == 1
        near = min(starts, key=lambda start: abs(start - dated[0])) if of_several_years else None
        nearest.append(replace(time, windows=(starts[near],)) if near else time)
    return nearest or named_times


def _without_repetitions(text: str, language: str, named_times: list[NamedTime]) -> list[NamedTime]:
    """The times, a time that is repeated as one: "Friday 6 February", "last week (6 to 12 January)"."""
    words, distinct = lexicon(language).data, list[NamedTime]()
    joint = rf",? ?(?:[(,:] ?|[-–—] )?(?:(?:{words['aside_led']}) )?{words['article']}"
    for time in named_times:
        between = text[distinct[-1].end : time.start] if distinct else "-"
        windows = _shared_windows(distinct[-1], time) if re.fullmatch(joint, between, re.IGNORECASE) else ()
        if windows:
            distinct[-1] = NamedTime(distinct[-1].start, time.end, windows, time.ends)
        else:
            distinct.append(time)
    return distinct


def _shared_windows(first: NamedTime, last: NamedTime) -> tuple[Window, ...]:
    """What both times may mean; of a weekday and a date the date."""
    for weekday, dated in ((first, last), (last, first)):
        numbers, day = weekday.windows[0].weekdays, dated.windows[0].start
        if day and numbers == (day.weekday(),) and day == dated.windows[0].end:
            return dated.windows
    return tuple(window for window in last.windows if window in first.windows)


@dataclass(frozen=True)
class _Joint:
    """One or two times and the words that join them."""

    kind: str
    match: re.Match[str]
    windows: list[Window]  # what each time means most likely
    spans: list[tuple[date, date]]  # the first and last days that the first time may mean
    words: Lexicon
    times: Times

    @property
    def count(self) -> int | None:
        """How many of the unit, 1 where none is named; None of another word than a number."""
        word = self.match.groupdict().get("n") or ""
        return None if word.lower() in self.words.articles else count_of(word, self.words.language)

    @property
    def start(self) -> int:
        """Where it begins: after a word before the unit that is no number ("every week of")."""
        is_word = self.match.groupdict().get("n") and self.count is None
        return self.match.start("unit") if is_word else self.match.start()


def _join_times(text: str, language: str, times: Times, named_times: list[NamedTime]) -> list[NamedTime]:
    """The times of a text, joined where two are one."""
    masked, by_start = mask_times(text, named_times), {time.start: time for time in named_times}
    for kind, pattern in _joins(language) if named_times else ():
        for match in pattern.finditer(masked):
            parts = [by_start[match.start(name)] for name in ("a", "b") if name in match.groupdict()]
            spans = [(window.start, window.end) for window in parts[0].windows if window.start and window.end]
            joint = _Joint(kind, match, [part.windows[0] for part in parts], spans, lexicon(language), times)
            if windows := _WINDOWS[kind](joint):
                is_span = (kind == "from_to" and windows[0].start) or (kind == "since" and joint.windows[0].first)
                last = joint.windows[1] if kind == "from_to" else Window(last=1)
                ends = (joint.windows[0], last) if is_span else None
                whole = NamedTime(joint.start, match.end(), windows, ends)
                rest = [t for t in named_times if t.end <= whole.start or whole.end <= t.start]
                return _join_times(text, language, times, sorted([*rest, whole], key=lambda time: time.start))
    return named_times


@cache
def _joins(language: str) -> list[tuple[str, re.Pattern[str]]]:
    words = lexicon(language).data
    a, b = (rf"{words['article']}(?P<{name}>{MASK})" for name in ("a", "b"))
    return [
        (kind, re.compile(rf"(?<!\w)(?:{with_units(form, words).replace('{a}', a).replace('{b}', b)})", re.IGNORECASE))
        for kind in _WINDOWS
        for form in words[kind]
    ]


def _from_to(joint: _Joint) -> tuple[Window, ...]:
    first, last = joint.windows
    if len(first.weekdays) == len(last.weekdays) == 1:
        steps = range((last.weekdays[0] - first.weekdays[0]) % 7 + 1)
        return (Window(weekdays=tuple(sorted((first.weekdays[0] + step) % 7 for step in steps))),)
    if not (first.start and first.end and last.start and last.end) or first.start > last.end:
        return ()
    return (days(first.start, last.end),)


def _on_one_side(joint: _Joint) -> tuple[Window, ...]:
    """ "Since March", "until 3 May", "the end of April": what lies on one side, or the row at an edge."""
    first, kind = joint.windows[0], joint.kind
    if kind == "since" and first == Window(first=1):
        return (ALL_ROWS,)
    if first.start is None or first.end is None:
        return ()
    windows = {
        "start_of": replace(first, first=1),
        "end_of": replace(first, last=1),
        "since": Window(start=first.start),
        "after": Window(start=first.end + DAY),
        "before": Window(end=first.start - DAY),
        "until": Window(end=first.end),
    }
    return (windows[kind],)


def _units(joint: _Joint) -> tuple[Window, ...]:
    """So many weeks (or other units) of a time, from it, until it, or beside it; weeks of weekly rows are rows.

    Without "first" or "last" a time that is longer has to have as many: "the five weeks that began in March".
    """
    kind, times, unit = joint.kind, joint.times, joint.words.data["periods"][joint.match["unit"].lower()]
    count = joint.count or (1 if kind in ("units_from", "units_until") else 0)
    length, begins = STEPS[unit] * count, []
    is_of_rows = unit == "week" and times.period is Period.WEEK
    for start, end in joint.spans if count else ():
        if kind == "units_until":
            begins += [end + DAY - length] if start == end else []
        elif kind == "units_from" and end < start + STEPS[unit]:
            # of a day the weekly row that it is in
            days_before = (start - times.start).days % 7 if is_of_rows and start == end else 0
            begins.append(start - timedelta(days=days_before))
        elif kind in ("units_after", "units_before"):
            begin = end + DAY if kind == "units_after" else start - length
            begins.append(begin)
            if unit == "week" and begin.weekday():  # or the calendar's week
                begins.append(begin + timedelta(days=(7 if kind == "units_after" else 0) - begin.weekday()))
        elif is_of_rows:
            rows = row_begins(times, start, end)
            if len(rows) == count or (len(rows) > count and kind != "units_from"):
                begins.append(rows[-count] if kind == "last_units_of" else rows[0])
        elif kind != "units_from" and start + length - DAY <= end:
            begins.append(start if kind == "first_units_of" else end + DAY - length)
    return tuple(days(begin, begin + length - DAY) for begin in begins)


_WINDOWS: Mapping[str, Callable[[_Joint], tuple[Window, ...]]] = {
    **dict.fromkeys(("end_of", "start_of"), _on_one_side),
    "from_to": _from_to,
    **dict.fromkeys(("first_units_of", "last_units_of", "units_from", "units_until"), _units),
    **dict.fromkeys(("units_after", "units_before"), _units),
    **dict.fromkeys(("since", "after", "before", "until"), _on_one_side),
}
"""What times mean that each kind of words in the packs joins, the kinds in the order in which they are tried."""


@cache
def _lone_day_patterns(language: str) -> tuple[re.Pattern[str], ...]:
    """A number that may be a day, a time joined after it, one joined before it, a weekday before it, and an article."""
    words = lexicon(language).data
    suffix, article, join = words["ordinal_suffix"], words["article"], rf"(?:{words['days_joined']}|-|–) ?"
    forms = (
        rf"(?<![\w.,:/])(?P<day>\d{{1,2}})(?P<suffix>{suffix})?(?!\w|[.,:]\d|%|-\w)(?! ?(?:{words['no_lone_day']}))",
        rf" ?{join}(?:{MASK} )?{article}(?P<time>{MASK})",
        rf"(?P<time>{MASK}) ?{join}{article}$",
        rf"(?P<time>{MASK}),? {article}$",
        rf"(?:^|(?<!\w)(?:{words['lone_day_led']}) )(?!$){article}$",
    )
    return tuple(re.compile(form, re.IGNORECASE) for form in forms)


def _with_lone_days(text: str, language: str, times: Times, named_times: list[NamedTime]) -> list[NamedTime]:
    """The times with the days that have no month: "3 and 9 March", "the 18th", "Monday 14".

    The month is that of the joined time, else that of the other times, else the table's if it has only one.
    """
    number, joined_after, joined_before, weekday_before, article = _lone_day_patterns(language)
    masked, by_start = mask_times(text, named_times), {time.start: time.windows[0] for time in named_times}
    lone_days: list[NamedTime] = []
    for match in number.finditer(masked):
        joined = joined_after.match(masked, match.end()) or joined_before.search(masked, 0, match.start())
        window = by_start[joined.start("time")] if joined else ALL_ROWS
        beside = weekday_before.search(masked, 0, match.start())
        weekdays = by_start[beside.start("time")].weekdays if beside else ()
        day = None
        if window.start and window.start == window.end:
            day = day_of(window.start, int(match["day"]))
        elif weekdays or (match["suffix"] and article.search(masked, 0, match.start())):
            named = _months_of([window for time in named_times for window in time.windows])
            months = named or _months_of([days(times.start, times.last_day)])
            day = day_of(months.pop(), int(match["day"])) if len(months) == 1 else None
        if day and (not weekdays or weekdays == (day.weekday(),)):
            lone_days.append(NamedTime(*match.span(), (span(day, "day"),)))
    return sorted([*named_times, *lone_days], key=lambda time: time.start)


def _months_of(windows: list[Window]) -> set[date]:
    """The begins of the months that windows lie in, each in one."""
    months = [(w.start.replace(day=1), w.end) for w in windows if w.start and w.end]
    return {begin for begin, end in months if end < begin + STEPS["month"]}
