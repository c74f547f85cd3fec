"""The times that a claim names, as windows of a table: dates, months, quarters, weekdays, "the last 7 days"."""

import re
from dataclasses import replace
from datetime import date, timedelta
from functools import cache

from .calendar_times import any_of, count_of, day_of, days, span, times_by_name
from .lexicon import lexicon
from .specification import ALL_ROWS, Window
from .table_times import DAY, STEPS, NamedTime, Times
from .written import words

_MONTHS = "|".join(sorted(words("months") | words("short_months"), key=len, reverse=True))
_FILLER = "\uf8ff"  # masked text keeps its length: a private character a time, then these
_FIRST_MASK = 0xE000
_TIME_FOLLOWS = re.compile(rf" (?:(?:of|van) )?(?:the |de |het )?(?:\d|q\d|{_MONTHS}\b)", re.IGNORECASE)


def find_times(text: str, language: str, times: Times) -> list[NamedTime]:
    """The times that a text names, in order, relative words reckoned from the table's end. They do not overlap."""
    found = _without_overlaps([*times_by_name(text, language, times), *_relative(text, language, times)])
    found = _with_weekdays(text, _with_bare_days(text, language, found))
    found = _joined(text, language, found)
    return [replace(each, windows=_named(each, text)) for each in found]


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
    number = r"(?P<n>\d{1,3}|[a-zé]+)"
    forms = {
        "last_n": rf"(?:the |de |het )?(?:{any_of([*words['last_n'], *words['previous']])}) {number} {unit}",
        "first_n": rf"(?:the |de |het )?(?:{any_of(words['first_n'])}) {number} {unit}",
        "first": rf"(?:{any_of(words['first_n'])}) {unit}(?! (?:of|van))",
        "last": rf"(?P<the>the |de |het )?(?P<word>{any_of([*words['previous'], *words['last_n']])}) {unit}",
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
            if kind in ("first_row", "last_row") and _TIME_FOLLOWS.match(text, match.end()):
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


@cache
def _joins(language: str) -> list[tuple[str, re.Pattern[str]]]:
    words = lexicon(language).data
    a, b = rf"(?P<a>[\ue000-\uf000]){_FILLER}*", rf"(?P<b>[\ue000-\uf000]){_FILLER}*"
    the = "(?:the |de |het )?"
    unit = f"(?P<unit>{any_of(list(words['periods']))})"
    forms = [
        (kind, form.replace("{unit}", unit))
        for kind in ("end_of", "start_of", "from_to", "unit_of", "since", "after", "before", "for_or_before", "until")
        for form in words[kind]
    ]
    return [(kind, re.compile(rf"(?<!\w){form.format(a=the + a, b=the + b)}", re.IGNORECASE)) for kind, form in forms]


@cache
def _bare_days(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    suffix = lexicon(language).data["ordinal_suffix"]
    join = r"(?:and|to|until|through|till|en|tot en met|t/m|tot|-|–)"
    before = rf"(?<![\w.,])(?P<day>\d{{1,2}})(?:{suffix})? ?{join} ?(?P<time>[\ue000-\uf000])"
    after = rf"(?P<time>[\ue000-\uf000]){_FILLER}* ?{join} ?(?P<day>\d{{1,2}})(?:{suffix})?(?![\w%]|[.,]\d)"
    return re.compile(before), re.compile(after)


def _mask(text: str, found: list[NamedTime]) -> str:
    for number, time in enumerate(found):
        length = time.end - time.start
        text = text[: time.start] + chr(_FIRST_MASK + number) + _FILLER * (length - 1) + text[time.end :]
    return text


def _with_bare_days(text: str, language: str, found: list[NamedTime]) -> list[NamedTime]:
    """ "3 and 9 March", "March 3-9": the day without a month has that of the other."""
    masked = _mask(text, found)
    extra = []
    for pattern in _bare_days(language):
        for match in pattern.finditer(masked):
            other = found[ord(match["time"]) - _FIRST_MASK]
            window = other.windows[0]
            if window.start and window.start == window.end and (day := day_of(window.start, int(match["day"]))):
                extra.append(NamedTime(match.start("day"), match.end("day"), (days(day, day),)))
    return sorted([*found, *extra], key=lambda time: time.start)


def _with_weekdays(text: str, found: list[NamedTime]) -> list[NamedTime]:
    """ "Friday 6 February" is that day, if it is a Friday."""
    kept: list[NamedTime] = []
    for time in found:
        day = time.windows[0].start
        before = kept[-1] if kept else None
        if (
            before
            and day
            and day == time.windows[0].end
            and re.fullmatch(r",? (?:the )?", text[before.end : time.start])
        ):
            named = before.windows[0]
            if named.weekdays == (day.weekday(),) or named.start == named.end == day:
                kept[-1] = NamedTime(before.start, time.end, time.windows)
                continue
        kept.append(time)
    return kept


def _joined(text: str, language: str, found: list[NamedTime]) -> list[NamedTime]:
    for kind, pattern in _joins(language):
        masked = _mask(text, found)
        for match in pattern.finditer(masked):
            parts = [found[ord(match[name]) - _FIRST_MASK] for name in ("a", "b") if name in match.groupdict()]
            if kind == "unit_of":
                windows = _unit_of(lexicon(language).data["periods"][match["unit"].lower()], parts[0].windows)
            else:
                windows = _between(
                    kind, parts, "tot " in match[0] and "tot en met" not in match[0] and language == "nl"
                )
            if windows:
                dated = kind == "from_to" and windows[0].start is not None
                ends = (parts[0].windows[0], parts[-1].windows[0]) if dated else None
                if kind == "since" and parts[0].windows[0].first:
                    ends = (parts[0].windows[0], Window(last=1))
                whole = NamedTime(match.start(), match.end(), windows, ends)
                rest = [each for each in found if each not in parts]
                return _joined(text, language, sorted([*rest, whole], key=lambda time: time.start))
    return found


def _unit_of(unit: str, named: tuple[Window, ...]) -> tuple[Window, ...]:
    """ "The week of 6 October", "the quarter that begins in July": from there, as long as the unit is."""
    if unit not in STEPS:
        return ()
    found = [span(w.start, unit) for w in named if w.start and w.end and w.end <= w.start + STEPS[unit] - DAY]
    return tuple(found)


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
