"""Times made of others: "from 3 to 9 March", "since Easter", "the week of 6 October", "the first weeks of May"."""

import re
from dataclasses import replace
from datetime import date, timedelta
from functools import cache

from ..lexicon import lexicon
from ..specification import ALL_ROWS, Window
from ..tables import DAY, STEPS, NamedTime, Period, Times
from .calendar_times import any_of, count_of, row_begins, span

FILLER = "\uf8ff"  # masked text keeps its length: a private character a time, then these
_FIRST_MASK = 0xE000
_KINDS = (
    *(
        "end_of",
        "start_of",
        "from_to",
        "units_begun",
        "first_units_of",
        "last_units_of",
        "units_from",
        "unit_of",
        "unit_until",
    ),
    *("units_after", "units_before", "day_after", "day_before"),
    *("since", "after", "before", "for_or_before", "until"),
)

_NEXT_TO = ("units_after", "units_before", "day_after", "day_before")


def mask(text: str, found: list[NamedTime]) -> str:
    """The text with each time as one private character and fillers, as long as before."""
    for number, time in enumerate(found):
        length = time.end - time.start
        text = text[: time.start] + chr(_FIRST_MASK + number) + FILLER * (length - 1) + text[time.end :]
    return text


def place_of(masked: str) -> int:
    """Which of the times a private character stands for."""
    return ord(masked) - _FIRST_MASK


@cache
def _joins(language: str, kinds: tuple[str, ...]) -> list[tuple[str, re.Pattern[str]]]:
    words = lexicon(language).data
    a, b = rf"(?P<a>[\ue000-\uf000]){FILLER}*", rf"(?P<b>[\ue000-\uf000]){FILLER}*"
    the = words["article"]
    unit = f"(?P<unit>{any_of(list(words['periods']))})"
    forms = [(kind, form.replace("{unit}", unit)) for kind in kinds for form in words[kind]]
    return [(kind, re.compile(rf"(?<!\w){form.format(a=the + a, b=the + b)}", re.IGNORECASE)) for kind, form in forms]


def joined(
    text: str, language: str, times: Times, found: list[NamedTime], kinds: tuple[str, ...] = _KINDS
) -> list[NamedTime]:
    """The times of a text, those joined that make one."""
    masked = mask(text, found)
    for kind, pattern in _joins(language, kinds) if found else ():
        for match in pattern.finditer(masked):
            parts = [found[place_of(match[name])] for name in ("a", "b") if name in match.groupdict()]
            windows = _windows(kind, match, parts, language, times)
            if windows:
                dated = kind == "from_to" and windows[0].start is not None
                ends = (parts[0].windows[0], parts[-1].windows[0]) if dated else None
                if kind == "since" and parts[0].windows[0].first:
                    ends = (parts[0].windows[0], Window(last=1))
                whole = NamedTime(match.start(), match.end(), windows, ends)
                inside = [each for each in found if each not in parts]
                rest = [each for each in inside if each.end <= whole.start or whole.end <= each.start]
                return joined(text, language, times, sorted([*rest, whole], key=lambda time: time.start), kinds)
    return found


def _windows(
    kind: str, match: re.Match[str], parts: list[NamedTime], language: str, times: Times
) -> tuple[Window, ...]:
    units = lexicon(language).data["periods"]
    if kind in ("start_of", "end_of") and times.period is Period.WEEK:
        return _outer_weeks(kind, parts[0].windows, times)
    if "unit" in match.groupdict() or kind == "one_from":
        unit = units[match["unit"].lower()] if kind != "one_from" else times.period.value
        if kind in ("unit_of", "one_from"):
            return _unit_of(unit, parts[0].windows, times)
        if kind == "unit_until":
            days = [w.end for w in parts[0].windows if w.end and w.start == w.end and unit in STEPS]
            return tuple(Window(start=day + DAY - STEPS[unit], end=day) for day in days)
        said = match.groupdict().get("n") or ""
        count = 1 if said.lower() in lexicon(language).articles else count_of(said, language)
        if kind in _NEXT_TO:
            return _next_to(kind, unit, count, parts[0].windows[0])
        found = [_units(kind, unit, count, w, times) for w in parts[0].windows] if count else []
        return tuple(window for window in found if window is not None)
    return _between(kind, parts, _leaves_out_the_last(match[0], language))


def _leaves_out_the_last(text: str, language: str) -> bool:
    """Whether a time may end before its last part: "tot 3 maart"."""
    return re.search(rf"(?<!\w)(?:{lexicon(language).data['until_before']})", text, re.IGNORECASE) is not None


def _unit_of(unit: str, named: tuple[Window, ...], times: Times) -> tuple[Window, ...]:
    """ "The week of 6 October", "the quarter that begins in July": from there, as long as the unit is."""
    if unit not in STEPS:
        return ()
    found = [w for w in named if w.start and w.end and w.end <= w.start + STEPS[unit] - DAY]
    if unit == "week" and times.period is Period.WEEK:
        return tuple(span(_week_with(w.start, times) if w.start == w.end else w.start, unit) for w in found if w.start)
    return tuple(span(w.start, unit) for w in found if w.start)


def _outer_weeks(kind: str, named: tuple[Window, ...], times: Times) -> tuple[Window, ...]:
    """ "The begin of March": the first weekly row that begins in it."""
    found = [row_begins(times, w.start, w.end) for w in named if w.start and w.end and w.end > w.start]
    return tuple(span(begins[0 if kind == "start_of" else -1], "week") for begins in found if begins)


def _week_with(day: date, times: Times) -> date:
    """The begin of the row that a day is in."""
    return day - timedelta(days=(day - times.start).days % 7)


def _units(kind: str, unit: str, count: int, of: Window, times: Times) -> Window | None:
    """So many weeks (or other units) from, at the begin or at the end of a time; weeks of weekly rows are rows."""
    if of.start is None or of.end is None or unit not in STEPS:
        return None
    reach = STEPS[unit] * count
    if of.end <= of.start + STEPS[unit] - DAY:  # no longer than one: only from there
        return Window(start=of.start, end=of.start + reach - DAY) if kind == "units_from" else None
    if unit == "week" and times.period is Period.WEEK:
        return _rows(kind, count, row_begins(times, of.start, of.end))
    if kind == "first_units_of" and of.start + reach - DAY <= of.end:
        return Window(start=of.start, end=of.start + reach - DAY)
    if kind == "last_units_of" and of.start + reach - DAY <= of.end:
        return Window(start=of.end + DAY - reach, end=of.end)
    return None


def _next_to(kind: str, unit: str, count: int | None, named: Window) -> tuple[Window, ...]:
    """ "The week after Easter" (from the day after it, or the calendar's week), "two weeks before 6 May" (that day)."""
    first, last = named.start, named.end
    if first is None or last is None or unit not in STEPS or not count:
        return ()
    reach = STEPS[unit] * count
    if kind in ("day_after", "day_before"):
        day = last + reach if kind == "day_after" else first - reach
        return (Window(start=day, end=day),) if first == last else ()
    near = Window(start=last + DAY, end=last + reach) if kind == "units_after" else Window(first - reach, first - DAY)
    if unit != "week" or near.start is None or near.start.weekday() == 0:
        return (near,)
    monday = last + timedelta(days=7 - last.weekday()) if kind == "units_after" else first - timedelta(first.weekday())
    other = monday if kind == "units_after" else monday - reach
    return (near, Window(start=other, end=other + reach - DAY))


def _rows(kind: str, count: int, begins: list[date]) -> Window | None:
    """The weekly rows that are meant; "the five weeks that began in March" are none where four did."""
    if len(begins) < count or (kind == "units_begun" and len(begins) != count) or kind == "units_from":
        return None
    kept = begins[-count:] if kind == "last_units_of" else begins[:count]
    return Window(start=kept[0], end=kept[-1] + STEPS["week"] - DAY)


def _between(kind: str, parts: list[NamedTime], maybe_before: bool) -> tuple[Window, ...]:
    first, last = parts[0].windows[0], parts[-1].windows[0]
    if kind == "from_to" and len(first.weekdays) == len(last.weekdays) == 1:
        days = (last.weekdays[0] - first.weekdays[0]) % 7 + 1
        return (Window(weekdays=tuple(sorted((first.weekdays[0] + day) % 7 for day in range(days)))),)
    if kind == "since" and first == Window(first=1):
        return (ALL_ROWS,)
    if first.start is None or first.end is None or last.start is None or last.end is None:
        return ()
    if kind in ("end_of", "start_of"):
        return (replace(first, last=1) if kind == "end_of" else replace(first, first=1),)
    before = [Window(end=first.start - DAY)]
    if kind == "for_or_before":
        return (first, *before)
    if kind == "from_to":
        excluded = [Window(start=first.start, end=last.start - DAY)] if maybe_before else []
        windows = [Window(start=first.start, end=last.end), *excluded] if first.start <= last.end else []
    elif kind == "until":
        windows = [Window(end=first.end), *(before if maybe_before else [])]
    else:
        after = Window(start=first.start) if kind == "since" else Window(start=first.end + DAY)
        windows = before if kind == "before" else [after]
    return tuple(windows)
