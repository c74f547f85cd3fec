"""Times that need no other to be understood: dates, months, quarters, weeks, weekdays, years, "the last 7 days"."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, lru_cache, partial
from typing import Any

from dateutil.relativedelta import relativedelta

from ....languages import load_language
from ....text.numbers import parse_number
from ....text.numbers.notation import notation_languages
from ..lexicon import any_of, lexicon, whole_words
from ..specification import Window
from ..tables.table import DAY, STEPS, NamedTime, Period, Times

_WEEKS_OF_A_MONTH = 26  # days: a longer span is matched to months, a shorter one to weeks
_ABOUT_A_YEAR = range(270, 370)  # days
_MOST_PERIODS = 1000  # "99,999 years earlier" is before the calendar
WORD = r"[^\W\d_]+"


def times_by_name(text: str, language: str, times: Times) -> list[NamedTime]:
    """The times of a text that need no other to be understood, relative ones reckoned from the table's end.

    They may overlap.
    """
    return [
        NamedTime(*match.span(), tuple(windows))
        for notation in _notations(language)
        for match in notation.pattern.finditer(text)
        if not (notation.never_before and notation.never_before.match(text, match.end()))
        if (windows := notation.read(_WrittenTime(match, language, times)))
    ]


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

    @property
    def unit(self) -> str:
        """The unit of time that is named, "day" where none is."""
        return str(self.words["periods"].get(self.part("unit"), "day"))

    def begins(self, month: int | None = None) -> list[date]:
        """The first days of the month in the years in which the table has it; in its last year where it has none."""
        month, times = month or self.number("month"), self.times
        if year := self.number("year"):
            return [date(year, month, 1)]
        begun = [y for y in self.years() if (times.start.year, times.start.month - 2) <= (y, month)]
        inside = [y for y in begun if times.start.replace(day=1) <= date(y, month, 1) <= times.end]
        return [date(y, month, 1) for y in inside[::-1] or [times.end.year]]

    def years(self) -> list[int]:
        """The years of the table."""
        return list(range(self.times.start.year, self.times.last_day.year + 1))


def _month(time: _WrittenTime) -> list[Window]:
    before = time.match.string[: time.match.start()]
    is_verb = re.fullmatch(time.words["verb_months"], time.match[0])
    if is_verb and not re.search(rf"(?:{time.words['before_month']}) $", before, re.IGNORECASE):
        return []
    windows = [span(begin, "month") for begin in time.begins()]
    return [*windows, Window(months=(time.number("month"),))] if len(windows) > 1 else windows


def _day(time: _WrittenTime) -> list[Window]:
    return _days((begin, time.number("day")) for begin in time.begins())


def _iso(time: _WrittenTime) -> list[Window]:
    year, month = time.number("year"), time.number("month")
    if not 1 <= month <= 12:
        return []
    begin = date(year, month, 1)
    return _days([(begin, time.number("day"))]) if time.part("day") else [span(begin, "month")]


def _slashed(time: _WrittenTime) -> list[Window]:
    a, b, year = time.number("a"), time.number("b"), time.number("year")
    day_first = time.part("sign") != "/" or load_language(time.language).is_day_first
    pairs = dict.fromkeys([(a, b)] if day_first else [(a, b), (b, a)])
    return _days((date(year, month, 1), day) for day, month in pairs if 1 <= month <= 12)


def _days(named: Iterable[tuple[date, int]]) -> list[Window]:
    """The days of months, by the begin of the month and the number; numbers that a month does not have are left out."""
    return [days(day, day) for begin, number in named if (day := day_of(begin, number))]


def _half_month(time: _WrittenTime) -> list[Window]:
    halves = [(begin, begin + timedelta(days=14), begin + STEPS["month"] - DAY) for begin in time.begins()]
    half = time.number("ordinal")
    if half not in (1, 2):
        return []
    return [days(begin, middle) if half == 1 else days(middle + DAY, end) for begin, middle, end in halves]


def _week_of_month(time: _WrittenTime) -> list[Window]:
    place = time.number("ordinal")
    if not place:
        return []
    if time.times.period is Period.WEEK:
        return [span(week, "week") for b in time.begins() for week in _weeks(b, time.times)[place - 1 : place]]
    return [span(begin + timedelta(weeks=place - 1), "week") for begin in time.begins()]


def _part_of_month(time: _WrittenTime) -> list[Window]:
    unit, count = time.unit, count_of(time.part("n"), time.language)
    if unit not in ("day", "week") or count is None:
        return []
    reach = STEPS[unit] * count
    is_first = re.fullmatch(any_of(time.words["first_n"]), time.part("which"), re.IGNORECASE)
    if unit == "week" and time.times.period is Period.WEEK:
        months = [weeks for begin in time.begins() if len(weeks := _weeks(begin, time.times)) >= count]
        runs = [weeks[:count] if is_first else weeks[-count:] for weeks in months]
        return [days(run[0], run[-1] + timedelta(days=6)) for run in runs]
    if is_first:
        return [days(begin, begin + reach - DAY) for begin in time.begins()]
    ends = [begin + STEPS["month"] - DAY for begin in time.begins()]
    return [days(end - reach + DAY, end) for end in ends]


def _weeks(begin: date, times: Times) -> list[date]:
    """The begins of the weekly rows that begin in a month."""
    return row_begins(times, begin, begin + STEPS["month"] - DAY)


def _quarter(time: _WrittenTime) -> list[Window]:
    number = time.number("number") or time.number("ordinal")
    return [span(begin, "quarter") for begin in time.begins(3 * number - 2)] if 1 <= number <= 4 else []


def _half_year(time: _WrittenTime) -> list[Window]:
    number, year = time.number("number") or time.number("ordinal"), time.number("year")
    if not year:  # of the table's last year, if the text says so or the table has only one year
        reach = (time.times.last_day - time.times.start).days
        year = time.times.last_day.year if time.part("said") or reach in _ABOUT_A_YEAR else 0
    if not year or number not in (1, 2):
        return []
    begin = date(year, 6 * number - 5, 1)
    return [days(begin, begin + relativedelta(months=6) - DAY)]


def _week(time: _WrittenTime) -> list[Window]:
    begins = []
    for year in [time.number("year")] if time.part("year") else time.years():
        try:
            begins.append(date.fromisocalendar(year, time.number("number"), 1))
        except ValueError:
            continue
    return [span(begin, "week") for begin in begins]


def _year(time: _WrittenTime) -> list[Window]:
    first, last = time.number("year"), time.number("last") or time.number("year")
    return [days(date(first, 1, 1), date(last, 12, 31))] if first <= last else []


def _weekday(time: _WrittenTime) -> list[Window]:
    number, start = time.words["weekdays"][time.part("weekday")], time.times.start
    if (time.times.last_day - start).days >= 7:
        return [Window(weekdays=(number,))]
    day = start + timedelta(days=(number - start.weekday()) % 7)
    return [days(day, day)]


def _weekdays(numbers: tuple[int, ...], time: _WrittenTime) -> list[Window]:
    return [Window(weekdays=numbers)]


def _outermost(kind: str, time: _WrittenTime) -> list[Window]:
    """ "At the start", "now": the first or the last row; of the table's last year or month, where that is said."""
    row = Window(first=1) if kind == "first_row" else Window(last=1)
    within = span(_begin(time.times.last_day, time.unit), time.unit) if time.part("unit") else None
    if within is None or within.start is None or within.start <= time.times.start:
        return [row]
    return [replace(row, start=within.start, end=within.end)]


def _relative(kind: str, time: _WrittenTime) -> list[Window]:
    last, first, unit = time.times.last_day, time.times.start, time.unit
    count = count_of(time.part("n"), time.language)
    if count is None:
        return []
    if unit == "row":
        return [Window(last=count) if kind in ("last", "last_n") else Window(first=count)]
    if kind in ("yesterday", "today") or (unit == "day" and kind in ("last", "this")):
        day = last - DAY if kind == "yesterday" else last
        return [days(day, day)]
    reach, begin = STEPS[unit] * count, _begin(last, unit)
    this, previous, latest = span(begin, unit), span(begin - STEPS[unit], unit), days(last - reach + DAY, last)
    if kind == "last" and time.part("the"):  # the last week: the last 7 days, or the week that the table ends in
        return [latest, this]
    if kind == "last":  # where the table ends with the week, who writes after it means that one
        return [previous, this] if this.end == last else [previous]
    return {"last_n": [latest], "this": [this]}.get(kind, [days(first, first + reach - DAY)])


def _begin(day: date, unit: str) -> date:
    if unit == "week":
        return day - timedelta(days=day.weekday())
    months = {"month": day.month, "quarter": 3 * ((day.month - 1) // 3) + 1, "year": 1}
    return day.replace(month=months[unit], day=1) if unit in months else day


@dataclass(frozen=True)
class _Notation:
    """How a time is written, and which windows it means; followed by `never_before` it is part of another time."""

    pattern: re.Pattern[str]
    read: Callable[[_WrittenTime], list[Window]]
    never_before: re.Pattern[str] | None = None


@cache
def _notations(language: str) -> list[_Notation]:
    """The notations of times in a language; of equally long matches that of the earlier notation counts."""
    words = lexicon(language).data
    suffix, article, of_or_in = words["ordinal_suffix"], words["article"], f"(?:{words['of_or_in']})"
    units, first_n = any_of(words["periods"]), any_of(words["first_n"])
    unit, month, day = f"(?P<unit>{units})", f"(?P<month>{any_of(_months(language))})", r"(?P<day>\d{1,2})"
    year = r"(?P<year>(?:19|20)\d\d)"
    of_year = rf"(?:{words['of_year']}{year})?"
    quarter = words["quarter_ordinal"].format(ordinal=rf"(?P<ordinal>{WORD}|[1-4]{suffix})")
    half = words["half_ordinal"].format(ordinal=rf"(?P<ordinal>{WORD}|[12]{suffix})")
    weeks = any_of(name for name, period in words["periods"].items() if period == "week")
    not_a_day = rf"(?! ?(?:{words['not_a_day']}|{units}))"
    some_first = rf"(?P<which>{first_n}|{any_of(words['last_n'])}) (?:(?P<n>\d{{1,2}}|\w+) )?"
    in_month = rf"{of_or_in} {month}\b{of_year}"
    dated = {
        rf"{year}-(?P<month>\d\d)(?:-(?P<day>\d\d))?(?![\d-])": _iso,
        rf"(?P<a>\d{{1,2}})(?P<sign>[-/.])(?P<b>\d{{1,2}})(?P=sign){year}(?!\d)": _slashed,
        rf"{day}(?:{suffix})?{words['day_of']} {month}\b\.?{of_year}": _day,
        rf"{month}\b\.? {day}(?!\d|[.,]\d)(?:{suffix})?\b{not_a_day}{of_year}": _day,
        rf"{half}{words['half_of']}{month}\b{of_year}": _half_month,
        rf"{some_first}{unit} {in_month}": _part_of_month,
        rf"(?P<ordinal>{WORD}) (?:{weeks}) {in_month}": _week_of_month,
        rf"{month}\b{of_year}": _month,
        rf"(?:(?:{'|'.join(words['quarter_names'])})(?P<number>[1-4])\b|{quarter}){of_year}": _quarter,
        rf"(?:{half}{words['half_of']}|\bh(?P<number>[12]) ){year}": _half_year,
        rf"{half}(?P<said>{words['of_the_year']})?(?! (?:{words['of']}) )": _half_year,
        rf"(?:{any_of(words['week_number'])}) (?P<number>[1-5]?\d)\b{of_year}": _week,
        rf"{year}(?![\w%]|[.,]\d)": _year,
        rf"{year} ?- ?(?P<last>(?:19|20)\d\d)(?![\w%]|[.,]\d)": _year,
    }
    every_month = any_of({name.lower() for pack in notation_languages() for name in (*pack.months, *pack.short_months)})
    a_month = rf"q\d|(?:{every_month})\b"
    of_time = _compile(rf" {of_or_in} {article}(?:(?:{units}) )?(?:(?:19|20)\d\d|{a_month})")
    a_date = rf"(?:19|20)\d\d(?![\d.,%])|\d{{1,2}}(?:[a-z]*|\.) (?:{every_month})"
    time_follows = _compile(rf" (?:(?:{words['of']}) )?{article}(?:{a_date}|{a_month})")
    number = rf"(?P<n>\d{{1,3}}|{WORD})"
    last_n = any_of([*words["last_n"], *words["previous"]])
    relative = {
        "last_n": (rf"{article}(?:{last_n}) {number} {unit}", of_time),
        "first_n": (rf"{article}(?:{first_n}) {number} {unit}", of_time),
        "first": (rf"(?:{first_n}) {unit}(?! (?:{words['of']})\b)", of_time),
        "last": (rf"(?P<the>{article})(?:{last_n}) {unit}", of_time),
        "this": (rf"(?:{any_of(words['this'])}) {unit}", None),
        "first_row": (rf"(?:{'|'.join(words['first_row'])})", time_follows),
        "last_row": (rf"(?:{'|'.join(words['last_row'])})", time_follows),
        "yesterday": (rf"(?:{any_of(words['yesterday'])})", None),
        "today": (rf"(?:{any_of(words['today'])})", None),
    }
    weekday = rf"(?P<weekday>{any_of(words['weekdays'])}){words['weekday_plural']}"
    together = words["weekdays_together"].items()
    return [
        *(_Notation(_compile(rf"(?<![\w.,/-]){form}"), read) for form, read in dated.items()),
        _Notation(whole_words([weekday]), _weekday),
        *(_Notation(whole_words([name]), partial(_weekdays, tuple(numbers))) for name, numbers in together),
        *(
            _Notation(whole_words([form]), partial(_outermost if kind.endswith("_row") else _relative, kind), never)
            for kind, (form, never) in relative.items()
        ),
    ]


def _compile(form: str) -> re.Pattern[str]:
    return re.compile(form, re.IGNORECASE)


@cache
def _months(language: str) -> dict[str, int]:
    """The names of the months, short and long, and their numbers."""
    known = load_language(language)
    named = {name.lower(): n for names in (known.short_months, known.months) for n, name in enumerate(names, 1)}
    more: dict[str, int] = lexicon(language).data["more_months"]
    return named | more


def days(start: date, end: date) -> Window:
    """From one day to another, both included."""
    return Window(start=start, end=end)


def span(start: date, step: str) -> Window:
    """A day, week, month, quarter or year from its begin."""
    return Window(start=start, end=start + STEPS[step] - DAY)


def row_begins(times: Times, start: date, end: date) -> list[date]:
    """The begins of the weekly rows that begin between two days, both included."""
    first = start + timedelta(days=(times.start - start).days % 7)
    begins = [first + timedelta(weeks=step) for step in range((end - first).days // 7 + 1)]
    return [begin for begin in begins if times.start <= begin <= times.end]


def whole_weeks(window: Window, times: Times | None) -> list[Window]:
    """The weekly rows of a month or more that begin in it, and those with most of their days in it."""
    if times is None or times.period is not Period.WEEK or not (window.start or window.end):
        return [window]
    start, end = window.start or times.start, window.end or times.last_day
    if (end - start).days <= _WEEKS_OF_A_MONTH:
        return [window]
    begins = row_begins(times, start - timedelta(days=6), end)
    of_most = [begin for begin in begins if start <= begin + timedelta(days=3) <= end]
    begun = [begin for begin in begins if start <= begin]
    return [
        replace(window, start=weeks[0], end=weeks[-1] + timedelta(days=6))
        for weeks in dict.fromkeys((tuple(begun), tuple(of_most)))
        if weeks
    ] or [window]


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
