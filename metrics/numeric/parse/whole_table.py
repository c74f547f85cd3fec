"""Words for all rows of a table by their number: "of the 12 weeks", "the five regions", "out of 30 days"."""

import re
from collections.abc import Sequence
from functools import partial

from ....text.numbers import Number, NumeralValue
from ..lexicon import Lexicon, any_of
from ..tables.table import LENGTHS
from ..tables.views import View
from .marks import Mark, with_mark

_HALF_MARGIN = 0.08  # "half" is 46 to 54%
_STEP_UNITS = {"day": "day", "week": "week", "month": "month", "year": "year", "hour": "h"}


def with_whole(kept: list[Mark], text: str, words: Lexicon, view: View) -> list[Mark]:
    """The marks, with words that count all rows as one mark: "across the eight sites" of a table of eight sites."""
    led = re.compile(rf"(?<!\w)(?:{words.data['whole_led']})\s*$", re.IGNORECASE)
    for place, mark in enumerate(kept):
        match = led.search(text[: mark.start])
        if match is None:
            continue
        if _reaches_over_all(mark, view):
            end: int | None = mark.end
        elif mark.number or "all" in mark.kinds:
            end = _counted_until(mark, kept[place + 1 :], text, view)
        else:
            continue
        if end is not None:
            whole = Mark(match.start(), end, text[match.start() : end], frozenset({"whole", "all_rows"}))
            return with_mark(kept, whole)
    return kept


def _reaches_over_all(mark: Mark, view: View) -> bool:
    """Whether "these three years" is as long as the table: within a twelfth."""
    number = mark.number
    if number is None or view.times is None or number.unit not in LENGTHS:
        return False
    days = (view.times.last_day - view.times.start).days + 1
    return abs(days - number.value * LENGTHS[number.unit]) <= days / 12


def with_rates(kept: list[Mark], text: str, words: Lexicon, view: View) -> list[Mark]:
    """The marks, with rates such as "a day" and "per month": of one row, or of several rows, which no statistic has."""
    units = any_of(words.data["periods"])
    pattern = re.compile(
        rf"(?<!\w)(?:{words.data['rate']}) (?P<unit>{units})(?! (?:{words.links.rate_not}))(?!\w)", re.I
    )
    for match in pattern.finditer(text) if view.table.step else ():
        if any(
            m.start < match.end() and match.start() < m.end for m in kept if m.time or m.series or m.cells or m.number
        ):
            continue
        kind = "per_row" if words.data["periods"][match["unit"].lower()] == view.table.step else "per_other"
        if any(match[0].lower() in header.lower() for header in view.table.columns):
            kind = "value_word"  # "EUR 25 a month", where the column is called so
        kept = with_mark(kept, Mark(*match.span(), match[0], frozenset({kind})))
    kept = [_as_half(text, words, mark, kept) for mark in map(partial(_as_rate, text, words), kept)]
    return sorted(kept, key=lambda m: m.start)


def _as_half(text: str, words: Lexicon, mark: Mark, kept: Sequence[Mark]) -> Mark:
    """ "Half of the calls", before a series is named: 50% of it, a part and no comparison."""
    half = re.match(words.data["half_of_all"], text[mark.start :], re.IGNORECASE)
    series = [m for m in kept if m.series]
    if "half" not in mark.kinds or half is None or not series or series[0].start < mark.end:
        return mark
    between = re.compile(words.data["part_of"], re.IGNORECASE)
    end = mark.start + half.end()
    if not between.fullmatch(text[end : series[0].start]):
        return mark
    phrase = text[mark.start : end]
    number = Number(phrase, mark.start, end, (NumeralValue(50.0, 0),), "%", spelled=True, margin=_HALF_MARGIN)
    return Mark(mark.start, end, phrase, number=number)


def _as_rate(text: str, words: Lexicon, mark: Mark) -> Mark:
    """ "Per clinic", where each row is a clinic: the mention of the column is a rate."""
    led = re.search(rf"{words.data['per']}\s*$", text[: mark.start], re.IGNORECASE)
    if led is None or not mark.columns or mark.series or mark.cells:
        return mark
    return Mark(led.start(), mark.end, text[led.start() : mark.end], frozenset({"per_row"}))


def _counted_until(mark: Mark, after: Sequence[Mark], text: str, view: View) -> int | None:
    """The end of the words that say what is counted; None if that is neither the rows nor all texts of a column."""
    rows = (view.whole or view.table).rows
    if mark.number and mark.number.unit is not None:
        counts_all = mark.number.value == rows and mark.number.unit == _STEP_UNITS.get(view.table.step or "")
        return mark.end if counts_all else None
    noun = after[0] if after else None
    if noun is None or text[mark.end : noun.start].strip() or not noun.columns or noun.series:
        return None
    labels = (view.whole or view.table).labels
    counts = {rows, *(labels[column].nunique() for column in noun.columns if column in labels)}
    return noun.end if mark.number is None or mark.number.value in counts else None
