"""Which of the mentioned series a clause is about: no agents, no wholes, no parts of other names."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ....text.numbers import known_unit
from ..lexicon import Lexicon, whole_words
from ..names.column_names import means
from ..tables.table import NumericTable
from ..tables.views import View
from .marks import Mark, as_aside
from .series_narrowing import with_narrowed

_UNFIT = frozenset({"unfit"})
_A_PART = 2  # the rank of a part of a name


def with_roles(kept: list[Mark], text: str, words: Lexicon, view: View) -> list[Mark]:
    """The marks; mentions of series that the clause is not about are marked as read."""
    kept = [_countable(mark, kept, text, words, view.table) for mark in kept]
    kept = with_narrowed(kept, text, words, view.table)
    kept = [as_aside(mark) if _is_clarified(mark, kept) else mark for mark in kept]
    kept = [as_aside(mark) if _is_first_of_compound(mark, kept, text) else mark for mark in kept]
    kept = [as_aside(mark) if _is_place(mark, kept, text, words) else mark for mark in kept]
    kept = [as_aside(mark) if _is_agent(mark, kept, text, words) else mark for mark in kept]
    return [as_aside(mark) if _is_whole_of(mark, kept, text, words, view.table) else mark for mark in kept]


def _countable(mark: Mark, kept: Sequence[Mark], text: str, words: Lexicon, table: NumericTable) -> Mark:
    """A name right after a number is not of a series that is measured: "10,510 repairs" and "repair time (days)"."""
    before = [m for m in kept if m.number and m.number.unit is None and m.end <= mark.start]
    counts = any(not text[m.end : mark.start].strip() for m in before)
    measured = re.search(words.data["measures"], mark.text, re.IGNORECASE)
    if not counts or measured or not mark.series or mark.mention is None:
        return mark
    left = tuple(n for n in mark.mention.names if n.kind != "series" or not _is_measured(table, n.column))
    if not left:
        return replace(mark, mention=None, kinds=_UNFIT)
    return replace(mark, mention=replace(mark.mention, names=left))


def _is_measured(table: NumericTable, series: str) -> bool:
    unit = table.unit_of(series)
    return unit is not None and known_unit(unit) is not None and unit != "h"


def _unambiguous_series(kept: Sequence[Mark]) -> set[str]:
    return {mark.series[0] for mark in kept if len(mark.series) == 1}


def _is_clarified(mark: Mark, kept: Sequence[Mark]) -> bool:
    """Whether another mention decides between the series of an ambiguous one: "tickets" beside "closed"."""
    return len(mark.series) > 1 and bool(set(mark.series) & _unambiguous_series([m for m in kept if m is not mark]))


def _is_first_of_compound(mark: Mark, kept: Sequence[Mark], text: str) -> bool:
    """Whether a part of a name only goes before another: "call" in "the call setup success rate"."""
    if not mark.series or not mark.mention or max(name.rank for name in mark.mention.names) > 2:
        return False
    return any(
        m.series and m.series != mark.series and text[mark.end : m.start] in (" ", "-")
        for m in kept
        if m.start >= mark.end
    )


def _is_place(mark: Mark, kept: Sequence[Mark], text: str, words: Lexicon) -> bool:
    """Whether a part of a name only says where: "528 cars in the garage", beside a column "garage full (min)"."""
    if not mark.series or not mark.mention or max(name.rank for name in mark.mention.names) > _A_PART:
        return False
    led = re.search(rf"(?<!\w)(?:{words.data['placed_in']})\s*$", text[: mark.start], re.IGNORECASE)
    named = any(m.series and m.mention and max(n.rank for n in m.mention.names) > _A_PART for m in kept)
    return led is not None and named


def _is_agent(mark: Mark, kept: Sequence[Mark], text: str, words: Lexicon) -> bool:
    """Whether people only do what another series counts: "employees worked 240 hours of overtime"."""
    if len(mark.series) != 1 or not (means(mark.series[0], "people") or means(mark.series[0], "agents")):
        return False
    others = [m for m in kept if m.series and m.series != mark.series and not all(means(s, "people") for s in m.series)]
    asked = whole_words(words.data["counted_people"]).search(text[: mark.start][-25:])
    part_of = re.compile(rf"\s*|{words.data['part_of']}", re.IGNORECASE)  # "40 employees", "40% of the employees"
    number = any(m.number and part_of.fullmatch(text[m.end : mark.start]) for m in kept if m.end <= mark.start)
    if re.search(rf"{words.data['per']}\s*$", text[: mark.start], re.IGNORECASE):
        return False
    related = any(m.kinds & {"than", "correlation", "ratio", "difference", "outnumbers"} for m in kept)
    return bool(others) and not (asked or number or related)


def _is_whole_of(mark: Mark, kept: Sequence[Mark], text: str, words: Lexicon, table: NumericTable) -> bool:
    """Whether a mention is the whole of a percentage of another series: "86.9% of its calls were resolved"."""
    if len(mark.series) != 1 or table.unit_of(mark.series[0]) == "%":
        return False
    shares = [m for m in kept if m.series and m is not mark and all(table.unit_of(s) == "%" for s in m.series)]
    number = next((m for m in reversed(kept) if m.number and m.number.unit == "%" and m.end <= mark.start), None)
    if not shares or number is None:
        return False
    return re.fullmatch(words.data["part_of"], text[number.end : mark.start], re.IGNORECASE) is not None
