"""The same part of another year: "the same quarter of 2023", "a year earlier", "dezelfde maand vorig jaar"."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache

from dateutil.relativedelta import relativedelta

from ..lexicon import Lexicon, any_of, lexicon
from ..specification import ALL_ROWS, Window
from ..tables.table import DAY, STEPS, NamedTime, Times
from ..times.calendar_times import count_of
from .marks import Mark


def times_of_same_period(
    text: str, words: Lexicon, times: Times, kept: Sequence[Mark], scope: Sequence[Window]
) -> Iterator[Mark]:
    """The times of phrases such as "the same quarter of 2023"; where the time is open, a mark that no reading uses."""
    same, before = _patterns(words.language)
    for match in same.finditer(text):
        unit = words.data["periods"].get(match["unit"].lower())
        led = re.search(rf"(?<!\w)(?:{words.data['same_led']}) $", text[: match.start()], re.IGNORECASE)
        named, end = _year_after(text, match.end(), kept, words)
        step = before.match(text, match.end()) if named is None else None
        count = _count(step["n"], words) if step else 0
        others = [m for m in kept if m.time and (m.end <= match.start() or max(end, match.end()) <= m.start)]
        bases = base_windows(match.start(), others, scope)
        if named is not None or count:
            years = [(named - w.start.year if named else -count, w) for w in bases if w.start]
            moved = [shift_years(w, by) for by, w in years if by and _is_of(w, unit)]
            stop = end if named is not None else step.end() if step else match.end()
            if moved:
                yield Mark(match.start(), stop, text[match.start() : stop], time=_time(match.start(), stop, moved))
                continue
        if unit is None and led is None and named is None and not count:
            continue  # "at the same time"
        alone = led and named is None and not step and not others and any(w != ALL_ROWS for w in scope)
        kind = "that_time" if alone else "same_time"
        yield Mark(*match.span(), match[0], frozenset({kind}))


def times_of_year_before(
    text: str, words: Lexicon, times: Times, kept: Sequence[Mark], scope: Sequence[Window]
) -> Iterator[Mark]:
    """ "In February 2024 ... than in February of the previous year": reckoned from the other time."""
    _, before = _patterns(words.language)
    for mark in kept:
        step = before.match(text, mark.end) if mark.time and not re.search(r"\d{4}", mark.text) else None
        others = [m for m in kept if m.time and step and (m.end <= mark.start or step.end() <= m.start)]
        named = mark.time.windows[0] if mark.time else ALL_ROWS
        bases = [w for w in base_windows(mark.start, others, scope) if w.start] if step else []
        if step is None or not bases or bases[0].start is None or named.start is None or not is_within(named, "year"):
            continue
        year = bases[0].start.year - _count(step["n"], words)
        moved = shift_years(named, year - named.start.year)
        yield Mark(mark.start, step.end(), text[mark.start : step.end()], time=_time(mark.start, step.end(), [moved]))


def _time(start: int, end: int, windows: list[Window]) -> NamedTime:
    return NamedTime(start, end, tuple(dict.fromkeys(windows)))


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = lexicon(language).data
    unit = f"(?P<unit>{any_of([*words['periods'], *words['same_units']])})"
    same = rf"(?<!\w)(?:{words['same_words']}) {unit}(?!\w)"
    return re.compile(same, re.IGNORECASE), re.compile(rf"(?:{words['years_before']})(?!\w)", re.IGNORECASE)


def _count(word: str | None, words: Lexicon) -> int:
    return 1 if word is None or word.lower() in words.articles else count_of(word, words.language) or 0


def _year_after(text: str, end: int, kept: Sequence[Mark], words: Lexicon) -> tuple[int | None, int]:
    """The year that is named right after, and where it ends."""
    for mark in kept:
        between = text[end : mark.start] if mark.start >= end else "-"
        if mark.time and re.fullmatch(rf" (?:(?:{words.links.year_led}) )?{words.data['article']}", between):
            window = mark.time.windows[0]
            if window.start and window.end == window.start + STEPS["year"] - DAY:
                return window.start.year, mark.end
    return None, end


def base_windows(start: int, others: Sequence[Mark], scope: Sequence[Window]) -> list[Window]:
    """What the nearest of the other times means; without others, the windows of the text before."""
    near = sorted(others, key=lambda m: (m.end > start, abs(m.start - start)))
    if near and near[0].time:
        return list(near[0].time.windows)
    return [window for window in scope if window != ALL_ROWS]


def _is_of(window: Window, unit: str | None) -> bool:
    """Whether a window is one unit of time; if the unit is unclear ("the same period"), any part of a year."""
    if window.start is None or window.end is None or window.weekdays or window.first or window.last:
        return False
    if unit in STEPS:
        return bool(window.end == window.start + STEPS[unit] - DAY) and unit != "year"
    return is_within(window, "year")


def is_within(window: Window, unit: str) -> bool:
    """Whether a window has both ends and is shorter than a unit of time."""
    return bool(window.start and window.end and window.end < window.start + STEPS[unit] - DAY)


def shift_years(window: Window, years: int) -> Window:
    """The same days so many years later; a month that ends with its last day still does."""
    assert window.start is not None and window.end is not None  # dated windows are shifted
    return Window(start=_shift_day(window.start, years), end=_shift_day(window.end + DAY, years) - DAY)


def _shift_day(day: date, years: int) -> date:
    moved: date = day + relativedelta(years=years)
    return moved
