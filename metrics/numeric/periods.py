"""The times that a claim names, as windows of a table: dates, months, quarters, weekdays, "the last 7 days"."""

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from dateutil.relativedelta import relativedelta

from .lexicon import lexicon, whole_words
from .specification import Window
from .table import Period
from .written import notation

DAY = timedelta(days=1)
_FILLER = "\uf8ff"  # masked text keeps its length: a private character a time, then these
_FIRST_MASK = 0xE000
_VERB = re.compile(r"(?:may|march|mar)$")  # "may be"
_BEFORE_MONTH = re.compile(r"(?:in|of|during|since|until|from|to|and|last|this|between|through) $", re.IGNORECASE)
_STEPS = {
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "month": relativedelta(months=1),
    "quarter": relativedelta(months=3),
    "year": relativedelta(years=1),
}


@dataclass(frozen=True, slots=True)
class Times:
    """What the times of a table reach from and to, and how much one row stands for."""

    start: date
    end: date
    period: Period

    @property
    def last_day(self) -> date:
        """The last day of the last row."""
        return self.end + _step(self.period) - DAY


def step_before(day: date, period: Period) -> date:
    """The begin of the period before the one that begins on a day."""
    return day - _step(period)


def _step(period: Period) -> relativedelta:
    return _STEPS["day" if period is Period.MOMENT else period.value]


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A time in a text, `text[start:end]`: what it may mean, the likeliest first; `ends` of "from A to B"."""

    start: int
    end: int
    windows: tuple[Window, ...]
    ends: tuple[Window, Window] | None = None


def find_times(text: str, language: str, times: Times) -> list[NamedTime]:
    """The times that a text names, in order, relative words reckoned from the table's end. They do not overlap."""
    found = _without_overlaps([*_relative(text, language, times), *_atoms(text, language, times)])
    found = _with_bare_days(text, language, found)
    found = _joined(text, language, found)
    return [replace(each, windows=_named(each, text)) for each in found]


def _named(time: NamedTime, text: str) -> tuple[Window, ...]:
    return tuple(dict.fromkeys(replace(window, text=text[time.start : time.end]) for window in time.windows))


def _without_overlaps(found: list[NamedTime]) -> list[NamedTime]:
    kept: list[NamedTime] = []
    for each in sorted(found, key=lambda time: (time.start, -time.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept


# --- times that name themselves ---


@cache
def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    words, known = lexicon(language).data, notation(language)
    month = "|".join(sorted([*known["months"], *known["short_months"], "sept", "mar"], key=len, reverse=True))
    ordinals = "|".join(words["ordinals"])
    suffix = words["ordinal_suffix"]
    quarter = words["quarter_ordinal"].format(ordinal=rf"(?P<ordinal>{ordinals}|[1-4]{suffix})")
    half = words["half_ordinal"].format(ordinal=rf"(?P<ordinal>{ordinals}|[12]{suffix})")
    of = r"(?:,? (?:of |van |in )?(?:het jaar )?(?P<year>(?:19|20)\d\d))?"
    names = "|".join(words["quarter_names"])
    forms = {
        "iso": r"(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)(?:-(?P<day>\d\d))?(?![\d-])",
        "slashed": r"(?P<a>\d{1,2})(?P<sign>[-/.])(?P<b>\d{1,2})(?P=sign)(?P<year>(?:19|20)\d\d)(?!\d)",
        "day_month": rf"(?P<day>\d{{1,2}})(?:{suffix})?(?: of)? (?P<name>{month})\b\.?{of}",
        "month_day": rf"(?P<name>{month})\b\.? (?P<day>\d{{1,2}})(?!\d|[.,]\d)(?:{suffix})?\b{of}",
        "half_month": rf"{half} (?:of|van) (?P<name>{month})\b{of}",
        "first_of_month": rf"(?P<which>{_any(words['first_n'])}|{_any(words['last_n'])}) (?:(?P<n>\d{{1,2}}|\w+) )?"
        rf"(?P<unit>{_any(list(words['periods']))}) (?:of|van|in) (?P<name>{month})\b{of}",
        "week_of_month": rf"(?P<ordinal>{ordinals}) week (?:of|van|in) (?P<name>{month})\b{of}",
        "month": rf"(?P<name>{month})\b{of}",
        "quarter": rf"(?:(?:{names})(?P<number>[1-4])\b|{quarter}){of}",
        "half_year": rf"(?:{half} (?:of|van) |\bh(?P<number>[12]) )(?P<year>(?:19|20)\d\d)",
        "week": rf"(?:{_any(words['week_number'])}) (?P<number>[1-5]?\d)\b{of}",
        "year": r"(?P<year>(?:19|20)\d\d)(?![\w%]|[.,]\d)",
    }
    return {kind: re.compile(rf"(?<![\w.,/-]){form}", re.IGNORECASE) for kind, form in forms.items()}


def _any(words: list[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


def _atoms(text: str, language: str, times: Times) -> list[NamedTime]:
    found = []
    for kind, pattern in _patterns(language).items():
        for match in pattern.finditer(text):
            if kind == "month" and _VERB.match(match[0]) and not _BEFORE_MONTH.search(text[: match.start()]):
                continue
            if windows := _windows(kind, match, language, times):
                found.append(NamedTime(*match.span(), tuple(windows)))
    words = lexicon(language).data
    for weekday, number in words["weekdays"].items():
        pattern = re.compile(rf"(?<!\w){weekday}s?(?!\w)", re.IGNORECASE)
        found += [NamedTime(*match.span(), tuple(_weekday(number, times))) for match in pattern.finditer(text)]
    for name, numbers in words["weekdays_together"].items():
        days = (Window(weekdays=tuple(numbers)),)
        found += [NamedTime(*match.span(), days) for match in whole_words([name]).finditer(text)]
    return found


def _weekday(number: int, times: Times) -> list[Window]:
    if (times.last_day - times.start).days < 7:
        day = times.start + timedelta(days=(number - times.start.weekday()) % 7)
        return [_days(day, day)]
    return [Window(weekdays=(number,))]


def _windows(kind: str, match: re.Match[str], language: str, times: Times) -> list[Window]:
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else None
    if kind in _OF_MONTH:
        month = _month(parts["name"], language)
        return _OF_MONTH[kind]([date(y, month, 1) for y in _years(year, month, times)], parts, language)
    if kind in ("iso", "slashed"):
        return _written_days(kind, parts, language)
    if kind == "week":
        return [w for y in ([year] if year else _table_years(times)) if (w := _iso_week(y, int(parts["number"])))]
    if kind == "year":
        return [_span(date(year or 1, 1, 1), "year")]
    number = int(parts["number"] or 0) or _ordinal(parts["ordinal"], language)
    if kind == "quarter":
        return [_span(date(y, 3 * number - 2, 1), "quarter") for y in _years(year, 3 * number - 2, times)]
    begin = date(year or 1, 6 * number - 5, 1)
    return [_days(begin, begin + relativedelta(months=6) - DAY)] if number <= 2 else []


_Parts = dict[str, str | None]


def _whole_month(begins: list[date], parts: _Parts, language: str) -> list[Window]:
    windows = [_span(begin, "month") for begin in begins]
    return [*windows, Window(months=(begins[0].month,))] if len(windows) > 1 else windows


def _day_in_month(begins: list[date], parts: _Parts, language: str) -> list[Window]:
    return [_days(day, day) for begin in begins if (day := _day_of(begin, int(parts["day"] or 0)))]


def _half_of_month(begins: list[date], parts: _Parts, language: str) -> list[Window]:
    return [_half(begin, _ordinal(parts["ordinal"], language)) for begin in begins]


def _week_of_month(begins: list[date], parts: _Parts, language: str) -> list[Window]:
    days = 7 * (_ordinal(parts["ordinal"], language) - 1)
    return [_days(begin + timedelta(days=days), begin + timedelta(days=days + 6)) for begin in begins]


def _part_of_month(begins: list[date], parts: _Parts, language: str) -> list[Window]:
    words = lexicon(language).data
    unit = words["periods"].get((parts["unit"] or "").lower())
    count = _count(parts["n"], language)
    if unit not in ("day", "week") or count is None:
        return []
    reach = _STEPS[unit] * count
    if re.fullmatch(_any(words["first_n"]), parts["which"] or "", re.IGNORECASE):
        return [_days(begin, begin + reach - DAY) for begin in begins]
    ends = [begin + _STEPS["month"] - DAY for begin in begins]
    return [_days(end - reach + DAY, end) for end in ends]


_OF_MONTH = {
    "month": _whole_month,
    "day_month": _day_in_month,
    "month_day": _day_in_month,
    "half_month": _half_of_month,
    "week_of_month": _week_of_month,
    "first_of_month": _part_of_month,
}


def _written_days(kind: str, parts: _Parts, language: str) -> list[Window]:
    year = int(parts["year"] or 0)
    if kind == "iso" and not parts["day"]:
        month = int(parts["month"] or 0)
        return [_span(date(year, month, 1), "month")] if 1 <= month <= 12 else []
    if kind == "iso":
        pairs = [(int(parts["day"] or 0), int(parts["month"] or 0))]
    else:
        a, b = int(parts["a"] or 0), int(parts["b"] or 0)
        pairs = [(a, b)] if language == "nl" or parts["sign"] != "/" else [(a, b), (b, a)]
    days = [day for d, m in dict.fromkeys(pairs) if 1 <= m <= 12 and (day := _day_of(date(year, m, 1), d))]
    return [_days(day, day) for day in days]


def _half(begin: date, which: int) -> Window:
    middle = begin + timedelta(days=14)
    return _days(begin, middle) if which == 1 else _days(middle + DAY, begin + _STEPS["month"] - DAY)


def _years(year: int | None, month: int, times: Times) -> list[int]:
    """The years in which the table has this month; its last year where it has none."""
    if year:
        return [year]
    begun = [y for y in _table_years(times) if (times.start.year, times.start.month - 2) <= (y, month)]
    inside = [y for y in begun if times.start.replace(day=1) <= date(y, month, 1) <= times.end]
    return inside[::-1] or [times.end.year]


def _table_years(times: Times) -> list[int]:
    return list(range(times.start.year, times.last_day.year + 1))


def _days(start: date, end: date) -> Window:
    return Window(start=start, end=end)


def _span(start: date, step: str) -> Window:
    return Window(start=start, end=start + _STEPS[step] - DAY)


def _day_of(begin: date, day: int) -> date | None:
    try:
        return begin.replace(day=day)
    except ValueError:
        return None


def _iso_week(year: int, week: int) -> Window | None:
    try:
        begin = date.fromisocalendar(year, week, 1)
    except ValueError:
        return None
    return _days(begin, begin + timedelta(days=6))


def _month(name: str | None, language: str) -> int:
    known = notation(language)
    lowered = (name or "").lower().rstrip(".")
    for names in (known["months"], known["short_months"]):
        if lowered in names:
            return int(names.index(lowered)) + 1
    return {"sept": 9, "mar": 3}[lowered]


def _ordinal(text: str | None, language: str) -> int:
    lowered = (text or "").lower()
    number = re.match(r"\d+", lowered)
    return int(number[0]) if number else int(lexicon(language).data["ordinals"][lowered])


def _count(text: str | None, language: str) -> int | None:
    from .numbers import parse_number

    if not text:
        return 1
    number = parse_number(text, language)
    return int(number.value) if number and number.value == int(number.value) and not number.unit else None


# --- times that are reckoned from the table's end or begin ---


@cache
def _relative_patterns(language: str) -> dict[str, re.Pattern[str]]:
    words = lexicon(language).data
    unit = f"(?P<unit>{_any(list(words['periods']))})"
    number = r"(?P<n>\d{1,3}|[a-zé]+)"
    forms = {
        "last_n": rf"(?:the |de |het )?(?:{_any([*words['last_n'], *words['previous']])}) {number} {unit}",
        "first_n": rf"(?:the |de |het )?(?:{_any(words['first_n'])}) {number} {unit}",
        "first": rf"(?:{_any(words['first_n'])}) {unit}(?! (?:of|van))",
        "last": rf"(?P<the>the |de |het )?(?P<word>{_any([*words['previous'], *words['last_n']])}) {unit}",
        "this": rf"(?:{_any(words['this'])}) {unit}",
        "yesterday": rf"(?:{_any(words['yesterday'])})",
        "today": rf"(?:{_any(words['today'])})",
    }
    return {kind: re.compile(rf"(?<!\w){form}(?!\w)", re.IGNORECASE) for kind, form in forms.items()}


def _relative(text: str, language: str, times: Times) -> list[NamedTime]:
    found = []
    for kind, pattern in _relative_patterns(language).items():
        for match in pattern.finditer(text):
            parts = match.groupdict()
            unit = lexicon(language).data["periods"].get((parts.get("unit") or "").lower(), "day")
            count = _count(parts.get("n"), language)
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
        return [_days(day, day)]
    reach = _STEPS[unit] * count
    this = _span(begin, unit)
    previous = _span(begin - _STEPS[unit], unit)
    if kind in ("first", "first_n"):
        windows = [_days(first, first + reach - DAY)]
    elif kind == "last_n":
        windows = [_days(last - reach + DAY, last)]
    elif kind == "this":
        windows = [this]
    elif parts.get("the"):  # the last week: the last 7 days, or the week that the table ends in
        windows = [_days(last - reach + DAY, last), this]
    else:  # where the table ends with the week, who writes after it means that one
        windows = [previous, this] if this.end == last else [previous]
    return windows


def _begin(day: date, unit: str) -> date:
    if unit == "week":
        return day - timedelta(days=day.weekday())
    if unit == "month":
        return day.replace(day=1)
    if unit == "quarter":
        return date(day.year, 3 * ((day.month - 1) // 3) + 1, 1)
    return day.replace(month=1, day=1) if unit == "year" else day


# --- from one time to another ---


@cache
def _joins(language: str) -> list[tuple[str, re.Pattern[str]]]:
    words = lexicon(language).data
    a, b = rf"(?P<a>[\ue000-\uf000]){_FILLER}*", rf"(?P<b>[\ue000-\uf000]){_FILLER}*"
    the = "(?:the |de |het )?"
    forms = [(kind, form) for kind in ("from_to", "since", "after", "before", "until") for form in words[kind]]
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
            if window.start and window.start == window.end and (day := _day_of(window.start, int(match["day"]))):
                extra.append(NamedTime(match.start("day"), match.end("day"), (_days(day, day),)))
    return sorted([*found, *extra], key=lambda time: time.start)


def _joined(text: str, language: str, found: list[NamedTime]) -> list[NamedTime]:
    for kind, pattern in _joins(language):
        masked = _mask(text, found)
        for match in pattern.finditer(masked):
            parts = [found[ord(match[name]) - _FIRST_MASK] for name in ("a", "b") if name in match.groupdict()]
            windows = _between(kind, parts, "tot " in match[0] and "tot en met" not in match[0] and language == "nl")
            if windows:
                dated = kind == "from_to" and windows[0].start is not None
                ends = (parts[0].windows[0], parts[-1].windows[0]) if dated else None
                whole = NamedTime(match.start(), match.end(), windows, ends)
                rest = [each for each in found if each not in parts]
                return _joined(text, language, sorted([*rest, whole], key=lambda time: time.start))
    return found


def _between(kind: str, parts: list[NamedTime], maybe_before: bool) -> tuple[Window, ...]:
    first, last = parts[0].windows[0], parts[-1].windows[0]
    if kind == "from_to" and len(first.weekdays) == len(last.weekdays) == 1:
        days = (last.weekdays[0] - first.weekdays[0]) % 7 + 1
        return (Window(weekdays=tuple(sorted((first.weekdays[0] + day) % 7 for day in range(days)))),)
    if first.start is None or first.end is None or last.start is None or last.end is None:
        return ()
    before = [Window(end=first.start - DAY)]
    if kind == "from_to":
        excluded = [Window(start=first.start, end=last.start - DAY)] if maybe_before else []
        windows = [Window(start=first.start, end=last.end), *excluded] if first.start <= last.end else []
    elif kind == "until":
        windows = [Window(end=first.end), *(before if maybe_before else [])]
    else:
        after = Window(start=first.start) if kind == "since" else Window(start=first.end + DAY)
        windows = before if kind == "before" else [after]
    return tuple(windows)
