"""Constructions of parts of a whole: "30% of the calls", "5% of A were B", "the cost per employee"."""

import re

from ....text.numbers import known_unit
from ..names.column_names import means
from ..specification import ALL_ROWS, Specification, Statistic, Window
from .checks import can_be_summed, check, series_of, specify, value_fields, values_of
from .clause import Clause, is_window_within
from .construction import (
    ANY,
    ClauseReading,
    Construction,
    ConstructionMatch,
    Slot,
    number,
    places,
    series,
    value,
    words,
)
from .marks import Mark
from .places import contains_time, is_pair_of_rows


def _percentages(clause: Clause) -> list[Mark]:
    return [mark for mark in values_of(clause) if mark.number and mark.number.unit == "%"]


def _share(match: ConstructionMatch) -> ClauseReading | None:
    named, share_words = match["series"], match["share"]
    if len(named) == 2:
        return None if share_words else _part_of_another(match)
    made = _part_of_series(match) if named else None
    return made or (_share_of_whole(match) if share_words else None)


def _share_of_whole(match: ConstructionMatch) -> ClauseReading | None:
    clause, names = match.clause, series_of(match.clause)
    windows = clause.windows(clause.times, clause.cells)
    if not names or not windows or windows == [ALL_ROWS] or is_pair_of_rows(clause):
        return None
    return ClauseReading((check(specify(Statistic.SHARE, names, windows, **value_fields(match.one("percentage")))),))


def _part_of_series(match: ConstructionMatch) -> ClauseReading | None:
    clause, mark, named = match.clause, match.one("percentage"), match.one("series")
    if not (clause.times or clause.cells):
        return None
    if not all(_is_of_parts(clause, name) for name in named.series) or named.start < mark.end:
        return None
    if not _is_part_of(clause, mark, named):
        return None
    windows = clause.windows(clause.times, clause.cells)
    outer = _outer(clause)
    specifications = []
    for whole in clause.windows(outer, []) if outer else [ALL_ROWS]:
        inside = [window for window in windows if whole == ALL_ROWS or is_window_within(window, whole)]
        specifications += _shares((named, named), inside, whole, mark)
    return ClauseReading((check(specifications),))


def _part_of_another(match: ConstructionMatch) -> ClauseReading | None:
    clause, mark = match.clause, match.one("percentage")
    parts = _part_and_whole(clause, mark, match["series"])
    if parts is None:
        return None
    names = {name for named in match["series"] for name in named.series}
    units = {known_unit(clause.table.units.get(name, "")) for name in names}
    if len(units) != 1 or not all(_is_of_parts(clause, name) for name in names):
        return None
    windows = clause.windows(clause.times, clause.cells)
    return ClauseReading((check([made for window in windows for made in _shares(parts, [window], window, mark)]),))


def _part_and_whole(clause: Clause, mark: Mark, named: tuple[Mark, ...]) -> tuple[Mark, Mark] | None:
    """Which is the part: "5% of B were A", "A were 5% of B", "of all B 5% were A"."""
    first, second = named
    if mark.end <= first.start:
        return (second, first) if _is_part_of(clause, mark, first) else None
    if second.end <= mark.start:
        return None
    if _is_part_of(clause, mark, second):
        return first, second
    led = re.search(rf"^{clause.words.data['part_of_led']}$", clause.text[: first.start], re.IGNORECASE)
    return (second, first) if led else None


def _is_part_of(clause: Clause, mark: Mark, whole: Mark) -> bool:
    """Whether a number is a part of a series: "5% of the calls", "one in five calls"."""
    between = clause.text[mark.end : whole.start]
    one_in = mark.number is not None and mark.number.margin is not None and len(mark.number.text.split()) > 2
    return re.fullmatch(clause.words.data["part_of"], between, re.IGNORECASE) is not None or (one_in and between == " ")


def _is_of_parts(clause: Clause, name: str) -> bool:
    """Whether the values of a series are parts of a whole: amounts per period, counts, people by place."""
    by_place = clause.view.times is None and means(name, "people")
    return by_place or can_be_summed(clause, name)


def _outer(clause: Clause) -> list[Mark]:
    """The times of the whole: the one that contains the others, or all of them if cells name the part."""
    if clause.cells:
        return clause.times
    return [
        mark for mark in clause.times if any(contains_time(mark, other) for other in clause.times if other is not mark)
    ]


def _shares(parts: tuple[Mark, Mark], windows: list[Window], outer: Window, mark: Mark) -> list[Specification]:
    return [
        Specification(Statistic.SHARE, part, window, compared_with=whole, compared_window=outer, **value_fields(mark))  # type: ignore[arg-type]
        for part in parts[0].series
        for whole in parts[1].series
        for window in windows
    ]


def _per_each(match: ConstructionMatch) -> ClauseReading | None:
    clause, mark = match.clause, match.one("value")
    first, second = match["series"]
    also: tuple[Mark, ...] = ()
    (per,) = match["per"]
    if per.end <= first.start and not clause.text[per.end : first.start].strip() and first.end <= mark.start:
        first, second = second, first  # "for every refund there were 16 sign-ups"
        also = tuple(m for m in clause.marks_of("all") if m.end <= second.start)
    elif not first.end <= per.start < second.start or len(clause.text[first.end : second.start].split()) > 3:
        return None
    windows = clause.windows(clause.times, clause.cells)
    specifications = [
        Specification(Statistic.RATIO, name, window, compared_with=other, side_statistic=inner, **value_fields(mark))  # type: ignore[arg-type]
        for inner in ((None, Statistic.SUM) if windows == [ALL_ROWS] else (None,))
        for name in first.series
        for other in second.series
        for window in windows
    ]
    return ClauseReading((check(specifications),), also)


def _per(clause: Clause) -> list[Mark]:
    """The "per" of "the cost per employee", "for each" and the like."""
    return [Mark(*m.span(), m[0]) for m in re.finditer(clause.words.data["per"], clause.text, re.IGNORECASE)]


_PERCENTAGE = Slot("percentage", _percentages)

CONSTRUCTIONS = (
    Construction(
        "share",
        (_PERCENTAGE, words("share", least=0, most=ANY)),
        (number(), series(0, 2), places()),
        ("sum", "all", "count", "whole"),
        _share,
    ),
    Construction(
        "per_each", (Slot("per", _per),), (value(), series(2, 2), places()), ("mean", "count", "per_row"), _per_each
    ),
)
