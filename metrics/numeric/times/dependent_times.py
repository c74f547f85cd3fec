"""Times that depend on another time or on the table: "a day later", "the same quarter of 2023", "over the month"."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from dateutil.relativedelta import relativedelta

from ..lexicon import Lexicon, any_of, lexicon
from ..parse.marks import Mark
from ..specification import ALL_ROWS, Window
from ..tables.table import DAY, LENGTHS, STEPS, NamedTime, Period, Times
from .calendar_times import WORD, count_of, ordinal_of, span, times_by_name, with_units
from .compound_times import find_times

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
