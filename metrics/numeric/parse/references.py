"""Constructions that refer to the check before them: "up from 100", "(55 against 42)", "and staff by 16%"."""

import re
from dataclasses import replace

from ..specification import Direction, Specification, Statistic
from .checks import check, each, stated
from .clause import Clause
from .construction import ANY, Construction, Match, Reading, Slot, places, series, value, words
from .marks import Mark
from .relations import difference_kind

_VALUES = (Statistic.VALUE_AT, Statistic.LATEST, Statistic.FIRST, Statistic.MEAN, Statistic.SUM)
_COMPARED = (Statistic.VALUE_AT, Statistic.MEAN, Statistic.SUM)
_CHANGES = (Statistic.DIFFERENCE, Statistic.PERCENT_CHANGE)
_RELATIONS = (Statistic.COMPARISON, Statistic.DIFFERENCE, Statistic.PERCENT_CHANGE, Statistic.RATIO)


def _told(clause: Clause, statistics: tuple[Statistic, ...]) -> Specification | None:
    """The last check of the same sentence with one of these statistics."""
    return next((spec for spec in clause.told if spec.statistic in statistics), None) if clause.apposed else None


def _both_sides(match: Match) -> Reading | None:
    clause, (first, second) = match.clause, match["value"]
    told = _told(clause, _RELATIONS)
    if told is None:
        return None
    inner = [kind for kind in ("mean", "sum") if clause.of(kind)]
    said = [{"mean": Statistic.MEAN, "sum": Statistic.SUM}[kind] for kind in inner[:1]]
    ofs = said or ([told.of] if told.of else [Statistic.VALUE_AT, Statistic.MEAN, Statistic.SUM])
    other, compared = told.compared_with or told.series, told.compared_window or told.window
    one = stated(first)
    if second.number:
        one["unit"] = one["unit"] or second.number.unit  # "55 against 42 minutes"
    return Reading(
        (
            check(*[each(of, [told.series], [told.window], **one) for of in ofs]),
            check(*[each(of, [other], [compared], **stated(second)) for of in ofs]),
        ),
        tuple(clause.of(*inner)),
    )


def _between_the_two(match: Match) -> Reading | None:
    clause = match.clause
    sides = _two_told(clause)
    if sides is None or (clause.series and sides[0].series not in clause.series[0].series):
        return None
    first, second = sides
    of = first.statistic if first.statistic in (Statistic.MEAN, Statistic.SUM, Statistic.MEDIAN) else None
    spec = replace(
        first,
        statistic=Statistic.DIFFERENCE if clause.of("difference") else Statistic.RATIO,
        of=of,
        compared_with=second.series,
        compared_window=second.window,
        direction=None,
        negated=False,
        place=None,
        threshold=None,
        **stated(match.one("value")),  # type: ignore[arg-type]
    )
    return Reading((check([spec]),))


def _two_told(clause: Clause) -> tuple[Specification, Specification] | None:
    relation = next((spec for spec in clause.told if spec.statistic in _RELATIONS), None)
    if relation is not None:
        window = relation.compared_window or relation.window
        other = replace(relation, series=relation.compared_with or relation.series, window=window)
        of = relation.of or Statistic.VALUE_AT
        return replace(relation, statistic=of), replace(other, statistic=of)
    values: list[Specification] = []
    for spec in clause.told:
        known = [(value.series, value.window) for value in values]
        if spec.value is not None and spec.statistic in _VALUES and (spec.series, spec.window) not in known:
            values.append(spec)
    return (values[1], values[0]) if len(values) == 2 and values[0].statistic is values[1].statistic else None


def _changed_as_well(match: Match) -> Reading | None:
    clause, mark, names = match.clause, match.one("value"), match.one("series").series
    told = _told(clause, _CHANGES)
    if told is None or told.direction is None or told.series in names:
        return None
    size = {**stated(mark), "statistic": difference_kind(clause, mark, list(names))}
    return Reading((check([replace(told, series=name, **size) for name in names]),))  # type: ignore[arg-type]


def _sizes(clause: Clause) -> list[Mark]:
    """Numbers that "by" makes the size of a change."""
    by = re.compile(rf"(?:{clause.words.data['changed_by']})\s*$", re.IGNORECASE)
    return [mark for mark in clause.numbers if by.search(clause.text[: mark.said_from])]


def _up_from(match: Match) -> Reading | None:
    clause, mark = match.clause, match.one("value")
    told = _told(clause, _COMPARED)
    if told is None or (clause.series and told.series not in clause.series[0].series):
        return None
    direction = Direction.UP if "up" in match.one("way").kinds else Direction.DOWN
    if match.one("way").kinds >= {"up", "down"}:
        return None
    windows = clause.windows(clause.times, [])
    way = {"of": told.statistic, "direction": direction}
    compared = [
        s for w in windows for s in each(Statistic.COMPARISON, [told.series], [told.window], compared_window=w, **way)
    ]
    return Reading((check(each(told.statistic, [told.series], windows, **stated(mark))), check(compared)))


def _origins(clause: Clause) -> list[Mark]:
    """Numbers that "from" makes the begin of a change."""
    origin = re.compile(rf"(?:{clause.words.links.origin})\s*$", re.IGNORECASE)
    return [mark for mark in clause.numbers if origin.search(clause.text[: mark.said_from])]


_NO_PLACE = places(0, 0)
_TIME = Slot("time", lambda clause: clause.times)
_NO_CELL = Slot("cell", lambda clause: clause.cells, 0, 0)

CONSTRUCTIONS = (
    Construction(
        "both_sides",
        (),
        (value(2, 2), series(0, 0), _NO_PLACE),
        ("than", "changed_to", "count"),
        _both_sides,
    ),
    Construction(
        "between_the_two",
        (words("the_two"), words("difference", "ratio", name="relation")),
        (value(), series(), Slot("time", lambda clause: clause.times, 0, 0)),
        ("changed_to",),
        _between_the_two,
    ),
    Construction(
        "changed_as_well",
        (Slot("size", _sizes),),
        (value(), series(1), _NO_PLACE),
        ("count", "when"),
        _changed_as_well,
    ),
    Construction(
        "up_from",
        (words("up", "down", most=ANY, name="way"), Slot("origin", _origins)),
        (value(), series(), _TIME, _NO_CELL),
        ("count", "exactly"),
        _up_from,
    ),
)
