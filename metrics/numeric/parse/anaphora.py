"""Times that depend on another time: "a day later", "the month before", "over the month", "the last" week."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache

from ..lexicon import Lexicon, any_of, lexicon
from ..specification import Window
from ..tables.table import DAY, LENGTHS, STEPS, NamedTime, Times
from ..tables.views import View
from ..times.calendar_times import WORD, count_of, days, ordinal_of, span
from ..times.periods import find_times
from .marks import Mark, with_mark
from .same_period import base_windows, is_within, shift_years, times_of_same_period, times_of_year_before

_SHARE_OF_UNIT = (0.8, 1.05)  # how much of a month the dates have to reach over to be "the month"


def with_relative_times(kept: list[Mark], text: str, words: Lexicon, view: View, scope: Sequence[Window]) -> list[Mark]:
    """The marks, with the times that depend on another time of the clause or of the text before."""
    if view.times is None:
        return kept
    for find in (_whole_unit, _adjectives, times_of_same_period, times_of_year_before, _elided, _steps):
        for new in find(text, words, view.times, kept, scope):
            kept = with_mark(kept, new)
    return kept


@cache
def _patterns(language: str, kind: str) -> re.Pattern[str]:
    words = lexicon(language).data
    unit = f"(?P<unit>{any_of(list(words['periods']))})"
    forms = [form.replace("{unit}", unit, 1) for form in words[kind]]
    # a named group may stand once in an expression: each form has its own
    joined = "|".join(
        re.sub(r"\?P<(\w+)>", rf"?P<\1_{number}>", f"(?:{form})")
        for number, form in enumerate(sorted(forms, key=len, reverse=True))
    )
    return re.compile(rf"(?<!\w)(?:{joined})(?!\w)", re.IGNORECASE)


def _parts(match: re.Match[str]) -> dict[str, str]:
    return {name.rpartition("_")[0]: part for name, part in match.groupdict().items() if part}


def _unit(match: re.Match[str], words: Lexicon) -> str:
    return str(words.data["periods"].get(_parts(match).get("unit", "").lower(), "row"))


def _whole_unit(
    text: str, words: Lexicon, times: Times, kept: Sequence[Mark], scope: Sequence[Window]
) -> Iterator[Mark]:
    """ "Over the month", of dates that reach over about a month: all rows, or those of the text before."""
    for match in _patterns(words.language, "the_unit").finditer(text):
        unit = _unit(match, words)
        if unit not in LENGTHS or any(m.start <= match.start() < m.end for m in kept if m.time or "others" in m.kinds):
            continue
        if any(spans_about(window.start, window.end, unit) for window in scope):
            yield Mark(*match.span(), match[0], frozenset({"whole", "trend"}))
        elif spans_about(times.start, times.last_day, unit):
            yield Mark(*match.span(), match[0], frozenset({"whole", "trend", "all_rows"}))


def spans_about(start: date | None, end: date | None, unit: str) -> bool:
    """Whether the days from `start` to `end` are about as long as a unit of time."""
    if unit not in LENGTHS:
        return False
    if start is None or end is None:
        return False
    length = (end - start + DAY).days / LENGTHS[unit]
    return _SHARE_OF_UNIT[0] <= length <= _SHARE_OF_UNIT[1]


def _adjectives(
    text: str, words: Lexicon, times: Times, kept: Sequence[Mark], scope: Sequence[Window]
) -> Iterator[Mark]:
    """ "The annual revenue" over twelve months: of all rows; "the weekly calls" of weekly rows says nothing."""
    for adjective, unit in words.data["unit_adjectives"].items():
        for match in re.finditer(rf"(?<!\w){adjective}(?!\w)", text, re.IGNORECASE):
            if any(m.start <= match.start() < m.end for m in kept if m.mention or m.time):
                continue
            if unit == times.period.value:
                yield Mark(*match.span(), match[0], frozenset({"aside"}))
            elif spans_about(times.start, times.last_day, unit):
                yield Mark(*match.span(), match[0], frozenset({"whole", "all_rows"}))
            else:
                yield Mark(*match.span(), match[0], frozenset({"per_other"}))


def _elided(text: str, words: Lexicon, times: Times, kept: Sequence[Mark], scope: Sequence[Window]) -> Iterator[Mark]:
    """ "The last" after "in the first week", "in the fourth" after "in the first quarter"."""
    last = any_of(words.data["last_n"])

    def is_which(word: str) -> bool:
        return re.fullmatch(last, word, re.I) is not None or ordinal_of(word, words.language) is not None

    bare = re.compile(
        rf"(?P<the>{words.links.the_word}) (?P<which>{last}|{WORD})"
        rf"(?: (?:{words.links.one_word})| (?P<n>[a-z]+|\d{{1,2}}))?"
        rf"(?=\s*(?:[.,;:)]|$|(?:{any_of(words.data['after_elided'])})\b))",
        re.I,
    )
    unit = re.compile(rf"(?<!\w)(?:{any_of(list(words.data['periods']))})(?!\w)", re.IGNORECASE)
    for match in bare.finditer(text):
        if not is_which(match["which"]) or any(m.time and m.start <= match.start("which") < m.end for m in kept):
            continue
        before = [m.text for m in kept if m.time and m.end <= match.start()] or [w.text for w in scope if w.text]
        for full_form in before[-1:]:
            units = unit.findall(full_form)
            if match["n"]:  # "in the first two weeks and in the last two"
                counted = units and count_of(match["n"], words.language)
                whole = f"{match['which']} {match['n']} {units[-1]}" if counted else ""
            else:
                pieces = re.split(rf"(?<!\w)({last}|{WORD})(?!\w)", full_form, flags=re.I)
                whole = "".join(match["which"] if is_which(piece) else piece for piece in pieces)
            whole = whole if whole.lower().startswith(match["the"].lower()) else f"{match['the']} {whole}"
            named = find_times(whole, words.language, times) if whole.lower() != full_form.lower() else []
            if len(named) == 1:
                yield Mark(*match.span(), match[0], time=NamedTime(*match.span(), named[0].windows))


def _steps(text: str, words: Lexicon, times: Times, kept: Sequence[Mark], scope: Sequence[Window]) -> Iterator[Mark]:
    """ "A day later", "the month before": a step from the nearest time of the clause, else of the text before."""
    for kind, forward in (("step_after", True), ("step_before", False)):
        for match in _patterns(words.language, kind).finditer(text):
            n = _parts(match).get("n", "").lower()
            unit, count = (_unit(match, words), 1 if n in words.articles else count_of(n, words.language))
            inside = any(m.time and m.start < match.start() and match.end() <= m.end for m in kept)
            if unit not in STEPS or count is None or inside:
                continue
            others = [m for m in kept if m.time and (m.end <= match.start() or match.end() <= m.start)]
            bases = base_windows(match.start(), others, scope)
            moved = [window for base in bases if (window := _stepped(base, unit, count, forward=forward))]
            if moved:
                yield Mark(*match.span(), match[0], time=NamedTime(*match.span(), tuple(moved)))
                continue
            free = not any(m.time and m.start < match.end() and match.start() < m.end for m in kept)
            if free and not bases and not match[0].lower().endswith(" on"):  # "120 calls a day on average"
                yield Mark(*match.span(), match[0], frozenset({"undatable_time"}))


def _stepped(base: Window, unit: str, count: int, *, forward: bool) -> Window | None:
    """The time so many units after a time, or before it; None where the time is no such unit."""
    if base.start is None or base.end is None:
        return None
    step = count if forward else -count
    if unit == "year" and is_within(base, unit):
        return shift_years(base, step)  # "in March ... than a year earlier"
    if unit == "day":
        day = (base.end if forward else base.start) + step * DAY
        return days(day, day)
    return span(base.start + STEPS[unit] * step, unit) if _is_one(base, unit) else None


def _is_one(window: Window, unit: str) -> bool:
    """Whether a window is one such unit ("March" is a month)."""
    return window.start is not None and window.end == window.start + STEPS[unit] - DAY
