"""Days that need another word of the text, or the table, to be a date: "the 18th", "3 and 9 March", "Friday 6"."""

import re
from dataclasses import replace
from datetime import date, timedelta
from functools import cache

from ..lexicon import lexicon
from ..tables import DAY, NamedTime, Times
from .calendar_times import any_of, day_of, days
from .compound_times import FILLER, mask, place_of

_MOST_DAYS = 31  # in such a span a day of the month is one date


@cache
def _beside_another(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = lexicon(language).data
    suffix = words["ordinal_suffix"]
    join = rf"(?:{words['days_joined']}|-|–) ?(?:[\ue000-\uf000]{FILLER}* )?{words['article']}"
    before = rf"(?<![\w.,])(?P<day>\d{{1,2}})(?P<suffix>{suffix})? ?{join}(?P<time>[\ue000-\uf000])"
    after = rf"(?P<time>[\ue000-\uf000]){FILLER}* ?{join}(?P<day>\d{{1,2}})(?P<suffix>{suffix})?(?![\w%]|[.,]\d)"
    return re.compile(before), re.compile(after)


@cache
def _alone(language: str) -> re.Pattern[str]:
    words = lexicon(language).data
    weekdays = any_of(list(words["weekdays"]))
    suffix = words["ordinal_suffix"]
    led = rf"(?:^|(?<!\w)(?:{words['lone_day_led']}) |(?P<weekday>{weekdays}){words['weekday_plural']},? )"
    return re.compile(
        rf"{led}{words['article']}(?P<day>\d{{1,2}})(?P<suffix>{suffix})?(?!\w|[.,:]\d|%|-\w)"
        rf"(?! ?(?:{words['no_lone_day']}))",
        re.IGNORECASE,
    )


def with_lone_days(text: str, language: str, times: Times, found: list[NamedTime]) -> list[NamedTime]:
    """The times with the days that have no month: that of another time, else of the table, where it has only one."""
    masked = mask(text, found)
    extra: dict[int, NamedTime] = {}
    for pattern in _beside_another(language):
        for match in pattern.finditer(masked):
            window = found[place_of(match["time"])].windows[0]
            if window.start and window.start == window.end and (day := day_of(window.start, int(match["day"]))):
                point = match["suffix"] is not None and not match["suffix"].isalpha()  # "3. und 9. März"
                end = match.end("suffix" if point else "day")
                extra[match.start("day")] = NamedTime(match.start("day"), end, (days(day, day),))
    for match in _alone(language).finditer(text):
        start, end = match.start("day"), match.end()
        taken = start in extra or any(time.start < end and start < time.end for time in found)
        led = _is_led(text[:start], language)
        if taken or (not match["weekday"] and not (match["suffix"] and led)):
            continue
        day = _dated(int(match["day"]), times, found)
        if day is None:
            continue
        if match["weekday"] and lexicon(language).data["weekdays"][match["weekday"].lower()] != day.weekday():
            continue
        if match["suffix"] or led or re.match(lexicon(language).data["after_lone_day"], text[end:], re.IGNORECASE):
            extra[start] = NamedTime(start, end, (days(day, day),))
    return sorted([*found, *extra.values()], key=lambda time: time.start)


def _is_led(before: str, language: str) -> bool:
    """Whether what stands before a number makes it a day: "the 18th", "on the 12th and 13th"."""
    words = lexicon(language).data
    article = re.search(rf"(?<!\w)({words['article']})$", before, re.IGNORECASE)
    another = re.search(rf"\d(?:{words['ordinal_suffix']})(?:, | (?:{words['days_and']}) )$", before, re.IGNORECASE)
    return bool(article and article[1]) or another is not None


def _dated(number: int, times: Times, found: list[NamedTime]) -> date | None:
    """The one date of a day of the month: in the month that the text names, else in the table."""
    named = {
        (w.start.year, w.start.month)
        for time in found
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


def with_weekdays(text: str, language: str, found: list[NamedTime]) -> list[NamedTime]:
    """ "Friday 6 February" is that day, if it is a Friday; "12 March (Wednesday)" and a date said twice too."""
    kept: list[NamedTime] = []
    for time in found:
        before = kept[-1] if kept else None
        between = text[before.end : time.start] if before else ""
        if (
            before
            and re.fullmatch(rf",? \(?{lexicon(language).data['article']}", between, re.IGNORECASE)
            and (both := _one_day(before, time))
        ):
            closed = "(" in between and text[time.end : time.end + 1] == ")"
            kept[-1] = replace(both, start=before.start, end=time.end + closed)
            continue
        kept.append(time)
    return kept


def _one_day(first: NamedTime, last: NamedTime) -> NamedTime | None:
    for named, dated in ((first, last), (last, first)):
        window, day = named.windows[0], dated.windows[0].start
        if (
            day
            and day == dated.windows[0].end
            and (window.weekdays == (day.weekday(),) or window.start == window.end == day)
        ):
            return dated
    return None
