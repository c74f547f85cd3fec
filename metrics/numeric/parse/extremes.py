"""Constructions of what is out of the ordinary: the highest, where it was, the second highest, ranges, anomalies."""

import re

from ..names.column_names import polarity
from ..specification import ALL_ROWS, PLACE_OF, Direction, Hedge, Statistic, Window
from .clause import Clause, contains_time, has_several, is_one_named_row, is_other_window, is_row
from .construction import (
    ANY,
    VALUES,
    ClauseCheck,
    ClauseReading,
    ConstructionMatch,
    Slot,
    as_one_check,
    can_describe,
    check,
    construction,
    earlier_check,
    specify,
    value_fields,
)
from .marks import BOUNDS, Mark

_MORE, _LESS = frozenset({"maximum", "best"}), frozenset({"minimum", "worst"})
_MORE_THAN, _LESS_THAN = frozenset({"higher", "above"}), frozenset({"lower", "below"})


def _extremes(clause: Clause) -> list[Mark]:
    """The words for an extreme; "more than any other" is one."""
    extremes = clause.marks_of(*_MORE, *_LESS)
    return extremes or (clause.marks_of(*_MORE_THAN, *_LESS_THAN) if clause.marks_of("any_other") else [])


@construction(Slot("extreme", _extremes), Slot.value(0, 1), optional="first all count per_row column")
def _extreme(match: ConstructionMatch) -> ClauseReading | None:
    clause, word, numbers, names = match.clause, match.one("extreme"), match["value"], match.names
    up = _is_up(word, names)
    if up is None or not _can_be_of(clause, word, names):
        return None
    rank, ordinal = _ordinal(clause, word)
    placed, inside = _places(clause, word, numbers[0] if numbers else None)
    if inside and not placed and clause.cells and is_one_named_row(clause):
        placed, inside = inside, []  # "lowest in Linden, at 12%": of one row there is no lowest
    windows, spots = clause.windows(inside), clause.windows(placed) if placed else []
    also = ordinal
    if clause.marks_of("any_other"):
        if numbers:
            return None  # ", more than any other" says where, and the number before it is a check of its own
        windows = windows if inside else [ALL_ROWS]
        earlier = earlier_check(clause, VALUES)
        if not spots and earlier and earlier.window != ALL_ROWS and earlier.series in names:
            spots = [earlier.window]  # ", more than in any other month": than in that of the value before
        also = [*ordinal, *clause.marks_of("any_other", "than", "whole", "others")]
    if rank > 1 and not spots:
        return None
    if not inside and spots:  # the text before may be about another time
        windows = [w for w in windows if not any(is_other_window(w, spot) for spot in spots)] or [ALL_ROWS]
    if rank > 1:
        way = Direction.DOWN if up else Direction.UP
        return ClauseReading(_rank_checks(names, windows, spots, (rank, way), numbers), tuple(also))
    statistic = Statistic.MAXIMUM if up else Statistic.MINIMUM
    checks = [check(specify(statistic, names, windows, **value_fields(mark))) for mark in numbers]
    if spots:
        checks.append(check(specify(PLACE_OF[statistic], names, windows, place=spots)))
    return ClauseReading(tuple(checks), tuple(also))


def _rank_checks(
    names: list[str],
    windows: list[Window],
    spots: list[Window],
    rank_and_way: tuple[int, Direction],
    numbers: tuple[Mark, ...],
) -> tuple[ClauseCheck, ...]:
    rank, way = rank_and_way
    ranks = specify(Statistic.RANK, names, windows, place=spots, value=rank, direction=way)
    return (check(ranks), *(check(specify(Statistic.VALUE_AT, names, spots, **value_fields(m))) for m in numbers))


def _is_up(word: Mark, names: list[str]) -> bool | None:
    """Whether an extreme is the highest; None of a "best" of series that do not say whether more is better."""
    if word.kinds & {"maximum", "minimum", *_MORE_THAN, *_LESS_THAN}:
        return bool(word.kinds & {"maximum", *_MORE_THAN})
    way = polarity(names[0]) if len(names) == 1 else None
    return None if way is None else (way == "up") is ("best" in word.kinds)


def _can_be_of(clause: Clause, word: Mark, names: list[str]) -> bool:
    """Whether an extreme is of the series: not "the coldest month" of another quantity, nor "the most" of texts."""
    quantities = [quantity for quantity, forms in clause.words.extremes_of.items() if forms.fullmatch(word.text)]
    following = next((m for m in clause.marks if m.start >= word.end), None)
    rows = {clause.table.time_column, *map(str, clause.table.labels.columns[:1])}  # "the worst month"
    of_texts = following and following.columns and not following.series and not rows & set(following.columns)
    return not of_texts and all(can_describe(clause, quantity, name) for quantity in quantities for name in names)


def _ordinal(clause: Clause, word: Mark) -> tuple[int, list[Mark]]:
    """The ordinal before an extreme ("the second highest") and its mark, as a list; 1 without an ordinal."""
    before = clause.text[: word.start].rstrip().lower()
    for article in clause.words.articles:  # "op één na de beste"
        before = before.removesuffix(f" {article}")
    mark = next((m for m in clause.marks if m.end == len(before)), None)
    for text, rank in clause.words.data["last_but"].items():
        if mark and before.endswith(text):
            return rank, [mark]
    if mark and mark.number and mark.number.ordinal:
        return int(mark.number.value), [mark]
    return 1, []


def _places(clause: Clause, word: Mark, number: Mark | None) -> tuple[list[Mark], list[Mark]]:
    """Where the claim puts the extreme, and what it is the extreme of."""

    def is_place(mark: Mark) -> bool:
        if number is None:
            is_span = mark.time is not None and mark.time.ends is not None
            if mark.time and clause.cells and has_several(clause, *clause.windows([mark])):
                return False  # "in the first quarter South had the highest": of that quarter's rows
            return len(clause.places) == 1 or not (is_span or any(contains_time(mark, other) for other in clause.times))
        if mark.cells:
            return mark.end <= word.start or mark.start >= number.end or _is_predicate_of(clause, mark, number)
        return is_row(clause, mark.window)

    placed = [mark for mark in clause.places if is_place(mark)]
    return placed, [mark for mark in clause.places if mark not in placed]


def _is_predicate_of(clause: Clause, place: Mark, number: Mark) -> bool:
    """Whether a row between an extreme and its number is where it was: "the fewest calls were in Linden, 43"."""
    start = max(mark.end for mark in clause.marks if mark.end <= place.start)
    led = clause.text[start : place.start].split()
    return len(led) > 1 and re.match(r"\s*[,:;(–—]", clause.text[place.end : number.start_with_hedge]) is not None


@construction(
    Slot.words("rank", most=ANY),
    Slot("ordinal", lambda clause: [m for m in clause.numbers if m.stated.ordinal]),
    Slot.value(0, 1),
    series=(1, 1),
    places=(1, ANY),
    optional="count all column",
)
def _rank(match: ConstructionMatch) -> ClauseReading | None:
    rank = (int(match.one("ordinal").stated.value), Direction.DOWN)
    return ClauseReading(_rank_checks(match.names, [ALL_ROWS], match.windows, rank, match["value"]))


@construction(Slot.words("ranged"), Slot.number(2, 2), optional="changed_to all than per_row count")
def _ranged(match: ConstructionMatch) -> ClauseReading | None:
    """ "Ranged from 12 to 18" states the extremes, "stayed between 10 and 20" bounds that hold."""
    within, checks = match.clause.words.links.within, []
    is_within = re.search(rf"\b(?:{within})\b", match.one("ranged").text, re.IGNORECASE)
    ends = ((Statistic.MINIMUM, Hedge.AT_LEAST), (Statistic.MAXIMUM, Hedge.AT_MOST))
    for (end, bound), mark in zip(ends, match["number"], strict=True):
        fields = value_fields(mark) | ({"hedge": bound} if is_within else {})
        checks.append(check(specify(end, match.names, match.windows, **fields)))
    return ClauseReading(tuple(checks))


@construction(
    Slot.words(*_MORE, *_LESS, least=2, most=2, name="extreme"),
    Slot.words("between_two", "difference", "range", "apart", most=ANY),
    Slot.number(),
    optional="changed_to count all per_row column",
)
def _gap_of_extremes(match: ConstructionMatch) -> ClauseReading | None:
    if {bool(mark.kinds & _MORE) for mark in match["extreme"]} != {True, False}:
        return None
    return as_one_check(specify(Statistic.RANGE, match.names, match.windows, **value_fields(match.one("number"))))


@construction(Slot.words("anomaly", most=ANY), Slot.number(0, 1), optional="count up down some maximum minimum")
def _anomaly(match: ConstructionMatch) -> ClauseReading | None:
    clause, names, head = match.clause, match.names, match.one("anomaly")
    no = clause.marks_of("none", "not")
    counts = [m for m in match["number"] if re.fullmatch(r"(?: \S+)? ", clause.text[m.end : head.start])]
    if counts or any(m.hedge in BOUNDS for m in match["number"]) or (no and match["number"]):
        return None  # "three outliers"; "12 May stands out: on all other days it was below 140"
    is_placed = clause.times or clause.cells or clause.context.windows
    statistic = Statistic.NO_ANOMALY if no else Statistic.ANOMALY
    spots = match.windows if is_placed else [None]
    anomalies = specify(statistic, names, [ALL_ROWS], place=spots)
    values = (check(specify(Statistic.VALUE_AT, names, match.windows, **value_fields(m))) for m in match["number"])
    than = clause.marks_of("than", "others") if clause.marks_of("others") else []
    return ClauseReading((check(anomalies), *values), (*no, *than))
