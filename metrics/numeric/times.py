"""The times that a claim names: by the calendar and from the end of the table, joined where two are one."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, lru_cache, partial
from typing import Any

from dateutil.relativedelta import relativedelta

from ...languages import load_language
from ...text.numbers import parse_number
from .lexicon import Lexicon, any_of, lexicon, whole_words
from .table import ALL_ROWS, DAY, STEPS, NamedTime, Period, Times, Window, unit_of_period

_WEEKS_OF_A_MONTH = 26  # days: a longer span is matched to months, a shorter one to weeks
_ABOUT_A_YEAR = range(270, 370)  # days
_MOST_PERIODS = 1000  # "99,999 years earlier" is before the calendar
_WEEKEND, _WORKDAYS = (5, 6), (0, 1, 2, 3, 4)
_MASK = "\ue000"  # a private character
MASK = f"(?<!{_MASK}){_MASK}+"
"""A time in a masked text."""

WORD = r"[^\W\d_]+"


def mask_times(text: str, named_times: list[NamedTime]) -> str:
    """The text with private characters for each time, as long as before."""
    for time in named_times:
        text = text[: time.start] + _MASK * (time.end - time.start) + text[time.end :]
    return text


@dataclass(frozen=True)
class _WrittenTime:
    """A time that stands in a text, and the times of the table that it is reckoned by."""

    match: re.Match[str]
    language: str
    times: Times

    def part(self, name: str) -> str:
        """A part of the notation in lower case, empty where it is left out."""
        return (self.match.groupdict().get(name) or "").lower()

    def number(self, name: str) -> int:
        """The number that a part is, 0 where it is left out; of a month its place in the year."""
        text = self.part(name)
        month = _months(self.language).get(text.rstrip(".")) if name == "month" else None
        return month or ordinal_of(text, self.language) or 0

    @property
    def words(self) -> dict[str, Any]:
        """The words of the language."""
        return lexicon(self.language).data

    def begins(self, month: int) -> list[date]:
        """The first days of a month in the years in which the table has it; in its last year where it has none."""
        times = self.times
        if year := self.number("year"):
            return [date(year, month, 1)]
        begins = [date(year, month, 1) for year in reversed(years_of(times))]
        inside = [begin for begin in begins if times.start.replace(day=1) <= begin <= times.end]
        return inside or [date(times.end.year, month, 1)]


_Notation = tuple[re.Pattern[str], Callable[[_WrittenTime], list[Window]]]
"""How a time is written, and which windows it means."""


def times_by_name(text: str, language: str, times: Times, *, relative: bool = False) -> list[NamedTime]:
    """The times of a text that stand in the calendar ("6 October", "Q1 2024", "Monday"); they may overlap.

    `relative`: those of a masked text that are reckoned from the ends of the table ("last week", "now").
    """
    return [
        NamedTime(*match.span(), tuple(windows))
        for pattern, read in (_relative_notations if relative else _dated_notations)(language)
        for match in pattern.finditer(text)
        if (windows := read(_WrittenTime(match, language, times)))
    ]


def years_of(times: Times) -> range:
    """The years of a table."""
    return range(times.start.year, times.last_day.year + 1)


def _day(time: _WrittenTime) -> list[Window]:
    begins, number = time.begins(time.number("month")), time.number("day")
    return [span(day, "day") for begin in begins if (day := day_of(begin, number))]


def _slashed(time: _WrittenTime) -> list[Window]:
    """Both orders of day and month, where the language does not tell ("5/3/2026")."""
    numbers, year = (time.number("a"), time.number("b")), time.number("year")
    day_first = time.part("sign") != "/" or load_language(time.language).is_day_first
    orders = dict.fromkeys([numbers] if day_first else [numbers, numbers[::-1]])
    dates = [day_of(date(year, month, 1), day) for day, month in orders if 1 <= month <= 12]
    return [span(day, "day") for day in dates if day]


def _month(time: _WrittenTime) -> list[Window]:
    before = time.match.string[: time.match.start()]
    is_verb = re.fullmatch(time.words["verb_months"], time.match[0])
    if is_verb and not re.search(rf"(?:{time.words['before_month']}) $", before, re.IGNORECASE):
        return []
    number = time.number("month")
    windows = [span(begin, "month") for begin in time.begins(number)]
    return [*windows, Window(months=(number,))] if len(windows) > 1 else windows


def _part_of_year(months: int, time: _WrittenTime) -> list[Window]:
    """A quarter, or a half; of the table's year only if the text says so, or the table has about one year."""
    number, reach = time.number("number") or time.number("ordinal"), (time.times.last_day - time.times.start).days
    is_open = not (time.part("year") or time.part("of_table") or reach in _ABOUT_A_YEAR)
    if not 1 <= number <= 12 // months or (is_open and months == 6):
        return []
    begins = time.begins(months * (number - 1) + 1)
    return [days(begin, begin + relativedelta(months=months) - DAY) for begin in begins]


def _week(time: _WrittenTime) -> list[Window]:
    number, years = time.number("number"), [time.number("year")] if time.part("year") else years_of(time.times)
    # 28 December is always in a year's last week
    years = [year for year in years if 1 <= number <= date(year, 12, 28).isocalendar().week]
    return [span(date.fromisocalendar(year, number, 1), "week") for year in years]


def _year(time: _WrittenTime) -> list[Window]:
    first, last = time.number("year"), time.number("last") or time.number("year")
    return [days(date(first, 1, 1), date(last, 12, 31))] if first <= last else []


def _weekdays(time: _WrittenTime) -> list[Window]:
    if name := time.part("weekday"):
        return [Window(weekdays=(time.words["weekdays"][name],))]
    return [Window(weekdays=_WEEKEND if time.part("weekend") else _WORKDAYS)]


@cache
def _dated_notations(language: str) -> list[_Notation]:
    """The notations of dates in a language; of equally long matches that of the earlier notation counts."""
    words = lexicon(language).data
    suffix, units = words["ordinal_suffix"], any_of(words["periods"])
    month, day = rf"(?P<month>{any_of(_months(language))})\b", r"(?P<day>\d{1,2})"
    year = r"(?P<year>(?:19|20)\d\d)"
    of_year = rf"(?:{words['of_year']}{year})?"
    quarter = words["quarter_ordinal"].format(ordinal=rf"(?P<ordinal>{WORD}|[1-4]{suffix})")
    half = words["half_ordinal"].format(ordinal=rf"(?P<ordinal>{WORD}|[12]{suffix})")
    not_a_day = rf"(?! ?(?:{words['not_a_day']}|{units}))"
    iso_month = rf"{year}-(?P<month>0[1-9]|1[0-2])"
    forms: dict[str, Callable[[_WrittenTime], list[Window]]] = {
        rf"{iso_month}-(?P<day>\d\d)(?![\d-])": _day,
        rf"{iso_month}(?![\d-])": _month,
        rf"(?P<a>\d{{1,2}})(?P<sign>[-/.])(?P<b>\d{{1,2}})(?P=sign){year}(?!\d)": _slashed,
        rf"{day}(?:{suffix})?{words['day_of']} {month}\.?{of_year}": _day,
        rf"{month}\.? {day}(?!\d|[.,]\d)(?:{suffix})?\b{not_a_day}{of_year}": _day,
        rf"{month}{of_year}": _month,
        rf"(?:(?:{'|'.join(words['quarter_names'])})(?P<number>[1-4])\b|{quarter}){of_year}": partial(_part_of_year, 3),
        rf"(?:{half}{words['half_of']}|\bh(?P<number>[12]) ){year}": partial(_part_of_year, 6),
        rf"{half}(?P<of_table>{words['of_the_year']})?(?! (?:{words['of']}) )": partial(_part_of_year, 6),
        rf"(?:{any_of(words['week_number'])}) (?P<number>[1-5]?\d)\b(?![.,]\d){of_year}": _week,
        rf"{year}(?: ?- ?(?P<last>(?:19|20)\d\d))?(?![\w%]|[.,]\d)": _year,
    }
    weekday = rf"(?P<weekday>{any_of(words['weekdays'])})(?:{words['weekday_plural']})?"
    weekdays = whole_words([weekday, f"(?P<weekend>{any_of(words['weekend'])})", *words["workdays"]])
    dated = [(re.compile(rf"(?<![\w.,/-]){form}", re.IGNORECASE), read) for form, read in forms.items()]
    return [*dated, (weekdays, _weekdays)]


def _relative(kind: str, time: _WrittenTime) -> list[Window]:
    """ "Last week", "the last 7 days", "the first month", "this year", "yesterday", "at the start"."""
    from pandas import Timestamp

    last, first = time.times.last_day, time.times.start
    unit, count = time.words["periods"].get(time.part("unit"), "day"), count_of(time.part("n"), time.language)
    if count is None:
        return []
    reach, begin = STEPS[unit] * count, Timestamp(last).to_period(unit[0].upper()).start_time.date()
    this, latest = span(begin, unit), days(last - reach + DAY, last)
    if kind == "first_row" and time.part("unit") and first < begin:
        return []  # "the start of the year", of a table of several
    if kind != "last":
        windows = {"first_row": Window(first=1), "last_row": Window(last=1), "yesterday": span(last - DAY, "day")}
        return [(windows | {"first": days(first, first + reach - DAY), "this": this})[kind]]
    if unit == "day" or time.part("n"):
        return [latest]
    if time.part("the"):  # the last week: the last 7 days, or the week that the table ends in
        return [latest, this]
    # where the table ends with the week, who writes after it means that one
    previous = span(begin - STEPS[unit], unit)
    return [previous, this] if this.end == last else [previous]


@cache
def _relative_notations(language: str) -> list[_Notation]:
    """The notations of times that are reckoned from the table; followed by a time they are part of that one."""
    words = lexicon(language).data
    article, unit = words["article"], f"(?P<unit>{any_of(words['periods'])})"
    some = rf"(?:(?P<n>\d{{1,3}}|{WORD}) )?{unit}"
    not_of_time = rf"(?! (?:{words['of_or_in']}) {article}{MASK})"
    not_before_time = rf"(?! (?:(?:{words['of']}) )?{article}{MASK})"
    forms = {
        # without a number also not before another noun ("the first week of the course")
        "first": rf"{article}(?:{any_of(words['first_n'])}) {some}{not_of_time}(?(n)|(?! (?:{words['of']})\b))",
        "last": rf"(?P<the>{article})(?:{any_of(words['last_n'])}) {some}{not_of_time}",
        "this": rf"(?:{any_of(words['this'])}) {unit}",
        "first_row": rf"(?:{any_of(words['first_row'])}){not_before_time}",
        "last_row": rf"(?:{any_of(words['last_row'])}){not_before_time}",
        "yesterday": rf"(?:{any_of(words['yesterday'])})",
    }
    return [
        (re.compile(rf"(?<!\w){form}(?!\w)", re.IGNORECASE), partial(_relative, kind)) for kind, form in forms.items()
    ]


@cache
def _months(language: str) -> dict[str, int]:
    """The names of the months, short and long, and their numbers."""
    known = load_language(language)
    named = {name.lower(): n for names in (known.short_months, known.months) for n, name in enumerate(names, 1)}
    more: dict[str, int] = lexicon(language).data["more_months"]
    return named | more


def with_units(form: str, words: dict[str, Any]) -> str:
    """A form of a pack with the periods of the language for `{unit}`, and a number of them for `{units}`."""
    unit = f"(?P<unit>{any_of(words['periods'])})"
    return form.replace("{units}", rf"(?:(?P<n>\w+) )?{unit}").replace("{unit}", unit)


def days(start: date, end: date) -> Window:
    """From one day to another, both included."""
    return Window(start=start, end=end)


def span(start: date, step: str) -> Window:
    """A day, week, month, quarter or year from its begin."""
    return Window(start=start, end=start + STEPS[step] - DAY)


def row_begins(times: Times, start: date, end: date) -> list[date]:
    """The begins of the weekly rows that begin between two days, both included."""
    weeks = range((times.end - times.start).days // 7 + 1)
    return [begin for week in weeks if start <= (begin := times.start + timedelta(weeks=week)) <= end]


def whole_weeks(window: Window, times: Times | None) -> list[Window]:
    """The weekly rows of a month or more that begin in it, and those with most of their days in it."""
    if times is None or times.period is not Period.WEEK or not (window.start or window.end):
        return [window]
    start, end = window.start or times.start, window.end or times.last_day
    if (end - start).days <= _WEEKS_OF_A_MONTH:
        return [window]
    begins = row_begins(times, start - timedelta(days=6), end)
    begun, of_most = (
        tuple(begin for begin in begins if start <= begin + timedelta(days=shift) <= end) for shift in (0, 3)
    )
    weeks = dict.fromkeys(rows for rows in (begun, of_most) if rows)
    return [replace(window, start=rows[0], end=rows[-1] + timedelta(days=6)) for rows in weeks] or [window]


def day_of(begin: date, day: int) -> date | None:
    """A day of a month by its number; None where the month has none."""
    try:
        return begin.replace(day=day)
    except ValueError:
        return None


@lru_cache(maxsize=10_000)
def ordinal_of(text: str | None, language: str) -> int | None:
    """The place that a word or a number with a suffix says: 2 of "second" and of "2nd"; None of another word."""
    if digits := re.match(r"\d+", text or ""):
        return int(digits[0])
    number = parse_number(text or "", load_language(language))
    return int(number.value) if number and number.ordinal else None


def count_of(text: str | None, language: str) -> int | None:
    """The whole number of periods that a text is, 1 for none; None where it is something else, or no calendar's."""
    if not text:
        return 1
    number = parse_number(text, load_language(language))
    if number is None or number.unit or not 0 <= number.value <= _MOST_PERIODS:
        return None
    return int(number.value) if number.value == int(number.value) else None


def find_times(text: str, language: str, times: Times) -> list[NamedTime]:
    """The times that a text names, in order, relative words reckoned from the table's end. They do not overlap."""
    dated = _longest(times_by_name(text, language, times))
    relative = times_by_name(mask_times(text, dated), language, times, relative=True)
    named_times = _with_lone_days(text, language, times, _nearest_to_dated(_longest([*dated, *relative])))
    named_times = _join_times(text, language, times, _without_repetitions(text, language, named_times))
    return [
        replace(time, windows=tuple(replace(window, text=text[time.start : time.end]) for window in time.windows))
        for time in _without_repetitions(text, language, named_times)
    ]


def is_vague(window: Window, times: Times) -> bool:
    """Whether a window is where a month or less begins or ends: nobody knows how long. The end of a row is that row."""
    if window.start is None or window.end is None or window.end - window.start > timedelta(days=31):
        return False
    is_end_of_row = window.last and window.start + STEPS[unit_of_period(times.period)] > window.end
    return bool((window.first or window.last) and not is_end_of_row)


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


def joined_spans(text: str, language: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """Where a text goes from one of some parts to another ("from March to May"), and where both parts begin."""
    masked = mask_times(text, [NamedTime(*span, ()) for span in spans])
    for kind, pattern in _joins(language):
        for match in pattern.finditer(masked) if kind == "from_to" else ():
            yield *match.span(), match.start("a"), match.start("b")


def place_in_cycle(name: str, language: str) -> tuple[int, int]:
    """The number of a month, a weekday or a numbered period ("Q1", "week 3"), and how many there are; else 0 of 1."""
    name = name.strip().lower()
    weekday, month = lexicon(language).data["weekdays"].get(name, -1) + 1, _months(language).get(name.rstrip("."))
    if numbered := re.fullmatch(r"\D{1,20}(\d{1,3})", name):
        return int(numbered[1]) + 1, 1000
    return (weekday, 7) if weekday else (month or 0, 12 if month else 1)


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


@cache
def listed_days(language: str) -> re.Pattern[str]:
    """A list of days of one month: "on 2, 6 and 14 March", "on March 2, 6 and 14".

    After the month two days are a list only where the clause ends: not in "on March 4 and 28 on March 5". Days without
    a word before the last are none, as in "on March 2, 20 orders came".
    """
    words = lexicon(language).data
    day, month = rf"\d{{1,2}}(?:{words['ordinal_suffix']})?", rf"(?:{any_of(_months(language))})\b"
    more, joint, article = rf"(?:, ?{words['article']}{day})", list_joint(language), words["article"]
    year = rf"(?P<year>{words['of_year']}(?:19|20)\d\d\b)"
    last = rf",? (?:{words['days_listed_by']}) {article}{day}(?!\w|[.,]\d)"
    month_first = rf"{month}\.? {day}(?:{more}+{last}{year}?|{last}{_clause_end(language)})"
    forms = rf"{article}{day}{more}*{joint}{article}{day}{words['day_of']} {month}|{month_first}"
    return re.compile(rf"(?:^|(?<!\w)(?:{words['days_listed_led']}) )(?:{forms})", re.IGNORECASE)


def _clause_end(language: str) -> str:
    """Where a clause may end, as a pattern: at a sign, or at a word that joins clauses."""
    return rf"(?=\W*$|[,;:)](?!\d)|,? (?:{any_of(lexicon(language).data['joins'])})\b)"


@cache
def listed_dates(language: str) -> re.Pattern[str]:
    """A list of months, dates or weekdays: "in January, February and March", "on 1 March and 2 March".

    Dates and weekdays are one only where the clause ends: not in "on 1 March and 2 March had".
    """
    words, joint = lexicon(language).data, list_joint(language)
    month, day = rf"(?:{any_of(_months(language))})", rf"\d{{1,2}}(?:{words['ordinal_suffix']})?"
    date = rf"(?:{day}{words['day_of']} {month}|{month} {day}|{any_of(words['weekdays'])})"
    end = _clause_end(language)
    lists = rf"{month}(?:{joint}{month})+(?!\w)|{date}(?:{joint}{date})+(?!\w){end}"
    return re.compile(rf"(?<!\w)(?:{lists})", re.IGNORECASE)


def list_joint(language: str) -> str:
    """What stands between the parts of a list, as a pattern."""
    return rf"(?:, ?|,? (?:{lexicon(language).data['days_listed_by']}) )"


def _with_lone_days(text: str, language: str, times: Times, named_times: list[NamedTime]) -> list[NamedTime]:
    """The times with the days that have no month: "3 and 9 March", "the 18th", "Monday 14".

    The month is that of the joined time, else that of the other times, else the table's if it has only one.
    """
    number, joined_after, joined_before, weekday_before, article = _lone_day_patterns(language)
    masked, by_start = mask_times(text, named_times), {time.start: time.windows[0] for time in named_times}
    found = listed_days(language).finditer(text)
    lists = [(m.span(), w) for m in found for start, w in by_start.items() if m.start() <= start < m.end()]
    lone_days: list[NamedTime] = []
    for match in number.finditer(masked):
        joined = joined_after.match(masked, match.end()) or joined_before.search(masked, 0, match.start())
        window = by_start[joined.start("time")] if joined else ALL_ROWS
        window = next((last for (start, end), last in lists if start <= match.start() < end), window)
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
