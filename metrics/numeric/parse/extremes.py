"""Constructions of extremes: the highest, where it was, the second highest, how far the extremes are apart."""

import re

from ..names.column_names import polarity
from ..specification import ALL_ROWS, Direction, Hedge, Specification, Statistic, Window
from .adjectives import can_describe
from .checks import (
    VALUES,
    ClauseCheck,
    check,
    earlier_check,
    is_year_besides,
    marks_after,
    series_of,
    specify,
    value_fields,
)
from .clause import Clause
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
from .places import contains_time, is_one_named_row, is_other_window, is_row, windows_of

_MORE, _LESS = frozenset({"maximum", "best"}), frozenset({"minimum", "worst"})
_MORE_THAN, _LESS_THAN = frozenset({"higher", "above"}), frozenset({"lower", "below"})


def _extreme(match: ConstructionMatch) -> ClauseReading | None:
    clause, word, numbers = match.clause, match.one("extreme"), match["value"]
    names = series_of(clause)
    up = _is_up(word, names)
    if not names or up is None or _is_of_something_else(clause, word, names) or _of_texts(clause, word):
        return None
    if any(is_year_besides(clause, names, mark) or _is_joined(clause, mark, word) for mark in numbers):
        return None
    rank, ordinal = _ordinal(clause, word)
    placed, inside = _places(clause, word, numbers[0] if numbers else None)
    if inside and not placed and clause.cells and is_one_named_row(clause):
        placed, inside = inside, []  # "lowest in Linden, at 12%": of one row there is no lowest
    windows = windows_of(clause, inside)
    spots = windows_of(clause, placed) if placed else []
    beside: list[Mark] = []
    if clause.marks_of("any_other"):
        if numbers:
            return None  # ", more than any other" says where, and the number before it is a check of its own
        spots, windows = spots or _earlier_place(clause, names), windows if inside else [ALL_ROWS]
        beside = clause.marks_of("any_other", "than", "whole", "others")
    if not windows or not (numbers or spots) or (rank > 1 and not spots):
        return None
    if not inside and spots:  # the text before may be about another time
        windows = [w for w in windows if not any(is_other_window(w, spot) for spot in spots)] or [ALL_ROWS]
    also = (*beside, ordinal) if ordinal else tuple(beside)
    if rank > 1:
        way = Direction.DOWN if up else Direction.UP
        ranked = [s for p in spots for s in specify(Statistic.RANK, names, windows, value=rank, direction=way, place=p)]
        values = (check(specify(Statistic.VALUE_AT, names, spots, **value_fields(numbers[0]))),) if numbers else ()
        return ClauseReading((check(ranked), *values), also)
    checks: list[ClauseCheck] = []
    if numbers:
        statistic = Statistic.MAXIMUM if up else Statistic.MINIMUM
        checks.append(check(specify(statistic, names, windows, **value_fields(numbers[0]))))
    if spots:
        when = Statistic.TIME_OF_MAXIMUM if up else Statistic.TIME_OF_MINIMUM
        checks.append(check([s for p in spots for s in specify(when, names, windows, place=p)]))
    return ClauseReading(tuple(checks), also)


def _extremes(clause: Clause) -> list[Mark]:
    """The words for an extreme; "more than any other" is one."""
    extremes = clause.marks_of(*_MORE, *_LESS)
    return extremes or (clause.marks_of(*_MORE_THAN, *_LESS_THAN) if clause.marks_of("any_other") else [])


def _earlier_place(clause: Clause, names: list[str]) -> list[Window]:
    """The window of the value earlier in the same sentence, which ", more than in any other month" refers to."""
    earlier = earlier_check(clause, VALUES)
    return [earlier.window] if earlier and earlier.window != ALL_ROWS and earlier.series in names else []


def _is_up(word: Mark, names: list[str]) -> bool | None:
    """Whether an extreme is the highest; None of a "best" of series that do not say whether more is better."""
    if word.kinds & {"maximum", "minimum", *_MORE_THAN, *_LESS_THAN}:
        return bool(word.kinds & {"maximum", *_MORE_THAN})
    way = polarity(names[0]) if len(names) == 1 else None
    return None if way is None else (way == "up") is ("best" in word.kinds)


def _is_of_something_else(clause: Clause, word: Mark, names: list[str]) -> bool:
    """Whether an extreme such as "the coldest month" describes another quantity than the series."""
    quantities = [quantity for quantity, forms in clause.words.extremes_of.items() if forms.fullmatch(word.text)]
    return any(not can_describe(clause, quantity, name) for quantity in quantities for name in names)


def _is_joined(clause: Clause, number: Mark, word: Mark) -> bool:
    """Whether "and" sets a number apart from an extreme: "at 20%, and lowest in Linden"."""
    between = clause.text[number.end : word.start]
    return re.search(rf",\s+(?:{clause.words.links.conjunction})\s", between, re.IGNORECASE) is not None


def _of_texts(clause: Clause, word: Mark) -> bool:
    """Whether the extreme is of a column of texts ("the most points", where they are written as "Jones (35)")."""
    following = marks_after(clause, word)
    if not following or not following[0].columns or following[0].series:
        return False
    rows = {clause.table.time_column, *map(str, clause.table.labels.columns[:1])}
    return not rows & set(following[0].columns)  # "the worst month", "the smallest department"


def _ordinal(clause: Clause, word: Mark) -> tuple[int, Mark | None]:
    """The ordinal before an extreme ("the second highest") and its mark; 1 without an ordinal."""
    before = clause.text[: word.start].rstrip().lower()
    for article in clause.words.articles:  # "op één na de beste"
        before = before.removesuffix(f" {article}")
    for text, rank in clause.words.data["last_but"].items():
        if before.endswith(text):
            return rank, next((m for m in clause.marks if m.end == len(before)), None)
    for mark in clause.numbers:
        if mark.number and mark.number.ordinal and mark.end == len(before):
            return int(mark.number.value), mark
    return 1, None


def _places(clause: Clause, word: Mark, number: Mark | None) -> tuple[list[Mark], list[Mark]]:
    """Where the claim puts the extreme, and what it is the extreme of."""
    marks = [*clause.times, *clause.cells]
    if number is None:
        wide = [m for m in marks if m.time and m.time.ends and len(marks) > 1]
        if not wide and len(marks) > 1:
            wide = [m for m in clause.times if any(contains_time(m, other) for other in clause.times if other is not m)]
        return [m for m in marks if m not in wide], wide
    verbs = clause.marks_of("seen")
    core = max([word.end, *(s.end for s in clause.series if s.end <= number.start)])
    placed: list[Mark] = []
    inside: list[Mark] = []
    for mark in marks:
        single = bool(mark.cells) or is_row(clause, mark)
        subject = bool(mark.cells) and mark.end <= word.start and not _after_preposition(clause, mark)
        predicate = mark.start >= number.end or mark.time or (core <= mark.start and _after_verb(clause, core, mark))
        after_verb = any(number.end <= verb.start < mark.start for verb in verbs)
        (placed if subject or after_verb or (single and predicate) else inside).append(mark)
    return placed, inside


def _after_preposition(clause: Clause, mark: Mark) -> bool:
    before = clause.text[: mark.start].rstrip().lower().split()
    while before and before[-1] in clause.words.articles:
        before.pop()
    return bool(before) and re.fullmatch(clause.words.links.place_led, before[-1]) is not None


def _after_verb(clause: Clause, core: int, mark: Mark) -> bool:
    between = clause.text[core : mark.start].lower().split()
    return any(re.fullmatch(clause.words.links.predicate, word) for word in between)


def _rank(match: ConstructionMatch) -> ClauseReading | None:
    clause, names, numbers = match.clause, match.one("series").series, match["value"]
    mark = match.one("ordinal").number
    if len(names) != 1 or mark is None:
        return None
    spots = clause.windows(clause.times, clause.cells)
    ranks = [
        Specification(Statistic.RANK, names[0], ALL_ROWS, value=mark.value, direction=Direction.DOWN, place=spot)
        for spot in spots
    ]
    values = (check(specify(Statistic.VALUE_AT, names, spots, **value_fields(numbers[0]))),) if numbers else ()
    return ClauseReading((check(ranks), *values))


def _range(match: ConstructionMatch) -> ClauseReading | None:
    clause, word = match.clause, match.one("ranged")
    names = series_of(clause)
    windows = clause.windows(clause.times, clause.cells)
    low, high = map(value_fields, match["number"])
    if re.search(rf"\b(?:{clause.words.links.within})\b", word.text, re.IGNORECASE):  # not up to the bounds
        low["hedge"], high["hedge"] = Hedge.AT_LEAST, Hedge.AT_MOST
    return ClauseReading(
        (
            check(specify(Statistic.MINIMUM, names, windows, **low)),
            check(specify(Statistic.MAXIMUM, names, windows, **high)),
        )
    )


def _gap(match: ConstructionMatch) -> ClauseReading | None:
    clause = match.clause
    first, second = match["extreme"]
    joined = rf"(?: [\w-]+)?,? (?:{clause.words.links.across})(?: \w+){{0,3}} "
    if {bool(mark.kinds & _MORE) for mark in (first, second)} != {True, False}:
        return None
    if not re.fullmatch(joined, clause.text[first.end : second.start]):
        return None
    windows = clause.windows(clause.times, clause.cells)
    return ClauseReading(
        (check(specify(Statistic.RANGE, series_of(clause), windows, **value_fields(match.one("number")))),)
    )


def _ordinals(clause: Clause) -> list[Mark]:
    return [mark for mark in clause.numbers if mark.number and mark.number.ordinal]


CONSTRUCTIONS = (
    Construction(
        "extreme",
        (Slot("extreme", _extremes),),
        (value(0, 1), series(), places()),
        ("first", "all", "count", "per_row", "column"),
        _extreme,
    ),
    Construction(
        "rank",
        (words("rank", most=ANY), Slot("ordinal", _ordinals)),
        (value(0, 1), series(1), places(1)),
        ("count", "all", "column"),
        _rank,
    ),
    Construction(
        "ranged",
        (words("ranged"),),
        (number(2, 2), series(), places()),
        ("changed_to", "all", "than", "per_row", "count"),
        _range,
    ),
    Construction(
        "gap_of_extremes",
        (
            words(*_MORE, *_LESS, least=2, most=2, name="extreme"),
            words("between_two", "difference", "range", "apart", most=ANY),
        ),
        (number(), series(), places()),
        ("changed_to", "count", "all", "per_row", "column"),
        _gap,
    ),
)
