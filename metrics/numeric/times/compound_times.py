"""The times that a claim names, joined where two are one, and those that depend on another time or on the table."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from dateutil.relativedelta import relativedelta

from ..lexicon import Lexicon, any_of, lexicon
from ..parse.marks import Mark
from ..specification import ALL_ROWS, Window
from ..tables.table import DAY, LENGTHS, STEPS, NamedTime, Period, Times
from .calendar_times import (
    MASK,
    WORD,
    count_of,
    day_of,
    days,
    holiday_times,
    mask_times,
    ordinal_of,
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


_SHARE_OF_UNIT = (0.8, 1.05)  # how much of a month the dates have to reach over to be "the month"


def dependent_times(
    text: str, words: Lexicon, times: Times, marks: Sequence[Mark], context_windows: Sequence[Window]
) -> Iterator[Mark]:
    """The marks of times that another time of the clause, the text before or the table tells.

    They may overlap each other and the marks: the longest counts, and of equally long ones one of these.
    """
    clause = _Clause(text, words, times, marks, context_windows)
    for find in (_whole_units, _same_periods, _elided, _steps, _numbered):
        yield from find(clause)


@dataclass(frozen=True)
class _Clause:
    """A clause with the times that are known in it, and those of the text before."""

    text: str
    words: Lexicon
    times: Times
    marks: Sequence[Mark]
    context_windows: Sequence[Window]

    def matches(self, kind: str) -> Iterator[re.Match[str]]:
        """Where the forms of a kind stand."""
        for pattern in _patterns(self.words.language, kind):
            yield from pattern.finditer(self.text)

    def unit(self, match: re.Match[str]) -> str:
        """The unit of time that a form names; empty where it names none."""
        return str(self.words.data["periods"].get(match["unit"].lower(), ""))

    def other_times(self, start: int, end: int) -> list[Mark]:
        """The times that stand outside of a part of the clause, the nearest first and those before it first."""
        times = [m for m in self.marks if m.time and (m.end <= start or end <= m.start)]
        return sorted(times, key=lambda m: (m.end > start, abs(m.start - start)))

    def bases(self, start: int, end: int) -> list[Window]:
        """What the nearest time outside of a part means; without one, the windows of the text before."""
        nearest = next((m.time for m in self.other_times(start, end) if m.time), None)
        return list(nearest.windows) if nearest else [w for w in self.context_windows if w != ALL_ROWS]


@cache
def _patterns(language: str, kind: str) -> list[re.Pattern[str]]:
    words, links = lexicon(language).data, lexicon(language).links
    year = rf" (?:(?:{links.year_led}) )?{words['article']}(?P<year>(?:19|20)\d\d)"
    same = f"(?:{words['same_words']}) (?P<unit>{any_of([*words['periods'], *words['same_units']])})(?:{year})?"
    last, after = any_of(words["last_n"]), any_of(words["after_elided"])
    elided = (
        rf"(?P<the>{links.the_word}) (?P<which>{last}|{WORD})(?: (?P<n>[a-z]+|\d{{1,2}}))?"
        rf"(?=\s*(?:[.,;:)]|$|(?:{after})\b))"
    )
    forms = {"same": [same], "elided": [elided]}.get(kind) or words[kind]
    return [re.compile(rf"(?<!\w)(?:{with_units(form, words)})(?!\w)", re.IGNORECASE) for form in forms]


def _whole_units(clause: _Clause) -> Iterator[Mark]:
    """ "Over the month", of a table that reaches over about a month: all rows."""
    for match in clause.matches("the_unit"):
        is_other = any(m.start <= match.start() < m.end for m in clause.marks if m.time or "others" in m.kinds)
        length = (clause.times.last_day - clause.times.start + DAY).days / LENGTHS.get(clause.unit(match), math.inf)
        if not is_other and _SHARE_OF_UNIT[0] <= length <= _SHARE_OF_UNIT[1]:
            yield Mark(*match.span(), match[0], frozenset({"whole", "trend", "all_rows"}))


def _same_periods(clause: _Clause) -> Iterator[Mark]:
    """ "The same quarter of 2023"; where the time is open ("the same period"), a mark that no reading uses."""
    for match in clause.matches("same"):
        unit, year, before = clause.unit(match), match["year"], clause.text[: match.start()]
        is_led = re.search(rf"(?<!\w)(?:{clause.words.data['same_led']}) $", before, re.IGNORECASE) is not None
        bases = [w for w in clause.bases(*match.span()) if _is_of(w, unit)]
        moved = [shift_years(w, int(year) - w.start.year) for w in bases if year and w.start]
        if any(window not in bases for window in moved):
            yield _time_mark(clause, *match.span(), moved)
        elif unit or is_led or year:  # not "at the same time"
            has_context = any(window != ALL_ROWS for window in clause.context_windows)
            alone = is_led and not year and has_context and not clause.other_times(*match.span())
            yield Mark(*match.span(), match[0], frozenset({"that_time" if alone else "same_time"}))


def _elided(clause: _Clause) -> Iterator[Mark]:
    """ "The last" after "in the first week", "in the fourth" after "in the first quarter"."""
    language, last = clause.words.language, any_of(clause.words.data["last_n"])

    def is_which(word: str) -> bool:
        return re.fullmatch(last, word, re.IGNORECASE) is not None or ordinal_of(word, language) is not None

    for match in clause.matches("elided"):
        full_forms = [w.text for w in clause.context_windows if w.text]
        full_forms += [m.text for m in clause.marks if m.time and m.end <= match.start()]
        known = any(m.time and m.overlaps(*match.span("which")) for m in clause.marks)
        if known or not full_forms or not is_which(match["which"]):
            continue
        places = (word.end() for word in re.finditer(rf"(?:{last}|{WORD})(?!\w)", full_forms[-1]) if is_which(word[0]))
        rest = full_forms[-1][next(places, len(full_forms[-1])) :]
        if match["n"]:  # "in the first two weeks and in the last two"
            unit = re.search(rf"(?<!\w)(?:{any_of(clause.words.data['periods'])})(?!\w)", full_forms[-1], re.I)
            rest = f" {match['n']} {unit[0]}" if unit and count_of(match["n"], language) else ""
        whole = f"{match['the']} {match['which']}{rest}"
        named = find_times(whole, language, clause.times) if rest and whole.lower() != full_forms[-1].lower() else []
        if len(named) == 1:
            yield _time_mark(clause, *match.span(), named[0].windows)


def _steps(clause: _Clause) -> Iterator[Mark]:
    """ "A day later", "the month before", "the same week a year earlier": a step from the nearest other time."""
    same = {match.end(): match.start() for match in clause.matches("same")}
    for kind, sign in (("step_after", 1), ("step_before", -1)):
        for match in clause.matches(kind):
            number, unit = (match.groupdict().get("n") or "").lower(), clause.unit(match)
            count = 1 if number in clause.words.articles else count_of(number, clause.words.language)
            inside = any(m.time and m.start < match.start() and match.end() <= m.end for m in clause.marks)
            if not unit or count is None or inside:
                continue
            start = same.get(match.start() - 1, match.start())
            bases = clause.bases(start, match.end())
            moved = [window for base in bases if (window := _stepped(base, unit, sign * count))]
            of_time = rf" (?:(?:{clause.words.data['of_or_in']}) )?"  # "in February of the previous year" is not read
            is_of_time = unit == "year" and any(
                m.time and re.fullmatch(of_time, clause.text[m.end : match.start()]) for m in clause.marks
            )
            is_free = not any(m.time and m.overlaps(*match.span()) for m in clause.marks)
            if moved and not is_of_time:
                yield _time_mark(clause, start, match.end(), moved)
            elif is_of_time or (is_free and not bases and not match[0].lower().endswith(" on")):  # "a day on average"
                yield Mark(*match.span(), match[0], frozenset({"undatable_time"}))


def _numbered(clause: _Clause) -> Iterator[Mark]:
    """ "In month 2", "in week 60 of 2025": a number of a period that is no time here is no value either."""
    led, units = clause.words.data["of_or_in"], any_of(clause.words.data["periods"])
    number = rf"(?<!\w)(?:{led}) (?P<time>(?:{units}) \d{{1,2}})(?![\w%]|[.,]\d)"
    for match in re.finditer(number, clause.text, re.IGNORECASE):
        if not any(m.time and m.overlaps(*match.span("time")) for m in clause.marks):
            yield Mark(*match.span("time"), match["time"], frozenset({"undatable_time"}))


def _time_mark(clause: _Clause, start: int, end: int, windows: Sequence[Window]) -> Mark:
    return Mark(start, end, clause.text[start:end], time=NamedTime(start, end, tuple(dict.fromkeys(windows))))


def _stepped(base: Window, unit: str, step: int) -> Window | None:
    """The time so many units after a time, or before it; None where the time is no such unit."""
    if base.start is None or base.end is None:
        return None
    if unit == "year" and _is_shorter(base, unit):
        return shift_years(base, step)  # "in March ... than a year earlier"
    if unit == "day":
        return span((base.end if step > 0 else base.start) + step * DAY, "day")
    return span(base.start + STEPS[unit] * step, unit) if _is_one(base, unit) else None


def _is_one(window: Window, unit: str) -> bool:
    """Whether a window is one such unit ("March" is a month)."""
    return window.start is not None and window.end == window.start + STEPS[unit] - DAY


def _is_shorter(window: Window, unit: str) -> bool:
    """Whether a window has both ends and is shorter than a unit of time."""
    return bool(window.start and window.end and window.end < window.start + STEPS[unit] - DAY)


def _is_of(window: Window, unit: str) -> bool:
    """Whether a window is one unit of time below a year; without a unit ("the same period"), any part of a year."""
    if window.weekdays or window.first or window.last:
        return False
    return (not unit or _is_one(window, unit)) and _is_shorter(window, "year")


def shift_years(window: Window, years: int) -> Window:
    """The same days so many years later; a month that ends with its last day still does."""
    assert window.start is not None and window.end is not None  # dated windows are shifted
    step = relativedelta(years=years)
    return Window(start=window.start + step, end=window.end + DAY + step - DAY)


def undatable_times(text: str, words: Lexicon) -> Iterator[Mark]:
    """Of a table without times: the times that depend on now or on another time, as marks that no reading uses."""
    times = Times(date(2000, 1, 1), date(2000, 12, 31), Period.DAY)  # any
    for time in times_by_name(text, words.language, times, relative=True):
        if time.windows[0].start:
            yield Mark(time.start, time.end, text[time.start : time.end], frozenset({"undatable_time"}))
    clause = _Clause(text, words, times, (), ())
    for find in (_same_periods, _elided, _steps):
        yield from find(clause)
