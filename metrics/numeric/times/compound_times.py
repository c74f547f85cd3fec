"""Times that other times or the table complete: "from 3 to 9 March", "since Easter", "the 18th", "Friday 6"."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from ..lexicon import any_of, lexicon
from ..specification import ALL_ROWS, Window
from ..tables.table import DAY, STEPS, NamedTime, Period, Times
from .calendar_times import count_of, day_of, days, row_begins, span

_FILLER = "\uf8ff"  # masked text keeps its length: a private character a time, then these
_FIRST_MASK = 0xE000
_MASK = r"[\ue000-\uf000]"
_MOST_DAYS = 31  # in such a span a day of the month is one date


def join_times(
    text: str, language: str, times: Times, named_times: list[NamedTime], is_row: bool = False
) -> list[NamedTime]:
    """The times of a text, joined where two are one; `is_row`: only times with words for a row."""
    masked = _mask(text, named_times)
    for kind, pattern in _joins(language) if named_times else ():
        for match in pattern.finditer(masked) if (kind == "one_from") is is_row else ():
            parts = [named_times[_place_of(match[name])] for name in ("a", "b") if name in match.groupdict()]
            windows = _WINDOWS[kind](_Joint(kind, match, parts, language, times))
            if windows:
                dated = kind == "from_to" and windows[0].start is not None
                ends = (parts[0].windows[0], parts[-1].windows[0]) if dated else None
                if kind == "since" and parts[0].windows[0].first:
                    ends = (parts[0].windows[0], Window(last=1))
                whole = NamedTime(match.start(), match.end(), windows, ends)
                rest = [t for t in named_times if t not in parts and (t.end <= whole.start or whole.end <= t.start)]
                named_times = sorted([*rest, whole], key=lambda time: time.start)
                return join_times(text, language, times, named_times, is_row)
    return named_times


@cache
def _joins(language: str) -> list[tuple[str, re.Pattern[str]]]:
    words = lexicon(language).data
    a, b = (rf"{words['article']}(?P<{name}>{_MASK}){_FILLER}*" for name in ("a", "b"))
    unit = f"(?P<unit>{any_of(words['periods'])})"
    forms = [(kind, form.replace("{unit}", unit).format(a=a, b=b)) for kind in _WINDOWS for form in words[kind]]
    return [(kind, re.compile(rf"(?<!\w){form}", re.IGNORECASE)) for kind, form in forms]


def _mask(text: str, named_times: list[NamedTime]) -> str:
    """The text with each time as one private character and fillers, as long as before."""
    for number, time in enumerate(named_times):
        length = time.end - time.start
        text = text[: time.start] + chr(_FIRST_MASK + number) + _FILLER * (length - 1) + text[time.end :]
    return text


def _place_of(masked: str) -> int:
    """Which of the times a private character stands for."""
    return ord(masked) - _FIRST_MASK


@dataclass(frozen=True)
class _Joint:
    """One or two times and the words that join them."""

    kind: str
    match: re.Match[str]
    parts: list[NamedTime]
    language: str
    times: Times

    @property
    def first(self) -> Window:
        """What the first time means most likely."""
        return self.parts[0].windows[0]

    @property
    def unit(self) -> str:
        """The named unit of time; that of a row for words such as "row"."""
        named = self.match.groupdict().get("unit")
        return str(lexicon(self.language).data["periods"][named.lower()]) if named else self.times.period.value

    @property
    def count(self) -> int | None:
        """How many of the unit; None where that is no number."""
        count_word = self.match.groupdict().get("n") or ""
        return 1 if count_word.lower() in lexicon(self.language).articles else count_of(count_word, self.language)

    @property
    def is_of_weeks(self) -> bool:
        """Whether the rows of the table are weeks."""
        return self.times.period is Period.WEEK

    @property
    def may_leave_out_the_last(self) -> bool:
        """Whether it may end before its last part: "tot 3 maart"."""
        before = lexicon(self.language).data["until_before"]
        return re.search(rf"(?<!\w)(?:{before})", self.match[0], re.IGNORECASE) is not None


def _on_one_side(joint: _Joint) -> tuple[Window, ...]:
    """ "Since March", "until 3 May", "the end of April": what lies on one side, or the row at an edge."""
    first, kind = joint.first, joint.kind
    if kind in ("start_of", "end_of") and joint.is_of_weeks:  # "the begin of March": the first row that begins in it
        dated = [w for w in joint.parts[0].windows if w.start and w.end and w.end > w.start]
        begins = [row_begins(joint.times, w.start, w.end) for w in dated if w.start and w.end]
        return tuple(span(row_starts[0 if kind == "start_of" else -1], "week") for row_starts in begins if row_starts)
    if kind == "since" and first == Window(first=1):
        return (ALL_ROWS,)
    if first.start is None or first.end is None:
        return ()
    before, until = Window(end=first.start - DAY), Window(end=first.end)
    windows: Mapping[str, tuple[Window, ...]] = {
        "start_of": (replace(first, first=1),),
        "end_of": (replace(first, last=1),),
        "since": (Window(start=first.start),),
        "after": (Window(start=first.end + DAY),),
        "before": (before,),
        "for_or_before": (first, before),
        "until": (until, before) if joint.may_leave_out_the_last else (until,),
    }
    return windows[kind]


def _from_to(joint: _Joint) -> tuple[Window, ...]:
    first, last = joint.first, joint.parts[-1].windows[0]
    if len(first.weekdays) == len(last.weekdays) == 1:
        steps = range((last.weekdays[0] - first.weekdays[0]) % 7 + 1)
        return (Window(weekdays=tuple(sorted((first.weekdays[0] + step) % 7 for step in steps))),)
    if not (first.start and first.end and last.start and last.end) or first.start > last.end:
        return ()
    whole, excluded = days(first.start, last.end), days(first.start, last.start - DAY)
    return (whole, excluded) if joint.may_leave_out_the_last else (whole,)


def _unit_of(joint: _Joint) -> tuple[Window, ...]:
    """ "The week of 6 October", "the quarter that begins in July": from there, as long as the unit is."""
    unit = joint.unit
    begins = []
    for window in joint.parts[0].windows if unit in STEPS else ():
        if window.start and window.end and window.end <= window.start + STEPS[unit] - DAY:
            one_day = unit == "week" and joint.is_of_weeks and window.start == window.end
            # of a day the row that it is in
            into = timedelta(days=(window.start - joint.times.start).days % 7 if one_day else 0)
            begins.append(window.start - into)
    return tuple(span(begin, unit) for begin in begins)


def _unit_until(joint: _Joint) -> tuple[Window, ...]:
    ends = [w.end for w in joint.parts[0].windows if w.end and w.start == w.end and joint.unit in STEPS]
    return tuple(days(end + DAY - STEPS[joint.unit], end) for end in ends)


def _units(joint: _Joint) -> tuple[Window, ...]:
    """So many weeks (or other units) from, at the begin or at the end of a time; weeks of weekly rows are rows."""
    windows = (_units_in(joint, w.start, w.end) for w in joint.parts[0].windows if w.start and w.end)
    return tuple(window for window in windows if window) if joint.count and joint.unit in STEPS else ()


def _units_in(joint: _Joint, start: date, end: date) -> Window | None:
    kind, unit, count = joint.kind, joint.unit, joint.count or 1
    reach = STEPS[unit] * count
    if end <= start + STEPS[unit] - DAY:  # no longer than one: only from there
        return days(start, start + reach - DAY) if kind == "units_from" else None
    if unit == "week" and joint.is_of_weeks:
        return _rows(kind, count, row_begins(joint.times, start, end))
    if kind not in ("first_units_of", "last_units_of") or start + reach - DAY > end:
        return None
    return days(start, start + reach - DAY) if kind == "first_units_of" else days(end + DAY - reach, end)


def _rows(kind: str, count: int, begins: list[date]) -> Window | None:
    """The weekly rows; none for "the five weeks that began in March" where only four did."""
    if len(begins) < count or (kind == "units_begun" and len(begins) != count) or kind == "units_from":
        return None
    kept = begins[-count:] if kind == "last_units_of" else begins[:count]
    return days(kept[0], kept[-1] + STEPS["week"] - DAY)


def _next_to(joint: _Joint) -> tuple[Window, ...]:
    """ "The week after Easter" (from the day after it, or the calendar's week), "two weeks before 6 May" (that day)."""
    first, last, unit, count = joint.first.start, joint.first.end, joint.unit, joint.count
    if first is None or last is None or unit not in STEPS or not count:
        return ()
    reach, is_after = STEPS[unit] * count, joint.kind.endswith("after")
    if joint.kind.startswith("day"):
        day = last + reach if is_after else first - reach
        return (days(day, day),) if first == last else ()
    begin = last + DAY if is_after else first - reach
    begins = [begin]
    if unit == "week" and begin.weekday() != 0:
        monday = last + timedelta(days=7 - last.weekday()) if is_after else first - timedelta(first.weekday()) - reach
        begins.append(monday)
    return tuple(days(start, start + reach - DAY) for start in begins)


_WINDOWS: Mapping[str, Callable[[_Joint], tuple[Window, ...]]] = {
    "one_from": _unit_of,
    "end_of": _on_one_side,
    "start_of": _on_one_side,
    "from_to": _from_to,
    **dict.fromkeys(("units_begun", "first_units_of", "last_units_of", "units_from"), _units),
    "unit_of": _unit_of,
    "unit_until": _unit_until,
    **dict.fromkeys(("units_after", "units_before", "day_after", "day_before"), _next_to),
    **dict.fromkeys(("since", "after", "before", "for_or_before", "until"), _on_one_side),
}
"""What times mean that each kind of words in the packs joins, the kinds in the order in which they are tried."""


@cache
def _joined_day_patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = lexicon(language).data
    suffix = words["ordinal_suffix"]
    join = rf"(?:{words['days_joined']}|-|–) ?(?:{_MASK}{_FILLER}* )?{words['article']}"
    before = rf"(?<![\w.,])(?P<day>\d{{1,2}})(?P<suffix>{suffix})? ?{join}(?P<time>{_MASK})"
    after = rf"(?P<time>{_MASK}){_FILLER}* ?{join}(?P<day>\d{{1,2}})(?P<suffix>{suffix})?(?![\w%]|[.,]\d)"
    return re.compile(before), re.compile(after)


@cache
def _lone_day_pattern(language: str) -> re.Pattern[str]:
    words = lexicon(language).data
    weekdays = any_of(list(words["weekdays"]))
    suffix = words["ordinal_suffix"]
    led = rf"(?:^|(?<!\w)(?:{words['lone_day_led']}) |(?P<weekday>{weekdays}){words['weekday_plural']},? )"
    return re.compile(
        rf"{led}{words['article']}(?P<day>\d{{1,2}})(?P<suffix>{suffix})?(?!\w|[.,:]\d|%|-\w)"
        rf"(?! ?(?:{words['no_lone_day']}))",
        re.IGNORECASE,
    )


def with_lone_days(text: str, language: str, times: Times, named_times: list[NamedTime]) -> list[NamedTime]:
    """The times with the days that have no month: that of another time, else of the table, where it has only one."""
    masked = _mask(text, named_times)
    extra: dict[int, NamedTime] = {}
    for pattern in _joined_day_patterns(language):
        for match in pattern.finditer(masked):
            window = named_times[_place_of(match["time"])].windows[0]
            if window.start and window.start == window.end and (day := day_of(window.start, int(match["day"]))):
                point = match["suffix"] is not None and not match["suffix"].isalpha()  # "3. und 9. März"
                end = match.end("suffix" if point else "day")
                extra[match.start("day")] = NamedTime(match.start("day"), end, (days(day, day),))
    for match in _lone_day_pattern(language).finditer(text):
        start, end = match.start("day"), match.end()
        is_known = start in extra or any(time.start < end and start < time.end for time in named_times)
        led = _is_led(text[:start], language)
        if is_known or (not match["weekday"] and not (match["suffix"] and led)):
            continue
        day = _date_of_day(int(match["day"]), times, named_times)
        if day is None:
            continue
        if match["weekday"] and lexicon(language).data["weekdays"][match["weekday"].lower()] != day.weekday():
            continue
        if match["suffix"] or led or re.match(lexicon(language).data["after_lone_day"], text[end:], re.IGNORECASE):
            extra[start] = NamedTime(start, end, (days(day, day),))
    return sorted([*named_times, *extra.values()], key=lambda time: time.start)


def _is_led(before: str, language: str) -> bool:
    """Whether what stands before a number makes it a day: "the 18th", "on the 12th and 13th"."""
    words = lexicon(language).data
    article = re.search(rf"(?<!\w)({words['article']})$", before, re.IGNORECASE)
    another = re.search(rf"\d(?:{words['ordinal_suffix']})(?:, | (?:{words['days_and']}) )$", before, re.IGNORECASE)
    return bool(article and article[1]) or another is not None


def _date_of_day(number: int, times: Times, named_times: list[NamedTime]) -> date | None:
    """The one date of a day of the month: in the month that the text names, else in the table."""
    named = {
        (w.start.year, w.start.month)
        for time in named_times
        for w in time.windows
        if w.start and w.end and (w.start.year, w.start.month) == (w.end.year, w.end.month)
    }
    if len(named) == 1:
        year, month = named.pop()
        return day_of(date(year, month, 1), number)
    reach = (times.last_day - times.start + DAY).days
    if reach > _MOST_DAYS:
        return None
    every = [times.start + timedelta(days=step) for step in range(reach)]
    there = [day for day in every if day.day == number]
    return there[0] if len(there) == 1 else None


def merge_neighbours(
    named_times: list[NamedTime], join: Callable[[NamedTime, NamedTime], NamedTime | None]
) -> list[NamedTime]:
    """The times, a time and the one after it as one where they can be joined."""
    kept: list[NamedTime] = []
    for time in named_times:
        joined = join(kept[-1], time) if kept else None
        kept[-1:] = [joined] if joined else [*kept[-1:], time]
    return kept


def with_weekdays(text: str, language: str, named_times: list[NamedTime]) -> list[NamedTime]:
    """ "Friday 6 February" is that day, if it is a Friday; "12 March (Wednesday)" and a repeated date too."""
    led = re.compile(rf",? \(?{lexicon(language).data['article']}", re.IGNORECASE)

    def one_day(first: NamedTime, last: NamedTime) -> NamedTime | None:
        between = text[first.end : last.start]
        for named, dated in ((first, last), (last, first)) if led.fullmatch(between) else ():
            window, day = named.windows[0], dated.windows[0].start
            is_day = day is not None and day == dated.windows[0].end
            if day and is_day and (window.weekdays == (day.weekday(),) or window.start == window.end == day):
                closed = "(" in between and text[last.end : last.end + 1] == ")"
                return replace(dated, start=first.start, end=last.end + closed)
        return None

    return merge_neighbours(named_times, one_day)
